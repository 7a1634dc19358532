import { ARGO_HOOK } from "../../base/hosts/argocd.ts";
import { HELM_HOOK } from "../../base/hosts/helm.ts";
import { annotationOf, type Item } from "../../yaml/read/items.ts";

// Objects that a sync of Argo CD skips because of their hooks: gitops-engine/pkg/sync/hook, helm and ignore (v3.1).

const SKIP = "Skip";
const OF_ARGO: ReadonlySet<string> = new Set(["PreSync", "Sync", "PostSync", "SyncFail", SKIP]);
/** The hooks of Helm that Argo CD runs. It does not run `test`, `pre-delete` and others. */
const OF_HELM: ReadonlySet<string> = new Set(["pre-install", "pre-upgrade", "post-upgrade", "post-install"]);

/** Whether Argo CD applies or runs an object: it is not marked `Skip`, and not a hook that Argo CD does not run. */
export function isSynced(item: Item): boolean {
  const argo = annotationOf(item, ARGO_HOOK);
  const helm = annotationOf(item, HELM_HOOK);
  const known = wordsOf(argo).filter((word) => OF_ARGO.has(word));
  if (known.length > 0) return known.some((word) => word !== SKIP);
  // Helm 2 marked definitions with crd-install; they are not hooks.
  const isHook = argo !== undefined || (helm !== undefined && helm !== "crd-install");
  return !isHook || wordsOf(helm).some((word) => OF_HELM.has(word));
}

function wordsOf(value: string | undefined): readonly string[] {
  return value === undefined ? [] : value.split(",").map((word) => word.trim());
}
