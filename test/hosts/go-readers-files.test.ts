// Compares rollstamp with Go's YAML parsers over the files of the fixtures and docs, and over every YAML file of the checkouts in the
// folder ROLLSTAMP_REPOSITORIES: rollstamp accepts what they accept, with the same values. They accept its output, with only
// annotations changed.
import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { relative } from "node:path";
import { describe, test } from "node:test";
import canonicalize from "canonicalize";
import fg from "fast-glob";
import { RollstampError } from "../../src/base/errors.ts";
import { readTree } from "../support/trees.ts";
import { run as runFunction } from "../support/run.ts";
import { GO_READERS, readByGo, type Readings } from "./go-readers.ts";
import { CollidingKeys, kubectlView, RefusedByKubectl } from "../../src/yaml/read/kubectl-view.ts";
import { root, unlessFound } from "./programs.ts";

const REPOSITORIES = process.env["ROLLSTAMP_REPOSITORIES"];
const AT_ONCE = 500;
const MOST_BYTES = 4_000_000;

/** A file: what was read of it here, and what came of it where it was edited. */
interface File {
  readonly name: string;
  readonly text: string;
  readonly read: { readonly documents: readonly unknown[] } | { readonly refused: string; readonly isOurs: boolean };
  /** Each with another configuration; those that changed something. */
  readonly outputs: readonly Output[];
}

interface Output {
  readonly config: string | undefined;
  readonly text: string;
}

const RESTART = `apiVersion: rollstamp.dev/v1alpha1
kind: Restart
spec:
  all: true
  at: "2026-11-21T00:00:00Z"
`;

const CONFIGURATIONS = [undefined, RESTART];

/** What only rollstamp refuses, each for its reason. */
const OWN_REFUSALS =
  /is duplicated in this mapping|after '\.\.\.', without|expand to too many|nests deeper|contains it/u;

function fileOf(name: string, bytes: Buffer): File | undefined {
  let text: string;
  try {
    text = new TextDecoder("utf-8", { fatal: true, ignoreBOM: true }).decode(bytes);
  } catch (cause) {
    if (cause instanceof TypeError) return undefined;
    throw cause;
  }
  const read = readHere(text, name);
  if (read === undefined) return undefined;
  const outputs = CONFIGURATIONS.map((config) => ({
    config,
    text: "refused" in read ? "" : runFunction(text, config).text,
  }));
  return { name, text, read, outputs: outputs.filter((output) => output.text !== "" && output.text !== text) };
}

/** Undefined where kubectl doesn't read the same each time. */
function readHere(text: string, name: string): File["read"] | undefined {
  try {
    const tree = readTree(text, name);
    const documents = tree.documents.map((document) => kubectlView(tree, document));
    return { documents: documents.filter((document) => document !== null) };
  } catch (cause) {
    if (cause instanceof CollidingKeys) return undefined;
    if (cause instanceof RefusedByKubectl) return { refused: cause.message, isOurs: false };
    if (!(cause instanceof RollstampError)) throw cause;
    return { refused: cause.message, isOurs: true };
  }
}

const same = (a: unknown, b: unknown): boolean =>
  JSON.stringify(a) === JSON.stringify(b) || canonicalize(a) === canonicalize(b);

/** What Go's readers say of a file and rollstamp does not; undefined where they agree. */
function partsOf({ read }: File, { kubectl, kyaml, goyaml }: Readings): string | undefined {
  const takenBy = [kubectl, kyaml, goyaml].filter((reading) => !("error" in reading)).length;
  if ("refused" in read) {
    if (takenBy === 0 || (read.isOurs && OWN_REFUSALS.test(read.refused))) return undefined;
    if (!("error" in kubectl)) return `refused, and taken by kubectl: ${read.refused}`;
    return !read.isOurs || takenBy < 2 ? undefined : `refused, and taken by kustomize and go-yaml: ${read.refused}`;
  }
  if ("error" in kubectl) return undefined;
  return same(read.documents, kubectl.documents) ? undefined : "read as something else";
}

