import type { Rollout } from "../../kubernetes/rollout/rollout-types.ts";
import type { ConfigHashSpec } from "../../stamping/function/config-hash.ts";
import { compareBytes } from "../../base/digest/hash-v1.ts";
import { API_VERSION, CONFIG_HASH, WAITING } from "../../base/keys.ts";
import { addTo, sumOf } from "../../base/grouped.ts";
import { annotationOf, type Item } from "../../yaml/read/items.ts";
import { parseWaiting } from "../../stamping/waves/wave.ts";
import type { RolloutStatus, StatusReport, StatusSummary, WorkloadState, WorkloadStatus } from "./status-report.ts";
import { acceptedTogether, type Accepted, type Known, matchStamps, type MatchedStamp } from "./stamps.ts";
import { isAccepted, judgeStamp, podsByStamp, type JudgedSource, type Scene } from "./judge-stamp.ts";
import type { LiveCluster } from "./read-cluster.ts";
import type { LiveDecision, LiveDecisions } from "./live-decisions.ts";
import type { PodGroup } from "./live-objects.ts";
import type { Progress } from "./progress.ts";

export interface StatusOptions {
  /** Whether current workloads are listed too. */
  readonly all: boolean;
}

/** Compares what the pods of a cluster run with and what the cluster contains. All digests must be in the book. */
export function statusOf(
  cluster: LiveCluster,
  decisions: LiveDecisions,
  known: Known,
  spec: ConfigHashSpec,
  options: StatusOptions,
): StatusReport {
  const groups = cluster.pods.map((group) => ({ ...group, stamps: decisions.stampsOf(group) }));
  const pods = podsByWorkload({ ...cluster, pods: groups }, decisions.all);
  const judged = decisions.all.flatMap((decision) => judge(decision, pods.get(decision) ?? [], cluster, known));
  const workloads = judged.sort(inOrder);
  return {
    apiVersion: API_VERSION,
    kind: "ClusterStatus",
    context: cluster.context,
    ...(cluster.namespace === undefined ? {} : { namespace: cluster.namespace }),
    summary: summaryOf(workloads),
    workloads: workloads.filter(({ state }) => options.all || state !== "Current"),
    unseen: [...cluster.unseen, ...decisions.unseen, ...ignored(spec)],
  };
}

function ignored({ secrets }: ConfigHashSpec): StatusReport["unseen"] {
  return secrets === "Ignore" ? [{ what: "secrets", because: "'secrets: Ignore' is configured" }] : [];
}

function podsByWorkload(cluster: LiveCluster, decisions: readonly LiveDecision[]): Map<LiveDecision, PodGroup[]> {
  const byUid = new Map<string, LiveDecision>();
  for (const decision of decisions) for (const uid of [decision.live.uid, ...decision.runBy]) byUid.set(uid, decision);
  const controllers = new Map(cluster.controllers);
  for (const { uid, controller } of cluster.workloads) controllers.set(uid, controller);
  const found = new Map<LiveDecision, PodGroup[]>();
  for (const group of cluster.pods) {
    const seen = new Set<string>();
    for (let uid = group.controller; uid !== "" && !seen.has(uid); uid = controllers.get(uid) ?? "") {
      seen.add(uid);
      const decision = byUid.get(uid);
      if (decision === undefined) continue;
      addTo(found, decision, group);
      break;
    }
  }
  return found;
}

function judge(
  { live, decision, rollout: rolls, templates }: LiveDecision,
  pods: readonly PodGroup[],
  cluster: LiveCluster,
  known: Known,
): WorkloadStatus[] {
  const { item, namespace, kind } = decision.workload;
  const stamps = templates.flatMap(({ sightings, annotations }) =>
    matchStamps(sightings, annotations, namespace, known).map((matched) => ({ matched, annotations })),
  );
  // A controller writes its template, so nobody can stamp it there.
  const isOthers = live.controller !== "" && stamps.every(({ matched }) => matched.key === undefined);
  if (stamps.length === 0 || isOthers) return [];
  const stalePods = new Set<string>();
  const waitsFor = waitingFor(item, () =>
    acceptedTogether(
      templates.flatMap(({ sightings }) => sightings),
      namespace,
      known,
    ),
  );
  const whyNoPods = whyPodsAreUnseen(cluster, kind.kind, rolls);
  const scene: Scene = { cluster, known, stalePods, waitsFor, whyNoPods, byStamp: podsByStamp(pods) };
  const sources = stamps.flatMap(({ matched, annotations }) => judgeStamp(matched, annotations, scene));
  const total = sumOf(pods, ({ created }) => created.length);
  const isMixed = pods.some(({ stamps: own }) =>
    stamps.some(({ matched: { key }, annotations }) => key !== undefined && own.get(key) !== annotations.get(key)),
  );
  const isRolling = kind.rollsBy === "template" && isMixed;
  const older = isRolling ? { updated: total - countOlder(pods, stamps), desired: total } : undefined;
  const rollout = rolloutStatus(live.progress, rolls) ?? older ?? null;
  return [
    {
      apiVersion: item.apiVersion,
      kind: item.kind,
      namespace,
      name: item.name,
      state: stateOf(sources, rollout !== null),
      pods: { total, stale: stalePods.size },
      rollout,
      sources: sources.map(({ status }) => status),
    },
  ];
}

