import { tooLarge } from "../../base/limits.ts";
import type { ChangedFile, FileChange, HistoryOptions, HistoryStep, RevisionPath } from "../ports/git.ts";
import { runChild } from "./processes.ts";
import { failed, GIT_OPTIONS, gitError, gitOutput, noRepository } from "./git.ts";

// Separators of records and fields that no file name and no subject contains.
const STEP = "\u001e";
const FIELD = "\u001f";
const WHOLE_STEP = `--format=%x1e${["%H", "%P", "%aI", "%an", "%s"].join("%x1f")}`;
const CHANGES = [
  "--raw",
  "--no-abbrev",
  "-z",
  "--diff-merges=first-parent",
  "--no-show-signature",
  "--no-color",
  "--no-relative",
];

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
  return (await output(args, options))
    .split(STEP)
    .slice(1)
    .map((record) => {
      const [commit = "", parents = "", date = "", author = "", rest = ""] = record.split(FIELD);
      const [subject = "", ...names] = rest.split("\0");
      const [file = { path, before: path, blob: undefined, blobBefore: undefined }] = filesOf(names.join("\0"));
      return { commit, parents: parents === "" ? [] : parents.split(" "), date, author, subject, ...file };
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

/** The files that each commit changed, compared with its first parent. */
export async function changedFilesOf(
  commits: readonly string[],
  options: HistoryOptions,
): Promise<ReadonlyMap<string, readonly ChangedFile[]>> {
  if (commits.length === 0) return new Map();
  const args = ["log", "--no-walk=unsorted", "--stdin", "-M", ...CHANGES, "--format=%x1e%H"];
  const text = await output(args, options, `${commits.join("\n")}\n`);
  return new Map(
    text
      .split(STEP)
      .slice(1)
      .map((record) => {
        const end = record.indexOf("\0");
        return [record.slice(0, end < 0 ? undefined : end).trim(), filesOf(record.slice(end + 1))];
      }),
  );
}

/** Parses `--raw`: `:<mode> <mode> <blob> <blob> <status>`, then the path, or both paths of a rename (git-diff-tree(1)). */
function filesOf(raw: string): ChangedFile[] {
  const files: ChangedFile[] = [];
  const words = raw.replace(/^\n/u, "").split("\0");
  for (let i = 0; i + 1 < words.length; i += 2) {
    const [, , old, now, status = ""] = words[i]?.trim().split(" ") ?? [];
    const path = words[i + 1] ?? "";
    const [blobBefore, blob] = [old, now].map(unlessNull);
    if (status.startsWith("R") || status.startsWith("C")) {
      const isRenamed = status.startsWith("R");
      const before = isRenamed ? { before: path, blobBefore } : { before: undefined, blobBefore: undefined };
      files.push({ path: words[i + 2] ?? "", blob, ...before });
      i += 1;
    } else files.push({ path: blob && path, before: blobBefore && path, blob, blobBefore });
  }
  return files;
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
  const args = ["grep", "-l", "-z", "-F", "--no-color", "--full-name", "-e", text, commit, "--", fromTheTop(path)];
  const found = await output(args, options, undefined, 1);
  return found.split("\0").flatMap((line) => (line === "" ? [] : [line.slice(commit.length + 1)]));
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
  const run = await runChild("git", [...GIT_OPTIONS, "--no-pager", ...args], { cwd, environment, input, most });
  if (run.is === "done") return run.stdout.toString("utf8");
  if (run.is === "failed" && none !== undefined && run.how === `status ${none}`) return "";
  if (run.is === "tooMuch") throw tooLarge("the output of git", most);
  throw gitError(run);
}
