import { createHash } from "node:crypto";
import type { ConfigHashSpec } from "../../stamping/function/config-hash.ts";
import { quietly } from "../../base/errors.ts";
import { namesKind, type KindAndName } from "../../base/kind-names.ts";
import { SOURCES } from "../../base/keys.ts";
import type { Limits } from "../../base/limits.ts";
import { readManifests, type Item, type Manifests } from "../../yaml/read/items.ts";
import { readTree } from "../../yaml/read/tree.ts";
import { partsOfCopyName } from "../../kubernetes/sources/copies.ts";
import { findWorkloads } from "../../kubernetes/workloads/find-workloads.ts";
import type { Workload } from "../../kubernetes/workloads/types.ts";
import { workloadKinds } from "../../kubernetes/workloads/workload-kinds.ts";

export interface Wanted extends KindAndName {
  readonly namespace: string | undefined;
}

export interface Reading {
  readonly limits: Limits;
  readonly spec: ConfigHashSpec;
  readonly hmacKey: Uint8Array | undefined;
}

/** A document with the workload. */
export interface Found {
  readonly text: string;
  /** Of the text: equal documents have equal digests. */
  readonly digest: string;
  readonly item: Item;
  readonly namespace: string;
  /** The sources that it refers to; undefined if others may count too. */
  readonly names: readonly string[] | undefined;
}

export function isWanted({ kind, name, namespace }: Wanted, { item, namespace: own }: Workload): boolean {
  return item.name === name && namesKind(kind, item) && (namespace === undefined || namespace === own);
}

/** Finds a workload in files. Most commits do not change its document, so each document is read only once. */
export function finder(wanted: Wanted, { limits, spec }: Reading): (text: string) => Found | undefined {
  const known = remembered((document): Found | undefined => {
    const items = manifestsOf(document, limits)?.items ?? [];
    const workloads = quietly(() => findWorkloads(items, options)) ?? [];
    const workload = workloads.find((each) => isWanted(wanted, each));
    if (workload === undefined) return undefined;
    const { item, namespace } = workload;
    const digest = createHash("sha256").update(document).digest("base64");
    return { text: document, digest, item, namespace, names: namesOf(workload, document, spec) };
  });
  const options = { ...spec, kinds: workloadKinds(spec) };
  return (text) => {
    for (const document of documentsWith(wanted.name, text)) {
      const found = known(document);
      if (found !== undefined) return found;
    }
    return undefined;
  };
}

function namesOf({ templates }: Workload, document: string, spec: ConfigHashSpec): readonly string[] | undefined {
  // Overrides and annotations of other objects may add sources.
  if (spec.overrides.length + spec.compat.length > 0 || document.includes(SOURCES)) return undefined;
  return templates.flatMap(({ references }) =>
    // Alone, its document does not show which names are those of copies.
    references.flatMap(({ name }) => [name, partsOfCopyName(name)?.name ?? name]),
  );
}

// The limit of remembered text. When it is exceeded, everything is forgotten.
const MOST_REMEMBERED = 1 << 23;

/** Computes a result once for each text that occurs again soon. */
export function remembered<T>(make: (text: string) => T): (text: string) => T {
  const known = new Map<string, { readonly made: T }>();
  let length = 0;
  return (text) => {
    const before = known.get(text);
    if (before !== undefined) return before.made;
    if (length + text.length > MOST_REMEMBERED) {
      known.clear();
      length = 0;
    }
    // A substring keeps the whole file of a revision in memory, so this makes a copy.
    const copy = Buffer.from(text, "utf8").toString("utf8");
    const made = make(copy);
    known.set(copy, { made });
    length += copy.length;
    return made;
  };
}

/** The documents of a stream: a marker is at the start of a line. */
export function documentsOf(text: string): string[] {
  return text.split(MARKER);
}

const MARKER = /^---(?=[ \t\r\n]|$)/mu;

/**
 * The documents that contain a word. Files with hundreds of documents are searched in each revision, so the others are
 * not split.
 */
function documentsWith(word: string, text: string): string[] {
  const documents: string[] = [];
  for (let offset = text.indexOf(word); offset >= 0;) {
    let start = offset;
    do start = text.lastIndexOf("---", start - 1);
    while (start > 0 && !isMarker(text, start));
    const from = start >= 0 && isMarker(text, start) ? start + 3 : 0;
    let end = offset;
    do end = text.indexOf("\n---", end + 1);
    while (end >= 0 && !isMarker(text, end + 1));
    documents.push(text.slice(from, end < 0 ? undefined : end + 1));
    offset = end < 0 ? -1 : text.indexOf(word, end);
  }
  return documents;
}

function isMarker(text: string, at: number): boolean {
  if (at > 0 && text[at - 1] !== "\n") return false;
  const behind = text[at + 3];
  return text.startsWith("---", at) && (behind === undefined || " \t\r\n".includes(behind));
}

/** Undefined if the content of a commit cannot be read. */
export function manifestsOf(text: string, limits: Limits): Manifests | undefined {
  return quietly(() => readManifests(readTree(text, "", limits)));
}
