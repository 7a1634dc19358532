import type { ManifestFile } from "../yaml/read/manifest-text.ts";
import { readConfigHash, type ConfigHashSpec } from "../stamping/function/config-hash.ts";
import { selectorOfText } from "../stamping/function/selectors.ts";
import { checkAnnotation, parseTarget, type RestartTarget } from "../stamping/restart/options.ts";
import { editedText } from "../yaml/edit/checked.ts";
import { RollstampError } from "../base/errors.ts";
import { BAD, DONE, worst, type ExitStatus } from "../base/exit-status.ts";
import { RESTARTED_AT } from "../base/keys.ts";
import { workloadKinds } from "../kubernetes/workloads/workload-kinds.ts";
import { dueMoment, presentTime, TIME_REMEDY } from "../stamping/restart/moment.ts";
import { restart, type Restarted, type RestartRequest, type Restarts } from "../stamping/restart/restart.ts";
import { unmetFindings } from "../stamping/restart/restart-findings.ts";
import { namesKind } from "../base/kind-names.ts";
import { parseTime } from "../base/times.ts";
import { findingLines } from "../findings/results/terminal.ts";
import { statusOf, type Finding } from "../findings/catalogue/finding.ts";
import type { Severity } from "../findings/catalogue/severity.ts";
import type { WorkloadKind } from "../kubernetes/workloads/types.ts";
import { WORKLOAD_KINDS } from "../kubernetes/workloads/workload-kinds.ts";
import { counted } from "../base/words.ts";
import { findWorkloads } from "../kubernetes/workloads/find-workloads.ts";
import { accountOf, tellAccount, tellOthers, unreadStatus } from "./analysed.ts";
import { checkOption, configOption, diffOption, verboseOption, wholeNumber } from "./options.ts";
import { headWorkloads } from "../applications/inputs/head-workloads.ts";
import type { Io } from "../platform/ports/io.ts";
import type { DefineCommand } from "./command.ts";
import { readConfigs } from "../applications/inputs/config-file.ts";
import { readInputs } from "../applications/inputs/read-inputs.ts";
import { putOut, type FileText, type OutputOptions } from "./file-changes.ts";
import { scopes } from "../applications/inputs/parts.ts";

interface RestartOptions extends OutputOptions {
  readonly namespace?: string;
  readonly selector?: string;
  readonly all?: boolean;
  readonly at?: string;
  readonly due?: boolean;
  readonly annotation: string;
  readonly maxWorkloads?: number;
  readonly config?: string;
  readonly verbose?: boolean;
}

/** Defines `rollstamp restart`. */
export const defineRestart: DefineCommand = (command, io, done) => {
  command
    .usage("[options] [KIND/NAME...] <path...>")
    .argument("<target-or-path...>", "KIND/NAME of workloads, and the files and folders that they are in")
    .option("-n, --namespace <namespace>", "only workloads of this namespace; alone: all of them")
    .option("-l, --selector <selector>", "only workloads with these labels, as kubectl -l takes them")
    .option("--all", "everything whose pods a restart replaces")
    .option("--at <time>", "the moment that is written, in RFC 3339 (else the present)")
    .option("--due", "what its annotation rollstamp.dev/restart-schedule says is due")
    .option("--annotation <key>", "the annotation of the pod template that holds the moment", RESTARTED_AT)
    .option("--max-workloads <n>", "restart at most so many with this commit; the others by the next run", wholeNumber)
    .addOption(checkOption(command))
    .addOption(diffOption(command))
    .addOption(configOption(command))
    .option("--keep-going", "restart what can be restarted although some files can't be read or written")
    .addOption(verboseOption(command))
    .addHelpText("after", RESTART_HELP)
    .action(async (args: string[], options: RestartOptions) => {
      done(await runRestart(io, args, options));
    });
};

const RESTART_HELP = `
A restart as a commit: writes a moment into pod templates, or into the field that a kind has for it
(an Argo Rollout's restartAt, a FlinkDeployment's restartNonce). Prints the files that it changed,
and what the restart will cost. What is there is a path, also if it looks like
KIND/NAME: the target is then written with its group, deployment.apps/api. A named target that nothing
matches ends with status 1; the others are restarted.

Examples:
  rollstamp restart deployment/api deploy/            one workload
  rollstamp restart -n shop -l tier=front .           all that match
  rollstamp restart --due .                           in a scheduled CI job
  rollstamp restart --all --annotation reloaded-at .  everything, under a key of your own
  rollstamp restart --due --max-workloads 5 .         five with each commit, till all have restarted
`;

async function runRestart(io: Io, args: readonly string[], options: RestartOptions): Promise<ExitStatus> {
  const { targets: named, paths } = splitArguments(io, args);
  const targets = targetsOf(named, paths, options);
  const annotation = checkAnnotation(options.annotation, []);
  const moment = momentOf(io, options);
  const configs = readConfigs(io, paths, options.config);
  const spec = readConfigHash(configs.of("ConfigHash").config);
  const read = await readInputs(io, paths, {
    configFile: configs.file,
    // A restart in a base or in a patch reaches what is built from it, and never goes stale.
    kustomizeInput: true,
    writes: true,
    check: ({ items }) => {
      findWorkloads(items, kindsOf(spec));
    },
    onErrors: options.keepGoing === true ? "continue" : "writeNothing",
    stdin: false,
    empty: "refuse",
  });
  if (read === undefined) return BAD;
  const told = { command: "restart", verbose: options.verbose === true } as const;
  tellOthers(io, read, told);
  tellAccount(io, accountOf(read, 0), told);
  const request: RestartRequest = { targets, isDue: options.due === true, moment, annotation, ...kindsOf(spec) };
  const whole = restartFiles(read.files, request);
  const { texts, findings, restarted } =
    options.maxWorkloads === undefined ? whole : await limited(io, read.files, spec, request, options.maxWorkloads);
  const left = whole.restarted.length - restarted.length;
  io.writeStderr(findingLines(findings) + totalLine(restarted) + leftLine(left));
  const status = await putOut(io, texts, options);
  return worst(status, statusOf(findings), unreadStatus(io, read), read.errors.length > 0 ? BAD : DONE);
}

