import type { Item } from "../yaml/read/items.ts";
import type { ManifestFile } from "../yaml/read/manifest-text.ts";
import { editedText } from "../yaml/edit/checked.ts";
import type { Edits } from "../yaml/edit/splice.ts";
import { renderedElsewhere } from "../findings/not-examined/elsewhere.ts";
import { notExaminedKey, type Account } from "../findings/not-examined/not-examined.ts";
import { BAD, DONE, worst, type ExitStatus } from "../base/exit-status.ts";
import { statusOf } from "../findings/catalogue/finding.ts";
import { readConfigHash, type ConfigHashSpec } from "../stamping/function/config-hash.ts";
import { analyse, checkAlone, stampAll, stampingUses, type Analysis } from "../stamping/pipeline.ts";
import { withConfigPlaces, type FunctionConfig } from "../stamping/function/config.ts";
import { atLeast, type Finding } from "../findings/catalogue/finding.ts";
import { findingLines } from "../findings/results/terminal.ts";
import { decide } from "../stamping/policy/decide.ts";
import { indexSources } from "../kubernetes/sources/source-index.ts";
import { asRendered } from "../stamping/stamps/rendered.ts";
import { unstamped } from "../stamping/stamps/unstamped.ts";
import { findWorkloads } from "../kubernetes/workloads/find-workloads.ts";
import { CHART_SOURCE_GROUP } from "../kubernetes/workloads/value-templates.ts";
import { areWorkloads, workloadKinds } from "../kubernetes/workloads/workload-kinds.ts";
import { accountOf, accountStatus, tellAccount, tellOthers, unreadStatus } from "./analysed.ts";
import { ofStdinAlone, refuseIdleOptions, without } from "./idle-options.ts";
import { checkOption, configOption, diffOption, scopeOption, verboseOption, wholeNumber } from "./options.ts";
import type { Io } from "../platform/ports/io.ts";
import type { DefineCommand } from "./command.ts";
import { readConfigs } from "../applications/inputs/config-file.ts";
import { NOTHING_WRITTEN, readInputs } from "../applications/inputs/read-inputs.ts";
import {
  putOut,
  refuseContradictions,
  withoutOwnConflicts,
  type FileText,
  type OutputOptions,
} from "./file-changes.ts";
import { STDIN } from "../applications/inputs/manifest-files.ts";
import { addAppsOptions } from "./apps-options.ts";
import type { AppsOptions } from "../applications/compare/look-at-applications.ts";
import { filesOfParts, scopes, type Scope } from "../applications/inputs/parts.ts";
import { checkApplications, refuseWrittenApps, type CheckedApps } from "../applications/compare/check-applications.ts";
import { headWorkloads } from "../applications/inputs/head-workloads.ts";
import { presentTime } from "../stamping/restart/moment.ts";
import { hasWaveMarks, waveOf, type Wave, pendingOf } from "../stamping/waves/wave.ts";
import { waitingFindings, waveLines } from "../stamping/waves/words.ts";

interface StampOptions extends OutputOptions, AppsOptions {
  readonly maxWorkloads?: number;
  readonly maxPods?: number;
  readonly due?: boolean;
  readonly config?: string;
  readonly scope: Scope;
  readonly kustomizeInput?: boolean;
  readonly requireStamps?: boolean;
  readonly verbose?: boolean;
}

/** Defines `rollstamp stamp`. */
export const defineStamp: DefineCommand = (command, io, done) => {
  refuseIdleOptions(command, [
    without("--check", "--require-stamps"),
    ofStdinAlone("--scope", "--kustomize-input", "--keep-going", "--max-workloads", "--max-pods", "--due"),
  ]);
  command
    .argument("<path...>", "files and folders; with --check - for standard input")
    .addOption(checkOption(command))
    .option("--require-stamps", "with --check: exit with 1 as well where a workload has no stamp at all")
    .addOption(diffOption(command))
    .option("--stdout", "write nothing; print all manifests as one stream")
    .addOption(configOption(command))
    .addOption(scopeOption(command))
    .option("--kustomize-input", "stamp files below a folder with a kustomization file too")
    .option("--keep-going", "stamp what can be stamped although some files can't be read or written")
    .addOption(verboseOption(command))
    .addHelpText("after", STAMP_HELP)
    .option("--max-workloads <n>", "let at most so many workloads take new stamps; the others wait", wholeNumber)
    .option("--max-pods <n>", "let at most so many pods be replaced; the other workloads wait", wholeNumber)
    .option("--due", "let those go that wait and may go now: windows, groups, the limits");
  addAppsOptions(command, "--scope", "--kustomize-input", "--stdout", "--max-workloads", "--max-pods", "--due");
  command.action(async (paths: string[], options: StampOptions) => {
    done(await runStamp(io, paths, options));
  });
};

