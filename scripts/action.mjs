// What the GitHub Action runs: puts its inputs into a command line, and what comes of it into outputs, the job's summary
// and, for a plan, a comment on the pull request. It stands beside the bundle and needs nothing but Node.
import { spawnSync } from "node:child_process";
import { appendFileSync, mkdtempSync, readFileSync, writeFileSync } from "node:fs";
import { randomUUID } from "node:crypto";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";

const { env } = process;
const program = join(dirname(fileURLToPath(import.meta.url)), "..", "dist", "rollstamp.cjs");
const folder = mkdtempSync(join(env.RUNNER_TEMP ?? tmpdir(), "rollstamp-"));

/** The marker by which the comment is found again, whatever else stands there. */
const MARKER = "<!-- rollstamp plan -->";
// GitHub takes 65,536 characters.
const LONGEST_COMMENT = 60_000;
const LARGEST_OUTPUT = 1 << 30;

const input = (name) => env[`ROLLSTAMP_ACTION_${name}`] ?? "";
const lines = (name) =>
  input(name)
    .split(/\r?\n/u)
    .map((line) => line.trim())
    .filter((line) => line !== "");

// The token is the comment's alone: what renders and what is run needs none of our inputs.
const ENVIRONMENT = Object.fromEntries(Object.entries(env).filter(([name]) => !name.startsWith("ROLLSTAMP_ACTION_")));

class Wrong extends Error {}

/** `tell` is given what it says of itself; without it that goes to the log. */
function rollstamp(args, { stdin, tell } = {}) {
  const { status, stdout, stderr, error } = spawnSync(process.execPath, [program, ...args], {
    env: ENVIRONMENT,
    encoding: "utf8",
    input: stdin ?? "",
    maxBuffer: LARGEST_OUTPUT,
    stdio: ["pipe", "pipe", tell === undefined ? "inherit" : "pipe"],
  });
  if (error !== undefined) throw error;
  tell?.(stderr);
  return { status: status ?? 2, stdout };
}

/** What a render command prints; its failure is that of the step, and empty output is an error to every command. */
function rendering(command) {
  const { status, stdout } = spawnSync("bash", ["-eo", "pipefail", "-c", command], {
    env: ENVIRONMENT,
    encoding: "utf8",
    maxBuffer: LARGEST_OUTPUT,
    stdio: ["ignore", "pipe", "inherit"],
  });
  if (status !== 0) throw new Wrong(`the render command ended with status ${status}: ${command}`);
  return stdout;
}

/** Runs the command over each rendering, or over the paths. */
function run() {
  // One word a line keeps spaces; one line is words with spaces between them, and never a script.
  const whole = lines("ARGS");
  if (whole.length > 0) return [rollstamp(whole.length === 1 ? whole[0].split(/\s+/u) : whole)];
  const [command = "check", ...more] = input("COMMAND").trim().split(/\s+/u);
  if (more.length > 0)
    throw new Wrong(`'command' is one word, such as check: '${input("COMMAND")}' (options: has the others)`);
  const words = command === "check" ? ["stamp", "--check"] : [command];
  const renders = lines("RENDER");
  const options = lines("OPTIONS");
  if (command === "plan") return plans(renders, options);
  if (renders.length === 0) return [rollstamp([...words, ...options, ...lines("PATHS")])];
  // A rendering has no file that could be written.
  if (command === "stamp" || command === "restart")
    throw new Wrong(`'${command}' writes files: 'render' goes with check, lint and graph`);
  const required = command === "check" ? ["--require-stamps"] : [];
  return renders.map((render) => rollstamp([...words, ...required, ...options, "-"], { stdin: rendering(render) }));
}

/** Plans of what lies between two revisions, as Markdown; the numbers come from the same plan as JSON. */
function plans(renders, options) {
  const range = `${base()}..HEAD`;
  return (renders.length === 0 ? [undefined] : renders).map((render, i) => {
    const once = render === undefined ? undefined : renderedOnce(render, join(folder, `rendering-${i}`));
    const what = once === undefined ? lines("PATHS") : ["--render", once];
    const args = ["plan", "--git", range, ...options, ...what];
    const title = renders.length > 1 ? ["--title", `Rollout plan: ${render}`] : [];
    // What is told of the command is told of the one that was given.
    const tell = (text) => void process.stderr.write(once === undefined ? text : text.replaceAll(once, render));
    const shown = rollstamp([...args, "-o", "markdown", ...title], { tell });
    if (shown.status === 2) return shown;
    const counted = rollstamp([...args, "-o", "json"], { tell: () => undefined });
    if (counted.status === 2)
      throw new Wrong(`the plan can't be made a second time, for its numbers: ${args.join(" ")}`);
    return { ...shown, summary: JSON.parse(counted.stdout).summary };
  });
}

/**
 * A command that prints what another one prints in a checkout, and runs that once for a commit: a plan is made twice of
 * the same, for people and for its numbers. Where it fails, with that one's status.
 */
