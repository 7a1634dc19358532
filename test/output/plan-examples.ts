import type { NotExamined } from "../../src/findings/not-examined/not-examined.ts";
import { joinParts, NOTHING_PLANNED } from "../../src/reports/plan/parts.ts";
import type { Reason, SeenBy } from "../../src/reports/plan/plan-reasons.ts";
import { reportOf } from "../../src/reports/plan/plan-data.ts";
import type { PlanReport } from "../../src/reports/plan/plan-report.ts";
import type { PlanFinding, PlannedObject, PlannedWorkload } from "../../src/reports/plan/planned-workload.ts";
import type { PlannedApplication } from "../../src/reports/plan/planned-application.ts";
import { examinedAll } from "../support/accounts.ts";

// Plans that show every sort of row: their data, as a comparison makes it.

interface Parts {
  readonly workloads?: readonly PlannedWorkload[];
  readonly objects?: readonly PlannedObject[];
  readonly otherObjects?: number;
  readonly findings?: readonly PlanFinding[];
  readonly findingsBefore?: number;
  readonly applications?: readonly PlannedApplication[];
  readonly notExamined?: readonly NotExamined[];
  readonly range: string;
  readonly repository?: string;
  /** How many workloads there are besides those that change. */
  readonly unlisted?: number;
}

const LIMITS = { maxWorkloads: undefined, maxPods: undefined, failOn: [] };

function plan(given: Parts): PlanReport {
  const { workloads = [], objects = [], findings = [], applications, notExamined = [], unlisted = 0 } = given;
  const part = {
    ...NOTHING_PLANNED,
    rows: workloads.map((planned) => ({ isListed: true, planned })),
    unlisted,
    others: findings,
    findingsBefore: given.findingsBefore ?? 0,
    objects,
    otherObjects: given.otherObjects ?? objects.length,
  };
  const joined = joinParts([part], LIMITS, "applied");
  const examined = {
    ...examinedAll(2).examined,
    ...(applications === undefined ? {} : { applications: applications.length }),
  };
  const isEmpty = notExamined.length > 0 && workloads.length === 0 && unlisted === 0;
  const report = reportOf(
    { ...joined, ...(applications === undefined ? {} : { applications }) },
    [],
    {
      examined: isEmpty ? { ...examined, applications: 0 } : examined,
      notExamined,
    },
    LIMITS,
  );
  const [, base = "", head = "", from = "", to = ""] = /^(\S+?)\.\.\.?(\S+) (\w+)\.\.(\w+)$/u.exec(given.range) ?? [];
  const commit = (short: string): string => short.padEnd(40, "0");
  return {
    ...report,
    compared: {
      repository: given.repository ?? "acme/shop",
      range: given.range.split(" ")[0] ?? "",
      base: { ref: base, commit: commit(from) },
      head: { ref: head, commit: commit(to) },
    },
  };
}

function application(name: string, more: Partial<PlannedApplication> = {}): PlannedApplication {
  return { name, path: name, kind: "Kustomize", stampedBy: "Files", status: "Changed", ...more };
}

const idle = (...names: readonly string[]): PlannedApplication[] =>
  names.map((name) => application(name, { status: "NotAffected" }));

type Given = Partial<PlannedWorkload>;

function workload(kind: string, name: string, given: Given = {}): PlannedWorkload {
  return {
    apiVersion: "apps/v1",
    kind,
    namespace: "shop-prod",
    name,
    action: "Roll",
    pods: 0,
    safety: "Safe",
    caveats: [],
    reasons: [],
    strategy: null,
    findings: [],
    ...given,
  };
}

/** A workload with a number of pods, of which some stay while it rolls. */
function rolling(kind: string, name: string, replicas: number, least: number, given: Given = {}): PlannedWorkload {
  const strategy = {
    type: "RollingUpdate",
    replicas,
    maxSurge: kind === "StatefulSet" ? 0 : 1,
    maxUnavailable: replicas - least,
    minAvailable: least,
    maxTotal: replicas + 1,
  };
  return workload(kind, name, { pods: replicas, strategy, ...given });
}

