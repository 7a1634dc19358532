import { SYNC_OPTIONS } from "../../base/hosts/argocd.ts";
import { RESOURCE_POLICY } from "../../base/hosts/helm.ts";
import { hasFluxMark } from "../../kubernetes/rollout/flux-marks.ts";
import { annotationOf, type Item } from "../../yaml/read/items.ts";

// Marks with which an object stays in the cluster (sources: deletions.ts).

/** What applies and deletes objects: Argo CD, Flux's kustomize-controller, Helm. */
export type Engine = "argo" | "flux" | "helm";

/** `pruned`: the object left its application. `deleted`: its application was deleted. */
export type Removal = "pruned" | "deleted";

interface Mark {
  readonly by: Engine;
  readonly at: readonly Removal[];
  readonly isOn: (item: Item) => boolean;
}

/** What protects an object. */
const MARKS: readonly Mark[] = [
  { by: "argo", at: ["pruned"], isOn: (item) => hasSyncOption(item, "Prune=false") },
  { by: "argo", at: ["deleted"], isOn: (item) => hasSyncOption(item, "Delete=false") },
  { by: "argo", at: ["deleted"], isOn: ({ kind }) => kind === "CustomResourceDefinition" },
  { by: "argo", at: ["deleted"], isOn: isKeptByHelm },
  { by: "helm", at: ["pruned", "deleted"], isOn: isKeptByHelm },
  { by: "flux", at: ["pruned", "deleted"], isOn: (item) => hasFluxMark(item, "prune", "disabled") },
  { by: "flux", at: ["pruned", "deleted"], isOn: (item) => hasFluxMark(item, "reconcile", "disabled") },
];

/** Whether a mark on an object keeps it in the cluster. The marks of every engine count if the engine is unknown. */
export function isProtected(item: Item, engine: Engine | undefined, removal: Removal): boolean {
  return MARKS.some(
    ({ by, at, isOn }) => (engine === undefined || by === engine) && at.includes(removal) && isOn(item),
  );
}

function hasSyncOption(item: Item, option: string): boolean {
  const options = annotationOf(item, SYNC_OPTIONS)?.split(",") ?? [];
  return options.some((one) => one.trim() === option);
}

function isKeptByHelm(item: Item): boolean {
  return annotationOf(item, RESOURCE_POLICY)?.trim().toLowerCase() === "keep";
}
