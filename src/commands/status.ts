import type { Command, Option } from "commander";
import { DONE, FOUND, RollstampError, type ExitStatus } from "../base/errors.ts";
import { HMAC_KEY_FILE_VARIABLE, HMAC_KEY_VARIABLE } from "../base/keys.ts";
import { duration, formatTime } from "../base/times.ts";
import { jsonReport } from "../findings/results/json-text.ts";
import { statusDocument } from "../output/status-text.ts";
import { waitJson, WaitText, waitProgress } from "../output/wait-text.ts";
import type { Cluster } from "../platform/ports/cluster.ts";
import type { Io } from "../platform/ports/io.ts";
import { DigestBook } from "../reports/status/digest-book.ts";
import { decideLive, wantDigests } from "../reports/status/live-decisions.ts";
import { readCluster, readDigests, type LiveCluster } from "../reports/status/read-cluster.ts";
import type { StatusReport } from "../reports/status/status-report.ts";
import { statusOf } from "../reports/status/status.ts";
import { waitForRollouts, type WaitPrinter } from "../reports/status/wait.ts";
import { readConfigHash, type ConfigHashSpec } from "../stamping/function/config-hash.ts";
import { addNamespaceOptions, clusterOptions, namespaceOf, type NamespaceOptions } from "./cluster-options.ts";
import type { DefineCommand } from "./command.ts";
import { readConfigs } from "../applications/inputs/config-file.ts";
import { idleWith, refuseIdleOptions, idleWithout } from "./idle-options.ts";
import { configOption, outputOption, wantsColor, type ColorWhen } from "./options.ts";
import { waitingFor } from "../applications/inputs/progress.ts";
import { writeReport } from "./write-text.ts";

interface StatusOptions extends NamespaceOptions {
  readonly output: keyof typeof REPORTERS;
  readonly color: ColorWhen;
  readonly all?: boolean;
  readonly check?: boolean;
  readonly config?: string;
  readonly wait?: boolean;
  readonly timeout: number;
  readonly stuckAfter: number;
  readonly failFast?: boolean;
}

const REPORTERS = { text: statusDocument, json: jsonReport } as const;

// Longer than the ten minutes after which a Deployment reports failure: its reason says more than a timeout.
const TIMEOUT_MINUTES = 15;
// An autoscaler needs about this time to add a node, and a registry to recover.
const STUCK_MINUTES = 3;

/** Defines `rollstamp status`. */
export const defineStatus: DefineCommand = (command, io, done) => {
  addNamespaceOptions(command, "check all namespaces");
  refuseIdleOptions(command, [
    idleWith("--wait", "--check", "--all", "--config"),
    idleWithout("--wait", "--timeout", "--stuck-after", "--fail-fast"),
  ]);
  command
    .addOption(outputOption(command, REPORTERS))
    .option("--all", "also list workloads that are current")
    .option("--check", "exit with 1 if pods run with old content")
    .option("--wait", "follow rollouts to their end; exit with 1 if one fails or gets stuck")
    .addOption(
      lengthOption(command, "--timeout", "with --wait: the longest wait, such as 90s or 1h30m", TIMEOUT_MINUTES),
    )
    .addOption(
      lengthOption(command, "--stuck-after", "with --wait: how long a rollout may make no progress", STUCK_MINUTES),
    )
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
    .argParser(duration(flag))
    .default(minutes * 60, `${minutes}m`);
}

const STATUS_HELP = `
Shows which pods of a cluster run with content other than what the cluster holds now. It only reads.
The right to list Secrets is optional: without it, the output says what is unknown.

Examples:
  rollstamp status -n shop
  rollstamp status -A -o json
  kubectl apply -f deploy/ && rollstamp status --wait

Exit status: 0; 1 with --check if pods run with old content, and with --wait if a rollout fails, gets stuck or takes too
long; 2 if the cluster cannot be read.
`;

async function runStatus(io: Io, options: StatusOptions): Promise<ExitStatus> {
  if (options.wait === true) return runWait(io, options);
  const spec = readConfigHash(readConfigs(io, ["."], options.config).forKind("ConfigHash").config);
  const cluster = await io.connectCluster(clusterOptions(io, options));
  const waiting = waitingFor(io, "reading the cluster");
  const report = await readStatus(io, cluster, spec, options).finally(waiting.end);
  await writeReport(io, REPORTERS[options.output](report), wantsColor(options.color, io));
  return options.check === true && report.summary.stalePods > 0 ? FOUND : DONE;
}

async function readStatus(
  io: Io,
  cluster: Cluster,
  spec: ConfigHashSpec,
  options: StatusOptions,
): Promise<StatusReport> {
  const namespace = namespaceOf(options, cluster);
  const hmacKey = hasHmacKey(io) ? io.context.hmacKey() : undefined;
  const live = await readCluster(cluster, namespace, spec);
  if (options.check === true) requirePods(live, cluster);
  const decisions = decideLive(live, spec);
  const book = new DigestBook(spec, hmacKey);
  wantDigests(decisions.all, book);
  const unseen = await readDigests(cluster, namespace, book);
  const known = { book, declared: decisions.declared, hmacKey };
  const seen = { ...live, unseen: [...live.unseen, ...unseen] };
  return statusOf(seen, decisions, known, spec, { all: options.all === true });
}

/** Pods that nobody looked at are no success of a check. */
function requirePods({ unseenKinds }: LiveCluster, { context }: Cluster): void {
  const unseen = ["Pod", "ReplicaSet"].filter((kind) => unseenKinds.has(kind)).map((kind) => `${kind}s`);
  if (unseen.length > 0)
    throw new RollstampError(
      "system",
      `--check: the user of context '${context}' may not list ${unseen.join(" and ")}`,
      {
        remedy:
          "Bind the ClusterRole of docs/guides/clusters.md, which lists them: without them, old content can't be found.",
      },
    );
}

/** A stamp shows whether it is keyed. Without a key, all other stamps can still be compared. */
function hasHmacKey({ environment }: Io): boolean {
  return Boolean(environment[HMAC_KEY_VARIABLE]) || Boolean(environment[HMAC_KEY_FILE_VARIABLE]);
}

async function runWait(io: Io, options: StatusOptions): Promise<ExitStatus> {
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
        namespace: namespaceOf(options, cluster),
        timeoutMs: options.timeout * 1000,
        stuckAfterMs: options.stuckAfter * 1000,
        failFast: options.failFast === true,
      },
      options.output === "json" ? jsonPrinter(io) : textPrinter(io, wantsColor(options.color, io)),
    );
  } finally {
    interrupts.done();
  }
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
