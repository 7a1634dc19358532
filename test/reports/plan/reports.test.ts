import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { describe, it } from "node:test";
import { planJson, type PlanJson } from "../../../src/output/plan-json.ts";
import type { PlanReport } from "../../../src/reports/plan/plan-report.ts";
import { cli } from "../../support/cli.ts";
import { inFolder } from "../../support/folders.ts";
import { configMap, deployment } from "../../support/manifests.ts";
import { inRoot } from "../../support/paths.ts";
import { commentMarker } from "../../../src/output/document/markdown.ts";
import { actions, assertSchema, planned } from "./planned.ts";
import { planHtml, planMarkdown, planText } from "../../support/plan-reports.ts";

const BASE = [
  configMap("env", "a"),
  deployment("web", "env"),
  deployment("api", "env").replace("spec:\n", "spec:\n  replicas: 4\n"),
]
  .join("---\n")
  .replaceAll("image: app:1", "image: app:1\n          ports: [{containerPort: 80}]");
const HEAD = BASE.replace('"a"', '"b"')
  .replace("image: app:1", "image: app:2")
  .replaceAll("apps/v1", "extensions/v1beta1");

const text = (report: PlanReport): Promise<string> => planText(report);
const markdown = (report: PlanReport): string => planMarkdown(report);

describe("plan -o text", () => {
  it("begins with the verdict, then which workloads, how and why, the riskiest first", async () => {
    const head = BASE.replace('"a"', '"b"')
      .replace("image: app:1", "image: app:2")
      .replace("replicas: 4\n", "replicas: 4\n  strategy: {type: Recreate}\n");
    const printed = await text(planned(BASE, head));
    const lines = [
      /^As if stamped: Do not merge: .*default\/api/u,
      /^Cause: /mu,
      /^OUTAGE +Deployment default\/api: /mu,
      /^ROLLS +Deployment default\/web: /mu,
      /^Plan: 2 roll /mu,
    ];
    const places = lines.map((line) => printed.search(line));
    assert.deepEqual(
      places,
      places.toSorted((a, b) => a - b),
      printed,
    );
    assert.ok(!places.includes(-1), printed);
  });
  it("says that a quota refuses new pods, also where neither sets a namespace", async () => {
    const quota = "apiVersion: v1\nkind: ResourceQuota\nmetadata: {name: small}\nspec: {hard: {pods: 1}}\n";
    const printed = await text(planned(BASE, [BASE.replace("image: app:1", "image: app:2"), quota].join("---\n")));
    assert.match(printed, /ResourceQuota small refuses new pods/u);
  });
  it("says that a LimitRange refuses new pods", async () => {
    const range =
      "apiVersion: v1\nkind: LimitRange\nmetadata: {name: r}\nspec: {limits: [{type: Container, max: {cpu: 1}}]}\n";
    const head = BASE.replace("image: app:1", "image: app:1\n          resources: {limits: {cpu: 2}}");
    const printed = await text(planned([BASE, range].join("---\n"), [head, range].join("---\n")));
    assert.match(printed, /;\s+LimitRange\s+r\s+refuses\s+new\s+pods\n/u);
  });
  it("has a verdict in one line, so that programs find it", async () => {
    const long = HEAD.replaceAll("web", "a-deployment-with-a-name-that-takes-up-some-room");
    const [first = ""] = (await text(planned(long.replace('"b"', '"a"'), long))).split("\n");
    assert.match(first, /has no pod while it rolls$/u);
    assert.ok(first.length > 100 && first.length <= 140, first);
  });

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
  it("is colored on a terminal, unless NO_COLOR is set", async () => {
    assert.equal(await colored([], {}, true), true);
    assert.equal(await colored([], {}, false), false);
    assert.equal(await colored([], { NO_COLOR: "1" }, true), false);
    assert.equal(await colored([], { NO_COLOR: "" }, true), true);
    assert.equal(await colored([], { TERM: "dumb" }, true), false);
  });
  it("is colored as --color says", async () => {
    assert.equal(await colored(["--color", "always"], { NO_COLOR: "1" }, false), true);
    assert.equal(await colored(["--color", "never"], {}, true), false);
  });
});

