// The GitHub Action: turns inputs into a command line, and the result into outputs, the job summary and, for a plan, a
// comment, a label and a commit status. It needs only Node and dist.
import { spawnSync } from "node:child_process";
import { appendFileSync, mkdtempSync, readFileSync, writeFileSync } from "node:fs";
import { randomUUID } from "node:crypto";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { github, RequestFailed } from "./action-github.mjs";

const { env } = process;
const program = join(dirname(fileURLToPath(import.meta.url)), "..", "dist", "rollstamp.cjs");
const folder = mkdtempSync(join(env.RUNNER_TEMP ?? tmpdir(), "rollstamp-"));

const LARGEST_OUTPUT = 1 << 30;

const input = (name) => env[`ROLLSTAMP_ACTION_${name}`] ?? "";
const lines = (name) =>
  input(name)
    .split(/\r?\n/u)
    .map((line) => line.trim())
    .filter((line) => line !== "");

// Only what is written on GitHub needs the token: renderers and commands get none of our inputs.
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

/** The plans between two revisions as Markdown, each with its summary: what bots read of the same plan. */
function plans(renders, options) {
  const range = `${base()}..HEAD`;
  return (renders.length === 0 ? [undefined] : renders).map((render, i) => {
    const once = render === undefined ? undefined : renderedOnce(render, join(folder, `rendering-${i}`));
    const what = once === undefined ? lines("PATHS") : ["--render", once];
    const { title = "Rollout plan", others } = titled(options);
    const args = ["plan", "--git", range, ...others, ...what];
    // Messages name the command that the user wrote.
    const asWritten = (text) => (once === undefined ? text : text.replaceAll(once, render));
    const heading = ["--title", renders.length > 1 ? `${title}: ${render}` : title];
    const shown = rollstamp([...args, "-o", "markdown", ...heading], {
      tell: (text) => process.stderr.write(asWritten(text)),
    });
    const counted = rollstamp([...args, "-o", "summary"], { tell: () => undefined });
    if (counted.status !== shown.status)
      throw new Wrong(`the plan can't be made a second time, for its summary: ${args.join(" ")}`);
    // Wrong options have no summary.
    const summary = counted.stdout === "" ? notChecked("the log has the error") : JSON.parse(asWritten(counted.stdout));
    return { ...shown, summary };
  });
}

/** The title among the options, which only a report with a heading takes, and the other ones. */
function titled(options) {
  const index = options.findIndex((option) => /^--title(?:=|$)/u.test(option));
  if (index === -1) return { others: options };
  const [, inline] = /^--title=(.*)$/u.exec(options[index]) ?? [];
  const count = inline === undefined ? 2 : 1;
  return { title: inline ?? options[index + 1], others: options.toSpliced(index, count) };
}

/** The summary of a plan that was not made. */
function notChecked(error) {
  return { verdict: null, status: 2, error, labels: [] };
}

/** From the most harmless to the worst; null is a plan that was not made. */
const LEVELS = ["ok", "attention", "danger", "refused", null];
const LABELS = ["rolls:none", "rolls:safe", "rolls:risky"];

