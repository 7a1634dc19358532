// Whole processes, measured from outside: wall time from before the spawn to the exit, peak memory as
// the kernel counted it. Commands of one group take turns (A B C A B C …), so that a slow minute of
// the machine falls on all of them alike.
import { spawnSync } from "node:child_process";
import { closeSync, existsSync, openSync, readFileSync, readSync } from "node:fs";
import { devNull } from "node:os";
import { join } from "node:path";

/**
 * @typedef {{
 *   name: string,
 *   argv: readonly string[],
 *   stdin?: string,
 *   cwd?: string,
 *   env?: NodeJS.ProcessEnv,
 *   before?: () => void,
 *   check?: (file: string) => string | undefined,
 * }} Command `before` runs untimed; `check` says what is wrong with the output file, if anything.
 * @typedef {{ name: string, times: number[], median: number, min: number, max: number, memory: number | null, failure?: string }} Measured
 *   times in ms, memory in bytes
 */

/** @param {readonly number[]} values */
export function median(values) {
  const sorted = [...values].sort((a, b) => a - b);
  const middle = sorted.length >> 1;
  return sorted.length % 2 === 1 ? sorted[middle] : (sorted[middle - 1] + sorted[middle]) / 2;
}

/**
 * How often a string occurs in a file, read in pieces: the larger this process, the longer its forks take.
 * @param {string} file
 * @param {string} text
 */
export function occurrences(file, text) {
  const descriptor = openSync(file, "r");
  const piece = Buffer.alloc(1 << 16);
  let count = 0;
  let rest = "";
  for (let size = readSync(descriptor, piece); size > 0; size = readSync(descriptor, piece)) {
    const part = rest + piece.toString("latin1", 0, size);
    count += part.split(text).length - 1;
    rest = part.slice(Math.max(part.lastIndexOf(text) + text.length, part.length - text.length + 1));
  }
  closeSync(descriptor);
  return count;
}

/**
 * Runs a command once. stdin comes from a file and stdout goes to one: the same for every command, and
 * no reader's speed is measured.
 * @param {Command} command
 * @param {string} scratch folder for the output
 * @param {readonly string[]} [wrapper] a command that runs the command
 */
function run(command, scratch, wrapper = []) {
  command.before?.();
  const out = join(scratch, "stdout");
  const err = join(scratch, "stderr");
  const files = [openSync(command.stdin ?? devNull, "r"), openSync(out, "w"), openSync(err, "w")];
  const [file, ...args] = [...wrapper, ...command.argv];
  const start = process.hrtime.bigint();
  const { status, signal, error } = spawnSync(file, args, {
    stdio: files,
    cwd: command.cwd ?? scratch,
    env: command.env ?? process.env,
  });
  const ms = Number(process.hrtime.bigint() - start) / 1e6;
  for (const descriptor of files) closeSync(descriptor);
  const failed =
    error ??
    (status !== 0 ? `exit status ${status ?? signal}: ${readFileSync(err, "utf8").trim().split("\n")[0]}` : undefined);
  return { ms, out, failure: failed === undefined ? undefined : String(failed) };
}

// Peak memory needs the kernel's own count (wait4's ru_maxrss). A process cannot ask for its own: after
// fork and exec Linux carries the parent's peak over, so a child of this process would report at least
// our size. Behind time(1), the parent is time, which is small. BSD's (macOS) time counts bytes, GNU's KB.
const TIME = "/usr/bin/time";
const GNU = existsSync(TIME) && spawnSync(TIME, ["-f", "%M", "true"]).status === 0;
const BSD = !GNU && existsSync(TIME) && spawnSync(TIME, ["-l", "true"]).status === 0;
export const MEMORY_REASON = GNU || BSD ? undefined : "no time(1) at /usr/bin/time (Debian: package time)";

/**
 * @param {Command} command
 * @param {string} scratch
 * @param {number} rounds
 * @returns {number | null}
 */
