import { basename, dirname, sep } from "node:path";
import type { RepositoryTree, TextTest } from "../../applications/discover/repository-tree.ts";
import { contentOf } from "../../applications/discover/marked.ts";
import { inPathOrder } from "../../applications/discover/paths.ts";
import { marksFolder } from "../../applications/discover/repository.ts";
import { SOURCE_IGNORE_FILE } from "../../applications/discover/source-ignore.ts";
import { RollstampError } from "../../base/errors.ts";
import { KUSTOMIZATION_FILES } from "../../base/hosts/kustomize.ts";
import { onceFor } from "../../base/once-for.ts";
import type { Revision, Revisions } from "../ports/revisions.ts";
import { isManifestName } from "../../yaml/read/manifest-text.ts";
import { generatorFiles } from "../../applications/render/generated-data.ts";
import { follow, linksOf } from "../../applications/render/revision-paths.ts";
import { isIgnored, KPT_IGNORE_FILE, rulesFrom, type IgnoreRules } from "./ignore-rules.ts";
import { countsBesideItsTarget } from "./linked-files.ts";

/**
 * The files of a revision, less those that a .krmignore of it names, as a worktree's are found. What .gitignore names is
 * left out of a worktree as nobody knows there who made it; in a revision it is, as somebody has committed it.
 */
export async function revisionTree(revision: Revision, revisions: Revisions): Promise<RepositoryTree> {
  const { entries } = revision;
  const { limits } = revisions;
  const ignoring = new Map(
    [...entries.keys()].flatMap((path): [string, string][] => {
      if (basename(path) !== KPT_IGNORE_FILE) return [];
      const { to } = follow(revision, path, revisions);
      return to?.is === "file" ? [[path, to.id]] : [];
    }),
  );
  await revisions.fetch([...ignoring.values()]);
  const textOf = (path: string): string | undefined => {
    const id = ignoring.get(path);
    if (id === undefined) return undefined;
    const read = revisions.text(id, path);
    // As bytes: git matches these.
    return read.is === "text" ? Buffer.from(read.text, "utf8").toString("latin1") : undefined;
  };
  const folders = new Map<string, { readonly isLeft: boolean; readonly rules: IgnoreRules | undefined }>();
  /** Whether a folder is left out, and the rules that hold in it. */
  const inFolder = (folder: string): { readonly isLeft: boolean; readonly rules: IgnoreRules | undefined } => {
    let known = folders.get(folder);
    if (known === undefined) {
      const above = folder === "." ? { isLeft: false, rules: undefined } : inFolder(dirname(folder));
      const isLeft =
        above.isLeft ||
        basename(folder) === "node_modules" ||
        (folder !== "." && isIgnored(above.rules, seen(folder), true));
      const at = folder === "." ? "" : `${folder}/`;
      const rules = isLeft
        ? above.rules
        : rulesFrom(seen(folder), above.rules, (name) => textOf(`${at}${name}`), limits.expression);
      folders.set(folder, (known = { isLeft, rules }));
    }
    return known;
  };
  const files = [...entries].flatMap(([path, { is }]) => {
    if (is !== "file") return [];
    const { isLeft, rules } = inFolder(dirname(path));
    return isLeft || isIgnored(rules, seen(path), false) ? [] : [path];
  });
  const known = new Set(files);
  // A link to what is found by itself would show it twice.
  const targets = new Map<string, string>();
  for (const path of linksOf(revision)) {
    if (!isManifestName(path) && !marksFolder(basename(path))) continue;
    const { to } = follow(revision, path, revisions);
    if (to?.is !== "file" || (known.has(to.path) && !countsBesideItsTarget(path, to.path))) continue;
    const { isLeft, rules } = inFolder(dirname(path));
    if (isLeft || isIgnored(rules, seen(path), false)) continue;
    targets.set(path, to.path);
    files.push(path);
    known.add(to.path);
  }
  const wanted = files.filter(isLookedInto);
  await revisions.fetch(wanted.flatMap((path) => entries.get(targets.get(path) ?? path)?.id ?? []));
  const tree = treeOf(revision, revisions, { files, targets });
  await revisions.fetch(
    generatedFrom(tree).flatMap((path) => {
      const { to } = follow(revision, path, revisions);
      return to?.is === "file" ? [to.id] : [];
    }),
  );
  return tree;
}

function treeOf(
  revision: Revision,
  revisions: Revisions,
  { files, targets }: { readonly files: readonly string[]; readonly targets: ReadonlyMap<string, string> },
): RepositoryTree {
  const idOf = (path: string): string | undefined => {
    const { to } = follow(revision, targets.get(path) ?? path, revisions);
    return to?.is === "file" && revisions.has(to.id) ? to.id : undefined;
  };
  return {
    files: inPathOrder(files, (path) => path),
    left: [],
    read: (path) => {
      const id = idOf(path);
      if (id !== undefined) return revisions.text(id, path);
      const error = new RollstampError("system", "the file is not there", { place: { file: path } });
      return { is: "refused", because: "missing", error };
    },
    says: (path, test) => {
      const id = idOf(path);
      if (id === undefined) return false;
      const known = said(revisions);
      let answers = known.get(test);
      if (answers === undefined) known.set(test, (answers = new Map()));
      let answer = answers.get(id);
      if (answer === undefined) {
        const read = revisions.text(id, path);
        answers.set(id, (answer = read.is === "text" && test(read.text)));
      }
      return answer;
    },
    limits: revisions.limits,
  };
}

/** What generators read of which somebody may take values: their files have any names. Where nobody does, none. */
function generatedFrom(tree: RepositoryTree): readonly string[] {
  const generated = tree.files.flatMap((path) => {
    const made = KUSTOMIZATIONS.has(basename(path)) ? contentOf(tree, path) : undefined;
    return made === undefined || "problem" in made ? [] : generatorFiles(made.content, dirname(path));
  });
  const isTaken = generated.length > 0 && tree.files.some((path) => isLookedInto(path) && tree.says(path, takesValues));
  return isTaken ? generated : [];
}

function takesValues(text: string): boolean {
  return /\b(?:substituteFrom|valuesFrom)\b/u.test(text);
}

// By the id of the text: most are the same in both revisions.
const said: (revisions: Revisions) => Map<TextTest, Map<string, boolean>> = onceFor(
  () => new Map<TextTest, Map<string, boolean>>(),
);

const KUSTOMIZATIONS: ReadonlySet<string> = new Set(KUSTOMIZATION_FILES);

function isLookedInto(path: string): boolean {
  const name = basename(path);
  return isManifestName(path) || path.endsWith(".tpl") || KUSTOMIZATIONS.has(name) || name === SOURCE_IGNORE_FILE;
}

/** A path as ignore rules see it. */
function seen(path: string): string {
  return path === "." ? sep : `${sep}${path.split("/").join(sep)}`;
}
