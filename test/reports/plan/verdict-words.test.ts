import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { verdictText } from "../../../src/output/plan-verdict.ts";
import { severityOf } from "../../../src/findings/catalogue/finding.ts";
import type { ExceededLimit, UnreadFile } from "../../../src/reports/plan/plan-report.ts";
import type { PlanFinding, PlannedWorkload } from "../../../src/reports/plan/planned-workload.ts";
import type { PlannedApplication } from "../../../src/reports/plan/planned-application.ts";
import { verdictOf } from "../../../src/reports/plan/verdict.ts";
import { immutable, noPod, reportOf, unused, workload } from "../../output/plan-workloads.ts";

interface Given {
  readonly findings?: readonly PlanFinding[];
  readonly exceeded?: readonly ExceededLimit[];
  readonly applications?: readonly PlannedApplication[];
  readonly isIncomplete?: true;
  readonly unread?: readonly UnreadFile[];
}

/** What decides, and how many others lead to the same advice. */
function verdictAndText(workloads: readonly PlannedWorkload[], given: Given): [string, string] {
  const { applications, isIncomplete, unread = [], ...more } = given;
  const report = {
    ...reportOf(workloads, more),
    ...(applications === undefined ? {} : { applications }),
    unread,
    ...(isIncomplete ? { notExamined: [{ path: "a", kind: "Chart", reason: "r" }] as const } : {}),
  };
  const verdict = verdictOf(report);
  const { because, level, more: others } = verdict;
  const what = because.id === "row" ? because.row.label : because.id;
  return [`${level} ${what} +${others}`, verdictText({ ...report, verdict })];
}

const error = (name: string): PlanFinding => ({ ...unused(name), severityOverride: "error" });
const SERVED: PlannedWorkload["traffic"] = { services: ["web"], isServing: false };
const many = (given: Partial<PlannedWorkload>): PlannedWorkload[] => ["a", "b"].map((name) => workload(name, given));
const limit: ExceededLimit = { limit: "maxPods", actual: 7, allowed: 6 };
const failed = (name: string, more: Partial<PlannedApplication> = {}): PlannedApplication => ({
  name,
  path: name,
  kind: "Kustomize",
  stampedBy: "Nothing",
  status: "Failed",
  ...more,
});