const STAMP_HELP = `
Writes the digests of ConfigMaps and Secrets into the pod templates that use them, in place. Prints
the files that it changed. Run it again and nothing changes.

Examples:
  rollstamp stamp .                        stamp the manifests of a repository
  rollstamp stamp --check .                in CI: 1 if a stamp is missing or stale
  kustomize build . | rollstamp stamp --check --require-stamps -   did the host run the function?
  rollstamp stamp --check --apps .         does each application of the repository come out stamped?
  rollstamp stamp --diff . | git apply     the same as stamp .
  rollstamp stamp --scope directory envs   several renderings of one application
  rollstamp stamp --max-workloads 5 .      five workloads take new stamps with this commit, the others wait
  rollstamp stamp --due --max-workloads 5 .   the next five of those that wait, where their windows are open

Workloads that wait keep their stamps and have the new ones in rollstamp.dev/waiting: docs/waves.md.
`;

/** Stamps files and folders in place. */
async function runStamp(io: Io, paths: readonly string[], options: StampOptions): Promise<ExitStatus> {
  refuseContradictions(options);
  refuseWrittenApps(options);
  const configs = readConfigs(io, paths, options.config);
  const config = configs.of("ConfigHash");
  const spec = readConfigHash(config.config);
  const isUsed = stampingUses(spec);
  // By what a chart comes from it is known where its values take stamps.
  const isWanted = (item: Item): boolean => isUsed(item) || item.group === CHART_SOURCE_GROUP;
  const apps =
    options.apps === true ? await readApps(io, paths, options, { config, spec, configFile: configs.file }) : undefined;
  if (options.apps === true && apps === undefined) return BAD;
  const read =
    apps?.plain ??
    (await readInputs(io, paths, {
      configFile: configs.file,
      kustomizeInput: options.kustomizeInput === true,
      writes: true,
      check: checkAlone(spec),
      repair: withoutOwnConflicts(io),
      onErrors: options.keepGoing === true ? "continue" : "writeNothing",
      // What comes from a pipe can be checked, and goes nowhere.
      stdin: options.check === true,
      empty: "refuse",
      // A stream of all manifests needs all of them.
      // What scales a workload says how many pods it has.
      wants: options.stdout === true || options.maxPods !== undefined ? undefined : ({ items }) => items.some(isWanted),
    }));
  if (read === undefined) return BAD;
  const told = { command: "stamp", verbose: options.verbose === true } as const;
  const workloads = countWorkloads(read.files, spec);
  const account = apps?.account(workloads) ?? accountOf(read, workloads);
  tellOthers(io, read, told);
  // Plain manifests beside applications are several of these: they are parted as the commands that only read do it.
  const inScopes = apps === undefined ? scopes(read.files, options.scope) : filesOfParts(read.files, spec);
  const run: StampRun = { config, spec, isRendering: paths.includes(STDIN) };
  const analyses = inScopes.map((files) => analyseScope(io, files, run));
  // With --apps they are looked at.
  const [kustomize, others] = apps === undefined ? partKustomize(account) : [[], account];
  io.writeStderr(findingLines(kustomize));
  tellAccount(io, withoutStamped(others, read.files, analyses), told);
  const wave = await stampWave(io, read.files, analyses, spec, options);
  const findings = [
    ...analyses.flatMap((analysis) => analysis.findings),
    ...(wave === undefined ? [] : waitingFindings(wave)),
  ];
  io.writeStderr(findingLines(findings.filter((finding) => atLeast(finding, "warning"))));
  // As in a pipe: what failed must not be taken for done.
  const failed = statusOf(findings);
  if (failed !== DONE) {
    io.writeStderr(NOTHING_WRITTEN);
    return failed;
  }
  io.writeStderr((wave?.lines ?? []).map((line) => `rollstamp: ${line}\n`).join(""));
  const waiting = new Set(wave?.waits.map(({ workload }) => workload.item));
  const lacking =
    options.requireStamps === true ? inScopes.flatMap((files) => unstampedFindings(files, spec, waiting)) : [];
  io.writeStderr(findingLines(lacking));
  const edits = wave === undefined ? analyses.map(stampAll) : [wave.edits];
  const texts = read.files.map((file) => fileText(file, edits));
  return worst(
    await putOut(io, texts, options),
    (await apps?.tell()) ?? DONE,
    read.errors.length > 0 ? BAD : DONE,
    statusOf(lacking),
    unreadStatus(io, read),
    accountStatus(io, account, told),
  );
}

