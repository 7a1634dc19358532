import { fstatSync, readSync, writeSync } from "node:fs";
import { errorCode, RollstampError } from "../../base/errors.ts";
import { type Limits, tooLarge } from "../../base/limits.ts";
import { decodeUtf8 } from "./utf8.ts";

/** Reads standard input to its end. Throws a RollstampError for text that is not UTF-8, and for too much of it. */
export async function readStdin({ inputSize }: Limits): Promise<string> {
  const chunks: Buffer[] = [];
  try {
    return decodeUtf8(readAll(chunks, inputSize), "stdin");
  } catch (cause) {
    if (cause instanceof RollstampError) throw cause;
    if (errorCode(cause) === "EOF") return decodeUtf8(Buffer.concat(chunks), "stdin");
    // A pipe that is set not to block has nothing yet: wait for it as streams do.
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
 * Reads what standard input has, to its end, but no more than the limit: `yes` never ends. Throws the
 * system's errors, and a RollstampError for what is too large. The bytes that came before an error
 * are in `chunks`.
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
      if (errorCode(cause) !== "EAGAIN") {
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
      if (errorCode(cause) !== "EAGAIN") return;
      Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, PAUSE_MS);
    }
  }
}

const PAUSE_MS = 2;

function systemError(message: string, cause: unknown): RollstampError {
  return new RollstampError("system", `${message} (${errorCode(cause)})`);
}

/** True for an open file, by number, that is a terminal. */
export function isTerminal(file: 0 | 1 | 2): boolean {
  try {
    // Node's streams take milliseconds to make: a pipe or a file is no terminal without them.
    return fstatSync(file).isCharacterDevice() && STREAMS[file]().isTTY === true;
  } catch {
    return false;
  }
}

const STREAMS = { 0: () => process.stdin, 1: () => process.stdout, 2: () => process.stderr } as const;

/** How many columns a terminal has; undefined for what is none, and where it doesn't say. */
export function columnsOf(file: 1 | 2): number | undefined {
  if (!isTerminal(file)) return undefined;
  const { columns } = file === 1 ? process.stdout : process.stderr;
  return columns > 0 ? columns : undefined;
}

/** Asks a question on the terminal; anything but a yes is a no. */
export async function confirm(question: string): Promise<boolean> {
  // Only needed to ask: every render loads this module.
  const { createInterface } = await import("node:readline/promises");
  const terminal = createInterface({ input: process.stdin, output: process.stderr });
  try {
    return /^\s*y(?:es)?\s*$/iu.test(await terminal.question(`${question} [y/N] `));
  } finally {
    terminal.close();
  }
}
