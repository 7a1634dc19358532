import { RollstampError } from "../../base/errors.ts";
import { errorText } from "../../findings/results/terminal.ts";
import type { Io } from "../../platform/ports/io.ts";
import type { Manifests } from "../../yaml/read/items.ts";
import { type ManifestFiles, readManifestFiles } from "./manifest-files.ts";
import { progressOf } from "./progress.ts";

/** What a command with paths says of its inputs. */
export interface InputsOptions {
  /** The real path of the configuration, which is no manifest. */
  readonly configFile: string | undefined;
  /** Whether files below a folder with a kustomization file count. */
  readonly kustomizeInput: boolean;
  /** Whether the command writes what it reads. */
  readonly writes?: boolean;
  /** What comes of a file that can't be read: nothing is done, nothing is written, or the others are all the same. */
  readonly onErrors: "stop" | "writeNothing" | "goOn";
  /** Whether `-` is standard input: not for a command that writes what it reads. */
  readonly stdin: boolean;
  /** Inputs without any manifest: an error, or for the command to judge; `named` files that hold nothing as well. */
  readonly empty: "refuse" | "found" | "named";
  /** What the command doesn't want isn't kept; all without it. */
  readonly wants?: ((manifests: Manifests) => boolean) | undefined;
  /** Throws a RollstampError for manifests that can't be used by themselves: such a file that was found stops nothing. */
  readonly check?: ((manifests: Manifests) => void) | undefined;
  /** What is read in place of a text; throws a RollstampError for one that nobody may write over. */
  readonly mend?: (text: string, path: string) => string;
}

/**
 * Reads the manifests at the paths of a command. What is wrong with some is told; undefined where it is not to
 * go on without them. Throws a RollstampError where there are none.
 */
export async function readInputs(
  io: Io,
  paths: readonly string[],
  { configFile, kustomizeInput, writes = false, onErrors, stdin, empty, wants, check, mend }: InputsOptions,
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
    ...(mend === undefined ? {} : { mend }),
    ...(configFile === undefined ? {} : { except: new Set([configFile]) }),
  });
  progress.end();
  tellErrors(io, read.errors);
  if (read.errors.length > 0 && onErrors !== "goOn") {
    if (onErrors === "writeNothing") io.writeStderr(NOTHING_WRITTEN);
    return undefined;
  }
  const isEmpty = read.files.length + read.unwanted + read.errors.length + read.notExamined.length === 0;
  if (isEmpty && empty === "refuse") throw noManifests(paths);
  return read;
}

/** The error for paths at which there is nothing to look at. */
export function noManifests(paths: readonly string[]): RollstampError {
  return new RollstampError("usage", `there are no Kubernetes manifests in ${paths.join(", ")}`, {
    remedy: "Give files or folders with manifests; ignore files and Helm templates may have left some out.",
  });
}

/** Prints errors as the command line prints the one that ends it. */
export function tellErrors(io: Pick<Io, "writeStderr">, errors: readonly RollstampError[]): void {
  for (const error of errors) {
    io.writeStderr(`rollstamp: error: ${errorText(error)}\n`);
  }
}

/** Printed by every command that writes files, if it wrote none. */
export const NOTHING_WRITTEN = "rollstamp: nothing was written\n";
