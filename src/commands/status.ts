import type { Command, Option } from "commander";
import { DONE, FOUND, quietly, RollstampError, type ExitStatus } from "../base/errors.ts";
import { HMAC_KEY_FILE_VARIABLE, HMAC_KEY_VARIABLE } from "../base/keys.ts";
import { duration, formatTime, parseTime } from "../base/times.ts";
import { jsonReport, jsonText } from "../findings/results/json-text.ts";
import { statusDocument } from "../output/status-text.ts";
import { waitJson, WaitText, waitProgress } from "../output/wait-text.ts";
import type { Cluster } from "../platform/ports/cluster.ts";
import type { Io } from "../platform/ports/io.ts";
import { DigestBook } from "../reports/status/digest-book.ts";
import { readPlan } from "../reports/status/expected.ts";
import { decideLive, wantDigests } from "../reports/status/live-decisions.ts";
import { readCluster, readDigests } from "../reports/status/read-cluster.ts";
import type { StatusReport } from "../reports/status/status-report.ts";
import { statusOf } from "../reports/status/status.ts";
import { waitForRollouts, type WaitPlan, type WaitPrinter } from "../reports/status/wait.ts";
import { readConfigHash, type ConfigHashSpec } from "../stamping/function/config-hash.ts";
import { addClusterOptions, clusterOptions, seconds, type ClusterCommandOptions } from "./cluster-options.ts";
import type { DefineCommand } from "./command.ts";
import { readConfigs } from "../applications/inputs/config-file.ts";
import { idleWith, refuseIdleOptions, idleWithout } from "./idle-options.ts";
import { STDIN } from "../applications/inputs/manifest-files.ts";
import { configOption, outputOption, wantsColor, type ColorWhen } from "./options.ts";
import { waitingFor } from "../applications/inputs/progress.ts";
import { reportText, writeReport } from "./write-text.ts";

interface StatusOptions extends ClusterCommandOptions {
  readonly namespace?: string;
  readonly allNamespaces?: boolean;
  readonly output: keyof typeof REPORTERS;
  readonly color: ColorWhen;
  readonly all?: boolean;
  readonly check?: boolean;
  readonly watch?: boolean;
  readonly interval: number;
  readonly config?: string;
  readonly wait?: boolean;
  readonly plan?: string;
  readonly since?: string;
  readonly timeout: number;
  readonly stuckAfter: number;
  readonly strict?: boolean;
  readonly failFast?: boolean;
}

const REPORTERS = { text: statusDocument, json: jsonReport } as const;

const INTERVAL_SECONDS = 10;
// Longer than the ten minutes after which a Deployment reports failure: its reason says more than a timeout.
const TIMEOUT_MINUTES = 15;
// An autoscaler needs about this time to add a node, and a registry to recover.
const STUCK_MINUTES = 3;

/** Defines `rollstamp status`. */
export const defineStatus: DefineCommand = (command, io, done) => {
  addClusterOptions(command);
  // A watch never ends, so --check could not set an exit status.
  refuseIdleOptions(command, [
    idleWithout("--watch", "--interval"),
    idleWith("--watch", "--check"),
    idleWith("--wait", "--watch", "--interval", "--check", "--all", "--config"),
    idleWithout("--wait", "--plan", "--since", "--timeout", "--stuck-after", "--strict", "--fail-fast"),
    idleWithout("--plan", "--since", "--strict"),
  ]);
  command
    .option("-n, --namespace <name>", "the namespace (default: that of the context)")
    .option("-A, --all-namespaces", "check all namespaces")
    .addOption(outputOption(command, REPORTERS))
    .option("--all", "also list workloads that are current")
    .option("--check", "exit with 1 if pods run with old content")
    .option("--watch", "repeat until interrupted")
    .option("--interval <seconds>", "with --watch: the time between two checks", seconds, INTERVAL_SECONDS)
    .option("--wait", "follow rollouts to their end; exit with 1 if one fails, gets stuck or differs from the plan")
    .option("--plan <file>", "with --wait: the output of 'plan -o json', to compare the rollouts with")
    .option("--since <time>", "with --plan: rollouts since this time count (default: since the plan was written)")
    .addOption(
      lengthOption(command, "--timeout", "with --wait: the longest wait, such as 90s or 1h30m", TIMEOUT_MINUTES),
    )
    .addOption(
      lengthOption(command, "--stuck-after", "with --wait: how long a rollout may make no progress", STUCK_MINUTES),
    )
    .option("--strict", "with --plan: fail if a workload rolls out that the plan does not list")
    .option("--fail-fast", "with --wait: stop at the first failure")
    .addOption(configOption(command, "here"))
    .addHelpText("after", STATUS_HELP)
    .action(async (options: StatusOptions) => {
      done(await runStatus(io, options));
    });
};

function lengthOption(command: Command, flag: string, summary: string, minutes: number): Option {
  return command
    .createOption(`${flag} <time>`, summary)
    .argParser(duration)
    .default(minutes * 60, `${minutes}m`);
}

const STATUS_HELP = `
Shows which pods of a cluster run with content other than what the cluster holds now. It only reads.
The right to list Secrets is optional: without it, the output says what is unknown.

Examples:
  rollstamp status -n shop
  rollstamp status -A -o json
  rollstamp status -A --watch
  rollstamp plan --live -o json deploy/ > plan.json
  kubectl apply -f deploy/ && rollstamp status --wait --plan plan.json

Exit status: 0; 1 with --check if pods run with old content, and with --wait if a rollout fails, gets stuck, takes too
long or differs from the plan; 2 if the cluster cannot be read.
`;

