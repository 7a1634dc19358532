import { kustomizationOf } from "../kustomize/kustomization.ts";
import { givenText } from "../discover/objects.ts";
import { includedIn } from "../discover/kustomizations.ts";
import { foldersAround, fluxPath } from "../discover/paths.ts";
import type { Repository } from "../discover/repository.ts";
import { fieldsOf } from "../../yaml/read/json.ts";
import { addTo } from "../../base/grouped.ts";

/** The namespaces into which what stands in a file is put: by each kustomization that includes it, and by Flux. */
export function namespacesAround(
  repository: Pick<Repository, "kustomizations" | "objects">,
): (path: string) => ReadonlySet<string> {
  const includers = new Map<string, string[]>();
  const namespaces = new Map<string, string>();
  for (const { folder, content } of repository.kustomizations.values()) {
    if (content === undefined) continue;
    const { namespace } = kustomizationOf(content);
    if (namespace !== "") namespaces.set(folder, namespace);
    for (const path of includedIn(folder, repository)) addTo(includers, path, folder);
  }
  const targets = fluxTargets(repository);
  const known = new Map<string, ReadonlySet<string>>();
  return (path) => {
    const done = known.get(path);
    if (done !== undefined) return done;
    const found = new Set<string>();
    const seen = new Set([path]);
    for (const at of seen) {
      const own = namespaces.get(at);
      if (own !== undefined) found.add(own);
      for (const folder of includers.get(at) ?? []) seen.add(folder);
      // Of a folder without a kustomization Flux takes all that is below.
      for (const folder of [at, ...foldersAround(at)])
        if (folder === at || !repository.kustomizations.has(folder))
          for (const namespace of targets.get(folder) ?? []) found.add(namespace);
    }
    known.set(path, found);
    return found;
  };
}

/** The `targetNamespace` of Flux's Kustomizations, by their paths. */
function fluxTargets({ objects }: Pick<Repository, "objects">): ReadonlyMap<string, readonly string[]> {
  const targets = new Map<string, string[]>();
  for (const { group, kind, spec } of objects) {
    if (group !== "kustomize.toolkit.fluxcd.io" || kind !== "Kustomization") continue;
    const namespace = givenText(fieldsOf(spec)["targetNamespace"]);
    const path = fluxPath(givenText(spec["path"]) ?? ".");
    if (namespace !== undefined && path !== undefined) targets.set(path, [...(targets.get(path) ?? []), namespace]);
  }
  return targets;
}
