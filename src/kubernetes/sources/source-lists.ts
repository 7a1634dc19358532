import { formatValue } from "../../base/names.ts";
import type { RollstampError } from "../../base/errors.ts";
import { kindOfWord, kindWord, type ReferencedKind } from "../../base/referenced-kinds.ts";
import { matchesGlob } from "../../base/glob.ts";

// Lists of sources that people write in annotations and configurations.

export interface NamedSource {
  readonly kind: ReferencedKind;
  /** "" for the workload's own namespace. */
  readonly namespace: string;
  readonly name: string;
}

/** Finds the entry of a list that excludes a source; `compared` counts the steps. */
export type Excludes = (kind: ReferencedKind, name: string, compared: (steps: number) => void) => string | undefined;

/** What to do, given the separator: an annotation has commas, a configuration a list. */
export type Remedy = (between: string) => string;

/** Creates the error for a list or for one entry of it. */
export type Refuse = (problem: string, remedy: Remedy, entry?: number) => RollstampError;

/** Parses `configmap/NAME`, `secret/NAMESPACE/NAME` and similar entries. Throws for a malformed entry. */
export function namedSources(entries: readonly string[], longest: number, refuse: Refuse): NamedSource[] {
  return entries.map((text, i) => {
    const { kind, rest } = readEntry(text, SOURCES_REMEDY, refuse, i);
    const parts = rest.split("/");
    const name = parts.at(-1) ?? "";
    if (parts.length > 2 || parts.some((part) => part.length > longest || !NAME.test(part))) {
      throw refuse(`has ${formatValue(`${kindWord(kind)}/${rest}`)}, which names no object`, SOURCES_REMEDY, i);
    }
    return { kind, namespace: parts.length === 2 ? (parts[0] ?? "") : "", name };
  });
}

/** Parses `configmap/GLOB` and `secret/GLOB`. Throws for a malformed or too long entry. */
export function excludesOf(entries: readonly string[], longest: number, refuse: Refuse): Excludes {
  const names = new Set<string>();
  const patterns: { readonly kind: ReferencedKind; readonly glob: string }[] = [];
  for (const [i, text] of entries.entries()) {
    const { kind, rest } = readEntry(text, EXCLUDE_REMEDY, refuse, i);
    if (!GLOB.test(rest) || rest.length > longest) {
      throw refuse(`has ${formatValue(`${kindWord(kind)}/${rest}`)}, which is no pattern for names`, EXCLUDE_REMEDY, i);
    }
    if (/[*?]/u.test(rest)) patterns.push({ kind, glob: rest });
    else names.add(`${kind}/${rest}`);
  }
  if (patterns.length > MOST_PATTERNS) {
    throw refuse(`has more than ${MOST_PATTERNS} patterns`, () => "Name what they have in common.");
  }
  return (kind, name, compared) => {
    if (names.has(`${kind}/${name}`)) return `${kindWord(kind)}/${name}`;
    const found = patterns.find((pattern) => pattern.kind === kind && matchesGlob(pattern.glob, name, compared));
    return found === undefined ? undefined : `${kindWord(kind)}/${found.glob}`;
  };
}

// Each pattern is compared with each reference: without a limit, an annotation of megabytes takes minutes.
const MOST_PATTERNS = 1000;

// Names need not be DNS names: later tools replace placeholders such as ${NAME}.
const NAME = /^[^\s,/]+$/u;
const GLOB = /^[^\s,/[\]]+$/u;

const SOURCES_REMEDY: Remedy = (between) => `Write configmap/NAME, secret/NAME or configmap/NAMESPACE/NAME${between}.`;
const EXCLUDE_REMEDY: Remedy = (between) =>
  `Write configmap/GLOB or secret/GLOB${between}; '*' and '?' are the wildcards.`;

function readEntry(
  text: string,
  remedy: Remedy,
  refuse: Refuse,
  index: number,
): { kind: ReferencedKind; rest: string } {
  const entry = text.trim();
  const slash = entry.indexOf("/");
  const kind = kindOfWord(entry.slice(0, Math.max(slash, 0)).toLowerCase());
  if (entry === "") throw refuse("has an empty entry", remedy, index);
  if (kind === undefined) throw refuse(`has ${formatValue(entry)}, which begins with no known kind`, remedy, index);
  return { kind, rest: entry.slice(slash + 1) };
}
