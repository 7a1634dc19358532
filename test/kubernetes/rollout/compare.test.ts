import assert from "node:assert/strict";
import { describe, it } from "node:test";
import type { Json } from "../../../src/yaml/read/node.ts";
import { compare, type Change } from "../../../src/kubernetes/rollout/compare.ts";
import { stableJson } from "../../../src/yaml/read/json.ts";
import { ANY, POD_TEMPLATE } from "../../../src/kubernetes/rollout/pod-types.ts";

// The differences between two templates as a controller sees them, and their order. test/reports/plan/compare.test.ts
// has changes without a difference.

type Fields = { readonly [key: string]: Json };

const pod = (fields: Fields): Json => ({ spec: fields });
const app = (fields: Fields): Json => pod({ containers: [{ name: "app", image: "web:1", ...fields }] });
const changes = (from: Json, to: Json): Change[] => compare(POD_TEMPLATE, from, to, { quantitiesByText: false });
const APP = "spec.containers[name=app]";
const variable = (fields: Fields): Json => app({ env: [{ name: "A", valueFrom: fields }] });
const divisor = (value?: Json): Json =>
  variable({ resourceFieldRef: { resource: "limits.cpu", ...(value === undefined ? {} : { divisor: value }) } });
const sized = (sizeLimit: Json): Json => pod({ volumes: [{ name: "v", emptyDir: { sizeLimit } }] });

const VOLUME = "spec.volumes[name=v]";
const volume = (source: Fields): Json => pod({ volumes: [{ name: "v", ...source }] });
const imaged = (reference: string, pullPolicy?: string): Json =>
  volume({ image: { reference, ...(pullPolicy === undefined ? {} : { pullPolicy }) } });

const labels = (...keys: readonly string[]): Json => {
  const object = Object.create(null) as { [key: string]: Json };
  for (const key of keys) object[key] = "a";
  return { metadata: { labels: object } };
};
const exits = (value: Json): Json =>
  app({ restartPolicyRules: [{ action: "Restart", exitCodes: { operator: "In", values: [value] } }] });

