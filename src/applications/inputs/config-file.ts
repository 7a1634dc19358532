import { APPLICATIONS_KIND, CONFIG_FILE, CONFIG_VARIABLE } from "../../base/keys.ts";
import { relative } from "node:path";
import { STDIN } from "./manifest-files.ts";
import { readFunctionConfig, type FunctionConfig } from "../../stamping/function/config.ts";
import { RollstampError } from "../../base/errors.ts";
import { placeOf } from "../../yaml/read/items.ts";
import { getString, kindOf } from "../../yaml/read/node.ts";
import { NONE, readTree, type YamlTree } from "../../yaml/read/tree.ts";
import type { Files } from "../../platform/ports/files.ts";
import type { Io } from "../../platform/ports/io.ts";

/** The configurations of a command: one for each kind of function. */
export interface Configs {
  /** The configuration of a function, or its defaults if the file has none. */
  readonly forKind: (kind: string) => FunctionConfig;
  /** The real path of the configuration file; undefined if there is none. */
  readonly file: string | undefined;
  /** Whether the file lists the applications of the repository. */
  readonly hasApplications: boolean;
}

/**
 * Reads the configuration of a command with paths: the file of --config, else the one in ROLLSTAMP_CONFIG, else the nearest
 * rollstamp.yaml in the folders of the paths or above. A file can have one document for each kind of function.
 */
export function readConfigs(io: Io, paths: readonly string[], configFile: string | undefined): Configs {
  const fromEnvironment = io.environment[CONFIG_VARIABLE] || undefined;
  const named = configFile ?? fromEnvironment;
  const file = named ?? findConfigFile(io.files, paths);
  // The user may name a pipe. Opening a pipe that was found could wait forever.
  const read = named === undefined ? io.files.readFound : io.readNamed;
  const { limits } = io.context;
  const tree = file === undefined ? undefined : readTree(read(file, limits), file, limits);
  const found = tree === undefined ? [] : configsIn(io.functions, tree);
  return {
    forKind: (kind) => configFor(io.functions, found, kind),
    file: file === undefined ? undefined : io.files.realPath(file),
    hasApplications: tree?.documents.some((document) => listsApplications(tree, document)) === true,
  };
}

function findConfigFile(files: Files, paths: readonly string[]): string | undefined {
  const found = paths.filter((path) => path !== STDIN).map((path) => files.findUpwards(path, CONFIG_FILE));
  const [first, ...others] = found;
  const other = others.find((file) => file !== first);
  if (others.some((file) => file !== first)) {
    throw new RollstampError(
      "usage",
      `the paths have different configurations: ${shown(files, first)} and ${shown(files, other)}`,
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

/** The applications of a repository are in the same file. */
function listsApplications(tree: YamlTree, document: YamlTree["documents"][number]): boolean {
  return getString(tree, document, "kind") === APPLICATIONS_KIND;
}

/** The configurations in a rollstamp.yaml: one for each kind of function. Throws a RollstampError. */
export function configsIn(functions: Io["functions"], tree: YamlTree): FunctionConfig[] {
  const found: FunctionConfig[] = [];
  for (const document of tree.documents) {
    if (kindOf(tree, document) === "null" || listsApplications(tree, document)) continue;
    const config = readFunctionConfig(functions, tree, document);
    if (found.some(({ fn }) => fn === config.fn)) {
      throw new RollstampError("config", `this file has a second ${config.fn.kind}`, {
        place: placeOf(tree, document),
        remedy: "Keep one document for each kind.",
      });
    }
    found.push(config);
  }
  return found;
}

/** The configuration of a kind of function, or its defaults. */
export function configFor(functions: Io["functions"], found: readonly FunctionConfig[], kind: string): FunctionConfig {
  const known = found.find(({ fn }) => fn.kind === kind);
  if (known !== undefined) return known;
  const fn = functions.find((candidate) => candidate.kind === kind);
  if (fn === undefined) throw new Error(`unknown function ${kind}`);
  return readFunctionConfig([fn], undefined, NONE);
}
