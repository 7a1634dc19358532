import assert from "node:assert/strict";
import { describe, it } from "node:test";
import type { Json } from "../../../src/yaml/read/node.ts";
import { applied } from "../../../src/reports/plan/applied.ts";

// What kubectl and the server make of it is held by test/e2e/apply.test.ts; here are the same rules in small.

type Fields = { [key: string]: Json };

const deployment = (pod: Json, metadata: Fields = {}): Fields => ({
  apiVersion: "apps/v1",
  kind: "Deployment",
  metadata: { name: "web", ...metadata },
  spec: { template: { spec: pod } },
});
const podOf = (object: Json): unknown => JSON.parse(JSON.stringify(object)).spec.template.spec;

const byClient = (last: Json, live: Json, next: Json): unknown => {
  const annotations = { "kubectl.kubernetes.io/last-applied-configuration": JSON.stringify(deployment(last)) };
  return podOf(applied(deployment(live, { annotations }), deployment(next)));
};
const byServer = (owners: readonly Fields[], live: Json, next: Json): unknown => {
  const managedFields = owners.map((fields, i) => ({
    manager: `m${i}`,
    operation: i === 0 ? "Apply" : "Update",
    fieldsV1: { "f:spec": { "f:template": { "f:spec": fields } } },
  }));
  return podOf(applied(deployment(live, { managedFields }), deployment(next)));
};
const named = (...names: string[]): Fields[] => names.map((name) => ({ name }));
const owned = (...names: string[]): Fields => ({
  "f:containers": Object.fromEntries(names.map((name) => [`k:{"name":"${name}"}`, { ".": {}, "f:name": {} }])),
});

describe("an apply by kubectl", () => {
  const rows: readonly { what: string; last: Json; live: Json; next: Json; gives: Json }[] = [
    { what: "leaves what others have set", last: {}, live: { a: 1 }, next: { b: 2 }, gives: { a: 1, b: 2 } },
    { what: "takes out what it had set", last: { a: 1 }, live: { a: 1, b: 2 }, next: {}, gives: { b: 2 } },
    {
      what: "takes a null for a deletion",
      last: {},
      live: { a: 1 },
      next: { a: null, b: { c: null } },
      gives: { b: {} },
    },
    {
      what: "merges containers by name, in its own order",
      last: { containers: named("a", "gone") },
      live: { containers: named("injected", "a", "gone") },
      next: { containers: named("new", "a") },
      gives: { containers: named("injected", "new", "a") },
    },
    {
      what: "replaces a list without a key",
      last: { tolerations: [{ key: "a" }] },
      live: { tolerations: [{ key: "a" }, { key: "theirs" }] },
      next: { tolerations: [{ key: "a" }] },
      gives: { tolerations: [{ key: "a" }] },
    },
    {
      what: "keeps of a volume only what the manifest has",
      last: {},
      live: { volumes: [{ name: "v", emptyDir: {} }] },
      next: { volumes: [{ name: "v", secret: { secretName: "s" } }] },
      gives: { volumes: [{ name: "v", secret: { secretName: "s" } }] },
    },
    {
      what: "leaves to kubectl what it refuses: an element without its key",
      last: { containers: named("a") },
      live: { containers: named("a", "injected") },
      next: { containers: [{ image: "x" }] },
      gives: { containers: [{ image: "x" }] },
    },
    {
      what: "leaves to kubectl what it refuses: an element that is no object",
      last: { containers: named("a") },
      live: { containers: named("a", "injected") },
      next: { containers: [null] },
      gives: { containers: [null] },
    },
    {
      what: "merges of a container only what it names",
      last: { containers: [{ name: "a", args: ["x"], env: [{ name: "A", value: "1" }] }] },
      live: { containers: [{ name: "a", args: ["x"], env: [{ name: "A", value: "1" }], tty: true }] },
      next: {
        containers: [
          {
            name: "a",
            env: [
              { name: "A", value: "2" },
              { name: "B", value: null },
            ],
          },
        ],
      },
      gives: { containers: [{ name: "a", env: [{ name: "A", value: "2" }, { name: "B" }], tty: true }] },
    },
    {
      what: "takes a null within an element for a deletion",
      last: { containers: named("a") },
      live: { containers: [{ name: "a", tty: true }] },
      next: { containers: [{ name: "a", tty: null }] },
      gives: { containers: named("a") },
    },
    {
      what: "merges a list that was none before",
      last: { containers: null },
      live: { containers: named("injected") },
      next: { containers: named("a") },
      gives: { containers: named("a", "injected") },
    },
    {
      what: "merges into an empty list",
      last: {},
      live: { containers: [] },
      next: { containers: named("b", "a") },
      gives: { containers: named("b", "a") },
    },
    {
      what: "merges a map by its keys",
      last: { nodeSelector: { a: "1" } },
      live: { nodeSelector: { a: "1", theirs: "x" } },
      next: { nodeSelector: { b: "2" } },
      gives: { nodeSelector: { theirs: "x", b: "2" } },
    },
  ];
  for (const { what, last, live, next, gives } of rows)
    it(what, () => assert.deepEqual(byClient(last, live, next), gives));
});

