// The GitHub Action: turns inputs into a command line, and the result into outputs, the job summary and, for a plan, a
// comment on the pull request. It needs only Node and dist.
import { spawnSync } from "node:child_process";
import { appendFileSync, mkdtempSync, readFileSync, writeFileSync } from "node:fs";
import { randomUUID } from "node:crypto";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";

const { env } = process;
const program = join(dirname(fileURLToPath(import.meta.url)), "..", "dist", "rollstamp.cjs");
const folder = mkdtempSync(join(env.RUNNER_TEMP ?? tmpdir(), "rollstamp-"));

/** The marker that identifies the comment. */
const MARKER = "<!-- rollstamp plan -->";
// GitHub's limit is 65,536 characters.
const LONGEST_COMMENT = 60_000;
const LARGEST_OUTPUT = 1 << 30;

const input = (name) => env[`ROLLSTAMP_ACTION_${name}`] ?? "";
const lines = (name) =>
  input(name)
    .split(/\r?\n/u)
    .map((line) => line.trim())
    .filter((line) => line !== "");

// Only the comment needs the token: renderers and commands get none of our inputs.
const ENVIRONMENT = Object.fromEntries(Object.entries(env).filter(([name]) => !name.startsWith("ROLLSTAMP_ACTION_")));

class Wrong extends Error {}

/** `tell` receives standard error; by default it goes to the log. */
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

/** The output of a render command. If it fails, the step fails; commands refuse empty output. */
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
  // Several lines are one word each, with spaces kept; a single line is split at spaces. Neither is run as a script.
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
  // A rendering has no files to write.
  if (command === "stamp" || command === "restart")
    throw new Wrong(`'${command}' writes files: 'render' goes with check, lint and graph`);
  const required = command === "check" ? ["--require-stamps"] : [];
  return renders.map((render) => rollstamp([...words, ...required, ...options, "-"], { stdin: rendering(render) }));
}

/** The plans between two revisions as Markdown; the numbers come from the same plan as JSON. */
function plans(renders, options) {
  const range = `${base()}..HEAD`;
  return (renders.length === 0 ? [undefined] : renders).map((render, i) => {
    const once = render === undefined ? undefined : renderedOnce(render, join(folder, `rendering-${i}`));
    const what = once === undefined ? lines("PATHS") : ["--render", once];
    const args = ["plan", "--git", range, ...options, ...what];
    const title = renders.length > 1 ? ["--title", `Rollout plan: ${render}`] : [];
    // Messages name the command that the user wrote.
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
 * A command that runs a render command once for each commit and prints its output: each plan is made twice, as Markdown and as
 * JSON. It fails with the status of the render command.
 */
function renderedOnce(command, kept) {
  const quoted = (text) => `'${text.replaceAll("'", String.raw`'\''`)}'`;
  const inBash = `bash -eo pipefail -c ${quoted(command)}`;
  // One line, because messages quote it.
  return [
    `kept=${quoted(kept)}-$(git rev-parse HEAD) || exit`,
    `[ -e "$kept" ] || { ${inBash} > "$kept.$$" && mv "$kept.$$" "$kept"; } || exit`,
    'cat "$kept"',
  ].join("; ");
}

/** The target of the pull request or of the merge queue, else the previous commit. */
function base() {
  const given = input("BASE").trim();
  if (given.startsWith("-")) throw new Wrong(`'base' is a revision, and '${given}' is an option`);
  if (given !== "") return given;
  const { pull_request: pull, merge_group: group } = event();
  if (pull === undefined) return group?.base_sha ?? "HEAD^";
  // The checkout is the merge with the target at the start of the job, which can be newer than the commit in the event. With
  // another ref it is the branch alone, and the target has moved on.
  const [, target, branch] = git("rev-list", "--parents", "--max-count=1", "HEAD")?.split(" ") ?? [];
  if (branch !== undefined && branch === pull.head?.sha) return target;
  return git("merge-base", pull.base.sha, "HEAD") ?? pull.base.sha;
}

/** The output of git; undefined if it fails. */
function git(...args) {
  const { status, stdout } = spawnSync("git", args, { env: ENVIRONMENT, encoding: "utf8" });
  return status === 0 ? stdout.trim() : undefined;
}

function event() {
  return env.GITHUB_EVENT_PATH === undefined ? {} : JSON.parse(readFileSync(env.GITHUB_EVENT_PATH, "utf8"));
}

/** Posts the plan, or updates the existing comment. */
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
    // A person can quote the marker; our comment begins with it.
    const posted = found.find(({ body, user }) => body?.startsWith(MARKER) && user?.type === "Bot");
    if (posted !== undefined || found.length < PAGE) return posted;
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

/** A value of any text, with a delimiter that it cannot contain. */
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
