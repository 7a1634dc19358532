import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { missingDependencies, removedSources } from "../../../src/applications/compare/missing-sources.ts";
import type { Finding } from "../../../src/findings/catalogue/finding.ts";
import { surveyed } from "../../../src/applications/discover/repository.ts";
import { treeOf } from "../discover/tree-of.ts";

function object(group: string, kind: string, name: string, spec: string): string {
  return `apiVersion: ${group}.toolkit.fluxcd.io/v1\nkind: ${kind}\nmetadata: {name: ${name}, namespace: apps}\nspec: ${spec}\n`;
}

const source = (kind: string): string => object("source", kind, "one", "{url: x}");
const USERS: Readonly<Record<string, string>> = {
  GitRepository: object(
    "kustomize",
    "Kustomization",
    "web",
    "{path: web, sourceRef: {kind: GitRepository, name: one}}",
  ),
  OCIRepository: object("helm", "HelmRelease", "web", "{chartRef: {kind: OCIRepository, name: one}}"),
  HelmRepository: object(
    "helm",
    "HelmRelease",
    "web",
    "{chart: {spec: {chart: web, sourceRef: {kind: HelmRepository, name: one}}}}",
  ),
};

type Files = Readonly<Record<string, string>>;

function usersOf(base: Files, head: Files): readonly unknown[] {
  return named(removedSources(surveyed(treeOf(base), {}), surveyed(treeOf(head), {})), "sourceRemoved");
}

function dependentsOf(
  base: Files,
  head: Files,
  shown: readonly { kind: string; name: string }[] = [],
): readonly unknown[] {
  return named(missingDependencies(surveyed(treeOf(base), {}), surveyed(treeOf(head), {}), shown), "dependencyMissing");
}

function named(found: readonly Finding<"RS024">[], cause: "sourceRemoved" | "dependencyMissing"): readonly unknown[] {
  return found.flatMap((one) =>
    one.cause === cause
      ? [[one.params.object.kind, ...one.params.users.map(({ kind, name }) => `${kind} ${name}`)]]
      : [],
  );
}

describe("missing sources", () => {
  for (const [kind, user] of Object.entries(USERS)) {
    const base = { "source.yaml": source(kind), "user.yaml": user };
    it(`are found for a ${kind} that something uses`, () => {
      assert.deepEqual(usersOf(base, { "user.yaml": user }), [[kind, `${/^kind: (.*)$/mu.exec(user)?.[1]} web`]]);
    });

    it(`are not found for a ${kind} that moves, goes with its user, or never was there`, () => {
      assert.deepEqual(usersOf(base, { "moved.yaml": source(kind), "user.yaml": user }), []);
      assert.deepEqual(usersOf(base, {}), []);
      assert.deepEqual(usersOf({ "user.yaml": user }, { "user.yaml": user }), []);
      assert.deepEqual(usersOf(base, { "user.yaml": user.replace("name: one", "name: two") }), []);
    });
  }

  const dependent = (kind: string, group: string): string =>
    object(group, kind, "web", "{path: web, dependsOn: [{name: one}]}");
  for (const [kind, group] of [
    ["Kustomization", "kustomize"],
    ["HelmRelease", "helm"],
  ] as const)
    it(`are found for a ${kind} that another one depends on`, () => {
      const [one, web] = [object(group, kind, "one", "{path: one}"), dependent(kind, group)];
      const base = { "one.yaml": one, "web.yaml": web };
      assert.deepEqual(usersOf(base, { ...base, "one.yaml": one.replace("name: one", "name: two") }), [
        [kind, `${kind} web`],
      ]);
      assert.deepEqual(usersOf(base, { "moved.yaml": one, "web.yaml": web }), []);
      assert.deepEqual(usersOf({ "web.yaml": web }, { "web.yaml": web }), []);
    });

  it("are found for a dependency that the change names, and that neither revision has", () => {
    const web = (names: string): string =>
      object("kustomize", "Kustomization", "web", `{path: web, dependsOn: [${names}]}`);
    const here = { "one.yaml": object("kustomize", "Kustomization", "one", "{path: one}") };
    const base = { ...here, "web.yaml": web("{name: one}") };
    const after = (names: string): readonly unknown[] => dependentsOf(base, { ...here, "web.yaml": web(names) });
    assert.deepEqual(after("{name: one}, {name: two}"), [["Kustomization", "Kustomization web"]]);
    assert.deepEqual(dependentsOf({}, { "web.yaml": web("{name: two}") }), [["Kustomization", "Kustomization web"]]);
    // Flux substitutes a variable, and what the base depends on already may be in another repository.
    assert.deepEqual(after('{name: "${stage}"}'), []);
    const shown = [{ kind: "Kustomization", name: "two" }];
    assert.deepEqual(dependentsOf(base, { ...here, "web.yaml": web("{name: two}") }, shown), [], "a rendering has it");
    const outside = { "web.yaml": web("{name: two}") };
    assert.deepEqual(dependentsOf(outside, { ...outside, "api.yaml": web("{name: two}").replace("web", "api") }), []);
  });

  for (const [kind, user] of Object.entries(USERS))
    it(`are found for a ${kind} that is nowhere, in place of one that was there`, () => {
      const here = { "source.yaml": source(kind) };
      const typo = user.replace("name: one", "name: two");
      const found = [[kind, `${/^kind: (.*)$/mu.exec(user)?.[1]} web`]];
      const base = { ...here, "user.yaml": user };
      const head = { ...here, "user.yaml": typo };
      assert.deepEqual(dependentsOf(base, head), found);
      assert.deepEqual(dependentsOf(base, { "user.yaml": typo }), found);
      assert.deepEqual(dependentsOf(base, head, [{ kind, name: "two" }]), [], "a rendering has it");
      assert.deepEqual(dependentsOf(base, { ...head, "two.yaml": source(kind).replace("name: one", "name: two") }), []);
      assert.deepEqual(dependentsOf({ "user.yaml": user }, { "user.yaml": typo }), [], "sources are elsewhere");
      assert.deepEqual(dependentsOf(here, head), [], "a new object");
      const other = { "other.yaml": typo.replace("name: web", "name: api") };
      assert.deepEqual(dependentsOf({ ...base, ...other }, { ...head, ...other }), [], "the base names it, too");
      assert.deepEqual(dependentsOf(base, { ...here, "user.yaml": user.replace("name: one", 'name: "${name}"') }), []);
    });
});
