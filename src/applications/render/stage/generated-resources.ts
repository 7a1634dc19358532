import { posix } from "node:path";
import { isKustomizationFile } from "../../../base/hosts/kustomize.ts";
import type { StageEntry, StageSource } from "../../../platform/ports/stage.ts";

// What Flux builds from a folder without a kustomization (fluxcd/pkg/kustomize, scanManifests).

/** Files that have the name of a manifest but are not manifests. */
const IGNORED_FILES: ReadonlySet<string> = new Set([
  ".travis.yml",
  ".gitlab-ci.yml",
  "appveyor.yml",
  ".drone.yml",
  "cloudbuild.yaml",
  "codeship-services.yml",
  "codeship-steps.yml",
  ".goreleaser.yml",
  ".goreleaser.brew.yml",
  ".sops.yaml",
  ".flux.yaml",
]);
const IGNORED_FOLDERS: ReadonlySet<string> = new Set([".git", ".github", ".circleci"]);

/**
 * The resources of a kustomization for a folder that has none: its manifests, and the folders below it with a kustomization.
 * With `isLeftOut`, which gets whole paths, files that are left out do not count, and links neither.
 */
export function resourcesBelow(
  folder: string,
  { entries }: Pick<StageSource, "entries">,
  isLeftOut: ((path: string, isFolder: boolean) => boolean) | undefined,
): readonly string[] {
  const found: string[] = [];
  const isIncluded = (entry: StageEntry, below: string): boolean =>
    isLeftOut === undefined || (entry.isFile() && !isLeftOut(posix.join(folder, below, entry.name), false));
  const visit = (below: string): void => {
    for (const entry of entries(posix.join(folder, below))) {
      const path = `${below}/${entry.name}`;
      if (entry.isDirectory()) {
        if (IGNORED_FOLDERS.has(entry.name)) continue;
        const hasKustomization = entries(posix.join(folder, path)).some(
          (file) => isKustomizationFile(file.name) && !file.isDirectory() && isIncluded(file, path),
        );
        if (hasKustomization) found.push(path);
        else visit(path);
      } else if (/\.ya?ml$/u.test(entry.name) && !IGNORED_FILES.has(entry.name) && isIncluded(entry, below))
        found.push(path);
    }
  };
  visit(".");
  return found;
}