describe("a server-side apply", () => {
  const selector: Fields = { "f:nodeSelector": {} };
  const rows: readonly { what: string; owners: readonly Fields[]; live: Json; next: Json; gives: Json }[] = [
    {
      what: "leaves what others own",
      owners: [{}, { "f:a": {} }],
      live: { a: 1 },
      next: { b: 2 },
      gives: { a: 1, b: 2 },
    },
    { what: "leaves what nobody owns", owners: [{}], live: { a: 1 }, next: {}, gives: { a: 1 } },
    { what: "takes a null for nothing", owners: [{}], live: { a: 1, b: 2 }, next: { a: null }, gives: { b: 2 } },
    {
      what: "takes a null for an empty list",
      owners: [owned("a"), owned("injected")],
      live: { containers: named("a", "injected") },
      next: { containers: null },
      gives: { containers: named("injected") },
    },
    {
      what: "takes what stands in the place of a list",
      owners: [owned("a")],
      live: { containers: named("a") },
      next: { containers: { a: 1 } },
      gives: { containers: { a: 1 } },
    },
    {
      what: "sets a list that was null",
      owners: [{}],
      live: { containers: null },
      next: { containers: named("a") },
      gives: { containers: named("a") },
    },
    {
      what: "leaves to the server what it refuses: an element without its key",
      owners: [owned("a")],
      live: { containers: named("a") },
      next: { containers: [{ image: "x" }] },
      gives: { containers: [{ image: "x" }] },
    },
    {
      what: "takes out of an element that others have as well what only it had set",
      owners: [
        { "f:containers": { 'k:{"name":"x"}': { ".": {}, "f:name": {}, "f:image": {} } } },
        { "f:containers": { 'k:{"name":"x"}': { ".": {}, "f:name": {}, "f:args": {} } } },
      ],
      live: { containers: [{ name: "a" }, { name: "x", image: "i", args: ["y"] }] },
      next: { containers: named("a") },
      gives: { containers: [{ name: "a" }, { name: "x", args: ["y"] }] },
    },
    {
      what: "takes the place of all elements of one key",
      owners: [owned("a")],
      live: {
        containers: [
          { name: "a", image: "1" },
          { name: "a", image: "2" },
        ],
      },
      next: { containers: [{ name: "a", args: ["x"] }] },
      gives: { containers: [{ name: "a", args: ["x"] }] },
    },
    {
      what: "leaves elements of one key that it doesn't name",
      owners: [{}],
      live: {
        containers: [
          { name: "a", image: "1" },
          { name: "a", image: "2" },
        ],
      },
      next: { containers: named("b") },
      gives: { containers: [{ name: "a", image: "1" }, { name: "a", image: "2" }, { name: "b" }] },
    },
    {
      what: "takes nodeSelector as one value though nobody owns it",
      owners: [{}],
      live: { nodeSelector: { a: "1" } },
      next: { nodeSelector: { b: "2" } },
      gives: { nodeSelector: { b: "2" } },
    },
    { what: "takes out what is its own", owners: [{ "f:a": {} }], live: { a: 1, b: 2 }, next: {}, gives: { b: 2 } },
    {
      what: "leaves what it shares",
      owners: [{ "f:a": {} }, { "f:a": {} }],
      live: { a: 1 },
      next: {},
      gives: { a: 1 },
    },
    {
      what: "takes nodeSelector as one value",
      owners: [selector],
      live: { nodeSelector: { a: "1", theirs: "x" } },
      next: { nodeSelector: { a: "1" } },
      gives: { nodeSelector: { a: "1" } },
    },
    {
      what: "merges containers by name",
      owners: [owned("a", "gone"), owned("injected")],
      live: { containers: named("injected", "a", "gone") },
      next: { containers: named("a", "new") },
      gives: { containers: named("injected", "a", "new") },
    },
    {
      what: "takes out an element of which others own but a field",
      owners: [owned("a", "gone"), { "f:containers": { 'k:{"name":"gone"}': { "f:args": {} } } }],
      live: { containers: [{ name: "a" }, { name: "gone", args: ["x"] }] },
      next: { containers: named("a") },
      gives: { containers: named("a") },
    },
    {
      what: "tells ports apart by number and protocol, which has a default",
      owners: [owned("a")],
      live: { containers: [{ name: "a", ports: [{ containerPort: 53, protocol: "TCP", name: "x" }] }] },
      next: { containers: [{ name: "a", ports: [{ containerPort: 53, protocol: "UDP" }, { containerPort: 53 }] }] },
      gives: {
        containers: [
          {
            name: "a",
            ports: [
              { containerPort: 53, protocol: "UDP" },
              { containerPort: 53, protocol: "TCP", name: "x" },
            ],
          },
        ],
      },
    },
  ];
  for (const { what, owners, live, next, gives } of rows)
    it(what, () => assert.deepEqual(byServer(owners, live, next), gives));
});

