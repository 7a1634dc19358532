import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { CONFIG_HASH_DEFAULTS, type ConfigHashSpec } from "../../../src/stamping/function/config-hash.ts";
import { readManifests } from "../../../src/yaml/read/items.ts";
import { analyse, type Analysis } from "../../../src/stamping/pipeline.ts";
import { asRendered } from "../../../src/stamping/stamps/rendered.ts";
import { unstamped } from "../../../src/stamping/stamps/unstamped.ts";
import { readTree } from "../../support/trees.ts";

// What stands in a rendering that functions have gone through: stamps under the names that those saw, or none.

const DIGEST = "h1-1c3e2bf085c989311d37cb1ecb2c805e6f8894ae";
const OTHER = `h1-${"0".repeat(40)}`;

const source = (name: string, value = "a", kind = "ConfigMap"): string =>
  `apiVersion: v1\nkind: ${kind}\nmetadata: {name: ${name}}\n${kind === "Secret" ? "stringData" : "data"}: {value: ${value}}\n`;
const user = (references: string, annotations: string, more = ""): string =>
  `apiVersion: apps/v1\nkind: Deployment\nmetadata: {name: web${more}}\nspec: {template: {metadata: {annotations: {${annotations}}}, spec: {containers: [{name: app, image: a, envFrom: [${references}]}]}}}\n`;
const config = (name: string, more = ""): string => `{configMapRef: {name: ${name}${more}}}`;
const secret = (name: string): string => `{secretRef: {name: ${name}}}`;
const stamp = (name: string, digest = DIGEST, type = "configmap"): string => `${type}.rollstamp.dev/${name}: ${digest}`;

function analysed(documents: readonly string[], spec: Partial<ConfigHashSpec> = {}): Analysis {
  const text = documents.join("---\n");
  return analyse([readManifests(readTree(text, "input.yaml"))], { ...CONFIG_HASH_DEFAULTS, ...spec });
}

describe("the stamps that a rendering is checked for", () => {
  /** The keys that the template is to have once the names are those that functions saw. */
  const keys = (...documents: readonly string[]): readonly string[] => {
    const [desired] = analysed(documents).desired;
    assert.ok(desired !== undefined);
    const rendered = asRendered(desired);
    assert.deepEqual(
      [rendered.kept, rendered.sightings, rendered.decision],
      [desired.kept, desired.sightings, desired.decision],
    );
    assert.deepEqual([...rendered.stamps.values()].sort(), [...desired.stamps.values()].sort(), "the same digests");
    return [...rendered.stamps.keys()].sort();
  };

  it("are by the name that the source has, where its stamp stands there", () => {
    assert.deepEqual(keys(source("env"), user(config("env"), stamp("env"))), ["configmap.rollstamp.dev/env"]);
    assert.deepEqual(keys(source("env"), user(config("env"), "")), ["configmap.rollstamp.dev/env"]);
  });
  it("are by the name within the source's, with that source's digest", () => {
    assert.deepEqual(keys(source("prod-env-v2"), user(config("prod-env-v2"), stamp("env"))), [
      "configmap.rollstamp.dev/env",
    ]);
  });
  it("are not by a name with another digest, outside of the source's, or of another kind", () => {
    const expected = ["configmap.rollstamp.dev/prod-env"];
    assert.deepEqual(keys(source("prod-env"), user(config("prod-env"), stamp("env", OTHER))), expected);
    assert.deepEqual(keys(source("prod-env"), user(config("prod-env"), stamp("app"))), expected);
    assert.deepEqual(keys(source("prod-env"), user(config("prod-env"), stamp("env", DIGEST, "secret"))), expected);
    assert.deepEqual(keys(source("prod-env"), user(config("prod-env"), `example.com/env: ${DIGEST}`)), expected);
  });
  it("are not by another name where the source's own stands there", () => {
    assert.deepEqual(keys(source("prod-env"), user(config("prod-env"), `${stamp("prod-env")}, ${stamp("env")}`)), [
      "configmap.rollstamp.dev/prod-env",
    ]);
  });
  it("are by the longest of several names, then by the first", () => {
    const both = `${stamp("env")}, ${stamp("db-env")}`;
    assert.deepEqual(keys(source("prod-db-env"), user(config("prod-db-env"), both)), [
      "configmap.rollstamp.dev/db-env",
    ]);
    const alike = `${stamp("env")}, ${stamp("app")}`;
    assert.deepEqual(keys(source("app-env"), user(config("app-env"), alike)), ["configmap.rollstamp.dev/app"]);
  });
  it("are each of one source, though two have one content", () => {
    const all = [
      source("prod-db-env"),
      source("prod-env"),
      user(`${config("prod-db-env")}, ${config("prod-env")}`, `${stamp("env")}, ${stamp("db-env")}`),
    ];
    assert.deepEqual(keys(...all), ["configmap.rollstamp.dev/db-env", "configmap.rollstamp.dev/env"]);
  });
  it("leave the stamp of another source, and of one that is not in the input, to that", () => {
    const two = [source("env"), source("prod-env"), user(`${config("prod-env")}, ${config("env")}`, stamp("env"))];
    assert.deepEqual(keys(...two), ["configmap.rollstamp.dev/env", "configmap.rollstamp.dev/prod-env"]);
    const absent = [source("prod-env"), user(`${config("prod-env")}, ${config("env")}`, stamp("env"))];
    assert.deepEqual(keys(...absent), ["configmap.rollstamp.dev/prod-env"]);
  });
  it("are of Secrets by the names of Secrets", () => {
    const [desired] = analysed([source("prod-env", "a", "Secret"), user(secret("prod-env"), "")]).desired;
    const [digest = ""] = desired?.stamps.values() ?? [];
    assert.deepEqual(
      keys(source("prod-env", "a", "Secret"), user(secret("prod-env"), stamp("env", digest, "secret"))),
      ["secret.rollstamp.dev/env"],
    );
  });
});

