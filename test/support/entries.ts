import type { Entries } from "../../src/base/digest/hash-v1.ts";
import { readManifests } from "../../src/yaml/read/items.ts";
import { DECLARED_KINDS } from "../../src/kubernetes/sources/declared-kinds.ts";
import { readEntries } from "../../src/kubernetes/sources/content.ts";
import { readTree } from "./trees.ts";

/** The entries of one object given as data, whatever its apiVersion: vectors have none. */
export function entriesOfObject(object: { kind: string }): Entries {
  const declared = DECLARED_KINDS.find((row) => row.kind === object.kind);
  const apiVersion = declared === undefined ? "v1" : `${declared.group}/v1`;
  const text = JSON.stringify({ apiVersion, metadata: { name: "x" }, ...object });
  const item = readManifests(readTree(text, "vector")).items[0];
  if (item === undefined) throw new Error("no item");
  return readEntries({
    item,
    provides: { kind: "Secret", name: "x", namespace: "default" },
    coverage: "content",
    declared,
    needsHashSuffix: false,
    neverCounts: false,
  });
}
