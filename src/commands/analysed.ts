import type { Command } from "commander";
import { readConfigHash, type ConfigHashSpec } from "../config/config-hash.ts";
import type { Manifests } from "../manifest/items.ts";
import { analyse, type Analysis } from "../pipeline.ts";
import { withConfigPlaces } from "../krm/run-function.ts";
import { configOption, scopeOption } from "./options.ts";
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
}

/** Adds these options to a command. */
export function addInputOptions(command: Command): void {
  refuseIdleOptions(command, [ofStdinAlone("--scope", "--kustomize-input")]);
  command
    .addOption(configOption(command))
    .addOption(scopeOption(command))
    .option("--kustomize-input", "look at files below a folder with a kustomization file too");
}

/** What is known of the manifests at some paths. */
export interface Analysed {
  /** One for each scope: its workloads see its sources only. */
  readonly analyses: readonly Analysis[];
  readonly spec: ConfigHashSpec;
  readonly hmacKey: Uint8Array | undefined;
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
  const inputs = await readScopes(io, paths, options, configs.file);
  if (inputs === undefined) return undefined;
  return { analyses: inputs.map((manifests) => analyse(manifests, spec, hmacKey)), spec, hmacKey };
}

/**
 * Reads the manifests at paths, those of each scope together; undefined where some can't be read,
 * which is told. `configFile` is the real path of the configuration, which is no manifest.
 */
export async function readScopes(
  io: Io,
  paths: readonly string[],
  options: InputOptions,
  configFile: string | undefined,
): Promise<(readonly Manifests[])[] | undefined> {
  const read = await readInputs(io, paths, {
    configFile,
    kustomizeInput: options.kustomizeInput === true,
    onErrors: "stop",
    stdin: true,
    empty: "refuse",
  });
  if (read === undefined) return undefined;
  return scopes(read.files, options.scope).map((files) => files.map(({ manifests }) => manifests));
}
