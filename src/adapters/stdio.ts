import { isUtf8 } from "node:buffer";
import { writeSync } from "node:fs";
import { RollstampError } from "../ground/errors.ts";
import { limits, tooLarge } from "../ground/limits.ts";
import { readAll } from "./read-all.ts";

/** Reads standard input to its end. Throws a RollstampError for text that is not UTF-8, and for too much of it. */
export async function readStdin(): Promise<string> {
  const chunks: Buffer[] = [];
  try {
    return decodeUtf8(readAll(0, "stdin", chunks), "stdin");
  } catch (cause) {
    if (cause instanceof RollstampError) throw cause;
    if (codeOf(cause) === "EOF") return decodeUtf8(Buffer.concat(chunks), "stdin");
    // A pipe that is set not to block has nothing yet: wait for it as streams do.
    if (codeOf(cause) !== "EAGAIN") throw systemError("standard input can't be read", cause);
  }
  let total = chunks.reduce((sum, chunk) => sum + chunk.length, 0);
  try {
    for await (const chunk of process.stdin) {
      const bytes = Buffer.from(chunk as Uint8Array);
      total += bytes.length;
      if (total > limits().inputSize) throw tooLarge("stdin");
      chunks.push(bytes);
    }
  } catch (cause) {
    throw cause instanceof RollstampError ? cause : systemError("standard input can't be read", cause);
  }
  return decodeUtf8(Buffer.concat(chunks), "stdin");
}

/** Decodes UTF-8, keeping a byte order mark. Throws a RollstampError that names the place. */
export function decodeUtf8(bytes: Uint8Array, file: string): string {
  // Buffer's decoder keeps the mark; a TextDecoder costs more to make than a small file to decode.
  const text = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength).toString("utf8");
  if (isUtf8(bytes)) return text;
  const before = text.slice(0, Math.max(text.indexOf("\uFFFD"), 0)).split("\n");
  throw new RollstampError("input", "the input is not valid UTF-8", {
    place: { file, line: before.length, column: [...(before.at(-1) ?? "")].length + 1 },
    remedy: "Save the file as UTF-8; binary content belongs in binaryData, as base64.",
  });
}

/**
 * Writes all of a text to standard output, however slow its reader. Throws a RollstampError where
 * the reader has gone, or the disk is full: what is there is not complete.
 */
export async function writeStdout(text: string): Promise<void> {
  const bytes = Buffer.from(text, "utf8");
  // process.stdout would cost the function milliseconds to make.
  for (let at = 0; at < bytes.length;) {
    try {
      at += writeSync(1, bytes, at);
    } catch (cause) {
      if (codeOf(cause) !== "EAGAIN") {
        throw systemError("standard output was closed before the output was complete", cause);
      }
      // A pipe that is set not to block is full: its reader is waited for, and signals are heard meanwhile.
      await new Promise((resolve) => setTimeout(resolve, PAUSE_MS));
    }
  }
}

/**
 * Writes a message to standard error at once, all of it and in its order, however slow its reader is;
 * one that nobody reads any more is no failure.
 */
export function writeStderr(text: string): void {
  const bytes = Buffer.from(text, "utf8");
  for (let at = 0; at < bytes.length;) {
    try {
      at += writeSync(2, bytes, at);
    } catch (cause) {
      // Whoever shares the pipe may have set it not to block, and it is full: wait for its reader.
      if (codeOf(cause) !== "EAGAIN") return;
      Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, PAUSE_MS);
    }
  }
}

const PAUSE_MS = 2;

function systemError(message: string, cause: unknown): RollstampError {
  return new RollstampError("system", `${message} (${codeOf(cause) ?? "unknown cause"})`);
}

function codeOf(cause: unknown): string | undefined {
  return cause instanceof Error && "code" in cause && typeof cause.code === "string" ? cause.code : undefined;
}
