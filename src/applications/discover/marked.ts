import { RollstampError } from "../../base/errors.ts";
import { isMapping, type Mapping } from "../../yaml/read/json.ts";
import { toJson, type Json } from "../../yaml/read/node.ts";
import { readTree } from "../../yaml/read/tree.ts";
import type { Limits } from "../../base/limits.ts";
import type { Snapshot } from "../../platform/ports/snapshot.ts";

/** A folder with a file that makes it something; `problem` in the place of its content where that can't be read. */
export type Marked =
  | {
      readonly folder: string;
      readonly file: string;
      readonly content: Mapping;
      readonly problem?: undefined;
      readonly isTemplate?: false;
    }
  | ({ readonly folder: string; readonly file: string; readonly content?: undefined } & Unread);

/** Why a file can't be read as YAML. */
export interface Unread {
  readonly problem: RollstampError;
  /** It has `{{`: something makes it before kustomize or Helm reads it. */
  readonly isTemplate: boolean;
}

/** The mapping that a file holds; an empty one for an empty file. */
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
    : { problem: new RollstampError("input", "this is no mapping", { place: { file } }), isTemplate: false };
}

/** The documents of a file, as plain data. */
export function documentsOf(
  tree: Pick<Snapshot, "read" | "limits">,
  file: string,
): { readonly documents: readonly Json[] } | Unread {
  const read = tree.read(file);
  return read.is === "refused" ? { problem: read.error, isTemplate: false } : documentsOfText(read, file, tree.limits);
}

/** The documents of what was read of a file. */
export function documentsOfText(
  read: { readonly text: string },
  file: string,
  limits: Limits,
): { readonly documents: readonly Json[] } | Unread {
  let known = parsed.get(read);
  if (known === undefined) parsed.set(read, (known = documentsIn(read.text, file, limits)));
  return known;
}

// A tree may give out one read again, for the same file alone: what came of it is good for that too.
const parsed = new WeakMap<object, { readonly documents: readonly Json[] } | Unread>();

function documentsIn(text: string, file: string, limits: Limits): { readonly documents: readonly Json[] } | Unread {
  try {
    const yaml = readTree(text, file, limits);
    return { documents: yaml.documents.map((root) => toJson(yaml, root)) };
  } catch (cause) {
    if (cause instanceof RollstampError) return { problem: cause, isTemplate: text.includes("{{") };
    throw cause;
  }
}
