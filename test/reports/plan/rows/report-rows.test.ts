import assert from "node:assert/strict";
import { describe, it } from "node:test";
import fc from "fast-check";
import { judgedOf } from "../../../../src/reports/plan/judged.ts";
import type { Reason } from "../../../../src/reports/plan/plan-reasons.ts";
import type { PlanReport } from "../../../../src/reports/plan/plan-report.ts";
import type {
  Action,
  PlanFinding,
  PlannedObject,
  PlannedWorkload,
} from "../../../../src/reports/plan/planned-workload.ts";
import type { PlannedApplication } from "../../../../src/reports/plan/planned-application.ts";
import { reportRows, workloadsOf } from "../../../../src/reports/plan/rows/report-rows.ts";
import { leavesVolumes, type RowCause } from "../../../../src/reports/plan/rows/row-causes.ts";
import type { ReportRow, ReportRows } from "../../../../src/reports/plan/rows/row-types.ts";
import type { Safety } from "../../../../src/kubernetes/rollout/safety.ts";
import { verdictText } from "../../../../src/output/plan-verdict.ts";
import { verdictOf } from "../../../../src/reports/plan/verdict.ts";
import { planText } from "../../../support/plan-reports.ts";
import { changed, noPod, reportOf, unused, workload } from "../../../output/plan-workloads.ts";

const template = (path: string, from: string, to: string): Reason => ({ type: "Template", path, from, to });
const rowsOf = (workloads: readonly PlannedWorkload[], more: Partial<PlanReport> = {}): ReportRows =>
  reportRows({ ...reportOf(workloads), ...more });
const application = (name: string, more: Partial<PlannedApplication> = {}): PlannedApplication => ({
  name,
  path: name,
  kind: "Kustomize",
  stampedBy: "Nothing",
  status: "Changed",
  ...more,
});

/** `outage a b: env`: the label, names and causes of a row. */
function shownRow(row: ReportRow): string {
  if (row.is !== "workloads") return `${row.label} ${row.is}`;
  const names = row.entries.map(({ workloads }) => workloads.map(({ name }) => name).join(" ")).join(" | ");
  return `${row.label} ${names}${row.causes.length === 0 ? "" : `: ${row.causes.map(shownCause).join(", ")}`}`;
}

function shownCause(cause: RowCause): string {
  switch (cause.is) {
    case "reason": {
      const { reason } = cause;
      if (reason.type === "Source") return [...cause.namespaces, cause.name].join("/");
      return "path" in reason ? reason.path : reason.type;
    }
    case "move":
      return `${cause.from} to ${cause.to}`;
    case "application":
      return `without ${cause.name}`;
    case "lost":
      return `lost ${cause.lost.source.name}`;
  }
}

function shown({ causes, risky, routine, aside }: ReportRows): Record<string, readonly string[]> {
  return {
    causes: causes.map(shownCause),
    risky: risky.map(shownRow),
    routine: routine.map(shownRow),
    aside: aside.map(shownRow),
  };
}