describe("differences between two pod templates", () => {
  const ROWS: readonly (readonly [name: string, from: Json, to: Json, paths: readonly string[]])[] = [
    ["the same arguments", app({ args: ["a"], stdin: true }), app({ args: ["a"], stdin: true }), []],
    ["no arguments and an empty list", app({}), app({ args: [] }), []],
    // Properties that every JavaScript object has are not values of a manifest.
    [
      "labels that are called as what all objects have",
      {},
      labels("constructor", "toString"),
      ["metadata.labels.constructor", "metadata.labels.toString"],
    ],
    ["fields that are called as what all objects have", app({}), app({ valueOf: 1 }), [`${APP}.valueOf`]],
    ["an empty text for an object", app({}), app({ resources: "" }), [`${APP}.resources`]],
    ["an empty text for a list", app({}), app({ args: "" }), [`${APP}.args`]],
    // encoding/json reads null as the zero of a number.
    ["a null among numbers is 0", exits(null), exits(0), []],
    ["another number among numbers", exits(0), exits(1), [`${APP}.restartPolicyRules[0].exitCodes.values`]],
    [
      "an image without a tag is pulled always",
      app({ image: "web" }),
      app({ image: "web", imagePullPolicy: "Always" }),
      [],
    ],
    [
      "an image with a longer tag is not",
      app({ image: "host:5000/web:1.20" }),
      app({ image: "host:5000/web:1.20", imagePullPolicy: "IfNotPresent" }),
      [],
    ],
    [
      "an image that is a number has no tag to tell",
      app({ image: 5 }),
      app({ image: 5, imagePullPolicy: "IfNotPresent" }),
      [],
    ],
    ["one more argument", app({ args: ["a"] }), app({ args: ["a", "b"] }), [`${APP}.args`]],
    ["an empty argument", app({ args: [""] }), app({ args: ["a"] }), [`${APP}.args`]],
    ["a divisor of 0 is none", divisor(), divisor("0"), []],
    ["a divisor of 0 as a number is none", divisor(), divisor(0), []],
    ["a divisor of 1 is one", divisor(), divisor("1"), [`${APP}.env[name=A].valueFrom.resourceFieldRef.divisor`]],
    ["a divisor in other words", divisor("1"), divisor("1000m"), []],
    ["a limit of 0", app({}), app({ resources: { limits: { cpu: "0" } } }), [`${APP}.resources.limits.cpu`]],
    ["a size in other words", sized("1Gi"), sized("1024Mi"), []],
    ["sizes finer than a thousandth", sized("100u"), sized("1m"), ["spec.volumes[name=v].emptyDir.sizeLimit"]],
    [
      "limits that are no quantities",
      app({ resources: { limits: { cpu: { a: 1 } } } }),
      app({ resources: { limits: { cpu: { b: 1 } } } }),
      [`${APP}.resources.limits.cpu`],
    ],
    ["an empty text where there is a default", app({}), app({ terminationMessagePath: "" }), []],
    ["a null where there is a default", app({ imagePullPolicy: null }), app({ imagePullPolicy: "IfNotPresent" }), []],
    [
      "nulls on both sides",
      app({ imagePullPolicy: null }),
      app({ imagePullPolicy: null, image: "web" }),
      [`${APP}.image`],
    ],
    [
      "an old name beside the new one",
      pod({ serviceAccount: "a" }),
      pod({ serviceAccount: "a", serviceAccountName: "b" }),
      ["spec.serviceAccountName"],
    ],
    ["a volume without a source is an emptyDir", volume({ secret: null }), volume({ emptyDir: {} }), []],
    [
      "a volume with one has no other",
      volume({ secret: {} }),
      volume({ secret: {}, emptyDir: {} }),
      [`${VOLUME}.emptyDir`],
    ],
    ["an image volume with a tag", imaged("data:1"), imaged("data:1", "IfNotPresent"), []],
    ["an image volume without one", imaged("data"), imaged("data", "Always"), []],
    ["an old name, the new one empty", pod({ serviceAccount: "a" }), pod({ serviceAccountName: "a" }), []],
    [
      "one variable comes before the others",
      app({ env: [{ name: "A" }, { name: "B" }] }),
      app({ env: [{ name: "C" }, { name: "A" }, { name: "B" }] }),
      [`${APP}.env[name=C]`],
    ],
    [
      "variables, some without a name",
      app({ env: [{ name: "A", value: "x" }] }),
      app({ env: [{ value: "y" }] }),
      [`${APP}.env[0].name`, `${APP}.env[0].value`],
    ],
    [
      "a port by its number",
      app({ ports: [{ containerPort: 80, name: "a" }, { containerPort: 443 }] }),
      app({ ports: [{ containerPort: 80, name: "b" }, { containerPort: 443 }] }),
      [`${APP}.ports[containerPort=80].name`],
    ],
    [
      "by its place, if its number is a string, which may be anything",
      app({ ports: [{ containerPort: "secret", name: "a" }] }),
      app({ ports: [{ containerPort: "secret", name: "b" }] }),
      [`${APP}.ports[0].name`],
    ],
    [
      "one number by two protocols",
      app({ ports: [{ containerPort: 53 }, { containerPort: 53, protocol: "UDP", name: "a" }] }),
      app({ ports: [{ containerPort: 53 }, { containerPort: 53, protocol: "UDP", name: "b" }] }),
      [`${APP}.ports[1].name`],
    ],
    [
      "one more toleration",
      pod({ tolerations: [{ key: "a" }] }),
      pod({ tolerations: [{ key: "a" }, { key: "b" }] }),
      ["spec.tolerations[1]"],
    ],
    ["a string for an object", app({ livenessProbe: "x" }), app({ livenessProbe: {} }), [`${APP}.livenessProbe`]],
    ["a string for another", app({ livenessProbe: "x" }), app({ livenessProbe: "y" }), [`${APP}.livenessProbe`]],
    ["a string for a map", { metadata: { labels: "x" } }, { metadata: { labels: { a: "b" } } }, ["metadata.labels"]],
    ["a string for another map", { metadata: { labels: "x" } }, { metadata: { labels: "y" } }, ["metadata.labels"]],
    ["an object for a list", app({ env: { a: "b" } }), app({ env: [{ name: "A" }] }), [`${APP}.env`]],
    ["the same object for a list", app({ env: { a: "b", c: "d" } }), app({ env: { c: "d", a: "b" } }), []],
    ["a field of nobody's: lists by order", app({ x: [1, 2] }), app({ x: [12] }), [`${APP}.x`]],
    ["a field of nobody's: keys in any order", app({ x: { a: [1], b: 2 } }), app({ x: { b: 2, a: [1] } }), []],
    ["a field of nobody's: zero is not absent", app({}), app({ x: 0 }), [`${APP}.x`]],
    [
      "annotations in the order of their keys",
      { metadata: { annotations: { z: "1", b: "1" } } },
      { metadata: { annotations: { a: "1", z: "2" } } },
      ["metadata.annotations.a", "metadata.annotations.b", "metadata.annotations.z"],
    ],
    [
      "of a container first what explains the most",
      app({}),
      app({
        workingDir: "/",
        envFrom: [{ prefix: "p" }],
        env: [{ name: "A" }],
        args: ["a"],
        command: ["c"],
        image: "web:2",
        tty: true,
        lifecycle: {},
      }),
      ["image", "command", "args", "env[name=A]", "envFrom[0]", "lifecycle", "tty", "workingDir"].map(
        (field) => `${APP}.${field}`,
      ),
    ],
    [
      "of anything else by name",
      pod({ volumes: [{ name: "v" }] }),
      pod({ volumes: [{ name: "v", image: {}, csi: {}, secret: {} }] }),
      ["csi", "image", "secret"].map((field) => `spec.volumes[name=v].${field}`),
    ],
  ];
  for (const [name, from, to, paths] of ROWS) {
    it(name, () => {
      assert.deepEqual(
        changes(from, to).map(({ path }) => path),
        paths,
      );
      assert.deepEqual(
        changes(to, from).map(({ path }) => path),
        paths,
      );
    });
  }
});

