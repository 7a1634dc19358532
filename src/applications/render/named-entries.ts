import { foldedGet, isMapping } from "../../yaml/read/json.ts";
import type { Json } from "../../yaml/read/node.ts";

// Lists of a kustomization whose entries have names: `images`, `replicas`.

/** The entries of a map in the order of their keys' bytes, as Go sorts them. */
export function inOrder(byName: ReadonlyMap<string, Json>): Json {
  return [...byName].sort(([a], [b]) => Buffer.compare(Buffer.from(a), Buffer.from(b))).map(([, one]) => one);
}

/** The name of an entry. */
export function nameOf(entry: Json): string {
  const name = isMapping(entry) ? foldedGet(entry, "name") : undefined;
  return typeof name === "string" ? name : "";
}
