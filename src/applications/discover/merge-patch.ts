import { isMapping, fieldsOf } from "../../yaml/read/json.ts";
import type { Json } from "../../yaml/read/node.ts";

/** What a merge patch (RFC 7386) makes of a value. */
export function mergePatch(base: Json | undefined, patch: Json): Json {
  if (!isMapping(patch)) return patch;
  const merged = new Map<string, Json>(Object.entries(fieldsOf(base)));
  for (const [key, value] of Object.entries(patch)) {
    if (value === null) merged.delete(key);
    else merged.set(key, mergePatch(merged.get(key), value));
  }
  return Object.fromEntries(merged);
}
