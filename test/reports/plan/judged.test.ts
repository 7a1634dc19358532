import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { judgedOf, type Judgeable } from "../../../src/reports/plan/judged.ts";
import type { PlanFinding, PlannedObject, PlannedWorkload } from "../../../src/reports/plan/planned-workload.ts";
import type { PlannedApplication } from "../../../src/reports/plan/planned-application.ts";
import { isRoutine } from "../../../src/reports/plan/routine.ts";
import { noPod, unused, workload } from "../../output/plan-workloads.ts";

// The label and the level of each row: contract, section 8, "Version 3 of a plan".

const judged = (plan: Partial<Judgeable>): string[] =>
  judgedOf({ workloads: [], objects: [], findings: [], exceeded: [], ...plan }).map(
    ({ label, level = "none" }) => `${label} ${level}`,
  );

const SERVED: PlannedWorkload["traffic"] = { services: ["web"], isServing: false };
const SERVING: PlannedWorkload["traffic"] = { services: [], isServing: true };
const ALONE: PlannedWorkload["traffic"] = { services: [], isServing: false };
const accepting = (...ids: readonly ("RS001" | "RS002" | "RS004" | "RS015")[]): Partial<PlannedWorkload> => ({
  accepted: ids.map((id) => ({ id, reason: "we know" })),
});
const lost = (...keys: readonly string[]): Partial<PlannedWorkload> => ({
  lost: [{ source: { kind: "ConfigMap", namespace: "a", name: "b" }, keys }],
});

describe("the row of a workload", () => {
  const NEXT = { id: "lower-partition" } as const;
  const ROWS: readonly (readonly [string, Partial<PlannedWorkload>, string])[] = [
    ["what is refused", { action: "Fail" }, "refused refused"],
    ["an outage of what a Service selects", { safety: "Outage", traffic: SERVED }, "outage danger"],
    ["an outage of what serves", { safety: "Outage", traffic: SERVING }, "outage danger"],
    ["an outage of what nothing sends traffic to", { safety: "Outage", traffic: ALONE }, "outage attention"],
    ["an accepted outage", { safety: "Outage", traffic: SERVED, ...accepting("RS004") }, "outage none"],
    ["an outage with another reason", { safety: "Outage", traffic: SERVED, ...accepting("RS015") }, "outage danger"],
    ["what may stick", { safety: "MayStick" }, "may-stick danger"],
    ["a source that is gone, and a rollout", { safety: "MayStick", ...lost() }, "may-stick danger"],
    ["the same, created", { action: "Create", safety: "MayStick", ...lost() }, "may-stick danger"],
    ["the same, accepted", { ...lost(), ...accepting("RS001") }, "may-stick none"],
    ["the same, that else may stick", { safety: "MayStick", ...lost(), ...accepting("RS001") }, "may-stick danger"],
    ["the same, with fewer pods", { safety: "Reduced", ...lost(), ...accepting("RS001") }, "reduced attention"],
    ["a source that is gone, and another reason", { ...lost(), ...accepting("RS015") }, "may-stick danger"],
    [
      "a source that is gone, and an accepted outage",
      { safety: "Outage", traffic: SERVED, ...lost(), ...accepting("RS004") },
      "may-stick danger",
    ],
    [
      "the same, with a reason for another",
      { safety: "MayStick", ...lost("A"), ...accepting("RS001") },
      "may-stick danger",
    ],
    ["a source that is gone", { action: "None", ...lost() }, "lost attention"],
    ["a source of the next run that is gone", { action: "NextRun", ...lost() }, "lost attention"],
    ["an accepted source that is gone", { action: "None", ...lost("A"), ...accepting("RS002") }, "lost none"],
    ["the same, with old content", { action: "Stale", ...lost(), ...accepting("RS001") }, "stale attention"],
    [
      "the same, scaled to 0",
      { action: "Scale", replicas: { from: 3, to: 0 }, ...lost(), ...accepting("RS001") },
      "scaled-to-zero attention",
    ],
    ["what is deleted", { action: "Delete" }, "deleted attention"],
    ["a CronJob that is deleted", { action: "Delete", kind: "CronJob" }, "deleted attention"],
    ["the last of its namespace", { action: "Delete", isLast: true }, "deleted danger"],
    ["what leaves its cluster's object", { action: "Delete", isLast: true, leaves: true }, "deleted none"],
    ["an accepted deletion", { action: "Delete", isLast: true, isAccepted: true }, "deleted none"],
    ["what moves", { action: "Delete", movedTo: { namespace: "b" } }, "moved attention"],
    ["the last that moves", { action: "Delete", movedTo: { namespace: "b" }, isLast: true }, "moved danger"],
    ["what is scaled to 0", { action: "Scale", replicas: { from: 3, to: 0 } }, "scaled-to-zero attention"],
    ["what is scaled", { action: "Scale", replicas: { from: 0, to: 3 } }, "scaled ok"],
    ["what waits", { safety: "Waits" }, "waits attention"],
    ["fewer pods", { safety: "Reduced" }, "reduced attention"],
    ["what only an operator knows", { safety: "Unknown" }, "unknown attention"],
    ["old content", { action: "Stale" }, "stale attention"],
    ["a safe rollout", {}, "rolls ok"],
    ["a next run", { action: "NextRun" }, "next-run ok"],
    ["what is created", { action: "Create" }, "created ok"],
    ["a template without an effect", { action: "NoEffect" }, "no-effect ok"],
    ["a template without an effect, until someone acts", { action: "NoEffect", next: NEXT }, "no-effect attention"],
    [
      "the same, accepted",
      { action: "NoEffect", next: NEXT, accepted: [{ id: "RS005", reason: "we know" }] },
      "no-effect none",
    ],
    ["what reloads", { action: "Reload" }, "reloads ok"],
    ["what waits for its stamps", { action: "Waiting" }, "waiting ok"],
    ["what is held", { safety: "Outage", traffic: SERVED, held: "Suspended" }, "held none"],
    ["what nothing applies", { action: "Delete", isLast: true, orphan: true }, "orphan none"],
    ["what is unchanged", { action: "None" }, "unchanged none"],
  ];
  for (const [what, given, expected] of ROWS)
    it(`of ${what} is ${expected}`, () => assert.deepEqual(judged({ workloads: [workload("a", given)] }), [expected]));
});

