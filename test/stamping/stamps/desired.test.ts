import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { run } from "../../support/run.ts";

// A digest is made once for all who see the same of a source: never for those who see something else of it.

const CONFIG = "apiVersion: v1\nkind: ConfigMap\nmetadata: {name: env}\ndata: {a: x, b: y}\n";
const user = (name: string, container: string): string =>
  `apiVersion: apps/v1\nkind: Deployment\nmetadata: {name: ${name}}\nspec: {template: {spec: {containers: [{name: app, image: a, ${container}}]}}}\n`;
const WHOLE = "envFrom: [{configMapRef: {name: env}}]";
const keyed = (...keys: readonly string[]): string =>
  `env: [${keys.map((key, i) => `{name: V${i}, valueFrom: {configMapKeyRef: {name: env, key: "${key}", optional: true}}}`).join(", ")}]`;

/** The stamp of each workload, in one run with the others and alone. */
function stamps(containers: readonly string[]): string[] {
  const stampsFor = (list: readonly string[]): string[] => {
    const text = [CONFIG, ...list.map((container, i) => user(`w${i}`, container))].join("---\n");
    return run(text).text.match(/h1-[0-9a-f]{40}/gu) ?? [];
  };
  const together = stampsFor(containers);
  assert.deepEqual(
    together,
    containers.flatMap((container) => stampsFor([container])),
    "the same as alone",
  );
  return together;
}

describe("the digest of a source that several workloads see", () => {
  it("is one for the same keys, in whatever order they are named", () => {
    const [one, other] = stamps([keyed("a", "b"), keyed("b", "a")]);
    assert.equal(one, other);
  });
  it("is another for other keys, for a key called * and for all of them", () => {
    assert.equal(new Set(stamps([WHOLE, keyed("a"), keyed("b"), keyed("*")])).size, 4);
  });
});

describe("the digest of all sources together", () => {
  const COMBINED =
    "apiVersion: rollstamp.dev/v1alpha1\nkind: ConfigHash\nmetadata: {name: a}\nspec: {layout: Combined}\n";
  // The second name is the one that kustomize 5.8 gives to this content.
  const digestOf = (name: string): string | undefined => {
    const config = `apiVersion: v1\nkind: ConfigMap\nmetadata: {name: ${name}}\ndata: {a: b}\n`;
    const text = [config, user("web", `envFrom: [{configMapRef: {name: ${name}}}]`)].join("---\n");
    return /config-hash: "(h1-[0-9a-f]{40})"/u.exec(run(text, COMBINED).text)?.[1];
  };
  it("has names without the hash that kustomize adds, so that a function and a pipe after it agree", () => {
    assert.ok(digestOf("env") !== undefined);
    assert.equal(digestOf("env-4h2mbtbbt6"), digestOf("env"));
  });
  it("has names with another ending as they are", () => {
    assert.notEqual(digestOf("env-4h2mbtbbt7"), digestOf("env"));
  });
});