const CASES: readonly (readonly [readonly PlannedWorkload[], Given, verdict: string, text: string])[] = [
  [many({}), {}, "ok rolls +1", "Safe to merge: Deployment default/a rolls (and 1 more, 2 pods)"],
  [[workload("a", { pods: 0 })], {}, "ok rolls +0", "Safe to merge: Deployment default/a rolls"],
  [
    [workload("a", { pods: 2, podsAtMost: 9, application: "prod" })],
    { applications: [failed("x", { status: "Changed" }), failed("y", { status: "Changed" })] },
    "ok rolls +0",
    "Safe to merge: prod: Deployment default/a rolls (2 to 9 pods)",
  ],
  // Risks that someone accepted are rollouts nevertheless.
  [
    [
      workload("a", { pods: 2 }),
      workload("b", { safety: "Outage", traffic: SERVED, accepted: [{ id: "RS004", reason: "at night" }] }),
    ],
    {},
    "ok rolls +1",
    "Safe to merge: Deployment default/a rolls (and 1 more, 3 pods)",
  ],
  [
    [
      workload("a", {
        pods: 3,
        lost: [{ source: { kind: "ConfigMap", namespace: "default", name: "env" }, keys: [] }],
        accepted: [{ id: "RS001", reason: "made by hand" }],
      }),
    ],
    {},
    "ok may-stick +0",
    "Safe to merge: Deployment default/a rolls (3 pods)",
  ],
  [many({ action: "NextRun", pods: 0 }), {}, "ok no-rollouts +0", "Safe to merge: no rollouts (2 workloads change)"],
  [many({ action: "None", pods: 0 }), {}, "ok no-rollouts +0", "Safe to merge: no rollouts"],
  // What is held back, or applied by nothing, does not count.
  [
    [
      workload("a", { held: "Suspended" }),
      workload("b", { held: "ChartVersion", action: "Waiting", pods: 0 }),
      workload("c", { orphan: true }),
      workload("d", { action: "NextRun", pods: 0 }),
    ],
    {},
    "ok no-rollouts +0",
    "Safe to merge: no rollouts (1 workload changes)",
  ],
  [
    many({ held: "Suspended" }),
    { applications: [failed("a", { status: "Changed", held: "Suspended" })] },
    "ok no-rollouts +0",
    "Safe to merge: no rollouts",
  ],
  [
    many({ held: "ChartVersion", safety: "Outage", traffic: SERVED }),
    { applications: [failed("a", { status: "Changed", held: "ChartVersion" })] },
    "ok no-rollouts +0",
    "Safe to merge: no rollouts",
  ],
  // No all-clear: nothing here deploys what changes.
  [
    many({ orphan: true, safety: "Outage", traffic: SERVED }),
    { applications: ["a", "b", "c"].map((name) => failed(name, { status: "Changed", orphan: true })) },
    "ok no-rollouts +0",
    "Safe to merge: no rollouts (nothing here deploys 3 changed applications)",
  ],
  [
    many({ orphan: true }),
    { applications: [failed("a", { orphan: true }), failed("b", { status: "NotAffected" })] },
    "ok no-rollouts +0",
    "Safe to merge: no rollouts (nothing here deploys 1 changed application)",
  ],
  [
    many({ orphan: true }),
    { applications: [failed("a", { status: "Changed", orphan: true }), failed("b", { status: "Changed" })] },
    "ok no-rollouts +0",
    "Safe to merge: no rollouts",
  ],
  [many({ action: "Waiting", pods: 0 }), {}, "ok no-rollouts +0", "Safe to merge: no rollouts (2 workloads wait)"],
  [
    many({ action: "None", pods: 0 }),
    { isIncomplete: true },
    "ok no-rollouts +0",
    "Safe to merge: no rollouts in what was examined",
  ],
  [
    many({ action: "None", pods: 0 }),
    { unread: [{ path: "charts/web/values-prod.yaml", mayApply: false }] },
    "ok no-rollouts +0",
    "Safe to merge: no rollouts (nothing reads 1 changed file)",
  ],
  [
    many({ action: "None", pods: 0 }),
    { unread: [{ path: "app/web.yaml", mayApply: true }] },
    "attention unread +0",
    "Review first: app/web.yaml changes, and nothing reads it",
  ],
  [
    many({ action: "None", pods: 0 }),
    { unread: [{ path: "vendor/x", mayApply: true, isSubmodule: true }] },
    "attention unread +0",
    "Review first: vendor/x is a changed submodule, whose files are not read",
  ],
  [
    many({ action: "Delete", kind: "Job" }),
    {},
    "attention deleted +1",
    "Review first: Job default/a is deleted (and 1 more)",
  ],
  [
    [workload("a", { safety: "Unknown" }), workload("b", { safety: "Waits" })],
    {},
    "attention waits +1",
    "Review first: Deployment default/b waits for promotion (and 1 more)",
  ],
  [[], {}, "attention no-workload +0", "Review first: no workload to compare"],
  [
    many({}),
    { exceeded: [limit] },
    "danger limit +0",
    "Do not merge: up to 7 pods are replaced, at most 6 may be (--max-pods)",
  ],
  [
    many({ safety: "Outage", traffic: SERVED }),
    { findings: [error("c")] },
    "danger error +2",
    "Do not merge: nothing in the input references ConfigMap default/c (RS012) (and 2 more)",
  ],
  [
    many({ safety: "Outage", traffic: SERVED }),
    {},
    "danger outage +1",
    "Do not merge: Deployment default/a has no pod while it rolls (and 1 more)",
  ],
  [
    many({ safety: "Outage" }),
    { exceeded: [{ limit: "failOn", rule: "RS004", findings: 2 }] },
    "attention outage +1",
    "Review first: Deployment default/a has no pod while it rolls (and 1 more)",
  ],
  [
    [workload("a", { safety: "MayStick" })],
    {},
    "danger may-stick +0",
    "Do not merge: Deployment default/a may not finish its rollout",
  ],
  [
    [],
    { applications: [failed("old", { failedBefore: true }), failed("new")] },
    "danger failed +0",
    "Do not merge: Kustomize new cannot be rendered",
  ],
  [
    [],
    { applications: [failed("web", { held: "Suspended" })] },
    "attention failed +0",
    "Review first: Kustomize web cannot be rendered (held back)",
  ],
  [
    [workload("a", { application: "web" }), workload("b", { safety: "Outage", traffic: SERVED, application: "web" })],
    { applications: [failed("web", { status: "Changed", held: "Manual" })] },
    "danger outage +0",
    "Do not merge: Deployment default/b has no pod while it rolls when it is synced",
  ],
  [
    [workload("a", { action: "Scale", replicas: { from: 2, to: 0 }, application: "web" })],
    { applications: [failed("web", { status: "Changed", held: "Manual" })] },
    "attention scaled-to-zero +0",
    "Review first: Deployment default/a is scaled to 0 when it is synced",
  ],
  [
    [workload("a", { action: "Delete", isLast: true, application: "web" })],
    { applications: [failed("web", { status: "Changed", held: "Manual" })] },
    "danger deleted +0",
    "Do not merge: Deployment default/a is deleted, the last workload of its namespace",
  ],
  [
    [],
    { applications: [failed("fixed", { baseFailed: true })] },
    "danger failed +0",
    "Do not merge: Kustomize fixed cannot be rendered in BASE",
  ],
  [
    many({}),
    { findings: [{ ...error("c"), before: true }] },
    "ok rolls +1",
    "Safe to merge: Deployment default/a rolls (and 1 more, 2 pods)",
  ],
  [
    many({ action: "Fail", safety: "Unknown", findings: [error("c")] }),
    {},
    "refused refused +1",
    "Do not merge: Deployment default/a is refused (and 1 more)",
  ],
];

