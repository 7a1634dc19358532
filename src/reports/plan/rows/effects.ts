import type { Findings } from "../../../findings/catalogue/catalogue.ts";
import type { StartProblem } from "../../../findings/catalogue/safety-rows.ts";
import type { Label } from "../labels.ts";
import type { SeenBy } from "../plan-reasons.ts";
import type { Because, Next, PlannedWorkload } from "../planned-workload.ts";
import { moveOf, type Move } from "./row-causes.ts";

// What happens to a workload, as data that all workloads of a row share. Names of other objects are not in it: the
// words take them from the workloads.

export type Effect =
  | Rolling
  /** Its apply is refused by the API server, or by who is named. */
  | { readonly is: "refused"; readonly by?: string; readonly isNew: boolean; readonly source?: RefusedSource }
  | ({ readonly is: "moved" } & Move)
  | {
      readonly is: "deleted";
      readonly how: "applied" | "leaves" | "accepted";
      /** The namespace that keeps no workload. */
      readonly emptied?: string;
    }
  /** A source that it needs is gone, and its pods need it later. */
  | { readonly is: "lost"; readonly pods: "run" | "none" | "running"; readonly replicas?: Replicas }
  | ({ readonly is: "scaled" } & Replicas)
  | { readonly is: "stale"; readonly seenBy: SeenBy; readonly cause: StaleCause; readonly replicas?: Replicas }
  /** The label says it, and why if that is known. */
  | { readonly is: "labelled"; readonly because?: Because };

/** A number of pods that changes. */
export type Replicas = NonNullable<PlannedWorkload["replicas"]>;

/** Why nothing rolls out a workload whose content changes: causes of RS025. */
export type StaleCause = "forgotten" | "unstamped" | "uncovered";

export interface Rolling {
  readonly is: "rolls";
  readonly available: Available;
  /** An autoscaler sets the number of pods. */
  readonly scaled?: { readonly min: number; readonly max: number | null };
  /** Pods with a lower ordinal keep the old template. */
  readonly partition?: { readonly from: number; readonly pods: number };
  /** It is also scaled. */
  readonly replicas?: Replicas;
  readonly isRecreate: boolean;
  /** It waits for a person. */
  readonly waits?: true;
  readonly stuck?: Stuck;
  /** What sends to a workload that has no pod meanwhile. */
  readonly traffic?: "services" | "serving" | "nothing";
  readonly because?: Because;
}

/** How many pods stay available while it rolls. */
export type Available =
  | {
      readonly is: "pods";
      readonly least: number;
      readonly all: number;
      /** Nothing shows readiness. */
      readonly isStarted: boolean;
    }
  | { readonly is: "nodes"; readonly atOnce: number | string; readonly isSurge: boolean }
  | { readonly is: "none" }
  | { readonly is: "unknown"; readonly operator?: string };

/** Why new pods may not start. */
export type Stuck =
  | { readonly by: "lost" }
  | { readonly by: "lostPort"; readonly container: string; readonly field: string; readonly port: string }
  | { readonly by: "start"; readonly problem: StartProblem }
  | { readonly by: "volume"; readonly claim: string; readonly mode: string }
  | { readonly by: "hostPort"; readonly port: number }
  | { readonly by: "antiAffinity"; readonly topologyKey: string };

/** What happens to a workload with a label. */
export function effectOf(label: Label, workload: PlannedWorkload): Effect {
  const { action, movedTo, replicas } = workload;
  if (action === "Fail") return refused(workload);
  if (movedTo !== undefined) return { is: "moved", ...moveOf({ ...workload, movedTo }) };
  if (action === "Delete") return deleted(workload);
  if (label === "lost") return lostEffect(workload);
  if (action === "Scale") return { is: "scaled", from: replicas?.from ?? null, to: replicas?.to ?? null };
  if (action === "Stale") return stale(workload);
  if (action === "Roll" || label === "may-stick") return rolling(label, workload);
  const { because } = workload;
  return { is: "labelled", ...(because === undefined ? {} : { because }) };
}

/** A source whose new content the API server refuses, in the namespace of the workload. */
export interface RefusedSource {
  readonly kind: string;
  readonly name: string;
  readonly because: keyof Findings["RS006"];
}

