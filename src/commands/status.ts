import type { Command, Option } from "commander";
import { HMAC_KEY_FILE_VARIABLE, HMAC_KEY_VARIABLE } from "../base/keys.ts";
import type { Cluster } from "../platform/ports/cluster.ts";
import { readConfigHash, type ConfigHashSpec } from "../stamping/function/config-hash.ts";
import { RollstampError } from "../base/errors.ts";
import { DONE, FOUND, type ExitStatus } from "../base/exit-status.ts";
import { statusJson } from "../output/status-json.ts";
import type { StatusReport } from "../reports/status/status-report.ts";
import { statusText } from "../output/status-text.ts";
import { jsonText } from "../findings/results/json-text.ts";
import { DigestBook } from "../reports/status/digest-book.ts";
import { decideLive, wantDigests } from "../reports/status/live-decisions.ts";
import { statusOf } from "../reports/status/status.ts";
import { configOption, outputOption } from "./options.ts";
import { addClusterOptions, clusterOptions, seconds, type ClusterCommandOptions } from "./cluster-options.ts";
import { duration } from "../base/durations.ts";
import { waitForRollouts } from "./status-wait.ts";
import { jsonPrinter, textPrinter } from "./wait-printer.ts";
import { wantsColor, type ColorWhen } from "./color.ts";
import type { Io } from "../platform/ports/io.ts";
import type { DefineCommand } from "./command.ts";
import { readConfigs } from "./config-file.ts";
import { beside, refuseIdleOptions, without } from "./idle-options.ts";
import { waitingFor } from "./progress.ts";
import { readCluster, readDigests } from "./read-cluster.ts";
import { onTerminal, writeReport } from "./write-text.ts";

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

const REPORTERS = { text: statusText, json: statusJson } satisfies Record<
  string,
  (report: StatusReport, color: boolean) => string
>;

const INTERVAL_SECONDS = 10;
// More than the ten minutes after which a Deployment gives up by itself: what it says then is worth more.
const TIMEOUT_MINUTES = 15;
// As long as an autoscaler takes to bring a node, a registry to answer again.
const STUCK_MINUTES = 3;

/** Defines `rollstamp status`. */
export const defineStatus: DefineCommand = (command, io, done) => {
  addClusterOptions(command);
  // A watch has no end, so no exit status that a check could tell.
  refuseIdleOptions(command, [
    without("--watch", "--interval"),
    beside("--watch", "--check"),
    beside("--wait", "--watch", "--interval", "--check", "--all", "--config"),
    without("--wait", "--plan", "--since", "--timeout", "--stuck-after", "--strict", "--fail-fast"),
    without("--plan", "--since", "--strict"),
  ]);
  command
    .option("-n, --namespace <name>", "the namespace (else that of the context)")
    .option("-A, --all-namespaces", "look at all namespaces")
    .addOption(outputOption(command, REPORTERS))
    .option("--all", "list workloads that are as they should be, too")
    .option("--check", "exit with 1 if pods run with old content")
    .option("--watch", "look again and again, until it is stopped")
    .option("--interval <seconds>", "with --watch: how long to wait between", seconds, INTERVAL_SECONDS)
    .option("--wait", "follow rollouts to their end; exit with 1 if one fails, sticks or is not as planned")
    .option(
      "--plan <file>",
      "with --wait: what 'plan -o json' has written; what should roll, does, what should not, does not",
    )
    .option("--since <time>", "with --plan: what rolled since then counts (else since the plan was written)")
    .addOption(
      lengthOption(command, "--timeout", "with --wait: how long in all, such as 90s or 1h30m", TIMEOUT_MINUTES),
    )
    .addOption(
      lengthOption(command, "--stuck-after", "with --wait: how long a reason may keep a rollout", STUCK_MINUTES),
    )
    .option("--strict", "with --plan: what the plan does not list may not roll either")
    .option("--fail-fast", "with --wait: stop at the first that fails")
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
Tells which pods of a cluster run with content other than what the cluster holds now. It only reads.
Secrets are optional: without the right to list them it says what it can't tell.

Examples:
  rollstamp status -n shop
  rollstamp status -A -o json
  rollstamp status -A --watch
  rollstamp plan --live -o json deploy/ > plan.json
  kubectl apply -f deploy/ && rollstamp status --wait --plan plan.json

Exit status: 0; 1 with --check if pods run with old content, with --wait if a rollout fails, sticks, takes too long or
is not as planned; 2 if the cluster can't be read.
`;

async function runStatus(io: Io, options: StatusOptions): Promise<ExitStatus> {
  if (options.allNamespaces === true && options.namespace !== undefined) {
    throw new RollstampError("usage", "-n and -A can't go together", { remedy: "Give one of the two." });
  }
  if (options.wait === true) return runWait(io, options);
  const spec = readConfigHash(readConfigs(io, ["."], options.config).of("ConfigHash").config);
  const cluster = await io.connectCluster(clusterOptions(io, options));
  const look = (): Promise<StatusReport> => lookOnce(io, cluster, spec, options);
  if (options.watch === true) return watch(io, look, options);
  const waiting = waitingFor(io, "reading the cluster");
  const report = await look().finally(waiting.end);
  await writeReport(io, REPORTERS[options.output](report, wantsColor(options.color, io)), options.output);
  return options.check === true && report.summary.stalePods > 0 ? FOUND : DONE;
}

function runWait(io: Io, options: StatusOptions): Promise<ExitStatus> {
  const printer = options.output === "json" ? jsonPrinter(io) : textPrinter(io, wantsColor(options.color, io));
  return waitForRollouts(
    io,
    () => io.connectCluster(clusterOptions(io, options)),
    {
      namespace: options.namespace,
      allNamespaces: options.allNamespaces === true,
      plan: options.plan,
      since: options.since,
      timeoutSeconds: options.timeout,
      stuckAfterSeconds: options.stuckAfter,
      strict: options.strict === true,
      failFast: options.failFast === true,
    },
    printer,
  );
}

/** Looks for ever; a failure ends it. What has not changed is not told again. */
async function watch(
  io: Io,
  look: () => Promise<StatusReport>,
  { output, interval, color }: StatusOptions,
): Promise<ExitStatus> {
  const waiting = waitingFor(io, "reading the cluster");
  for (let before = ""; ;) {
    const report = await look().finally(waiting.end);
    const text = output === "json" ? `${jsonText(report)}\n` : REPORTERS[output](report, wantsColor(color, io));
    if (text !== before) {
      const clear = io.stdoutIsTerminal && output === "text" ? "\u001b[2J\u001b[H" : "";
      const gap = before === "" || clear !== "" || output === "json" ? "" : "\n";
      await io.writeStdout(`${clear}${gap}${onTerminal(io, text, output)}`);
    }
    before = text;
    await io.sleep(interval * 1000);
  }
}

async function lookOnce(io: Io, cluster: Cluster, spec: ConfigHashSpec, options: StatusOptions): Promise<StatusReport> {
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

/** A stamp says by itself whether it is keyed: without a key the others can be told all the same. */
function hasHmacKey({ environment }: Io): boolean {
  return Boolean(environment[HMAC_KEY_VARIABLE]) || Boolean(environment[HMAC_KEY_FILE_VARIABLE]);
}