/** Without the lists of pods, and of the ReplicaSets between them and their workload, no pod is known to have new content. */
function whyPodsAreUnseen({ unseenKinds }: LiveCluster, kind: string, { effect }: Rollout): string | undefined {
  if (effect === "NextRun") return undefined;
  const needed = kind === "StatefulSet" || kind === "DaemonSet" ? ["Pod"] : ["Pod", "ReplicaSet"];
  const missing = needed.find((one) => unseenKinds.has(one));
  return missing === undefined ? undefined : `${missing}s can't be read`;
}

/** Whether a workload waits for a stamp. A first stamp may cover all sources, although none is in its template. */
function waitingFor(item: Item, together: () => Accepted): Scene["waitsFor"] {
  const waits = new Map(
    (parseWaiting(annotationOf(item, WAITING) ?? "") ?? []).map(({ key, digest }) => [key, digest]),
  );
  return (key, accepted) => {
    const digest = waits.get(key);
    if (digest !== undefined) return isAccepted(digest, accepted);
    const overAll = waits.get(CONFIG_HASH);
    return overAll !== undefined && isAccepted(overAll, together());
  };
}

/** Undefined if no rollout is in progress. */
function rolloutStatus(progress: Progress | undefined, rolls: Rollout): RolloutStatus | undefined {
  if (progress === undefined) return undefined;
  const { replicas, partition } = rolls.strategy ?? {};
  const desired = progress.desired ?? Math.max(0, (replicas ?? 1) - (partition ?? 0));
  const { updated } = progress;
  if (progress.isSeen && updated >= desired && progress.older === 0) return undefined;
  const hold = rolls.effect === "NoEffect" ? rolls.because : undefined;
  const because = hold ?? (progress.isLate === true ? "its progress deadline has passed" : undefined);
  return { updated, desired, ...(because === undefined ? {} : { because }) };
}

type StampOfTemplate = { readonly matched: MatchedStamp; readonly annotations: ReadonlyMap<string, string> };

function countOlder(pods: readonly PodGroup[], stamps: readonly StampOfTemplate[]): number {
  const isOlder = (group: PodGroup): boolean =>
    stamps.some(
      ({ matched: { key }, annotations }) => key !== undefined && group.stamps.get(key) !== annotations.get(key),
    );
  return sumOf(pods.filter(isOlder), ({ created }) => created.length);
}

function stateOf(sources: readonly JudgedSource[], isRolling: boolean): WorkloadState {
  const has = (test: (source: JudgedSource) => boolean): boolean => sources.some(test);
  const isStale = ({ status }: JudgedSource): boolean => status.stalePods > 0 && status.state !== "Waiting";
  // Pods of the previous revision are being replaced. Only errors of the new template remain.
  if (has((source) => isStale(source) && (!source.templateIsRight || source.status.state === "Rotated")))
    return "Stale";
  if (isRolling) return "RollingOut";
  if (has(isStale)) return "Stale";
  if (has(({ status }) => status.state === "Stale")) return "Behind";
  if (has(({ status }) => status.state === "Unstamped")) return "Unstamped";
  if (has(({ status }) => status.state === "Unknown")) return "Unknown";
  return has(({ status }) => status.state === "Waiting") ? "Waiting" : "Current";
}

const ORDER: readonly WorkloadState[] = ["Stale", "RollingOut", "Behind", "Unstamped", "Unknown", "Waiting", "Current"];

function inOrder(a: WorkloadStatus, b: WorkloadStatus): number {
  return (
    ORDER.indexOf(a.state) - ORDER.indexOf(b.state) ||
    compareBytes(a.namespace, b.namespace) ||
    compareBytes(a.kind, b.kind) ||
    compareBytes(a.name, b.name)
  );
}

function summaryOf(workloads: readonly WorkloadStatus[]): StatusSummary {
  const count = (state: WorkloadState): number => workloads.filter((workload) => workload.state === state).length;
  return {
    workloads: workloads.length,
    stale: count("Stale"),
    rollingOut: count("RollingOut"),
    behind: count("Behind"),
    unstamped: count("Unstamped"),
    unknown: count("Unknown"),
    waiting: count("Waiting"),
    stalePods: sumOf(workloads, ({ state, pods }) => (state === "Waiting" ? 0 : pods.stale)),
  };
}
