import { readText, wrongAnnotation } from "../manifest/annotation-values.ts";
import type { Item } from "../manifest/items.ts";
import { kindOfWord, kindWord, type ReferencedKind } from "../ground/referenced-kinds.ts";
import { EXCLUDE, SOURCES } from "../ground/keys.ts";
import { valueWords } from "../findings/names.ts";

/** A source that a workload's annotation names. */
export interface NamedSource {
  readonly kind: ReferencedKind;
  /** "" for the workload's own namespace. */
  readonly namespace: string;
  readonly name: string;
}

/** Gives the entry of `rollstamp.dev/exclude` that takes a source out, if any does. */
export type Excludes = (kind: ReferencedKind, name: string) => string | undefined;

/** The sources that `rollstamp.dev/sources` names. Throws for a malformed list. */
export function readNamedSources(item: Item): NamedSource[] {
  return readList(item, SOURCES).map(({ kind, rest }) => {
    const parts = rest.split("/");
    const name = parts.at(-1) ?? "";
    if (parts.length > 2 || parts.some((part) => !NAME.test(part))) {
      throw wrongAnnotation(
        item,
        SOURCES,
        `has ${valueWords(`${kindWord(kind)}/${rest}`)}, which names no object`,
        SOURCES_REMEDY,
      );
    }
    return { kind, namespace: parts.length === 2 ? (parts[0] ?? "") : "", name };
  });
}

/** Reads `rollstamp.dev/exclude`. Throws for a malformed list. */
export function readExcludes(item: Item): Excludes {
  const names = new Set<string>();
  const patterns: { readonly kind: ReferencedKind; readonly glob: string }[] = [];
  for (const { kind, rest } of readList(item, EXCLUDE)) {
    if (!GLOB.test(rest) || rest.length > item.tree.limits.expression) {
      throw wrongAnnotation(
        item,
        EXCLUDE,
        `has ${valueWords(`${kindWord(kind)}/${rest}`)}, which is no pattern for names`,
        EXCLUDE_REMEDY,
      );
    }
    if (/[*?]/u.test(rest)) patterns.push({ kind, glob: rest });
    else names.add(`${kind}/${rest}`);
  }
  if (patterns.length > MOST_PATTERNS) {
    throw wrongAnnotation(item, EXCLUDE, `has more than ${MOST_PATTERNS} patterns`, "Name what they have in common.");
  }
  return (kind, name) => {
    if (names.has(`${kind}/${name}`)) return `${kindWord(kind)}/${name}`;
    const found = patterns.find((pattern) => pattern.kind === kind && matchesGlob(pattern.glob, name));
    return found === undefined ? undefined : `${kindWord(kind)}/${found.glob}`;
  };
}

// Each meets each reference: without an end to their number, an annotation of megabytes takes minutes.
const MOST_PATTERNS = 1000;

// Names are not held to DNS rules: placeholders such as ${NAME} are replaced after us.
const NAME = /^[^\s,/]+$/u;
const GLOB = /^[^\s,/[\]]+$/u;

const SOURCES_REMEDY = "Write configmap/NAME, secret/NAME or configmap/NAMESPACE/NAME, with commas between them.";
const EXCLUDE_REMEDY = "Write configmap/GLOB or secret/GLOB, with commas between them; '*' and '?' are the wildcards.";

function readList(item: Item, key: string): { kind: ReferencedKind; rest: string }[] {
  const text = readText(item, key);
  if (text === undefined || text.trim() === "") return [];
  const remedy = key === SOURCES ? SOURCES_REMEDY : EXCLUDE_REMEDY;
  return text.split(",").map((part) => {
    const entry = part.trim();
    const slash = entry.indexOf("/");
    const kind = kindOfWord(entry.slice(0, Math.max(slash, 0)).toLowerCase());
    if (entry === "") throw wrongAnnotation(item, key, "has an empty entry", remedy);
    if (kind === undefined)
      throw wrongAnnotation(item, key, `has ${valueWords(entry)}, which begins with no known kind`, remedy);
    return { kind, rest: entry.slice(slash + 1) };
  });
}

/**
 * True where a whole name matches a pattern of `*` and `?`. Takes at most the product of their lengths,
 * and that of a pattern is limited: no input makes it hang.
 */
function matchesGlob(glob: string, name: string): boolean {
  let g = 0;
  let n = 0;
  let star = -1;
  let resume = 0;
  while (n < name.length) {
    if (glob[g] === "*") {
      star = g;
      g += 1;
      resume = n;
    } else if (g < glob.length && (glob[g] === "?" || glob[g] === name[n])) {
      g += 1;
      n += 1;
    } else if (star >= 0) {
      // The last star takes one character more; earlier ones need not be tried again.
      g = star + 1;
      resume += 1;
      n = resume;
    } else return false;
  }
  while (glob[g] === "*") g += 1;
  return g === glob.length;
}