/** The first source of a refused workload that the API server refuses to change, if nothing of the workload itself is refused. */
export function refusedSource({ next, findings }: PlannedWorkload): RefusedSource | undefined {
  if (next?.id === "keep-selector") return undefined;
  const [source] = findings.flatMap((finding): RefusedSource[] => {
    if (finding.id !== "RS006" || finding.before === true) return [];
    const { kind, name } = finding.params.source;
    return [{ kind, name, because: finding.cause }];
  });
  return source;
}

function refused(workload: PlannedWorkload): Effect {
  const { next, reasons, caveats } = workload;
  const [invalid] = caveats.flatMap((caveat) => (caveat.id === "invalid" ? [caveat.params.by] : []));
  const by = invalid ?? (next?.id === "correct-field" ? next.by : undefined);
  const isNew = reasons.every(({ type }) => type === "Invalid");
  const source = refusedSource(workload);
  return {
    is: "refused",
    ...(by === undefined ? {} : { by }),
    ...(source === undefined ? {} : { source }),
    isNew,
  };
}

function deleted({ leaves, isAccepted, isLast, namespace }: PlannedWorkload): Effect {
  const how = leaves === true ? "leaves" : isAccepted === true ? "accepted" : "applied";
  return { is: "deleted", how, ...(isLast === true ? { emptied: namespace } : {}) };
}

function lostEffect(workload: PlannedWorkload): Effect {
  const { action, kind, strategy } = workload;
  const isRun = action === "NextRun" || kind === "CronJob";
  const pods = isRun ? "run" : strategy?.replicas === 0 ? "none" : "running";
  return { is: "lost", pods, ...scaling(workload) };
}

function scaling({ replicas }: PlannedWorkload): { readonly replicas?: Replicas } {
  return replicas === undefined ? {} : { replicas };
}

function stale(workload: PlannedWorkload): Effect {
  const { reasons, findings } = workload;
  const seen = new Set(reasons.flatMap((reason) => (reason.type === "Source" ? (reason.seenBy ?? []) : [])));
  const [only] = seen;
  const found = findings.find(({ id }) => id === "RS025")?.cause;
  const cause = found === "forgotten" || found === "uncovered" ? found : "unstamped";
  return { is: "stale", seenBy: seen.size === 1 && only !== undefined ? only : "both", cause, ...scaling(workload) };
}

function rolling(label: Label, workload: PlannedWorkload): Rolling {
  const { strategy, pods, safety, because, next, scaledBy, lost } = workload;
  const { partition } = strategy ?? {};
  const isScaled = scaledBy !== undefined && scaledBy.max !== scaledBy.min;
  return {
    is: "rolls",
    available: availableOf(workload),
    ...(isScaled ? { scaled: { min: scaledBy.min, max: scaledBy.max } } : {}),
    ...(partition === undefined || partition === 0 ? {} : { partition: { from: partition, pods } }),
    // Of what is created or only scaled, the number of pods is the effect.
    ...(workload.action === "Roll" ? scaling(workload) : {}),
    isRecreate: strategy?.type === "Recreate",
    ...(safety === "Waits" && next?.id === "promote" ? { waits: true } : {}),
    ...(safety === "MayStick" || label === "may-stick"
      ? stuckOf(workload)
      : lost === undefined
        ? {}
        : { stuck: { by: "lost" } }),
    ...(safety === "Outage" ? { traffic: trafficOf(workload) } : {}),
    ...(because === undefined ? {} : { because }),
  };
}

function availableOf({ strategy, caveats, action }: PlannedWorkload): Available {
  const operator = caveats.flatMap((caveat) => (caveat.id === "operator" ? [caveat.params.kind] : []))[0];
  if (operator !== undefined) return { is: "unknown", operator };
  if (strategy === null) return { is: "unknown" };
  const { replicas, minAvailable: least, maxSurge, maxUnavailable } = strategy;
  if (replicas === null) {
    const isSurge = maxSurge !== null && maxSurge !== 0 && maxSurge !== "0%";
    return { is: "nodes", atOnce: isSurge ? maxSurge : (maxUnavailable ?? 1), isSurge };
  }
  if (replicas === 0) return { is: "none" };
  if (least === null) return { is: "unknown" };
  const isStarted = caveats.some(({ id }) => id === "RS016");
  // What is created or scaled up has no pod yet.
  return { is: "pods", least: action === "Roll" ? least : 0, all: replicas, isStarted };
}

