import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { describe, it } from "node:test";
import { planJson } from "../../../src/output/plan-json.ts";
import { marker, planMarkdown } from "../../../src/output/plan-markdown.ts";
import type { PlanReport } from "../../../src/reports/plan/plan-report.ts";
import { planHtml } from "../../../src/output/html/plan-page.ts";
import { planText } from "../../../src/output/plan-text.ts";
import { cli } from "../../support/cli.ts";
import { inFolder } from "../../support/folders.ts";
import { configMap, deployment } from "../../support/manifests.ts";
import { inRoot } from "../../support/paths.ts";
import { actions, assertSchema, planned } from "./planned.ts";

const BASE = [
  configMap("env", "a"),
  deployment("web", "env"),
  deployment("api", "env").replace("spec:\n", "spec:\n  replicas: 4\n"),
].join("---\n");
const HEAD = BASE.replace('"a"', '"b"')
  .replace("image: app:1", "image: app:2")
  .replaceAll("apps/v1", "extensions/v1beta1");

const text = (report: PlanReport): string => planText(report, { color: false });
const markdown = (report: PlanReport): string => planMarkdown(report, { title: "Rollout plan" });

describe("plan -o text", () => {
  it("says whether to ship it, then who, how and why, the riskiest first", () => {
    const head = BASE.replace('"a"', '"b"')
      .replace("image: app:1", "image: app:2")
      .replace("replicas: 4\n", "replicas: 4\n  strategy: {type: Recreate}\n");
    assert.equal(
      text(planned(BASE, head, { maxWorkloads: 1 })),
      `Don't ship it as it is: 1 workload has no pod for a while, 1 limit is exceeded
over the limit: 2 workloads roll, and at most 1 may (--max-workloads)

OUTAGE      Deployment default/api
            Recreate, 4 pods: none available for a while, at most 4 in all
            ConfigMap env: value changed
            warning RS004: a rollout leaves no pod of Deployment api available for a while: Recreate with 4 replicas

SAFE        Deployment default/web
            RollingUpdate, 1 pod: at least 1 available, at most 2 in all
            ConfigMap env: value changed
            spec.containers[name=app].image: app:1 → app:2

   pods  workloads  cause
      5          2  ConfigMap default/env
      1          1  spec.containers[name=app].image

warning RS004, told above
  to do: Use RollingUpdate if two versions can run at the same time: a new pod starts before the old pods stop.

2 of 2 workloads roll; 5 pods are replaced
`,
    );
  });
  it("breaks no line: what is piped can be searched", () => {
    const long = HEAD.replaceAll("web", "a-deployment-with-a-name-that-takes-up-some-room").replaceAll(
      "value:",
      "a_rather_long_key_of_a_config_map:",
    );
    const told = text(planned(long.replace('"b"', '"a"'), long));
    assert.match(told, /^ {12}ConfigMap env: a_rather_long_key_of_a_config_map changed$/mu);
    assert.ok(told.split("\n").some((line) => line.length > 80));
  });
  it("says that nothing rolls", () =>
    assert.equal(text(planned(BASE, BASE)), "Nothing changes\n\nNone of 2 workloads rolls\n"));

  const colored = (args: readonly string[], environment: Record<string, string>, terminal: boolean): Promise<boolean> =>
    new Promise((resolve, reject) => {
      inFolder({ "a.yaml": BASE, "b.yaml": HEAD }, async (folder) => {
        const { stdout } = await cli(["plan", ...args, `${folder}/a.yaml`, `${folder}/b.yaml`], {
          environment,
          terminal,
        });
        resolve(stdout.includes("\u001b["));
      }).catch(reject);
    });
  it("is coloured on a terminal, unless NO_COLOR is set", async () => {
    assert.equal(await colored([], {}, true), true);
    assert.equal(await colored([], {}, false), false);
    assert.equal(await colored([], { NO_COLOR: "1" }, true), false);
    assert.equal(await colored([], { NO_COLOR: "" }, true), true);
    assert.equal(await colored([], { TERM: "dumb" }, true), false);
  });
  it("is coloured as --color says", async () => {
    assert.equal(await colored(["--color", "always"], { NO_COLOR: "1" }, false), true);
    assert.equal(await colored(["--color", "never"], {}, true), false);
  });
});

