import { readdirSync } from "node:fs";
import { join } from "node:path";
import { errorCode, RollstampError } from "../../base/errors.ts";
import { isKustomizationFile } from "../../base/hosts/kustomize.ts";

// What Flux takes of a folder without a kustomization (fluxcd/pkg/kustomize, scanManifests), and what its source-controller
// leaves out of what it fetches (fluxcd/pkg/sourceignore).

/** Of what is no manifest, though it is called as one. */
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
 * The manifests of a folder, and the folders below it with a kustomization, as the resources of one. Of files that are
 * left out, by their whole paths, there are none, and no links.
 */
export function resourcesBelow(
  folder: string,
  isLeftOut: ((path: string, isFolder: boolean) => boolean) | undefined,
): readonly string[] {
  const found: string[] = [];
  const isThere = (entry: Entry, below: string): boolean =>
    isLeftOut === undefined || (entry.isFile() && !isLeftOut(join(folder, below, entry.name), false));
  const visit = (below: string): void => {
    for (const entry of entriesIn(join(folder, below))) {
      const path = `${below}/${entry.name}`;
      if (entry.isDirectory()) {
        if (IGNORED_FOLDERS.has(entry.name)) continue;
        const has = entriesIn(join(folder, path)).some(
          (one) => isKustomizationFile(one.name) && !one.isDirectory() && isThere(one, path),
        );
        if (has) found.push(path);
        else visit(path);
      } else if (/\.ya?ml$/u.test(entry.name) && !IGNORED_FILES.has(entry.name) && isThere(entry, below))
        found.push(path);
    }
  };
  visit(".");
  return found;
}

/** The names in a folder, in the order of their bytes. */
export function namesIn(folder: string): readonly string[] {
  return entriesIn(folder).map(({ name }) => name);
}

type Entry = ReturnType<typeof readSorted>[number];

function entriesIn(folder: string): ReturnType<typeof readSorted> {
  try {
    return readSorted(folder);
  } catch (cause) {
    throw new RollstampError("system", `the folder can't be read (${errorCode(cause)})`, { place: { file: folder } });
  }
}

function readSorted(folder: string): readonly { name: string; isDirectory: () => boolean; isFile: () => boolean }[] {
  return readdirSync(folder, { withFileTypes: true }).sort((a, b) =>
    Buffer.compare(Buffer.from(a.name), Buffer.from(b.name)),
  );
}