describe("the order of a list after a server-side apply: as it is applied, with what others have where it stood", () => {
  // visitListItems of structured-merge-diff's typed/merge.go.
  const ROWS: readonly (readonly [live: string, next: string, gives: string])[] = [
    ["a b X c", "a c b", "a X c b"],
    ["b X a", "a b", "X a b"],
    ["a X b", "m n a b", "m n a X b"],
    ["X a Y b Z", "a b", "X a Y b Z"],
    ["X a Y b Z", "b a", "X Y b Z a"],
    ["a X", "n", "a X n"],
    ["a b c", "c b a", "c b a"],
  ];
  for (const [live, next, gives] of ROWS) {
    const list = (names: string): Json => ({ containers: named(...names.split(" ")) });
    it(`${live} and ${next}: ${gives}`, () => assert.deepEqual(byServer([{}], list(live), list(next)), list(gives)));
  }
});

describe("an apply of metadata and status", () => {
  it("merges labels by their keys, also where an owner names them as one", () => {
    const managedFields = [{ manager: "m", operation: "Apply", fieldsV1: { "f:metadata": { "f:labels": {} } } }];
    const live = deployment({}, { labels: { a: "1" }, managedFields });
    const merged = applied(live, deployment({}, { labels: { b: "2" } }));
    assert.deepEqual(JSON.parse(JSON.stringify(merged)).metadata.labels, { a: "1", b: "2" });
  });
  it("leaves the status by kubectl", () => {
    const annotations = { "kubectl.kubernetes.io/last-applied-configuration": JSON.stringify(deployment({})) };
    const live = { ...deployment({}, { annotations }), status: { replicas: 1 } };
    assert.deepEqual(JSON.parse(JSON.stringify(applied(live, deployment({})))).status, { replicas: 1 });
  });
});