function peakMemory(command, scratch, rounds) {
  if (MEMORY_REASON !== undefined) return null;
  const peaks = [];
  for (let round = 0; round < rounds; round++) {
    const report = join(scratch, "time");
    if (GNU) run(command, scratch, [TIME, "-q", "-f", "%M", "-o", report]);
    else run(command, scratch, [TIME, "-l", "-o", report]);
    const text = readFileSync(report, "utf8");
    const found = GNU ? /^(\d+)$/m.exec(text) : /(\d+)\s+maximum resident set size/.exec(text);
    if (found?.[1] !== undefined) peaks.push(Number(found[1]) * (GNU ? 1024 : 1));
  }
  return peaks.length === 0 ? null : median(peaks);
}

/**
 * Measures the commands of a group in turns. The first run of each warms the file cache, is checked,
 * and is not counted; its time decides how often the command runs within its share of time.
 * @param {readonly Command[]} commands
 * @param {{ scratch: string, budget: number, least: number, most: number, memoryRounds: number }} options
 *   `budget`: ms for each command
 * @returns {Measured[]}
 */
export function measure(commands, { scratch, budget, least, most, memoryRounds }) {
  const plans = commands.map((command) => {
    const first = run(command, scratch);
    const failure = first.failure ?? command.check?.(first.out);
    const rounds = failure === undefined ? Math.min(most, Math.max(least, Math.floor(budget / first.ms))) : 0;
    return { command, rounds, failure, times: /** @type {number[]} */ ([]) };
  });
  const turns = Math.max(0, ...plans.map(({ rounds }) => rounds));
  for (let turn = 0; turn < turns; turn++) {
    for (const plan of plans) {
      // A slow command sits out some turns, spread over the whole time.
      if (Math.floor(((turn + 1) * plan.rounds) / turns) <= plan.times.length) continue;
      const { ms, failure } = run(plan.command, scratch);
      plan.times.push(ms);
      plan.failure ??= failure;
    }
  }
  return plans.map(({ command, failure, times }) => measured({ command, failure, times }, scratch, memoryRounds));
}

/**
 * Like `measure`, for a close comparison of commands: each command runs in every turn, in a changing order, until the
 * times are sufficient.
 * @param {readonly Command[]} commands
 * @param {{ scratch: string, least: number, most: number, memoryRounds: number, isEnough: (times: Record<string, readonly number[]>) => boolean }} options
 *   `least`, `most`: turns
 * @returns {Measured[]}
 */
export function measureTogether(commands, { scratch, least, most, memoryRounds, isEnough }) {
  const plans = commands.map((command) => {
    const first = run(command, scratch);
    return { command, failure: first.failure ?? command.check?.(first.out), times: /** @type {number[]} */ ([]) };
  });
  const running = plans.filter(({ failure }) => failure === undefined);
  for (let turn = 0; turn < most; turn++) {
    for (let i = 0; i < running.length; i++) {
      const plan = running[(i + turn) % running.length];
      const { ms, failure } = run(plan.command, scratch);
      plan.times.push(ms);
      plan.failure ??= failure;
    }
    if (turn + 1 < least || (turn + 1) % least !== 0) continue;
    if (isEnough(Object.fromEntries(running.map(({ command, times }) => [command.name, times])))) break;
  }
  return plans.map((plan) => measured(plan, scratch, memoryRounds));
}

/**
 * @param {{ command: Command, failure: string | undefined, times: number[] }} plan
 * @param {string} scratch
 * @param {number} memoryRounds
 * @returns {Measured}
 */
function measured({ command, failure, times }, scratch, memoryRounds) {
  return {
    name: command.name,
    times,
    median: median(times),
    min: Math.min(...times),
    max: Math.max(...times),
    memory: times.length === 0 ? null : peakMemory(command, scratch, memoryRounds),
    ...(failure !== undefined && { failure }),
  };
}