describe("the combined stamp that a rendering is checked for", () => {
  const COMBINED = { layout: "Combined" } as const;
  const stampOf = (...documents: readonly string[]): string => {
    const [desired] = analysed(documents, COMBINED).desired;
    assert.ok(desired !== undefined);
    return asRendered(desired).stamps.get("rollstamp.dev/config-hash") ?? "none";
  };
  const web = (name: string, sources: readonly string[], digest: string): string =>
    user(sources.map((one) => config(one)).join(", "), `rollstamp.dev/config-hash: ${digest}`).replace(
      "name: web",
      `name: ${name}`,
    );
  const BEFORE = stampOf(source("env"), source("more", "b"), web("web", ["env", "more"], OTHER));
  const rendered = (before: string, behind: string, workload = `${before}web${behind}`): string =>
    stampOf(
      source(`${before}env${behind}`),
      source(`${before}more${behind}`, "b"),
      web(workload, [`${before}env${behind}`, `${before}more${behind}`], BEFORE),
    );

  it("is over the names before a prefix, a suffix and both", () => {
    for (const [before, behind] of [
      ["prod-", ""],
      ["", "-v2"],
      ["prod-", "-v2"],
      ["eu-prod-", ".x-v2"],
    ] as const) {
      assert.equal(rendered(before, behind), BEFORE, `${before}…${behind}`);
    }
  });
  it("is none over names with what not all have, over other content, or where nothing was put to them", () => {
    assert.notEqual(rendered("prod-", "", "web"), BEFORE);
    assert.notEqual(rendered("prod", ""), BEFORE);
    const other = web("prod-web", ["prod-env", "prod-more"], BEFORE);
    assert.notEqual(stampOf(source("prod-env"), source("prod-more", "other"), other), BEFORE);
    assert.notEqual(
      stampOf(source("prod-env"), source("more", "b"), web("prod-web", ["prod-env", "more"], BEFORE)),
      BEFORE,
    );
    assert.equal(rendered("", ""), BEFORE);
  });
});

describe("workloads without a stamp", () => {
  const names = (documents: readonly string[], spec?: Partial<ConfigHashSpec>): unknown[] =>
    unstamped(analysed(documents, spec).decisions).map(({ id, cause, params, resource, place }) => {
      assert.deepEqual(params, { workload: resource });
      return [id, cause, resource?.kind, resource?.name, place?.line];
    });
  const WEB = ["no-stamp", "required", "Deployment", "web", 1];

  it("are those that see a source, whether or not that is in the input", () => {
    assert.deepEqual(names([user(config("env"), "")]), [WEB]);
    assert.deepEqual(names([user(config("env"), ""), source("env")]), [WEB]);
    assert.deepEqual(names([user(config("env", ", optional: true"), ""), source("env")]), [WEB]);
    assert.deepEqual(names([user(`${config("lost", ", optional: true")}, ${config("env")}`, "")]), [WEB]);
  });
  it("are none that see nothing, or only what may be absent and is", () => {
    assert.deepEqual(names([user("", "")]), []);
    assert.deepEqual(names([user(config("env", ", optional: true"), "")]), []);
  });
  it("are none that have a stamp, be it of another source, beside other annotations", () => {
    assert.deepEqual(names([user(config("env"), `a: b, ${stamp("app", OTHER)}, z: y`)]), []);
    assert.deepEqual(names([user(config("env"), "a: b")]), [WEB]);
  });
  it("are none that are not selected, or never get a stamp", () => {
    assert.deepEqual(names([user(config("env"), "", ', annotations: {rollstamp.dev/stamp: "false"}')]), []);
    assert.deepEqual(names([user(config("env"), "")], { selection: "Annotated" }), []);
    const job =
      "apiVersion: batch/v1\nkind: Job\nmetadata: {name: once}\nspec: {template: {spec: {containers: [{name: app, image: a, envFrom: [{configMapRef: {name: env}}]}]}}}\n";
    assert.deepEqual(names([job]), []);
  });
});

describe("what a stamp may stay for", () => {
  const kept = (documents: readonly string[], spec?: Partial<ConfigHashSpec>): readonly string[] => {
    const [desired] = analysed(documents, spec).desired;
    assert.ok(desired !== undefined);
    return [...desired.kept].sort();
  };
  it("is its source, which is not in the input", () => {
    assert.deepEqual(kept([user(config("env"), "")]), ["configmap.rollstamp.dev/env", "rollstamp.dev/config-hash"]);
    assert.deepEqual(kept([source("app"), user(`${config("app")}, ${config("env")}`, "")]), [
      "configmap.rollstamp.dev/env",
    ]);
    assert.deepEqual(kept([source("env"), user(config("env"), "")]), []);
    assert.deepEqual(kept([user("", "")]), []);
  });
  it("is a name that could have a hash of kustomize's, with it and without", () => {
    assert.deepEqual(kept([user(config("env-5f6g7h8k9m"), "")]), [
      "configmap.rollstamp.dev/env",
      "configmap.rollstamp.dev/env-5f6g7h8k9m",
      "rollstamp.dev/config-hash",
    ]);
  });
});
