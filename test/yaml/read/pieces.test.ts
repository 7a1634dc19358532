import assert from "node:assert/strict";
import { describe, it } from "node:test";
import fc from "fast-check";
import { YAMLException, type Event } from "js-yaml";
import { eventAt, typeAt, type CountedTable } from "../../../src/yaml/read/event-table.ts";
import { parseLenient } from "../../../src/yaml/read/lenient.ts";
import { piecesOf, readPieces } from "../../../src/yaml/read/pieces.ts";
import { printStream, seed, styleOf } from "../../properties/styles.ts";
import { application } from "../../properties/manifests.ts";

const RUNS = Number(process.env["FC_RUNS"] ?? 3000);
const SEED = Number(process.env["FC_SEED"] ?? 20261121);
const MAX_DEPTH = 20;

/** What is read of the whole text; undefined where it refuses it. */
function atOnce(text: string): Event[] | undefined {
  try {
    return parseLenient(text, MAX_DEPTH);
  } catch (cause) {
    assert.ok(cause instanceof YAMLException);
    return undefined;
  }
}

/** What is read in pieces of a few characters; undefined where the text is to be read at once. */
function inPieces(text: string): CountedTable | undefined {
  const pieces = piecesOf(text, 3);
  return pieces === undefined ? undefined : readPieces(text, pieces, MAX_DEPTH);
}

/** Documents and ends keep their type only. */
function kept(event: Event): unknown {
  return event.type === 1 || event.type === 6 ? { type: event.type } : { ...event };
}

/** True where the text was read in pieces: as it is at once. */
function agree(text: string): boolean {
  const read = inPieces(text);
  if (read === undefined) return false;
  const expected = atOnce(text);
  assert.ok(expected, "read in pieces, and refused as a whole");
  const { table, length } = read;
  const found = Array.from({ length }, (_, i) => ({ ...(eventAt(table, i) ?? { type: typeAt(table, i) }) }));
  assert.deepEqual(found, expected.map(kept));
  return true;
}

const LIST = "apiVersion: config.kubernetes.io/v1\nkind: ResourceList\nitems:\n";

describe("a file in pieces", () => {
  it("is cut between documents", () => {
    assert.ok(agree("a: 1\n---\nb: [x,\n  y]\n---\nc: |\n  --- no marker\n"));
    assert.ok(agree("# head\n--- !!map\n? a\n--- # next\n- &x 1\n- *x\n...\n---\n\n---\n"));
  });

  it("is cut between the items of a list under 'items', whatever its column", () => {
    assert.ok(agree(`${LIST}- a: 1\n  b: |\n    - x\n# comment\n- c: {d: "e\n    f"}\nfunctionConfig:\n  data: {}\n`));
    assert.ok(agree(`${LIST}  - a: 1\n  # comment\n  - b:\n    - x\n    - y\nresults:\n- message: m\n`));
    assert.ok(agree(`${LIST.replaceAll("\n", "\r\n")}- a: 1\r\n-\r\n  b: 2\r\n- 3\r\n`));
    assert.ok(agree(`--- # list\n${LIST}- &a !!str 1\n- *a\n- !x {}\n`));
  });

  it("is read at once where a cut could mislead", () => {
    for (const text of [
      "%YAML 1.2\n---\na: 1\n---\nb: 2\n",
      "a: 1\r---\rb: 2\n---\nc: 3\n",
      `${LIST}- a: 1\n- b: 2\n---\nc: 3\n`.replace("---", "..."),
      `${LIST}- a: "x\n- y"\n- b: 2\n`,
      `${LIST}- {a: [\n- 1]}\n- b: 2\n`,
      '"text\nitems:\n- a\n- b\n"',
      `${LIST}\t- a: 1\n- b: 2\n`,
    ]) {
      assert.equal(agree(text), false, text);
    }
  });

  it("nests as deep as at once, and no deeper", () => {
    const nested = (depth: number): string => `${LIST}- ${"[".repeat(depth)}${"]".repeat(depth)}\n- 1\n- 2\n`;
    const depths = Array.from({ length: MAX_DEPTH + 2 }, (_, depth) => depth);
    assert.deepEqual(
      depths.map((depth) => agree(nested(depth))),
      depths.map((depth) => atOnce(nested(depth)) !== undefined),
    );
  });

  it("gives the same events, over generated streams in every style", () => {
    let count = 0;
    fc.assert(
      fc.property(application, seed, ({ documents }, style) => {
        if (agree(printStream(documents, styleOf(style)))) count += 1;
      }),
      { numRuns: Math.ceil(RUNS / 30), seed: SEED },
    );
    assert.ok(count > RUNS / 60, `only ${count} were read in pieces`);
  });

  it("gives the same events or none, over any heap of lines", () => {
    let count = 0;
    fc.assert(
      fc.property(
        fc.array(fc.constantFrom(...LINES), { maxLength: 9 }),
        fc.constantFrom("\n", "\n", "\r\n"),
        (lines, eol) => {
          if (agree([...(lines.length % 2 === 0 ? ["kind: X", "items:"] : []), ...lines, ""].join(eol))) count += 1;
        },
      ),
      { numRuns: RUNS, seed: SEED },
    );
    assert.ok(count > RUNS / 60, `only ${count} were read in pieces`);
  });
});

/** Lines that mean different things by what stands before them. */
const LINES: readonly string[] = [
  "- a: 1",
  "  b: 2",
  "- c",
  "-",
  "- ",
  "  - d",
  "- - e",
  "- |",
  "- >-",
  "  text",
  " text",
  "  - x",
  "---",
  "--- x",
  "...",
  "# c",
  "  # d",
  "",
  " ",
  '- "q',
  '  q"',
  '"',
  "- 'r",
  "'",
  "- {a: [",
  "  b]}",
  "]",
  "}",
  "- {}",
  "- []",
  "- &a v",
  "- *a",
  "- &a",
  "- !!str 1",
  "- !t",
  "- ? k",
  "  : v",
  "? k",
  ": v",
  "k: v",
  "k: |",
  "k: &b",
  "rest:",
  "items:",
  "items: []",
  "  items:",
  "items: # c",
  "- k:",
  "\t- t",
  "-\tt",
  "%YAML 1.2",
  "a\u2028- b",
  "- a #c",
  "- a: b: c",
  "\uFEFF- z",
  "plain",
  "  plain",
  "- 1\n  # x\n  2",
  "- k: |2",
  "   deep",
  "kind:",
  "items:\n  - i: 1",
  "  - i: 2",
  "  -",
  "    j: 3",
];
