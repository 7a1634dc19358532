import { plainText } from "../../src/output/document/blocks.ts";
import assert from "node:assert/strict";
import { describe, it } from "node:test";
import fc from "fast-check";
import type { PlanReport } from "../../src/reports/plan/plan-report.ts";
import type { Action, PlannedObject, PlannedWorkload } from "../../src/reports/plan/planned-workload.ts";
import type { PlannedApplication } from "../../src/reports/plan/planned-application.ts";
import { LONGEST_COMMENT } from "../../src/output/document/markdown.ts";
import { strategyWords } from "../../src/output/strategy-words.ts";
import type { Caveat } from "../../src/kubernetes/rollout/caveats.ts";
import type { Safety } from "../../src/kubernetes/rollout/safety.ts";
import { changed, immutable, reportOf, unused, workload } from "./plan-workloads.ts";
import { planSummary } from "../../src/output/plan-summary.ts";
import { verdictText } from "../../src/output/plan-verdict.ts";
import { EXAMPLES, manyWorkloads, namespaceMove } from "./plan-examples.ts";
import { codePoint } from "../support/code-point.ts";
import { planHtml, planMarkdown, planText } from "../support/plan-reports.ts";

// What a person sees of plans of any size: what is dangerous is on the first screen, and what is cut is counted. What the
// sentences are is in the snapshots of the examples.

const screen = (printed: string): string => printed.split("\n").slice(0, 24).join("\n");
const many = (n: number, given: (i: number) => Partial<PlannedWorkload>): PlannedWorkload[] =>
  Array.from({ length: n }, (_, i) => workload(`app-${String(i).padStart(4, "0")}`, given(i)));
const safe = (n: number): PlannedWorkload[] => many(n, () => ({ reasons: [changed("env")] }));
const lines = (text: string): number => text.trimEnd().split("\n").length;
const PARAMETERS = { numRuns: Number(process.env["FC_RUNS"] ?? 70), seed: Number(process.env["FC_SEED"] ?? 20261122) };

