import { compareBytes, isDigestText, isKeyedText } from "../../base/digest/hash-v1.ts";
import { addTo } from "../../base/grouped.ts";
import { CONFIG_HASH, HMAC_KEY_VARIABLE } from "../../base/keys.ts";
import type { Accepted, Known, MatchedStamp } from "./stamps.ts";
import { COPY_DIGITS } from "../../kubernetes/sources/copies.ts";
import { objectKey } from "../../base/identity.ts";
import type { LiveCluster, SourceTimes } from "./read-cluster.ts";
import type { PodGroup } from "./live-objects.ts";
import type { SourceState, SourceStatus } from "./status-report.ts";

/** The state of a source for the pods of one workload. */
export interface JudgedSource {
  readonly status: SourceStatus;
  /** Whether the template has the correct stamp. */
  readonly templateIsRight: boolean;
}

/** The context of the stamps of one workload. */
export interface Scene {
  readonly cluster: LiveCluster;
  readonly known: Known;
  /** The pods found with old content, as `GROUP/NUMBER`, so that each pod counts once. */
  readonly stalePods: Set<string>;
  /** Whether the workload waits for a stamp of the current content. */
  readonly waitsFor: (key: string, accepted: Accepted) => boolean;
  /** Why the pods of the workload are unknown; undefined if they were read. */
  readonly whyNoPods: string | undefined;
  /** The pods by annotation. */
  readonly byStamp: ReadonlyMap<string, readonly StampedPods[]>;
}

interface StampedPods {
  /** The index of the group of pods. */
  readonly groupIndex: number;
  readonly stamp: string;
  /** When each of its pods was created, in milliseconds since 1970. */
  readonly created: readonly number[];
}

/** Pods indexed by their stamps, so that many stamps do not each iterate over all pods. */
export function podsByStamp(pods: readonly PodGroup[]): ReadonlyMap<string, readonly StampedPods[]> {
  const found = new Map<string, StampedPods[]>();
  for (const [groupIndex, { stamps, created }] of pods.entries()) {
    for (const [key, stamp] of stamps) {
      addTo(found, key, { groupIndex, stamp, created });
    }
  }
  return found;
}

/** Compares a stamp of a pod template with its sources, and finds the pods with old content. */
export function judgeStamp(
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
  const judged = (found: SourceState, stalePods: number, because?: string): JudgedSource[] => {
    const isWaiting = (found === "Stale" || found === "Unstamped") && scene.waitsFor(key ?? only.stampKey, accepted);
    const state = isWaiting ? "Waiting" : found;
    return [
      {
        status: { ...named, state, stalePods, ...(because === undefined || isWaiting ? {} : { because }) },
        templateIsRight: state === "Current" || (key !== undefined && isAccepted(annotations.get(key) ?? "", accepted)),
      },
    ];
  };
  const unseen = sightings.map((sighting) => whyUnseen(sighting, scene.cluster)).find((why) => why !== undefined);
  if (key === undefined) {
    // A missing source has no stamp. A source that cannot be read may be missing.
    if (only.source === undefined && unseen === undefined) return [];
    return judged("Unstamped", 0);
  }
  const value = annotations.get(key) ?? "";
  const times = sightings.flatMap((sighting) => scene.cluster.times.get(objectKey(sighting)) ?? []);
  const why = isAccepted(value, accepted) ? undefined : whyUnknown(value, sightings, accepted, unseen, scene.known);
  if (why !== undefined) return judged("Unknown", 0, why);
  const areKnown = times.length === sightings.length;
  // Computed once: each of many pods is compared with the latest of many sources.
  const changedAt = times.reduce((latest, time) => Math.max(latest, time.changedAt), Number.NEGATIVE_INFINITY);
  const rotatedAt = lastRotation(times);
  const staleBy = (stamp: string, created: number): SourceState => {
    if (accepted.content.has(stamp)) return "Current";
    if (accepted.declared.has(stamp))
      return accepted.coverage === "declaration" && created <= rotatedAt ? "Rotated" : "Current";
    // A pod that names an old copy has its content, whenever it was created.
    return !isOfCopy(stamp) && areKnown && created > changedAt ? "Current" : "Stale";
  };
  let stale = 0;
  let rotated = 0;
  for (const { groupIndex, stamp, created } of scene.byStamp.get(key) ?? []) {
    for (const [i, time] of created.entries()) {
      const state = staleBy(stamp, time);
      if (state === "Current") continue;
      if (state === "Stale") stale += 1;
      else rotated += 1;
      scene.stalePods.add(`${groupIndex}/${i}`);
    }
  }
  if (stale > 0) return judged("Stale", stale + rotated);
  if (rotated > 0) return judged("Rotated", rotated);
  if (scene.whyNoPods !== undefined) return judged("Unknown", 0, scene.whyNoPods);
  return isAccepted(value, accepted)
    ? judged("Current", 0)
    : judged(
        "Stale",
        0,
        isOfCopy(value) ? "no running pod has an older copy" : "no running pod started before it last changed",
      );
}

/** Whether a stamp matches the current content of the cluster. */
export function isAccepted(stamp: string, { content, declared }: Accepted): boolean {
  return content.has(stamp) || declared.has(stamp);
}

// Objects of one apply are created within a second. This is not a rotation.
const MADE_TOGETHER_MS = 1000;

/** When the last source was rotated. Pods that are not younger have the old content. */
function lastRotation(times: readonly SourceTimes[]): number {
  return times.reduce(
    (latest, { createdAt, changedAt }) =>
      changedAt > createdAt + MADE_TOGETHER_MS ? Math.max(latest, changedAt) : latest,
    Number.NEGATIVE_INFINITY,
  );
}

/** Whether a stamp is the digits in the name of a copy (layout Versioned). */
function isOfCopy(stamp: string): boolean {
  return stamp.length === COPY_DIGITS && /^[0-9a-f]+$/u.test(stamp);
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
  if (isOfCopy(stamp) && hmacKey === undefined && sightings.some(({ kind }) => kind === "Secret"))
    return `the name of the copy may be keyed: set ${HMAC_KEY_VARIABLE}`;
  if (!isDigestText(stamp) && !isOfCopy(stamp)) return "this version does not know this form of stamp";
  if (unseen !== undefined) return unseen;
  if (content.size === 0 && declared.size === 0)
    return sightings.length === 1 ? "it is not in the cluster" : "they are not in the cluster";
  return undefined;
}

function shownKeys(keys: MatchedStamp["sightings"][number]["keys"]): SourceStatus["keys"] {
  return keys === "*" ? "*" : [...keys].sort(compareBytes);
}