describe("a verdict", () => {
  for (const [workloads, given, verdict, text] of CASES)
    it(text, () => assert.deepEqual(verdictAndText(workloads, given), [verdict, text]));

  it("of a finding is what it says, and its rule", () => {
    assert.equal(severityOf(immutable("c")), "error");
    const [verdict, text] = verdictAndText(many({}), { findings: [immutable("c"), immutable("d")] });
    assert.equal(verdict, "refused refused +1");
    assert.match(text, /^Do not merge: ConfigMap default\/c .* \(RS006\) \(and 1 more\)$/u);
    const rolling = ["a", "b"].map((name) =>
      workload(name, { findings: [{ ...noPod(name), severityOverride: "error" }] }),
    );
    assert.equal(verdictAndText(rolling, {})[0], "danger error +1");
  });

  it("is one line, whatever is in a name", () => {
    const [, text] = verdictAndText([workload("a\nb\u202ec".padEnd(200, "\n"))], {});
    assert.match(text, /^Safe to merge: Deployment default\/a\\u000ab\\u202ec[^\p{Cc}]+ rolls \(1 pod\)$/u);
    assert.equal(text.length, 140);
  });
  it("is at most 140 characters long: names are cut in the middle, then texts at their ends", () => {
    const long = workload(`web-${"x".repeat(240)}-1`, { namespace: "n".repeat(63), safety: "Outage", traffic: SERVED });
    const [, text] = verdictAndText([long], {});
    assert.match(text, /^Do not merge: Deployment n+.*…x+-1 has no pod while it rolls$/u);
    assert.equal(text.length, 140);
    const [, cut] = verdictAndText(many({}), { findings: [immutable("c".repeat(400))] });
    assert.ok(cut.length <= 140 && cut.startsWith("Do not merge: ConfigMap "), cut);
  });
});
