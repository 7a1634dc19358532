import { onceFor } from "../../base/grouped.ts";
import canonicalize from "canonicalize";
import { DECLARED_KEY, type Entries, decodeBase64 } from "../../base/digest/hash-v1.ts";
import { RollstampError } from "../../base/errors.ts";
import { STAMP } from "../../base/keys.ts";
import { annotationOf, describe, placeIn, type Item } from "../../yaml/read/items.ts";
import {
  entriesOf,
  type Entry,
  get,
  getPath,
  getString,
  type Json,
  kindOf,
  stringOf,
  toJson,
} from "../../yaml/read/node.ts";
import { isMapping } from "../../yaml/read/json.ts";
import { isIdentity, repeatedKeyError, repeatedKeys } from "../../yaml/read/repeated-keys.ts";
import { NONE } from "../../yaml/read/tree.ts";
import type { DeclaredKind, DeclaredObject, Source } from "./types.ts";

/** The entries of a source, as docs/reference/hash-v1.md, section 1, defines them. Throws for invalid content. */
export function readEntries(source: Source): Entries {
  refuseRepeatedKeys(source);
  if (source.declared !== undefined) return declaredEntries(source.item, source.declared);
  return source.item.kind === "ConfigMap" ? configMapEntries(source.item) : secretEntries(source.item);
}

const CONTENT: ReadonlySet<string> = new Set(["data", "stringData", "binaryData", "sops"]);

/** Whether a ConfigMap or Secret has a value that is not empty. It decodes and rejects nothing. */
export function hasContent({ tree, node }: Item): boolean {
  return ["data", "stringData", "binaryData"].some((field) => {
    const entries = get(tree, node, field);
    if (entries === NONE || kindOf(tree, entries) === "null") return false;
    if (kindOf(tree, entries) !== "mapping") return true;
    return entriesOf(tree, entries).some(
      ({ valueNode }) => kindOf(tree, valueNode) !== "null" && stringOf(tree, valueNode) !== "",
    );
  });
}

/** Throws for a duplicate key in what is digested or identifies the source. */
function refuseRepeatedKeys({ item, declared }: Source): void {
  if (item.tree.repeated.size === 0) return;
  const repeated = repeatedKeys(item).find(
    ({ path }) => isIdentity(path) || (declared === undefined ? CONTENT.has(path[0] ?? "") : path[0] !== "metadata"),
  );
  if (repeated !== undefined) throw repeatedKeyError(item, repeated);
}

/** The keys of a source, or of what it creates; undefined if the input does not show them. */
export function knownKeys(source: Source, entries: Entries): Pick<ReadonlySet<string>, "has" | "keys"> | undefined {
  if (source.declared !== undefined) return madeKeys(source);
  return isFilled(source.item) ? undefined : entries;
}

/** The type of Secrets that the control plane fills with the token of a service account. */
const SERVICE_ACCOUNT_TOKEN = "kubernetes.io/service-account-token";

/**
 * Whether a controller adds keys: the token of a service account (kubernetes.io/docs/concepts/configuration/secret),
 * certificates (docs.openshift.com, "Certificate injection using Operators" and "service serving certificates"), or the
 * content of an object in another namespace (reflector, replicator).
 */
export function isFilled(item: Item): boolean {
  const { tree, node } = item;
  return (
    getString(tree, node, "type") === SERVICE_ACCOUNT_TOKEN ||
    getString(tree, node, "metadata", "labels", "config.openshift.io/inject-trusted-cabundle") === "true" ||
    (item.isAnnotated &&
      (annotationOf(item, "service.beta.openshift.io/inject-cabundle") === "true" ||
        COPIED_FROM.some((key) => annotationOf(item, key) !== undefined)))
  );
}

const COPIED_FROM = ["reflector.v1.k8s.emberstack.com/reflects", "replicator.v1.mittwald.de/replicate-from"];

// Many workloads may ask.
const madeKeys = onceFor(({ item, declared }: Source) => declared?.madeKeys?.(declaredObject(item)));

function configMapEntries(item: Item): Entries {
  const entries = new Map<string, string | Uint8Array>();
  const sops = isSopsEncrypted(item);
  for (const entry of fieldEntries(item, "data")) entries.set(entry.key, textOf(item, "data", entry));
  for (const entry of fieldEntries(item, "binaryData")) {
    if (entries.has(entry.key)) {
      throw new RollstampError("input", `the key '${entry.key}' of ${describe(item)} is in both data and binaryData`, {
        place: placeIn(item, entry.keyNode),
        remedy: "Remove one of the two: the API server rejects both together.",
      });
    }
    entries.set(entry.key, bytesOf(item, "binaryData", entry, sops));
  }
  return entries;
}

function secretEntries(item: Item): Entries {
  const entries = new Map<string, string | Uint8Array>();
  const sops = isSopsEncrypted(item);
  for (const entry of fieldEntries(item, "data")) entries.set(entry.key, bytesOf(item, "data", entry, sops));
  for (const entry of fieldEntries(item, "stringData")) entries.set(entry.key, textOf(item, "stringData", entry));
  return entries;
}

