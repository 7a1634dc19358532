import { RollstampError, recovered } from "../../base/errors.ts";
import { isMapping, type Mapping } from "../../yaml/read/json.ts";
import type { Json } from "../../yaml/read/node.ts";
import type { Limits } from "../../base/limits.ts";
import type { Snapshot } from "../../platform/ports/snapshot.ts";
import { readDocuments } from "../../yaml/read/manifest-text.ts";

/**
 * A folder with a file that makes it a kustomization or a chart; with `problem` instead of content if it can't be read.
 */
export type Marked =
  | {
      readonly folder: string;
      readonly file: string;
      readonly content: Mapping;
      readonly problem?: undefined;
      readonly isTemplate?: false;
    }
  | ({
      readonly folder: string;
      readonly file: string;
      readonly content?: undefined;
      /** The content in the revision that it is compared with. */
      readonly otherContent?: Mapping;
    } & Unread);

/**
 * What shows which files and folders a kustomization or chart includes. If it can't be read, that is its content in the other
 * revision: what it included there is not created or deleted.
 */
export function includingContent(marked: Marked): Mapping | undefined {
  return marked.content ?? marked.otherContent;
}

export interface Unread {
  readonly problem: RollstampError;
  /** It contains `{{`: another program creates the actual file. */
  readonly isTemplate: boolean;
}

/** The mapping in a file; empty for an empty file. */
export function contentOf(
  tree: Pick<Snapshot, "read" | "limits">,
  file: string,
): { readonly content: Mapping } | Unread {
  const read = documentsOf(tree, file);
  if ("problem" in read) return read;
  const [first = null] = read.documents;
  if (first === null) return { content: {} };
  return isMapping(first)
    ? { content: first }
    : { problem: new RollstampError("input", "this must be a mapping", { place: { file } }), isTemplate: false };
}

export function documentsOf(
  tree: Pick<Snapshot, "read" | "limits">,
  file: string,
): { readonly documents: readonly Json[] } | Unread {
  const read = tree.read(file);
  return read.is === "refused" ? { problem: read.error, isTemplate: false } : documentsOfText(read, file, tree.limits);
}

/** The documents of a file that was read. */
export function documentsOfText(
  read: { readonly text: string },
  file: string,
  limits: Limits,
): { readonly documents: readonly Json[] } | Unread {
  let known = parsed.get(read);
  if (known === undefined) parsed.set(read, (known = documentsIn(read.text, file, limits)));
  return known;
}

// A snapshot may return the same object again for the same file: then its documents are known.
const parsed = new WeakMap<object, { readonly documents: readonly Json[] } | Unread>();

function documentsIn(text: string, file: string, limits: Limits): { readonly documents: readonly Json[] } | Unread {
  return recovered(
    () => ({ documents: readDocuments(text, file, limits) }),
    (problem) => ({ problem, isTemplate: text.includes("{{") }),
  );
}
