// Go's YAML parsers as kubectl, Helm, kustomize and kpt use them: one program for many documents.
import assert from "node:assert/strict";
import { spawn } from "node:child_process";
import { once } from "node:events";
import { createInterface } from "node:readline";
import { Readable } from "node:stream";
import { pipeline } from "node:stream/promises";
import { installed, type Program, root } from "./programs.ts";

export const GO_READERS: Program = installed("go-readers.sh");

/** A node as go-yaml's readers have it: a mapping's keys and values in turns, a sequence, or a scalar's tag and text. */
export type GoNode = readonly ["m" | "s", ...GoNode[]] | readonly ["c", tag: string, text: string];

/** The documents that a parser read, or why it refused the text. */
export type Reading<T> = { readonly documents: readonly T[] } | { readonly error: string };

export interface Readings {
  /** As JSON. */
  readonly kubectl: Reading<unknown>;
  readonly goyaml: Reading<GoNode>;
  readonly kyaml: Reading<GoNode>;
}

/** Has all texts read, in order, while others go on here. */
export async function readByGo(texts: readonly string[]): Promise<Readings[]> {
  assert.ok(GO_READERS.found, "the suite is skipped where the program is missing");
  const child = spawn(GO_READERS.path, [], { cwd: root, env: {}, stdio: ["pipe", "pipe", "inherit"] });
  const ended = once(child, "close");
  const input = Readable.from(texts.map((text) => `${JSON.stringify(text)}\n`));
  const [lines] = await Promise.all([linesOf(child.stdout), pipeline(input, child.stdin), ended]);
  assert.equal(lines.length, texts.length, `${GO_READERS.path} ends with ${child.exitCode}`);
  return lines.map((line) => readingsOf(JSON.parse(line)));
}

async function linesOf(stream: Readable): Promise<string[]> {
  const lines: string[] = [];
  for await (const line of createInterface({ input: stream, crlfDelay: Infinity })) lines.push(line);
  return lines;
}

function readingsOf(value: Record<keyof Readings, { documents?: never[]; error?: string }>): Readings {
  const readingOf = ({ documents, error }: { documents?: never[]; error?: string }): Reading<never> =>
    error === undefined ? { documents: documents ?? [] } : { error };
  return { kubectl: readingOf(value.kubectl), goyaml: readingOf(value.goyaml), kyaml: readingOf(value.kyaml) };
}