/** Whether SOPS has encrypted an object: it has a top-level `sops` mapping. */
export function isSopsEncrypted(item: Item): boolean {
  return kindOf(item.tree, get(item.tree, item.node, "sops")) === "mapping";
}

/** The entries of a mapping at a dot-separated path; [] if it is missing or null. */
function fieldEntries(item: Item, field: string): Entry[] {
  const node = getPath(item.tree, item.node, field.split("."));
  const kind = kindOf(item.tree, node);
  if (kind === "none" || kind === "null") return [];
  if (kind === "mapping") return entriesOf(item.tree, node);
  throw new RollstampError("input", `'${field}' of ${describe(item)} must be a mapping, but is a ${kind}`, {
    place: placeIn(item, node),
    remedy: "Write one 'key: value' line for each entry.",
  });
}

/** The text of a value; "" for a key without a value. */
function textOf(item: Item, field: string, entry: Entry): string {
  const text = stringOf(item.tree, entry.valueNode);
  if (text !== undefined) return text;
  const kind = kindOf(item.tree, entry.valueNode);
  if (kind === "null") return "";
  throw new RollstampError(
    "input",
    `the value of '${field}.${entry.key}' of ${describe(item)} must be a string, but is a ${kind}`,
    {
      place: placeIn(item, entry.valueNode),
      remedy: "Put the value in quotes: the API server accepts only strings here.",
    },
  );
}

function bytesOf(item: Item, field: string, entry: Entry, sops: boolean): string | Uint8Array {
  const text = textOf(item, field, entry);
  // An encrypted value is not base64.
  if (sops && text.startsWith("ENC[")) return text;
  const bytes = decodeBase64(text);
  if (bytes !== undefined) return bytes;
  const encode = `Encode the value as base64 with padding, or move the key to ${item.kind === "Secret" ? "stringData" : "data"}.`;
  throw new RollstampError("input", `the value of '${field}.${entry.key}' of ${describe(item)} must be base64`, {
    place: placeIn(item, entry.valueNode),
    remedy: PLACEHOLDER.test(text)
      ? `If a later step replaces the value, run rollstamp after that step, or exclude the ${item.kind} with the annotation ${STAMP}: "false". ${encode}`
      : encode,
  });
}

/**
 * What a later tool replaces: Argo CD's Vault plugin, Flux and envsubst, Helm and similar tools, vals:
 * `<path:kv/data/app#key>`, `${KEY}`, `$KEY`, `{{ key }}`, `ref+vault://kv/app#/key`. No base64 text looks like this.
 */
const PLACEHOLDER = /<[^<>\s][^<>]*>|\$\{[^{}]+\}|^\$\w+$|\{\{[^{}]+\}\}|^(?:ref|secretref)\+[a-z\d]+:\/\//u;

/** Reads an object by dot-separated paths, for the rows of DECLARED_KINDS. */
export function declaredObject(item: Item): DeclaredObject {
  return {
    name: item.name,
    get: (path) => {
      const node = getPath(item.tree, item.node, path.split("."));
      return node === NONE || kindOf(item.tree, node) === "null" ? undefined : toJson(item.tree, node);
    },
  };
}

function declaredEntries(item: Item, row: DeclaredKind): Entries {
  const entries = new Map<string, string>();
  const object = declaredObject(item);
  const selected: { [key: string]: Json } = Object.create(null) as { [key: string]: Json };
  let isEmpty = true;
  for (const path of row.fields) {
    const value = object.get(path);
    if (value === undefined) continue;
    isEmpty = false;
    place(selected, path.split("."), row.without === undefined ? value : without(value, row.without));
  }
  if (row.keys !== undefined) {
    for (const entry of fieldEntries(item, row.keys)) {
      entries.set(entry.key, textOf(item, row.keys, entry));
    }
  }
  // Only a kind that shows keys may have no entry for its other fields.
  if (row.keys === undefined || !isEmpty) entries.set(DECLARED_KEY, canonicalize(selected) ?? "{}");
  return entries;
}

function place(into: { [key: string]: Json }, path: readonly string[], value: Json): void {
  const [key, ...rest] = path;
  if (key === undefined) return;
  if (rest.length === 0) {
    into[key] = value;
    return;
  }
  const existing = into[key];
  const child = isMapping(existing) ? existing : (Object.create(null) as { [key: string]: Json });
  into[key] = child;
  place(child, rest, value);
}

function without(value: Json, fields: readonly string[]): Json {
  if (Array.isArray(value)) return value.map((item) => without(item, fields));
  if (!isMapping(value)) return value;
  const kept = Object.create(null) as { [key: string]: Json };
  for (const [key, item] of Object.entries(value)) if (!fields.includes(key)) kept[key] = without(item, fields);
  return kept;
}

/** The object that makes a source, if it is another one: a pod names a SecretProviderClass itself. */
export function makerOf({ item, provides: { kind, name }, declared }: Source): Item | undefined {
  return declared === undefined || (item.kind === kind && item.name === name) ? undefined : item;
}
