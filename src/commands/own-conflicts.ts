import { RollstampError } from "../base/errors.ts";
import type { Io } from "../platform/ports/io.ts";
import { looksLikeManifest } from "../yaml/read/manifest-text.ts";
import { resolveOwn } from "../stamping/merge/conflict-hunks.ts";

/**
 * What a command that writes stamps reads of a text: git's conflicts about nothing but our entries are resolved.
 * Throws a RollstampError for others: nobody may write over them.
 */
export function withoutOwnConflicts({ context }: Io): (text: string, path: string) => string {
  return (text, file) => {
    const resolved = resolveOwn(text, context.limits);
    if (resolved.is === "none") return text;
    if (resolved.is === "resolved") return resolved.text;
    if (!looksLikeManifest(text)) return text;
    throw new RollstampError("input", "this file has a conflict in it that is not about stamps alone", {
      place: { file, line: resolved.line },
      remedy: "Resolve it first; stamps on either side don't matter. Then stamp again.",
    });
  };
}
