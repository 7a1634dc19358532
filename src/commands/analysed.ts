import { sumOf } from "../base/grouped.ts";
import type { Command } from "commander";
import type { Application } from "../applications/discover/application.ts";
import { readConfigHash, type ConfigHashSpec } from "../stamping/function/config-hash.ts";
import { statusOf, type Finding } from "../findings/catalogue/finding.ts";
import { type ExitStatus, BAD, DONE, FOUND } from "../base/errors.ts";
import { capped } from "../findings/catalogue/cap.ts";
import { analyse, analyseParts, checkAlone, type Analysis, type Parts } from "../stamping/pipeline.ts";
import { type Account, isNothing } from "../findings/not-examined/not-examined.ts";
import { findingLines, lineText, printable } from "../findings/results/terminal.ts";
import type { ManifestFiles } from "../applications/inputs/manifest-files.ts";
import { hmacKeyOf } from "./hmac-key.ts";
import { configOption, readScopeOption, verboseOption } from "./options.ts";
import type { Io } from "../platform/ports/io.ts";
import { readConfigs, type Configs } from "../applications/inputs/config-file.ts";
import { idleOnStdin, refuseIdleOptions } from "./idle-options.ts";
import { readInputs, reportErrors } from "../applications/inputs/read-inputs.ts";
import { addReadAppsOptions, overApplications, type ChoosingOptions } from "./apps-options.ts";
import { mustRender } from "../applications/compare/not-rendered.ts";
import { lookAtApplications, type LookedAt } from "../applications/compare/look-at-applications.ts";
import { partsOf } from "../applications/inputs/parts.ts";
import { unsureFinding, unsureReferences } from "../stamping/stamps/in-several.ts";
import { notExaminedLines, nothingExamined, type AccountOptions } from "../findings/not-examined/account-words.ts";

/** The options of commands that read manifests without changing them. */
export interface InputOptions extends ChoosingOptions {
  readonly config?: string;
  readonly verbose?: boolean;
}

/** Adds these options to a command, and the options for applications. */
export function addInputOptions(command: Command): void {
  addReadAppsOptions(command, "--scope", "--kustomize-input");
  refuseIdleOptions(command, [idleOnStdin("--scope", "--kustomize-input")]);
  command
    .addOption(configOption(command))
    .addOption(readScopeOption(command))
    .option("--kustomize-input", "also read files below a folder with a kustomization")
    .addOption(verboseOption(command));
}

/** The analysis of the manifests at some paths. */
export interface Analysed {
  /** One for each scope: a workload sees only the sources of its scope. */
  readonly analyses: readonly Analysis[];
  readonly spec: ConfigHashSpec;
  readonly hmacKey: Uint8Array | undefined;
  readonly read: ManifestFiles;
  readonly account: Account;
}

/** The analysis, with the result of a command for each application. */
export interface AnalysedApps<T> extends Analysed {
  readonly looked: readonly LookedAt<T>[];
  readonly isOverApplications: boolean;
  /** 1 if an application cannot be rendered, which is reported. */
  readonly status: ExitStatus;
}

/** The result of a command for one application. */
export type LookAtAnalysis<T> = (
  analysis: Analysis,
  of: Pick<Analysed, "spec" | "hmacKey"> & { readonly application: Application },
) => T;

/**
 * Reads and analyses the manifests at paths, and the applications there; undefined if some cannot be read, which is
 * reported. Without paths, it uses the current folder.
 */
export async function readAnalysed<T>(
  io: Io,
  given: readonly string[],
  options: InputOptions,
  look: LookAtAnalysis<T>,
): Promise<AnalysedApps<T> | undefined> {
  const paths = pathsOr(given);
  const configs = readConfigs(io, paths, options.config);
  const configured = configs.forKind("ConfigHash");
  const spec = readConfigHash(configured.config);
  const hmacKey = hmacKeyOf(io, spec, configured);
  const configuration = { spec, configs };
  const input = await chooseInput(io, paths, options, configuration);
  if (input.is === "unread") return undefined;
  const apps =
    input.is === "applications"
      ? await lookAtApplications(
          io,
          paths,
          options,
          { spec, configFile: configs.file },
          ({ application, manifests, spec: own }) => {
            const analysis = analyse(manifests, own, hmacKey);
            const result = look(analysis, { spec: own, hmacKey, application });
            return { result, workloads: analysis.workloads.length };
          },
        )
      : undefined;
  const inputs = input.is === "files" ? input.inputs : apps === undefined ? undefined : plainParts(apps.plain, spec);
  if (inputs === undefined) return undefined;
  const { read, parts, findings } = inputs;
  const analyses = analyseParts(parts, spec, hmacKey);
  const workloads = sumOf(analyses, (analysis) => analysis.workloads.length);
  io.writeStderr(findingLines([...findings, ...unsureFindings(parts, analyses), ...(apps?.failures ?? [])]));
  return {
    analyses,
    spec,
    hmacKey,
    read,
    account: apps?.account(workloads) ?? accountOf(read, workloads),
    looked: apps?.looked ?? [],
    isOverApplications: apps !== undefined,
    status: statusOf(apps?.failures ?? []),
  };
}

