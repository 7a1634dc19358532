import { readConfigs } from "../applications/inputs/config-file.ts";
import { progressOf } from "../applications/inputs/progress.ts";
import { DONE, FOUND, type ExitStatus } from "../base/errors.ts";
import { duration } from "../base/times.ts";
import { jsonReport } from "../findings/results/json-text.ts";
import { copiesDocument, rolesYaml } from "../output/gc-text.ts";
import type { Io } from "../platform/ports/io.ts";
import { copiesReport, deleteUnused, judgeCopies } from "../reports/gc/collect.ts";
import type { CopiesReport } from "../reports/gc/copies-report.ts";
import { rightsFor } from "../reports/gc/rights.ts";
import { userKinds, type ShowProgress } from "../reports/gc/users.ts";
import { readConfigHash } from "../stamping/function/config-hash.ts";
import { addNamespaceOptions, clusterOptions, namespaceOf, type NamespaceOptions } from "./cluster-options.ts";
import type { DefineCommand } from "./command.ts";
import { idleWith, refuseIdleOptions } from "./idle-options.ts";
import { configOption, outputOption } from "./options.ts";
import { writeReport } from "./write-text.ts";

interface GcOptions extends NamespaceOptions {
  readonly output: keyof typeof REPORTERS;
  readonly olderThan: number;
  readonly delete?: boolean;
  readonly all?: boolean;
  readonly rbac?: boolean;
  readonly config?: string;
}

const REPORTERS = { text: copiesDocument, json: (report: CopiesReport): string => jsonReport(report) } as const;

// An engine may apply a copy long before the workload that names it: sync waves, dependencies, approvals.
const OLDER_THAN_HOURS = 24;

/** Defines `rollstamp gc`. */
export const defineGc: DefineCommand = (command, io, done) => {
  addNamespaceOptions(command, "all namespaces");
  refuseIdleOptions(command, [idleWith("--rbac", "--output", "--older-than", "--all")]);
  command
    .addOption(outputOption(command, REPORTERS))
    .addOption(
      command
        .createOption("--older-than <time>", "only copies that are older, such as 90m or 168h")
        .argParser(duration("--older-than"))
        .default(OLDER_THAN_HOURS * 3600, `${OLDER_THAN_HOURS}h`),
    )
    .option("--delete", "delete the unused copies")
    .option("--all", "also list copies that are used or too new")
    .option("--rbac", "print the roles that the other options need, for the kinds of this cluster")
    .addOption(configOption(command, "here"))
    .addHelpText("after", GC_HELP)
    .action(async (options: GcOptions) => {
      done(await runGc(io, options));
    });
};

const GC_HELP = `
Lists the copies of ConfigMaps and Secrets (layout: Versioned) that nothing in the cluster uses, and deletes
them with --delete. Only copies with the annotations that protect them from pruning are listed. A copy is
used if a pod, a ReplicaSet, a ControllerRevision, a Job or a workload names it. A copy that has changed
since it was listed is kept. The content of ConfigMaps and Secrets is never read.

Examples:
  rollstamp gc -n shop
  rollstamp gc -A --all
  rollstamp gc -A --older-than 168h --delete
  rollstamp gc -A --delete --rbac | kubectl apply -f -

Exit status: 0; 1 if a copy could not be deleted; 2 if something that may use a copy cannot be read.
`;

async function runGc(io: Io, options: GcOptions): Promise<ExitStatus> {
  const { workloads } = readConfigHash(readConfigs(io, ["."], options.config).forKind("ConfigHash").config);
  const cluster = await io.connectCluster(clusterOptions(io, options));
  const namespace = namespaceOf(options, cluster);
  if (options.rbac === true) {
    const rights = rightsFor(await userKinds(cluster, workloads), options.delete === true);
    await io.writeStdout(rolesYaml(rights, namespace));
    return DONE;
  }
  const given = { namespace, now: io.context.systemTime(), olderThanSeconds: options.olderThan, workloads };
  const copies = await showing(io, "reading the cluster", (progress) => judgeCopies(cluster, given, progress));
  const write = async (): Promise<CopiesReport> => {
    const report = copiesReport(cluster, copies, given, options.all === true);
    await writeReport(io, REPORTERS[options.output](report, given.now));
    return report;
  };
  if (options.delete !== true) {
    await write();
    return DONE;
  }
  const interrupts = io.interrupts();
  let isComplete = false;
  try {
    await showing(io, "deleting copies", (progress) => deleteUnused(cluster, copies, interrupts.signal, progress));
    const { summary } = await write();
    isComplete = summary.unused === 0;
    return summary.failed > 0 ? FOUND : DONE;
  } finally {
    interrupts.done(isComplete);
  }
}

async function showing<T>(io: Io, what: string, work: (progress: ShowProgress) => Promise<T>): Promise<T> {
  const { report, end } = progressOf(io, what);
  return work(report).finally(end);
}
