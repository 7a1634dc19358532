import assert from "node:assert/strict";
import { describe, it } from "node:test";
import type { Application } from "../../../src/applications/discover/application.ts";
import type { NotFound } from "../../../src/applications/discover/not-found.ts";
import type { AppPair } from "../../../src/applications/compare/pairs.ts";
import { renderedAmong } from "../../../src/applications/compare/rendered-among.ts";
import { plainChart } from "../../../src/applications/discover/charts.ts";
import { readManifests } from "../../../src/yaml/read/items.ts";
import { readTree } from "../../support/trees.ts";
import { treeOf } from "../discover/tree-of.ts";

const CLOSURE = {
  digest: "",
  read: "",
  needed: (): ReadonlySet<string> => new Set(),
  neededByDefault: (): ReadonlySet<string> => new Set(),
  isRemote: false,
  nodes: [],
};

const pair = (name: string, more: Partial<Application> = {}, isAffected = true): AppPair => {
  const application: Application = {
    name,
    path: "charts/web",
    kind: "Helm",
    foundBy: "HelmRelease",
    isNamed: true,
    definedIn: [],
    render: { by: "files", folder: ".", files: [] },
    ...more,
  };
  const head = {
    application,
    closure: CLOSURE,
    key: "",
    renderKey: "",
    renderable: { is: "files", files: [], roots: [] },
    readsData: false,
    stampedBy: () => "Nothing" as const,
    declared: undefined,
    snapshot: treeOf({}),
  } as const;
  return { application: { ...application, name: `${name}@other-revision` }, base: undefined, head, isAffected };
};
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
  it("in the namespaces of both revisions", () => {
    const moved = { ...pair("web", { namespace: "new" }), base: pair("web", { namespace: "old" }).head };
    for (const namespace of ["old", "new"]) assert.ok(isRendered([moved], release("web", namespace)));
    assert.ok(!isRendered([moved], release("web", "other")));
  });
  it("unless an ApplicationSet of its name and namespace does not expand", () => {
    const row = (namespace: string): NotFound => ({
      path: "dev/set.yaml",
      kind: "ApplicationSet",
      name: "web",
      namespace,
      reason: "no clusters",
      isFailure: false,
    });
    const [item] = readManifests(
      readTree(
        "{apiVersion: argoproj.io/v1alpha1, kind: ApplicationSet, metadata: {name: web, namespace: prod}}",
        "x.yaml",
      ),
    ).items;
    assert.ok(item);
    for (const [namespace, why] of [
      ["prod", "no clusters"],
      ["", "no clusters"],
      ["dev", undefined],
    ] as const) {
      const { isRendered: is, whyNot } = renderedAmong({ pairs: [], notFound: { base: [], head: [row(namespace)] } });
      assert.deepEqual([is(item), whyNot(item)], [why === undefined, why]);
    }
  });
  it("only for the kinds of Argo CD and Flux", () => {
    const text = "{apiVersion: apps/v1, kind: Deployment, metadata: {name: web}}";
    assert.ok(!isRendered([pair("web")], text));
  });
  it("or an operator makes something from it, which no plan renders: the reason says so", () => {
    const [item] = readManifests(
      readTree("{apiVersion: fluxcd.controlplane.io/v1, kind: ResourceSet, metadata: {name: web}}", "x.yaml"),
    ).items;
    assert.ok(item);
    const { isRendered: is, whyNot } = renderedAmong({ pairs: [], notFound: { base: [], head: [] } });
    assert.deepEqual([is(item), whyNot(item)], [false, "Flux's operator creates objects from it"]);
  });
  it("also if it is not affected: then the object changes nothing", () => {
    assert.ok(isRendered([pair("web", {}, false)], release("web", "shop")));
  });
});

describe("a source of charts", () => {
  const source = {
    group: "source.toolkit.fluxcd.io",
    kind: "HelmRepository",
    namespace: "flux",
    name: "charts",
    spec: {},
  };
  const object = { group: "helm.toolkit.fluxcd.io", kind: "HelmRelease", namespace: "shop", name: "web", spec: {} };
  const chart = { in: "helm", repository: "https://charts.example.com", name: "web", version: "1" } as const;
  const render = { ...plainChart("", undefined), chart };
  const text =
    "{apiVersion: source.toolkit.fluxcd.io/v1, kind: HelmRepository, metadata: {name: charts, namespace: flux}}";

  it("is rendered if the plan compares all that use it", () => {
    const using = pair("web", { objects: [object, source], render });
    assert.ok(isRendered([using], text));
    assert.ok(!isRendered([], text));
    assert.ok(!isRendered([using, { ...using, isAffected: false }], text));
  });
  it("has its users, with their applications", () => {
    const [item] = readManifests(readTree(text, "x.yaml")).items;
    assert.ok(item);
    const { usersOf } = renderedAmong({
      pairs: [pair("web", { objects: [object, source] })],
      notFound: { base: [], head: [] },
    });
    assert.deepEqual(usersOf(item), [
      { object: { kind: "HelmRelease", namespace: "shop", name: "web" }, application: "web@other-revision" },
    ]);
  });
});

describe("the reason why something is not rendered", () => {
  const notFound = (kind: "ApplicationSet" | "HelmRelease", name: string, reason: string): NotFound => ({
    path: "a.yaml",
    kind,
    name,
    reason,
    isFailure: false,
  });
  const whyNot = (text: string, head: readonly NotFound[], base: readonly NotFound[] = []): string | undefined => {
    const [item] = readManifests(readTree(text, "x.yaml")).items;
    assert.ok(item);
    return renderedAmong({ pairs: [], notFound: { base, head } }).whyNot(item);
  };
  const set = "{apiVersion: argoproj.io/v1alpha1, kind: ApplicationSet, metadata: {name: web}}";
  it("is that of the head, else of the base", () => {
    const [lists, empty] = ["it lists clusters", "it is empty"].map((reason) =>
      notFound("ApplicationSet", "web", reason),
    );
    assert.ok(lists !== undefined && empty !== undefined);
    assert.equal(whyNot(set, [lists], [empty]), "it lists clusters");
    assert.equal(whyNot(set, [], [empty]), "it is empty");
  });
  it("is unknown for another name or kind", () => {
    const other = [notFound("ApplicationSet", "api", "no"), notFound("HelmRelease", "web", "no")];
    assert.equal(whyNot(set, other), undefined);
    assert.equal(whyNot(release("web", "shop"), other), "no");
  });
});
