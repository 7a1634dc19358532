import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { tagsOf } from "../../../src/findings/catalogue/describe.ts";
import { CONFIG_HASH_DEFAULTS, type ConfigHashSpec } from "../../../src/stamping/function/config-hash.ts";
import { readManifests } from "../../../src/yaml/read/items.ts";
import { analyse, type Analysis } from "../../../src/stamping/pipeline.ts";
import { readTree } from "../../support/trees.ts";

// What findings carry for machines, and what they advise.

function analysed(objects: readonly object[], spec: Partial<ConfigHashSpec> = {}, key?: Uint8Array): Analysis {
  const text = objects.map((object) => JSON.stringify({ apiVersion: "v1", ...object })).join("\n---\n");
  return analyse([readManifests(readTree(text, "input.yaml"))], { ...CONFIG_HASH_DEFAULTS, ...spec }, key);
}

const env = (ref: object): object => ({ containers: [{ name: "app", env: [{ name: "E", valueFrom: ref }] }] });

function deployment(podSpec: object, metadata: object = {}): object {
  return {
    apiVersion: "apps/v1",
    kind: "Deployment",
    metadata: { name: "web", ...metadata },
    spec: { template: { spec: podSpec } },
  };
}

const usesKey = deployment(env({ secretKeyRef: { name: "login", key: "password" } }));

describe("findings carry the source that they are about", () => {
  const taggedIn = (objects: readonly object[]): unknown =>
    analysed(objects).findings.map((finding) => [finding.id, tagsOf(finding)]);
  it("that is not in the input", () =>
    assert.deepEqual(taggedIn([usesKey]), [["RS001", { source: "Secret/default/login", coverage: "missing" }]]));
  it("that has not the key", () =>
    assert.deepEqual(taggedIn([usesKey, { kind: "Secret", metadata: { name: "login" } }]), [
      ["RS002", { source: "Secret/default/login", key: "password" }],
    ]));
  it("of which only the encrypted form is seen", () =>
    assert.deepEqual(
      taggedIn([
        usesKey,
        { kind: "Secret", metadata: { name: "login" }, stringData: { password: "ENC[x]" }, sops: {} },
      ]),
      [["coverage", { source: "Secret/default/login", coverage: "ciphertext" }]],
    ));
});

describe("a key that an ExternalSecret", () => {
  const external = (spec: object, name: string = "login"): object => ({
    apiVersion: "external-secrets.io/v1",
    kind: "ExternalSecret",
    metadata: { name },
    spec,
  });
  const data = [{ secretKey: "user", remoteRef: { key: "a" } }];
  const both = [...data, { secretKey: "password", remoteRef: { key: "b" } }];
  const merging = external({ data: both, target: { name: "login", creationPolicy: "Merge" } }, "other");
  const ROWS: readonly (readonly [what: string, spec: object, isMissing: boolean, ...others: readonly object[]])[] = [
    ["has", { data: both }, false],
    ["lacks", { data }, true],
    ["lacks, with a template for its type", { data, target: { template: { type: "Opaque" } } }, true],
    ["has in its template", { data, target: { template: { data: { password: "{{ .user }}" } } } }, false],
    ["has not in its template", { data: both, target: { template: { data: { user: "a" } } } }, true],
    [
      "has besides its template",
      { data: both, target: { template: { mergePolicy: "Merge", data: { user: "a" } } } },
      false,
    ],
    ["may find in its store", { data, dataFrom: [{ extract: { key: "a" } }] }, false],
    [
      "may find in another template",
      { data, target: { template: { templateFrom: [{ configMap: { name: "a", items: [{ key: "a" }] } }] } } },
      false,
    ],
    ["may find where it merges", { data, target: { creationPolicy: "Merge" } }, false],
    ["gets from another one", { data }, false, merging],
  ];
  for (const [what, spec, isMissing, ...others] of ROWS)
    it(what, () => {
      const { findings } = analysed([usesKey, external(spec), ...others]);
      assert.deepEqual(
        findings.flatMap(({ id }) => (id === "RS002" ? [id] : [])),
        isMissing ? ["RS002"] : [],
      );
    });
});

describe("the advice to set a default namespace", () => {
  const used = deployment(env({ configMapKeyRef: { name: "env", key: "a" } }), { namespace: "shop" });
  // With one namespace alone nobody needs an advice: what names none goes there.
  const further = { kind: "ConfigMap", metadata: { name: "further", namespace: "platform" } };
  const causesFor = (other: object, workload: object = used): string[] =>
    analysed([workload, { kind: "ConfigMap", data: { a: "1" }, ...other }, further]).findings.map(({ cause, params }) =>
      "namespace" in params ? `${cause} ${params.namespace}` : cause,
    );
  const general = "missingInRendering";
  it("is given for an object of that kind and name without a namespace", () =>
    assert.deepEqual(causesFor({ metadata: { name: "env" } }), ["defaultNamespace shop"]));
  for (const [what, other] of [
    ["of another name", { metadata: { name: "other" } }],
    ["of another kind", { kind: "Secret", data: {}, metadata: { name: "env" } }],
    ["that names another namespace", { metadata: { name: "env", namespace: "other" } }],
  ] as const) {
    it(`is not given for an object ${what}`, () => assert.deepEqual(causesFor(other), [general]));
  }
  it("is not given where the reference names the namespace itself", () =>
    assert.deepEqual(
      causesFor(
        { metadata: { name: "env" } },
        deployment({}, { namespace: "shop", annotations: { "rollstamp.dev/sources": "configmap/platform/env" } }),
      ),
      [general],
    ));
});

describe("the stamps of a workload", () => {
  const secret = { kind: "Secret", metadata: { name: "login" }, stringData: { password: "a" } };
  it("are keyed only where the configuration says so, whatever key is at hand", () => {
    const key = Buffer.from("key");
    const prefixes = (secrets: ConfigHashSpec["secrets"]): string[] =>
      analysed([secret, usesKey], { secrets }, key).desired.flatMap(({ stamps }) =>
        [...stamps.values()].map((stamp) => stamp.slice(0, 3)),
      );
    assert.deepEqual(prefixes("Digest"), ["h1-"]);
    assert.deepEqual(prefixes("Keyed"), ["k1-"]);
    assert.deepEqual(prefixes("Ignore"), []);
  });
  it("that is opted out are none, by no reference", () => {
    const out = deployment(env({ secretKeyRef: { name: "login", key: "password" } }), {
      annotations: { "rollstamp.dev/stamp": "false" },
    });
    const desired = analysed([secret, out]).desired.map(
      ({ decision: { counted, leftOut }, stamps, kept, sightings }) => ({
        counted,
        leftOut,
        sightings,
        stamps: [...stamps],
        kept: [...kept],
      }),
    );
    assert.deepEqual(desired, [{ counted: [], leftOut: [], sightings: [], stamps: [], kept: [] }]);
  });
});
