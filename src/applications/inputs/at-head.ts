import { dirname, relative, sep } from "node:path";
import { addTo } from "../../base/grouped.ts";
import type { GitHistory, HistoryOptions, RevisionPath } from "../../platform/ports/git.ts";
import type { Io } from "../../platform/ports/io.ts";
import type { ManifestFile } from "../../yaml/read/manifest-text.ts";
import type { YamlTree } from "../../yaml/read/tree.ts";

// The files of a run at a revision of their repository.

export interface FileInRepository {
  readonly tree: YamlTree;
  /** From the root of the repository. */
  readonly path: string;
}

/** Git for one repository. */
export interface GitReader {
  readonly git: GitHistory;
  readonly options: HistoryOptions;
}

/** The files of a run by the root of their repository, without those outside of any. */
export function byRepository(
  io: Pick<Io, "files">,
  files: readonly ManifestFile[],
): ReadonlyMap<string, readonly FileInRepository[]> {
  const roots = new Map<string, string | undefined>();
  const rootOf = (folder: string): string | undefined => {
    if (!roots.has(folder)) roots.set(folder, io.files.repositoryOf(folder));
    return roots.get(folder);
  };
  const byRoot = new Map<string, FileInRepository[]>();
  for (const { real, manifests } of files) {
    const root = real === undefined ? undefined : rootOf(dirname(real));
    if (real === undefined || root === undefined) continue;
    addTo(byRoot, root, { tree: manifests.tree, path: relative(root, real).split(sep).join("/") });
  }
  return byRoot;
}

// The output of git for them is kept in memory.
const AT_ONCE = 200;

/** The texts of files at a revision, by path; without those that it lacks. */
export async function textsAt(
  { git, options }: GitReader,
  commit: string,
  paths: readonly string[],
): Promise<Map<string, string>> {
  const texts = new Map<string, string>();
  for (let from = 0; from < paths.length; from += AT_ONCE) {
    const some = paths.slice(from, from + AT_ONCE).map((path): RevisionPath => ({ commit, path }));
    const found = await git.textsAt(some, options);
    for (const [i, { path }] of some.entries()) {
      const text = found[i];
      if (text !== undefined) texts.set(path, text);
    }
  }
  return texts;
}