describe("a rollout with fewer pods", () => {
  const rolls = (kind: string, replicas: number | null, minAvailable: number | null, wanted?: number): boolean =>
    isRoutine(
      workload("a", {
        kind,
        safety: replicas === null ? "Unknown" : "Reduced",
        strategy: {
          type: "RollingUpdate",
          replicas,
          minAvailable,
          maxSurge: 0,
          maxUnavailable: replicas === null ? 1 : replicas - (minAvailable ?? 0),
          maxTotal: replicas,
        },
        ...(wanted === undefined ? {} : { wanted }),
      }),
    );
  const ROWS: readonly (readonly [string, boolean, boolean])[] = [
    ["three quarters stay", rolls("Deployment", 4, 3), true],
    ["less than three quarters stay", rolls("Deployment", 7, 5), false],
    ["two thirds stay", rolls("Deployment", 3, 2), false],
    ["two thirds stay, and a budget requires no more", rolls("Deployment", 3, 2, 2), true],
    ["half stay, and a budget requires no more", rolls("Deployment", 4, 2, 1), true],
    ["nine tenths stay, and a budget requires more", rolls("Deployment", 10, 9, 10), false],
    ["a StatefulSet replaces one pod, and two stay", rolls("StatefulSet", 3, 2), true],
    ["a StatefulSet replaces one pod, and a budget requires it", rolls("StatefulSet", 3, 2, 3), false],
    ["a StatefulSet replaces one pod, and one stays", rolls("StatefulSet", 2, 1), false],
    ["a StatefulSet replaces several pods", rolls("StatefulSet", 6, 4), false],
    ["a DaemonSet replaces one pod at a time", rolls("DaemonSet", null, null), true],
    ["an operator decides", rolls("CloneSet", null, null), false],
  ];
  for (const [what, is, expected] of ROWS)
    it(`is ${expected ? "" : "not "}routine if ${what}`, () => assert.equal(is, expected));
});

describe("the row of an object", () => {
  const object = (kind: string, apiVersion: string, given: Partial<PlannedObject> = {}): PlannedObject => ({
    apiVersion,
    kind,
    namespace: "a",
    name: "b",
    change: "Delete",
    fields: [],
    ...given,
  });
  const CRD = ["CustomResourceDefinition", "apiextensions.k8s.io/v1"] as const;
  const ROWS: readonly (readonly [string, PlannedObject, string])[] = [
    ["a Service that is deleted", object("Service", "v1"), "deleted attention"],
    ["another Service that is deleted", object("Service", "serving.knative.dev/v1"), "other ok"],
    ["an Ingress that is deleted", object("Ingress", "networking.k8s.io/v1"), "deleted attention"],
    ["an autoscaler that is deleted", object("HorizontalPodAutoscaler", "autoscaling/v2"), "deleted attention"],
    ["a class that pods may name", object("PriorityClass", "scheduling.k8s.io/v1"), "deleted attention"],
    [
      "a store that ExternalSecrets may name",
      object("ClusterSecretStore", "external-secrets.io/v1"),
      "deleted attention",
    ],
    ["a budget that is deleted", object("PodDisruptionBudget", "policy/v1"), "deleted attention"],
    ["a route that is deleted", object("HTTPRoute", "gateway.networking.k8s.io/v1"), "deleted attention"],
    ["a route of OpenShift that is deleted", object("Route", "route.openshift.io/v1"), "deleted attention"],
    ["a route of Traefik that is deleted", object("IngressRoute", "traefik.io/v1alpha1"), "deleted attention"],
    ["an autoscaler of KEDA that is deleted", object("ScaledObject", "keda.sh/v1alpha1"), "deleted attention"],
    ["a volume that is deleted", object("PersistentVolume", "v1"), "deleted attention"],
    ["a claim that is deleted", object("PersistentVolumeClaim", "v1"), "deleted danger"],
    ["a namespace that is deleted", object("Namespace", "v1"), "deleted danger"],
    ["a definition that is deleted", object(...CRD), "deleted danger"],
    ["a definition that stays", object(...CRD, { leaves: true }), "deleted none"],
    ["a definition whose deletion is accepted", object(...CRD, { isAccepted: true }), "deleted none"],
    ["a definition that is held", object(...CRD, { held: "Suspended" }), "held none"],
    ["a definition that nothing applies", object(...CRD, { orphan: true }), "orphan none"],
    ["a definition that changes", object(...CRD, { change: "Change" }), "other ok"],
    ["a Role that is deleted", object("Role", "rbac.authorization.k8s.io/v1"), "other ok"],
  ];
  for (const [what, given, expected] of ROWS)
    it(`of ${what} is ${expected}`, () => assert.deepEqual(judged({ objects: [given] }), [expected]));
});