/** One summary of several plans: the worst verdict, and the label that holds for all. */
function joined(summaries) {
  const rank = ({ verdict }) => LEVELS.indexOf(verdict?.level ?? null);
  const worst = summaries.toSorted((a, b) => rank(b) - rank(a) || b.status - a.status)[0];
  const labels = summaries.map((one) => one.labels[0]);
  return {
    level: worst.verdict?.level ?? "",
    text: worst.verdict?.text ?? `Not checked: ${worst.error}`,
    status: Math.max(...summaries.map(({ status }) => status)),
    label: labels.includes(undefined) ? "" : labels.toSorted((a, b) => LABELS.indexOf(b) - LABELS.indexOf(a))[0],
  };
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

/** A value of any text, with a delimiter that it cannot contain. */
function output(name, value) {
  if (env.GITHUB_OUTPUT === undefined) return;
  const end = `end-${randomUUID()}`;
  appendFileSync(env.GITHUB_OUTPUT, `${name}<<${end}\n${value}\n${end}\n`);
}

/** What the run writes on GitHub: functions that do nothing unless the inputs ask for them. */
function writers() {
  const { pull_request: pull, merge_group: group } = event();
  const asked = (name) => input(name).trim() === "true";
  const hub = github({
    api: env.GITHUB_API_URL ?? "https://api.github.com",
    repository: env.GITHUB_REPOSITORY,
    token: input("TOKEN"),
  });
  const onPull = (name, write) => {
    if (!asked(name)) return;
    if (pull !== undefined) return write(pull.number);
    console.error(`rollstamp: '${name.toLowerCase()}' has no effect: this is no pull request`);
  };
  const url =
    env.GITHUB_RUN_ID === undefined
      ? undefined
      : `${env.GITHUB_SERVER_URL}/${env.GITHUB_REPOSITORY}/actions/runs/${env.GITHUB_RUN_ID}`;
  return {
    // If this run is cut off, no bot merges on the result of an older push.
    begin: async () => onPull("LABELS", (number) => hub.removeLabels(number)),
    end: async (text, { label, ...summary }) => {
      // The checkout of a pull request is a merge that no branch has; its status belongs to the branch.
      const commit = pull?.head?.sha ?? group?.head_sha ?? env.GITHUB_SHA;
      if (asked("COMMIT_STATUS")) await hub.setStatus(commit, { ...summary, url });
      await onPull("COMMENT", (number) => hub.comment(number, text.trim() === "" ? unplanned(summary) : text));
      if (label !== "") await onPull("LABELS", (number) => hub.addLabel(number, label));
    },
  };
}

/** A comment for a plan that was not made: the report of an older push must not stay. */
function unplanned({ text }) {
  const { title = "Rollout plan" } = titled(lines("OPTIONS"));
  const [first, ...more] = lines("RENDER");
  const heading = more.length > 0 ? `${title}: ${first}` : title;
  // As in the first line of a report (src/output/document/markdown.ts).
  const marker = heading.replace(/[^\w ./=-]/gu, "_").replaceAll("--", "__");
  return `<!-- rollstamp plan: ${marker} -->\n### Not checked\n\n\`${text.replace(/^Not checked: /u, "").replaceAll("`", "'")}\`\n`;
}

async function main() {
  const isPlan = input("COMMAND").trim() === "plan" && lines("ARGS").length === 0;
  if (isPlan) return planned();
  const runs = run();
  const { status, text } = reported(runs);
  if (["check", "stamp"].includes(input("COMMAND").trim())) output("changed", text.trim());
  return status;
}

async function planned() {
  const writer = writers();
  await writer.begin();
  let runs;
  try {
    runs = run();
  } catch (cause) {
    if (cause instanceof Wrong) await writer.end("", joined([notChecked(cause.message)]));
    throw cause;
  }
  const { status, text } = reported(runs);
  const summary = joined(runs.map((each) => each.summary));
  const sum = (name) => runs.reduce((all, each) => all + (each.summary.summary?.[name] ?? 0), 0);
  output("rolls", sum("rolls"));
  output("pods", sum("pods"));
  output("level", summary.level);
  output("verdict", summary.text);
  output("label", summary.label);
  if (env.GITHUB_STEP_SUMMARY !== undefined) appendFileSync(env.GITHUB_STEP_SUMMARY, text);
  await writer.end(text, summary);
  return status;
}

/** Prints the reports, and writes the outputs of every command. */
function reported(runs) {
  const text = runs.map(({ stdout }) => stdout).join("\n");
  process.stdout.write(text);
  const report = join(folder, "report");
  writeFileSync(report, text);
  const status = Math.max(...runs.map((each) => each.status));
  output("status", status);
  output("report", report);
  return { status, text };
}

try {
  process.exitCode = await main();
} catch (cause) {
  if (!(cause instanceof Wrong) && !(cause instanceof RequestFailed)) throw cause;
  console.error(`rollstamp: error: ${cause.message}`);
  output("status", 2);
  process.exitCode = 2;
}
