import { posix } from "node:path";
import { globOf, WILDCARD } from "../../base/glob.ts";
import type { FolderView } from "../../platform/ports/applications.ts";

// Components may be patterns to `kustomize edit add component`: it takes what Go's filepath.Glob finds, without hidden
// names, and where that is nothing the text itself (kustomize/v5, commands/internal/util; kyaml, filesys).

/** True for a path in which Go's filepath.Glob sees a pattern. */
export function isPattern(path: string): boolean {
  return WILDCARD.test(path);
}

/** The folder below which all is that a pattern may find, from where the pattern is told. */
export function fixedPart(pattern: string): string {
  const at = pattern.search(WILDCARD);
  return posix.dirname(`${at < 0 ? pattern : pattern.slice(0, at)}x`);
}

/** What a component comes to, from the folder of the kustomization; undefined for a pattern that is none. */
export function componentsAt(written: string, view: FolderView): readonly string[] | undefined {
  const found = globbed(written, view);
  const shown = isHidden(written) ? found : found?.filter((path) => !isHidden(path));
  return shown?.length === 0 ? [written] : shown;
}

function isHidden(path: string): boolean {
  return posix.basename(path).startsWith(".");
}

function globbed(pattern: string, view: FolderView): readonly string[] | undefined {
  if (!isPattern(pattern)) return view.exists(pattern) ? [pattern] : [];
  const at = pattern.lastIndexOf("/") + 1;
  const file = pattern.slice(at);
  const matches = globOf(file, "goPath");
  const folder = at === 0 ? "." : pattern.slice(0, Math.max(1, at - 1));
  const folders = isPattern(folder) ? globbed(folder, view) : [folder];
  if (matches === undefined) return undefined;
  return folders?.flatMap((one) =>
    view
      .namesIn(one)
      .filter((name) => matches(name))
      .map((name) => posix.join(one, name)),
  );
}
