import { posix } from "node:path";
import { groupedBy } from "../../base/grouped.ts";
import { KUSTOMIZATION_FILES } from "../../base/hosts/kustomize.ts";
import type { Snapshot } from "../../platform/ports/snapshot.ts";
import type { StageEntry } from "../../platform/ports/stage.ts";
import type { Mapping } from "../../yaml/read/json.ts";
import type { KustomizeRender } from "../discover/application.ts";
import { fluxEdits } from "./flux-kustomization.ts";
import { pathsBelow, pathsOf } from "./snapshot-paths.ts";
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
  const below = pathsBelow(pathsOf(snapshot), folder);
  // The staging follows links.
  if (below.some((path) => entries.get(path)?.is === "link")) return undefined;
  const inFolders = groupedBy(below, posix.dirname);
  const entriesIn = (at: string): readonly StageEntry[] =>
    (inFolders.get(at) ?? []).map((path) => ({
      name: posix.basename(path),
      isFile: () => entries.get(path)?.is === "file",
      isDirectory: () => entries.get(path)?.is === "folder",
    }));
  return fluxEdits(flux).generate(resourcesBelow(folder, { entries: entriesIn }, (path) => !isFile(path)));
}
