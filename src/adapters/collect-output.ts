import type { Readable } from "node:stream";
import { limits } from "../ground/limits.ts";

/** What a program prints, as it comes in. */
export interface Collected {
  readonly bytes: () => Buffer;
  /** It printed more than the limit, and was ended for it. */
  readonly isTooLarge: () => boolean;
}

/** Collects what a program prints; `end` ends one that goes beyond the limit. */
export function collectOutput(stream: Readable, end: () => void): Collected {
  const most = limits().inputSize;
  const chunks: Buffer[] = [];
  let total = 0;
  stream.on("data", (chunk: Buffer) => {
    total += chunk.length;
    if (total <= most) chunks.push(chunk);
    else {
      chunks.length = 0;
      end();
    }
  });
  return { bytes: () => Buffer.concat(chunks), isTooLarge: () => total > most };
}

const MOST_WORDS = 1 << 16;

/** Collects what a program says on standard error: of one that talks without end, its first words. */
export function collectWords(stream: Readable): () => string {
  const chunks: Buffer[] = [];
  let total = 0;
  stream.on("data", (chunk: Buffer) => {
    if (total < MOST_WORDS) chunks.push(chunk);
    total += chunk.length;
  });
  return () => Buffer.concat(chunks).toString("utf8");
}
