import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { run } from "../../support/run.ts";

// Objects that are added after another one and removed again, at the boundaries of documents and lists.

const spec = (layout: string): string =>
  `apiVersion: rollstamp.dev/v1alpha1\nkind: ConfigHash\nspec: {layout: ${layout}}\n`;

const MAP = `apiVersion: v1\nkind: ConfigMap\nmetadata: {name: c}\ndata: {A: "1"}\n`;
const WEB = `apiVersion: apps/v1
kind: Deployment
metadata: {name: w}
spec:
  template:
    spec:
      containers:
      - name: a
        envFrom:
        - configMapRef: {name: c}
`;
const inList = (text: string): string => text.trimEnd().replaceAll("\n", "\n  ");
const [jsonMap, jsonWeb] = [
  { apiVersion: "v1", kind: "ConfigMap", metadata: { name: "c" }, data: { A: "1" } },
  {
    apiVersion: "apps/v1",
    kind: "Deployment",
    metadata: { name: "w" },
    spec: { template: { spec: { containers: [{ name: "a", envFrom: [{ configMapRef: { name: "c" } }] }] } } },
  },
].map((object) => JSON.stringify(object));

const BOUNDARIES: Readonly<Record<string, string>> = {
  "the end of a document": `${MAP}...\n---\n${WEB}`,
  "a directive after a document": `%YAML 1.2\n---\n${MAP}...\n%YAML 1.2\n---\n${WEB}`,
  "a directive before the last document": `${WEB}...\n%YAML 1.2\n---\n${MAP}`,
  "a marker at the end": `${WEB}---\n${MAP}---\n`,
  "a marker without a line break at the end": `${WEB}---\n${MAP}---`,
  "comments around a marker": `${MAP}# before\n--- # after\n${WEB}# end\n`,
  "empty documents": `---\n---\n${MAP}---\n---\n---\n${WEB}---\n# nothing\n---\n`,
  "a byte order mark": `\uFEFF${MAP}---\n${WEB}`,
  CRLF: `${MAP}---\n${WEB}`.replaceAll("\n", "\r\n"),
  "a document on the line of its marker": `--- {apiVersion: v1, kind: ConfigMap, metadata: {name: c}, data: {A: "1"}}\n---\n${WEB}`,
  "markers in a block scalar": `${WEB}---\napiVersion: v1\nkind: ConfigMap\nmetadata: {name: c}\ndata:\n  A: |\n    ---\n    ...\n`,
  "a block scalar that keeps line breaks": `${WEB}---\napiVersion: v1\nkind: ConfigMap\nmetadata: {name: c}\ndata:\n  A: |+\n    x\n\n`,
  "values of JSON in a row": `${jsonMap}\n${jsonWeb}\n`,
  "values of JSON in a row, the last one": `${jsonWeb}\n${jsonMap}\n`,
  "values of JSON with markers": `${jsonMap}\n---\n${jsonWeb}\n`,
  "a List": `apiVersion: v1\nkind: List\nitems:\n- ${inList(MAP)}\n- ${inList(WEB)}\n`,
  "a List with fields after its items": `kind: List\nitems:\n- ${inList(WEB)}\n- ${inList(MAP)}\n# end\napiVersion: v1\n`,
  "dashes on lines of their own": `apiVersion: v1\nkind: List\nitems:\n-\n  ${inList(MAP)}\n-\n  ${inList(WEB)}\n`,
  "comments behind dashes": `apiVersion: v1\nkind: List\nitems:\n- # first\n  # more\n  ${inList(MAP)}\n- # next\n  ${inList(WEB)}\n`,
  "a typed list": `apiVersion: v1\nkind: ConfigMapList\nitems:\n- metadata: {name: c}\n  data: {A: "1"}\n---\n${WEB}`,
  "a list in flow style": `apiVersion: v1\nkind: List\nitems: [${jsonWeb},\n  ${jsonMap}, # end\n ]\n`,
};

describe("objects that are added and removed", () => {
  for (const [what, text] of Object.entries(BOUNDARIES))
    it(`at ${what}`, () => {
      const versioned = run(text, spec("Versioned"));
      assert.equal(versioned.messages, "");
      assert.match(versioned.text, /configMapRef"?: ?\{"?name"?: ?"?c-[0-9a-f]{10}"?\}/u);
      assert.equal(versioned.text.match(/version-of/gu)?.length, 1);
      assert.equal(run(versioned.text, spec("Versioned")).text, versioned.text, "a second run");
      assert.equal(run(versioned.text, spec("PerSource")).text, run(text, spec("PerSource")).text, "back to stamps");
    });

  it("adds the line break that the end of the input lacks", () => {
    const text = `${WEB}---\n${MAP}`.trimEnd();
    const back = run(run(text, spec("Versioned")).text, spec("PerSource")).text;
    assert.equal(back, `${run(text, spec("PerSource")).text}\n`);
  });
});
