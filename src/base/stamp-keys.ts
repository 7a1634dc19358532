import { createHash } from "node:crypto";
import { CONFIG_HASH, DOMAIN, IGNORE_DOMAIN, OBJECT_KEYS, RESTARTED_AT, WAITING } from "./keys.ts";
import { nearest } from "./nearest-name.ts";
import { REFERENCED_KINDS, KIND_WORDS, kindOfWord, kindWord, type ReferencedKind } from "./referenced-kinds.ts";

// Kubernetes allows 63 characters after the slash of an annotation key.
const LONGEST_NAME = 63;
const HEAD = 46;
const HASH_DIGITS = 16;

/**
 * The annotation key of a source's stamp: contract, section 3. `namespace` is the source's if it differs from the
 * workload's, else "".
 */
export function stampKey(kind: ReferencedKind, namespace: string, name: string): string {
  // The name of a ClusterTrustBundle begins with its signer, and a colon after it.
  const full = (namespace === "" ? name : `${namespace}_${name}`).replaceAll(":", "_");
  return `${kindWord(kind)}.${DOMAIN}/${shorten(full)}`;
}

/** A name with at most 63 characters, for a key or a label: contract, section 3. */
export function shorten(name: string): string {
  if (name.length <= LONGEST_NAME) return name;
  const head = name.slice(0, HEAD).replace(/[-_.]+$/u, "");
  return `${head}-${createHash("sha256").update(name, "utf8").digest("hex").slice(0, HASH_DIGITS)}`;
}

const STAMP_KEY = new RegExp(`^(?:${KIND_WORDS})\\.${escapeRegExp(DOMAIN)}/`, "u");

/** True for the annotation keys that ConfigHash writes to and removes from pod templates. */
export function isStampKey(key: string): boolean {
  return key === CONFIG_HASH || STAMP_KEY.test(key);
}

const STAMPED = new RegExp(
  `(?:(?:${KIND_WORDS})\\.${escapeRegExp(DOMAIN)}/[^\\s:"']+|${escapeRegExp(CONFIG_HASH)}|${escapeRegExp(WAITING)})["']?\\s*:`,
  "u",
);

/** Whether the text of manifests contains stamps, or workloads that wait for theirs. */
export function hasStamps(text: string): boolean {
  return STAMPED.test(text);
}

/** True for all our keys: also restarts, and annotations on workloads. */
export function isOwnKey(key: string): boolean {
  return OWN_KEY.test(key);
}

const OWN_KEY = new RegExp(`^(?:[a-z]+\\.)?${escapeRegExp(DOMAIN)}/`, "u");

/** True for a key in our domain that no version of rollstamp reads or writes. */
export function isUnknownKey(key: string): boolean {
  return isOwnKey(key) && !isStampKey(key) && !NAMED_KEYS.includes(key) && !key.startsWith(`${IGNORE_DOMAIN}/`);
}

/** The key that is most similar to an unknown one. */
export function nearestKey(key: string): string | undefined {
  const [domain = "", name = ""] = key.split("/");
  if (domain !== DOMAIN) {
    const near = nearest(domain, DOMAINS);
    return near === undefined ? undefined : `${near}/${name}`;
  }
  const near = nearest(
    name,
    NAMED_KEYS.map((known) => known.slice(DOMAIN.length + 1)),
  );
  return near === undefined ? undefined : `${DOMAIN}/${near}`;
}

const NAMED_KEYS: readonly string[] = [...OBJECT_KEYS, RESTARTED_AT, CONFIG_HASH];
const DOMAINS: readonly string[] = [...REFERENCED_KINDS.map((kind) => `${kindWord(kind)}.${DOMAIN}`), IGNORE_DOMAIN];

const NAMED_STAMP = new RegExp(`^(${KIND_WORDS})\\.${escapeRegExp(DOMAIN)}/([^_]+)$`, "u");

/** The source in the workload's namespace to which a stamp belongs. A shortened name cannot be resolved. */
export function sourceOfStampKey(key: string): { readonly kind: ReferencedKind; readonly name: string } | undefined {
  const [, type, name] = NAMED_STAMP.exec(key) ?? [];
  const kind = kindOfWord(type ?? "");
  return kind === undefined || name === undefined ? undefined : { kind, name };
}

/** Escapes a string for a regular expression (RegExp.escape, which Node has from 24 on). */
export function escapeRegExp(text: string): string {
  return text.replace(/[\\^$.*+?()[\]{}|]/gu, String.raw`\$&`);
}
