import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { describe, it } from "node:test";
import { parse } from "yaml";
import { editAnnotations } from "../../src/edit/annotations.ts";
import { applySplices } from "../../src/edit/splice.ts";
import { RollstampError } from "../../src/errors.ts";
import { readManifests, type Item } from "../../src/manifest/items.ts";
import { get, itemsOf } from "../../src/manifest/node.ts";
import { readTree } from "../../src/manifest/tree.ts";
import { inRoot } from "../support/paths.ts";

// What comes of texts when annotations are set and removed, in every form in which YAML can be
// written: section 1 of the contract. A file of fixtures/edits holds texts, behind each `=>` and what
// comes of it, between lines of `----`. `<eof>` ends a text without a line break.

const A = "configmap.rollstamp.dev/a";
const B = "secret.rollstamp.dev/b";
const HEAD = "apiVersion: v1\nkind: X\n";

interface Edit {
  readonly file: string;
  readonly set?: Readonly<Record<string, string>>;
  readonly remove?: readonly string[];
  /** The mapping from which the path starts. */
  readonly base?: (item: Item) => number;
  readonly path?: readonly string[];
}

const PATH = ["spec", "metadata", "annotations"];
const inList: Pick<Edit, "base" | "path"> = {
  base: ({ tree, node }) => itemsOf(tree, get(tree, node, "spec"))[0] ?? node,
  path: PATH.slice(1),
};
const SET = { [B]: "2", [A]: "1" };

const EDITS: readonly Edit[] = [
  { file: "made", set: SET },
  { file: "set", set: SET },
  { file: "removed", remove: [A, B] },
  { file: "set-and-removed", set: { [A]: "1" }, remove: [B] },
  { file: "shared", set: { [A]: "1" }, remove: [B] },
  { file: "made-in-a-list", set: SET, ...inList },
  { file: "removed-in-a-list", remove: [A, B], ...inList },
];

function edited(text: string, { set = {}, remove = [], base, path = PATH }: Edit): string {
  const item = readManifests(readTree(text, "edit.yaml")).items[0];
  assert.ok(item !== undefined);
  const place = { item, base: base?.(item) ?? item.node, path };
  return applySplices(text, editAnnotations(place, { set: new Map(Object.entries(set)), remove: new Set(remove) }));
}

interface Case {
  readonly before: string;
  readonly after: string;
}

function readCases(file: string): Case[] {
  const text = readFileSync(inRoot("fixtures/edits", `${file}.txt`), "utf8");
  return text.split(/^----\n/mu).map((part) => {
    const [before = "", after = ""] = part.split(/^=> ?\n?/mu).map(whole);
    return { before, after };
  });
}

function whole(text: string): string {
  const end = text.endsWith("<eof>\n") ? text.slice(0, -"<eof>\n".length) : text;
  return end.startsWith("{") && end.includes("apiVersion") ? end : HEAD + end;
}

/** The annotations as an independent reader sees them. */
function annotationsIn(text: string, { base }: Edit): Record<string, unknown> {
  const { spec } = parse(text, { merge: true, logLevel: "silent" }) as { spec?: Spec | readonly Spec[] };
  const place = base === undefined ? (spec as Spec | undefined) : (spec as readonly Spec[])[0];
  return place?.metadata?.annotations ?? {};
}

interface Spec {
  readonly metadata?: { readonly annotations?: Record<string, unknown> };
}

const crlf = (text: string): string => text.replaceAll("\n", "\r\n");

for (const edit of EDITS) {
  describe(`annotations: ${edit.file}`, () => {
    const cases = readCases(edit.file);
    it("has cases", () => assert.ok(cases.length > 8));
    for (const { before, after } of cases) {
      const name = JSON.stringify(before.replace(HEAD, ""));
      const problem = /^(\d+):(\d+) (.*)\n$/u.exec(after.slice(HEAD.length));
      if (problem !== null) {
        it(`${name} is refused`, () =>
          assert.throws(
            () => edited(before, edit),
            (cause: unknown) =>
              cause instanceof RollstampError &&
              cause.message.includes(problem[3] ?? "") &&
              cause.place?.line === Number(problem[1]) &&
              cause.place.column === Number(problem[2]) &&
              cause.remedy !== undefined,
          ));
        continue;
      }
      it(name, () => {
        assert.equal(edited(before, edit), after);
        assert.equal(edited(after, edit), after, "a second run changes something");
        assert.equal(edited(crlf(before), edit), crlf(after), "with CRLF");
        const { set = {}, remove = [] } = edit;
        const expected = { ...annotationsIn(before, edit), ...set };
        for (const key of remove) delete expected[key];
        assert.deepEqual(annotationsIn(after, edit), expected, "as an independent reader sees it");
      });
    }
  });
}