describe("a difference", () => {
  const differences = (from: Json, to: Json): unknown[] =>
    changes(from, to).map((change) => [change.path, change.from, change.to, change.order]);
  const A: Json = { name: "A", value: "a" };
  const B: Json = { name: "B", value: "b" };

  it("has a removed element and an added one", () => {
    assert.deepEqual(differences(app({ env: [A, B] }), app({ env: [A] })), [
      [`${APP}.env[name=B]`, B, null, undefined],
    ]);
    assert.deepEqual(differences(app({ env: [A] }), app({ env: [A, B] })), [
      [`${APP}.env[name=B]`, null, B, undefined],
    ]);
  });
  it("has no field if it is the whole object", () => {
    assert.deepEqual(changes("a", "b"), [{ path: "", from: "a", to: "b", type: ANY }]);
    assert.deepEqual(changes({ spec: "a" }, { spec: "b" })[0]?.field, { struct: "PodTemplateSpec", name: "spec" });
  });
  it("has null as the old value of an added key", () => {
    assert.deepEqual(differences({}, labels("constructor")), [["metadata.labels.constructor", null, "a", undefined]]);
  });
  it("names an element by its index", () => {
    const [one, two] = [{ key: "a" }, { key: "b" }];
    assert.deepEqual(differences(pod({ tolerations: [one, two] }), pod({ tolerations: [one] })), [
      ["spec.tolerations[1]", two, null, undefined],
    ]);
    assert.deepEqual(differences(pod({ tolerations: [one] }), pod({ tolerations: [one, two] })), [
      ["spec.tolerations[1]", null, two, undefined],
    ]);
  });
  it("shows another order of the elements that both sides have", () => {
    const C: Json = { name: "C" };
    assert.deepEqual(differences(app({ env: [A, C, B] }), app({ env: [B, A] })), [
      [`${APP}.env[name=C]`, C, null, undefined],
      [`${APP}.env`, ["A", "B"], ["B", "A"], true],
    ]);
  });
});

describe("data as one string", () => {
  it("is the same for the same data, whatever the order of its keys", () => {
    assert.equal(
      stableJson({ b: [1, "x", null], a: { d: true, c: 1.5 } }),
      '{"a":{"c":1.5,"d":true},"b":[1,"x",null]}',
    );
    assert.equal(stableJson([{ b: 1, a: [{ d: 2, c: 3 }] }]), '[{"a":[{"c":3,"d":2}],"b":1}]');
  });
});
