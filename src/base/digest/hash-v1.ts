import * as crypto from "node:crypto";
import type { Hash, Hmac } from "node:crypto";

/**
 * Hash version 1, as docs/reference/hash-v1.md defines it. A different digest restarts pods, so the results of this file must
 * never change for any input. A different rule is a new version next to it.
 */

/** The content of a source: key → value, as a string or as bytes. */
export type Entries = ReadonlyMap<string, string | Uint8Array>;

/** The keys of a source that count; "*" for all of them. */
export type Keys = "*" | ReadonlySet<string>;

/** A digest: its 32 bytes in hexadecimal, and whether an HMAC key was used. */
export interface Digest {
  // A string, because thousands of small buffers are slow to allocate and free.
  readonly hex: string;
  readonly keyed: boolean;
}

/** The key of the entry of a declared source. No ConfigMap or Secret can have such a key. */
export const DECLARED_KEY = "";

const DIGEST_LENGTH = 32;
const SOURCE = netstring("rollstamp/1");
const COMBINED = netstring("rollstamp/1/combined");

/** The digest of a source over the keys that count; with HMAC if a key is given. */
export function digestOf(entries: Entries, keys: Keys, hmacKey?: Uint8Array): Digest {
  // All data is hashed in one call: a call for each piece costs more than hashing.
  const pieces: (string | Uint8Array)[] = [];
  let pending = SOURCE;
  for (const [key, value] of inByteOrder(visibleEntries(entries, keys))) {
    if (typeof value === "string") {
      pending += netstring(key) + netstring(value);
      continue;
    }
    pieces.push(`${pending}${netstring(key)}${value.length}:`, value);
    pending = ",";
  }
  pieces.push(pending);
  return { hex: hashed(pieces, hmacKey), keyed: hmacKey !== undefined };
}

/**
 * The digest of each key alone, as `digestOf` computes it. The entry of a declared source is part of each of them and
 * comes first, so it is hashed only once.
 */
export function digestsByKey(entries: Entries, hmacKey?: Uint8Array): ReadonlyMap<string, Digest> {
  const found = new Map<string, Digest>();
  const declared = entries.get(DECLARED_KEY);
  const begun = declared === undefined ? undefined : beginning(declared, hmacKey);
  for (const [key, value] of entries) {
    if (key === DECLARED_KEY) continue;
    if (begun === undefined) found.set(key, digestOf(entries, new Set([key]), hmacKey));
    else found.set(key, { hex: begun(key, value), keyed: hmacKey !== undefined });
  }
  return found;
}

/** Hashes what comes before all keys, and returns a function that computes the digest with one of them. */
function beginning(
  declared: string | Uint8Array,
  hmacKey: Uint8Array | undefined,
): (key: string, value: string | Uint8Array) => string {
  const pads = hmacKey === undefined ? undefined : hmacPads(hmacKey);
  const inner = crypto.createHash("sha256");
  if (pads !== undefined) inner.update(pads.inner);
  inner.update(SOURCE + netstring(DECLARED_KEY), "utf8");
  update(inner, declared);
  return (key, value) => {
    const hash = inner.copy().update(netstring(key), "utf8");
    update(hash, value);
    if (pads === undefined) return hash.digest("hex");
    return crypto.createHash("sha256").update(pads.outer).update(hash.digest()).digest("hex");
  };
}

/** NS(x) of a value. */
function update(hash: Hash, value: string | Uint8Array): void {
  if (typeof value === "string") hash.update(netstring(value), "utf8");
  else hash.update(`${value.length}:`, "utf8").update(value).update(",", "utf8");
}

const HMAC_BLOCK = 64;

/** The two keys of HMAC (RFC 2104): Node's own HMAC cannot be copied in the middle. */
function hmacPads(key: Uint8Array): { readonly inner: Uint8Array; readonly outer: Uint8Array } {
  const block = new Uint8Array(HMAC_BLOCK);
  block.set(key.length > HMAC_BLOCK ? crypto.createHash("sha256").update(key).digest() : key);
  return { inner: block.map((byte) => byte ^ 0x36), outer: block.map((byte) => byte ^ 0x5c) };
}

/**
 * The entries of these keys, and the entry of a declared source. Iterates over the smaller side, because many pod
 * templates may each see few of many keys.
 */
export function visibleEntries(entries: Entries, keys: Keys): Entries {
  if (keys === "*") return entries;
  const visible = new Map<string, string | Uint8Array>();
  for (const key of keys.size < entries.size ? [DECLARED_KEY, ...keys] : entries.keys()) {
    const value = key === DECLARED_KEY || keys.has(key) ? entries.get(key) : undefined;
    if (value !== undefined) visible.set(key, value);
  }
  return visible;
}

/** A source of a pod template, for the digest over all of them. */
export interface CombinedPart {
  readonly kind: string;
  /** The namespace of the source if it differs from the workload's, else "". */
  readonly namespace: string;
  /** The name in the pod template. */
  readonly name: string;
  readonly digest: Digest;
}

