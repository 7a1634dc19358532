import assert from "node:assert/strict";
import { describe, it } from "node:test";
import type { Application } from "../../../src/applications/discover/application.ts";
import type { AppPair } from "../../../src/applications/compare/application-pairs.ts";
import { renderedAmong } from "../../../src/applications/compare/rendered-among.ts";
import { readManifests } from "../../../src/yaml/read/items.ts";
import { readTree } from "../../support/trees.ts";

const pair = (name: string, more: Partial<Application> = {}): AppPair => ({
  application: {
    name,
    path: "charts/web",
    kind: "Helm",
    foundBy: "HelmRelease",
    isNamed: true,
    definedIn: [],
    render: { by: "files", folder: ".", files: [] },
    ...more,
  },
  base: undefined,
  head: undefined,
  isAffected: true,
});
const isRendered = (pairs: readonly AppPair[], text: string): boolean => {
  const [item] = readManifests(readTree(text, "x.yaml")).items;
  assert.ok(item);
  return renderedAmong({ pairs, notFound: { base: [], head: [] } }).isRendered(item);
};
const release = (name: string, namespace: string, spec = "{}"): string =>
  `{apiVersion: helm.toolkit.fluxcd.io/v2, kind: HelmRelease, metadata: {name: ${name}, namespace: ${namespace}}, spec: ${spec}}`;

describe("an object defines a rendered application", () => {
  it("if an application of its kind has its name, unique or not", () => {
    assert.ok(isRendered([pair("web")], release("web", "shop")));
    assert.ok(isRendered([pair("web@prod", { givenName: "web" })], release("web", "shop")));
    assert.ok(!isRendered([pair("web2"), pair("api")], release("web", "shop")));
    assert.ok(!isRendered([pair("web", { foundBy: "Application" })], release("web", "shop")));
  });
  it("if the namespaces are the same or one is unknown", () => {
    assert.ok(isRendered([pair("web", { namespace: "shop" })], release("web", '""')));
    assert.ok(!isRendered([pair("web", { namespace: "shop" })], release("web", "other")));
    assert.ok(isRendered([pair("web", { namespace: "shop" })], release("web", "flux", "{targetNamespace: shop}")));
  });
  it("only for the kinds of Argo CD and Flux", () => {
    const text = "{apiVersion: apps/v1, kind: Deployment, metadata: {name: web}}";
    assert.ok(!isRendered([pair("web")], text));
  });
});