const ref = (
  kind: string,
  name: string,
  namespace = "shop-prod",
): { apiVersion: string; kind: string; name: string; namespace: string } => ({
  apiVersion: "apps/v1",
  kind,
  name,
  namespace,
});

function noPod(cause: "recreate" | "singlePod", kind: string, name: string, namespace?: string): PlanFinding {
  const strategy = {
    type: cause === "recreate" ? "Recreate" : "RollingUpdate",
    replicas: 1,
    maxUnavailable: 1,
    maxSurge: 0,
  };
  return { id: "RS004", cause, params: { workload: ref(kind, name, namespace), strategy } };
}

/** A single pod that stops before the next one starts. */
function outage(kind: "Deployment" | "StatefulSet", name: string, given: Given = {}): PlannedWorkload {
  const isRecreate = kind === "Deployment";
  const { namespace } = given;
  return rolling(kind, name, 1, 0, {
    safety: "Outage",
    traffic: { services: [name], isServing: false },
    findings: [noPod(isRecreate ? "recreate" : "singlePod", kind, name, namespace)],
    ...(isRecreate
      ? {
          strategy: {
            type: "Recreate",
            replicas: 1,
            maxSurge: null,
            maxUnavailable: null,
            minAvailable: 0,
            maxTotal: 1,
          },
        }
      : {}),
    ...given,
  });
}

const scaled = (name: string, given: Given = {}): PlannedWorkload =>
  rolling("Deployment", name, 2, 2, {
    podsAtMost: 8,
    scaledBy: { kind: "HorizontalPodAutoscaler", name, min: 2, max: 8 },
    ...given,
  });

const nodes = (name: string, given: Given = {}): PlannedWorkload =>
  workload("DaemonSet", name, {
    safety: "Unknown",
    strategy: {
      type: "RollingUpdate",
      replicas: null,
      maxSurge: 0,
      maxUnavailable: 1,
      minAvailable: null,
      maxTotal: null,
    },
    caveats: [{ id: "nodes", params: {} }],
    ...given,
  });

const gateway = (given: Given = {}): PlannedWorkload =>
  rolling("Rollout", "gateway", 4, 3, {
    apiVersion: "argoproj.io/v1alpha1",
    safety: "Waits",
    next: { id: "promote", because: "waits at step 2 for promotion" },
    ...given,
  });

const cronJob = (given: Given = {}): PlannedWorkload =>
  workload("CronJob", "report", { apiVersion: "batch/v1", action: "NextRun", ...given });

/** The workloads of a shop: `given` for all of them. */
function shop(given: Given): PlannedWorkload[] {
  return [
    outage("Deployment", "notify", given),
    gateway(given),
    nodes("logshipper", given),
    ...["checkout", "payments", "shipping", "users"].map((name) => rolling("Deployment", name, 3, 3, given)),
    ...["cart", "catalog", "search"].map((name) => scaled(name, given)),
    cronJob(given.action === undefined ? given : { ...given, action: "NextRun" }),
  ];
}

function changedKey(name: string, key: string, namespace = "shop-prod", seenBy?: SeenBy): Reason {
  return {
    type: "Source",
    source: { kind: "ConfigMap", namespace, name },
    keys: { added: [], removed: [], changed: [key] },
    ...(seenBy === undefined ? {} : { seenBy }),
  };
}

const image = (container: string, from: string, to: string): Reason => ({
  type: "Template",
  path: `spec.containers[name=${container}].image`,
  from,
  to,
});

function object(
  kind: string,
  name: string,
  change: PlannedObject["change"],
  given: Partial<PlannedObject> = {},
): PlannedObject {
  return { apiVersion: "v1", kind, namespace: "shop-prod", name, change, fields: [], ...given };
}

const PROD = "overlays/prod";
const STAGING = "overlays/staging";
const OVERLAYS = [
  { application: PROD, namespace: "shop-prod" },
  { application: STAGING, namespace: "shop-staging" },
] as const;

/** One key, in a repository whose files have stamps. */
export function oneKey(): PlanReport {
  return plan({
    range: "main...p01-key 60e2a89..37e22ea",
    workloads: shop({ reasons: [changedKey("shared-config", "LOG_LEVEL")] }),
    objects: [object("ConfigMap", "shared-config", "Change", { isCause: true })],
    unlisted: 2,
    findingsBefore: 3,
  });
}

