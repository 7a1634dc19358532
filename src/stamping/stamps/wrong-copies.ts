import { digestOf } from "../../base/digest/hash-v1.ts";
import type { Finding } from "../../findings/catalogue/finding.ts";
import { resourceRef } from "../../findings/results/location.ts";
import type { SourceIndex } from "../../kubernetes/sources/source-index.ts";
import { placeIn } from "../../yaml/read/items.ts";
import type { ConfigHashSpec } from "../function/config-hash.ts";
import type { DesiredStamps } from "./types.ts";

/**
 * The copies whose content does not match their name: no engine can apply them, as copies are immutable. With
 * `secrets: Keyed`, copies of Secrets may be older than the key, so only those that are wanted are checked.
 */
export function wrongCopies(
  sources: SourceIndex,
  { secrets }: Pick<ConfigHashSpec, "secrets">,
  hmacKey: Uint8Array | undefined,
  desired: readonly DesiredStamps[],
): Finding<"wrong-copy">[] {
  if (sources.copies.length === 0) return [];
  const wanted = new Set(desired.flatMap(({ copies }) => [...(copies?.values() ?? [])].map(({ name }) => name)));
  return sources.copies.flatMap(({ source, original, digits }) => {
    const { item } = source;
    const isKeyed = item.kind === "Secret" && secrets === "Keyed";
    // What SOPS has encrypted has another text under the same name.
    if ((isKeyed && !wanted.has(item.name)) || source.coverage !== "content") return [];
    const entries = sources.entries(source);
    if (digestOf(entries, "*", isKeyed ? hmacKey : undefined).hex.startsWith(digits)) return [];
    const params = { copy: resourceRef(item), source: resourceRef(original.item) };
    return [{ id: "wrong-copy", cause: "content", params, resource: params.copy, place: placeIn(item, item.node) }];
  });
}
