import assert from "node:assert/strict";
import { describe, it } from "node:test";
import type { Finding } from "../../../src/findings/catalogue/finding.ts";
import type { ResourceRef, SourceName } from "../../../src/base/names.ts";
import { findingIdentity } from "../../../src/reports/plan/finding-identity.ts";

// Two renderings have one finding where the rule, the object, the cause and what it names are the same.

const web: ResourceRef = { apiVersion: "apps/v1", kind: "Deployment", name: "web" };
const source = (name: string, namespace = "default", kind = "ConfigMap"): SourceName => ({ kind, namespace, name });
const missing = (of: SourceName, resource: ResourceRef = web): Finding => ({
  id: "RS001",
  cause: "missing",
  params: { workload: resource, source: of, through: undefined, others: [] },
  resource,
});
const missingKey = (key: string): Finding => ({
  id: "RS002",
  cause: "missing",
  params: { workload: web, source: source("env"), through: undefined, key },
  resource: web,
});
const guessable = (...secrets: readonly SourceName[]): Finding => ({
  id: "RS008",
  cause: "guessable",
  params: { workload: web, secrets },
  resource: web,
});
const mass = (rolls: number): Finding => ({
  id: "RS017",
  cause: "largeShare",
  params: { source: web, rolls, workloads: 20 },
  resource: web,
});
const unknown = (path: string): Finding => ({
  id: "RS014",
  cause: "unknownPath",
  params: {
    object: web,
    sources: [source("env")],
    entry: { group: "example.com", kind: "Web", references: [{ path, form: "Container" }] },
  },
  resource: web,
});
const secret = (name: string, namespace?: string): SourceName => source(name, namespace, "Secret");

describe("findings of two renderings are one", () => {
  const ROWS: readonly (readonly [string, Finding, Finding, boolean])[] = [
    ["where nothing differs", missing(source("env")), missing(source("env")), true],
    [
      "where its place and what results carry differ",
      missing(source("env")),
      { ...missing(source("env")), field: "spec", place: { file: "a", line: 3, column: 1 }, tags: { a: "b" } },
      true,
    ],
    [
      "whatever the version of the object's API",
      missing(source("env")),
      missing(source("env"), { ...web, apiVersion: "apps/v1beta2" }),
      true,
    ],
    [
      "where another group serves the same kind",
      missing(source("env")),
      missing(source("env"), { ...web, apiVersion: "extensions/v1beta1" }),
      true,
    ],
    [
      "not of another group",
      missing(source("env")),
      missing(source("env"), { ...web, apiVersion: "example.com/v1" }),
      false,
    ],
    ["not of another name", missing(source("env")), missing(source("env"), { ...web, name: "api" }), false],
    ["not of another kind", missing(source("env")), missing(source("env"), { ...web, kind: "StatefulSet" }), false],
    [
      "where one side writes the default namespace",
      missing(source("env")),
      missing(source("env"), { ...web, namespace: "default" }),
      true,
    ],
    ["not of another namespace", missing(source("env")), missing(source("env"), { ...web, namespace: "shop" }), false],
    ["not about another source", missing(source("env")), missing(source("login")), false],
    ["not about a source of another namespace", missing(source("env")), missing(source("env", "shop")), false],
    ["not about another kind of source", missing(source("env")), missing(secret("env")), false],
    [
      "where a hash of content in the name differs",
      missing(source("env-5f6g7h8k9m")),
      missing(source("env-2b4c6d8f9g")),
      true,
    ],
    [
      "not where the name of a workload differs so",
      missing(source("env"), { ...web, name: "web-5f6g7h8k9m" }),
      missing(source("env"), { ...web, name: "web-2b4c6d8f9g" }),
      false,
    ],
    ["not about another key", missingKey("a"), missingKey("b"), false],
    ["where a number differs", mass(11), mass(12), true],
    [
      "where all of a list are the same",
      guessable(secret("a"), secret("b")),
      guessable(secret("a"), secret("b")),
      true,
    ],
    [
      "not where one of a list differs",
      guessable(secret("a"), secret("b")),
      guessable(secret("a"), secret("c")),
      false,
    ],
    ["not where a list has one more", guessable(secret("a")), guessable(secret("a"), secret("b")), false],
    ["not where one of a list is of another namespace", guessable(secret("a")), guessable(secret("a", "shop")), false],
    ["not where what is no object differs in a field", unknown("spec.a"), unknown("spec.b"), false],
    [
      "not of another cause",
      missing(source("env")),
      {
        ...missing(source("env")),
        id: "RS001",
        cause: "missingInRendering",
        params: { workload: web, source: source("env"), through: undefined },
      },
      false,
    ],
  ];
  for (const [name, a, b, isOne] of ROWS)
    it(name, () => assert.equal(findingIdentity(a, "default") === findingIdentity(b, "default"), isOne));

  it("not of another rule", () =>
    assert.notEqual(findingIdentity(missingKey("a"), "x"), findingIdentity(missing(source("env")), "x")));
  it("of an object without a namespace, by the default namespace of its side", () => {
    assert.equal(
      findingIdentity(missing(source("env", "shop")), "shop"),
      findingIdentity(missing(source("env", "shop"), { ...web, namespace: "shop" }), "default"),
    );
  });
});
