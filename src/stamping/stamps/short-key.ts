import type { Finding } from "../../findings/catalogue/finding.ts";

/** Bytes: a shorter key can be tried out against a stamp whose content is known. */
const SHORTEST_KEY = 16;

/** A warning if the key of `secrets: Keyed` can be guessed. */
export function shortKeyFindings(key: Uint8Array | undefined): readonly Finding<"short-key">[] {
  if (key === undefined || key.length >= SHORTEST_KEY) return [];
  return [{ id: "short-key", cause: "short", params: { shortest: SHORTEST_KEY } }];
}
