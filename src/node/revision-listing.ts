import { basename, dirname, sep } from "node:path";
import { contentOf } from "../applications/discover/marked.ts";
import { inPathOrder } from "../applications/discover/paths.ts";
import { KPTFILE, marksFolder } from "../applications/discover/repository.ts";
import { SOURCE_IGNORE_FILE } from "../applications/discover/source-ignore.ts";
import { RollstampError } from "../base/errors.ts";
import { KUSTOMIZATION_FILES } from "../base/hosts/kustomize.ts";
import { once, onceFor } from "../base/grouped.ts";
import { isHelmfile } from "../base/hosts/helmfile.ts";
import type { LeftFile } from "../platform/ports/files.ts";
import type { Contents, Snapshot, TextTest } from "../platform/ports/snapshot.ts";
import { isManifestName } from "../yaml/read/manifest-text.ts";
import { kustomizationOf } from "../applications/kustomize/kustomization.ts";
import { generatorFiles } from "../applications/render/find-data.ts";
import { follow, linksOf } from "../applications/render/snapshot-paths.ts";
import { isIgnored, KPT_IGNORE_FILE, LARGEST_FILE, rulesFrom, type IgnoreRules } from "./ignore-rules.ts";
import { isNeverEntered } from "./dependency-folders.ts";
import { countsBesideItsTarget } from "./find-files.ts";
import { misnamed } from "./utf8.ts";

/** A revision before its files are listed. */
type Opened = Pick<Snapshot, "entries" | "contents" | "limits">;

type Listing = Pick<Snapshot, "files" | "left" | "read" | "says">;

/**
 * Lists the files of a revision, without those that a .krmignore of it excludes, in the same way as those of a worktree. A
 * worktree also excludes what .gitignore names and Git does not track: nobody knows what created it.
 */
