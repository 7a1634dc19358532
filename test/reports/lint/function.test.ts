import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { parse } from "yaml";
import { VERSION } from "../../../src/base/version.ts";
import { run } from "../../support/run.ts";

// RolloutLint as a function: its result, in every form of a ResourceList.

const DEPLOYMENT =
  "{apiVersion: apps/v1, kind: Deployment, metadata: {name: web}, spec: {template: {spec: {containers: [{name: a, image: b, imagePullPolicy: Never}]}}}}";
const CONFIG = "{apiVersion: rollstamp.dev/v1alpha1, kind: RolloutLint, spec: {output: Empty}}";
const HEAD = "apiVersion: config.kubernetes.io/v1\nkind: ResourceList\n";

const LISTS: Readonly<Record<string, string>> = {
  "a list in block style": `${HEAD}items:\n- ${DEPLOYMENT}\n- ${DEPLOYMENT.replace("web", "api")}\nfunctionConfig: ${CONFIG}\n`,
  "an indented list, last": `${HEAD}functionConfig: ${CONFIG}\nitems:\n  - ${DEPLOYMENT} # mine\n`,
  "a block scalar at the end": `${HEAD}items:\n- ${DEPLOYMENT}\n- apiVersion: v1\n  kind: ConfigMap\n  metadata: {name: x}\n  data:\n    a: |\n      b\n\nfunctionConfig: ${CONFIG}\n`,
  "a kept block scalar at the end of the text": `${HEAD}functionConfig: ${CONFIG}\nitems:\n- ${DEPLOYMENT}\n- apiVersion: v1\n  kind: ConfigMap\n  metadata: {name: x}\n  data:\n    a: |+\n      b\n\n`,
  "a list in flow style": `${HEAD}items: [${DEPLOYMENT}]\nfunctionConfig: ${CONFIG}\n`,
  "no items at all": `${HEAD}items: []\nfunctionConfig: ${CONFIG}\n`,
  CRLF: `${HEAD}items:\n- ${DEPLOYMENT}\nfunctionConfig: ${CONFIG}\n`.replaceAll("\n", "\r\n"),
  JSON: JSON.stringify(parse(`${HEAD}items:\n- ${DEPLOYMENT}\nfunctionConfig: ${CONFIG}\n`)),
  "JSON, indented": JSON.stringify(parse(`${HEAD}functionConfig: ${CONFIG}\nitems:\n- ${DEPLOYMENT}\n`), null, 2),
  "results from an earlier function": `${HEAD}items:\n- ${DEPLOYMENT}\nfunctionConfig: ${CONFIG}\nresults:\n- message: earlier\n`,
};

describe("RolloutLint with output: Empty", () => {
  for (const [what, text] of Object.entries(LISTS)) {
    it(`returns the list without items: ${what}`, () => {
      const { text: output, status, messages } = run(text);
      assert.equal(status, 0, messages);
      const before = parse(text) as Record<string, unknown>;
      const { results = [], ...after } = parse(output) as Record<string, unknown>;
      const { results: earlier = [], ...rest } = before;
      assert.deepEqual(after, { ...rest, items: [] });
      const hasWorkload = (before["items"] as unknown[]).length > 0;
      assert.equal((results as unknown[]).length, (earlier as unknown[]).length + (hasWorkload ? countOf(text) : 0));
    });
  }
});

/** One finding (RS003) for each Deployment, and one (RS012) for each ConfigMap. */
function countOf(text: string): number {
  return [...text.matchAll(/kind"?: ?"?(?:Deployment|ConfigMap)/gu)].length;
}

describe("RolloutLint with output: Items", () => {
  it("changes nothing but the results", () => {
    const text = (LISTS["a list in block style"] ?? "").replace("Empty", "Items");
    const { text: output } = run(text);
    assert.ok(output.startsWith(text));
    assert.match(output.slice(text.length), /^results:\n- message: /u);
    assert.equal(run(output).text, output);
  });
  it("returns a stream unchanged", () => {
    const { text, status } = run(`${DEPLOYMENT}\n`, CONFIG.replace("Empty", "Items"));
    assert.deepEqual([text, status], [`${DEPLOYMENT}\n`, 0]);
  });
  it("names the rule and its page in the tags of a result", () => {
    const { text } = run((LISTS["a list in flow style"] ?? "").replace("Empty", "Items"));
    const { results } = parse(text) as {
      results: { tags: unknown; severity: string; resourceRef: unknown; field: unknown }[];
    };
    assert.deepEqual(results[0]?.tags, { rule: "RS003", version: VERSION, docs: "docs/reference/rules.md#rs003" });
    assert.deepEqual(results[0]?.resourceRef, { apiVersion: "apps/v1", kind: "Deployment", name: "web" });
    assert.deepEqual(results[0]?.field, { path: "spec.template.spec.containers[0].image" });
  });
  it("exits with 1 for an error, and returns the list with its results", () => {
    const text = (LISTS["a list in flow style"] ?? "").replace("output: Empty", "rules: {RS003: error}");
    const { status, text: output } = run(text);
    assert.equal(status, 1);
    assert.match(output, /severity: "error"/u);
  });
  it("is picked by a ConfigMap, with its rules as text", () => {
    const config =
      "{apiVersion: v1, kind: ConfigMap, metadata: {name: fn}, data: {function: RolloutLint, output: Empty, rules: 'RS003=error, RS012=off', configHash: '{\"layout\": \"Combined\"}'}}";
    const { status, messages } = run((LISTS["a list in flow style"] ?? "").replace(CONFIG, config));
    assert.equal(status, 1, messages);
    assert.match(
      run((LISTS["a list in flow style"] ?? "").replace(CONFIG, config.replace("RS003=error", "RS003"))).messages,
      /'data\.rules' is "RS003, RS012=off"/u,
    );
  });
});
