import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { describe, it } from "node:test";
import { parse } from "yaml";
import { editAnnotations, takeLabels } from "../../../src/yaml/edit/annotations.ts";
import { editedText } from "../../../src/yaml/edit/checked.ts";
import { applySplices } from "../../../src/yaml/edit/splice.ts";
import { RollstampError } from "../../../src/base/errors.ts";
import { readManifests, type Item } from "../../../src/yaml/read/items.ts";
import { kubectlView } from "../../../src/yaml/read/kubectl-view.ts";
import { get, itemsOf } from "../../../src/yaml/read/node.ts";
import { inRoot } from "../../support/paths.ts";
import { readTree } from "../../support/trees.ts";

// The result of setting and removing annotations, in every form of YAML: section 1 of the contract. A file in
// fixtures/edits has inputs, each followed by `=>` and the expected result, between lines of `----`. `<eof>` ends an
// input that has no final line break.

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
  { file: "made-below-a-key", set: SET, base: ({ tree, node }) => get(tree, node, "spec"), path: PATH.slice(1) },
  { file: "removed-in-a-list", remove: [A, B], ...inList },
];

function edited(text: string, { set = {}, remove = [], base, path = PATH }: Edit): string {
  const item = readManifests(readTree(text, "edit.yaml")).items[0];
  assert.ok(item !== undefined);
  const place = { item, base: base?.(item) ?? item.node, path };
  return editedText(item.tree, editAnnotations(place, { set: new Map(Object.entries(set)), remove: new Set(remove) }));
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
function annotationsIn(text: string): Record<string, unknown> {
  const { spec } = parse(text, { merge: true, logLevel: "silent" }) as { spec?: Spec | readonly [Spec] };
  const place = Array.isArray(spec) ? (spec as readonly [Spec])[0] : (spec as Spec | undefined);
  return place?.metadata?.annotations ?? {};
}

/** An annotation as kubectl reads it. */
function kubectlAnnotation(text: string, key: string): unknown {
  const item = readManifests(readTree(text, "edit.yaml")).items[0];
  assert.ok(item !== undefined);
  const { spec } = kubectlView(item.tree, item.node) as { readonly spec: Spec | readonly [Spec] };
  const place = Array.isArray(spec) ? (spec as readonly [Spec])[0] : (spec as Spec);
  return place.metadata?.annotations?.[key];
}

interface Spec {
  readonly metadata?: { readonly annotations?: Record<string, unknown> };
}

const withBreaks = (text: string, lineBreak: string): string => text.replaceAll("\n", lineBreak);

const crlf = (text: string): string => withBreaks(text, "\r\n");

/** Go's readers break lines at these, too, but not in JSON. */
const OTHER_BREAKS = ["\u0085", "\u2028"];

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
              cause.code === "input" &&
              (cause.remedy ?? "") !== "",
          ));
        continue;
      }
      it(name, () => {
        assert.equal(edited(before, edit), after);
        assert.equal(edited(after, edit), after, "a second run changes something");
        assert.equal(edited(crlf(before), edit), crlf(after), "with CRLF");
        // Rare forms are refused with such breaks: explicit keys, flow mappings, and files without a last break.
        for (const eol of /[{?]|[^\n]$/u.test(before) ? [] : OTHER_BREAKS)
          assert.equal(edited(withBreaks(before, eol), edit), withBreaks(after, eol), `with ${JSON.stringify(eol)}`);
        const { set = {}, remove = [] } = edit;
        const expected = { ...annotationsIn(before), ...set };
        for (const key of remove) delete expected[key];
        assert.deepEqual(annotationsIn(after), expected, "as an independent reader sees it");
        for (const [key, value] of Object.entries(set))
          assert.equal(kubectlAnnotation(after, key), value, "as kubectl sees it, for which a later << counts");
      });
    }
  });
}

