import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { knownWords } from "../../src/node/known-words.ts";
import { shownWords } from "../../src/applications/tools/masked-words.ts";
import { inFolder, type Files } from "../support/folders.ts";

const CHART = "apiVersion: v2\nname: web\nversion: 1.0.0\n";
const SECRET = "hunter2-and-more";

/** What is shown of words over a stage. */
async function shown(files: Files, words: string): Promise<string> {
  let found = "";
  await inFolder(files, (folder) => {
    found = shownWords(words, {}, knownWords(folder, new Map()));
  });
  return found;
}

describe("what a program says over a stage", () => {
  // text/template prints what it can't range over as it stands.
  const RANGE = `executing "x" at <.Values.a>: range can't iterate over ${SECRET}`;
  const VALUES: Readonly<Record<string, Files>> = {
    "of a chart": { "chart/Chart.yaml": CHART, "chart/values.yaml": `a: ${SECRET}\n` },
    "of a parameter's file": { "values-files/0.yaml": `a: ${SECRET}\n` },
    "of a chart that a kustomization inflates": {
      "rollstamp-charts/0/chart/Chart.yaml": CHART,
      "rollstamp-charts/0/values-files/1.yaml": `a: ${SECRET}\n`,
    },
    "that a kustomization has inline": { "rollstamp-charts/0/values-files/inline.yaml": `{"a":{"b":["${SECRET}"]}}` },
  };
  for (const [what, files] of Object.entries(VALUES)) {
    it(`has no value ${what}`, async () => assert.match(await shown(files, RANGE), /range can't iterate over …$/u));
  }
  for (const value of [`>-\n    one\n    ${SECRET}\n`, `"one\n    ${SECRET}\\\n    and"\n`, `'${SECRET}\n    and'\n`]) {
    it(`has no line of a Secret's value that is folded: ${JSON.stringify(value)}`, async () => {
      const secret = `kind: Secret\nstringData:\n  a: ${value}`;
      assert.doesNotMatch(await shown({ "app/secret.yaml": secret }, `it says\n${secret}`), new RegExp(SECRET, "u"));
    });
  }
  const ENCODED = Buffer.from(SECRET, "utf8").toString("base64");
  const PLACES: Readonly<Record<string, string>> = {
    "of a Secret in a List": `kind: List\nitems:\n- {kind: ConfigMap}\n- kind: Secret\n  data: {a: ${ENCODED}}\n`,
    "of a SecretList": `kind: SecretList\nitems:\n- stringData: {a: ${SECRET}}\n`,
    "of a patch without a kind": `stringData: {a: ${SECRET}}\n`,
    "of a JSON patch": `- {op: add, path: /data/a, value: ${ENCODED}}\n`,
    "of an inline patch": `patches:\n- patch: |-\n    kind: Secret\n    data: {a: ${ENCODED}}\n`,
    "of an inline JSON patch": `patches:\n- patch: '[{"op":"add","path":"/stringData/a","value":"${SECRET}"}]'\n`,
    "of an inline strategic merge patch": `patchesStrategicMerge:\n- |-\n  kind: Secret\n  stringData: {a: ${SECRET}}\n`,
    "of a patch in its older field": `patchesJson6902:\n- patch: '[{"op":"add","path":"/data/a","value":"${ENCODED}"}]'\n`,
    "of a transformer": `kind: PatchTransformer\npatch: '{kind: Secret, stringData: {a: ${SECRET}}}'\n`,
    "of an inline generator": `generators:\n- |-\n  kind: SecretGenerator\n  literals: [a=${SECRET}]\n`,
    "of a generator in its own file": `kind: SecretGenerator\nliterals: [a=${SECRET}]\n`,
  };
  for (const [what, text] of Object.entries(PLACES)) {
    it(`has no value ${what}`, async () =>
      assert.equal(
        await shown({ "app/a.yaml": text }, `it says ${SECRET} in Secret data`),
        "it says … in Secret data",
      ));
  }
  it("has no value of a generator among very many", async () => {
    const literal = JSON.stringify(`${"a\n".repeat(150_000)}${SECRET}`);
    const files = { "app/kustomization.yaml": `secretGenerator: [{name: a, literals: [${literal}]}]\n` };
    assert.equal(await shown(files, `it says ${SECRET}`), "it says …");
  });
  it("has what describes a generator", async () => {
    const files = {
      "app/kustomization.yaml": `secretGenerator: [{name: login, behavior: replace, literals: [a=${SECRET}]}]\n`,
    };
    assert.equal(await shown(files, `login: cannot replace ${SECRET}`), "login: cannot replace …");
  });
  const QUOTES = `unknown anchor '${SECRET}' referenced`;
  it("has what a template of a chart says", async () =>
    assert.equal(
      await shown({ "chart/Chart.yaml": CHART, "chart/templates/a.yaml": `a: *${SECRET}\n` }, QUOTES),
      QUOTES,
    ));
  it("has nothing of a folder that is called so", async () =>
    assert.equal(await shown({ "app/templates/a.yaml": `a: *${SECRET}\n` }, QUOTES), "unknown anchor '…' referenced"));
});