describe("the row of a finding", () => {
  const scaled: PlanFinding = {
    id: "RS010",
    cause: "autoscaled",
    params: {
      workload: { apiVersion: "apps/v1", kind: "Deployment", name: "a" },
      scaler: { apiVersion: "autoscaling/v2", kind: "HorizontalPodAutoscaler", name: "a" },
    },
  };
  const ROWS: readonly (readonly [string, PlanFinding, readonly string[]])[] = [
    ["replicas beside an autoscaler", scaled, ["warning attention"]],
    ["the same in the base", { ...scaled, before: true }, []],
    ["the same in what is not applied", { ...scaled, isNotApplied: true }, []],
    ["the same, accepted", { ...scaled, accepted: "we know" }, ["warning none"]],
    ["the same as a note", { ...scaled, severityOverride: "info" }, []],
    ["a warning of another rule", noPod("a"), []],
    ["an error of another rule", { ...unused("a"), severityOverride: "error" }, ["error danger"]],
  ];
  for (const [what, finding, expected] of ROWS)
    it(`of ${what}: ${expected.join() || "none"}`, () => assert.deepEqual(judged({ findings: [finding] }), expected));
  it("is absent for what is refused or held, and belongs to its workload otherwise", () => {
    const rows = (given: Partial<PlannedWorkload>): string[] =>
      judged({ workloads: [workload("a", { ...given, findings: [scaled] })] });
    assert.deepEqual(rows({ action: "Fail" }), ["refused refused"]);
    assert.deepEqual(rows({ held: "ChartVersion" }), ["held none"]);
    assert.deepEqual(rows({}), ["warning attention", "rolls ok"]);
  });
});

describe("the row of an application that cannot be rendered", () => {
  const failed = (given: Partial<PlannedApplication>): string[] =>
    judged({
      applications: [
        { name: "a", path: "a", kind: "Helm", status: "Failed", stampedBy: "Nothing", message: "no", ...given },
      ],
    });
  const ROWS: readonly (readonly [string, Partial<PlannedApplication>, readonly string[]])[] = [
    ["is danger", {}, ["failed danger"]],
    ["is danger if somebody syncs it", { held: "Manual" }, ["failed danger"]],
    ["needs attention if it is suspended", { held: "Suspended" }, ["failed attention"]],
    ["needs attention if it waits for a version", { held: "ChartVersion" }, ["failed attention"]],
    ["is absent if it failed before", { failedBefore: true }, []],
    ["is absent if nothing applies it", { orphan: true }, []],
  ];
  for (const [what, given, expected] of ROWS) it(what, () => assert.deepEqual(failed(given), expected));
});

describe("the rows of a plan", () => {
  it("have their order: level, label, what loses data, most pods, identity", () => {
    const given = [
      workload("safe"),
      workload("stale", { action: "Stale" }),
      workload("gone", { action: "Delete" }),
      workload("gone-data", { action: "Delete", kind: "StatefulSet" }),
      workload("few", { safety: "Outage", traffic: SERVED }),
      workload("b-many", { safety: "Outage", traffic: SERVED, pods: 9 }),
      workload("a-many", { safety: "Outage", traffic: SERVED, pods: 9 }),
      workload("stuck", { safety: "MayStick" }),
      workload("refused", { action: "Fail" }),
      workload("held", { held: "Suspended" }),
      workload("zero", { action: "Scale", replicas: { from: 1, to: 0 } }),
      workload("lost", { action: "None", ...lost() }),
      workload("waits", { safety: "Waits" }),
    ];
    const names = judgedOf({
      workloads: given,
      objects: [],
      findings: [],
      exceeded: [{ limit: "maxPods", actual: 2, allowed: 1 }],
    }).map(({ subject }) => (subject.is === "workload" ? subject.workload.name : subject.is));
    assert.deepEqual(names, [
      "refused",
      "limit",
      "a-many",
      "b-many",
      "few",
      "stuck",
      "gone-data",
      "gone",
      "lost",
      "zero",
      "waits",
      "stale",
      "safe",
      "held",
    ]);
  });
  it("have no --fail-on, which changes only the exit status", () =>
    assert.deepEqual(judged({ exceeded: [{ limit: "failOn", rule: "RS004", findings: 1 }] }), []));
});
