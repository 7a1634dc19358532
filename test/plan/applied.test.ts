import assert from "node:assert/strict";
import { describe, it } from "node:test";
import type { Json } from "../../src/manifest/node.ts";
import { applied } from "../../src/plan/applied.ts";

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

describe("an apply of a custom kind", () => {
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
