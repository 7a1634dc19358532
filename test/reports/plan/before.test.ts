import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { severityOf } from "../../../src/findings/catalogue/finding.ts";
import { RULE_IDS } from "../../../src/findings/catalogue/catalogue.ts";
import { CONFIG_HASH_DEFAULTS } from "../../../src/stamping/function/config-hash.ts";
import { readManifests } from "../../../src/yaml/read/items.ts";
import { newFindings } from "../../../src/reports/plan/counted.ts";
import { planStatus } from "../../../src/reports/plan/limits.ts";
import { planOfPairs } from "../../../src/reports/plan/plan.ts";
import { readSide, type Side } from "../../../src/reports/plan/side.ts";
import { readTree } from "../../support/trees.ts";
import type { PlanReport } from "../../../src/reports/plan/plan-report.ts";
import type { PlanFinding } from "../../../src/reports/plan/planned-workload.ts";
import { RULES } from "../../../src/reports/lint/rules.ts";
import { rulePage } from "../lint/rule-pages.ts";
import { cli } from "../../support/cli.ts";
import { inFolder } from "../../support/folders.ts";
import { configMap, deployment } from "../../support/manifests.ts";
import { actions, becauseOf, findingIds, planned, workload } from "./planned.ts";

// A finding of a state that the base has too is only counted; one of the rollout is reported (contract, section 2, "RolloutLint").
// The examples of the rules' pages are the fixtures.

const STATES = RULE_IDS.filter((id) => RULES[id].about === "state");

const example = (id: string, word: string): string => {
  const text = rulePage(id).examples.get(word);
  assert.ok(text !== undefined, `the page of ${id} has no example '${word}'`);
  return text;
};
const all = ({ workloads, findings }: PlanReport): PlanFinding[] => [
  ...workloads.flatMap((row) => row.findings),
  ...findings,
];
const findingsOf = (report: PlanReport, id: string): PlanFinding[] =>
  all(report).filter((finding) => finding.id === id);
const stream = (...documents: readonly string[]): string => documents.join("---\n");
const user = (name: string, key: string, more = ""): string =>
  `apiVersion: apps/v1\nkind: Deployment\nmetadata: {name: ${name}${more}}\nspec: {template: {spec: {containers: [{name: app, image: a, env: [{name: X, valueFrom: {configMapKeyRef: {name: env, key: ${key}}}}]}]}}}\n`;

/** `env: 11 of 54`: how many workloads of how many the change of a source rolls, of each RS017. */
function shares(findings: readonly PlanFinding[]): string[] {
  return findings.flatMap((finding) =>
    finding.id === "RS017"
      ? [`${finding.params.source.name}: ${finding.params.rolls} of ${finding.params.workloads}`]
      : [],
  );
}