/** The same key where nothing is stamped. */
function oneKeyUnstamped(): PlanReport {
  const workloads = OVERLAYS.flatMap(({ application: name, namespace }) => {
    const findings = (kind: string, own: string): readonly PlanFinding[] => [
      {
        id: "RS025",
        cause: "unstamped",
        params: {
          workload: ref(kind, own, namespace),
          sources: [{ kind: "ConfigMap", namespace, name: "shared-config" }],
          path: name,
        },
      },
    ];
    return shop({
      application: name,
      namespace,
      action: "Stale",
      safety: "Safe",
      reasons: [changedKey("shared-config", "LOG_LEVEL", namespace, "env")],
    }).map((one): PlannedWorkload => {
      const pods = one.kind === "Deployment" || one.kind === "Rollout" ? (one.name === "gateway" ? 3 : 2) : 0;
      return one.action === "Stale"
        ? { ...one, pods, findings: findings(one.kind, one.name), caveats: [] }
        : { ...one, reasons: [changedKey("shared-config", "LOG_LEVEL", namespace)] };
    });
  });
  return plan({
    range: "main...p01-key 44cc598..bed782a",
    workloads,
    applications: [PROD, STAGING].map((name) => application(name, { stampedBy: "Nothing" })),
    unlisted: 4,
    findingsBefore: 6,
  });
}

function adoption(): PlanReport {
  const reasons: Reason[] = [{ type: "FirstStamp" }];
  return plan({
    range: "main...adopt-stamps 90c5f44..60e2a89",
    workloads: [
      ...shop({ reasons }),
      outage("StatefulSet", "postgres", { reasons }),
      rolling("StatefulSet", "redis", 3, 2, { safety: "Reduced", reasons }),
    ],
    findingsBefore: 3,
  });
}

function imageInThree(): PlanReport {
  const registry = "registry.example.com/acme/api";
  const names = ["api-ap", "api-eu", "api-us"];
  return plan({
    repository: "acme/argo",
    range: "main...api-7.1.0 f23fb04..c9e01fb",
    workloads: names.map((name) =>
      rolling("Deployment", "api", 3, 3, {
        namespace: "api",
        application: name,
        reasons: [image("api", `${registry}:7.0.0`, `${registry}:7.1.0`)],
      }),
    ),
    applications: [...names.map((name) => application(name, { held: "Manual" })), ...idle("front", "root", "web")],
    notExamined: [
      {
        path: "root/apps/front-set.yaml",
        kind: "ApplicationSet",
        name: "front",
        reason: "it needs its clusters: --clusters FILE",
      },
    ],
  });
}

function databases(): PlanReport {
  return plan({
    range: "main...databases df3ff68..4838702",
    workloads: [
      ...OVERLAYS.map((where) =>
        outage("StatefulSet", "postgres", { ...where, reasons: [image("postgres", "postgres:16.3", "postgres:16.4")] }),
      ),
      outage("StatefulSet", "redis", {
        application: STAGING,
        namespace: "shop-staging",
        reasons: [image("redis", "redis:7.2.4", "redis:7.4.0")],
      }),
      rolling("StatefulSet", "redis", 3, 2, {
        application: PROD,
        safety: "Reduced",
        reasons: [image("redis", "redis:7.2.4", "redis:7.4.0")],
      }),
    ],
    applications: [application(PROD), application(STAGING)],
    unlisted: 22,
    findingsBefore: 6,
  });
}

