import { tooLarge } from "../base/limits.ts";
import { parseTime } from "../base/times.ts";
import type {
  ChangedFile,
  FileChange,
  HistoryCommit,
  HistoryOptions,
  HistoryStep,
  RevisionPath,
} from "../platform/ports/git.ts";
import { failed, gitError, gitOutput, lacking, noRepository } from "./git.ts";
import { runGit } from "./git-options.ts";

// Fields and records end with NUL, which no name, subject and path contains. A record begins with a field that is no
// line of `--raw`, so that a path can't be taken for one.
const STEP = "commit";
const WHOLE_STEP = formatOf("%H", "%P", "%aI", "%an", "%s");
const CHANGES = [
  "--raw",
  "--no-abbrev",
  "-z",
  "--diff-merges=first-parent",
  "--no-show-signature",
  "--no-color",
  "--no-relative",
];

function formatOf(...fields: readonly string[]): string {
  return `--format=tformat:${[STEP, ...fields].join("%x00")}`;
}

/** The records of git's output: the fields of each, and the files that it changed. */
function recordsOf(
  text: string,
  fields: number,
): { readonly given: readonly string[]; readonly files: ChangedFile[] }[] {
  const words = text.split("\0");
  const records: { given: readonly string[]; files: ChangedFile[] }[] = [];
  for (let i = 0; i < words.length;) {
    const word = words[i]?.replace(/^\n/u, "") ?? "";
    if (word === STEP) {
      records.push({ given: words.slice(i + 1, i + 1 + fields), files: [] });
      i += 1 + fields;
    } else if (word.startsWith(":")) {
      const { file, width } = fileOf(word, words[i + 1] ?? "", words[i + 2] ?? "");
      records.at(-1)?.files.push(file);
      i += width;
    } else i += 1;
  }
  return records;
}

/** A pathspec from the root of the repository, wherever git runs; "" is the whole repository. */
function fromTheTop(path: string): string {
  return path === "" ? ":/" : `:(top,literal)${path}`;
}

/** The path of a file from the root of its repository, with slashes. Throws a RollstampError outside of a repository. */
export async function pathInRepository(path: string, options: HistoryOptions): Promise<string> {
  const prefix = await gitOutput(options, ["rev-parse", "--show-prefix"], noRepository);
  const parts: string[] = [];
  for (const part of `${prefix}${path}`.split("/")) {
    if (part === "..") parts.pop();
    else if (part !== "." && part !== "") parts.push(part);
  }
  return parts.join("/");
}

/** The commits that changed a file, newest first, across renames. */
export async function historyOf(path: string, from: string, options: HistoryOptions): Promise<readonly HistoryStep[]> {
  const args = ["log", "--follow", ...CHANGES, WHOLE_STEP, "--end-of-options", from, "--", fromTheTop(path)];
  return recordsOf(await output(args, options), 5).map(({ given, files }) => {
    const [commit = "", parents = "", written = "", author = "", subject = ""] = given;
    const [file = { path, before: path, blob: undefined, blobBefore: undefined }] = files;
    return {
      commit,
      parents: parents === "" ? [] : parents.split(" "),
      date: dateOf(written),
      author,
      subject,
      ...file,
    };
  });
}

/** The commits on the way from one to its first parents that changed a file, newest first. */
export async function changesOf(
  path: string,
  { commit, most }: { readonly commit: string; readonly most: number },
  options: HistoryOptions,
): Promise<readonly FileChange[]> {
  const args = ["log", "--first-parent", `-n${most}`, "--format=%H %P", "--end-of-options", commit, "--"];
  return (await output([...args, fromTheTop(path)], options)).split("\n").flatMap((line) => {
    const [changed = "", parent] = line.split(" ");
    return changed === "" ? [] : [{ commit: changed, parent: parent === "" ? undefined : parent }];
  });
}

/** HEAD and its first parents, newest first; none before the first commit. Throws a RollstampError outside of a repository. */
export async function firstParents(options: HistoryOptions): Promise<readonly HistoryCommit[]> {
  const head = (await output(["rev-parse", "--verify", "--quiet", "HEAD^{commit}"], options, undefined, 1)).trim();
  if (head === "") return [];
  const text = await output(["log", "--first-parent", "--format=%H %aI %P", "--end-of-options", head, "--"], options);
  return text.split("\n").flatMap((line): HistoryCommit[] => {
    const [commit = "", written = "", parent] = line.split(" ");
    return commit === "" ? [] : [{ commit, parent: parent === "" ? undefined : parent, date: dateOf(written) }];
  });
}

/**
 * A date of git as RFC 3339. A commit may have anything as its date: what is none counts as the first one, as git itself has it
 * for a number that is too large.
 */