describe("a finding of a state", () => {
  // RS013 needs a second rendering of the head: no plan has one.
  for (const id of STATES.filter((state) => state !== "RS013")) {
    const bad = example(id, "bad");
    it(`${id} is reported where the base does not have it`, () => {
      for (const base of [example(id, "good"), ""]) {
        const reported = findingsOf(planned(base, bad), id);
        assert.ok(reported.length > 0);
        assert.ok(reported.every(({ before }) => before === undefined));
      }
    });
    it(`${id} is counted where the base has it, and listed with --all`, () => {
      // It is elsewhere in the file: its place is not part of its identity.
      const base = `# moved\n\n${bad}`;
      const report = planned(base, bad, { failOn: [id] });
      assert.deepEqual(all(report), []);
      assert.ok(report.findingsBefore > 0);
      assert.deepEqual(report.exceeded, []);
      assert.equal(planStatus(report), 0);
      const listed = planned(base, bad, { all: true, failOn: [id] });
      assert.ok(findingsOf(listed, id).length > 0);
      assert.ok(all(listed).every(({ before }) => before === true));
      assert.equal(all(listed).length, report.findingsBefore);
      assert.deepEqual(listed.exceeded, [], "limits don't depend on what is listed");
      assert.equal(planStatus(listed), 0);
    });
    it(`${id} is nothing where only the base had it`, () => {
      assert.deepEqual(findingsOf(planned(bad, example(id, "good"), { all: true }), id), []);
    });
  }

  const env = configMap("env", "a");
  it("is shown in the row of its workload, otherwise separately", () => {
    const base = stream(env, user("a", "value"), user("b", "value"));
    const head = stream(env, user("a", "absent"), user("b", "value"), example("RS018", "bad"));
    const report = planned(base, head);
    assert.deepEqual(findingIds(report, "a"), ["RS002"]);
    assert.deepEqual(
      report.findings.map(({ id }) => id),
      ["RS018"],
    );
  });
  it("needs a review if a pod template names a key that its source never had", () => {
    const level = (base: string, head: string): unknown => planned(base, head).verdict?.level;
    const [good, bad] = [user("a", "value"), user("a", "absent")];
    assert.deepEqual(
      [
        level(stream(env, good), stream(env, bad)),
        level(env, stream(env, bad)),
        level(stream(env, bad), stream(env, bad.replace("image: a", "image: b"))),
        level(good, bad),
      ],
      ["attention", "attention", "ok", "ok"],
      "changed, created, as before, without the source",
    );
  });
  it("is one by its rule, object, cause and what it names", () => {
    const counts = (base: string, head: string): readonly [told: number, before: number] => {
      const report = planned(base, head);
      return [findingsOf(report, "RS002").length, report.findingsBefore];
    };
    const base = stream(env, user("a", "absent"));
    assert.deepEqual(counts(base, stream(env, user("a", "absent").replace("image: a", "image: b"))), [0, 1]);
    assert.deepEqual(counts(base, stream(env, user("a", "absent", ", namespace: default"))), [0, 1]);
    assert.deepEqual(counts(base, stream(env, user("a", "absent").replace("apps/v1", "apps/v1beta2"))), [0, 1]);
    assert.deepEqual(counts(base, stream(env, user("a", "lost"))), [1, 0], "another key");
    assert.deepEqual(counts(base, stream(env, user("b", "absent"))), [1, 0], "another workload");
    const second = "{name: Y, valueFrom: {configMapKeyRef: {name: env, key: lost}}}";
    const two = stream(env, user("a", "absent").replace("env: [", `env: [${second}, `));
    assert.deepEqual(counts(base, two), [1, 1], "one more key");
  });
  it("is the same with other numbers, and under the name that kustomize made of other content", () => {
    const hook = example("RS019", "bad");
    const longer = hook.replace(/\b(\d{2,})\b(?=[^\d]*$)/u, "$10");
    assert.notEqual(longer, hook);
    assert.deepEqual(findingsOf(planned(hook, longer), "RS019"), []);
    const unused = (hash: string): string => stream(configMap(`loose-${hash}`, hash), env, user("a", "value"));
    const report = planned(unused("5f6g7h8k9m"), unused("2b4c6d8f9g"));
    assert.deepEqual([report.findings, report.findingsBefore], [[], 1]);
  });
  it("as an error stops a gate only where the base had it not", () => {
    const spec = { missing: "Error" } as const;
    const uses = deployment("a", "absent");
    assert.equal(planStatus(planned(uses, uses, { spec })), 0);
    assert.equal(planStatus(planned("", uses, { spec })), 1);
    assert.equal(planStatus(planned(stream(configMap("absent", "a"), uses), uses, { spec })), 1, "its source has gone");
  });
  it("has the level that the configuration sets", () => {
    const head = example("RS018", "bad");
    assert.deepEqual(findingsOf(planned("", head, { levels: new Map([["RS018", "off"]]) }), "RS018"), []);
    const report = planned("", head, { levels: new Map([["RS018", "error"]]) });
    assert.deepEqual(
      findingsOf(report, "RS018").map((finding) => severityOf(finding)),
      ["error"],
    );
    assert.equal(planStatus(report), 1);
  });
  it("is ignored by its object's annotation", () => {
    const head = example("RS018", "bad");
    const ignored = head.replace("metadata:\n", 'metadata:\n  annotations: {ignore.rollstamp.dev/RS018: "one node"}\n');
    assert.notEqual(ignored, head);
    const open = newFindings(planned("", ignored)).filter(({ id }) => id === "RS018");
    assert.deepEqual([open, planned(ignored, ignored).findingsBefore], [[], 0]);
  });
});

