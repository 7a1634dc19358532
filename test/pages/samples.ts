import type { GraphEdge, GraphReport, GraphSource, GraphWorkload } from "../../src/reports/graph/graph-report.ts";
import { causesOf } from "../../src/reports/plan/causes.ts";
import type { PlanReport } from "../../src/reports/plan/plan-report.ts";
import type { PlanFinding, PlannedWorkload } from "../../src/reports/plan/planned-workload.ts";
import type { PlannedApplication } from "../../src/reports/plan/planned-application.ts";
import type { Safety } from "../../src/kubernetes/rollout/safety.ts";
import { reportOf } from "../output/plan-workloads.ts";
import { examinedAll } from "../support/accounts.ts";

const TEAMS = ["billing", "catalog", "checkout", "identity", "search", "shipping", "web"] as const;
const PARTS = ["api", "worker", "gateway", "cache", "scheduler", "importer"] as const;

/** A graph of applications as teams have them: each with sources of its own, and some that all share. */
export function sampleGraph(workloadCount: number): GraphReport {
  const workloads: GraphWorkload[] = [];
  const sources: GraphSource[] = [];
  const edges: GraphEdge[] = [];
  const add = (source: GraphSource): number => sources.push(source) - 1;
  const shared = TEAMS.map((namespace) => ({
    ca: add({ kind: "ConfigMap", namespace, name: "ca-bundle", coverage: "content" }),
    registry: add({ kind: "Secret", namespace, name: "observability", coverage: "declaration" }),
  }));
  for (let i = 0; i < workloadCount; i++) {
    const team = i % TEAMS.length;
    const namespace = TEAMS[team] ?? "web";
    const round = Math.floor(i / (TEAMS.length * PARTS.length));
    const name = `${PARTS[Math.floor(i / TEAMS.length) % PARTS.length] ?? "api"}${round === 0 ? "" : `-${round}`}`;
    const kind = name.startsWith("cache") ? "StatefulSet" : name.startsWith("importer") ? "CronJob" : "Deployment";
    const workload =
      workloads.push({ apiVersion: kind === "CronJob" ? "batch/v1" : "apps/v1", kind, namespace, name }) - 1;
    const env = add({ kind: "ConfigMap", namespace, name: `${name}-env`, coverage: "content" });
    edges.push({ workload, source: env, keys: "*", via: ["envFrom"], optional: false });
    const password = add({
      kind: "Secret",
      namespace,
      name: `${name}-db`,
      coverage: i % 3 === 0 ? "ciphertext" : i % 11 === 4 ? "missing" : "content",
    });
    edges.push({ workload, source: password, keys: ["username", "password"], via: ["env"], optional: false });
    edges.push({
      workload,
      source: shared[team]?.ca ?? 0,
      keys: ["ca.crt"],
      via: ["volume", "projected"],
      optional: false,
    });
    if (i % 2 === 0)
      edges.push({ workload, source: shared[team]?.registry ?? 0, keys: "*", via: ["csi"], optional: true });
    if (i % 9 === 0) add({ kind: "ConfigMap", namespace, name: `${name}-old`, coverage: "content" });
  }
  return { workloads, sources, edges, ...examinedAll(1) };
}

/** A plan with every action and every sort of reason, over as many workloads as asked for. */
export function samplePlan(workloadCount: number): PlanReport {
  const plan = reportOf(Array.from({ length: workloadCount }, (_, i) => sampleWorkload(i)));
  const { pods } = plan.summary;
  return {
    ...plan,
    summary: { ...plan.summary, workloads: workloadCount * 3 },
    exceeded: pods > 10 ? [{ limit: "maxPods", actual: pods, allowed: 10 }] : [],
  };
}

/** The same plan over applications: each of its workloads in one of them, these in two clusters and in none. */
export function overApplications(plan: PlanReport, count: number = 4): PlanReport {
  const applications = Array.from({ length: count }, (_, i): PlannedApplication => ({
    name: `apps/${i}`,
    path: `apps/${i}`,
    kind: "Kustomize",
    stampedBy: "Nothing",
    status: "Changed",
    ...(i % 3 === 0 ? {} : { cluster: i % 3 === 1 ? "east" : "west" }),
    ...(i === 1 ? { change: "Added" } : {}),
  }));
  const workloads = plan.workloads.map((workload, i) => ({ ...workload, application: `apps/${i % count}` }));
  return { ...plan, applications: [...applications, { ...LEFT, status: "NotAffected" }], workloads };
}

const LEFT = { name: "apps/left", path: "apps/left", kind: "Helm", stampedBy: "Nothing" } as const;

