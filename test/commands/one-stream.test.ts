import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { parseAllDocuments } from "yaml";
import { oneStream } from "../../src/yaml/edit/one-stream.ts";
import { DEFAULT_LIMITS } from "../../src/base/limits.ts";
import { readManifests } from "../../src/yaml/read/items.ts";
import { toJson } from "../../src/yaml/read/node.ts";
import { readTree } from "../../src/yaml/read/tree.ts";

// Texts as in real files: what precedes the first document, and how the last one ends.
const HEADS = [
  "",
  "# why\n",
  "---\n",
  "# why\n---\n",
  "--- # why\n",
  "%YAML 1.2\n---\n",
  "# why\n%YAML 1.2\n---\n",
  "\n  # why\n\n%TAG !x! tag:example.com,2000:\n# more\n---\n",
  "%YAML 1.2\n%TAG ! tag:example.com,2000:\n--- # why\n",
  "\uFEFF",
  "\uFEFF# why\n%YAML 1.2\n---\n",
];
const TAILS = ["", "\n", "\n...\n", "\n...", "\n---\n", "\n# why", "\n# %YAML\n"];

const objectOf = (name: string): string =>
  `apiVersion: v1\nkind: ConfigMap\nmetadata:\n  name: ${name}\ndata:\n  k: "%v"`;

const bare = (text: string): string => text.replace(/^\uFEFF/u, "");

function namesByUs(text: string): unknown[] {
  return readManifests(readTree(text, "stream", DEFAULT_LIMITS)).items.map(({ tree, node }) => toJson(tree, node));
}

/** As an independent reader has it; without documents that are empty. */
function objectsIn(text: string): unknown[] {
  return [...parseAllDocuments(text)].flatMap((document): unknown[] => {
    assert.deepEqual(document.errors, [], JSON.stringify(text));
    const value: unknown = document.toJS();
    return value === null ? [] : [value];
  });
}

const known = new Map<string, unknown[]>();

/** The objects of one text, which is read once for all the streams that contain it. */
function objectsOf(text: string): unknown[] {
  const objects = known.get(text) ?? objectsIn(bare(text));
  known.set(text, objects);
  return objects;
}

describe("texts as one stream", () => {
  const texts = HEADS.flatMap((head) => TAILS.map((tail) => head + objectOf("a") + tail));

  it("keep their meaning, whatever they begin and end with", () => {
    let joined = 0;
    for (const [i, first] of texts.entries()) {
      for (const head of HEADS) {
        const all = [first, head + objectOf("b") + "\n", texts[(i * 7 + 3) % texts.length] ?? ""];
        for (const eol of [i % 2 === 0 ? "\n" : "\r\n"]) {
          const given = all.map((text) => text.replaceAll("\n", eol));
          const stream = oneStream(given);
          const expected = given.flatMap(objectsOf);
          assert.deepEqual(objectsIn(bare(stream)), expected, JSON.stringify(stream));
          assert.equal(JSON.stringify(namesByUs(stream)), JSON.stringify(expected), JSON.stringify(stream));
          for (const text of given) assert.ok(stream.includes(bare(text)), "every text stands in it as it was");
          assert.ok(!stream.slice(1).includes("\uFEFF"), "a byte order mark stands first or not at all");
          joined += 1;
        }
      }
    }
    assert.ok(joined > 500);
  });

  it("separate a directive after comments from the document before it", () =>
    assert.equal(oneStream(["a: 1\n", "# c\n%YAML 1.2\n---\nb: 2\n"]), "a: 1\n...\n# c\n%YAML 1.2\n---\nb: 2\n"));

  it("end each document once", () =>
    assert.equal(oneStream(["a: 1\n...\n", "%YAML 1.2\n---\nb: 2\n"]), "a: 1\n...\n%YAML 1.2\n---\nb: 2\n"));
});