describe("a finding of a state, where the base is a cluster", () => {
  const budget = example("RS018", "bad");
  const first = (text: string): string => text.slice(0, text.indexOf("---\n"));
  const withoutBudget = first(budget);
  it("counts as existing where it is about what is not requested from a cluster", () => {
    assert.equal(
      findingsOf(planned(withoutBudget, budget), "RS018").length,
      1,
      "a rendering without it does not have the finding",
    );
    const report = planned(withoutBudget, budget, { isLive: true });
    assert.deepEqual([findingsOf(report, "RS018"), report.findingsBefore > 0], [[], true]);
  });
  it("is reported where its workload is new", () => {
    const good = example("RS016", "good");
    const bad = example("RS016", "bad");
    assert.equal(findingsOf(planned(first(good), bad, { isLive: true }), "RS016").length, 1);
    const report = planned(first(bad), bad, { isLive: true });
    assert.deepEqual([findingsOf(report, "RS016"), report.findingsBefore > 0], [[], true]);
  });
  it("of a source that was not looked up on either side is reported for a workload that rolls, otherwise counted", () => {
    const uses = deployment("a", "absent");
    const changed = uses.replace("app:1", "app:2");
    assert.equal(findingsOf(planned(uses, changed), "RS001").length, 0, "the rendering before had it too");
    assert.equal(findingsOf(planned(uses, changed, { isLive: true }), "RS001").length, 1);
    const same = planned(uses, uses, { isLive: true });
    assert.deepEqual([findingsOf(same, "RS001"), same.findingsBefore], [[], 1]);
    const env = configMap("env", "a");
    const noKey = user("a", "absent");
    const report = planned(stream(env, noKey), stream(env, noKey.replace("image: a", "image: b")), { isLive: true });
    assert.deepEqual([findingsOf(report, "RS002"), report.findingsBefore], [[], 1], "what is present is known");
  });
});

describe("findings of one kind that are many", () => {
  const absent = (count: number): string => {
    const refs = Array.from({ length: count }, (_, i) => `{configMapRef: {name: lost${i}}}`);
    return `apiVersion: apps/v1\nkind: Deployment\nmetadata: {name: a}\nspec: {template: {spec: {containers: [{name: app, image: a, envFrom: [${refs.join(", ")}]}]}}}\n`;
  };
  it("are counted, including those cut from the list", () => {
    const report = planned(absent(64), absent(64).replace("image: a", "image: b"));
    assert.deepEqual([findingsOf(report, "RS001").length, report.findingsBefore], [0, 64]);
  });
  it("are reported where a new one may be among those cut from the list", () => {
    assert.equal(findingsOf(planned(absent(64), absent(65)), "RS001").length, 1);
    assert.equal(findingsOf(planned(absent(65), absent(64)), "RS001").length, 0);
  });
});

describe("what is not a finding of a plan", () => {
  it("how far a stamp sees", () => {
    const sealed =
      "apiVersion: bitnami.com/v1alpha1\nkind: SealedSecret\nmetadata: {name: env}\nspec: {encryptedData: {a: b}}\n";
    const uses = deployment("a", "env").replace("configMapRef", "secretRef");
    const report = planned("", stream(sealed, uses));
    assert.deepEqual([all(report), report.findingsBefore], [[], 0]);
    assert.equal(planned(stream(sealed, uses), stream(sealed, uses)).findingsBefore, 0);
  });
  it("what is wrong with an annotation that ignores a rule", () => {
    const ignored = deployment("a", "env").replace(
      "metadata:\n",
      'metadata:\n  annotations: {ignore.rollstamp.dev/RS999: "why"}\n',
    );
    const report = planned("", stream(configMap("env", "a"), ignored));
    assert.deepEqual([all(report), report.findingsBefore], [[], 0]);
  });
});