function dateOf(written: string): string {
  // Newer versions of git write Z for UTC.
  return parseTime(written) === undefined ? "1970-01-01T00:00:00Z" : written.replace(/[+-]00:00$/u, "Z");
}

/** The files that each commit changed, compared with its first parent. */
export async function changedFilesOf(
  commits: readonly string[],
  options: HistoryOptions,
): Promise<ReadonlyMap<string, readonly ChangedFile[]>> {
  if (commits.length === 0) return new Map();
  const args = ["log", "--no-walk=unsorted", "--stdin", "-M", ...CHANGES, formatOf("%H")];
  const text = await output(args, options, `${commits.join("\n")}\n`);
  return new Map(recordsOf(text, 1).map(({ given: [commit = ""], files }) => [commit, files]));
}

/** An entry of `--raw`: `:<mode> <mode> <blob> <blob> <status>`, then the path, or both paths of a rename (git-diff-tree(1)). */
function fileOf(entry: string, path: string, newPath: string): { readonly file: ChangedFile; readonly width: number } {
  const [, , old, now, status = ""] = entry.split(" ");
  const [blobBefore, blob] = [old, now].map(unlessNull);
  if (!status.startsWith("R") && !status.startsWith("C"))
    return { file: { path: blob && path, before: blobBefore && path, blob, blobBefore }, width: 2 };
  const before = status.startsWith("R") ? { before: path, blobBefore } : { before: undefined, blobBefore: undefined };
  return { file: { path: newPath, blob, ...before }, width: 3 };
}

function unlessNull(blob: string | undefined): string | undefined {
  return blob === undefined || /^0+$/u.test(blob) ? undefined : blob;
}

/** The files of a revision, below a path, that contain text. */
export async function filesWith(
  text: string,
  { commit, path }: RevisionPath,
  options: HistoryOptions,
): Promise<readonly string[]> {
  await checkRepeated({ commit, path }, options);
  const args = ["grep", "-l", "-z", "-F", "--no-color", "--full-name", "-e", text, commit, "--", fromTheTop(path)];
  const found = await output(args, options, undefined, 1);
  return found.split("\0").flatMap((line) => (line === "" ? [] : [line.slice(commit.length + 1)]));
}

/** A path costs at least as much as this many bytes. */
const LEAST = 1024;

/** Throws a RollstampError if the same blobs are at so many paths that git would search for hours: a few trees can be billions of files. */
async function checkRepeated({ commit, path }: RevisionPath, options: HistoryOptions): Promise<void> {
  const most = options.limits.inputSize;
  // With -t, folders without files are listed, too, so that the output ends.
  const listed = await output(["ls-tree", "-r", "-t", "-l", "-z", "--full-tree", commit, fromTheTop(path)], options);
  const seen = new Set<string>();
  let repeated = 0;
  for (let from = 0, end = listed.indexOf("\0"); end >= 0; from = end + 1, end = listed.indexOf("\0", from)) {
    const [, , id = "", size = ""] = listed.slice(from, listed.indexOf("\t", from)).split(/ +/u);
    if (seen.has(id)) repeated += Math.max(LEAST, Number(size) || 0);
    else seen.add(id);
    if (repeated > most) throw tooLarge(`the same files and folders at several paths in ${commit}`, most);
  }
}

/** The files of HEAD that are missing or changed in the worktree; none before the first commit. */
export async function changedSinceHead(options: HistoryOptions): Promise<readonly string[]> {
  const args = [
    "diff",
    "--name-only",
    "-z",
    "--no-renames",
    "--diff-filter=DM",
    "--no-ext-diff",
    "--no-relative",
    "HEAD",
  ];
  return (await output(args, options, undefined, 128)).split("\0").filter((path) => path !== "");
}

/** Whether the clone lacks a part of the history. */
export async function isShallow(options: HistoryOptions): Promise<boolean> {
  return (await gitOutput(options, ["rev-parse", "--is-shallow-repository"], failed)) === "true";
}

/** The output of git; empty if it ends with the status that means "none". */
async function output(
  args: readonly string[],
  { cwd, environment, limits }: HistoryOptions,
  input?: string,
  none?: number,
): Promise<string> {
  const most = limits.inputSize;
  const run = await runGit(["--no-pager", ...args], { cwd, environment, input, most });
  if (run.is === "done") return run.stdout.toString("utf8");
  if (run.is === "failed" && none !== undefined && run.how === `status ${none}`) {
    // git grep skips a file whose object is missing.
    const [, path, id] = /^error: '([^\n]+)': unable to read ([0-9a-f]+)$/mu.exec(run.stderr) ?? [];
    if (id !== undefined) throw lacking(id, path);
    return "";
  }
  if (run.is === "tooMuch") throw tooLarge("the output of git", most);
  throw gitError(run);
}