describe("plan -o json", () => {
  it("is what docs/reference/plan.md shows", () => {
    const shown = /```json\n([^`]*)```/u.exec(readFileSync(inRoot("docs/reference/plan.md"), "utf8"))?.[1] ?? "";
    assertSchema(shown);
    const example = planned(BASE, BASE.replace('"a"', '"b"').replace("image: app:1", "image: app:2"));
    const keys = (report: PlanJson): string[][] =>
      [report, report.summary, report.workloads.at(-1) ?? {}].map((object) => Object.keys(object).sort());
    assert.deepEqual(keys(JSON.parse(shown)), keys(JSON.parse(planJson(example))));
  });
});

describe("plan -o markdown", () => {
  it("begins with the marker that identifies its comment", () => {
    assert.equal(markdown(planned(BASE, HEAD)).split("\n")[0], "<!-- rollstamp plan: Rollout plan -->");
    assert.equal(commentMarker("plan", "prod -->"), "<!-- rollstamp plan: prod ___ -->");
    assert.notEqual(commentMarker("plan", "overlays/prod"), commentMarker("plan", "overlays/test"));
  });
  it("shows refused changes, and folds the rest", () => {
    const head = BASE.replace(
      "replicas: 4",
      "replicas: 4\n  strategy: {rollingUpdate: {maxSurge: 0, maxUnavailable: 0}}",
    ).replace('"a"', '"b"');
    const others = ["x", "y", "z"].map((name) =>
      deployment(name, `${name}-env`).replace("image: app:1", `image: ${name}:1`),
    );
    const more = ["---", ...others].join("\n---\n").slice(4);
    const comment = markdown(planned(`${BASE}---\n${more}`, `${head}---\n${more.replaceAll(":1\n", ":2\n")}`));
    assert.match(comment, /^- 🔴 \*\*Refused\*\*: Deployment `default\/api`: /mu);
    assert.match(comment, /^<details><summary>🟢 <b>Rolls<\/b>: 4 workloads, 4 pods<\/summary>$/mu);
  });
  it("begins with the verdict, then the sign of its level", () => {
    const second = (head: string): string => markdown(planned(BASE, head)).split("\n")[1] ?? "";
    assert.equal(second(BASE), "### ✅ As if stamped: Safe to merge: no rollouts");
    assert.match(
      second(BASE.replace("image: app:1", "image: app:2")),
      /^### ✅ As if stamped: Safe to merge: Deployment `/u,
    );
    const half = BASE.replace("replicas: 4", "replicas: 4\n  strategy: {rollingUpdate: {maxUnavailable: 50%}}");
    assert.match(
      markdown(planned(half, half.replace('"a"', '"b"'))),
      /^.*\n### ⚠️ As if stamped: Review first: Deployment `/u,
    );
    assert.match(second(HEAD), /^### 🛑 As if stamped: Do not merge: Deployment `/u);
  });
  it("says that nothing rolls", () =>
    assert.match(markdown(planned(BASE, BASE)), /\n\*\*Plan:\*\* no rollouts\. 2 workloads checked\.\n$/u));
});