/** What is wrong with an output; undefined for nothing. */
function wrongWith({ config, text }: Output, before: Readings, after: Readings): string | undefined {
  for (const reader of ["kubectl", "kyaml", "goyaml"] as const)
    if (!("error" in before[reader]) && "error" in after[reader])
      return `given out, and refused by ${reader}: ${after[reader].error}`;
  if ("error" in before.kubectl || "error" in after.kubectl) return undefined;
  if (!same(withoutAnnotations(before.kubectl.documents), withoutAnnotations(after.kubectl.documents)))
    return "given out as something else";
  return runFunction(text, config).text === text ? undefined : "a second run changes something";
}

/** Annotations, restart fields of custom kinds, and the results of a ResourceList. */
const EDITED = /annotations$|^restartAt$|^restartNonce$|^results$/iu;

function withoutAnnotations(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(withoutAnnotations);
  if (value === null || typeof value !== "object") return value;
  const kept = Object.entries(value)
    .filter(([key]) => !EDITED.test(key))
    .map(([key, inner]): [string, unknown] => [key, withoutAnnotations(inner)])
    .filter(
      ([, inner]) =>
        !(inner === null || (typeof inner === "object" && !Array.isArray(inner) && Object.keys(inner).length === 0)),
    );
  return Object.fromEntries(kept);
}

async function compare(
  paths: readonly string[],
  base: string,
): Promise<{ files: number; edited: number; taken: number; problems: string[] }> {
  const problems: string[] = [];
  let [files, edited, taken] = [0, 0, 0];
  let reading: Promise<void> = Promise.resolve();
  for (let from = 0; from < paths.length; from += AT_ONCE) {
    const part = paths.slice(from, from + AT_ONCE).flatMap((path) => {
      const bytes = readFileSync(path);
      const file = bytes.length > MOST_BYTES ? undefined : fileOf(relative(base, path), bytes);
      return file === undefined ? [] : [file];
    });
    await reading;
    reading = readByGo(part.flatMap(({ text, outputs }) => [text, ...outputs.map((output) => output.text)])).then(
      (readings) => {
        let next = 0;
        for (const file of part) {
          const before = readings[next];
          assert.ok(before !== undefined);
          const problem = partsOf(file, before);
          if (problem !== undefined) problems.push(`${problem}: ${file.name}`);
          for (const [i, output] of file.outputs.entries()) {
            const after = readings[next + 1 + i];
            assert.ok(after !== undefined);
            const wrong = wrongWith(output, before, after);
            if (wrong !== undefined) problems.push(`${wrong}: ${file.name}`);
          }
          files += 1;
          taken += "documents" in file.read ? 1 : 0;
          edited += file.outputs.length;
          next += 1 + file.outputs.length;
        }
      },
    );
  }
  await reading;
  return { files, edited, taken, problems };
}

describe("files in Git", { skip: unlessFound(GO_READERS) }, () => {
  test("fixtures and examples", async (context) => {
    const paths = fg
      .sync("{fixtures,examples,functions}/**/*.{yaml,yml,json}", {
        cwd: root,
        absolute: true,
        // Copies of sources come and go, and references to them change: not only annotations.
        ignore: ["fixtures/config-hash/versioned/**"],
      })
      .sort();
    const { files, edited, taken, problems } = await compare(paths, root);
    context.diagnostic(`${files} files, ${taken} read, ${edited} edits`);
    assert.equal(problems.length, 0, problems.slice(0, 40).join("\n"));
    assert.ok(files > 400 && edited > 200, `${files} files, ${edited} edits`);
  });

  test(
    "of public repositories",
    { skip: REPOSITORIES === undefined ? "ROLLSTAMP_REPOSITORIES names no folder of checkouts" : false },
    async (context) => {
      const base = REPOSITORIES ?? root;
      const paths = fg
        .sync("**/*.{yaml,yml}", {
          cwd: base,
          absolute: true,
          dot: true,
          followSymbolicLinks: false,
          ignore: ["**/node_modules/**"],
        })
        .sort();
      const { files, edited, taken, problems } = await compare(paths, base);
      context.diagnostic(`${files} files, ${taken} read, ${edited} edits`);
      assert.equal(problems.length, 0, `${problems.length}\n${problems.slice(0, 200).join("\n")}`);
    },
  );
});
