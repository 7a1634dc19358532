import { onceFor } from "../../base/grouped.ts";
import { compareBytes } from "../../base/digest/hash-v1.ts";
import { nameBeforeHash } from "../../base/hosts/kustomize.ts";
import type { Item } from "../../yaml/read/items.ts";
import { entriesOf, get, kindOf, stringOf } from "../../yaml/read/node.ts";
import type { Source } from "./types.ts";

/**
 * The name of a ConfigMap or Secret before kustomize appended the hash of its content: the hash is computed and
 * compared with the end of the name. Undefined if it differs.
 */
export function generatedName({ item, declared }: Source): string | undefined {
  return declared === undefined ? generatedNameOf(item) : undefined;
}

const generatedNameOf = onceFor((item: Item) => nameBeforeHash(item.name, () => hashedTexts(item)));

/** Whether kustomize renames a source by its content, or has done so. */
export function isGenerated(source: Source): boolean {
  return source.needsHashSuffix || generatedName(source) !== undefined;
}

/** The hashed fields, sorted (api/hasher/hasher.go, encodeConfigMap and encodeSecret), and whether empty ones count. */
const FIELDS: Readonly<Record<string, readonly { readonly field: string; readonly always: boolean }[]>> = {
  ConfigMap: [
    { field: "binaryData", always: false },
    { field: "data", always: true },
    { field: "kind", always: true },
    { field: "name", always: true },
  ],
  Secret: [
    { field: "data", always: true },
    { field: "kind", always: true },
    { field: "name", always: true },
    { field: "stringData", always: false },
    { field: "type", always: true },
  ],
};

/** What kustomize hashes of an object: the JSON of its content; none if no generator writes such an object. */
function hashedTexts(item: Item): string[] {
  const members: string[] = [];
  for (const { field, always } of FIELDS[item.kind] ?? []) {
    // kustomize looks for a field "metadata/name", which no object has: the name is always empty.
    const value = fieldJson(item, field, always);
    if (value === undefined) return [];
    if (value !== "") members.push(`"${field}":${value}`);
  }
  const text = `{${members.join(",")}}`;
  const older = text.replace(SHORT_ESCAPES, (escape) =>
    escape === "\\b" ? "\\u0008" : escape === "\\f" ? "\\u000c" : escape,
  );
  return text === older ? [text] : [text, older];
}

// Go writes both this way since 1.22 (encoding/json, appendString); kustomize may be older.
const SHORT_ESCAPES = /\\(?:u[\da-f]{4}|.)/gu;

/** A field as JSON: "" if it is omitted, undefined if no generator writes such a value. */
function fieldJson({ tree, node }: Item, field: string, always: boolean): string | undefined {
  const value = get(tree, node, field);
  switch (kindOf(tree, value)) {
    case "none":
      return always ? '""' : "";
    case "string":
      return goString(stringOf(tree, value) ?? "");
    case "mapping": {
      const members: string[] = [];
      const entries = entriesOf(tree, value).sort((a, b) => compareBytes(a.key, b.key));
      for (const { key, valueNode } of entries) {
        const text = stringOf(tree, valueNode);
        if (text === undefined) return undefined;
        members.push(`${goString(key)}:${goString(text)}`);
      }
      return `{${members.join(",")}}`;
    }
    default:
      return undefined;
  }
}

/** A string as Go's encoding/json writes it, which escapes characters of HTML. */
function goString(text: string): string {
  return JSON.stringify(text).replace(
    /[<>&\u2028\u2029]/gu,
    (character) => `\\u${character.charCodeAt(0).toString(16).padStart(4, "0")}`,
  );
}