describe("the rows of a report", () => {
  const env = { reasons: [changed("env")] };
  const other = { reasons: [changed("other")] };

  it("are one for each label, cause and fix, in the order of the judged subjects", () =>
    assert.deepEqual(
      shown(
        rowsOf([
          workload("a", { safety: "Outage", findings: [noPod("a")], ...env }),
          workload("b", { safety: "Outage", findings: [noPod("b")], ...env }),
          workload("c", { safety: "Outage", ...env }),
          workload("d", { safety: "Outage", findings: [noPod("d")], ...other }),
          workload("e", env),
          workload("f", other),
          workload("g", env),
          workload("h", { action: "Fail", safety: "Unknown" }),
        ]),
      ),
      {
        causes: [],
        risky: ["refused h", "outage a b: default/env", "outage c: default/env", "outage d: default/other"],
        routine: ["rolls e g: default/env", "rolls f: default/other"],
        aside: [],
      },
    ));
  it("have the cause of all of them once, and others beside it", () => {
    const image = template("spec.image", "x:1", "x:2");
    assert.deepEqual(
      shown(
        rowsOf([
          workload("a", { safety: "Outage", ...env }),
          workload("b", { reasons: [changed("env"), image] }),
          workload("c", { action: "NextRun", ...env }),
        ]),
      ),
      { causes: ["default/env"], risky: ["outage a"], routine: ["rolls b: spec.image", "next-run c"], aside: [] },
    );
    // What is created has no cause.
    assert.deepEqual(shown(rowsOf([workload("a", env), workload("b", { action: "Create" })])), {
      causes: [],
      risky: [],
      routine: ["rolls a: default/env", "created b"],
      aside: [],
    });
  });
  it("have workloads that roll differently for one cause in one routine row", () => {
    const pods = (replicas: number): Partial<PlannedWorkload> => ({
      ...env,
      strategy: {
        type: "RollingUpdate",
        replicas,
        maxSurge: 1,
        maxUnavailable: 0,
        minAvailable: replicas,
        maxTotal: replicas + 1,
      },
    });
    const { routine } = rowsOf([workload("a", pods(2)), workload("b", pods(3)), workload("c", pods(2))]);
    assert.deepEqual(routine.map(shownRow), ["rolls a c | b"]);
  });
  it("fold sources by kind, keys, and names without a generator's suffix, in all namespaces", () => {
    const generated = (namespace: string, suffix: string, before: string): Reason => ({
      type: "Source",
      source: { kind: "ConfigMap", namespace, name: `env-${suffix}`, previousName: `env-${before}` },
      keys: { added: [], removed: [], changed: ["LOG_LEVEL"] },
    });
    const { causes } = rowsOf([
      workload("a", { reasons: [generated("one", "fbt4d447df", "2bkhg6m2t5")] }),
      workload("b", { reasons: [generated("two", "5k2mgt8h9b", "7c4bd6f2m8")] }),
    ]);
    assert.deepEqual(causes.map(shownCause), ["one/two/env"]);
    // Other keys are another cause.
    const keys: Reason = {
      ...changed("env"),
      type: "Source",
      source: { kind: "ConfigMap", namespace: "default", name: "env" },
      keys: { added: ["A"], removed: [], changed: [] },
    };
    assert.equal(rowsOf([workload("a", env), workload("b", { reasons: [keys] })]).causes.length, 0);
  });
  it("fold fields by path and values", () => {
    const same = { reasons: [template("spec.image", "x:1", "x:2")] };
    assert.equal(rowsOf([workload("a", same), workload("b", same)]).routine.length, 1);
    assert.equal(
      rowsOf([workload("a", same), workload("b", { reasons: [template("spec.image", "y:1", "y:2")] })]).routine.length,
      2,
    );
  });
  it("have what decides first, then images and sources", () => {
    const reasons: readonly Reason[] = [
      changed("one"),
      template("metadata.labels.version", "1", "2"),
      template("spec.args", "a", "b"),
      template("spec.image", "x:1", "x:2"),
      { type: "Restart", from: null, to: "2026-01-01T00:00:00Z", field: "rollstamp.dev/restartedAt" },
    ];
    assert.deepEqual(rowsOf([workload("a", { reasons })]).causes.map(shownCause), [
      "Restart",
      "spec.image",
      "default/one",
      "spec.args",
      "metadata.labels.version",
    ]);
  });
  it("of a refused selector have the workloads with further causes, by kind, and no Services twice", () => {
    const immutable = (path: string): Reason => ({ type: "Immutable", path, from: null, to: "x" });
    const selector = immutable("spec.selector.matchLabels.x");
    const service: PlannedObject = {
      apiVersion: "v1",
      kind: "Service",
      namespace: "default",
      name: "a",
      change: "Change",
      fields: [{ path: "spec.selector.x", from: null, to: "x" }],
    };
    const report = {
      ...reportOf([
        workload("a", {
          action: "Fail",
          safety: "Unknown",
          reasons: [selector],
          next: { id: "keep-selector", services: ["a"] },
        }),
        workload("b", {
          kind: "StatefulSet",
          action: "Fail",
          safety: "Unknown",
          reasons: [selector, immutable("spec.volumeClaimTemplates")],
          next: { id: "keep-selector", services: [] },
        }),
      ]),
      objects: [service],
    };
    const { causes, risky, routine } = reportRows(report);
    assert.deepEqual(
      [causes.map(shownCause), risky.map(shownRow), routine],
      [["spec.selector.matchLabels.x"], ["refused a b"], []],
    );
    const [row] = risky;
    assert.ok(row?.is === "workloads");
    assert.deepEqual(
      row.also.map(({ kind, causes: more }) => [kind, more.map(shownCause)]),
      [["StatefulSet", ["spec.volumeClaimTemplates"]]],
    );
  });
  it("have a move once, with its objects", () => {
    const object = (namespace: string, change: "Create" | "Delete", kind = "Service"): PlannedObject => ({
      apiVersion: "v1",
      kind,
      namespace,
      name: "web",
      change,
      fields: [],
    });
    const moved = workload("web", { action: "Delete", safety: "Reduced", movedTo: { namespace: "new" } });
    const created = workload("web", { action: "Create", namespace: "new" });
    const rows = rowsOf([moved, created], { objects: [object("default", "Delete"), object("new", "Create")] });
    assert.deepEqual(shown(rows), {
      causes: ["default to new"],
      risky: ["moved web"],
      routine: ["other changes"],
      aside: [],
    });
    const claim = "PersistentVolumeClaim";
    const claims = [object("default", "Delete", claim), object("new", "Create", claim)];
    assert.deepEqual(
      shown(rowsOf([moved, created], { objects: claims }))["risky"],
      ["moved web: default to new", "deleted objects"],
      "the verdict is about the volume claim, so it has its own row",
    );
  });
  it("have a move between applications of a namespace", () => {
    const moved = workload("db", {
      kind: "StatefulSet",
      action: "Delete",
      application: "old",
      movedTo: { namespace: "default", application: "new" },
    });
    const created = workload("db", { kind: "StatefulSet", action: "Create", application: "new" });
    const rows = rowsOf([moved, created]);
    assert.deepEqual(shown(rows), { causes: ["old to new"], risky: ["moved db"], routine: [], aside: [] });
    // Its claims stay, and the new one takes them.
    assert.equal(leavesVolumes(moved), false);
  });
  it("do not name the source of a cause again, also if it is created or deleted", () => {
    const config = (name: string, more: Partial<PlannedObject> = {}): PlannedObject => ({
      apiVersion: "v1",
      kind: "ConfigMap",
      namespace: "default",
      name,
      change: "Delete",
      fields: [],
      isCause: true,
      ...more,
    });
    const generated: Reason = {
      type: "Source",
      source: { kind: "ConfigMap", namespace: "default", name: "g-8hb4gd59b4", previousName: "g-9ttchm9m9g" },
      keys: { added: [], removed: [], changed: ["A"] },
    };
    const gone = { source: { kind: "ConfigMap", namespace: "default", name: "gone" }, keys: [] };
    const rows = rowsOf([workload("a", { action: "None", lost: [gone] }), workload("b", { reasons: [generated] })], {
      objects: [
        config("gone"),
        config("g-9ttchm9m9g"),
        config("g-8hb4gd59b4", { change: "Create" }),
        // A reference that names another one says it, and no cause does.
        config("replaced"),
        config("gone", { application: "other" }),
      ],
    });
    const [row, ...others] = rows.routine.filter(({ is }) => is === "changes");
    assert.deepEqual(others, []);
    assert.deepEqual(row?.is === "changes" ? row.objects.map(({ name, application: of }) => [name, of]) : undefined, [
      ["gone", "other"],
      ["replaced", undefined],
    ]);
  });
  it("have a removed application as the cause of what goes with it", () => {
    const rows = rowsOf([workload("a", { action: "Delete", application: "gone" })], {
      applications: [application("gone", { change: "Removed" }), application("stays")],
    });
    assert.deepEqual(rows.causes.map(shownCause), ["without gone"]);
  });
  it("set aside what is accepted, with its reason, and what stays in the cluster", () => {
    const accepted = [{ id: "RS004", reason: "a batch job" }] as const;
    const rows = rowsOf([
      workload("a", { safety: "Outage", accepted, ...env }),
      workload("b", { action: "Delete", leaves: true }),
      workload("c", env),
    ]);
    assert.deepEqual(shown(rows)["aside"], ["outage a: default/env", "deleted b"]);
    const [row] = rows.aside;
    assert.deepEqual(row?.is === "workloads" ? row.accepted : undefined, accepted[0]);
  });
  it("have held changes and orphans as notes", () => {
    const rows = rowsOf(
      [
        workload("a", { held: "Suspended", application: "s", ...env }),
        workload("b", { orphan: true, application: "o" }),
        workload("c", { application: "m", ...env }),
      ],
      {
        applications: [
          application("s", { held: "Suspended" }),
          application("o", { orphan: true }),
          application("p", { orphan: true, status: "NotAffected" }),
          application("m", { held: "Manual" }),
        ],
      },
    );
    assert.deepEqual(shown(rows)["routine"], ["rolls c"]);
    assert.deepEqual(
      rows.held.map(({ held, workloads }) => [held, workloads.length]),
      [["Suspended", 1]],
    );
    assert.deepEqual(
      rows.orphans.map(({ name }) => name),
      ["o"],
    );
    const [row] = rows.routine;
    assert.equal(row?.is === "workloads" && row.entries[0].appliedWhen?.is, "sync");
  });
  it("have each finding once: in the row that says it, or in a row of its rule", () => {
    const rows = rowsOf(
      [
        workload("a", { safety: "Outage", findings: [noPod("a")], ...env }),
        workload("b", { ...env, findings: [noPod("b")] }),
      ],
      {
        findings: [unused("x"), unused("y"), { ...unused("z"), before: true }],
      },
    );
    assert.deepEqual(
      rows.aside.map((row) => (row.is === "findings" ? [row.findings[0].id, row.findings.length] : row.is)),
      [
        ["RS004", 1],
        ["RS012", 2],
        ["RS012", 1],
      ],
    );
  });
  it("say with the cause of all that it rolls many", () => {
    const mass = {
      id: "RS017",
      cause: "largeShare",
      params: { source: { apiVersion: "v1", kind: "ConfigMap", name: "env" }, rolls: 2, workloads: 2 },
    } as const;
    assert.equal(rowsOf([workload("a", env), workload("b", env)], { findings: [mass] }).aside.length, 0);
    assert.equal(rowsOf([workload("a", env), workload("b", other)], { findings: [mass] }).aside.length, 1);
  });

  it("have every workload that changes in exactly one row", () => {
    const actions: readonly Action[] = [
      "Roll",
      "Roll",
      "Fail",
      "NextRun",
      "NoEffect",
      "Create",
      "Delete",
      "Reload",
      "Stale",
      "Scale",
      "Waiting",
    ];
    const given = fc.record({
      name: fc.constantFrom("a", "b", "c"),
      namespace: fc.constantFrom("one", "two"),
      application: fc.constantFrom("p", "q"),
      action: fc.constantFrom(...actions),
      safety: fc.constantFrom<Safety[]>("Safe", "Outage", "MayStick", "Waits", "Reduced", "Unknown"),
      reasons: fc.array(fc.constantFrom(changed("env"), changed("other"), template("spec.image", "x:1", "x:2")), {
        maxLength: 2,
      }),
    });
    fc.assert(
      fc.property(fc.array(given, { maxLength: 30 }), (all) => {
        const report = reportOf(
          all.map((one, i) => workload(`${one.name}-${i}`, { ...one, name: `${one.name}-${i}` })),
        );
        const { risky, routine, aside } = reportRows(report);
        const named = [...risky, ...routine, ...aside].flatMap((row) =>
          row.is === "workloads" ? workloadsOf(row) : [],
        );
        assert.deepEqual(named.map(({ name }) => name).sort(), report.workloads.map(({ name }) => name).sort());
        // The first row is about what the verdict names.
        const [first] = judgedOf(report);
        const [row] = [...risky, ...routine];
        if (first?.subject.is === "workload" && row?.is === "workloads")
          assert.equal(row.entries[0].workloads[0].name, first.subject.workload.name);
      }),
      { numRuns: Number(process.env["FC_RUNS"] ?? 100), seed: Number(process.env["FC_SEED"] ?? 20261126) },
    );
  });
});

