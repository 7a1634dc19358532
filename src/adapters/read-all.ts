import { closeSync, fstatSync, openSync, readFileSync, readSync } from "node:fs";
import { limits, tooLarge } from "../ground/limits.ts";

const CHUNK = 1 << 16;

/**
 * Reads what a descriptor has, to its end, but no more than the limit: `yes` never ends. Throws the
 * system's errors, and a RollstampError for what is too large. The bytes that came before an error
 * are in `chunks`.
 */
export function readAll(descriptor: number, file: string, chunks: Buffer[] = []): Buffer {
  const most = limits().inputSize;
  let total = 0;
  for (;;) {
    const chunk = Buffer.allocUnsafe(chunks.length === 0 ? CHUNK : CHUNK * 16);
    const size = readSync(descriptor, chunk, 0, chunk.length, null);
    if (size === 0) break;
    total += size;
    if (total > most) throw tooLarge(file);
    chunks.push(chunk.subarray(0, size));
  }
  return chunks.length === 1 && chunks[0] !== undefined ? chunks[0] : Buffer.concat(chunks);
}

/** Reads a file; one that is larger than the limit is refused before it is read. */
export function readBytes(path: string, shown: string): Buffer {
  const descriptor = openSync(path, "r");
  try {
    const stat = fstatSync(descriptor);
    if (!stat.isFile()) return readAll(descriptor, shown);
    if (stat.size > limits().inputSize) throw tooLarge(shown);
    return readFileSync(descriptor);
  } finally {
    closeSync(descriptor);
  }
}
