import type { Rollout } from "../rollout/rollout-types.ts";
import type { ConfigHashSpec } from "../config/config-hash.ts";
import { compareBytes, isDigestText, isKeyedText } from "../digest/hash-v1.ts";
import { API_VERSION, CONFIG_HASH, HMAC_KEY_VARIABLE, WAITING } from "../ground/keys.ts";
import { addTo } from "../ground/grouped.ts";
import { annotationOf, type Item } from "../manifest/items.ts";
import { parseWaiting } from "../waves/waiting.ts";
import type {
  RolloutStatus,
  SourceState,
  SourceStatus,
  StatusReport,
  StatusSummary,
  WorkloadState,
  WorkloadStatus,
} from "./status-report.ts";
import { acceptedTogether, type Accepted, type Known } from "./accepted.ts";
import { sourceId } from "./digest-book.ts";
import type { LiveCluster, SourceTimes } from "./live-cluster.ts";
import type { LiveDecision, LiveDecisions } from "./live-decisions.ts";
import type { PodGroup } from "./live-objects.ts";
import type { Progress } from "./progress.ts";
import { matchStamps, type MatchedStamp } from "./match-stamps.ts";

export interface StatusOptions {
  /** Whether workloads that are as they should be are listed. */
  readonly all: boolean;
}

/** What a cluster's pods run with, against what it holds: once all digests are in the book. */
export function statusOf(
  cluster: LiveCluster,
  decisions: LiveDecisions,
  known: Known,
  spec: ConfigHashSpec,
  options: StatusOptions,
): StatusReport {
  const pods = podsByWorkload(cluster, decisions.all);
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
  // Its controller writes its template: nobody can stamp it there.
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
  const scene: Scene = { cluster, known, stalePods, waitsFor, byStamp: podsByStamp(pods) };
  const sources = stamps.flatMap(({ matched, annotations }) => judgeStamp(matched, annotations, scene));
  const total = pods.reduce((sum, { created }) => sum + created.length, 0);
  const isMixed = pods.some(({ stamps: own }) =>
    stamps.some(({ matched: { key }, annotations }) => key !== undefined && own.get(key) !== annotations.get(key)),
  );
  const isRolling = kind.rollsBy === "template" && isMixed;
  const older = isRolling ? { updated: total - countOlder(pods, stamps), desired: total } : undefined;
  const rollout = rolloutStatus(live.progress, rolls) ?? older ?? null;
  const told = sources.map(({ status }) => status);
  return [
    {
      apiVersion: item.apiVersion,
      kind: item.kind,
      namespace,
      name: item.name,
      state: stateOf(sources, rollout !== null),
      pods: { total, stale: stalePods.size },
      rollout,
      sources: told,
    },
  ];
}

/** Asks whether an object waits for a stamp; a first one may be over all sources, though none of its template is. */
function waitingFor(item: Item, together: () => Accepted): Scene["waitsFor"] {
  const waits = new Map(
    (parseWaiting(annotationOf(item, WAITING) ?? "") ?? []).map(({ key, digest }) => [key, digest]),
  );
  return (key, accepted) => {
    const digest = waits.get(key);
    if (digest !== undefined) return right(digest, accepted);
    const overAll = waits.get(CONFIG_HASH);
    return overAll !== undefined && right(overAll, together());
  };
}

/** How far a rollout has come; undefined where none is in progress. */
function rolloutStatus(progress: Progress | undefined, rolls: Rollout): RolloutStatus | undefined {
  if (progress === undefined) return undefined;
  const { replicas, partition } = rolls.strategy ?? {};
  const desired = progress.desired ?? Math.max(0, (replicas ?? 1) - (partition ?? 0));
  const updated = progress.updated ?? desired;
  if (progress.isSeen && updated >= desired && progress.older === 0) return undefined;
  const held = rolls.effect === "NoEffect" ? rolls.because : undefined;
  const because = held ?? (progress.isLate === true ? "its progress deadline has passed" : undefined);
  return { updated, desired, ...(because === undefined ? {} : { because }) };
}

type StampOfTemplate = { readonly matched: MatchedStamp; readonly annotations: ReadonlyMap<string, string> };

function countOlder(pods: readonly PodGroup[], stamps: readonly StampOfTemplate[]): number {
  const isOlder = (group: PodGroup): boolean =>
    stamps.some(
      ({ matched: { key }, annotations }) => key !== undefined && group.stamps.get(key) !== annotations.get(key),
    );
  return pods.filter(isOlder).reduce((sum, { created }) => sum + created.length, 0);
}

interface JudgedSource {
  readonly status: SourceStatus;
  /** The template itself has the right stamp. */
  readonly templateIsRight: boolean;
}

interface Scene {
  readonly cluster: LiveCluster;
  readonly known: Known;
  readonly stalePods: Set<string>;
  /** Whether the workload waits for a stamp of what the cluster holds. */
  readonly waitsFor: (key: string, accepted: Accepted) => boolean;
  /** Of each annotation the pods that have it. */
  readonly byStamp: ReadonlyMap<string, readonly StampedPods[]>;
}

interface StampedPods {
  readonly at: number;
  readonly stamp: string;
  readonly created: readonly number[];
}

/** The pods by their stamps: each of many stamps would go over all of them. */
function podsByStamp(pods: readonly PodGroup[]): ReadonlyMap<string, readonly StampedPods[]> {
  const found = new Map<string, StampedPods[]>();
  for (const [at, { stamps, created }] of pods.entries()) {
    for (const [key, stamp] of stamps) {
      addTo(found, key, { at, stamp, created });
    }
  }
  return found;
}

