import { RollstampError } from "../../base/errors.ts";
import { errorText } from "../../findings/results/terminal.ts";
import type { Io } from "../../platform/ports/io.ts";
import type { Manifests } from "../../yaml/read/items.ts";
import { type ManifestFiles, readManifestFiles } from "./manifest-files.ts";
import { progressOf } from "./progress.ts";

export interface InputsOptions {
  /** The real path of the configuration file, which is no manifest. */
  readonly configFile: string | undefined;
  /** Whether to read files below a folder with a kustomization. */
  readonly kustomizeInput: boolean;
  readonly writes?: boolean;
  /** What happens if a file that the user named can't be read: stop, stop with a message that nothing was written, or continue. */
  readonly onErrors: "stop" | "writeNothing" | "continue";
  /** Whether `-` is standard input. It is not for commands that write files. */
  readonly stdin: boolean;
  /** Whether paths without manifests are an error; `named` also accepts empty files that the user named. */
  readonly empty: "refuse" | "found" | "named";
  /** Selects the manifests that the command needs; all of them by default. */
  readonly wants?: ((manifests: Manifests) => boolean) | undefined;
  /** Throws a RollstampError if some of the manifests are unusable. Files that were found do not stop the command. */
  readonly check?: ((manifests: readonly Manifests[]) => void) | undefined;
  /** Repairs text before it is read. Throws a RollstampError for text that must not be overwritten. */
  readonly repair?: (text: string, path: string) => string;
}

/**
 * Reads the manifests at the paths of a command, and prints errors. Undefined if the command has to stop. Throws a
 * RollstampError if there are no manifests.
 */
export async function readInputs(
  io: Io,
  paths: readonly string[],
  { configFile, kustomizeInput, writes = false, onErrors, stdin, empty, wants, check, repair }: InputsOptions,
): Promise<ManifestFiles | undefined> {
  const progress = progressOf(io, "reading manifests");
  const read = await readManifestFiles(io.files, paths, {
    limits: io.context.limits,
    kustomizeInput,
    writes,
    onProgress: progress.report,
    takesEmpty: empty === "named",
    ...(stdin ? { readStdin: io.readStdin } : {}),
    ...(wants === undefined ? {} : { wants }),
    ...(check === undefined ? {} : { check }),
    ...(repair === undefined ? {} : { repair }),
    ...(configFile === undefined ? {} : { except: new Set([configFile]) }),
  });
  progress.end();
  reportErrors(io, read.errors);
  if (read.errors.length > 0 && onErrors !== "continue") {
    if (onErrors === "writeNothing") io.writeStderr(NOTHING_WRITTEN);
    return undefined;
  }
  const isEmpty = read.files.length + read.unwanted + read.errors.length + read.notExamined.length === 0;
  if (isEmpty && empty === "refuse") throw noManifests(paths);
  return read;
}

/** The error for paths without manifests. */
export function noManifests(paths: readonly string[]): RollstampError {
  return new RollstampError("usage", `there are no Kubernetes manifests in ${paths.join(", ")}`, {
    remedy: "Give files or folders with manifests. Ignored files and Helm templates are skipped.",
  });
}

/** Prints errors in the same form as the error that ends a command. */
export function reportErrors(io: Pick<Io, "writeStderr">, errors: readonly RollstampError[]): void {
  for (const error of errors) {
    io.writeStderr(`rollstamp: error: ${errorText(error)}\n`);
  }
}

/** Printed by every command that writes files, if it wrote none. */
export const NOTHING_WRITTEN = "rollstamp: nothing was written\n";