function renderedOnce(command, kept) {
  const quoted = (text) => `'${text.replaceAll("'", String.raw`'\''`)}'`;
  const inBash = `bash -eo pipefail -c ${quoted(command)}`;
  // In one line: what is told of it stands in one.
  return [
    `kept=${quoted(kept)}-$(git rev-parse HEAD) || exit`,
    `[ -e "$kept" ] || { ${inBash} > "$kept.$$" && mv "$kept.$$" "$kept"; } || exit`,
    'cat "$kept"',
  ].join("; ");
}

/** The target of the pull request or of the merge queue; else the commit before. */
function base() {
  const given = input("BASE").trim();
  if (given.startsWith("-")) throw new Wrong(`'base' is a revision, and '${given}' is an option`);
  if (given !== "") return given;
  const { pull_request: pull, merge_group: group } = event();
  if (pull === undefined) return group?.base_sha ?? "HEAD^";
  // What is checked out is the merge with the target as it was when the job began, which the event's commit may be
  // older than; with another ref it is the branch by itself, and the target has gone on.
  const [, target, branch] = git("rev-list", "--parents", "--max-count=1", "HEAD")?.split(" ") ?? [];
  if (branch !== undefined && branch === pull.head?.sha) return target;
  return git("merge-base", pull.base.sha, "HEAD") ?? pull.base.sha;
}

/** What git prints; undefined where it fails. */
function git(...args) {
  const { status, stdout } = spawnSync("git", args, { env: ENVIRONMENT, encoding: "utf8" });
  return status === 0 ? stdout.trim() : undefined;
}

function event() {
  return env.GITHUB_EVENT_PATH === undefined ? {} : JSON.parse(readFileSync(env.GITHUB_EVENT_PATH, "utf8"));
}

/** Posts the plan, or brings the comment that is there up to date. */
async function comment(text) {
  const number = event().pull_request?.number;
  if (number === undefined) {
    console.error("rollstamp: this is no pull request: nothing to comment on");
    return;
  }
  const api = `${env.GITHUB_API_URL ?? "https://api.github.com"}/repos/${env.GITHUB_REPOSITORY}`;
  const body = `${MARKER}\n${cut(text)}`;
  const known = await findComment(`${api}/issues/${number}/comments`);
  if (known === undefined) await request("POST", `${api}/issues/${number}/comments`, { body });
  else if (known.body !== body) await request("PATCH", `${api}/issues/comments/${known.id}`, { body });
}

async function findComment(url) {
  const PAGE = 100;
  for (let page = 1; ; page++) {
    const found = await request("GET", `${url}?per_page=${PAGE}&page=${page}`);
    // A person may quote it: the marker begins ours.
    const own = found.find(({ body, user }) => body?.startsWith(MARKER) && user?.type === "Bot");
    if (own !== undefined || found.length < PAGE) return own;
  }
}

async function request(method, url, body) {
  const response = await fetch(url, {
    method,
    headers: {
      accept: "application/vnd.github+json",
      authorization: `Bearer ${input("TOKEN")}`,
      "content-type": "application/json",
      "user-agent": "rollstamp",
      "x-github-api-version": "2022-11-28",
    },
    ...(body === undefined ? {} : { body: JSON.stringify(body) }),
  });
  if (!response.ok) {
    const hint =
      response.status === 403
        ? " (the job needs 'permissions: pull-requests: write'; pull requests of forks have it not)"
        : "";
    throw new Wrong(`the comment can't be posted: ${method} gives ${response.status}${hint}`);
  }
  return response.json();
}

function cut(text) {
  if (text.length <= LONGEST_COMMENT) return text;
  const whole = text.slice(0, LONGEST_COMMENT);
  return `${whole.slice(0, whole.lastIndexOf("\n"))}\n\nThe rest of the plan is in the summary of the job.\n`;
}

/** A value of any text; the delimiter can't stand in it. */
function output(name, value) {
  if (env.GITHUB_OUTPUT === undefined) return;
  const end = `end-${randomUUID()}`;
  appendFileSync(env.GITHUB_OUTPUT, `${name}<<${end}\n${value}\n${end}\n`);
}

async function main() {
  const runs = run();
  const text = runs.map(({ stdout }) => stdout).join("\n");
  process.stdout.write(text);
  const report = join(folder, "report");
  writeFileSync(report, text);
  const status = Math.max(...runs.map((each) => each.status));
  output("status", status);
  output("report", report);
  const isPlan = input("COMMAND").trim() === "plan" && lines("ARGS").length === 0;
  if (isPlan) {
    const sum = (name) => runs.reduce((all, { summary }) => all + (summary?.[name] ?? 0), 0);
    output("rolls", sum("rolls"));
    output("pods", sum("pods"));
    if (env.GITHUB_STEP_SUMMARY !== undefined) appendFileSync(env.GITHUB_STEP_SUMMARY, text);
    if (input("COMMENT").trim() === "true" && text.trim() !== "") await comment(text);
  } else if (["check", "stamp"].includes(input("COMMAND").trim())) output("changed", text.trim());
  return status;
}

try {
  process.exitCode = await main();
} catch (cause) {
  if (!(cause instanceof Wrong)) throw cause;
  console.error(`rollstamp: error: ${cause.message}`);
  output("status", 2);
  process.exitCode = 2;
}