describe("a plan of any size", () => {
  const ONES: readonly (readonly [string, Partial<PlannedWorkload>, RegExp, RegExp])[] = [
    ["an outage", { safety: "Outage" }, /^OUTAGE {6}Deployment default\/zz: /mu, /🟡 \*\*Outage\*\*: .*default\/zz/u],
    [
      "what may stick",
      { safety: "MayStick" },
      /^MAY STICK {3}Deployment default\/zz: /mu,
      /🔴 \*\*May stick\*\*: .*zz/u,
    ],
    ["what waits", { safety: "Waits" }, /^WAITS {7}Deployment default\/zz: /mu, /🟡 \*\*Waits\*\*: .*zz/u],
    [
      "what is refused",
      { action: "Fail", safety: "Unknown" },
      /^REFUSED {5}Deployment default\/zz: /mu,
      /🔴 \*\*Refused\*\*: .*zz/u,
    ],
    [
      "what has no effect until somebody acts",
      { action: "NoEffect", next: { id: "rollout", text: "Resume it." } },
      /^NO EFFECT {3}Deployment default\/zz\n {12}Next: resume it$/mu,
      /🟡 \*\*No effect\*\*: .*zz/u,
    ],
  ];
  const findings = Array.from({ length: 5000 }, (_, i) => unused(`loose-${i}`));
  for (const [name, given, inText, inMarkdown] of ONES) {
    it(`shows ${name} among 1,000 workloads and 5,000 findings on the first screen`, async () => {
      const report = reportOf([...safe(999), workload("zz", { ...given, reasons: [changed("env")] })], { findings });
      assert.match(screen(await planText(report)), inText);
      assert.match(screen(planMarkdown(report)), inMarkdown);
    });
  }
  it("names 12 of a kind that rolls for one cause, and all of them with --all", async () => {
    const printed = await planText(reportOf(safe(300)));
    assert.equal(printed.match(/app-\d+/gu)?.length, 13, "12, and one in the verdict");
    assert.match(printed, /^ {12}and 288 more workloads \(--all shows them\)$/mu);
    assert.equal((await planText(reportOf(safe(300)), { all: true })).match(/app-\d+/gu)?.length, 301);
    assert.equal(planHtml(reportOf(safe(300))).match(/app-\d+/gu)?.length, 302, "the title of the page has one, too");
  });
  it("has 20 rows of what is routine, and says how many others there are", async () => {
    const printed = await planText(reportOf(many(51, (i) => ({ reasons: [changed(`c-${i}`)] }))));
    assert.equal(printed.match(/^ROLLS /gmu)?.length, 20);
    assert.match(printed, /^ {12}and 31 more causes \(31 workloads\)$/mu);
  });
  it("has 10 rows of other objects, and says how many others there are", async () => {
    const objects = Array.from({ length: 15 }, (_, i): PlannedObject => ({
      apiVersion: "v1",
      kind: "Service",
      namespace: "shop",
      name: `s-${i}`,
      change: "Change",
      fields: [{ path: `spec.x${i}`, from: 1, to: 2 }],
    }));
    const report = reportOf(safe(1));
    const printed = await planText({ ...report, objects, summary: { ...report.summary, otherObjects: 300 } });
    assert.equal(printed.match(/^OTHER {5}~ /gmu)?.length, 10);
    assert.match(printed, /^ {12}and 5 more objects$/mu);
    assert.match(printed, /^OTHER {7}285 more objects: /mu);
  });
  it("has at most 60 lines for 1,200 risky workloads of one cause", async () => {
    const report = reportOf(
      many(1200, (i) => ({
        name: `app-${i % 100}`,
        application: `apps/${Math.floor(i / 100)}`,
        safety: "Outage",
        reasons: [changed("env")],
      })),
    );
    const applications = Array.from({ length: 12 }, (_, i): PlannedApplication => ({
      name: `apps/${i}`,
      path: `apps/${i}`,
      kind: "Kustomize",
      stampedBy: "Files",
      status: "Changed",
    }));
    const printed = await planText({ ...report, applications });
    assert.ok(lines(printed) <= 60, printed);
    for (let i = 0; i < 100; i++) assert.match(printed, new RegExp(`\\bapp-${i}\\b`, "u"));
    assert.ok(lines(await planText(manyWorkloads())) <= 60);
  });
  it("names every workload that needs attention", async () => {
    const all = many(3000, (i) => ({ safety: "Outage", reasons: [changed(`c-${i}`)] }));
    assert.equal((await planText(reportOf(all))).match(/^OUTAGE /gmu)?.length, 3000);
  });
  it("has limits, and errors of objects without a row, before less urgent rows", async () => {
    const errors = Array.from({ length: 100 }, (_, i) => immutable(`e${i}`));
    const report = reportOf([workload("o", { safety: "MayStick" }), workload("r", { safety: "Reduced" }), ...safe(9)], {
      findings: errors,
      exceeded: [{ limit: "maxWorkloads", actual: 3, allowed: 2 }],
    });
    for (const printed of [await planText(report), planMarkdown(report)]) {
      const [, rows = ""] = /\n\n([\s\S]*)$/u.exec(printed) ?? [];
      const places = [/default\/e0\b/u, /default\/e99\b/u, /--max-workloads/u, /default\/o\b/u, /default\/r\b/u].map(
        (one) => rows.search(one),
      );
      assert.deepEqual(
        places,
        places.toSorted((a, b) => a - b),
        printed,
      );
      assert.ok(
        places.every((place) => place >= 0),
        printed,
      );
    }
  });
  it("wraps at 100 columns where there is no terminal, and breaks no name", async () => {
    const name = "a-deployment-with-a-name-that-takes-up-a-lot-of-room-".repeat(3);
    const report = reportOf([
      ...many(30, () => ({ reasons: [changed("env")] })),
      workload(`${name}x`, { reasons: [changed("env")], namespace: "shop" }),
    ]);
    for (const [options, most] of [
      [{}, 100],
      [{ columns: 60 }, 60],
    ] as const) {
      const printed = await planText(report, { ...options, all: true });
      const long = printed.split("\n").filter((line) => line.length > most);
      assert.ok(
        long.every((line) => line.includes(name)),
        long.join("\n"),
      );
      assert.ok(printed.includes(`shop/${name}x`));
    }
  });
});