async function runStatus(io: Io, options: StatusOptions): Promise<ExitStatus> {
  if (options.allNamespaces === true && options.namespace !== undefined) {
    throw new RollstampError("usage", "-n and -A exclude each other", { remedy: "Use one of them." });
  }
  if (options.wait === true) return runWait(io, options);
  const spec = readConfigHash(readConfigs(io, ["."], options.config).forKind("ConfigHash").config);
  const cluster = await io.connectCluster(clusterOptions(io, options));
  const check = (): Promise<StatusReport> => readStatus(io, cluster, spec, options);
  if (options.watch === true) return watch(io, check, options);
  const waiting = waitingFor(io, "reading the cluster");
  const report = await check().finally(waiting.end);
  await writeReport(io, REPORTERS[options.output](report), wantsColor(options.color, io));
  return options.check === true && report.summary.stalePods > 0 ? FOUND : DONE;
}

/** Repeats the check until it fails, and prints a report only if it differs from the previous one. */
async function watch(
  io: Io,
  check: () => Promise<StatusReport>,
  { output, interval, color }: StatusOptions,
): Promise<ExitStatus> {
  const waiting = waitingFor(io, "reading the cluster");
  for (let before = ""; ;) {
    const report = await check().finally(waiting.end);
    const text =
      output === "json"
        ? `${jsonText(report)}\n`
        : await reportText(io, REPORTERS[output](report), wantsColor(color, io));
    if (text !== before) {
      const clear = io.stdoutIsTerminal && output === "text" ? "\u001b[2J\u001b[H" : "";
      const gap = before === "" || clear !== "" || output === "json" ? "" : "\n";
      await io.writeStdout(`${clear}${gap}${text}`);
    }
    before = text;
    await io.sleep(interval * 1000);
  }
}

async function readStatus(
  io: Io,
  cluster: Cluster,
  spec: ConfigHashSpec,
  options: StatusOptions,
): Promise<StatusReport> {
  const namespace = options.allNamespaces === true ? undefined : (options.namespace ?? cluster.namespace);
  const hmacKey = hasHmacKey(io) ? io.context.hmacKey() : undefined;
  const live = await readCluster(cluster, namespace, spec);
  const decisions = decideLive(live, spec);
  const book = new DigestBook(spec, hmacKey);
  wantDigests(decisions.all, book);
  const unseen = await readDigests(cluster, namespace, book);
  const known = { book, declared: decisions.declared, hmacKey };
  const seen = { ...live, unseen: [...live.unseen, ...unseen] };
  return statusOf(seen, decisions, known, spec, { all: options.all === true });
}

/** A stamp shows whether it is keyed. Without a key, all other stamps can still be compared. */
function hasHmacKey({ environment }: Io): boolean {
  return Boolean(environment[HMAC_KEY_VARIABLE]) || Boolean(environment[HMAC_KEY_FILE_VARIABLE]);
}

async function runWait(io: Io, options: StatusOptions): Promise<ExitStatus> {
  const plan = options.plan === undefined ? undefined : await readWaitPlan(io, options.plan, options.since);
  const cluster = await io.connectCluster(clusterOptions(io, options));
  const interrupts = io.interrupts();
  try {
    return await waitForRollouts(
      {
        cluster,
        sleep: io.sleep,
        now: () => io.context.systemTime().getTime(),
        interrupted: interrupts.signal,
      },
      {
        namespace: options.namespace,
        allNamespaces: options.allNamespaces === true,
        plan,
        timeoutMs: options.timeout * 1000,
        stuckAfterMs: options.stuckAfter * 1000,
        strict: options.strict === true,
        failFast: options.failFast === true,
      },
      options.output === "json" ? jsonPrinter(io) : textPrinter(io, wantsColor(options.color, io)),
    );
  } finally {
    interrupts.done();
  }
}

async function readWaitPlan(io: Io, path: string, since: string | undefined): Promise<WaitPlan> {
  const { limits } = io.context;
  const text = path === STDIN ? await io.readStdin(limits) : io.readNamed(path, limits);
  const workloads = readPlan(text, path === STDIN ? "stdin" : path);
  const time = since === undefined ? io.writtenAt(path)?.getTime() : readSince(since, io.context.systemTime());
  if (time !== undefined) return { workloads, since: time };
  throw new RollstampError("usage", "the time at which this plan was written is unknown", {
    remedy: "Set --since to a time before the apply, or to a duration such as 10m.",
  });
}

function readSince(text: string, now: Date): number {
  const time = parseTime(text);
  const ago = quietly(() => duration(text));
  if (time !== undefined) return time.getTime();
  if (ago !== undefined) return now.getTime() - ago * 1000;
  throw new RollstampError("usage", `--since must be a time or a duration, found '${text}'`, {
    remedy: "Write RFC 3339 such as 2026-11-21T10:00:00Z, or how long ago it was: 10m.",
  });
}

/** Prints one line of JSON for each event. */
function jsonPrinter(io: Io): WaitPrinter {
  return {
    print: (event) => io.writeStdout(waitJson(event, formatTime(io.context.systemTime()))),
    progress: () => undefined,
  };
}

/** Prints what is new to standard output, and the progress to the last line of the terminal. */
function textPrinter(io: Io, color: boolean): WaitPrinter {
  const text = new WaitText();
  let shown = "";
  const show = (line: string): void => {
    if (!io.stderrIsTerminal || line === shown) return;
    io.writeStderr(`\r\u001b[K${line}`);
    shown = line;
  };
  return {
    print: async (event) => {
      const blocks = text.blocks(event);
      if (blocks.length === 0) return;
      show("");
      if (event.type === "End") await io.writeStdout("\n");
      await writeReport(io, { title: "status --wait", blocks }, color);
    },
    progress: (all, elapsedMs) => show(waitProgress(all, Math.floor(elapsedMs / 1000), io.stderrColumns)),
  };
}
