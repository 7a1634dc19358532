import { DECLARED_KEY } from "./digest/hash-v1.ts";
import { pluralize } from "./words.ts";

// What a manifest supplies goes into messages through this file only: here it is cut, so that a message
// is short whatever the input holds.

/** The object that a finding is about, or names. */
export interface ResourceRef {
  readonly apiVersion: string;
  readonly kind: string;
  readonly name: string;
  readonly namespace?: string;
}

/** A source as a pod template sees it: its namespace is known, also where nobody wrote it. */
export interface SourceName {
  readonly kind: string;
  readonly namespace: string;
  readonly name: string;
}

/** The keys by which two contents of a source differ. */
export interface KeyChanges {
  readonly added: readonly string[];
  readonly removed: readonly string[];
  readonly changed: readonly string[];
}

// No name that Kubernetes takes is cut. The longest are those of images: 255 characters of a repository,
// 128 of a tag and 135 of a digest with SHA-512 (distribution/reference, RepositoryNameTotalLengthMax).
const LONGEST_NAME = 520;
const LONGEST_VALUE = 60;
const LONGEST_WORDS = 2000;
const MOST_KEYS = 8;

/** A name, a path or a reason as messages show it: cut where it is longer than any real one. */
export function formatName(name: string): string {
  return cut(name, LONGEST_NAME);
}

/** What a program says, or its beginning. */
export function formatToolOutput(text: string): string {
  return cut(text, LONGEST_WORDS);
}

/** `Kind namespace/name`, or `Kind name` where the object names no namespace. */
export function formatObject({ kind, namespace = "", name }: Pick<ResourceRef, "kind" | "namespace" | "name">): string {
  const own = name === "" ? "(no name)" : formatName(name);
  return `${formatName(kind)} ${namespace === "" ? own : `${formatName(namespace)}/${own}`}`;
}

/** An annotation's value as messages show it: its beginning, in quotes. */
export function formatValue(text: string): string {
  return `'${cut(text, LONGEST_VALUE)}'`;
}

/** `a, b, c and 14 more`; `last` stands before the last where nothing is left out. */
export function formatList(names: readonly string[], most: number, last: ", " | " and " = ", "): string {
  const shown = names.slice(0, most).map(formatName);
  if (names.length > most) return `${shown.join(", ")} and ${names.length - most} more`;
  const [end = "", ...others] = shown.toReversed();
  return others.length === 0 ? end : `${others.toReversed().join(", ")}${last}${end}`;
}

/** `'a' and 'b' change, 'c' is added`: the keys in which two contents differ, never their values. */
export function formatKeyChanges({ changed, added, removed }: KeyChanges): string {
  const part = (keys: readonly string[], one: string, many: string): string[] =>
    keys.length === 0 ? [] : [`${formatKeys(keys)} ${pluralize(keys.length, one, many)}`];
  return [
    ...part(changed, "changes", "change"),
    ...part(added, "is added", "are added"),
    ...part(removed, "is removed", "are removed"),
  ].join(", ");
}

/** `'a', 'b' and 14 more`: keys of a source; the entry of a declared source is "its declaration". */
export function formatKeys(keys: readonly string[]): string {
  // formatList shows at most MOST_KEYS of them: the others need no text.
  const named = keys.map((key, i) =>
    i >= MOST_KEYS ? "" : key === DECLARED_KEY ? "its declaration" : `'${formatName(key)}'`,
  );
  return formatList(named, MOST_KEYS, " and ");
}

function cut(text: string, longest: number): string {
  if (text.length <= longest) return text;
  // Half of a character would be no text.
  const end = /[\uD800-\uDBFF]/u.test(text.charAt(longest - 1)) ? longest - 1 : longest;
  return `${text.slice(0, end)}…`;
}
