import { APPLICATIONS_KIND, CONFIG_FILE, CONFIG_VARIABLE } from "../../base/keys.ts";
import { relative } from "node:path";
import { STDIN } from "./manifest-files.ts";
import { readFunctionConfig, type FunctionConfig } from "../../stamping/function/config.ts";
import { RollstampError } from "../../base/errors.ts";
import { placeOf } from "../../yaml/read/items.ts";
import { getString, kindOf } from "../../yaml/read/node.ts";
import { NONE, readTree } from "../../yaml/read/tree.ts";
import type { Files } from "../../platform/ports/files.ts";
import type { Io } from "../../platform/ports/io.ts";

/** The configurations that a command runs with: one for each kind of function. */
export interface Configs {
  /** The configuration of a function, or its defaults where the file has none for it. */
  readonly of: (kind: string) => FunctionConfig;
  /** The real path of the file that they were read from; undefined where all are defaults. */
  readonly file: string | undefined;
}

/**
 * Reads the configuration of a command with paths: the file of --config, else the one that
 * ROLLSTAMP_CONFIG names, else the nearest rollstamp.yaml from the paths upwards. Such a file may
 * hold one document for each kind of function.
 */
export function readConfigs(io: Io, paths: readonly string[], configFile: string | undefined): Configs {
  const fromEnvironment = io.environment[CONFIG_VARIABLE] || undefined;
  const named = configFile ?? fromEnvironment;
  const file = named ?? findConfigFile(io.files, paths);
  // What a person names may be a pipe; to open one that was found may wait for ever.
  const read = named === undefined ? io.files.readFound : io.readNamed;
  const found = file === undefined ? [] : readConfigFile(io, file, read);
  return {
    of: (kind) => found.find(({ fn }) => fn.kind === kind) ?? defaultsOf(io.functions, kind),
    file: file === undefined ? undefined : io.files.realPath(file),
  };
}

function findConfigFile(files: Files, paths: readonly string[]): string | undefined {
  const found = paths.filter((path) => path !== STDIN).map((path) => files.findUpwards(path, CONFIG_FILE));
  const [first, ...others] = found;
  const other = others.find((file) => file !== first);
  if (others.some((file) => file !== first)) {
    throw new RollstampError(
      "usage",
      `the paths are configured differently: ${shown(files, first)} and ${shown(files, other)}`,
      {
        remedy: "Run the command once for each, or give --config.",
      },
    );
  }
  return first === undefined ? undefined : shown(files, first);
}

function shown(files: Files, file: string | undefined): string {
  return file === undefined ? `no ${CONFIG_FILE}` : relative(files.here(), file);
}

function readConfigFile({ functions, context }: Io, file: string, read: Files["readFound"]): FunctionConfig[] {
  const tree = readTree(read(file, context.limits), file, context.limits);
  const found: FunctionConfig[] = [];
  for (const document of tree.documents) {
    // The applications of a repository stand beside: `rollstamp apps` reads those.
    if (kindOf(tree, document) === "null" || getString(tree, document, "kind") === APPLICATIONS_KIND) continue;
    const config = readFunctionConfig(functions, tree, document);
    if (found.some(({ fn }) => fn === config.fn)) {
      throw new RollstampError("config", `a second ${config.fn.kind} stands in this file`, {
        place: placeOf(tree, document),
        remedy: "Keep one document for each kind.",
      });
    }
    found.push(config);
  }
  return found;
}

function defaultsOf(functions: Io["functions"], kind: string): FunctionConfig {
  const fn = functions.find((candidate) => candidate.kind === kind);
  if (fn === undefined) throw new Error(`there is no function ${kind}`);
  return readFunctionConfig([fn], undefined, NONE);
}