describe("a finding of the rollout", () => {
  const newImage = (text: string): string => {
    const changed = text.replaceAll(/(image: *["']?[^\s"',}:]+):[\w.]+/gu, "$1:9.9.9");
    assert.notEqual(changed, text);
    return changed;
  };
  const newContent = (text: string): string => {
    const changed = text.replace("workers: 4", "workers: 8");
    assert.notEqual(changed, text);
    return changed;
  };
  for (const id of ["RS004", "RS015"] as const) {
    it(`${id} is reported although the base has it`, () => {
      const bad = example(id, "bad");
      const report = planned(bad, newImage(bad), { failOn: [id] });
      assert.ok(findingsOf(report, id).length > 0);
      assert.equal(report.exceeded.length, 1);
      assert.deepEqual(findingsOf(planned(bad, bad, { all: true }), id), [], "nothing rolls");
    });
  }
  it("RS005 is reported where a change has no effect", () => {
    const bad = example("RS005", "bad");
    const report = planned(bad, newImage(bad));
    assert.ok(actions(report).some((row) => row.startsWith("NoEffect ")));
    assert.ok(findingsOf(report, "RS005").length > 0);
  });
  it("RS006 is reported where an immutable source changes", () => {
    const report = planned(example("RS006", "base"), example("RS006", "bad"));
    assert.ok(findingsOf(report, "RS006").length > 0);
    assert.equal(planStatus(report), 1);
  });
  it("RS017 counts all rolls", () => {
    const report = planned(example("RS017", "base"), example("RS017", "bad"));
    assert.deepEqual(shares(findingsOf(report, "RS017")), ["shared: 11 of 11"]);
    assert.deepEqual(findingsOf(planned(example("RS017", "bad"), example("RS017", "bad"), { all: true }), "RS017"), []);
  });
  const many = (count: number, total: number, content: string, source = "env", more = ""): string =>
    stream(
      configMap(source, content),
      ...Array.from({ length: total }, (_, i) =>
        deployment(`w${i}`, i < count ? source : "other").replace("spec:\n", `spec:\n${more}`),
      ),
    );
  const share = (base: string, head: string): string[] =>
    shares(findingsOf(planned(base, head, { spec: { missing: "Ignore" } }), "RS017"));
  it("RS017 needs more than ten, and more than a fifth", () => {
    assert.deepEqual(share(many(10, 10, "a"), many(10, 10, "b")), []);
    assert.deepEqual(share(many(11, 55, "a"), many(11, 55, "b")), []);
    assert.deepEqual(share(many(11, 54, "a"), many(11, 54, "b")), ["env: 11 of 54"]);
  });
  it("RS017 counts each part separately", () => {
    const side = (...texts: readonly string[]): Side =>
      readSide(
        texts.map((text, i) => readManifests(readTree(text, `${i}.yaml`))),
        { ...CONFIG_HASH_DEFAULTS, missing: "Ignore" },
        undefined,
      );
    const sharesOf = (total: number): string[] => {
      const pairs = ["dev", "prod"].map((part) => ({
        part,
        base: side(many(total, total, `${part}-a`)),
        head: side(many(total, total, `${part}-b`)),
      }));
      const options = { all: false, showValues: false, maxWorkloads: undefined, maxPods: undefined, failOn: [] };
      const { findings } = planOfPairs(pairs, options, "stamped");
      return shares(findings);
    };
    assert.deepEqual(sharesOf(7), []);
    const each = "env: 11 of 11";
    assert.deepEqual(sharesOf(11), [each, each]);
  });
  it("RS017 counts what rolls: not what is paused, but what kustomize has renamed", () => {
    const paused = "  paused: true\n";
    assert.deepEqual(share(many(11, 11, "a", "env", paused), many(11, 11, "b", "env", paused)), []);
    assert.deepEqual(share(many(11, 11, "a", "env-5f6g7h8k9m"), many(11, 11, "b", "env-2b4c6d8f9g")), [
      "env-2b4c6d8f9g: 11 of 11",
    ]);
  });
  it("RS017 counts each source separately, among the workloads that remain", () => {
    const each = (content: string, total: number): string =>
      stream(
        configMap("one", content),
        configMap("two", content),
        ...Array.from({ length: total }, (_, i) => deployment(`w${i}`, i < 11 ? "one" : "two")),
      );
    assert.deepEqual(share(each("a", 21), each("b", 21)), ["one: 11 of 21"]);
    assert.deepEqual(share(each("a", 30), each("b", 12)), ["one: 11 of 12"]);
    const [base, head] = [many(11, 11, "a"), many(11, 11, "b")];
    const severities = (level: "off" | "error"): string[] =>
      findingsOf(planned(base, head, { levels: new Map([["RS017", level]]) }), "RS017").map((finding) =>
        severityOf(finding),
      );
    assert.deepEqual([severities("off"), severities("error")], [[], ["error"]]);
  });
  it("RS020 makes the apply fail, although the base has it", () => {
    const bad = example("RS020", "bad");
    for (const base of [bad, example("RS020", "good"), ""]) {
      const report = planned(base, bad);
      assert.deepEqual(actions(report), ["Fail web"]);
      assert.deepEqual(findingIds(report, "web"), ["RS020"]);
      assert.match(becauseOf(workload(report, "web")), /minReadySeconds/u);
      assert.equal(report.summary.fails, 1);
      assert.equal(planStatus(report), 1);
    }
  });
  for (const id of ["RS021", "RS022"]) {
    it(`${id} is reported where the source causes the rollout, not where an image does`, () => {
      const bad = example(id, "bad");
      assert.ok(findingsOf(planned(bad, newContent(bad)), id).length > 0);
      assert.deepEqual(findingsOf(planned(bad, newImage(bad)), id), []);
      assert.deepEqual(findingsOf(planned("", bad), id), [], "there are no old pods");
    });
    it(`${id} is not reported where the source gets another name`, () => {
      const named = (text: string, hash: string): string =>
        text
          .replace("configMap: {name: web}", `configMap: {name: web-${hash}}`)
          .replace("kind: ConfigMap\nmetadata:\n  name: web\n", `kind: ConfigMap\nmetadata:\n  name: web-${hash}\n`);
      const bad = example(id, "bad");
      const report = planned(named(bad, "5f6g7h8k9m"), named(newContent(bad), "2b4c6d8f9g"));
      assert.deepEqual(actions(report), ["Roll web"]);
      assert.deepEqual(findingsOf(report, id), []);
    });
  }
  it("RS021 is reported for the Deployment whose template an Argo Rollout runs", () => {
    const template = example("RS022", "good").replace("  annotations:\n    rollstamp.dev/exclude: configmap/web\n", "");
    const reference =
      "apiVersion: argoproj.io/v1alpha1\nkind: Rollout\nmetadata: {name: canary}\nspec: {replicas: 3, workloadRef: {apiVersion: apps/v1, kind: Deployment, name: web}, strategy: {canary: {steps: [{setWeight: 20}]}}}\n";
    const base = stream(template, reference);
    const [finding, ...more] = findingsOf(planned(base, newContent(base)), "RS021");
    assert.deepEqual(more, []);
    assert.ok(finding?.id === "RS021" && finding.params.workload.kind === "Deployment");
    assert.deepEqual(finding.params.sources, [{ kind: "ConfigMap", namespace: "default", name: "web" }]);
  });
});

describe("plan and a configuration's rules", () => {
  it("reports what the configuration allows", () =>
    inFolder(
      {
        "head/a.yaml": example("RS018", "bad"),
        "base/a.yaml": configMap("env", "a"),
        "off.yaml": "apiVersion: rollstamp.dev/v1alpha1\nkind: RolloutLint\nspec: {rules: {RS018: off}}\n",
      },
      async (folder) => {
        const run = async (...more: readonly string[]): Promise<{ status: number; stdout: string }> => {
          const { status, stdout } = await cli(["plan", ...more, `${folder}/base`, `${folder}/head`]);
          return { status: status ?? -1, stdout };
        };
        const result = await run("--fail-on", "RS018");
        assert.match(result.stdout, /^WARNING     PodDisruptionBudget web [^]*\(RS018\)/mu);
        assert.equal(result.status, 1);
        const off = await run("--fail-on", "RS018", "--config", `${folder}/off.yaml`);
        assert.doesNotMatch(off.stdout, /RS018/u);
        assert.equal(off.status, 0);
      },
    ));
});
