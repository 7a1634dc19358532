import { sumOf } from "../base/grouped.ts";
import type { ManifestFile } from "../yaml/read/manifest-text.ts";
import { readConfigHash, type ConfigHashSpec } from "../stamping/function/config-hash.ts";
import { selectorOfText } from "../stamping/function/selectors.ts";
import { checkAnnotation, parseTarget, type RestartTarget } from "../stamping/restart/options.ts";
import { RollstampError, BAD, DONE, worst, type ExitStatus } from "../base/errors.ts";
import { RESTARTED_AT } from "../base/keys.ts";
import { workloadKinds, WORKLOAD_KINDS } from "../kubernetes/workloads/workload-kinds.ts";
import { dueMoment, presentTime, TIME_REMEDY } from "../stamping/schedules/moment.ts";
import { restart, type Restarted, type RestartRequest } from "../stamping/restart/restart.ts";
import { unmetFindings } from "../stamping/restart/restart-findings.ts";
import { namesKind } from "../base/kind-names.ts";
import { parseTime } from "../base/times.ts";
import { findingLines } from "../findings/results/terminal.ts";
import { statusOf, type Finding } from "../findings/catalogue/finding.ts";
import type { Severity } from "../findings/catalogue/severity.ts";
import type { WorkloadKind } from "../kubernetes/workloads/types.ts";
import { counted } from "../base/words.ts";
import { findWorkloads } from "../kubernetes/workloads/find-workloads.ts";
import { accountOf, reportAccount, reportOthers, unreadStatus } from "./analysed.ts";
import { checkOption, configOption, diffOption, verboseOption } from "./options.ts";
import type { Io } from "../platform/ports/io.ts";
import type { DefineCommand } from "./command.ts";
import { readConfigs } from "../applications/inputs/config-file.ts";
import { readInputs } from "../applications/inputs/read-inputs.ts";
import { writeChanges, type FileText, type OutputOptions, fileText } from "./file-changes.ts";
import { scopes } from "../applications/inputs/parts.ts";

interface RestartOptions extends OutputOptions {
  readonly namespace?: string;
  readonly selector?: string;
  readonly all?: boolean;
  readonly at?: string;
  readonly due?: boolean;
  readonly annotation: string;
  readonly config?: string;
  readonly verbose?: boolean;
}

/** Defines `rollstamp restart`. */
export const defineRestart: DefineCommand = (command, io, done) => {
  command
    .usage("[options] [KIND/NAME...] <path...>")
    .argument("<target-or-path...>", "workloads as KIND/NAME, and the files and folders that define them")
    .option("-n, --namespace <namespace>", "only workloads of this namespace; without KIND/NAME: all of them")
    .option("-l, --selector <selector>", "only workloads with these labels, as in kubectl -l")
    .option("--all", "all workloads whose pods a restart replaces")
    .option("--at <time>", "the time to write, in RFC 3339 (default: now)")
    .option("--due", "workloads that are due by their annotation rollstamp.dev/restart-schedule")
    .option("--annotation <key>", "the annotation of the pod template that gets the time", RESTARTED_AT)
    .addOption(checkOption(command))
    .addOption(diffOption(command))
    .addOption(configOption(command))
    .option("--keep-going", "restart the other workloads if some files can't be read or written")
    .addOption(verboseOption(command))
    .addHelpText("after", RESTART_HELP)
    .action(async (args: string[], options: RestartOptions) => {
      done(await runRestart(io, args, options));
    });
};

const RESTART_HELP = `
Restarts workloads by a commit: writes the time into their pod templates, or into the field that a kind
has for it (restartAt of an Argo Rollout, restartNonce of a FlinkDeployment). Prints the changed files
and how many pods will be replaced.

An existing path is always a path, even if it looks like KIND/NAME. Write the target with its group
then: deployment.apps/api. If no workload matches a named target, the status is 1; the others are
restarted.

Examples:
  # Restart one workload
  rollstamp restart deployment/api deploy/

  # Restart all workloads that match
  rollstamp restart -n shop -l tier=front .

  # In a scheduled CI job: restart what is due
  rollstamp restart --due .

  # Restart everything, with an annotation of your own
  rollstamp restart --all --annotation reloaded-at .
`;

async function runRestart(io: Io, args: readonly string[], options: RestartOptions): Promise<ExitStatus> {
  const { targets: named, paths } = splitArguments(io, args);
  const targets = targetsOf(named, paths, options);
  const annotation = checkAnnotation(options.annotation, ["--annotation"]);
  const moment = momentOf(io, options);
  const configs = readConfigs(io, paths, options.config);
  const spec = readConfigHash(configs.forKind("ConfigHash").config);
  const read = await readInputs(io, paths, {
    configFile: configs.file,
    // A restart in a base or a patch reaches everything that is built from it, and never becomes stale.
    kustomizeInput: true,
    writes: true,
    check: (manifests) => {
      findWorkloads(
        manifests.flatMap(({ items }) => items),
        kindsOf(spec),
      );
    },
    onErrors: options.keepGoing === true ? "continue" : "writeNothing",
    stdin: false,
    empty: "refuse",
  });
  if (read === undefined) return BAD;
  const naming = { command: "restart", verbose: options.verbose === true } as const;
  reportOthers(io, read, naming);
  reportAccount(io, accountOf(read, 0), naming);
  const isDue = options.due === true;
  const request: RestartRequest = { targets, isDue, isByHand: !isDue, moment, annotation, ...kindsOf(spec) };
  const { texts, findings, restarted } = restartFiles(read.files, request);
  io.writeStderr(findingLines(findings) + totalLine(restarted));
  const status = await writeChanges(io, texts, options);
  return worst(status, statusOf(findings), unreadStatus(io, read), read.errors.length > 0 ? BAD : DONE);
}

