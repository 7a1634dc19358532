import { isFiles } from "../../kubernetes/workloads/volumes.ts";
import type { Sighting } from "../../stamping/stamps/sightings.ts";
import type { Reference } from "../../kubernetes/workloads/types.ts";
import type { ChangedKeys, SeenBy } from "./plan-reasons.ts";

/**
 * How pods see the changed keys of a source. The kubelet updates a mounted ConfigMap or Secret in running pods, but neither
 * environment variables nor a volume that is mounted with `subPath` (kubernetes.io/docs/concepts/configuration/configmap), nor
 * the mount of a driver, nor a volume whose source is gone, unless it is optional (pkg/volume/configmap, SetUpAt).
 */
export function seenBy({ counted, source }: Sighting, keys: ChangedKeys): SeenBy {
  const changed = [...keys.added, ...keys.removed, ...keys.changed];
  const references = counted
    .map(({ reference }) => reference)
    .filter(
      (reference) => reference.keys === "*" || changed.some((key) => reference.keys !== "*" && reference.keys.has(key)),
    );
  const ways = new Set(
    (references.length === 0 ? counted.map(({ reference }) => reference) : references).flatMap((reference) =>
      source === undefined && !reference.optional ? ["env" as const] : waysOf(reference),
    ),
  );
  if (ways.size > 1) return "both";
  return ways.has("volume") ? "volume" : "env";
}

function waysOf(reference: Reference): ("env" | "volume")[] {
  const { volume, copy } = reference;
  // A copy never changes, wherever it is seen.
  if (copy !== undefined || !isFiles(reference)) return ["env"];
  const mounts = volume?.mounts ?? [];
  if (mounts.length === 0) return ["volume"];
  return mounts.map(({ subPath }) => (subPath === "" ? "volume" : "env"));
}
