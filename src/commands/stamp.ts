import { sumOf } from "../base/grouped.ts";
import type { Item } from "../yaml/read/items.ts";
import type { ManifestFile } from "../yaml/read/manifest-text.ts";
import { renderedElsewhere } from "../findings/not-examined/elsewhere.ts";
import { notExaminedKey, type Account } from "../findings/not-examined/not-examined.ts";
import { BAD, DONE, RollstampError, worst, type ExitStatus } from "../base/errors.ts";
import { statusOf, atLeast, type Finding } from "../findings/catalogue/finding.ts";
import { readConfigHash, type ConfigHashSpec } from "../stamping/function/config-hash.ts";
import { analyse, checkAlone, copiesOf, stampsOf, stampingUses, type Analysis } from "../stamping/pipeline.ts";
import { findingLines } from "../findings/results/terminal.ts";
import { decide } from "../stamping/policy/decide.ts";
import { indexSources } from "../kubernetes/sources/source-index.ts";
import { copyOptions, type CopyOptions } from "../stamping/stamps/copy-edits.ts";
import type { ChangedBy } from "../stamping/stamps/types.ts";
import { asRendered } from "../stamping/stamps/rendered.ts";
import { waitsInRender } from "../stamping/stamps/findings.ts";
import { unstamped } from "../stamping/stamps/unstamped.ts";
import { findWorkloads } from "../kubernetes/workloads/find-workloads.ts";
import { CHART_SOURCE_GROUP } from "../kubernetes/workloads/value-templates.ts";
import { areWorkloads, workloadKinds } from "../kubernetes/workloads/workload-kinds.ts";
import { accountOf, accountStatus, reportAccount, reportOthers, unreadStatus } from "./analysed.ts";
import { idleOnStdin, refuseIdleOptions, idleWithout } from "./idle-options.ts";
import { hmacKeyOf } from "./hmac-key.ts";
import { checkOption, configOption, diffOption, scopeOption, verboseOption, wholeNumber } from "./options.ts";
import type { Io } from "../platform/ports/io.ts";
import type { DefineCommand } from "./command.ts";
import { readConfigs } from "../applications/inputs/config-file.ts";
import { NOTHING_WRITTEN, readInputs } from "../applications/inputs/read-inputs.ts";
import {
  writeChanges,
  refuseContradictions,
  withoutOwnConflicts,
  type OutputOptions,
  fileText,
} from "./file-changes.ts";
import { STDIN } from "../applications/inputs/manifest-files.ts";
import { addAppsOptions } from "./apps-options.ts";
import type { AppsOptions } from "../applications/compare/applications-in.ts";
import { kustomizedSources } from "../applications/inputs/kustomized-sources.ts";
import { filesOfParts, scopes, type Scope } from "../applications/inputs/parts.ts";
import { checkApplications, refuseWrittenApps } from "../applications/compare/check-applications.ts";
import { copiesAtHead } from "../applications/inputs/head-copies.ts";
import { headWorkloads } from "../applications/inputs/head-workloads.ts";
import { presentTime } from "../stamping/schedules/moment.ts";
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
    idleWithout("--check", "--require-stamps"),
    idleOnStdin("--scope", "--kustomize-input", "--keep-going", "--max-workloads", "--max-pods", "--due"),
  ]);
  command
    .argument("<path...>", "files and folders; with --check, - reads standard input")
    .addOption(checkOption(command))
    .option("--require-stamps", "with --check: also fail if a workload has no stamp at all")
    .addOption(diffOption(command))
    .option("--stdout", "write no file; print all manifests as one stream")
    .addOption(configOption(command))
    .addOption(scopeOption(command))
    .option("--kustomize-input", "also stamp files that a kustomization is built from")
    .option("--keep-going", "stamp the other files if some can't be read or written")
    .addOption(verboseOption(command))
    .addHelpText("after", STAMP_HELP)
    .option(
      "--max-workloads <n>",
      "change the stamps of at most n workloads; the others wait",
      wholeNumber("--max-workloads"),
    )
    .option("--max-pods <n>", "replace at most n pods; the other workloads wait", wholeNumber("--max-pods"))
    .option("--due", "release waiting workloads whose window is open, within the limits");
  addAppsOptions(command, "--scope", "--kustomize-input", "--stdout", "--max-workloads", "--max-pods", "--due");
  command.action(async (paths: string[], options: StampOptions) => {
    done(await runStamp(io, paths, options));
  });
};

