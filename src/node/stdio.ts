import { fstatSync, readSync, writeSync } from "node:fs";
import { errorCode, RollstampError } from "../base/errors.ts";
import { type Limits, tooLarge } from "../base/limits.ts";
import { decodeUtf8 } from "./utf8.ts";

/** Reads standard input to its end. Throws a RollstampError if it is not UTF-8 or too large. */
export async function readStdin({ inputSize }: Limits): Promise<string> {
  const chunks: Buffer[] = [];
  try {
    return decodeUtf8(readAll(chunks, inputSize), "stdin");
  } catch (cause) {
    if (cause instanceof RollstampError) throw cause;
    if (errorCode(cause) === "EOF") return decodeUtf8(Buffer.concat(chunks), "stdin");
    // A non-blocking pipe has no data yet: wait for it as streams do.
    if (errorCode(cause) !== "EAGAIN") throw systemError("standard input can't be read", cause);
  }
  let total = chunks.reduce((sum, chunk) => sum + chunk.length, 0);
  try {
    for await (const chunk of process.stdin) {
      const bytes = Buffer.from(chunk as Uint8Array);
      total += bytes.length;
      if (total > inputSize) throw tooLarge("stdin", inputSize);
      chunks.push(bytes);
    }
  } catch (cause) {
    throw cause instanceof RollstampError ? cause : systemError("standard input can't be read", cause);
  }
  return decodeUtf8(Buffer.concat(chunks), "stdin");
}

const STDIN = 0;
const CHUNK = 1 << 16;

/**
 * Reads standard input to its end, up to the limit: `yes` never ends. Throws the system's errors, and a RollstampError if the
 * input is too large. The bytes before an error are in `chunks`.
 */
function readAll(chunks: Buffer[], most: number): Buffer {
  let total = 0;
  for (;;) {
    const chunk = Buffer.allocUnsafe(chunks.length === 0 ? CHUNK : CHUNK * 16);
    const size = readSync(STDIN, chunk, 0, chunk.length, null);
    if (size === 0) break;
    total += size;
    if (total > most) throw tooLarge("stdin", most);
    chunks.push(chunk.subarray(0, size));
  }
  return chunks.length === 1 && chunks[0] !== undefined ? chunks[0] : Buffer.concat(chunks);
}

/**
 * Writes a whole text to standard output, however slow its reader is. Throws a RollstampError if the output is incomplete: the
 * reader has closed it, or the disk is full.
 */
export async function writeStdout(text: string): Promise<void> {
  const bytes = Buffer.from(text, "utf8");
  // Creating process.stdout takes milliseconds in every render.
  for (let written = 0; written < bytes.length;) {
    try {
      written += writeSync(1, bytes, written);
    } catch (cause) {
      if (errorCode(cause) !== "EAGAIN") {
        throw systemError("standard output was closed before the output was complete", cause);
      }
      // A non-blocking pipe is full: wait for its reader, and let signals through meanwhile.
      await new Promise((resolve) => setTimeout(resolve, PAUSE_MS));
    }
  }
}

/**
 * Writes a message to standard error at once and completely, however slow its reader is. A closed reader is ignored.
 */
export function writeStderr(text: string): void {
  const bytes = Buffer.from(text, "utf8");
  for (let written = 0; written < bytes.length;) {
    try {
      written += writeSync(2, bytes, written);
    } catch (cause) {
      // Another process that shares the pipe may have made it non-blocking, and it is full: wait for its reader.
      if (errorCode(cause) !== "EAGAIN") return;
      Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, PAUSE_MS);
    }
  }
}

const PAUSE_MS = 2;

function systemError(message: string, cause: unknown): RollstampError {
  return new RollstampError("system", `${message} (${errorCode(cause)})`);
}

/** Whether an open file is a terminal. */
export function isTerminal(file: 0 | 1 | 2): boolean {
  try {
    // Creating Node's streams takes milliseconds, and pipes and files are ruled out without them.
    return fstatSync(file).isCharacterDevice() && STREAMS[file]().isTTY === true;
  } catch {
    return false;
  }
}

const STREAMS = { 0: () => process.stdin, 1: () => process.stdout, 2: () => process.stderr } as const;

/** The columns of a terminal; undefined if the file is not a terminal, or the terminal does not report them. */
export function columnsOf(file: 1 | 2): number | undefined {
  if (!isTerminal(file)) return undefined;
  const { columns } = file === 1 ? process.stdout : process.stderr;
  return columns > 0 ? columns : undefined;
}
