import type { FindingData } from "../../../findings/catalogue/finding.ts";
import { onceFor } from "../../../base/once-for.ts";
import type { Item } from "../../../yaml/read/items.ts";
import { get, getPath, isTrue, itemsOf, kindOf } from "../../../yaml/read/node.ts";
import { resourceRef } from "../../../findings/results/location.ts";
import { isGenerated } from "../../../kubernetes/sources/kustomize-hash.ts";
import type { Sighting } from "../../../stamping/stamps/sightings.ts";
import type { VolumeUse } from "../../../kubernetes/workloads/types.ts";
import { problem, type LintRule } from "../rule.ts";

/** A canary or blue-green rollout of content that the old pods read too, as it is a mounted file of one name. */
export const SHARED_CANARY: LintRule<"RS021"> = {
  id: "RS021",
  check: ({ workloads }) =>
    workloads.flatMap(({ workload: { item, runBy }, templates }) => {
      const sightings = templates.flatMap(({ desired }) => desired?.sightings ?? []);
      const told = sharedCanary(item, runBy, sightings);
      if (told === undefined) return [];
      const shared = sightings.filter(isShared);
      const at = shared[0]?.counted.find(isMounted)?.reference ?? { node: item.node };
      const others = [...runBy, ...shared.flatMap(({ source }) => source?.item ?? [])];
      return [problem(item, at, told, others)];
    }),
};

/** What is told where the old pods of a canary read the content of some sources too; undefined where none does. */
export function sharedCanary(
  item: Item,
  runBy: readonly Item[],
  sightings: readonly Sighting[],
): FindingData<"RS021"> | undefined {
  const [strategy] = [item, ...runBy].flatMap((candidate) => inSteps(candidate) ?? []);
  const shared = strategy === undefined ? [] : sightings.filter(isShared);
  if (strategy === undefined || shared.length === 0) return undefined;
  const params = {
    workload: resourceRef(item),
    strategy,
    sources: shared.map(({ kind, namespace, name }) => ({ kind, namespace, name })),
  };
  return { id: "RS021", cause: "shared", params };
}

/** How an Argo Rollout parts old pods from new ones; undefined where it only replaces them. */
function inSteps({ tree, node, group, kind }: Item): "canary" | "blue-green" | undefined {
  if (group !== "argoproj.io" || kind !== "Rollout") return undefined;
  const strategy = getPath(tree, node, ["spec", "strategy"]);
  if (kindOf(tree, get(tree, strategy, "blueGreen")) === "mapping") return "blue-green";
  return itemsOf(tree, getPath(tree, strategy, ["canary", "steps"])).length > 0 ? "canary" : undefined;
}

/** A source whose content changes under the name by which old pods have it mounted. */
function isShared({ source, counted }: Sighting): boolean {
  if (source === undefined || source.provides.kind === "SecretProviderClass" || isGenerated(source)) return false;
  if (source.declared === undefined && isTrue(source.item.tree, get(source.item.tree, source.item.node, "immutable")))
    return false;
  return counted.some(isMounted);
}

/** The kubelet brings a mounted volume up to date, but nothing that is mounted with subPath. */
function isMounted({ reference: { via, volume } }: Sighting["counted"][number]): boolean {
  return (via === "volume" || via === "projected") && volume !== undefined && hasWholeMount(volume);
}

// A volume may have many sources.
const hasWholeMount = onceFor(({ mounts }: VolumeUse): boolean => mounts.some(({ subPath }) => subPath === ""));
