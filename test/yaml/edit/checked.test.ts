import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { parseAllDocuments } from "yaml";
import { editAnnotations } from "../../../src/yaml/edit/annotations.ts";
import { editedText } from "../../../src/yaml/edit/checked.ts";
import { applySplices, type Splice } from "../../../src/yaml/edit/splice.ts";
import { RollstampError } from "../../../src/base/errors.ts";
import { readManifests } from "../../../src/yaml/read/items.ts";
import { getPath } from "../../../src/yaml/read/node.ts";
import { readTree } from "../../support/trees.ts";
import { run } from "../../support/run.ts";

const object = (name: string): string => `apiVersion: v1
kind: X
metadata: {name: ${name}}
spec:
  # why
  metadata:
    annotations:
      note: "kept"
      configmap.rollstamp.dev/a: "0"
  text: |+
    x

`;
const indented = (text: string): string => text.replaceAll(/^(?=.)/gmu, "  ").replace("  ", "- ");
const list = (objects: readonly string[]): string =>
  `apiVersion: v1\nkind: List\nitems:\n${objects.map(indented).join("# next\n")}`;

/** Texts of the same three objects, in each of the forms in which pieces of them are read. */
const TEXTS: Readonly<Record<string, string>> = {
  documents: ["a", "b", "c"].map(object).join("---\n"),
  "a list": list(["a", "b", "c"].map(object)),
  "a list in one document of two": `${list(["a", "b"].map(object))}---\n${object("c")}`,
  "a list with an alias": list(["a", "b", "c"].map(object)).replace("name: a}", "name: a, x: &x y, z: *x}"),
  "carriage returns": ["a", "b", "c"].map(object).join("---\n").replaceAll("\n", "\r"),
  "CR LF": ["a", "b", "c"].map(object).join("---\n").replaceAll("\n", "\r\n"),
  JSON: JSON.stringify({
    apiVersion: "v1",
    kind: "List",
    items: ["a", "b", "c"].map((name) => ({
      apiVersion: "v1",
      kind: "X",
      metadata: { name },
      spec: { metadata: { annotations: { note: "kept", "configmap.rollstamp.dev/a": "0" } } },
    })),
  }),
};

const CHANGES = [
  { set: { "configmap.rollstamp.dev/a": "1" }, remove: [] },
  { set: { "secret.rollstamp.dev/b": "2" }, remove: ["configmap.rollstamp.dev/a"] },
  { set: {}, remove: ["configmap.rollstamp.dev/a", "note"] },
];

function splicesFor(text: string, index: number): { tree: ReturnType<typeof readTree>; splices: readonly Splice[] } {
  const tree = readTree(text, "edit.yaml");
  const { set, remove } = CHANGES[index] ?? { set: {}, remove: [] };
  const changes = { set: new Map(Object.entries(set)), remove: new Set(remove) };
  const splices = readManifests(tree).items.flatMap((item) =>
    editAnnotations({ item, base: item.node, path: ["spec", "metadata", "annotations"] }, changes),
  );
  return { tree, splices };
}