describe("a failed application", () => {
  const failed = (name: string, message: string, more: Partial<PlannedApplication> = {}): PlannedApplication => ({
    name,
    path: name,
    kind: "Kustomize",
    stampedBy: "Nothing",
    status: "Failed",
    message,
    ...more,
  });
  const report = (...applications: readonly PlannedApplication[]): PlanReport => ({ ...reportOf([]), applications });

  it("is in one row with those that fail for the same reason, which is the last line of the tool, cut in the middle", async () => {
    const why = `first line\n${"kustomize is not on PATH ".repeat(20)}the reason`;
    const plan = report(failed("a", why), failed("b", why), failed("d", "no such file"));
    for (const printed of [await planText(plan), planMarkdown(plan), planHtml(plan)]) {
      assert.doesNotMatch(printed, /first line/u);
      assert.equal(printed.match(/no such file/gu)?.length, 1, printed);
      assert.match(printed, /not on PATH[^…]*…[^…]*the reason/u);
    }
    assert.match(await planText(plan), /^FAILED {6}a, b: cannot be rendered$/mu);
  });
  it("that needs another chart is in the same row", async () => {
    const missing = ["x 1.0.0", "y 1.0.0"].map((chart) =>
      failed(chart, `its chart is not in the repository: ${chart}.`, { missing: chart }),
    );
    assert.match(
      await planText(report(...missing)),
      /^ +its chart is not in the repository: x 1\.0\.0, y 1\.0\.0\.$/mu,
    );
  });
  it("is in a row with what is unknown if only the base fails", async () => {
    const plan = report(failed("a", "why"), failed("b", "why", { baseFailed: true }));
    assert.match(
      await planText(plan),
      /^FAILED {6}a: cannot be rendered\n[^]*^FAILED {6}b: cannot be rendered in BASE, so what this change rolls is unknown$/mu,
    );
  });
  it("is below all rows if it failed before", async () => {
    const before = failed("old", "no such file", { failedBefore: true });
    const printed = await planText({ ...reportOf(safe(1)), applications: [before, failed("new", "why")] });
    assert.match(printed, /^FAILED {6}new[^]*^ROLLS [^]*^FAILED {6}old: cannot be rendered in both revisions$/mu);
  });
});

describe("how a workload rolls", () => {
  const strategy = {
    type: "RollingUpdate",
    replicas: 2,
    maxSurge: 1,
    maxUnavailable: 0,
    minAvailable: 2,
    maxTotal: 3,
  };
  const unprobed: Caveat = {
    id: "RS016",
    cause: "noProbe",
    params: { workload: { apiVersion: "apps/v1", kind: "Deployment", name: "web" }, services: [] },
  };
  const words = (given: Partial<PlannedWorkload>): string =>
    plainText(strategyWords(workload("web", { pods: 2, strategy, ...given })) ?? []);
  it("has the range of what scales it, and no maximum", () =>
    assert.equal(words({ podsAtMost: 9 }), "RollingUpdate, 2 to 9 pods: at least 2 available"));
  it("says started if nothing else is known", async () => {
    assert.equal(words({ caveats: [unprobed] }), "RollingUpdate, 2 pods: at least 2 started, at most 3 in all");
    assert.match(
      await planText(reportOf([workload("web", { pods: 2, strategy, caveats: [unprobed] })])),
      /2 of 2 pods started/u,
    );
  });
  it("says that it can stop", () =>
    assert.equal(
      words({ safety: "MayStick" }),
      "RollingUpdate, 2 pods: at least 2 available, at most 3 in all, and it can stop there",
    ));
  it("says in a risky row what makes its numbers uncertain, before what to do", async () => {
    const caveats: readonly Caveat[] = [{ id: "analysis", params: {} }];
    const waits = workload("web", { safety: "Waits", strategy, caveats, next: { id: "promote", because: "waits" } });
    assert.match(await planText(reportOf([waits])), /^ {12}But: an analysis .*\n {12}Next: promote it/mu);
    assert.doesNotMatch(await planText(reportOf([{ ...waits, safety: "Safe" }])), /analysis/u);
  });
});