describe("texts from manifests", () => {
  const HOSTILE =
    "x\u001b]0;owned\u0007</code><script>alert(1)</script>\n\n# @octocat #1 GH-1 [a](http://evil.example) `b` | ![c](d) \u202e www.evil.example ::error::x ::error::x ::error::x ::error::x ::error::x ::error::x";
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

  it("are in the plan", () =>
    assert.deepEqual(
      actions(report()).map((row) => row.split(" ")[0]),
      ["Fail", "Roll"],
    ));
  it("reach a terminal without control characters and direction marks", async () => {
    for (const output of [await text(report()), planJson(report())]) {
      assert.ok(output.includes("octocat"));
      assert.doesNotMatch(output.replaceAll("\n", ""), /[\p{Cc}\u202a-\u202e]/u);
      assert.doesNotMatch(output, /^\s*::/mu);
    }
    assert.equal(JSON.parse(planJson(report())).workloads[1].name, HOSTILE);
  });
  it("add no markup, link, mention or issue reference to a comment", () => {
    // The pages of rules are the only links.
    const comment = markdown(report()).replaceAll(/\]\(https:\/\/github\.com\/rollstamp\/[\w/.]+\)/gu, "]");
    assert.ok(comment.includes("octocat"));
    assert.doesNotMatch(comment, /<script|<\/code><script|@octocat|[^&]#1\b|\]\(|http:\/\/|`b` \||www\.evil|^# @/mu);
    assert.doesNotMatch(comment.replaceAll("\n", ""), /[\p{Cc}\u202a-\u202e]/u);
    // In code, GitHub makes no links.
    assert.doesNotMatch(comment.replaceAll(/<code>.*?<\/code>|`[^`]*`/gsu, ""), /GH-1/u);
    // Every tag is one of ours.
    const tags = new Set([...comment.matchAll(/<\/?([a-z!-]+)/gu)].map((match) => match[1]));
    assert.deepEqual(
      [...tags].sort(),
      ["!--", "b", "code", "details", "summary"].filter((tag) => tags.has(tag)),
    );
  });
});

describe("existing findings", () => {
  const bare = (name: string, image: string, more = ""): string =>
    deployment(name, "env").replace("image: app:1", `image: ${image}\n          imagePullPolicy: IfNotPresent${more}`);
  const side = (names: readonly string[], more = ""): string =>
    [configMap("env", "a"), ...names.map((name) => bare(name, "app:latest"))].join("---\n") + more;
  const base = side(["a", "b", "c"]);
  const head = side(["a", "b", "c"], `---\n${bare("d", "app:latest")}`);
  const html = (report: PlanReport): string => planHtml(report);
  const forms = { text, markdown, html };
  for (const [form, print] of Object.entries(forms)) {
    it(`are counted in -o ${form}`, async () => {
      const plan = planned(base, head);
      assert.equal(plan.findingsBefore, 3);
      const printed = await print(plan);
      assert.match(printed, /3 existing findings(?: \(--all shows them\))?\./u);
      assert.equal(new Set(printed.match(/container app runs/gu)).size, 1, "the new one");
      assert.doesNotMatch(printed, /\(existing\)/u);
    });
    it(`are listed with --all in -o ${form}, and marked`, async () => {
      const printed = await print(planned(base, head, { all: true }));
      assert.equal(printed.match(/\(existing\)/gu)?.length, 1);
      for (const name of ["a", "b", "c"])
        assert.match(printed.replace(/\s+/gu, " "), new RegExp(`Deployment (?:default/)?${name}: container app`, "u"));
    });
    it(`are not mentioned if there are none, in -o ${form}`, async () => {
      assert.match(await print(planned(side(["a"]), side(["a"]))), /1 existing finding\b/u);
      assert.doesNotMatch(await print(planned("", side(["a"]))), /existing/u);
    });
  }
  it("are a number in JSON", () => {
    const { findingsBefore }: PlanJson = JSON.parse(planJson(planned(base, head)));
    assert.equal(findingsBefore, 3);
  });
  it("leave room for the workloads: a report shows the first findings, the most severe first", async () => {
    const loose = Array.from({ length: 70 }, (_, i) => configMap(`loose-${i}`, "a"));
    const budget =
      "apiVersion: policy/v1\nkind: PodDisruptionBudget\nmetadata: {name: all}\nspec: {maxUnavailable: 0, selector: {matchLabels: {app: a}}}\n";
    const report = planned(base, [base, ...loose, budget].join("---\n"));
    assert.equal(report.findings.length, 71);
    assert.deepEqual([report.findings[0]?.id, report.findings[1]?.id], ["RS018", "RS012"]);
    const named = (printed: string): number | undefined => printed.match(/ConfigMap loose-\d+/gu)?.length;
    assert.match(await text(report), /^ {12}and 65 more$/mu);
    assert.equal(named(await text(report)), 5);
    assert.equal(named(await planText(report, { all: true })), 70);
    assert.match(markdown(report), /and 65 more/u);
    assert.equal(named(html(report)), 70);
  });
});