describe("what is edited is read again", () => {
  for (const [form, text] of Object.entries(TEXTS)) {
    for (const index of CHANGES.keys()) {
      it(`${form}, change ${index}: what was intended passes`, () => {
        const { tree, splices } = splicesFor(text, index);
        assert.ok(splices.length > 0);
        assert.equal(editedText(tree, splices), applySplices(text, splices));
      });

      it(`${form}, change ${index}: a wrong byte anywhere does not`, () => {
        const { tree, splices } = splicesFor(text, index);
        const lies: readonly ((splice: Splice) => Splice)[] = [
          (splice) => ({ ...splice, insert: splice.insert === "" ? "x: y\n" : `${splice.insert}x` }),
          (splice) => ({ ...splice, offset: splice.offset + 1 }),
          (splice) => ({ ...splice, remove: splice.remove + 1 }),
          (splice) => ({ ...splice, remove: splice.remove + 24 }),
          (splice) => ({ ...splice, insert: splice.insert.replace(/^ /mu, "") }),
          (splice) => ({ ...splice, insert: splice.insert.replace(/"([12])"/u, '"3"') }),
          (splice) => ({ ...splice, insert: splice.insert.replace('"', "'") }),
        ];
        const intended = valueOf(applySplices(text, splices));
        let refused = 0;
        for (const [at, splice] of splices.entries()) {
          for (const lie of lies) {
            const wrong = splices.with(at, lie(splice));
            let given: string | undefined;
            try {
              given = editedText(tree, wrong);
            } catch (cause) {
              if (!(cause instanceof RollstampError)) continue;
              assert.equal(cause.code, "input");
              assert.ok(cause.place?.line !== undefined);
              refused += 1;
              continue;
            }
            assert.deepEqual(valueOf(given), intended);
          }
        }
        assert.ok(refused > splices.length, `${refused} of ${splices.length * lies.length}`);
      });
    }
  }

  it("also a new entry before the others of its mapping", () => {
    const text = TEXTS["documents"]?.replaceAll(/^ {2}metadata:\n(?: {4}.*\n)+/gmu, "") ?? "";
    const tree = readTree(text, "edit.yaml");
    const changes = { set: new Map([["configmap.rollstamp.dev/a", "1"]]), remove: new Set<string>() };
    const [item] = readManifests(tree).items;
    assert.ok(item !== undefined);
    const [splice, ...more] = editAnnotations(
      { item, base: getPath(tree, item.node, ["spec"]), path: ["metadata", "annotations"] },
      changes,
    );
    assert.ok(splice !== undefined && more.length === 0);
    const right = editedText(tree, [splice]);
    assert.equal(right, applySplices(text, [splice]));
    assert.match(right, /^spec:\n(?: {2}# why\n)? {2}metadata:\n {4}annotations:\n {6}configmap/mu);
    for (const wrong of [
      { ...splice, insert: splice.insert.replaceAll(/^ /gmu, "") },
      { ...splice, insert: splice.insert.replaceAll(/^/gmu, "  ") },
      { ...splice, insert: splice.insert.replace('"1"', '"2"') },
      { ...splice, insert: `${splice.insert}  note: ""\n` },
      { ...splice, offset: text.indexOf("spec:") },
      { ...splice, offset: text.indexOf("    x\n") },
    ])
      assert.throws(() => editedText(tree, [wrong]), RollstampError, JSON.stringify(wrong));
  });

  it("also what stands beside the edit", () => {
    const text = TEXTS["documents"] ?? "";
    const { tree, splices } = splicesFor(text, 0);
    const offset = text.lastIndexOf("kept");
    assert.throws(() => editedText(tree, [...splices, { offset, remove: 1, insert: "K" }]), RollstampError);
    assert.equal(getPath(tree, tree.documents[0] ?? 0, ["spec", "none"]), -1);
  });
});

/** The value of the text, read by another parser than the tested one. */
function valueOf(text: string): unknown {
  return parseAllDocuments(text, { logLevel: "silent" }).map((document): unknown => document.toJS());
}

const SOURCE = "apiVersion: v1\nkind: ConfigMap\nmetadata: {name: env}\ndata: {A: x}\n---\n";
const deployment = (annotations: string, name = "env"): string => `${SOURCE}apiVersion: apps/v1
kind: Deployment
metadata: {name: web}
spec:
  template:
    metadata:
      annotations:
${annotations}
    spec:
      containers:
      - name: app
        envFrom: [{configMapRef: {name: ${name}}}]
`;

describe("what was written as broken YAML once", () => {
  it("a stamp that carries an anchor used elsewhere is refused, replaced or removed", () => {
    for (const name of ["env", "other"]) {
      const annotations = '        configmap.rollstamp.dev/env: &s "h1-0"\n        note: *s';
      const { messages, status } = run(
        deployment(annotations, name),
        "kind: ConfigHash\nspec: {missing: Ignore}\napiVersion: rollstamp.dev/v1alpha1\n",
      );
      assert.equal(status, 2);
      assert.match(messages, /^input\.yaml:13:38: .* is in a part that an alias or a merge key shares/u);
    }
  });

  it("an anchor that nothing uses goes with its stamp", () => {
    const { text, status } = run(deployment('        configmap.rollstamp.dev/env: &s "h1-0"'));
    assert.equal(status, 0);
    assert.match(text, /dev\/env: "h1-[0-9a-f]{40}"\n/u);
  });

  it("an explicit key with a block scalar is removed with all its lines", () => {
    for (const value of [": |-\n          h1-0", ": >\n          h1-0\n\n          x", ":\n          'h1-0'"]) {
      const { text, status, messages } = run(deployment(`        ? configmap.rollstamp.dev/old\n        ${value}`));
      assert.equal(status, 0, messages);
      assert.ok(
        text.includes('  template:\n    metadata:\n      annotations:\n        configmap.rollstamp.dev/env: "h1-'),
        text,
      );
      const removed = run(
        deployment(`        ? configmap.rollstamp.dev/old\n        ${value}`, "gone").replace("envFrom", "other"),
      );
      assert.equal(removed.status, 0, removed.messages);
      assert.ok(removed.text.includes("  template:\n    spec:\n"), removed.text);
    }
  });

  it("results go where the fields of their list stand", () => {
    const inner = `apiVersion: config.kubernetes.io/v1
kind: ResourceList
items:
${indented(deployment("        a: b", "gone").replace(SOURCE, ""))}`;
    for (const text of [
      inner,
      inner.replaceAll(/^/gmu, "  "),
      `${inner}results:\n`,
      `${inner}results:\n`.replaceAll(/^/gmu, "  "),
    ]) {
      const { text: given, status, messages } = run(text);
      assert.equal(status, 0, messages);
      const [value] = parseAllDocuments(given).map((document): unknown => document.toJS());
      assert.ok(value !== null && typeof value === "object" && "results" in value && Array.isArray(value.results));
      assert.equal(value.results.length, 1);
      assert.equal(run(given).text, given);
    }
  });
});