const STAMP_HELP = `
Writes the digests of ConfigMaps and Secrets into the pod templates that use them. Edits files in place
and prints the names of the changed ones. A second run changes nothing.

Examples:
  # Stamp the manifests of a repository
  rollstamp stamp .

  # In CI: fail if a stamp is missing or stale
  rollstamp stamp --check .

  # Check that a rendering is stamped
  kustomize build overlays/prod | rollstamp stamp --check --require-stamps -

  # Render every application of the repository and check its stamps
  rollstamp stamp --check --apps .

  # Show the changes as a diff
  rollstamp stamp --diff .

  # Stamp folders that contain the same objects separately
  rollstamp stamp --scope directory envs

  # Roll out a change five workloads at a time, one commit each
  rollstamp stamp --max-workloads 5 .
  rollstamp stamp --due --max-workloads 5 .

A waiting workload keeps its stamps. The annotation rollstamp.dev/waiting has the new ones: docs/guides/waves.md.
`;

async function runStamp(io: Io, paths: readonly string[], options: StampOptions): Promise<ExitStatus> {
  refuseContradictions(options);
  refuseWrittenApps(options);
  const configs = readConfigs(io, paths, options.config);
  const config = configs.forKind("ConfigHash");
  const spec = readConfigHash(config.config);
  const hmacKey = hmacKeyOf(io, spec, config);
  const isUsed = stampingUses(spec);
  // The source of a chart decides where its values have annotations of pods.
  const isWanted = (item: Item): boolean => isUsed(item) || item.group === CHART_SOURCE_GROUP;
  const apps =
    options.apps === true
      ? await checkApplications(io, paths, options, { spec, configFile: configs.file, hmacKey })
      : undefined;
  if (options.apps === true && apps === undefined) return BAD;
  const read =
    apps?.plain ??
    (await readInputs(io, paths, {
      configFile: configs.file,
      kustomizeInput: options.kustomizeInput === true,
      writes: true,
      check: checkAlone(spec),
      repair: withoutOwnConflicts(io, spec),
      onErrors: options.keepGoing === true ? "continue" : "writeNothing",
      // Standard input can be checked, but not written.
      stdin: options.check === true,
      empty: "refuse",
      // --stdout prints all manifests, and --max-pods needs the objects that scale workloads.
      wants: options.stdout === true || options.maxPods !== undefined ? undefined : ({ items }) => items.some(isWanted),
    }));
  if (read === undefined) return BAD;
  const naming = { command: "stamp", verbose: options.verbose === true } as const;
  const workloads = countWorkloads(read.files, spec);
  const account = apps?.account(workloads) ?? accountOf(read, workloads);
  reportOthers(io, read, naming);
  // Plain manifests beside applications are grouped as in the commands that only read.
  const inScopes = apps === undefined ? scopes(read.files, options.scope) : filesOfParts(read.files, spec);
  const changedBy =
    spec.layout === "Versioned" && options.kustomizeInput === true
      ? kustomizedSources(io, paths, read.files)
      : () => undefined;
  const run: StampRun = { spec, hmacKey, changedBy, isRendering: paths.includes(STDIN) };
  const analyses = inScopes.map((files) => analyseScope(files, run));
  // With --apps, kustomizations are examined.
  const [kustomize, others] = apps === undefined ? separateKustomizations(account) : [[], account];
  io.writeStderr(findingLines(kustomize));
  reportAccount(io, withoutStamped(others, read.files, analyses), naming);
  const wave = await stampWave(io, read.files, analyses, spec, options);
  const findings = [
    ...analyses.flatMap((analysis) => analysis.findings),
    ...(wave === undefined ? [] : waitingFindings(wave)),
    ...(areVersioned(spec, analyses)
      ? waitsInRender(
          analyses.flatMap(({ decisions }) => decisions),
          "copies",
        )
      : []),
  ];
  io.writeStderr(findingLines(findings.filter((finding) => atLeast(finding, "warning"))));
  // Nothing is written after an error, as in a pipe.
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
  const edits = wave === undefined ? analyses.map(stampsOf) : [wave.edits];
  const copies = copiesOf(analyses, await optionsOfCopies(io, read.files, run));
  const texts = read.files.map((file) => fileText(file, ...edits, copies));
  return worst(
    await writeChanges(io, texts, options),
    (await apps?.report()) ?? DONE,
    read.errors.length > 0 ? BAD : DONE,
    statusOf(lacking),
    unreadStatus(io, read),
    accountStatus(io, account, naming),
  );
}

