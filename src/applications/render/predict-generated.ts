import { posix } from "node:path";
import { addTo, onceFor } from "../../base/grouped.ts";
import { KUSTOMIZATION_FILES } from "../../base/hosts/kustomize.ts";
import type { Snapshot } from "../../platform/ports/snapshot.ts";
import type { StageEntry } from "../../platform/ports/stage.ts";
import type { Mapping } from "../../yaml/read/json.ts";
import type { KustomizeRender } from "../discover/application.ts";
import { fluxEdits } from "./flux-kustomization.ts";
import { linksOf, pathsBelow, pathsOf } from "./snapshot-paths.ts";
import { resourcesBelow } from "./stage/generated-resources.ts";

/**
 * The kustomization that Flux generates for the folder of an application, as the staging does; undefined for other folders, and
 * where only the staging knows it. `isFile`: whether a path is a file that Flux fetches.
 */
export function predictGenerated(
  { flux, folder }: KustomizeRender,
  snapshot: Pick<Snapshot, "entries">,
  isFile: (path: string) => boolean,
): Mapping | undefined {
  const { entries } = snapshot;
  if (flux === undefined || KUSTOMIZATION_FILES.some((name) => entries.has(posix.join(folder, name)))) return undefined;
  // The staging follows links.
  if (pathsBelow(linksOf(snapshot), folder).length > 0) return undefined;
  const inFolders = entriesInFolders(snapshot);
  const entriesIn = (at: string): readonly StageEntry[] => inFolders.get(at) ?? [];
  return fluxEdits(flux).generate(resourcesBelow(folder, { entries: entriesIn }, (path) => !isFile(path)));
}

/** The entries of each folder, grouped once: many applications may have the same folder. */
const entriesInFolders = onceFor((snapshot: Pick<Snapshot, "entries">) => {
  const { entries } = snapshot;
  const inFolders = new Map<string, StageEntry[]>();
  for (const path of pathsOf(snapshot)) {
    const is = entries.get(path)?.is;
    const entry = { name: posix.basename(path), isFile: () => is === "file", isDirectory: () => is === "folder" };
    addTo(inFolders, posix.dirname(path), entry);
  }
  return inFolders;
});
