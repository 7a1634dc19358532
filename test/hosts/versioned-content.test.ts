// The content of copies, read by Go as kubectl, kustomize and kpt read it: the same as that of the originals.
import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { run } from "../support/run.ts";
import { GO_READERS, readByGo, type GoNode, type Reading } from "./go-readers.ts";
import { contentOf, mapping } from "./manifests.ts";
import { unlessFound } from "./programs.ts";
import { isCopy } from "./versioned.ts";

const VERSIONED =
  "apiVersion: rollstamp.dev/v1alpha1\nkind: ConfigHash\nspec: {layout: Versioned, versionedSecrets: true}\n";

const VALUES: readonly string[] = [
  "",
  "\n",
  "\n\n\n",
  " ",
  " \n",
  "\n ",
  "\t",
  "\tx\n",
  "x\n\ty\n",
  "x\ty\nz\n",
  "a \nb\n",
  "a\nb ",
  "a\nb\n ",
  "a\n \nb",
  "a\n\n\nb\n\n",
  " lead\nmore",
  "\nlead",
  "a\r\nb\r\n",
  "a\rb",
  "a\u0085b\nc",
  "\uFEFFa\nb",
  "a\uFEFF\nb",
  "a\u2028b\nc\u2029",
  "a\u00a0\nb",
  "\u0000\u0007\u001b\n",
  "\u007f\u0080\n",
  "\ufffe\uffff\n",
  "🎌\n🎌",
  "---\na: 1\n",
  "a\n---\nb\n...\n",
  "# a\n# b\n",
  "- a\n- b\n",
  "a: b\nc: d\n",
  "'\n\"\n\\\n",
  "%YAML\n%TAG\n",
  "|\n>\n",
  "!!str\n&a *a\n",
  "{{ x }}\n${y}\n",
  "~",
  "null",
  "1e10",
  "017",
  "2001-01-01",
  "<<",
  "=",
  `${"x".repeat(1 << 20)}\ny`,
  "long ".repeat(500),
  `${"l ".repeat(300)}\n${"m ".repeat(300)}`,
];

const KEYS: readonly string[] = [
  "__proto__",
  "constructor",
  "1",
  "0x1F",
  "1e3",
  "true",
  "y",
  "n",
  "-",
  "a.b",
  "_",
  "<<",
];

describe("copies as Go reads them", { skip: unlessFound(GO_READERS) }, () => {
  for (const kind of ["ConfigMap", "Secret"] as const)
    test(`values of a ${kind}`, async () => {
      const entries = VALUES.map((value, i): [string, string] => [`k${i}`, value]);
      await assertSame(kind, kind === "Secret" ? "stringData" : "data", entries);
    });

  test("values of a Secret in base64", async () => {
    const entries = VALUES.map((value, i): [string, string] => [`k${i}`, Buffer.from(value).toString("base64")]);
    await assertSame("Secret", "data", entries);
  });

  test("keys", async () => {
    await assertSame(
      "ConfigMap",
      "data",
      KEYS.map((key, i) => [key, `${i}`]),
    );
  });

  test("values of several lines that the input has in any style", async () => {
    const styles = [
      "|\n      a\n\n      b\n",
      "|+\n      a\n\n",
      ">-\n      a\n      b\n\n      c\n",
      "|2-\n       a\n      b\n",
    ];
    const text = `${head("ConfigMap")}data:\n${styles.map((style, i) => `  k${i}: ${style}`).join("")}`;
    await assertSameText(text, "ConfigMap");
  });
});

const head = (kind: string): string => `apiVersion: v1\nkind: ${kind}\nmetadata:\n  name: c\n`;

const web = (kind: string): string => `---
apiVersion: apps/v1
kind: Deployment
metadata:
  name: web
spec:
  template:
    spec:
      containers:
      - name: a
        envFrom:
        - ${kind === "Secret" ? "secretRef" : "configMapRef"}: {name: c}
`;

async function assertSame(kind: string, field: string, entries: readonly (readonly [string, string])[]): Promise<void> {
  const lines = entries.map(([key, value]) => `  ${JSON.stringify(key)}: ${quoted(value)}\n`);
  await assertSameText(`${head(kind)}${field}:\n${lines.join("")}`, kind);
}

/** A value in double quotes, in ASCII as far as Go's YAML reads escapes: it refuses those of surrogates. */
function quoted(value: string): string {
  return JSON.stringify(value).replace(
    /[\u007f-\ud7ff\ue000-\uffff]/gu,
    (character) => `\\u${character.charCodeAt(0).toString(16).padStart(4, "0")}`,
  );
}

async function assertSameText(source: string, kind: string): Promise<void> {
  const { text, messages } = run(source + web(kind), VERSIONED);
  assert.equal(messages, "");
  const [readings] = await readByGo([text]);
  assert.ok(readings !== undefined && "documents" in readings.kubectl, JSON.stringify(readings?.kubectl).slice(0, 300));
  const [original, copy] = readings.kubectl.documents.map(mapping);
  assert.ok(original !== undefined && copy !== undefined && isCopy(copy));
  assert.deepEqual(new Map(Object.entries(contentOf(copy))), new Map(Object.entries(contentOf(original))));
  for (const reader of ["goyaml", "kyaml"] as const) {
    const reading: Reading<GoNode> = readings[reader];
    assert.ok("documents" in reading, `${reader}: ${JSON.stringify(reading).slice(0, 300)}`);
    const contents: readonly string[] = reading.documents
      .slice(0, 2)
      .map((document) => JSON.stringify(fieldOf(document, "data")));
    if (kind === "ConfigMap") assert.equal(contents[1], contents[0], reader);
  }
}

/** The entries of a field of a node, sorted. */
function fieldOf(node: readonly unknown[], field: string): unknown {
  for (let i = 1; i + 1 < node.length; i += 2) {
    const [key, value] = [node[i], node[i + 1]];
    if (Array.isArray(key) && key[2] === field && Array.isArray(value)) return sortedEntries(value);
  }
  return undefined;
}

function sortedEntries(node: readonly unknown[]): unknown {
  const entries: [string, unknown][] = [];
  for (let i = 1; i + 1 < node.length; i += 2) {
    const key = node[i];
    entries.push([Array.isArray(key) ? String(key[2]) : "", node[i + 1]]);
  }
  return entries.sort(([a], [b]) => (a < b ? -1 : 1));
}
