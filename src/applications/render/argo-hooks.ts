import { HELM_HOOK } from "../../base/hosts/helm.ts";
import { annotationOf, type Item } from "../../yaml/read/items.ts";

// What a sync of Argo CD leaves out by an object's hooks: gitops-engine/pkg/sync/hook, helm and ignore (v3.1).

const ARGO_HOOK = "argocd.argoproj.io/hook";
const SKIP = "Skip";
const OF_ARGO: ReadonlySet<string> = new Set(["PreSync", "Sync", "PostSync", "SyncFail", SKIP]);
/** The hooks of Helm that Argo CD has an own one for: `test`, `pre-delete` and the others run nowhere. */
const OF_HELM: ReadonlySet<string> = new Set(["pre-install", "pre-upgrade", "post-upgrade", "post-install"]);

/** True for what Argo CD applies or runs: neither marked `Skip`, nor a hook of none of the kinds that it runs. */
export function isSynced(item: Item): boolean {
  const argo = annotationOf(item, ARGO_HOOK);
  const helm = annotationOf(item, HELM_HOOK);
  const known = wordsOf(argo).filter((word) => OF_ARGO.has(word));
  if (known.length > 0) return known.some((word) => word !== SKIP);
  // Helm 2 marked definitions in that way, which are none of its hooks.
  const isHook = argo !== undefined || (helm !== undefined && helm !== "crd-install");
  return !isHook || wordsOf(helm).some((word) => OF_HELM.has(word));
}

function wordsOf(value: string | undefined): readonly string[] {
  return value === undefined ? [] : value.split(",").map((word) => word.trim());
}