/** The digest over several sources, in any order. */
export function combinedDigest(parts: readonly CombinedPart[], hmacKey?: Uint8Array): Digest {
  const keyed = parts.some((part) => part.digest.keyed);
  const hash = start(keyed ? hmacKey : undefined);
  hash.update(COMBINED, "utf8");
  const ordered = [...parts].sort(
    (a, b) => compareBytes(a.kind, b.kind) || compareBytes(a.namespace, b.namespace) || compareBytes(a.name, b.name),
  );
  for (const { kind, namespace, name, digest } of ordered) {
    hash.update(`${netstring(kind)}${netstring(namespace)}${netstring(name)}${DIGEST_LENGTH}:`, "utf8");
    hash.update(digest.hex, "hex").update(",", "utf8");
  }
  return { hex: hash.digest("hex"), keyed };
}

const PLAIN_PREFIX = "h1-";
const KEYED_PREFIX = "k1-";
const TEXT_DIGITS = 40;
const TEXT_FORM = new RegExp(`^(?:${PLAIN_PREFIX}|${KEYED_PREFIX})[0-9a-f]{${TEXT_DIGITS}}$`, "u");

/** The text form: `h1-`, or `k1-` with an HMAC key, and 160 bits in hexadecimal. */
export function digestText(digest: Digest): string {
  const prefix = digest.keyed ? KEYED_PREFIX : PLAIN_PREFIX;
  return `${prefix}${digest.hex.slice(0, TEXT_DIGITS)}`;
}

/** True for the text form of a digest. */
export function isDigestText(text: string): boolean {
  return TEXT_FORM.test(text);
}

/** True if the text begins like the text form of a digest with an HMAC key. */
export function isKeyedText(text: string): boolean {
  return text.startsWith(KEYED_PREFIX);
}

function start(hmacKey: Uint8Array | undefined): Hash | Hmac {
  return hmacKey === undefined ? crypto.createHash("sha256") : crypto.createHmac("sha256", hmacKey);
}

/**
 * The digest of strings as UTF-8 and of bytes, concatenated. Uses one call if Node has it (20.12 and later), which
 * takes a third of the time.
 */
function hashed(pieces: readonly (string | Uint8Array)[], hmacKey: Uint8Array | undefined): string {
  if (hmacKey === undefined && typeof crypto.hash === "function") {
    const [only = "", ...others] = pieces;
    return crypto.hash("sha256", others.length === 0 ? only : joined(pieces), "hex");
  }
  const hash = start(hmacKey);
  for (const piece of pieces) {
    if (typeof piece === "string") hash.update(piece, "utf8");
    else hash.update(piece);
  }
  return hash.digest("hex");
}

function joined(pieces: readonly (string | Uint8Array)[]): Buffer {
  return Buffer.concat(pieces.map((piece) => (typeof piece === "string" ? Buffer.from(piece, "utf8") : piece)));
}

/** NS(x) of a string: the length of its UTF-8 bytes, ":", the string, ",". */
function netstring(text: string): string {
  return `${Buffer.byteLength(text, "utf8")}:${text},`;
}

function inByteOrder(entries: Entries): Iterable<readonly [string, string | Uint8Array]> {
  if (entries.size < 2) return entries;
  return [...entries].sort((a, b) => compareBytes(a[0], b[0]));
}

/** Compares as unsigned UTF-8 bytes, a shorter prefix first. */
export function compareBytes(a: string, b: string): number {
  if (a === b) return 0;
  let i = 0;
  // After the end, a code is NaN, which is neither equal to a number nor less than one.
  while (a.charCodeAt(i) === b.charCodeAt(i)) i += 1;
  const x = a.charCodeAt(i);
  const y = b.charCodeAt(i);
  // Only with surrogates does the order of UTF-16 differ from that of UTF-8.
  if (x < FIRST_SURROGATE && y < FIRST_SURROGATE) return x - y;
  return Buffer.compare(Buffer.from(a, "utf8"), Buffer.from(b, "utf8"));
}

const FIRST_SURROGATE = 0xd800;

/**
 * Decodes base64 as RFC 4648 section 4 defines it, with padding. Line breaks inside are ignored, as in Go's decoder in
 * the API server. Undefined for any other text.
 */
export function decodeBase64(text: string): Buffer | undefined {
  const compact = /[\r\n]/u.test(text) ? text.replace(/[\r\n]/gu, "") : text;
  if (compact.length % 4 !== 0) return undefined;
  const padding = compact.endsWith("==") ? 2 : compact.endsWith("=") ? 1 : 0;
  if (/[^A-Za-z0-9+/]/u.test(padding === 0 ? compact : compact.slice(0, -padding))) return undefined;
  return Buffer.from(compact, "base64");
}

/**
 * The union of the keys that several uses of one source see. If all see the same set, it is that set. Unions are
 * cached: all sources of two volumes have the same keys of their mounts.
 */
export function keysOfAll(all: readonly Keys[]): Keys {
  let current = NONE_YET;
  for (const keys of new Set(all)) {
    if (keys === "*") return "*";
    let next = current.with.get(keys);
    if (next === undefined) current.with.set(keys, (next = { with: new WeakMap(), together: undefined }));
    // The union of one set is the set itself.
    if (current === NONE_YET) next.together = keys;
    current = next;
  }
  if (current.together === undefined) {
    const together = new Set<string>();
    for (const keys of all) if (keys !== "*") for (const key of keys) together.add(key);
    current.together = together;
  }
  return current.together;
}

/** A tree of sets in the order of their uses, with the unions computed so far. */
interface Together {
  readonly with: WeakMap<Exclude<Keys, "*">, Together>;
  together: Exclude<Keys, "*"> | undefined;
}

const NONE_YET: Together = { with: new WeakMap(), together: undefined };
