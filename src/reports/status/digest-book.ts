import { objectKey } from "../../base/identity.ts";
import type { ConfigHashSpec } from "../../stamping/function/config-hash.ts";
import { digestOf, type Digest, type Keys } from "../../base/digest/hash-v1.ts";
import { RollstampError, recovered } from "../../base/errors.ts";
import type { Item } from "../../yaml/read/items.ts";
import { indexSources } from "../../kubernetes/sources/source-index.ts";
import type { Source } from "../../kubernetes/sources/types.ts";
import type { Sighting } from "../../stamping/stamps/sightings.ts";

/** The digests of a source over the same keys: plain, and keyed if there is a key. */
export interface Digests {
  readonly plain: Digest;
  readonly keyed: Digest | undefined;
}

type Named = Pick<Sighting, "kind" | "namespace" | "name">;

/**
 * Digests of sources over sets of keys. The sets are registered first; then the content is read page by page and
 * digested. No content is kept.
 */
export class DigestBook {
  readonly #spec: ConfigHashSpec;
  readonly #hmacKey: Uint8Array | undefined;
  readonly #wanted = new Map<string, Map<string, Keys>>();
  readonly #wantedKinds = new Set<string>();
  readonly #found = new Map<string, Digests>();

  constructor(spec: ConfigHashSpec, hmacKey: Uint8Array | undefined) {
    this.#spec = spec;
    this.#hmacKey = hmacKey;
  }

  want(source: Named, keys: Keys): void {
    const id = objectKey(source);
    this.#wantedKinds.add(source.kind);
    const wanted = this.#wanted.get(id) ?? new Map<string, Keys>();
    this.#wanted.set(id, wanted.set(keysId(keys), keys));
  }

  /** Whether any source of this kind is wanted. */
  wants(kind: Sighting["kind"]): boolean {
    return this.#wantedKinds.has(kind);
  }

  isWanted(source: Named): boolean {
    return this.#wanted.has(objectKey(source));
  }

  find(source: Named, keys: Keys): Digests | undefined {
    return this.#found.get(`${objectKey(source)} ${keysId(keys)}`);
  }

  /** Digests the wanted sources. Returns an error for each source that is invalid. */
  add(items: readonly Item[]): readonly RollstampError[] {
    return items.flatMap((item) =>
      recovered(
        () => {
          const index = indexSources([item], this.#spec);
          for (const source of index.all) this.#addOne(source, index.entries(source));
          return [];
        },
        (error) => [error],
      ),
    );
  }

  #addOne({ provides }: Source, entries: Parameters<typeof digestOf>[0]): void {
    const id = objectKey(provides);
    for (const [name, keys] of this.#wanted.get(id) ?? []) {
      const hasKey = this.#hmacKey !== undefined && provides.kind === "Secret";
      this.#found.set(`${id} ${name}`, {
        plain: digestOf(entries, keys),
        keyed: hasKey ? digestOf(entries, keys, this.#hmacKey) : undefined,
      });
    }
  }
}

/** Identifies a set of keys. */
export function keysId(keys: Keys): string {
  return keys === "*" ? "*" : JSON.stringify([...keys].sort());
}