/** The number of pods of all restarts, if there are several. */
function totalLine(restarted: readonly Restarted[]): string {
  if (restarted.length < 2) return "";
  const pods = sumOf(restarted, ({ rollout }) => rollout.pods);
  const unknown = restarted.some(
    ({ rollout }) => rollout.effect === "Roll" && (rollout.strategy?.replicas ?? null) === null,
  );
  return `rollstamp: ${restarted.length} workloads restart, ${counted(pods, "pod")} in all${unknown ? " plus those of workloads whose number only the cluster knows" : ""}\n`;
}

function kindsOf(spec: ConfigHashSpec): { kinds: readonly WorkloadKind[]; defaultNamespace: string } {
  return { kinds: workloadKinds(spec), defaultNamespace: spec.defaultNamespace };
}

/** Separates `KIND/NAME` from paths. Everything that exists is a path. */
function splitArguments({ files }: Io, args: readonly string[]): { targets: RestartTarget[]; paths: string[] } {
  const targets: RestartTarget[] = [];
  const paths: string[] = [];
  for (const arg of args) {
    const target = parseTarget(arg);
    if (target !== undefined && files.kindOf(arg) === undefined) targets.push(target);
    else paths.push(arg);
  }
  if (paths.length > 0) return { targets, paths };
  throw new RollstampError("usage", "no file or folder is given", {
    remedy: "Add the paths after the targets: rollstamp restart deployment/api deploy/.",
  });
}

/** The kind of a path that was probably intended as a target. */
function targetLike(paths: readonly string[]): WorkloadKind | undefined {
  const kinds = paths.map((path) => parseTarget(path)?.kind);
  return WORKLOAD_KINDS.find((row) => kinds.some((kind) => kind !== undefined && namesKind(kind, row)));
}

/** The targets; undefined for everything, which needs --all or --due. */
function targetsOf(
  named: readonly RestartTarget[],
  paths: readonly string[],
  options: RestartOptions,
): readonly RestartTarget[] | undefined {
  const { namespace, selector } = options;
  if (options.all === true && named.length > 0) {
    throw new RollstampError("usage", "--all and KIND/NAME can't be used together", { remedy: "Use one of them." });
  }
  const requirements = selector === undefined ? undefined : selectorOfText(selector, ["--selector"]);
  // Often a variable of a script that is not set.
  if (requirements?.length === 0)
    throw new RollstampError("usage", "--selector is empty: it would select everything", {
      remedy: "Give labels, or leave it out; --all restarts everything.",
    });
  const limits = {
    ...(namespace === undefined ? {} : { namespace }),
    ...(requirements === undefined ? {} : { selector: requirements }),
  };
  const words = [
    ...(namespace === undefined ? [] : [`-n ${namespace}`]),
    ...(selector === undefined ? [] : [`-l ${selector}`]),
  ];
  if (named.length > 0)
    return named.map((target) => ({ ...target, ...limits, text: [target.text, ...words].join(" ") }));
  if (words.length > 0) return [{ ...limits, text: words.join(" ") }];
  if (options.all === true || options.due === true) return undefined;
  const like = targetLike(paths);
  throw new RollstampError("usage", "nothing is selected for a restart", {
    remedy:
      like === undefined
        ? "Select workloads with KIND/NAME, -n or -l; use --all for all of them, --due for those that are due."
        : `An existing path is not a target, even if it looks like KIND/NAME: write the target with its group, ${like.kind.toLowerCase()}.${like.group}/NAME.`,
  });
}

function momentOf(io: Io, options: RestartOptions): RestartRequest["moment"] {
  if (options.at !== undefined && options.due === true) {
    throw new RollstampError("usage", "--at and --due can't be used together", { remedy: "Use one of them." });
  }
  if (options.at !== undefined) {
    const time = parseTime(options.at);
    if (time === undefined)
      throw new RollstampError("usage", `--at must be a time: '${options.at}'`, { remedy: TIME_REMEDY });
    return () => time;
  }
  // SOURCE_DATE_EPOCH makes a run repeatable.
  const now = presentTime(io.context);
  return options.due === true ? dueMoment(now) : () => now;
}

/** A named workload must exist; labels and namespaces may match nothing. */
function unmet({ name }: RestartTarget): Severity {
  return name === undefined ? "warning" : "error";
}

/** Restarts the workloads of each folder, whose HorizontalPodAutoscalers say how many pods they have. */
function restartFiles(
  files: readonly ManifestFile[],
  request: RestartRequest,
): { texts: FileText[]; findings: Finding[]; restarted: Restarted[] } {
  const parts = scopes(files, "directory").map((inFolder) => ({
    inFolder,
    made: restart(
      inFolder.map((file) => file.manifests),
      request,
    ),
  }));
  const met = new Set(parts.flatMap(({ made }) => [...made.met]));
  return {
    texts: parts.flatMap(({ inFolder, made }) => inFolder.map((file) => fileText(file, made.edits))),
    restarted: parts.flatMap(({ made }) => made.restarted),
    findings: [...parts.flatMap(({ made }) => made.findings), ...unmetFindings(request.targets ?? [], met, unmet)],
  };
}
