import { formatPatch, structuredPatch } from "diff";

/** The change of one file's text. */
export interface TextChange {
  /** The path in the diff, with slashes: relative to where it is applied. */
  readonly path: string;
  /** Undefined where the file is new. */
  readonly before: string | undefined;
  readonly after: string;
  /** A new file that is a program. */
  readonly executable?: boolean;
}

const CONTEXT = 3;

/** Changes as one unified diff in git's form: `git apply` and `patch -p1` take it. */
export function unifiedDiff(changes: readonly TextChange[]): string {
  return changes
    .map(({ path, before, after, executable }) => {
      const from = before === undefined ? "/dev/null" : `a/${path}`;
      const patch = structuredPatch(from, `b/${path}`, before ?? "", after, undefined, undefined, { context: CONTEXT });
      return formatPatch({
        ...patch,
        isGit: true,
        ...(before === undefined ? { isCreate: true, newMode: executable === true ? "100755" : "100644" } : {}),
      });
    })
    .join("");
}
