import { RollstampError } from "../ground/errors.ts";
import { tooLarge } from "../ground/limits.ts";
import type { ChangedFile, HistoryOptions, HistoryStep, RevisionPath } from "../io/git.ts";
import { runChild } from "./child-processes.ts";
import { GIT_OPTIONS } from "./git-options.ts";
import { gitOutput } from "./git-output.ts";

// git's separators of records and fields, which no name of a file and no subject has.
const STEP = "\u001e";
const FIELD = "\u001f";
const WHOLE_STEP = `--format=%x1e${["%H", "%P", "%aI", "%an", "%s"].join("%x1f")}`;
const NAMES = [
  "--name-status",
  "-z",
  "--diff-merges=first-parent",
  "--no-show-signature",
  "--no-color",
  "--no-relative",
];

/** A path from the root of the repository, wherever git runs in it; all of it for "". */
function fromTheTop(path: string): string {
  return path === "" ? ":/" : `:(top,literal)${path}`;
}

/** Where a path is in its repository: from the root, with slashes. Throws a RollstampError outside of one. */
export async function pathInRepository(path: string, options: HistoryOptions): Promise<string> {
  const prefix = await gitOutput(options, ["rev-parse", "--show-prefix"], noRepository);
  const parts: string[] = [];
  for (const part of `${prefix}${path}`.split("/")) {
    if (part === "..") parts.pop();
    else if (part !== "." && part !== "") parts.push(part);
  }
  return parts.join("/");
}

/** The commits that changed a file, the newest first, back through its renames. */
export async function historyOf(path: string, from: string, options: HistoryOptions): Promise<readonly HistoryStep[]> {
  const args = ["log", "--follow", ...NAMES, WHOLE_STEP, "--end-of-options", from, "--", fromTheTop(path)];
  return (await output(args, options))
    .split(STEP)
    .slice(1)
    .map((record) => {
      const [commit = "", parents = "", date = "", author = "", rest = ""] = record.split(FIELD);
      const [subject = "", ...names] = rest.split("\0");
      const [file = { path, before: path }] = filesOf(names.join("\0"));
      return { commit, parents: parents === "" ? [] : parents.split(" "), date, author, subject, ...file };
    });
}

/** What each commit changed against its first parent. */
export async function changedFilesOf(
  commits: readonly string[],
  options: HistoryOptions,
): Promise<ReadonlyMap<string, readonly ChangedFile[]>> {
  if (commits.length === 0) return new Map();
  const args = ["log", "--no-walk=unsorted", "--stdin", "-M", ...NAMES, "--format=%x1e%H"];
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

function filesOf(names: string): ChangedFile[] {
  const files: ChangedFile[] = [];
  const words = names.replace(/^\n/u, "").split("\0");
  for (let i = 0; i + 1 < words.length; i += 2) {
    const status = words[i]?.trim() ?? "";
    const path = words[i + 1] ?? "";
    if (status.startsWith("R") || status.startsWith("C")) {
      files.push({ path: words[i + 2] ?? "", before: status.startsWith("R") ? path : undefined });
      i += 1;
    } else files.push({ path: status === "D" ? undefined : path, before: status === "A" ? undefined : path });
  }
  return files;
}

/** The files of a revision, below some paths, that hold a text. */
export async function filesWith(
  text: string,
  { commit, path }: RevisionPath,
  options: HistoryOptions,
): Promise<readonly string[]> {
  const args = ["grep", "-l", "-z", "-F", "--no-color", "--full-name", "-e", text, commit, "--", fromTheTop(path)];
  const found = await output(args, options, undefined, 1);
  return found.split("\0").flatMap((line) => (line === "" ? [] : [line.slice(commit.length + 1)]));
}

/** The texts of files at revisions; undefined for one that is not there, or is no text. */
export async function textsAt(
  files: readonly RevisionPath[],
  options: HistoryOptions,
): Promise<readonly (string | undefined)[]> {
  if (files.length === 0) return [];
  const input = files.map(({ commit, path }) => `${commit}:${path}\0`).join("");
  const bytes = await outputBytes(["cat-file", "--batch", "-z"], options, input);
  const texts: (string | undefined)[] = [];
  let at = 0;
  for (const { commit, path } of files) {
    const missing = `${commit}:${path} missing\n`;
    if (bytes.toString("utf8", at, at + Buffer.byteLength(missing)) === missing) {
      at += Buffer.byteLength(missing);
      texts.push(undefined);
      continue;
    }
    const end = bytes.indexOf(10, at);
    const [, type = "", size = ""] = bytes.toString("latin1", at, end).split(" ");
    if (end < 0 || !/^\d+$/u.test(size)) throw failed("It gave no object.");
    const from = end + 1;
    texts.push(type === "blob" ? bytes.toString("utf8", from, from + Number(size)) : undefined);
    at = from + Number(size) + 1;
  }
  return texts;
}

/** The files of HEAD that the worktree has no more, or with another text; none where there is no commit yet. */
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

/** True where the clone has not all of the history. */
export async function isShallow(options: HistoryOptions): Promise<boolean> {
  return (await gitOutput(options, ["rev-parse", "--is-shallow-repository"], failed)) === "true";
}

async function output(
  args: readonly string[],
  options: HistoryOptions,
  input?: string,
  none?: number,
): Promise<string> {
  return (await outputBytes(args, options, input, none)).toString("utf8");
}

/** What git prints; nothing where it ends with the status by which it says so. */
async function outputBytes(
  args: readonly string[],
  { cwd, environment, limits }: HistoryOptions,
  input?: string,
  none?: number,
): Promise<Buffer> {
  const most = limits.inputSize;
  const run = await runChild("git", [...GIT_OPTIONS, "--no-pager", ...args], { cwd, environment, input, most });
  if (run.is === "done") return run.stdout;
  if (run.is === "failed" && none !== undefined && run.how === `status ${none}`) return Buffer.alloc(0);
  if (run.is === "tooMuch") throw tooLarge("what git tells", most);
  throw failed(run.is === "failed" ? run.stderr.trim() : "Is git on PATH?");
}

function failed(said: string): RollstampError {
  return new RollstampError("system", "git failed", { remedy: said === "" ? "git said nothing." : said });
}

function noRepository(said: string): RollstampError {
  return new RollstampError("usage", "this folder is in no Git worktree", { remedy: said });
}
