import { editedText } from "../yaml/edit/checked.ts";
import type { Edits } from "../yaml/edit/splice.ts";
import { relative, sep } from "node:path";
import { reportErrors } from "../applications/inputs/read-inputs.ts";
import { RollstampError, BAD, DONE, FOUND, type ExitStatus } from "../base/errors.ts";
import { looksLikeManifest, type ManifestFile } from "../yaml/read/manifest-text.ts";
import type { ConfigHashSpec } from "../stamping/function/config-hash.ts";
import { resolveOwn } from "../stamping/merge/conflict-hunks.ts";
import { oneStream } from "../yaml/edit/one-stream.ts";
import { pathText } from "../findings/results/terminal.ts";
import { wantsColor, type ColorWhen } from "./options.ts";
import type { Io } from "../platform/ports/io.ts";

/** The text of a file before a command and after it. */
export interface FileText {
  readonly path: string;
  /** The real path; undefined for standard input. */
  readonly real: string | undefined;
  readonly before: string;
  readonly after: string;
}

/** The text of a file before edits and after them. */
export function fileText({ path, real, written, manifests: { tree } }: ManifestFile, ...edits: Edits[]): FileText {
  const splices = edits.flatMap((each) => each.get(tree) ?? []);
  return { path, real, before: written ?? tree.text, after: editedText(tree, splices) };
}

/** How changed texts are put out. Without any of these options they are written in place. */
export interface OutputOptions {
  readonly check?: boolean;
  readonly diff?: boolean;
  readonly stdout?: boolean;
  readonly keepGoing?: boolean;
  readonly color?: ColorWhen;
}

/** Throws a RollstampError for options that contradict each other. */
export function refuseContradictions({ diff, stdout, check }: OutputOptions): void {
  if (stdout !== true || (diff !== true && check !== true)) return;
  throw new RollstampError("usage", `--stdout and ${diff === true ? "--diff" : "--check"} can't be used together`, {
    remedy: "Use one of them: both write to standard output.",
  });
}

/** Writes the changed texts, or prints them as the options say. */
export async function writeChanges(io: Io, files: readonly FileText[], options: OutputOptions): Promise<ExitStatus> {
  const changed = files.filter(({ before, after }) => before !== after);
  if (options.stdout === true) {
    await io.writeStdout(oneStream(files.map(({ after }) => after)));
    return DONE;
  }
  const found = options.check === true && changed.length > 0 ? FOUND : DONE;
  if (options.diff === true) {
    const { coloredDiff, unifiedDiff } = await import("../findings/results/file-diff.ts");
    const diff = unifiedDiff(
      changed.map((file) => ({ ...file, path: file.real === undefined ? file.path : pathInDiff(io, file.real) })),
    );
    await io.writeStdout(wantsColor(options.color ?? "auto", io) ? coloredDiff(diff) : diff);
    return found;
  }
  const list = changed.map(({ path }) => `${pathText(path)}\n`).join("");
  if (options.check === true) {
    await io.writeStdout(list);
    return found;
  }
  const replacements = changed.flatMap(({ path, real, before, after }) =>
    real === undefined ? [] : [{ path, real, before, text: after }],
  );
  const errors = await io.files.replace(replacements, { keepGoing: options.keepGoing === true });
  const failed = new Set(errors.map((error) => error.place?.file));
  if (errors.length === 0 || options.keepGoing === true) {
    await io.writeStdout(changed.map(({ path }) => (failed.has(path) ? "" : `${pathText(path)}\n`)).join(""));
  }
  reportErrors(io, errors);
  return errors.length === 0 ? DONE : BAD;
}

/** The path as git writes it: from the root of the repository or, outside of one, from the current folder. */
function pathInDiff({ files }: Io, real: string): string {
  const root = files.repositoryOf(real) ?? files.here();
  return relative(root, real).split(sep).join("/");
}

/**
 * Resolves those git conflicts in the text that are only about our own lines. Throws a RollstampError for other conflicts, which a
 * command that writes stamps must not overwrite.
 */
export function withoutOwnConflicts(
  { context }: Io,
  { layout }: Pick<ConfigHashSpec, "layout">,
): (text: string, path: string) => string {
  return (text, file) => {
    const resolved = resolveOwn(text, context.limits, layout === "Versioned");
    if (resolved.is === "none") return text;
    if (resolved.is === "resolved") return resolved.text;
    if (!looksLikeManifest(text)) return text;
    throw new RollstampError("input", "this file has a conflict that is not only about stamps", {
      place: { file, line: resolved.line },
      remedy: "Resolve it (keep the stamps of either side), then stamp again.",
    });
  };
}