describe("an apply by kubectl of what is no pod's", () => {
  const object = (own: Fields, last?: Fields): Fields => ({
    apiVersion: "apps/v1",
    kind: "Deployment",
    ...own,
    ...(last === undefined
      ? {}
      : { metadata: { ...metadataOf(own), annotations: { [LAST]: JSON.stringify({ ...object(last) }) } } }),
  });
  const LAST = "kubectl.kubernetes.io/last-applied-configuration";
  const metadataOf = (own: Fields): Fields => JSON.parse(JSON.stringify(own["metadata"] ?? {})) as Fields;
  const partOf = (value: Json, ...path: readonly string[]): unknown =>
    path.reduce((at: unknown, key) => (at as Fields)[key], value);

  const FINALIZERS: readonly (readonly [string, string[], string[], string[], string[]])[] = [
    ["what others have added stays", ["a"], ["a", "theirs"], ["a"], ["a", "theirs"]],
    ["what it no longer has goes", ["a", "b"], ["a", "b", "theirs"], ["b"], ["b", "theirs"]],
    ["what is new comes before theirs", ["a"], ["a", "theirs"], ["a", "b"], ["a", "b", "theirs"]],
    ["what is there is not added", [], ["a"], ["a"], ["a"]],
    ["what is twice comes once", [], ["a"], ["a", "b", "b"], ["a", "b"]],
    ["all of it goes", ["a"], ["a"], [], []],
  ];
  for (const [what, last, live, next, gives] of FINALIZERS) {
    it(`finalizers are a set: ${what}`, () => {
      const withFinalizers = (finalizers: string[]): Fields => ({ metadata: { finalizers } });
      assert.deepEqual(
        partOf(
          applied(object(withFinalizers(live), withFinalizers(last)), object(withFinalizers(next))),
          "metadata",
          "finalizers",
        ),
        gives,
      );
    });
  }
  it("the strategy keeps only what the manifest has, the spec around it more", () => {
    const live = { spec: { strategy: { type: "RollingUpdate", rollingUpdate: { maxSurge: 1 } }, replicas: 7 } };
    assert.deepEqual(partOf(applied(object(live, {}), object({ spec: { strategy: { type: "Recreate" } } })), "spec"), {
      strategy: { type: "Recreate" },
      replicas: 7,
    });
    const tuned = { spec: { strategy: { rollingUpdate: { maxSurge: "10%" } } } };
    assert.deepEqual(partOf(applied(object(live, {}), object(tuned)), "spec", "strategy"), {
      rollingUpdate: { maxSurge: "10%" },
    });
  });
  it("what was applied last is read only where it is an object", () => {
    for (const text of ["", "{", "[]", "null", "1", 5, ['{"spec":{"replicas":1}}']]) {
      const live = { metadata: { annotations: { [LAST]: text } }, spec: { replicas: 1 } };
      // Nobody's fields are known then: what is there stays.
      assert.deepEqual(partOf(applied(object(live), object({ spec: { paused: true } })), "spec"), {
        replicas: 1,
        paused: true,
      });
    }
  });
  it("of a manifest without a kind or a version is merged as of a custom one: lists are replaced", () => {
    const live = deployment({ containers: named("a", "injected") }, { annotations: { [LAST]: "{}" } });
    for (const broken of [
      { kind: 1 },
      { kind: ["Deployment"] },
      { apiVersion: 1 },
      { apiVersion: "v1" },
      { kind: "constructor" },
    ]) {
      const next = { ...deployment({ containers: named("a") }), ...broken };
      assert.deepEqual(podOf(applied(live, next)), { containers: named("a") });
    }
  });
});

describe("an apply of a custom kind", () => {
  const ROWS: readonly (readonly [string, Fields, Fields, Fields, Fields])[] = [
    ["a null takes out what it had set", { a: 1 }, { a: 1, b: 2 }, { a: null }, { b: 2 }],
    ["a null takes out nothing of others", {}, { a: 1, b: 2 }, { a: null }, { a: 1, b: 2 }],
    ["a null that was one before, too", { a: null }, { a: 1, b: 2 }, { a: null }, { a: 1, b: 2 }],
    ["a map is merged", { m: { a: 1 } }, { m: { a: 1, b: 2 } }, { m: { c: 3 } }, { m: { b: 2, c: 3 } }],
    ["a list that has become a map", { m: [1] }, { m: [1] }, { m: { a: null, b: 1 } }, { m: { b: 1 } }],
    ["a map that has become a list", { m: { a: 1 } }, { m: { a: 1 } }, { m: [1] }, { m: [1] }],
    ["a map that was a string", { m: "x" }, { m: { a: 1 } }, { m: { b: 2 } }, { m: { a: 1, b: 2 } }],
  ];
  for (const [what, last, live, next, gives] of ROWS) {
    it(`by kubectl: ${what}`, () => {
      const custom = (pod: Json, metadata?: Fields): Fields => ({
        ...deployment(pod, metadata),
        apiVersion: "example.com/v1",
      });
      const annotations = { "kubectl.kubernetes.io/last-applied-configuration": JSON.stringify(custom(last)) };
      assert.deepEqual(podOf(applied(custom(live, { annotations }), custom(next))), gives);
    });
  }
  it("replaces whole lists by kubectl", () => {
    const last = { ...deployment({ containers: named("a") }), apiVersion: "example.com/v1" };
    const annotations = { "kubectl.kubernetes.io/last-applied-configuration": JSON.stringify(last) };
    const live = deployment({ containers: named("a", "injected") }, { annotations });
    assert.deepEqual(podOf(applied({ ...live, apiVersion: "example.com/v1" }, last)), { containers: named("a") });
  });
});

describe("managedFields that no server has written", () => {
  for (const step of ["k:garbage", "k:", "v:"]) {
    it(`takes '${step}' for no element`, () => {
      const fieldsV1 = { "f:spec": { "f:template": { "f:spec": { "f:containers": { [step]: { ".": {} } } } } } };
      const live = deployment(
        { containers: [{ name: "app", image: "app:1" }] },
        { managedFields: [{ manager: "flux", operation: "Apply", fieldsV1 }] },
      );
      const next = { containers: [{ name: "app", image: "app:2" }] };
      assert.deepEqual(podOf(applied(live, deployment(next))), next);
    });
  }
});