function selectorLabel(): PlanReport {
  const added = (path: string): Reason => ({ type: "Immutable", path, from: null, to: "store" });
  const selector = added("spec.selector.matchLabels.team");
  const names = [
    "cart",
    "catalog",
    "checkout",
    "notify",
    "payments",
    "postgres",
    "redis",
    "search",
    "shipping",
    "users",
  ];
  const refused = (kind: string, name: string): PlannedWorkload =>
    workload(kind, name, {
      application: PROD,
      action: "Fail",
      safety: "Unknown",
      because: { id: "immutable-field", path: "spec.selector" },
      next: {
        id: "keep-selector",
        kustomization: "overlays/prod",
        services: kind === "DaemonSet" ? [] : [name],
      },
      caveats: [{ id: "refused", params: {} }],
      reasons:
        kind === "StatefulSet"
          ? [selector, added("spec.volumeClaimTemplates[name=data].metadata.labels.team")]
          : [selector],
    });
  const label = { path: "metadata.labels.team", from: null, to: "store" };
  const labelled = (kind: string, n: number): PlannedObject[] =>
    Array.from({ length: n }, (_, i) =>
      object(kind, `${kind.toLowerCase()}-${i}`, "Change", { application: PROD, fields: [label] }),
    );
  return plan({
    range: "main...p04-label 44cc598..19281c3",
    workloads: [
      refused("DaemonSet", "logshipper"),
      ...names.map((name) => refused(name === "postgres" || name === "redis" ? "StatefulSet" : "Deployment", name)),
      cronJob({ application: PROD, reasons: [{ type: "Template", ...label }] }),
    ],
    objects: [
      ...labelled("PodDisruptionBudget", 8),
      ...labelled("ConfigMap", 4),
      ...labelled("HorizontalPodAutoscaler", 3),
      ...labelled("ResourceQuota", 1),
      ...labelled("Rollout", 1),
      ...labelled("Secret", 1),
      ...names.map((name) =>
        object("Service", name, "Change", {
          application: PROD,
          fields: [label, { path: "spec.selector.team", from: null, to: "store" }],
        }),
      ),
    ],
    applications: [application(PROD), ...idle(STAGING)],
    unlisted: 1,
    findingsBefore: 3,
  });
}

function lostConfigMap(): PlanReport {
  return plan({
    range: "main...p09-removedcm 44cc598..e3c17a1",
    workloads: OVERLAYS.map(({ application: name, namespace }) =>
      rolling("StatefulSet", "redis", 3, 2, {
        application: name,
        namespace,
        action: "Stale",
        pods: 0,
        lost: [{ source: { kind: "ConfigMap", namespace, name: "redis-conf" }, keys: [] }],
      }),
    ).map((one): PlannedWorkload => ({ ...one, action: "None" })),
    applications: [application(PROD), application(STAGING)],
    unlisted: 24,
    findingsBefore: 6,
  });
}

function switchedOff(): PlanReport {
  return plan({
    range: "main...payments-off 44cc598..e44408b",
    workloads: [
      rolling("Deployment", "payments", 3, 3, {
        application: PROD,
        action: "Scale",
        pods: 0,
        replicas: { from: 3, to: 0 },
        traffic: { services: ["payments"], isServing: true },
      }),
    ],
    objects: OVERLAYS.map((where) => object("Service", "payments", "Delete", where)),
    applications: [application(PROD), application(STAGING)],
    unlisted: 25,
    findingsBefore: 6,
  });
}

/** Flux applies nothing of an application with a refused object, and a quota refuses pods of another one. */
function refusedByFlux(): PlanReport {
  const rules = { ...ref("ConfigMap", "rules"), apiVersion: "v1" };
  return plan({
    range: "main...rules 44cc598..b0d9f21",
    workloads: [
      workload("DaemonSet", "agent", {
        application: PROD,
        action: "Fail",
        because: { id: "refused-source", source: rules },
        next: { id: "rename-source" },
        findings: [
          {
            id: "RS006",
            cause: "content",
            params: { source: rules, keys: { added: [], removed: [], changed: ["rules.yaml"] } },
          },
        ],
      }),
      rolling("Deployment", "web", 3, 3, {
        application: STAGING,
        namespace: "shop-staging",
        reasons: [image("web", "web:1", "web:2")],
      }),
    ],
    findings: [
      {
        id: "RS027",
        cause: "atRest",
        params: {
          quota: { ...ref("ResourceQuota", "shop", "shop-staging"), apiVersion: "v1" },
          resource: "requests.cpu",
          allowed: 4,
          needed: 5,
        },
        application: STAGING,
      },
    ],
    objects: [{ ...object("Service", "web", "Delete"), refused: "spec.clusterIP", change: "Change" }],
    applications: [PROD, STAGING].map((name) => application(name, { foundBy: "FluxKustomization" })),
  });
}

