// Awkward text in every style of scalars and collections, through hosts that reprint YAML (kyaml: Helm 4, kpt) and one that does not
// (Helm 3): the output has the same values and the correct stamp, and a second run accepts it.
import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { before, describe, test } from "node:test";
import { styleOf, type Data } from "../properties/styles.ts";
import { run as runFunction } from "../support/run.ts";
import { stampOf } from "./expected-digest.ts";
import { GO_READERS, readByGo } from "./go-readers.ts";
import { HELMS, POST_RENDERER, prepare } from "./helm.ts";
import { kpt, kptFn } from "./kpt.ts";
import { find, mapping, stampsOf } from "./manifests.ts";
import { root, succeed, unlessFound } from "./programs.ts";
import { spell } from "./spellings.ts";
import { treeOf } from "./trees.ts";
import { rollstamp } from "./wiring.ts";

const WORDS = "the quick brown fox jumps over the lazy dog, again and again; ".repeat(4);

const TEXTS: readonly string[] = [
  "",
  "a",
  "a\n",
  "a\n\n",
  "a\n\n\n",
  "\n",
  "\n\n",
  "\na",
  "a\nb",
  "a\n\nb\n",
  "a\n\n\n  b\n c\n",
  "  a\nb\n",
  "\n  a\n",
  // Not "\ta\n…": kyaml prints a string that begins with a tab as a block scalar that it can't read itself.
  "a\tb",
  "a \nb \n",
  "a ",
  " a",
  " ",
  "a\r\nb\r\n",
  "a\rb",
  WORDS,
  `${WORDS}\n`,
  `${WORDS}\n${WORDS}`,
  `${WORDS}\n\n${WORDS}\n`,
  `  ${WORDS}\n`,
  "x".repeat(3000),
  `${"x".repeat(200)} ${"y".repeat(200)}\n`,
  `"${WORDS}"\n`,
  `'${WORDS}' # no comment\n`,
  `a: ${WORDS}\n`,
  "---\n",
  "a\n---\nb\n",
  "...\n",
  "- a\n- b\n",
  "# a\nb: c\n",
  "a: b",
  "a #b",
  "{{ .Values.x }}\n",
  "{a: [b]}",
  "%x",
  "@x",
  "`x`",
  "!x",
  "&x *y",
  "|",
  ">",
  "? x",
  "'",
  '"',
  "\\",
  "\\n",
  'it\'s "so"\n',
  "yes",
  "on",
  "012",
  "1_000",
  "0x1F",
  "1e3",
  ".5",
  "null",
  "~",
  "2001-01-01",
  "12:30",
  "true",
  "ä ö ü ß\n",
  "日本語\n日本語\n",
  "😀 emoji\n",
  "a\u00a0b",
  "a\u0085b",
  "a \u2028 b\n",
  "a\u2029",
  "\ufeffa",
  "\u0001\u001b[0m",
  "\u007f",
  "h1-0000000000000000000000000000000000000000",
];

const DATA = Object.fromEntries(TEXTS.map((text, i) => [`key-${i}`, text]));

const DOCUMENTS: readonly Data[] = [
  { apiVersion: "v1", kind: "ConfigMap", metadata: { name: "texts" }, data: DATA },
  {
    apiVersion: "apps/v1",
    kind: "Deployment",
    metadata: { name: "web" },
    spec: {
      selector: { matchLabels: { app: "web" } },
      template: {
        metadata: { labels: { app: "web" } },
        spec: { containers: [{ name: "app", image: "web:1", envFrom: [{ configMapRef: { name: "texts" } }] }] },
      },
    },
  },
];

/** Spellings that hosts take for files of two documents: without a mark, with line feeds, no JSON in a row. */
const SPELLINGS: readonly string[] = Array.from({ length: 60 }, (_, seed) => spell(DOCUMENTS, styleOf(seed)))
  .filter((text) => !/[\r\u0085\ufeff]|^\s*\{/u.test(text))
  .slice(0, 12);

const EXPECTED = { "configmap.rollstamp.dev/texts": stampOf(DATA) };

/** As kubectl reads it. */
async function check(output: string): Promise<void> {
  const [readings] = await readByGo([output]);
  assert.ok(readings !== undefined && "documents" in readings.kubectl, JSON.stringify(readings?.kubectl));
  const objects = readings.kubectl.documents.map(mapping);
  assert.deepEqual(mapping(find(objects, "ConfigMap/texts")["data"]), DATA);
  assert.deepEqual(stampsOf(find(objects, "Deployment/web")), EXPECTED);
  assert.equal(runFunction(output).text, output);
}

const chartOf = (text: string): string =>
  treeOf({
    "Chart.yaml": "apiVersion: v2\nname: texts\nversion: 0.1.0\n",
    "all.txt": text,
    "templates/all.yaml": '{{ .Files.Get "all.txt" }}',
  }).folder;

describe("awkward texts in every style", { skip: unlessFound(GO_READERS) }, () => {
  test("get the same stamps in all spellings", async () => {
    assert.ok(SPELLINGS.length === 12);
    for (const text of SPELLINGS) await check(runFunction(text).text);
  });
});

for (const helm of HELMS) {
  describe(`${helm.name} with awkward texts`, { skip: unlessFound(GO_READERS) || unlessFound(helm.program) }, () => {
    before(() => prepare(helm));
    for (const [i, text] of SPELLINGS.entries()) {
      test(`spelling ${i}`, async () => {
        const args = ["template", "texts", chartOf(text), ...POST_RENDERER];
        await check(succeed(helm.program, args, { cwd: root, env: helm.env }));
      });
    }
  });
}

describe("kpt with awkward texts", { skip: unlessFound(GO_READERS) || unlessFound(kpt) }, () => {
  for (const [i, text] of SPELLINGS.entries()) {
    test(`spelling ${i}`, async () => {
      const tree = treeOf({ "all.yaml": text });
      kptFn(tree, ["eval", "--exec", "rollstamp"], rollstamp);
      const once = readFileSync(join(tree.folder, "all.yaml"), "utf8");
      await check(once);
      kptFn(tree, ["eval", "--exec", "rollstamp"], rollstamp);
      // kpt moves comments at each run: the bytes are its own.
      await check(readFileSync(join(tree.folder, "all.yaml"), "utf8"));
    });
  }
});