function sampleWorkload(i: number): PlannedWorkload {
  const namespace = TEAMS[i % TEAMS.length] ?? "web";
  const name = `${PARTS[i % PARTS.length] ?? "api"}${i < 6 ? "" : `-${i}`}`;
  const base = {
    apiVersion: "apps/v1",
    kind: "Deployment",
    namespace,
    name,
    safety: "Safe" as Safety,
    caveats: [],
    findings: [],
  };
  const replicas = 1 + (i % 6);
  const rolling = {
    type: "RollingUpdate",
    replicas,
    maxSurge: 1,
    maxUnavailable: replicas > 3 ? 1 : 0,
    minAvailable: replicas - (replicas > 3 ? 1 : 0),
    maxTotal: replicas + 1,
  };
  const shared = {
    type: "Source",
    source: { kind: "ConfigMap", namespace, name: "ca-bundle" },
    keys: { added: [], removed: [], changed: ["ca.crt"] },
  } as const;
  switch (i % 8) {
    case 1:
      return {
        ...base,
        kind: "StatefulSet",
        action: "Roll",
        safety: "Outage",
        pods: 1,
        strategy: { type: "RollingUpdate", replicas: 1, maxSurge: 0, maxUnavailable: 1, minAvailable: 0, maxTotal: 1 },
        reasons: [
          {
            type: "Template",
            path: "spec.containers[name=app].image",
            from: "registry.example/cache:7.2",
            to: "registry.example/cache:7.4",
          },
        ],
        findings: [
          {
            id: "RS004",
            cause: "strategy",
            params: {
              workload: { apiVersion: "apps/v1", kind: "StatefulSet", namespace, name },
              strategy: { type: "RollingUpdate", replicas: 1, maxUnavailable: 1, maxSurge: 0 },
            },
          },
        ],
      };
    case 2:
      return {
        ...base,
        action: "Fail",
        safety: "Unknown",
        next: { id: "rollout", text: "Delete it and apply it again, or give it another name." },
        because: { id: "immutable-field", path: "spec.selector" },
        pods: 0,
        strategy: rolling,
        reasons: [
          {
            type: "Immutable",
            path: "spec.selector",
            from: { matchLabels: { app: name } },
            to: { matchLabels: { app: `${name}-v2` } },
          },
        ],
      };
    case 3:
      return {
        ...base,
        apiVersion: "batch/v1",
        kind: "CronJob",
        action: "NextRun",
        pods: 0,
        strategy: null,
        reasons: [
          {
            type: "Source",
            source: { kind: "Secret", namespace, name: `${name}-db` },
            keys: { added: ["replica-url"], removed: [], changed: ["password"] },
          },
        ],
      };
    case 4:
      return {
        ...base,
        kind: "DaemonSet",
        action: "NoEffect",
        because: { id: "rollout", text: "OnDelete: pods take it when they are next deleted" },
        next: { id: "rollout", text: "Delete its pods one after another: new ones have the change." },
        pods: 0,
        strategy: {
          type: "OnDelete",
          replicas: null,
          maxSurge: null,
          maxUnavailable: null,
          minAvailable: null,
          maxTotal: null,
        },
        reasons: [shared],
      };
    case 5:
      return { ...base, action: "Create", pods: 0, strategy: rolling, reasons: [] };
    case 6:
      return {
        ...base,
        action: "Roll",
        safety: replicas > 3 ? "Reduced" : "Safe",
        pods: replicas,
        strategy: rolling,
        reasons: [{ type: "Restart", field: "rollstamp.dev/restartedAt", from: null, to: "2026-11-21T00:00:00Z" }],
      };
    default:
      return {
        ...base,
        action: "Roll",
        safety: replicas > 3 ? "Reduced" : "Safe",
        pods: replicas,
        strategy: rolling,
        reasons: [
          {
            type: "Source",
            source: { kind: "ConfigMap", namespace, name: `${name}-env` },
            keys: { added: ["FEATURE_FLAGS"], removed: [], changed: ["LOG_LEVEL"] },
            diffs: [{ key: "LOG_LEVEL", lines: ["-info", "+debug"] }],
          },
          shared,
        ],
      };
  }
}

const HOSTILE = [
  "<script>window.pwned=1</script>",
  '"><img src=x onerror=window.pwned=1>',
  "'><svg/onload=window.pwned=1>",
  "</script><script>window.pwned=1</script>",
  "</style><script>window.pwned=1</script>",
  "--><!--<script>window.pwned=1//",
  "javascript:window.pwned=1",
  "&lt;script&gt;",
  "{{constructor.constructor('window.pwned=1')()}}",
  "\u001b[31m\u0000\r\n\u202e\u2028",
  "http://evil.example/?q=1",
] as const;

