import { HMAC_KEY_FILE_VARIABLE, HMAC_KEY_VARIABLE } from "../ground/keys.ts";
import type { Cluster } from "../io/cluster.ts";
import { readConfigHash, type ConfigHashSpec } from "../config/config-hash.ts";
import { RollstampError } from "../ground/errors.ts";
import { DONE, FOUND, type ExitStatus } from "../ground/exit-status.ts";
import { statusJson } from "../report/status-json.ts";
import type { StatusReport } from "../status/status-report.ts";
import { statusText } from "../report/status-text.ts";
import { jsonText } from "../results/json-text.ts";
import { DigestBook } from "../status/digest-book.ts";
import { decideLive, wantDigests } from "../status/live-decisions.ts";
import { statusOf } from "../status/status.ts";
import { configOption, outputOption } from "./options.ts";
import { addClusterOptions, clusterOptions, seconds, type ClusterCommandOptions } from "./cluster-options.ts";
import { wantsColor, type ColorWhen } from "./color.ts";
import type { Io } from "../io/io.ts";
import type { DefineCommand } from "./command.ts";
import { readConfigs } from "./config-file.ts";
import { beside, refuseIdleOptions, without } from "./idle-options.ts";
import { waitingFor } from "./progress.ts";
import { readCluster, readDigests } from "./read-cluster.ts";

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
}

const REPORTERS = { text: statusText, json: statusJson } satisfies Record<
  string,
  (report: StatusReport, color: boolean) => string
>;

const INTERVAL_SECONDS = 10;

/** Defines `rollstamp status`. */
export const defineStatus: DefineCommand = (command, io, done) => {
  addClusterOptions(command);
  // A watch has no end, so no exit status that a check could tell.
  refuseIdleOptions(command, [without("--watch", "--interval"), beside("--watch", "--check")]);
  command
    .option("-n, --namespace <name>", "the namespace (else that of the context)")
    .option("-A, --all-namespaces", "look at all namespaces")
    .addOption(outputOption(command, REPORTERS))
    .option("--all", "list workloads that are as they should be, too")
    .option("--check", "exit with 1 if pods run with old content")
    .option("--watch", "look again and again, until it is stopped")
    .option("--interval <seconds>", "with --watch: how long to wait between", seconds, INTERVAL_SECONDS)
    .addOption(configOption(command, "here"))
    .addHelpText("after", STATUS_HELP)
    .action(async (options: StatusOptions) => {
      done(await runStatus(io, options));
    });
};

const STATUS_HELP = `
Tells which pods of a cluster run with content other than what the cluster holds now. It only reads.
Secrets are optional: without the right to list them it says what it can't tell.

Examples:
  rollstamp status -n shop
  rollstamp status -A -o json
  rollstamp status -A --watch

Exit status: 0; 1 with --check if pods run with old content; 2 if the cluster can't be read.
`;

async function runStatus(io: Io, options: StatusOptions): Promise<ExitStatus> {
  if (options.allNamespaces === true && options.namespace !== undefined) {
    throw new RollstampError("usage", "-n and -A can't go together", { remedy: "Give one of the two." });
  }
  const spec = readConfigHash(readConfigs(io, ["."], options.config).of("ConfigHash").config);
  const cluster = await io.connectCluster(clusterOptions(io, options));
  const look = (): Promise<StatusReport> => lookOnce(io, cluster, spec, options);
  if (options.watch === true) return watch(io, look, options);
  const waiting = waitingFor(io, "reading the cluster");
  const report = await look().finally(waiting.end);
  await io.writeStdout(REPORTERS[options.output](report, wantsColor(options.color, io)));
  return options.check === true && report.summary.stalePods > 0 ? FOUND : DONE;
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
      await io.writeStdout(`${clear}${gap}${text}`);
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