/** The applications at paths, with their plain manifests; undefined where these can't be read, which is told. */
async function readApps(
  io: Io,
  paths: readonly string[],
  options: StampOptions,
  { config, spec, configFile }: Pick<StampRun, "config" | "spec"> & { readonly configFile: string | undefined },
): Promise<CheckedApps | undefined> {
  const hmacKey = spec.secrets === "Keyed" ? withConfigPlaces(config, io.context.hmacKey) : undefined;
  return checkApplications(io, paths, options, { spec, configFile, hmacKey });
}

/** Without the objects whose values have been looked at: releases that take stamps for what they make. */
function withoutStamped(
  { examined, notExamined }: Account,
  files: readonly ManifestFile[],
  analyses: readonly Analysis[],
): Account {
  const paths = new Map(files.map(({ path, manifests: { tree } }) => [tree, path]));
  const stamped = new Set(
    analyses
      .flatMap(({ decisions }) => decisions)
      .filter(
        ({ selected, workload: { kind, templates } }) => selected && kind.holds !== undefined && templates.length > 0,
      )
      .flatMap(({ workload: { item } }) => renderedElsewhere([item], paths.get(item.tree) ?? ""))
      .map(notExaminedKey),
  );
  return { examined, notExamined: notExamined.filter((row) => !stamped.has(notExaminedKey(row))) };
}

/** What kustomize builds from is a finding of its own here, as a stamp there goes stale. */
function partKustomize({ examined, notExamined }: Account): [Finding[], Account] {
  const paths = notExamined.filter(({ kind }) => kind === "Kustomization").map(({ path }) => path);
  const others = notExamined.filter(({ kind }) => kind !== "Kustomization");
  return [
    paths.length === 0 ? [] : [{ id: "kustomize-input", cause: "skipped", params: { paths } }],
    { examined, notExamined: others },
  ];
}

function countWorkloads(files: readonly ManifestFile[], spec: ConfigHashSpec): number {
  const isWorkload = areWorkloads(workloadKinds(spec));
  const count = ({ manifests: { items } }: ManifestFile): number => items.filter(isWorkload).length;
  return files.reduce((sum, file) => sum + count(file), 0);
}

/** The wave of a run; undefined if no option and no annotation makes anything wait. */
async function stampWave(
  io: Io,
  files: readonly ManifestFile[],
  analyses: readonly Analysis[],
  spec: ConfigHashSpec,
  { maxWorkloads, maxPods, due: isDue = false, verbose = false }: StampOptions,
): Promise<(Wave & { readonly lines: readonly string[] }) | undefined> {
  const isAsked = isDue || maxWorkloads !== undefined || maxPods !== undefined;
  if (!isAsked && !analyses.some(({ items }) => items.some(hasWaveMarks))) return undefined;
  const isPending = analyses.some(({ desired }) => pendingOf(desired) !== "");
  const now = presentTime(io.context);
  const wave = waveOf(analyses, {
    maxWorkloads,
    maxPods,
    isDue,
    now,
    defaultNamespace: spec.defaultNamespace,
    atHead: isPending ? await headWorkloads(io, files, spec) : () => "same",
  });
  return { ...wave, lines: waveLines(wave, now, { isAsked, verbose }) };
}

/** What waits for its first stamp has none. */
function unstampedFindings(
  files: readonly ManifestFile[],
  spec: ConfigHashSpec,
  waiting: ReadonlySet<Item>,
): Finding[] {
  const items = files.flatMap(({ manifests }) => manifests.items);
  const workloads = findWorkloads(items, { ...spec, kinds: workloadKinds(spec) });
  const decisions = decide(workloads, indexSources(items, spec), spec);
  return unstamped(decisions.filter(({ workload }) => !waiting.has(workload.item)));
}

interface StampRun {
  readonly config: FunctionConfig;
  readonly spec: ConfigHashSpec;
  /** Whether the input is what a host has made: its stamps may be named as the host's function saw the sources. */
  readonly isRendering: boolean;
}

function analyseScope(io: Io, files: readonly ManifestFile[], { config, spec, isRendering }: StampRun): Analysis {
  const hmacKey = spec.secrets === "Keyed" ? withConfigPlaces(config, io.context.hmacKey) : undefined;
  const manifests = files.map((file) => file.manifests);
  const analysis = analyse(manifests, spec, hmacKey);
  return isRendering ? { ...analysis, desired: analysis.desired.map(asRendered) } : analysis;
}

/** Each tree is of one scope. */
function fileText(file: ManifestFile, edits: readonly Edits[]): FileText {
  const { tree } = file.manifests;
  const splices = edits.flatMap((each) => each.get(tree) ?? []);
  return { path: file.path, real: file.real, before: file.written ?? tree.text, after: editedText(tree, splices) };
}