/** The paths of a command that only reads: the current folder if none is given. */
export function pathsOr(given: readonly string[]): readonly string[] {
  return given.length === 0 ? ["."] : given;
}

/** What a command works over; `unread` has been reported. */
export type ChosenInput =
  | { readonly is: "applications" }
  | { readonly is: "unread" }
  | { readonly is: "files"; readonly inputs: ReadParts };

/**
 * Decides whether a command works over applications, and reads the files if it doesn't. By default it does if something must
 * be rendered: with the files alone, its result would be that of a part.
 */
export async function chooseInput(
  io: Io,
  paths: readonly string[],
  options: InputOptions,
  { spec, configs }: { readonly spec: ConfigHashSpec; readonly configs: Configs },
): Promise<ChosenInput> {
  const over = overApplications(io, paths, options);
  if (over === "always" || (over === "ifFound" && configs.hasApplications)) return { is: "applications" };
  const inputs = await readParts(io, paths, options, { spec, configFile: configs.file });
  if (inputs === undefined) return { is: "unread" };
  return over === "ifFound" && inputs.read.notExamined.some(mustRender)
    ? { is: "applications" }
    : { is: "files", inputs };
}

/** The parts of the plain manifests beside applications. */
export function plainParts(read: ManifestFiles, spec: ConfigHashSpec): ReadParts {
  const { findings, ...parts } = partsOf(read.files, "auto", spec);
  return { parts, read, findings };
}

/** References that may mean any of several sources. With an explicit scope, there are none. */
export function unsureFindings(
  { repeats }: Parts,
  analyses: readonly Analysis[],
): readonly Finding<"ambiguous-source">[] {
  if (repeats === undefined) return [];
  return capped(
    analyses.flatMap(({ decisions, sources }) =>
      unsureReferences(decisions, sources).map((unsure) => unsureFinding(unsure, false)),
    ),
  );
}

export interface ReadParts {
  /** Parts that are analysed together. */
  readonly parts: Parts;
  readonly read: ManifestFiles;
  /** Says that the run was split into parts. */
  readonly findings: readonly Finding[];
}

/**
 * Reads the manifests at paths; undefined if some cannot be read, which is reported. `configFile` is the real path of
 * the configuration, which is not a manifest.
 */
async function readParts(
  io: Io,
  paths: readonly string[],
  options: InputOptions,
  { spec, configFile }: { readonly spec: ConfigHashSpec; readonly configFile: string | undefined },
): Promise<ReadParts | undefined> {
  const read = await readInputs(io, paths, {
    configFile,
    kustomizeInput: options.kustomizeInput === true,
    check: checkAlone(spec),
    onErrors: "stop",
    stdin: true,
    empty: "refuse",
  });
  if (read === undefined) return undefined;
  const { findings, ...parts } = partsOf(read.files, options.scope, spec);
  return { parts, read, findings };
}

/** The account of the files that were found and read. `workloads` is how many workloads the command examined. */
export function accountOf(read: ManifestFiles, workloads: number): Account {
  const { files, unwanted, objects, others, notExamined } = read;
  return { examined: { files: files.length + unwanted, objects, workloads, otherFiles: others.length }, notExamined };
}

/** Prints the account to standard error, for commands whose standard output is for machines. */
export function reportAccount(io: Pick<Io, "writeStderr">, account: Account, options: AccountOptions): void {
  for (const line of notExaminedLines(account, options)) io.writeStderr(`rollstamp: ${lineText(printable(line))}\n`);
}

/** With --verbose: the files that have the name of a manifest but contain none. */
export function reportOthers(
  io: Pick<Io, "writeStderr">,
  { others }: Pick<ManifestFiles, "others">,
  { verbose = false }: AccountOptions,
): void {
  if (!verbose || others.length === 0) return;
  io.writeStderr(`rollstamp: no manifests: ${printable(others.join(", "))}\n`);
}

/** 2 if nothing was examined, which is reported. */
export function accountStatus(io: Pick<Io, "writeStderr">, account: Account, options: AccountOptions): ExitStatus {
  if (!isNothing(account)) return DONE;
  reportErrors(io, [nothingExamined(account, options)]);
  return BAD;
}

/** 1 if a found file looks like a manifest and cannot be read; each of them is reported. */
export function unreadStatus(io: Pick<Io, "writeStderr">, { findings }: ManifestFiles): ExitStatus {
  io.writeStderr(findingLines(findings));
  return findings.length > 0 ? FOUND : DONE;
}