describe("annotations", () => {
  const place = (text: string): Parameters<typeof editAnnotations>[0] => {
    const item = readManifests(readTree(text, "edit.yaml")).items[0];
    assert.ok(item !== undefined);
    return { item, base: item.node, path: PATH.slice(0, 1) };
  };
  const numbered = (text: string, value: number | string): string => {
    const edits = editAnnotations(place(text), { set: new Map([["count", value]]), remove: new Set() });
    return applySplices(text, edits).replace(HEAD, "");
  };
  it("are the same whatever the order in which they are given", () => {
    const keys = ["a", "b", "c"].map((name) => `secret.rollstamp.dev/${name}`);
    const [a = "", b = "", c = ""] = keys;
    const results = [
      [a, b, c],
      [a, c, b],
      [b, a, c],
      [b, c, a],
      [c, a, b],
      [c, b, a],
    ].map((order) =>
      edited(`${HEAD}spec:\n  x: y\n`, { file: "", set: Object.fromEntries(order.map((key) => [key, "1"])) }),
    );
    assert.equal(new Set(results).size, 1);
    assert.match(results[0] ?? "", /\/a: "1"\n.*\/b: "1"\n.*\/c: "1"\n/u);
  });
  it("are reported by their path if they are not a mapping", () =>
    assert.throws(
      () => edited(`${HEAD}spec: {metadata: {annotations: text}}\n`, { file: "", set: SET }),
      /'spec\.metadata\.annotations' of X \(no name\) must be a mapping/u,
    ));
  it("stay behind a byte order mark", () => {
    const bom = "\uFEFF";
    assert.equal(
      edited(`${bom}kind: X\napiVersion: v1\n`, { file: "", set: { [A]: "1" } }),
      `${bom}spec:\n  metadata:\n    annotations:\n      ${A}: "1"\nkind: X\napiVersion: v1\n`,
    );
  });
  it("may be numbers where a field is no annotation", () => {
    assert.equal(numbered(`${HEAD}spec:\n  count: 3\n`, 3), "spec:\n  count: 3\n");
    assert.equal(numbered(`${HEAD}spec:\n  count: 0x3\n`, 3), "spec:\n  count: 0x3\n");
    assert.equal(numbered(`${HEAD}spec:\n  count: 3\n`, 4), "spec:\n  count: 4\n");
    assert.equal(numbered(`${HEAD}spec:\n  count: "3"\n`, 3), "spec:\n  count: 3\n");
    assert.equal(numbered(`${HEAD}spec:\n  count: 3\n`, "3"), 'spec:\n  count: "3"\n');
    assert.equal(numbered(`${HEAD}spec:\n  count: [3]\n`.replace("[3]", "null"), 3), "spec:\n  count: 3\n");
  });
  const STAMPED = 'metadata: {annotations: {configmap.rollstamp.dev/a: "1"}, name: x}';
  it("of what stands in a shared part are refused, whatever else is shared in it", () => {
    const metadata = ({ tree, node }: Item): number => get(tree, get(tree, node, "spec"), "metadata");
    const text = `${HEAD}spec: &s\n  a: &a {x: y}\n  metadata: {name: x}\nb: *a\nc: *s\n`;
    const edit: Edit = { file: "", set: { [A]: "1" }, base: metadata, path: ["annotations"] };
    assert.throws(() => edited(text, edit), /shares with another place/u);
    assert.ok(edited(text.replace("c: *s", "c: d"), edit).includes(STAMPED));
  });
  it("of what stands beside a shared part are written", () => {
    const second = ({ tree, node }: Item): number => itemsOf(tree, get(tree, node, "spec"))[1] ?? node;
    const edit: Edit = { file: "", set: { [A]: "1" }, base: second, path: PATH.slice(1) };
    const text = `${HEAD}spec:\n  - &a {metadata: {name: x}}\n  - &b {metadata: {name: x}}\n  - *a\n`;
    assert.ok(edited(text, edit).includes(`&b {${STAMPED}}`));
    assert.throws(() => edited(`${text}  - *b\n`, edit), /shares with another place/u);
  });
});

describe("labels that are taken out", () => {
  const CASES: readonly (readonly [string, string, string])[] = [
    [
      "one of two",
      "metadata:\n    labels:\n      a: b\n      # why\n      chart: web-1 # so\n",
      "metadata:\n    labels:\n      a: b\n      # why\n",
    ],
    [
      "all, which leaves the mapping",
      "metadata:\n    labels: # mine\n      chart: web-1\n    name: x\n",
      "metadata:\n    labels: {} # mine\n    name: x\n",
    ],
    ["all that is there", "metadata:\n    labels:\n      chart: >-\n        web-1\n", "metadata:\n    labels: {}\n"],
    ["in flow style", "metadata: {labels: {chart: web-1, a: b}}\n", "metadata: {labels: {a: b}}\n"],
    [
      "all, with a tag",
      "metadata:\n    labels: !!map # mine\n        chart: web-1\n",
      "metadata:\n    labels: !!map {} # mine\n",
    ],
    ["all, in flow style", 'metadata: {labels: {"chart": "web-1"}}\n', "metadata: {labels: {}}\n"],
    [
      "duplicate keys",
      "metadata:\n    labels:\n      chart: web-1\n      a: b\n      chart: web-2\n",
      "metadata:\n    labels:\n      a: b\n",
    ],
    ["none", "metadata:\n    labels:\n      a: b\n", "metadata:\n    labels:\n      a: b\n"],
    ["of no mapping", "metadata:\n    labels: null\n", "metadata:\n    labels: null\n"],
  ];
  for (const [name, before, after] of CASES) {
    it(name, () => {
      const take = (text: string): string => {
        const item = readManifests(readTree(text, "edit.yaml")).items[0];
        assert.ok(item !== undefined);
        const place = { item, base: item.node, path: ["spec", "metadata", "labels"] };
        return editedText(item.tree, takeLabels(place, new Set(["chart", "helm.sh/chart"])));
      };
      const [had, has] = [before, after].map((text) => `${HEAD}spec:\n  ${text}`) as [string, string];
      assert.equal(take(had), has);
      assert.equal(take(crlf(had)), crlf(has), "with CRLF");
    });
  }
});