/** Removes the releases whose values were examined: they contain the annotations of the pods that they create. */
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

/** Separates files that a kustomization is built from: a stamp in them becomes stale, which is a finding of its own. */
function separateKustomizations({ examined, notExamined }: Account): [Finding[], Account] {
  const paths = notExamined.filter(({ kind }) => kind === "Kustomization").map(({ path }) => path);
  const others = notExamined.filter(({ kind }) => kind !== "Kustomization");
  return [
    paths.length === 0 ? [] : [{ id: "kustomize-input", cause: "skipped", params: { paths } }],
    { examined, notExamined: others },
  ];
}

/** Whether nothing can wait: a workload that waits would name an old copy, which `keep` counts as any other. */
function areVersioned({ layout }: ConfigHashSpec, analyses: readonly Analysis[]): boolean {
  return layout === "Versioned" || analyses.some(({ sources }) => sources.copies.length > 0);
}

/** How copies are written: on files, those that are committed count. */
async function optionsOfCopies(
  io: Io,
  files: readonly ManifestFile[],
  { spec, isRendering }: StampRun,
): Promise<CopyOptions> {
  if (isRendering) return copyOptions(spec, "rendering");
  const options = copyOptions(spec, "files");
  return spec.layout === "Versioned" ? { ...options, atHead: await copiesAtHead(io, files) } : options;
}

function countWorkloads(files: readonly ManifestFile[], spec: ConfigHashSpec): number {
  const isWorkload = areWorkloads(workloadKinds(spec));
  const count = ({ manifests: { items } }: ManifestFile): number => items.filter(isWorkload).length;
  return sumOf(files, count);
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
  if (areVersioned(spec, analyses) && isAsked) {
    throw new RollstampError(
      "usage",
      "--max-workloads, --max-pods and --due do not work with copies (layout Versioned)",
      {
        remedy: "Stamp without these options: all workloads roll with this commit.",
      },
    );
  }
  if (areVersioned(spec, analyses)) return undefined;
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

/** Findings about workloads without stamps, except those that wait for their first one. */
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
  readonly spec: ConfigHashSpec;
  readonly hmacKey: Uint8Array | undefined;
  readonly changedBy: ChangedBy;
  /** Whether the input is a rendering: names of stamps may be from before the host renamed sources. */
  readonly isRendering: boolean;
}

function analyseScope(files: readonly ManifestFile[], { spec, hmacKey, changedBy, isRendering }: StampRun): Analysis {
  const manifests = files.map((file) => file.manifests);
  const analysis = analyse(manifests, spec, hmacKey, { changedBy });
  return isRendering ? { ...analysis, desired: analysis.desired.map(asRendered) } : analysis;
}
