import { sha256 } from "@noble/hashes/sha2.js";

// What the page needs of node:crypto: a browser's own SHA-256 is asynchronous. Keyed stamps are not made here.

class Hash {
  readonly #hash = sha256.create();

  update(data: string | Uint8Array): this {
    this.#hash.update(typeof data === "string" ? new TextEncoder().encode(data) : data);
    return this;
  }

  digest(): Buffer;
  digest(encoding: BufferEncoding): string;
  digest(encoding?: BufferEncoding): Buffer | string {
    const bytes = Buffer.from(this.#hash.digest());
    return encoding === undefined ? bytes : bytes.toString(encoding);
  }
}

/** A hash of SHA-256, the only algorithm that the sources use. */
export function createHash(_algorithm: "sha256"): Hash {
  return new Hash();
}
