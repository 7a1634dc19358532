import { plainText } from "../../src/output/document/blocks.ts";
import assert from "node:assert/strict";
import { describe, it } from "node:test";
import fc from "fast-check";
import type { Json } from "../../src/yaml/read/node.ts";
import { changedKeys } from "../../src/kubernetes/sources/changed-keys.ts";
import { valueDiffs } from "../../src/reports/plan/value-diffs.ts";
import type { Reason } from "../../src/reports/plan/plan-reasons.ts";
import type { PlannedWorkload } from "../../src/reports/plan/planned-workload.ts";
import { reasonWords } from "../../src/output/plan-causes.ts";
import { printable } from "../../src/findings/results/terminal.ts";
import { valuePair } from "../../src/findings/results/value-pair.ts";
import { reportOf, workload } from "../output/plan-workloads.ts";
import { codePoint } from "../support/code-point.ts";
import { planHtml, planMarkdown, planText } from "../support/plan-reports.ts";

// Two different values never look equal, whatever they are and however they are shortened and escaped.
const PARAMETERS = {
  numRuns: Number(process.env["FC_RUNS"] ?? 500),
  seed: Number(process.env["FC_SEED"] ?? 20261122),
};

/** The text as a person sees it: lookalike characters count as equal, and spaces at the ends are dropped. */
function seen(text: string): string {
  return printable(text)
    .normalize("NFKC")
    .replace(/\p{Default_Ignorable_Code_Point}/gu, "")
    .replace(/\s+/gu, " ")
    .trim();
}

// Pieces that build nearly equal strings: some look like others, some are invisible.
const piece = fc.constantFrom(
  ...'ab1 …\\"',
  "  ",
  "\u0007",
  "\\u0007",
  "\u00a0",
  "\u200b",
  "\u202e",
  "\\u202e",
  "e\u0301",
  "\u00e9",
  "##[",
  "#\\u0023[",
  "\ud800",
  "\udfff",
  "😀",
  "null",
  "true",
  "12",
  "\n",
  "\r",
);
const short = fc.array(piece, { maxLength: 6 }).map((pieces) => pieces.join(""));
const filler = fc.tuple(piece, fc.constantFrom(0, 1, 11, 12, 13, 14, 30, 61, 200)).map(([text, n]) => text.repeat(n));
const text = fc.oneof(short, fc.string({ unit: codePoint }));
/** Two texts that have the same beginning and the same end. */
const alike = fc
  .tuple(filler, text, text, filler)
  .map(([start, from, to, end]): [Json, Json] => [`${start}${from}${end}`, `${start}${to}${end}`]);
const typed = fc
  .tuple(fc.oneof(fc.integer(), fc.boolean(), fc.array(fc.integer(), { maxLength: 3 })), fc.boolean())
  .map(([value, swap]): [Json, Json] => (swap ? [JSON.stringify(value), value] : [value, JSON.stringify(value)]));
const json: fc.Arbitrary<Json> = fc.jsonValue().map((value): Json => JSON.parse(JSON.stringify(value)));
const pairs = fc
  .oneof(alike, typed, fc.tuple(json, json))
  .filter(([from, to]) => from !== null && to !== null && JSON.stringify(from) !== JSON.stringify(to));

const reasonOf = (path: string, from: Json, to: Json): Reason => ({ type: "Template", path, from, to });

describe("two values that differ", () => {
  it("never look equal", () =>
    fc.assert(
      fc.property(pairs, fc.constantFrom(undefined, 1, 200, Infinity), ([from, to], longest) => {
        const pair = valuePair(from, to, longest === undefined ? {} : { longest });
        assert.notEqual(seen(pair.from), seen(pair.to));
      }),
      PARAMETERS,
    ));
  it("are no longer than people read", () =>
    fc.assert(
      fc.property(pairs, ([from, to]) => {
        const pair = valuePair(from, to);
        assert.ok(Math.max([...pair.from].length, [...pair.to].length) <= 170);
      }),
      PARAMETERS,
    ));
  it("of an image are shown in full", () =>
    fc.assert(
      fc.property(
        fc.tuple(fc.stringMatching(/^[a-z0-9./:@-]{1,300}$/u), fc.stringMatching(/^[a-z0-9./:@-]{1,300}$/u)),
        ([from, to]) => {
          fc.pre(from !== to);
          const path = "spec.containers[name=app].image";
          assert.equal(plainText(reasonWords(reasonOf(path, from, to), "default")), `${path}: ${from} → ${to}`);
        },
      ),
      PARAMETERS,
    ));
  it("of a ConfigMap are shown in lines that never look equal", () =>
    fc.assert(
      fc.property(alike, ([from, to]) => {
        fc.pre(typeof from === "string" && typeof to === "string" && from !== to);
        const { diffs } = valueDiffs(changedKeys, () => false)(
          "s",
          new Map([["k", String(from)]]),
          new Map([["k", String(to)]]),
        );
        const lines = diffs[0]?.lines ?? [];
        const side = (sign: string): string =>
          lines
            .filter((line) => !line.startsWith(sign === "+" ? "-" : "+"))
            .map((line) => `|${seen(line.replace(/^[+-]/u, ""))}`)
            .join("\n");
        assert.ok(lines.some((line) => line.startsWith("(")) || side("+") !== side("-"), lines.join("\n"));
      }),
      PARAMETERS,
    ));

  const workloadOf = (reason: Reason): PlannedWorkload => workload("web", { safety: "Outage", reasons: [reason] });
  const FORMS = {
    text: (workloads: readonly PlannedWorkload[]): Promise<string> => planText(reportOf(workloads)),
    markdown: (workloads: readonly PlannedWorkload[]): string => planMarkdown(reportOf(workloads)),
    html: (workloads: readonly PlannedWorkload[]): string => planHtml(reportOf(workloads)),
  };
  for (const [form, print] of Object.entries(FORMS)) {
    it(`never look equal in -o ${form}`, () =>
      fc.assert(
        fc.asyncProperty(pairs, async ([from, to]) => {
          // Lookalikes may be swapped without a visible difference.
          const there = await print([workloadOf(reasonOf("spec.x", from, to))]);
          const back = await print([workloadOf(reasonOf("spec.x", to, from))]);
          assert.notEqual(seen(there), seen(back));
        }),
        { ...PARAMETERS, numRuns: Math.ceil(PARAMETERS.numRuns / 10) },
      ));
  }
});
