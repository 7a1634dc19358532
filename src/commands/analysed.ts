import type { Command } from "commander";
import { readConfigHash, type ConfigHashSpec } from "../config/config-hash.ts";
import type { Finding } from "../findings/finding.ts";
import { capped } from "../findings/cap.ts";
import { analyseParts, checkAlone, type Analysis, type Parts } from "../pipeline.ts";
import { withConfigPlaces } from "../krm/run-function.ts";
import type { Account } from "../examined/not-examined.ts";
import { findingLines } from "../results/terminal.ts";
import { accountOf } from "./account.ts";
import type { ManifestFiles } from "./manifest-files.ts";
import { configOption, readScopeOption, verboseOption } from "./options.ts";
import type { Io } from "../io/io.ts";
import { readConfigs } from "./config-file.ts";
import { ofStdinAlone, refuseIdleOptions } from "./idle-options.ts";
import { readInputs } from "./read-inputs.ts";
import { partsOf, type ReadScope } from "./parts.ts";
import { unsureFinding, unsureReferences } from "../stamps/in-several.ts";

/** The options of the commands that look at manifests and change nothing. */
export interface InputOptions {
  readonly config?: string;
  readonly scope: ReadScope;
  readonly kustomizeInput?: boolean;
  readonly verbose?: boolean;
}

/** Adds these options to a command. */
export function addInputOptions(command: Command): void {
  refuseIdleOptions(command, [ofStdinAlone("--scope", "--kustomize-input")]);
  command
    .addOption(configOption(command))
    .addOption(readScopeOption(command))
    .option("--kustomize-input", "look at files below a folder with a kustomization file too")
    .addOption(verboseOption(command));
}

/** What is known of the manifests at some paths. */
export interface Analysed {
  /** One for each scope: its workloads see its sources only. */
  readonly analyses: readonly Analysis[];
  readonly spec: ConfigHashSpec;
  readonly hmacKey: Uint8Array | undefined;
  readonly read: ManifestFiles;
  readonly account: Account;
}

/** Reads and analyses the manifests at paths; undefined where some can't be read, which is told. */
export async function readAnalysed(
  io: Io,
  paths: readonly string[],
  options: InputOptions,
): Promise<Analysed | undefined> {
  const configs = readConfigs(io, paths, options.config);
  const configured = configs.of("ConfigHash");
  const spec = readConfigHash(configured.config);
  const hmacKey = spec.secrets === "Keyed" ? withConfigPlaces(configured, io.context.hmacKey) : undefined;
  const inputs = await readParts(io, paths, options, { spec, configFile: configs.file });
  if (inputs === undefined) return undefined;
  const analyses = analyseParts(inputs.parts, spec, hmacKey);
  const workloads = analyses.reduce((sum, analysis) => sum + analysis.workloads.length, 0);
  io.writeStderr(findingLines([...inputs.findings, ...unsureFindings(inputs.parts, analyses)]));
  return { analyses, spec, hmacKey, read: inputs.read, account: accountOf(inputs.read, workloads) };
}

/** The references of which nobody can say which source they mean; where a scope is asked for, that is meant. */
export function unsureFindings(
  { isLinked }: Parts,
  analyses: readonly Analysis[],
): readonly Finding<"unsure-source">[] {
  if (!isLinked) return [];
  return capped(
    analyses.flatMap(({ decisions, sources }) =>
      unsureReferences(decisions, sources).map((unsure) => unsureFinding(unsure, false)),
    ),
  );
}

/** The manifests at paths, and what was met while they were read. */
export interface ReadParts {
  /** What is looked at together. */
  readonly parts: Parts;
  readonly read: ManifestFiles;
  /** That the run is looked at in parts. */
  readonly findings: readonly Finding[];
}

/**
 * Reads the manifests at paths; undefined where some can't be read, which is told. `configFile` is the real path of the
 * configuration, which is no manifest.
 */
export async function readParts(
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