/** See EXAMPLES. */
export function unrendered(): PlanReport {
  const web = "registry.example.com/acme/web";
  const suspended = ["web@clusters/prod", "web@clusters/staging"];
  return plan({
    repository: "acme/fleet",
    range: "main...bump c869f62..3d5549f",
    workloads: suspended.map((name) =>
      rolling("Deployment", "web", 3, 3, {
        namespace: "apps",
        application: name,
        held: "Suspended",
        pods: name.endsWith("prod") ? 3 : 2,
        reasons: [image("web", `${web}:3.1.0`, `${web}:3.2.0`)],
      }),
    ),
    findings: [
      {
        id: "RS024",
        cause: "notFetched",
        params: {
          application: "ingress-nginx",
          change: "changed",
          parts: [{ is: "chart", name: "ingress-nginx 4.12.1" }],
          object: {
            kind: "HelmRelease",
            namespace: "ingress",
            name: "ingress-nginx",
          },
          changed: ["spec.chart.spec.version"],
        },
        application: "ingress-nginx",
      },
    ],
    applications: [
      application("ingress-nginx", { kind: "Helm" }),
      ...suspended.map((name) => application(name, { held: "Suspended" })),
      ...idle("flux-system", "monitoring"),
    ],
    unlisted: 2,
  });
}

/** See EXAMPLES. */
export function namespaceMove(): PlanReport {
  const to = "store-prod";
  const deleted = [
    ...shop({
      application: PROD,
      action: "Delete",
      safety: "Reduced",
      pods: 0,
      isLast: true,
      movedTo: { namespace: to },
    }),
    rolling("StatefulSet", "postgres", 1, 0),
    rolling("StatefulSet", "redis", 3, 2),
  ].map((one): PlannedWorkload => ({
    ...one,
    action: "Delete",
    safety: "Reduced",
    pods: 0,
    application: PROD,
    isLast: true,
    movedTo: { namespace: to },
    findings: [],
    caveats: [],
  }));
  const created = deleted.map(({ movedTo: _movedTo, isLast: _isLast, ...one }): PlannedWorkload => ({
    ...one,
    action: "Create",
    safety: "Safe",
    namespace: to,
  }));
  const moving = (kind: string, n: number): PlannedObject[] =>
    Array.from({ length: n }, (_, i) => `${kind.toLowerCase()}-${i}`).flatMap((name) => [
      object(kind, name, "Delete", { application: PROD }),
      object(kind, name, "Create", { application: PROD, namespace: to }),
    ]);
  return plan({
    range: "main...p10-ns 44cc598..f5686c2",
    workloads: [...deleted, ...created],
    objects: [
      ...moving("Service", 11),
      ...moving("PodDisruptionBudget", 8),
      ...moving("ConfigMap", 4),
      ...moving("HorizontalPodAutoscaler", 3),
      ...moving("ResourceQuota", 1),
      ...moving("Secret", 1),
    ],
    applications: [application(PROD), ...idle(STAGING)],
    findingsBefore: 3,
  });
}

function applicationDeleted(): PlanReport {
  const name = "api-ap";
  return plan({
    repository: "acme/argo",
    range: "main...a1-delcluster f23fb04..3e98cc7",
    workloads: [
      rolling("Deployment", "api", 3, 3, {
        namespace: "api",
        application: name,
        action: "Delete",
        safety: "Reduced",
        pods: 0,
        isLast: true,
      }),
    ],
    objects: [object("ConfigMap", "api-env-fbt4d447df", "Delete", { namespace: "api", application: name })],
    applications: [
      application(name, { change: "Removed", held: "Manual", cluster: "https://ap.example.com" }),
      application("root", { held: "Manual" }),
      application("apps/api/overlays/ap", { orphan: true }),
      ...idle("api-eu", "api-us", "front", "web"),
    ],
    notExamined: [
      {
        path: "root/apps/front-set.yaml",
        kind: "ApplicationSet",
        name: "front",
        reason: "it needs its clusters: --clusters FILE",
      },
    ],
  });
}

