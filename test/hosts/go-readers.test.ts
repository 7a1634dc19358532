// Compares rollstamp with Go's YAML parsers over the fixtures in thousands of spellings (ROLLSTAMP_SPELLINGS sets the number): rollstamp
// accepts what they accept, with the same values, and they accept its output.
import assert from "node:assert/strict";
import { existsSync, readFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { describe, test } from "node:test";
import canonicalize from "canonicalize";
import fg from "fast-glob";
import { styleOf, type Data } from "../properties/styles.ts";
import { run as runFunction, type RunResult } from "../support/run.ts";
import { GO_READERS, readByGo, type Reading, type Readings } from "./go-readers.ts";
import { root, unlessFound } from "./programs.ts";
import { plainData, spell } from "./spellings.ts";

const COUNT = Number(process.env["ROLLSTAMP_SPELLINGS"] ?? 3000);
const AT_ONCE = 1000;

/** What a fixture holds, as kubectl reads it. */
interface Content {
  readonly path: string;
  readonly config: string | undefined;
  readonly documents: readonly Data[];
  readonly hasStamps: boolean;
  readonly stamps: string;
  /** The result without stamps: a configuration may remove other annotations. */
  readonly kept: string;
}

const OURS = /^(?:[a-z]+\.)?rollstamp\.dev\//u;
const DIGEST = /^[hk]1-[0-9a-f]{40}$/u;

/** The stamps in data, where they stand. */
function stampsOf(value: unknown, path = ""): string[] {
  if (value === null || typeof value !== "object") return [];
  return Object.entries(value).flatMap(([key, inner]) =>
    OURS.test(key) && typeof inner === "string" && DIGEST.test(inner)
      ? [`${path}/${key}=${inner}`]
      : stampsOf(inner, `${path}/${key}`),
  );
}

/** Data as text, without stamps and without what holds nothing: a stamp may bring its mappings. */
function keptOf(value: unknown): string {
  return canonicalize(withoutStamps(value)) ?? "";
}

/** Whether any value has the key of a stamp: rollstamp may also replace values, which is not an addition. */
function hasOurKey(value: unknown): boolean {
  if (value === null || typeof value !== "object") return false;
  return Object.entries(value).some(([key, inner]) => OURS.test(key) || hasOurKey(inner));
}

function withoutStamps(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(withoutStamps);
  if (value === null || typeof value !== "object") return value;
  const kept = Object.entries(value)
    .filter(([key, inner]) => !(OURS.test(key) && typeof inner === "string" && DIGEST.test(inner)))
    .map(([key, inner]): [string, unknown] => [key, withoutStamps(inner)])
    .filter(([, inner]) => !isEmpty(inner));
  return Object.fromEntries(kept);
}

function isEmpty(value: unknown): boolean {
  return value === null || (typeof value === "object" && !Array.isArray(value) && Object.keys(value).length === 0);
}

function stampsText(documents: readonly unknown[]): string {
  return stampsOf(documents).sort().join("\n");
}

/** The fixtures' contents that are stamped without an error. */
async function contents(): Promise<Content[]> {
  const paths = fg
    .sync("fixtures/{config-hash,workload-kinds,sources,peers,policy}/**/input.yaml", { cwd: root })
    .sort();
  const texts = paths.map((path) => readFileSync(join(root, path), "utf8"));
  const readings = await readByGo(texts);
  return readings.flatMap(({ kubectl }, i) => {
    const path = paths[i] ?? "";
    if ("error" in kubectl || /^kind: ResourceList$/mu.test(texts[i] ?? "")) return [];
    const configFile = join(root, dirname(path), "config.yaml");
    const config = existsSync(configFile) ? readFileSync(configFile, "utf8") : undefined;
    const documents = kubectl.documents.map(plainData);
    const { text, status } = runFunction(jsonStream(documents), config);
    if (status === 2) return [];
    const stamped = jsonDocuments(text);
    const hasStamps = documents.some(hasOurKey);
    return [{ path, config, documents, hasStamps, stamps: stampsText(stamped), kept: keptOf(stamped) }];
  });
}

const jsonStream = (documents: readonly Data[]): string => documents.map((one) => JSON.stringify(one)).join("\n---\n");

const jsonDocuments = (text: string): unknown[] => text.split("\n---\n").map((one): unknown => JSON.parse(one));

/** What is wrong with one spelling: nothing, mostly. */
type Problem = readonly [what: string, text: string];

/** True if `after` is `before` with additions only. */
function onlyAdds(before: string, after: string): boolean {
  let matched = 0;
  for (let i = 0; i < after.length && matched < before.length; i++) if (after[i] === before[matched]) matched += 1;
  return matched === before.length;
}

const reason = (reading: Reading<unknown>): string => ("error" in reading ? withoutPlaces(reading.error) : "");

/** The first line of a message, so that those of one cause are one. */
const withoutPlaces = (message: string): string =>
  message
    .split("\n", 1)
    .join("")
    .replace(/\b(?:line )?\d+(?::\d+)?/gu, "N");

function show(problems: readonly Problem[]): string {
  const counts = new Map<string, number>();
  for (const [what] of problems) counts.set(what, (counts.get(what) ?? 0) + 1);
  const shown = problems.slice(0, 3).map(([what, text]) => `${what}\n${JSON.stringify(text)}`);
  return [...[...counts].map(([what, count]) => `${count} x ${what}`), ...shown].join("\n");
}

/** A content in one spelling, and what came of it. */
interface Spelled {
  readonly content: Content;
  readonly text: string;
  readonly output: RunResult;
}

function spelled(all: readonly Content[], seed: number): Spelled {
  const content = all[seed % all.length];
  assert.ok(content !== undefined);
  const text = spell(content.documents, styleOf(seed));
  return { content, text, output: runFunction(text, content.config) };
}

const sameData = (a: unknown, b: unknown): boolean =>
  JSON.stringify(a) === JSON.stringify(b) || canonicalize(a) === canonicalize(b);

/** Whether stamps replace or remove something, or names: layout Versioned writes the names of copies in place of those of their sources. */
const isReplaced = ({ hasStamps, config }: Content): boolean => hasStamps || /Remove|Versioned/u.test(config ?? "");

/** A part that an alias shares is changed for one workload, or refused with its place: the contract takes both. */
const isShared = ({ messages }: RunResult): boolean =>
  /^input\.yaml:\d+:\d+: .* is in a part that an alias or a merge key shares with another place$/mu.test(messages);

/** Whether a reader took the text: of values of JSON in a row, kyaml reads the first and drops the others. */
const hasAll = (reading: Reading<unknown>, { documents }: Content): boolean =>
  !("error" in reading) && reading.documents.length >= documents.length;

/** What is wrong with a spelling, by what Go read of it and of what came of it; undefined for nothing. */
function problemOf({ content, text, output }: Spelled, before: Readings, after: Readings): string | undefined {
  if ("error" in before.kubectl) return `not a spelling to kubectl: ${reason(before.kubectl)}`;
  if (!sameData(before.kubectl.documents, content.documents)) return "a spelling of something else";
  // What is only added has a place of its own.
  if (output.status === 2)
    return isReplaced(content) && isShared(output) ? undefined : `refused: ${withoutPlaces(output.messages)}`;
  if ("error" in after.kubectl) return `given out, and refused by kubectl: ${reason(after.kubectl)}`;
  for (const reader of ["kyaml", "goyaml"] as const)
    if (hasAll(before[reader], content) && "error" in after[reader])
      return `given out, and refused by ${reader}: ${reason(after[reader])}`;
  if (stampsText(after.kubectl.documents) !== content.stamps) return "other stamps";
  if (keptOf(after.kubectl.documents) !== content.kept) return "another value";
  if (!isReplaced(content) && !onlyAdds(text, output.text)) return "another byte";
  if (output.text !== text && runFunction(output.text, content.config).text !== output.text)
    return "a second run changes something";
  return undefined;
}

describe("the fixtures in many spellings", { skip: unlessFound(GO_READERS) }, () => {
  test(`${COUNT} spellings are parsed as in Go and get the same stamps, and nothing else changes`, async (context) => {
    const all = await contents();
    assert.ok(all.length > 150, `${all.length} contents`);
    const problems: Problem[] = [];
    let changed = 0;
    let refused = 0;
    /** Go reads one part while the next is stamped here. */
    let reading: Promise<void> = Promise.resolve();
    for (let from = 0; from < COUNT; from += AT_ONCE) {
      const part = Array.from({ length: Math.min(AT_ONCE, COUNT - from) }, (_, i) => spelled(all, from + i));
      await reading;
      reading = readByGo(part.flatMap(({ text, output }) => [text, output.text])).then((readings) => {
        for (const [i, one] of part.entries()) {
          const [before, after] = readings.slice(2 * i, 2 * i + 2);
          assert.ok(before !== undefined && after !== undefined);
          const problem = problemOf(one, before, after);
          if (problem !== undefined) problems.push([`${problem} (${one.content.path})`, one.text]);
          else if (one.output.status === 2) refused += 1;
          else if (one.output.text !== one.text) changed += 1;
        }
      });
    }
    await reading;
    context.diagnostic(`${changed} of ${COUNT} spellings of ${all.length} contents were changed, ${refused} refused`);
    assert.equal(problems.length, 0, show(problems));
    const replacing = all.filter(isReplaced).length / all.length;
    assert.ok(refused <= (COUNT * replacing) / 100, `${refused} were refused`);
    assert.ok(changed > COUNT / 2, `${changed} were changed`);
  });
});