export async function listing(opened: Opened): Promise<Listing> {
  const { entries, contents, limits } = opened;
  const left: LeftFile[] = [];
  const ignoring = new Map(
    [...entries.keys()].flatMap((path): [string, string][] => {
      if (basename(path) !== KPT_IGNORE_FILE) return [];
      const { to } = follow(opened, path);
      if (to === undefined) left.push({ path, because: "leadsOut" });
      return to?.is === "file" ? [[path, to.id]] : [];
    }),
  );
  await contents.fetch(ignoring.values());
  const textOf = (path: string): string | undefined => {
    const id = ignoring.get(path);
    if (id === undefined) return undefined;
    const read = contents.text(id, path);
    // As bytes, which git matches.
    const bytes = read.is === "text" ? Buffer.from(read.text, "utf8") : undefined;
    if (bytes !== undefined && bytes.length <= LARGEST_FILE) return bytes.toString("latin1");
    if (read.is === "text" || read.because === "tooLarge") left.push({ path, because: "longIgnoreFile" });
    else left.push({ path, because: read.because, ...(read.because === "unreadable" ? { error: read.error } : {}) });
    return undefined;
  };
  const folders = new Map<string, { readonly isLeft: boolean; readonly rules: IgnoreRules | undefined }>();
  /** Whether a folder is excluded, and the rules that apply in it. */
  const inFolder = (folder: string): { readonly isLeft: boolean; readonly rules: IgnoreRules | undefined } => {
    let known = folders.get(folder);
    if (known === undefined) {
      const above = folder === "." ? { isLeft: false, rules: undefined } : inFolder(dirname(folder));
      const isLeft =
        above.isLeft ||
        isNeverEntered(basename(folder), (file) => entries.has(`${folder}/${file}`)) ||
        (folder !== "." && isIgnored(above.rules, seen(folder), true));
      const prefix = folder === "." ? "" : `${folder}/`;
      const rules = isLeft
        ? above.rules
        : rulesFrom(seen(folder), above.rules, (name) => textOf(`${prefix}${name}`), limits.expression);
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
  // A link to a file that is listed itself would list it twice.
  const targets = new Map<string, string>();
  for (const path of linksOf(opened)) {
    if (!isManifestName(path) && !marksFolder(basename(path))) continue;
    const { to } = follow(opened, path);
    if (to?.is !== "file" || (known.has(to.path) && !countsBesideItsTarget(path, to.path))) continue;
    const { isLeft, rules } = inFolder(dirname(path));
    if (isLeft || isIgnored(rules, seen(path), false)) continue;
    targets.set(path, to.path);
    files.push(path);
    known.add(to.path);
  }
  const wanted = files.filter(isLookedInto);
  await contents.fetch(wanted.flatMap((path) => entries.get(targets.get(path) ?? path)?.id ?? []));
  const listed = listingOf(opened, { files, targets, left });
  await contents.fetch(
    generatedFrom(Object.assign({}, opened, listed)).flatMap((path) => {
      const { to } = follow(opened, path);
      return to?.is === "file" ? [to.id] : [];
    }),
  );
  return listed;
}

function listingOf(
  opened: Opened,
  { files, targets, left }: Pick<Listing, "files" | "left"> & { readonly targets: ReadonlyMap<string, string> },
): Listing {
  const { contents } = opened;
  const idOf = (path: string): string | undefined => {
    const entry = opened.entries.get(path);
    // It is at its own path: nothing is below a link.
    if (entry?.is === "file") return contents.has(entry.id) ? entry.id : undefined;
    const { to } = follow(opened, targets.get(path) ?? path);
    return to?.is === "file" && contents.has(to.id) ? to.id : undefined;
  };
  return {
    files: inPathOrder(files, (path) => path),
    left,
    read: (path) => {
      if (opened.entries.get(path)?.isMisnamed === true)
        return { is: "refused", because: "unreadable", code: "EILSEQ", error: misnamed(path) };
      const id = idOf(path);
      if (id !== undefined) return contents.text(id, path);
      const error = new RollstampError("system", "the file does not exist", { place: { file: path } });
      return { is: "refused", because: "missing", code: "ENOENT", error };
    },
    says: (path, test) => {
      const id = idOf(path);
      if (id === undefined) return false;
      const answers = answersOf(contents)(test);
      let answer = answers.get(id);
      if (answer === undefined) {
        const read = contents.text(id, path);
        answers.set(id, (answer = read.is === "text" && test(read.text)));
      }
      return answer;
    },
  };
}

/** The files that generators read: those of Secrets, and all if anything takes values from them. They can have any name. */
function generatedFrom(tree: Pick<Snapshot, "files" | "read" | "says" | "limits">): readonly string[] {
  const made = tree.files.flatMap((path) => {
    const read = KUSTOMIZATIONS.has(basename(path)) ? contentOf(tree, path) : undefined;
    if (read === undefined || "problem" in read) return [];
    return kustomizationOf(read.content).generators.map((generator) => ({ generator, folder: dirname(path) }));
  });
  const isTaken = once(() => tree.files.some((path) => isLookedInto(path) && tree.says(path, takesValues)));
  return made.flatMap(({ generator, folder }) =>
    generator.kind === "Secret" || isTaken() ? generatorFiles(generator, folder) : [],
  );
}

function takesValues(text: string): boolean {
  return /\b(?:substituteFrom|valuesFrom)\b/u.test(text);
}

// By the id of the text, because most files are the same in both revisions.
const answersOf: (contents: Contents) => (test: TextTest) => Map<string, boolean> = onceFor(() =>
  onceFor(() => new Map<string, boolean>()),
);

const KUSTOMIZATIONS: ReadonlySet<string> = new Set(KUSTOMIZATION_FILES);

const OTHERS: ReadonlySet<string> = new Set([SOURCE_IGNORE_FILE, KPTFILE]);

function isLookedInto(path: string): boolean {
  const name = basename(path);
  return (
    isManifestName(path) || path.endsWith(".tpl") || KUSTOMIZATIONS.has(name) || OTHERS.has(name) || isHelmfile(path)
  );
}

/** A path in the form that ignore rules match. */
function seen(path: string): string {
  return path === "." ? sep : `${sep}${path.split("/").join(sep)}`;
}
