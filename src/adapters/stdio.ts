import { isUtf8 } from "node:buffer";
import { readSync, writeSync } from "node:fs";
import { RollstampError } from "../errors.ts";

const CHUNK = 1 << 16;

/** Reads standard input to its end. Throws a RollstampError for text that is not UTF-8. */
export async function readStdin(): Promise<string> {
  const chunks: Buffer[] = [];
  try {
    for (;;) {
      const chunk = Buffer.allocUnsafe(chunks.length === 0 ? CHUNK : CHUNK * 16);
      const size = readSync(0, chunk, 0, chunk.length, null);
      if (size === 0) break;
      chunks.push(chunk.subarray(0, size));
    }
  } catch (cause) {
    if (codeOf(cause) === "EOF") return decodeUtf8(Buffer.concat(chunks), "stdin");
    // A pipe that is set not to block has nothing yet: wait for it as streams do.
    if (codeOf(cause) !== "EAGAIN") throw systemError("standard input can't be read", cause);
    for await (const chunk of process.stdin) chunks.push(Buffer.from(chunk as Uint8Array));
  }
  return decodeUtf8(chunks.length === 1 && chunks[0] !== undefined ? chunks[0] : Buffer.concat(chunks), "stdin");
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
 * the reader has gone: what it has is not complete.
 */
export async function writeStdout(text: string): Promise<void> {
  const bytes = Buffer.from(text, "utf8");
  let written = 0;
  try {
    // process.stdout would cost the function milliseconds to make.
    while (written < bytes.length) written += writeSync(1, bytes, written);
  } catch (cause) {
    // A pipe that is set not to block is full: wait for its reader as streams do.
    if (codeOf(cause) !== "EAGAIN") throw closedEarly(cause);
    await writeToStream(bytes.subarray(written));
  }
}

function writeToStream(bytes: Buffer): Promise<void> {
  return new Promise((resolve, reject) => {
    const fail = (cause: unknown): void => {
      reject(closedEarly(cause));
    };
    process.stdout.once("error", fail);
    process.stdout.write(bytes, (cause) => {
      if (cause === undefined || cause === null) resolve();
      else fail(cause);
    });
  });
}

function closedEarly(cause: unknown): RollstampError {
  return systemError("standard output was closed before the output was complete", cause);
}

/** Writes a message to standard error at once; one that nobody reads is no failure. */
export function writeStderr(text: string): void {
  try {
    writeSync(2, text);
  } catch {
    process.stderr.write(text);
  }
}

function systemError(message: string, cause: unknown): RollstampError {
  return new RollstampError("system", `${message} (${codeOf(cause) ?? "unknown cause"})`);
}

function codeOf(cause: unknown): string | undefined {
  return cause instanceof Error && "code" in cause && typeof cause.code === "string" ? cause.code : undefined;
}