describe("plan -o json", () => {
  it("is what docs/plan.md shows", () => {
    const shown = /```json\n([^`]*)```/u.exec(readFileSync(inRoot("docs", "plan.md"), "utf8"))?.[1] ?? "";
    assertSchema(shown);
    const example = planned(BASE, BASE.replace('"a"', '"b"').replace("image: app:1", "image: app:2"));
    const keys = (report: PlanReport): string[][] =>
      [report, report.summary, report.workloads.at(-1) ?? {}].map((object) => Object.keys(object));
    assert.deepEqual(keys(JSON.parse(shown)), keys(example));
  });
});

describe("plan -o markdown", () => {
  it("begins with the mark by which its comment is found", () => {
    assert.equal(markdown(planned(BASE, HEAD)).split("\n")[0], "<!-- rollstamp plan: Rollout plan -->");
    assert.equal(marker("prod -->"), "<!-- rollstamp plan: prod ___ -->");
    assert.notEqual(marker("overlays/prod"), marker("overlays/test"));
  });
  it("shows what fails, and folds the rest", () => {
    const head = BASE.replace(
      "replicas: 4",
      "replicas: 4\n  strategy: {rollingUpdate: {maxSurge: 0, maxUnavailable: 0}}",
    ).replace('"a"', '"b"');
    const lines = markdown(planned(BASE, head))
      .split("\n")
      .filter((line) => line.startsWith("<details"));
    assert.match(
      lines[0] ?? "",
      /^<details open><summary>🔴 <b>fails<\/b> <code>Deployment<\/code> <code>default\/api<\/code>/u,
    );
    assert.match(
      lines[1] ?? "",
      /^<details><summary>🟢 <b>safe<\/b> <code>Deployment<\/code> <code>default\/web<\/code>/u,
    );
  });
  it("opens with whether to ship it", () => {
    const lines = (head: string): string[] => markdown(planned(BASE, head)).split("\n");
    assert.equal(lines(BASE)[1], "### ✅ Nothing changes");
    assert.equal(
      lines(BASE.replace("image: app:1", "image: app:2"))[1],
      "### ✅ Ship it: 1 workload rolls, and none has fewer pods meanwhile",
    );
    assert.equal(
      lines(HEAD.replaceAll("extensions/v1beta1", "apps/v1"))[1],
      "### ⚠️ Look at it first: 1 workload has fewer pods for a while",
    );
    assert.equal(lines(HEAD)[1], "### 🛑 Don't ship it: 2 workloads fail to apply");
  });
  it("says that nothing rolls", () =>
    assert.match(markdown(planned(BASE, BASE)), /\nRollout plan · None of 2 workloads rolls\.\n$/u));
});

describe("texts from manifests", () => {
  const HOSTILE =
    "x\u001b]0;owned\u0007</code><script>alert(1)</script>\n\n# @octocat #1 [a](http://evil.example) `b` | ![c](d) \u202e www.evil.example ::error::x ::error::x ::error::x ::error::x ::error::x ::error::x";
  const quoted = JSON.stringify(HOSTILE);
  const base = `apiVersion: v1
kind: ConfigMap
metadata: {name: ${quoted}}
data: {${quoted}: a}
---
apiVersion: apps/v1
kind: Deployment
metadata: {name: ${quoted}, namespace: ${quoted}}
spec: {strategy: {type: RollingUpdate}, template: {metadata: {annotations: {${quoted}: a}}, spec: {containers: [{name: ${quoted}, image: ${quoted}, envFrom: [{configMapRef: {name: ${quoted}}}]}]}}}
---
apiVersion: apps/v1
kind: StatefulSet
metadata: {name: ${quoted}}
spec: {updateStrategy: {type: ${quoted}}, serviceName: ${quoted}, template: {spec: {containers: [{name: a, envFrom: [{configMapRef: {name: ${quoted}}}]}]}}}
`;
  const head = base
    .replaceAll(": a}", ": b}")
    .replace("serviceName: ", "podManagementPolicy: Parallel, serviceName: ")
    .replace("image: ", "tty: true, image: ");
  // Made by each test: what runs while tests are collected, mutation testing takes for part of every test.
  const report = (): PlanReport => planned(base, head, { showValues: true, all: true });

  it("stand in the plan", () =>
    assert.deepEqual(
      actions(report()).map((row) => row.split(" ")[0]),
      ["Fail", "Roll"],
    ));
  it("reach a terminal without control characters and direction marks", () => {
    for (const output of [text(report()), planJson(report())]) {
      assert.ok(output.includes("octocat"));
      assert.doesNotMatch(output.replaceAll("\n", ""), /[\p{Cc}\u202a-\u202e]/u);
      assert.doesNotMatch(output, /^\s*::/mu);
    }
    assert.equal(JSON.parse(planJson(report())).workloads[1].name, HOSTILE);
  });
  it("bring no markup, link, mention or issue into a comment", () => {
    const comment = markdown(report());
    assert.ok(comment.includes("octocat"));
    assert.doesNotMatch(comment, /<script|<\/code><script|@octocat|[^&]#1\b|\]\(|http:\/\/|`b`|www\.evil|^# @/mu);
    assert.doesNotMatch(comment.replaceAll("\n", ""), /[\p{Cc}\u202a-\u202e]/u);
    // Every tag is one of ours.
    const tags = new Set([...comment.matchAll(/<\/?([a-z!-]+)/gu)].map((match) => match[1]));
    assert.deepEqual(
      [...tags].sort(),
      ["!--", "b", "br", "code", "details", "li", "pre", "summary", "ul"].filter((tag) => tags.has(tag)),
    );
  });
});

describe("findings that were there before", () => {
  const bare = (name: string, image: string, more = ""): string =>
    deployment(name, "env").replace("image: app:1", `image: ${image}\n          imagePullPolicy: IfNotPresent${more}`);
  const side = (names: readonly string[], more = ""): string =>
    [configMap("env", "a"), ...names.map((name) => bare(name, "app:latest"))].join("---\n") + more;
  const base = side(["a", "b", "c"]);
  const head = side(["a", "b", "c"], `---\n${bare("d", "app:latest")}`);
  const html = (report: PlanReport): string => planHtml(report, { title: "Rollout plan" });
  const forms = { text, markdown, html };
  for (const [form, report] of Object.entries(forms)) {
    it(`are one line of -o ${form}`, () => {
      const plan = planned(base, head);
      assert.equal(plan.findingsBefore, 3);
      const told = report(plan);
      assert.match(told, /(?:^|>)3 findings that were there before(?:<|$)/mu);
      assert.equal(told.match(/warning RS003/gu)?.length, 1, "of the one that comes");
      assert.doesNotMatch(told, /\(there before\)/u);
    });
    it(`are listed with --all in -o ${form}, and marked`, () => {
      const told = report(planned(base, head, { all: true }));
      const marked = told.match(/RS003 \(there before\)(?:, (\d+) findings)?/gu);
      assert.deepEqual(marked, ["RS003 (there before), 3 findings"]);
      for (const name of ["a", "b", "c"]) assert.match(told, new RegExp(`Deployment ${name}: container app`, "u"));
      assert.match(told, /3 findings that were there before/u);
    });
    it(`are one, or no line, of -o ${form}`, () => {
      assert.match(report(planned(side(["a"]), side(["a"]))), /(?:^|>)1 finding that was there before(?:<|$)/mu);
      assert.doesNotMatch(report(planned("", side(["a"]))), /there before/u);
    });
  }
  it("are a number in JSON", () => {
    const json: unknown = JSON.parse(planJson(planned(base, head)));
    assert.ok(typeof json === "object" && json !== null && "findingsBefore" in json);
    assert.equal(json.findingsBefore, 3);
  });
  it("leave room for the workloads: of findings of other objects a report shows fifty, the worst first", () => {
    const loose = Array.from({ length: 70 }, (_, i) => configMap(`loose-${i}`, "a"));
    const budget =
      "apiVersion: policy/v1\nkind: PodDisruptionBudget\nmetadata: {name: all}\nspec: {maxUnavailable: 0, selector: {matchLabels: {app: a}}}\n";
    const report = planned(base, [base, ...loose, budget].join("---\n"));
    assert.equal(report.findings.length, 71);
    assert.deepEqual([report.findings[0]?.id, report.findings[1]?.id], ["RS018", "RS012"]);
    assert.match(text(report), /^…and 60 more findings: plan -o json lists them all$/mu);
    assert.equal(text(report).match(/^ {2}.*loose-\d+/gmu)?.length, 10);
    assert.equal(planText(report, { color: false, all: true }).match(/^ {2}.*loose-\d+/gmu)?.length, 70);
    assert.match(markdown(report), /^ {2}- and 65 more$/mu);
    assert.match(html(report), /<li>and 21 more<\/li>/u);
    assert.equal(html(report).match(/ RS012</gu)?.length, 49);
  });
});