/** A title that ends every element that it could stand in. */
export const hostileTitle: string = `</title></head>${HOSTILE.join("")}`;

/** A graph whose names, kinds, keys and namespaces are all that an attacker would try. */
export function hostileGraph(): GraphReport {
  return {
    examined: examinedAll(1).examined,
    notExamined: HOSTILE.map((text) => ({ path: text, kind: "HelmRelease", name: text, reason: text })),
    workloads: HOSTILE.map((text) => ({ apiVersion: text, kind: text, namespace: text, name: text })),
    sources: HOSTILE.map((text) => ({
      kind: text,
      namespace: text,
      name: text,
      coverage: "content",
      madeBy: { kind: text, name: text },
    })),
    edges: HOSTILE.map((text, i) => ({ workload: i, source: i, keys: [text], via: ["env"], optional: false })),
  };
}

/** The same for a plan. */
export function hostilePlan(): PlanReport {
  const plan = samplePlan(8);
  // Each twice, so that what rolls safely stands together.
  const workloads = [...HOSTILE, ...HOSTILE].flatMap((text, i) =>
    plan.workloads.map((workload): PlannedWorkload => hostileWorkload(workload, text, i)),
  );
  return {
    ...plan,
    exceeded: HOSTILE.map((text) => ({ limit: "failOn", rule: text, findings: 1 })),
    findings: HOSTILE.flatMap((text): PlanFinding[] => [hostileFinding(text, "error"), hostileFinding(text, "info")]),
    causes: causesOf(workloads),
    workloads,
  };
}

function hostileFinding(text: string, severityOverride: "error" | "warning" | "info"): PlanFinding {
  return {
    id: "unrendered-application",
    cause: "failed",
    params: { application: text, path: text, problem: text },
    severityOverride,
    place: { file: text },
    application: text,
  };
}

function hostileWorkload(workload: PlannedWorkload, text: string, i: number): PlannedWorkload {
  return {
    ...workload,
    kind: text,
    namespace: text,
    name: `${text}${i}`,
    because: { id: "rollout", text },
    renamedFrom: text,
    caveats: [{ id: "operator", params: { kind: text } }],
    next: { id: "rollout", text },
    scaledBy: { kind: "ScaledObject", name: text, min: 1, max: 3 },
    strategy: { type: text, replicas: 3, maxSurge: text, maxUnavailable: 1, minAvailable: 2, maxTotal: 4 },
    reasons: [
      {
        type: "Source",
        source: { kind: text, namespace: text, name: text, previousName: text, madeBy: text },
        keys: { added: [text], removed: [text], changed: [text] },
        diffs: [{ key: text, lines: [`+${text}`, `-${text}`] }],
      },
      // Other values under one path: they stand with each workload of a group.
      { type: "Template", path: text, from: { [text]: text }, to: [text, i] },
      { type: "Restart", field: text, from: text, to: text },
      { type: "Invalid", path: text, message: text },
    ],
    findings: [hostileFinding(text, "warning")],
  };
}

/** A change of one file that all mount, where one of the workloads has a single pod that stops before the new one starts. */
export function oneOutage(workloadCount: number): PlanReport {
  return reportOf(
    Array.from({ length: workloadCount }, (_, i): PlannedWorkload => {
      const replicas = 2 + (i % 4);
      const isOutage = i === Math.floor(workloadCount / 2);
      return {
        apiVersion: "apps/v1",
        kind: "Deployment",
        namespace: TEAMS[i % TEAMS.length] ?? "web",
        name: `${PARTS[i % PARTS.length] ?? "api"}-${i}`,
        action: "Roll",
        safety: isOutage ? "Outage" : "Safe",
        caveats: [],
        findings: [],
        pods: isOutage ? 1 : replicas,
        strategy: isOutage
          ? { type: "Recreate", replicas: 1, maxSurge: null, maxUnavailable: null, minAvailable: 0, maxTotal: 1 }
          : {
              type: "RollingUpdate",
              replicas,
              maxSurge: "25%",
              maxUnavailable: "25%",
              minAvailable: replicas,
              maxTotal: replicas + 1,
            },
        reasons: [
          {
            type: "Source",
            source: { kind: "ConfigMap", namespace: TEAMS[i % TEAMS.length] ?? "web", name: "ca-bundle" },
            keys: { added: [], removed: [], changed: ["ca.crt"] },
          },
        ],
      };
    }),
  );
}