/** Restarts no more than so many: those whose last restart is the longest ago. */
async function limited(
  io: Io,
  files: readonly ManifestFile[],
  spec: ConfigHashSpec,
  request: RestartRequest,
  maxWorkloads: number,
): Promise<ReturnType<typeof restartFiles>> {
  const { restartWave } = await import("../stamping/waves/restart-wave.ts");
  const inScopes = scopes(files, "directory").map((inFolder) => {
    const inputs = inFolder.map(({ manifests }) => manifests);
    return { inputs, restarts: restart(inputs, request) };
  });
  const atHead = await headWorkloads(io, files, spec);
  const mayGo = restartWave(inScopes, { maxWorkloads, request, atHead });
  return restartFiles(files, { ...request, mayGo: ({ item }) => mayGo.has(item) });
}

function leftLine(left: number): string {
  if (left === 0) return "";
  return `rollstamp: ${counted(left, "workload is", "workloads are")} left by --max-workloads: commit, and run it again\n`;
}

/** What all of it costs, where it is more than one workload. */
function totalLine(restarted: readonly Restarted[]): string {
  if (restarted.length < 2) return "";
  const pods = restarted.reduce((sum, { rollout }) => sum + rollout.pods, 0);
  const unknown = restarted.some(
    ({ rollout }) => rollout.effect === "Roll" && (rollout.strategy?.replicas ?? null) === null,
  );
  return `rollstamp: ${restarted.length} workloads restart, ${counted(pods, "pod")} in all${unknown ? " and some whose number only the cluster knows" : ""}\n`;
}

function kindsOf(spec: ConfigHashSpec): { kinds: readonly WorkloadKind[]; defaultNamespace: string } {
  return { kinds: workloadKinds(spec), defaultNamespace: spec.defaultNamespace };
}

/** Tells `KIND/NAME` from paths: what is there is a path, whatever its name. */
function splitArguments({ files }: Io, args: readonly string[]): { targets: RestartTarget[]; paths: string[] } {
  const targets: RestartTarget[] = [];
  const paths: string[] = [];
  for (const arg of args) {
    const target = parseTarget(arg);
    if (target !== undefined && files.kindOf(arg) === undefined) targets.push(target);
    else paths.push(arg);
  }
  if (paths.length > 0) return { targets, paths };
  throw new RollstampError("usage", "there is no file or folder to look in", {
    remedy: "Give the paths behind the targets: rollstamp restart deployment/api deploy/.",
  });
}

/** A path that may have been meant as a target: a known kind and a name. */
function targetLike(paths: readonly string[]): WorkloadKind | undefined {
  const kinds = paths.map((path) => parseTarget(path)?.kind);
  return WORKLOAD_KINDS.find((row) => kinds.some((kind) => kind !== undefined && namesKind(kind, row)));
}

/** What is to restart; undefined for everything, which has to be said. */
function targetsOf(
  named: readonly RestartTarget[],
  paths: readonly string[],
  options: RestartOptions,
): readonly RestartTarget[] | undefined {
  const { namespace, selector } = options;
  if (options.all === true && named.length > 0) {
    throw new RollstampError("usage", "--all and KIND/NAME can't go together", { remedy: "Give one of the two." });
  }
  const limits = {
    ...(namespace === undefined ? {} : { namespace }),
    ...(selector === undefined ? {} : { selector: selectorOfText(selector, "--selector") }),
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
  throw new RollstampError("usage", "nothing says what is to restart", {
    remedy:
      like === undefined
        ? "Name it by KIND/NAME, by -n or by -l; --all is everything, --due what a schedule says."
        : `What is there is a path, also where its name looks like KIND/NAME: write the target with its group, ${like.kind.toLowerCase()}.${like.group}/NAME.`,
  });
}

function momentOf(io: Io, options: RestartOptions): RestartRequest["moment"] {
  if (options.at !== undefined && options.due === true) {
    throw new RollstampError("usage", "--at and --due can't go together", { remedy: "Give one of the two." });
  }
  if (options.at !== undefined) {
    const at = parseTime(options.at);
    if (at === undefined)
      throw new RollstampError("usage", `--at is '${options.at}', which is no time`, { remedy: TIME_REMEDY });
    return () => at;
  }
  // A command may read the clock; a set environment makes it repeatable.
  const now = presentTime(io.context);
  return options.due === true ? dueMoment(now) : () => now;
}

/** Whoever names a workload means one that is there; labels and namespaces may be empty. */
function unmet({ name }: RestartTarget): Severity {
  return name === undefined ? "warning" : "error";
}

/** Restarts what is in each folder: by its HorizontalPodAutoscalers the cost is told. */
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
    texts: parts.flatMap(({ inFolder, made }) => inFolder.map((file) => fileText(file, made))),
    restarted: parts.flatMap(({ made }) => made.restarted),
    findings: [...parts.flatMap(({ made }) => made.findings), ...unmetFindings(request.targets ?? [], met, unmet)],
  };
}

function fileText({ path, real, manifests }: ManifestFile, { edits }: Restarts): FileText {
  const before = manifests.tree.text;
  return { path, real, before, after: editedText(manifests.tree, edits.get(manifests.tree) ?? []) };
}