function stuckOf({ lost, caveats, findings }: PlannedWorkload): { readonly stuck?: Stuck } {
  if (lost !== undefined) return { stuck: { by: "lost" } };
  for (const found of [...caveats, ...findings]) {
    if (found.id === "lost-port" && found.cause !== "unused") {
      const { container, field, port } = found.params;
      return { stuck: { by: "lostPort", container, field, port } };
    }
    if (found.id === "cannot-start") return { stuck: { by: "start", problem: found.params.problem } };
    if (found.id !== "RS015") continue;
    const { params } = found;
    if ("claim" in params) return { stuck: { by: "volume", claim: params.claim, mode: params.mode } };
    if ("port" in params) return { stuck: { by: "hostPort", port: params.port } };
    return { stuck: { by: "antiAffinity", topologyKey: params.topologyKey } };
  }
  return {};
}

function trafficOf({ traffic }: PlannedWorkload): NonNullable<Rolling["traffic"]> {
  if (traffic === undefined) return "nothing";
  return traffic.services.length > 0 ? "services" : traffic.isServing ? "serving" : "nothing";
}

/** What to do about a row; rows with another fix are other rows. */
export type Fix =
  /** The remedy of a finding. */
  | { readonly is: "rule"; readonly id: string; readonly cause: string }
  /** The selector of a workload changed. */
  | { readonly is: "selector" }
  | ({ readonly is: "move" } & Move)
  | { readonly is: "lost"; readonly hasKeys: boolean }
  | { readonly is: "stale"; readonly cause: StaleCause }
  | { readonly is: "promote" }
  | { readonly is: "next"; readonly next: Exclude<Next, { readonly id: "promote" | "keep-selector" }> };

/** What a person can do about a workload; undefined if nothing has to be done. */
export function fixOf(label: Label, workload: PlannedWorkload): Fix | undefined {
  const { next, movedTo, lost } = workload;
  switch (label) {
    case "refused":
      return next?.id === "keep-selector" ? nextFix(next) : (ruleFix(workload, REFUSING) ?? nextFix(next));
    case "outage":
      return ruleFix(workload, ["RS004"]) ?? { is: "rule", id: "RS004", cause: causeOfOutage(workload) };
    case "may-stick":
      return lostFix(lost) ?? ruleFix(workload, ["RS015", "lost-port", "cannot-start"]) ?? nextFix(next);
    case "lost":
      return lostFix(lost);
    case "moved":
      return movedTo === undefined ? undefined : { is: "move", ...moveOf({ ...workload, movedTo }) };
    case "stale": {
      const effect = stale(workload);
      return effect.is === "stale" ? { is: "stale", cause: effect.cause } : undefined;
    }
    default:
      return nextFix(next);
  }
}

/** The rules for which the API server refuses an object. */
const REFUSING: readonly string[] = ["RS006", "RS019", "RS020"];

function ruleFix({ findings }: PlannedWorkload, ids: readonly string[]): Fix | undefined {
  const finding = findings.find(({ id, before }) => ids.includes(id) && before !== true);
  return finding === undefined ? undefined : { is: "rule", id: finding.id, cause: finding.cause };
}

/** The cause that RS004 would have: the configuration may switch it off. */
function causeOfOutage({ strategy, kind }: PlannedWorkload): string {
  if (strategy?.type === "Recreate") return "recreate";
  return kind === "StatefulSet" && strategy?.replicas === 1 ? "singlePod" : "strategy";
}

function lostFix(lost: PlannedWorkload["lost"]): Fix | undefined {
  return lost === undefined ? undefined : { is: "lost", hasKeys: lost.some(({ keys }) => keys.length > 0) };
}

function nextFix(next: Next | undefined): Fix | undefined {
  if (next === undefined) return undefined;
  if (next.id === "keep-selector") return { is: "selector" };
  return next.id === "promote" ? { is: "promote" } : { is: "next", next };
}
