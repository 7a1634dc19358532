import { DECLARED_KEY } from "./digest/hash-v1.ts";
import { pluralize } from "./words.ts";

// Names from manifests enter messages only through this file, which shortens them: a message is short whatever the
// input contains.

/** An object that a finding names. */
export interface ResourceRef {
  readonly apiVersion: string;
  readonly kind: string;
  readonly name: string;
  readonly namespace?: string;
}

/** A source as a pod template sees it: its namespace is known even if the reference does not set it. */
export interface SourceName {
  readonly kind: string;
  readonly namespace: string;
  readonly name: string;
}

/** The name of a source, without what else is known about it. */
export function sourceNameOf({ kind, namespace, name }: SourceName): SourceName {
  return { kind, namespace, name };
}

/** An object whose namespace is known, as reports name it. */
export interface ObjectName extends SourceName {
  readonly apiVersion: string;
}

/** The keys in which two contents of a source differ, each list sorted. */
export interface KeyChanges {
  readonly added: readonly string[];
  readonly removed: readonly string[];
  readonly changed: readonly string[];
}

// Longer than any valid name. The longest are images: 255 characters of a repository, 128 of a tag and 135 of a digest
// with SHA-512 (distribution/reference, RepositoryNameTotalLengthMax).
const LONGEST_NAME = 520;
const LONGEST_VALUE = 60;
const LONGEST_WORDS = 2000;
const MOST_KEYS = 8;

/** A name, path or reason, shortened if it is longer than any real one. */
export function formatName(name: string): string {
  return cut(name, LONGEST_NAME);
}

/** The output of a program, on one line and shortened. */
export function formatToolOutput(text: string): string {
  const lines = text.split("\n").map((line) => line.trim());
  return cut(lines.filter((line) => line !== "").join(" "), LONGEST_WORDS);
}

/** `Kind namespace/name`, or `Kind name` if the object sets no namespace. */
export function formatObject({ kind, namespace = "", name }: Pick<ResourceRef, "kind" | "namespace" | "name">): string {
  const shown = name === "" ? "(no name)" : formatName(name);
  return `${formatName(kind)} ${namespace === "" ? shown : `${formatName(namespace)}/${shown}`}`;
}

/** `namespace/name`, or the name alone of an object of the cluster. */
export function placedName({ namespace, name }: Pick<SourceName, "namespace" | "name">): string {
  return namespace === "" ? name : `${namespace}/${name}`;
}

/** The first digits of a commit, as people write it. */
export function formatCommit(commit: string): string {
  return commit.slice(0, 7);
}

/** The beginning of an annotation's value, in quotes. */
export function formatValue(text: string): string {
  return `'${cut(text, LONGEST_VALUE)}'`;
}

/** `a, b, c and 14 more`; `last` separates the last item of a complete list. */
export function formatList(names: readonly string[], most: number, last: ", " | " and " = ", "): string {
  const shown = names.slice(0, most).map(formatName);
  if (names.length > most) return `${shown.join(", ")} and ${names.length - most} more`;
  const [end = "", ...others] = shown.toReversed();
  return others.length === 0 ? end : `${others.toReversed().join(", ")}${last}${end}`;
}

/**
 * The keys of a source, as reports name them. If the API server refuses one of them, all may be parts of a value:
 * kustomize makes a key of each line of an .env file, also of the lines of a private key.
 */
export function keyNames(keys: readonly string[]): readonly string[] {
  return areKeys(keys) ? keys : ["(invalid keys)"];
}

/** IsConfigMapKey of apimachinery. */
export function isSourceKey(key: string): boolean {
  return /^(?!\.$|\.\.)[-._a-zA-Z0-9]{1,253}$/u.test(key);
}

export function areKeys(keys: readonly string[]): boolean {
  return keys.every((key) => key === DECLARED_KEY || isSourceKey(key));
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
  // A cut surrogate pair would be invalid text.
  const end = /[\uD800-\uDBFF]/u.test(text.charAt(longest - 1)) ? longest - 1 : longest;
  return `${text.slice(0, end)}…`;
}

let order: Intl.Collator | undefined;

/** The order in which people look for names: `api-2` before `api-10`. */
export function compareNames(a: string, b: string): number {
  // One language for all: a page is the same whoever makes it. A collator takes 4 ms to make, and a render needs none.
  order ??= new Intl.Collator("en", { numeric: true });
  return order.compare(a, b) || (a < b ? -1 : a > b ? 1 : 0);
}
