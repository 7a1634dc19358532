import type { Command } from "commander";
import { readConfigHash, type ConfigHashSpec } from "../config/config-hash.ts";
import type { Manifests } from "../manifest/items.ts";
import { analyse, checkAlone, type Analysis } from "../pipeline.ts";
import { withConfigPlaces } from "../krm/run-function.ts";
import type { Account } from "../examined/not-examined.ts";
import { accountOf } from "./account.ts";
import type { ManifestFiles } from "./manifest-files.ts";
import { configOption, scopeOption, verboseOption } from "./options.ts";
import type { Io } from "../io/io.ts";
import { readConfigs } from "./config-file.ts";
import { ofStdinAlone, refuseIdleOptions } from "./idle-options.ts";
import { readInputs } from "./read-inputs.ts";
import { scopes, type Scope } from "./scopes.ts";

/** The options of the commands that look at manifests and change nothing. */
export interface InputOptions {
  readonly config?: string;
  readonly scope: Scope;
  readonly kustomizeInput?: boolean;
  readonly verbose?: boolean;
}

/** Adds these options to a command. */
export function addInputOptions(command: Command): void {
  refuseIdleOptions(command, [ofStdinAlone("--scope", "--kustomize-input")]);
  command
    .addOption(configOption(command))
    .addOption(scopeOption(command))
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
  const inputs = await readScopes(io, paths, options, { spec, configFile: configs.file });
  if (inputs === undefined) return undefined;
  const analyses = inputs.scopes.map((manifests) => analyse(manifests, spec, hmacKey));
  const workloads = analyses.reduce((sum, analysis) => sum + analysis.workloads.length, 0);
  return { analyses, spec, hmacKey, read: inputs.read, account: accountOf(inputs.read, workloads) };
}

/** The manifests at paths, and what was met while they were read. */
export interface ReadScopes {
  /** Those of each scope together. */
  readonly scopes: readonly (readonly Manifests[])[];
  readonly read: ManifestFiles;
}

/**
 * Reads the manifests at paths, those of each scope together; undefined where some can't be read,
 * which is told. `configFile` is the real path of the configuration, which is no manifest.
 */
export async function readScopes(
  io: Io,
  paths: readonly string[],
  options: InputOptions,
  { spec, configFile }: { readonly spec: ConfigHashSpec; readonly configFile: string | undefined },
): Promise<ReadScopes | undefined> {
  const read = await readInputs(io, paths, {
    configFile,
    kustomizeInput: options.kustomizeInput === true,
    check: checkAlone(spec),
    onErrors: "stop",
    stdin: true,
    empty: "refuse",
  });
  if (read === undefined) return undefined;
  return { scopes: scopes(read.files, options.scope).map((files) => files.map(({ manifests }) => manifests)), read };
}