describe("a comment", () => {
  const room = (comment: string): number => LONGEST_COMMENT - Buffer.byteLength(comment);
  const last = (comment: string): string => comment.trimEnd().split("\n").at(-1) ?? "";

  it("names all of 300 outages of other causes, and leaves out nothing else before it has to", () => {
    const comment = planMarkdown(
      reportOf([
        ...safe(500),
        ...many(300, (i) => ({ name: `out-${i}`, safety: "MayStick", reasons: [changed(`c-${i}`)] })),
      ]),
    );
    assert.ok(room(comment) >= 0);
    assert.equal(comment.match(/out-\d+`/gu)?.length, 301);
    assert.doesNotMatch(comment, /Not shown/u);
    assert.match(comment, /\*\*Rolls\*\*, 500 workloads/u);
  });
  it("leaves out names of routine rows first", () => {
    const name = (i: number): string => `${"long-".repeat(30)}${i}`;
    const report = reportOf([
      ...many(600, (i) => ({ name: name(i), reasons: [changed("env")] })),
      ...many(40, (i) => ({ name: `out-${i}`, safety: "MayStick", reasons: [changed("env")] })),
    ]);
    const comment = planMarkdown(report);
    assert.ok(room(comment) >= 0);
    assert.match(comment, /and 588 more names/u);
    assert.equal(new Set(comment.match(/out-\d+/gu)).size, 40);
    assert.doesNotMatch(comment, /Not shown/u);
  });
  it("leaves out routine rows next, and says how many workloads of which cause", () => {
    const report = reportOf([
      ...many(4000, (i) => ({ reasons: [changed(`config-map-${i % 2000}`)] })),
      workload("zz", { safety: "MayStick", reasons: [changed("env")] }),
    ]);
    const run = "https://github.com/acme/shop/actions/runs/7";
    const compared = {
      repository: "acme/shop",
      range: "a..b",
      base: { ref: "a", commit: "1" },
      head: { ref: "b", commit: "2" },
      links: { repository: "https://github.com/acme/shop", compare: "https://github.com/acme/shop/compare/1..2", run },
    } as const;
    const comment = planMarkdown({ ...report, compared });
    assert.ok(room(comment) >= 0);
    assert.match(comment, /default\/zz/u);
    const [, left, causes] =
      /^Not shown: ([\d,]+) workloads \(ConfigMap `default\/config-map-\d+`: 2 workloads, .*, ([\d,]+) more causes\)\. \[The run has all of them\]\(https:/u.exec(
        last(comment),
      ) ?? [];
    const shown = comment.match(/\*\*Rolls\*\*: /gu)?.length ?? 0;
    assert.deepEqual(
      [Number(left?.replace(",", "")) + 2 * shown, Number(causes?.replace(",", "")) + 3 + shown],
      [4000, 2000],
    );
    assert.ok(last(comment).includes(`(${run})`));
  });
  it("counts what it can't hold of risky rows at last", () => {
    const comment = planMarkdown(
      reportOf([...safe(10), ...many(3000, (i) => ({ safety: "MayStick", reasons: [changed(`c-${i}`)] }))]),
    );
    assert.ok(room(comment) >= 0);
    const named = comment.match(/🔴 \*\*May stick\*\*/gu)?.length ?? 0;
    assert.ok(named > 200, String(named));
    const [, left = ""] = /^Not shown: ([\d,]+) workloads/u.exec(last(comment)) ?? [];
    assert.equal(named + Number(left.replace(",", "")), 3010);
  });
  it("is no longer than GitHub takes, and all that it doesn't name is counted", () => {
    const name = fc.oneof(
      { weight: 8, arbitrary: fc.stringMatching(/^[a-z0-9-]{1,63}$/u) },
      fc.string({ unit: codePoint, maxLength: 300 }),
      fc.constantFrom("<".repeat(3000), "😀".repeat(20_000), "`[a](b)|".repeat(99)),
    );
    const given = fc.record({
      name,
      kind: fc.oneof({ weight: 8, arbitrary: fc.constantFrom("Deployment", "StatefulSet") }, name),
      action: fc.constantFrom<Action[]>(
        "Roll",
        "Roll",
        "Fail",
        "NextRun",
        "NoEffect",
        "Create",
        "Delete",
        "Reload",
        "Stale",
      ),
      safety: fc.constantFrom<Safety[]>("Safe", "Safe", "Outage", "MayStick", "Waits", "Reduced", "Unknown"),
      reasons: fc.array(name.map(changed), { maxLength: 3 }),
      next: fc.option(name, { nil: undefined }),
    });
    const plans = fc.tuple(fc.array(given, { maxLength: 40 }), fc.constantFrom(1, 1, 20, 200), name);
    fc.assert(
      fc.property(plans, ([rows, times, message]) => {
        const workloads = Array.from({ length: times }).flatMap((_, i) =>
          rows.map(({ next, ...row }, at) =>
            workload("", {
              ...row,
              name: `${row.name}-${i}-${at}`,
              ...(next === undefined ? {} : { next: { id: "rollout", text: next } }),
            }),
          ),
        );
        const comment = planMarkdown(reportOf(workloads, { findings: [unused(message)] }));
        assert.ok(room(comment) >= 0, String(room(comment)));
        assert.equal(comment.match(/<details/gu)?.length, comment.match(/<\/details>/gu)?.length);
        assert.match(comment, /\*\*Plan:\*\* /u);
      }),
      { ...PARAMETERS, numRuns: Math.ceil(PARAMETERS.numRuns / 4) },
    );
  });
});

describe("the row of what is created", () => {
  it("says how many pods each workload has", async () => {
    const created = (name: string): PlannedWorkload =>
      workload(name, {
        action: "Create",
        pods: 0,
        strategy: { type: "RollingUpdate", replicas: 2, maxSurge: 1, maxUnavailable: 0, minAvailable: 2, maxTotal: 3 },
      });
    const rows = async (workloads: readonly PlannedWorkload[]): Promise<string> =>
      /^CREATED.*$/mu.exec(await planText(reportOf(workloads), { columns: 200 }))?.[0] ?? "";
    assert.match(await rows([created("a")]), /: 2 pods$/u);
    assert.match(await rows([created("a"), created("b")]), /: 2 pods each$/u);
  });
});

describe("how to stamp what is stale", () => {
  const application = (given: Partial<PlannedApplication>): PlannedApplication => ({
    name: "apps/web",
    path: "apps/web",
    kind: "Kustomize",
    status: "Changed",
    stampedBy: "Nothing",
    ...given,
  });
  const ROWS: readonly (readonly [Partial<PlannedApplication>, string])[] = [
    [{ foundBy: "Kustomization" }, "rollstamp init kustomize apps/web"],
    [{ foundBy: "Kustomization", path: "$(id)" }, "rollstamp init kustomize '$(id)'"],
    [{ foundBy: "Kustomization", path: "--help" }, "rollstamp init kustomize ./--help"],
    [
      { foundBy: "Chart", kind: "Helm" },
      "rollstamp init helm apps/web, or --stamped-by PostRenderer if its releases are stamped",
    ],
    [{ foundBy: "Application", definedIn: ["argo/web.yaml"] }, "rollstamp init argocd argo"],
    [{ foundBy: "ApplicationSet", kind: "Helm", definedIn: ["web.yaml"] }, "rollstamp init argocd"],
    [{ foundBy: "Application", kind: "Files", definedIn: ["argo/web.yaml"] }, "rollstamp stamp apps/web"],
    [{ foundBy: "FluxKustomization" }, "rollstamp init flux apps/web"],
    [{ foundBy: "HelmRelease", kind: "Helm", definedIn: ["flux/web.yaml"] }, "rollstamp init flux flux"],
  ];
  const fixes = async (applications: readonly PlannedApplication[]): Promise<string[]> => {
    const workloads = applications.map(({ name }) =>
      workload("web", { action: "Stale", application: name, reasons: [changed("env")] }),
    );
    const printed = await planText({ ...reportOf(workloads), applications }, { columns: 1000 });
    return [...printed.matchAll(/^ {12}Fix: (.*) \(RS025\)$/gmu)].map(([, fix = ""]) => fix);
  };
  for (const [given, fix] of ROWS)
    it(`follows how the application was found: ${given.foundBy}, ${given.kind ?? "Kustomize"}`, async () =>
      assert.deepEqual(await fixes([application(given)]), [fix]));

  it("is one for all that are set up in one place", async () => {
    const ofArgo = (name: string, file: string): PlannedApplication =>
      application({ name, path: `apps/${name}`, foundBy: "Application", definedIn: [file] });
    assert.deepEqual(
      await fixes([ofArgo("a", "argo/a.yaml"), ofArgo("b", "argo/b.yaml"), ofArgo("c", "more/c.yaml")]),
      ["rollstamp init argocd argo, and the same for more"],
    );
  });
});

describe("the first line", () => {
  const plain = (markup: string): string =>
    markup
      .replace(/<span class="mark"[^]*?<\/span>/u, "")
      .replace(/<[^>]*>/gu, "")
      .replaceAll("&amp;", "&")
      .replaceAll("&lt;", "<")
      .replaceAll("&gt;", ">")
      .replaceAll("\u00ad", "")
      .trim();
  const REPORTS: readonly (readonly [string, () => PlanReport])[] = [
    ...EXAMPLES,
    ["held alone", () => reportOf([workload("a", { held: "Suspended" })])],
    ["orphans alone", () => ({ ...reportOf([workload("a", { orphan: true })]) })],
    ["a name that is markup", () => reportOf([workload("a<b>&`c`*d*_e_", { namespace: "x&y" })])],
    ["as if stamped", () => ({ ...reportOf(safe(2)), as: "stamped" })],
  ];
  for (const [what, made] of REPORTS)
    it(`is the same in every form: ${what}`, async () => {
      const report = made();
      const expected = verdictText(report);
      assert.ok(expected.length <= 140);
      const [text = ""] = (await planText(report, { columns: 400 })).split("\n");
      const [, markdown = ""] = /^### \S+ (.*)$/mu.exec(planMarkdown(report)) ?? [];
      const [, html = ""] = /<h1 class="verdict[^>]*>([^]*?)<\/h1>/u.exec(planHtml(report)) ?? [];
      const summary: { verdict: { text: string } | null } = JSON.parse(
        planSummary(report, { status: 0, error: undefined }),
      );
      assert.equal(text, expected);
      assert.equal(plain(html), expected);
      assert.equal(summary.verdict?.text ?? expected, expected);
      // Names are code in Markdown; see the tests of its words for how they are escaped.
      if (!expected.includes("`")) assert.equal(markdown.replaceAll("`", ""), expected);
    });

  const WHEN = [
    ["when it is synced", { held: "Manual" }],
    ["when v1.2.3 contains the change", { held: "Manual", pinnedTo: "v1.2.3" }],
  ] as const;
  for (const [words, given] of WHEN)
    for (const safety of ["Safe", "Outage", "Waits"] as const)
      it(`says that something is applied ${words}, in every form and its row: ${safety}`, async () => {
        const applications: readonly PlannedApplication[] = [
          { name: "web", path: "web", kind: "Kustomize", stampedBy: "Files", status: "Changed", ...given },
        ];
        const workloads = [workload("a", { application: "web", safety, reasons: [changed("env")] })];
        const report: PlanReport = { ...reportOf(workloads), applications };
        const said = (printed: string): number =>
          plain(printed).replaceAll("`", "").replaceAll(/\s+/gu, " ").split(words).length - 1;
        assert.equal(said(planSummary(report, { status: 0, error: undefined })), 1);
        for (const printed of [await planText(report), planMarkdown(report), planHtml(report)])
          assert.equal(said(printed), 2 + Number(printed.startsWith("<!doctype")), printed);
      });
});

describe("a StatefulSet that moves to another namespace", () => {
  it("loses its data with the old Namespace, unless prune is off", async () => {
    const report = namespaceMove();
    const { namespace: from = "" } = report.workloads.find(({ movedTo }) => movedTo !== undefined) ?? {};
    const textWith = (more: Partial<PlannedObject>): Promise<string> => {
      const gone = {
        apiVersion: "v1",
        kind: "Namespace",
        namespace: "",
        name: from,
        change: "Delete",
        fields: [],
      } as const;
      return planText({ ...report, objects: [...report.objects, { ...gone, ...more }] });
    };
    assert.match(await textWith({}), /the data in shop-prod is deleted with\s+its Namespace/u);
    assert.match(await textWith({ leaves: true }), /the data stays in shop-prod/u);
    assert.match(await textWith({ name: "other" }), /the data stays in shop-prod/u);
  });
});

describe("a first stamp", () => {
  const stamped = workload("web", { reasons: [{ type: "FirstStamp" }] });
  const changing = workload("api", { reasons: [{ type: "FirstStamp" }, changed("env")] });
  const stale = workload("old", { action: "Stale", reasons: [changed("env")] });
  for (const [what, workloads, isSaid] of [
    ["alone", [stamped], true],
    ["with changed content", [changing], false],
    ["of several, one with changed content", [stamped, changing], false],
    ["where all share the changed content", [changing, stale], false],
  ] as const)
    it(`${what} is ${isSaid ? "" : "not "}said to change no content`, async () => {
      assert.equal((await planText(reportOf(workloads))).includes("no content changes"), isSaid);
    });
});

it("names a few of the applications of which Flux applies nothing", async () => {
  const names = Array.from({ length: 8 }, (_, i) => `overlays/${i}`);
  const workloads = names.map((application) => workload("web", { action: "Fail", application }));
  const applications = names.map((name): PlannedApplication => ({
    name,
    kind: "Kustomize",
    path: name,
    status: "Changed",
    stampedBy: "Files",
    foundBy: "FluxKustomization",
  }));
  const text = await planText({ ...reportOf(workloads), applications });
  assert.match(
    text.replaceAll(/\s+/gu, " "),
    /of overlays\/0, .*overlays\/4 and 3 more applications: their other changes/u,
  );
});