describe("the rows of what is not rendered", () => {
  const unrendered = (name: string, field: string, reason?: string): PlanFinding => ({
    id: "RS024",
    cause: "notRendered",
    params: {
      object: { apiVersion: "argoproj.io/v1alpha1", kind: "ApplicationSet", namespace: "argocd", name },
      change: "changed",
      changed: [field],
      ...(reason === undefined ? {} : { reason }),
    },
    application: "root",
  });
  const LISTS = "its generator lists the clusters of Argo CD";
  it("are one for objects that change in the same way, for one reason", async () => {
    const findings = [
      unrendered("a", "spec.generators", LISTS),
      unrendered("b", "spec.generators", LISTS),
      unrendered("c", "spec.template", LISTS),
      unrendered("d", "spec.generators"),
    ];
    const { risky } = rowsOf([], { findings });
    assert.deepEqual(
      risky.map((row) => (row.is === "findings" ? row.findings.length : 0)),
      [2, 1, 1],
    );
    const text = await planText({ ...reportOf([]), findings });
    assert.match(
      text,
      /^UNRENDERED {2}ApplicationSet a, b in argocd\n {12}What rolls is unknown: its generator [^\n]* \(RS024\)$/mu,
    );
  });
  it("are one for applications that lack the same", async () => {
    const lacking = (named: string, chart: string, name?: string): PlanFinding => ({
      id: "RS024",
      cause: "notFetched",
      params: {
        application: named,
        object: name === undefined ? undefined : { kind: "HelmRelease", namespace: "flux", name },
        change: "changed",
        changed: [],
        parts: [{ is: "chart", name: chart }],
      },
      application: named,
    });
    const findings = [
      lacking("overlays/a", "web 1.0.0"),
      lacking("overlays/b", "web 1.0.0"),
      lacking("overlays/c", "web 2.0.0"),
      lacking("x@prod", "web 1.0.0", "x"),
      lacking("x@test", "web 1.0.0", "x"),
    ];
    const { risky } = rowsOf([], { findings });
    assert.deepEqual(
      risky.map((row) => (row.is === "findings" ? row.findings.length : 0)),
      [2, 1, 2],
    );
    const applications = ["overlays/a", "overlays/b", "overlays/c", "x@prod", "x@test"].map((name) =>
      application(name),
    );
    const report = { ...reportOf([]), findings, applications };
    const text = await planText(report);
    assert.match(text, /^UNRENDERED {2}applications overlays\/a, overlays\/b$/mu);
    assert.match(text, /^UNRENDERED {2}application overlays\/c$/mu);
    const verdict = verdictOf(report);
    assert.match(verdictText({ ...report, verdict }), /^Review first: application overlays\/a is not rendered/u);
    const partial = [{ path: "web 1.0.0", reason: "the chart is not in the repository" }];
    const inPart = { ...report, verdict, applications: [application("overlays/a", { partial })] };
    assert.match(verdictText(inPart), /^Review first: a part of application overlays\/a is not rendered/u);
    assert.match(text, /^UNRENDERED {2}HelmRelease flux\/x in x@prod, x@test$/mu);
  });
});