/** See EXAMPLES. */
export function nothingChanges(): PlanReport {
  return plan({ range: "main...p16-docs 44cc598..09edd44", applications: idle(PROD, STAGING) });
}

const APPS = ["ap", "eu", "us"].flatMap((region) => [1, 2, 3, 4].map((i) => `${region}-${i}`));

/** 1,200 workloads in 12 applications. */
export function manyWorkloads(): PlanReport {
  const all = (
    kind: string,
    names: readonly string[],
    make: (given: Given) => PlannedWorkload,
    apps = APPS,
  ): PlannedWorkload[] =>
    names.flatMap((full) => {
      const [namespace = "", name = ""] = full.split("/");
      return apps.map((where) => ({
        ...make({}),
        kind,
        namespace,
        name,
        application: where,
        reasons: [changedKey("platform-env", "OTEL_ENDPOINT", namespace)],
      }));
    });
  const sets = [
    ..."billing/ledger-db billing/queue cache/redis cache/sessions chat/store data/clickhouse data/kafka data/minio".split(
      " ",
    ),
    ..."data/zookeeper feed/index feed/queue iam/db iam/ldap mail/queue maps/tiles media/blob metrics/ingest".split(
      " ",
    ),
    ..."metrics/store orders/db orders/queue search/nodes shop/db shop/queue users/db".split(" "),
  ];
  const safe = [
    ..."ads/api ads/bidder ads/report auth/api auth/tokens billing/api billing/export billing/invoice".split(" "),
    ..."cart/api cart/worker chat/api chat/push".split(" "),
    ...Array.from({ length: 57 }, (_, i) => `web/part-${i + 1}`),
  ];
  const stopped = (given: Given): PlannedWorkload => outage("Deployment", "x", given);
  return plan({
    repository: "acme/platform",
    range: "main...otel-endpoint 7c1e0d2..b94f3aa",
    workloads: [
      ...all("Deployment", ["billing/ledger"], stopped),
      ...all(
        "Deployment",
        ["search/indexer"],
        stopped,
        APPS.filter((name) => name !== "ap-4" && name !== "us-4"),
      ),
      ...all("Rollout", ["edge/gateway", "edge/login", "edge/web", "shop/cart", "shop/front"], gateway),
      ...all("StatefulSet", sets, () => rolling("StatefulSet", "x", 3, 2, { safety: "Reduced", wanted: 3 })),
      ...all("Deployment", safe, () => rolling("Deployment", "x", 3, 3)),
      ...all("Deployment", ["web/rest"], () => rolling("Deployment", "x", 3, 3), APPS.slice(0, 2)),
    ],
    findings: [
      {
        id: "RS017",
        cause: "largeShare",
        params: { source: ref("ConfigMap", "platform-env", "billing"), rolls: 1200, workloads: 1200 },
      },
    ],
    applications: APPS.map((name) => application(name)),
  });
}

function nothingExamined(): PlanReport {
  return plan({
    repository: "acme/argo",
    range: "main...web-set 675158a..15e511a",
    applications: [],
    notExamined: [
      {
        path: "apps/front-set.yaml",
        kind: "ApplicationSet",
        name: "front",
        reason: "it needs its clusters: --clusters FILE",
      },
    ],
  });
}

/** Each sort of plan, by what it shows. */
export const EXAMPLES: readonly (readonly [what: string, report: () => PlanReport])[] = [
  ["one key, stamped in files", oneKey],
  ["the same key, nothing stamped", oneKeyUnstamped],
  ["adoption", adoption],
  ["an image in 3 applications that somebody has to sync", imageInThree],
  ["single replicas behind a Service", databases],
  ["a label in selectors", selectorLabel],
  ["a lost ConfigMap, not stamped", lostConfigMap],
  ["scaled to 0, and a Service deleted", switchedOff],
  ["an immutable ConfigMap under Flux, and a quota", refusedByFlux],
  ["a chart that is not rendered, and suspended applications", unrendered],
  ["a move to another namespace", namespaceMove],
  ["an application that is deleted", applicationDeleted],
  ["nothing changes", nothingChanges],
  ["1,200 workloads of one key", manyWorkloads],
  ["nothing was examined", nothingExamined],
];