function judgeStamp(
  { key, sightings, accepted }: MatchedStamp,
  annotations: ReadonlyMap<string, string>,
  scene: Scene,
): JudgedSource[] {
  const [only, ...more] = sightings;
  if (only === undefined) return [];
  const isOne = more.length === 0 && key !== CONFIG_HASH;
  const named = {
    source: isOne ? { kind: only.kind, namespace: only.namespace, name: only.name } : null,
    keys: isOne ? shownKeys(only.keys) : ("*" as const),
  };
  const told = (found: SourceState, stalePods: number, because?: string): JudgedSource[] => {
    const isWaiting = (found === "Stale" || found === "Unstamped") && scene.waitsFor(key ?? only.stampKey, accepted);
    const state = isWaiting ? "Waiting" : found;
    return [
      {
        status: { ...named, state, stalePods, ...(because === undefined || isWaiting ? {} : { because }) },
        templateIsRight: state === "Current" || (key !== undefined && right(annotations.get(key) ?? "", accepted)),
      },
    ];
  };
  const unseen = sightings.map((sighting) => whyUnseen(sighting, scene.cluster)).find((why) => why !== undefined);
  if (key === undefined) {
    // What isn't there has no stamp; what can't be seen may not be there.
    if (only.source === undefined && unseen === undefined) return [];
    return told("Unstamped", 0);
  }
  const value = annotations.get(key) ?? "";
  const times = sightings.flatMap((sighting) => scene.cluster.times.get(sourceId(sighting)) ?? []);
  const why = right(value, accepted) ? undefined : whyUnknown(value, sightings, accepted, unseen, scene.known);
  if (why !== undefined) return told("Unknown", 0, why);
  const areKnown = times.length === sightings.length;
  // Each of many pods is held against the latest of many sources.
  const changedAt = times.reduce((latest, time) => Math.max(latest, time.changedAt), Number.NEGATIVE_INFINITY);
  const rotatedAt = lastRotation(times);
  const staleBy = (stamp: string, created: number): SourceState => {
    if (accepted.content.has(stamp)) return "Current";
    if (accepted.declared.has(stamp))
      return accepted.coverage === "declaration" && created <= rotatedAt ? "Rotated" : "Current";
    return areKnown && created > changedAt ? "Current" : "Stale";
  };
  let stale = 0;
  let rotated = 0;
  for (const { at, stamp, created } of scene.byStamp.get(key) ?? []) {
    for (const [i, time] of created.entries()) {
      const state = staleBy(stamp, time);
      if (state === "Current") continue;
      if (state === "Stale") stale += 1;
      else rotated += 1;
      scene.stalePods.add(`${at}/${i}`);
    }
  }
  if (stale > 0) return told("Stale", stale + rotated);
  if (rotated > 0) return told("Rotated", rotated);
  return right(value, accepted)
    ? told("Current", 0)
    : told("Stale", 0, "no running pod started before it last changed");
}

function right(stamp: string, { content, declared }: Accepted): boolean {
  return content.has(stamp) || declared.has(stamp);
}

// Objects that come with each other are made within a second of each other; that is no rotation.
const MADE_TOGETHER_MS = 1000;

/** When the last of the sources was rotated: what runs since then or before has the content of before. */
function lastRotation(times: readonly SourceTimes[]): number {
  return times.reduce(
    (latest, { createdAt, changedAt }) =>
      changedAt > createdAt + MADE_TOGETHER_MS ? Math.max(latest, changedAt) : latest,
    Number.NEGATIVE_INFINITY,
  );
}

function whyUnseen(
  sighting: MatchedStamp["sightings"][number],
  { unseenKinds, namespace }: LiveCluster,
): string | undefined {
  if (unseenKinds.has(sighting.kind)) return `${sighting.kind}s can't be read`;
  const isOutside = namespace !== undefined && sighting.namespace !== namespace;
  return isOutside ? `it is in another namespace, which was not read: give -A` : undefined;
}

function whyUnknown(
  stamp: string,
  sightings: MatchedStamp["sightings"],
  { content, declared }: Accepted,
  unseen: string | undefined,
  { hmacKey }: Known,
): string | undefined {
  if (isKeyedText(stamp) && hmacKey === undefined) return `the stamp is keyed: set ${HMAC_KEY_VARIABLE}`;
  if (!isDigestText(stamp)) return "the stamp is none that this version knows";
  if (unseen !== undefined) return unseen;
  if (content.size === 0 && declared.size === 0)
    return sightings.length === 1 ? "it is not in the cluster" : "none of them is in the cluster";
  return undefined;
}

function shownKeys(keys: MatchedStamp["sightings"][number]["keys"]): SourceStatus["keys"] {
  return keys === "*" ? "*" : [...keys].sort(compareBytes);
}

function stateOf(sources: readonly JudgedSource[], isRolling: boolean): WorkloadState {
  const has = (test: (source: JudgedSource) => boolean): boolean => sources.some(test);
  const isStale = ({ status }: JudgedSource): boolean => status.stalePods > 0 && status.state !== "Waiting";
  // Pods of the revision before are on their way out: only what the new template has wrong stays.
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
    stalePods: workloads.reduce((sum, { state, pods }) => sum + (state === "Waiting" ? 0 : pods.stale), 0),
  };
}
