import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { notPermitted } from "../../../src/applications/compare/not-permitted.ts";
import { findApplications } from "../../../src/applications/discover/find-applications.ts";
import { surveyed } from "../../../src/applications/discover/repository.ts";
import type { Files } from "../../support/folders.ts";
import { treeOf } from "../discover/tree-of.ts";

const project = (...namespaces: readonly string[]): string =>
  `apiVersion: argoproj.io/v1alpha1\nkind: AppProject\nmetadata: {name: team, namespace: argocd}\nspec:\n  destinations: [${namespaces.map((one) => `{server: '*', namespace: '${one}'}`).join(", ")}]\n`;
const application = (namespace: string, name = "web", of = "team"): string =>
  `apiVersion: argoproj.io/v1alpha1\nkind: Application\nmetadata: {name: ${name}, namespace: argocd}\nspec: {project: ${of}, source: {repoURL: "", path: web}, destination: {name: in-cluster${namespace === "" ? "" : `, namespace: ${namespace}`}}}\n`;

const WEB = { "web/web.yaml": "apiVersion: v1\nkind: ConfigMap\nmetadata: {name: a}\n" };

function refusedIn(base: Files, head: Files): readonly unknown[] {
  const [before, after] = [base, head].map((files) => {
    const repository = surveyed(treeOf({ ...WEB, ...files }), {});
    return { repository, applications: findApplications(repository).applications };
  });
  assert.ok(before && after);
  return notPermitted(before, after).map(({ cause, params }) =>
    cause === "notPermitted" && "project" in params
      ? [params.project.name, params.namespace, ...params.applications]
      : cause,
  );
}

describe("namespaces that an AppProject does not permit", () => {
  const permitted = project("shop", "team-*", "!team-b");
  const known = { "project.yaml": permitted, "web.yaml": application("shop") };

  const REFUSED: Readonly<Record<string, Files>> = {
    "the Application gets another namespace": { ...known, "web.yaml": application("other") },
    "the project permits it no longer": { ...known, "project.yaml": project("team-*", "!shop") },
  };
  for (const [name, head] of Object.entries(REFUSED))
    it(`are found if ${name}, and not if nothing changes`, () => {
      const namespace = name.startsWith("the Application") ? "other" : "shop";
      assert.deepEqual(refusedIn(known, head), [["team", namespace, "web"]]);
      assert.deepEqual(refusedIn(head, head), []);
    });

  const PERMITTED: Readonly<Record<string, Files>> = {
    "a pattern permits it": { ...known, "web.yaml": application("team-a") },
    "there is no namespace": { ...known, "web.yaml": application("") },
    "the project is not here": { ...known, "web.yaml": application("other", "web", "default") },
    "another project of the name permits it": {
      ...known,
      "web.yaml": application("other"),
      "second.yaml": project("other"),
    },
    "a kustomization may change the project": {
      ...known,
      "kustomization.yaml": "resources: [project.yaml]\n",
      "web.yaml": application("other"),
    },
  };
  for (const [name, head] of Object.entries(PERMITTED))
    it(`are not found if ${name}`, () => assert.deepEqual(refusedIn(known, head), []));

  it("are one finding for all Applications", () => {
    const two = { ...known, "web.yaml": application("other"), "api.yaml": application("other", "api") };
    assert.deepEqual(refusedIn(known, two), [["team", "other", "api", "web"]]);
  });
});
