import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { notPermitted, notPermittedObjects } from "../../../src/applications/compare/not-permitted.ts";
import { projectsIn } from "../../../src/applications/compare/projects.ts";
import { findApplications } from "../../../src/applications/discover/find-applications.ts";
import { surveyed } from "../../../src/applications/discover/repository.ts";
import type { Finding } from "../../../src/findings/catalogue/finding.ts";
import { readManifests } from "../../../src/yaml/read/items.ts";
import type { Files } from "../../support/folders.ts";
import { readTree } from "../../support/trees.ts";
import { treeOf } from "../discover/tree-of.ts";

const inProject = (spec: string): string =>
  `apiVersion: argoproj.io/v1alpha1\nkind: AppProject\nmetadata: {name: team, namespace: argocd}\nspec: {${spec}}\n`;
const project = (...namespaces: readonly string[]): string =>
  `apiVersion: argoproj.io/v1alpha1\nkind: AppProject\nmetadata: {name: team, namespace: argocd}\nspec:\n  destinations: [${namespaces.map((one) => `{server: '*', namespace: '${one}'}`).join(", ")}]\n`;
const application = (namespace: string, name = "web", of = "team"): string =>
  `apiVersion: argoproj.io/v1alpha1\nkind: Application\nmetadata: {name: ${name}, namespace: argocd}\nspec: {project: ${of}, source: {repoURL: "", path: web}, destination: {name: in-cluster${namespace === "" ? "" : `, namespace: ${namespace}`}}}\n`;

const WEB = { "web/web.yaml": "apiVersion: v1\nkind: ConfigMap\nmetadata: {name: a}\n" };

function refusedIn(base: Files, head: Files): readonly unknown[] {
  const [before, after] = [base, head].map((files) => {
    const repository = surveyed(treeOf({ ...WEB, ...files }), {});
    return {
      projectsOf: projectsIn(repository.objects, repository),
      applications: findApplications(repository).applications,
    };
  });
  assert.ok(before && after);
  return refusals(notPermitted(before, after));
}

function refusals(findings: readonly Finding<"RS024">[]): readonly unknown[] {
  return findings.map(({ cause, params }) =>
    cause === "notPermitted" && "names" in params
      ? [params.project.name, ...params.names, ...params.applications]
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

  it("are not looked for in more steps than the limit: braces make hundreds of patterns of one", () => {
    const apps = Array.from({ length: 20 }, (_, i) => `---\n${application(`${"ab".repeat(30)}${i}`, `web${i}`)}`);
    const patterns = Array.from({ length: 20 }, (_, i) => `${"*{a,b}".repeat(8)}z${i}`);
    const files = { ...WEB, "project.yaml": project(...patterns), "web.yaml": apps.join("") };
    const tree = treeOf(files);
    const repository = surveyed({ ...tree, limits: { ...tree.limits, comparisons: 1_000_000 } }, {});
    const { applications } = findApplications(repository);
    const side = { projectsOf: projectsIn(repository.objects, repository), applications };
    assert.throws(
      () => notPermitted(side, side),
      /^RollstampError: comparing patterns of AppProjects with .* takes more/u,
    );
  });

  it("are one finding for all Applications", () => {
    const two = { ...known, "web.yaml": application("other"), "api.yaml": application("other", "api") };
    assert.deepEqual(refusedIn(known, two), [["team", "other", "api", "web"]]);
  });
});

describe("repositories that an AppProject does not permit", () => {
  const listing = (...repositories: readonly string[]): Files => ({
    "project.yaml": inProject(
      `destinations: [{server: '*', namespace: '*'}], sourceRepos: [${repositories.map((one) => `'${one}'`).join(", ")}]`,
    ),
    "web.yaml": application("shop").replace('repoURL: ""', "repoURL: https://Ada:secret@git.example/shop/web.git"),
  });
  for (const permitted of [
    "*",
    "https://git.example/shop/*",
    "https://git.example/shop/web",
    "git@git.example:shop/web",
  ])
    it(`are not found if it permits ${permitted}`, () => assert.deepEqual(refusedIn({}, listing(permitted)), []));
  for (const refused of ["https://git.example/*/api", "!https://git.example/shop/web", ""])
    it(`are found if it permits only "${refused}", without a password`, () =>
      assert.deepEqual(refusedIn({}, listing(refused)), [["team", "https://git.example/shop/web.git", "web"]]));
});

describe("objects that an AppProject does not permit", () => {
  const refused = (spec: string, objects: string, name = "team"): readonly unknown[] => {
    const files = {
      ...WEB,
      "project.yaml": inProject(spec).replace("name: team", `name: ${name}`),
      "web.yaml": application("shop", "web", name),
    };
    const repository = surveyed(treeOf(files), {});
    const web = findApplications(repository).applications.find((one) => one.name === "web");
    assert.ok(web);
    const { items } = readManifests(readTree(objects, "rendered.yaml"));
    const head = { items, projects: projectsIn(repository.objects, repository)(web), namespace: "shop" };
    const found = notPermittedObjects("web", { ...head, items: [], projects: [] }, head);
    assert.deepEqual(notPermittedObjects("web", head, head), []);
    return refusals(found);
  };
  const object = (apiVersion: string, kind: string, namespace = "shop"): string =>
    `---\napiVersion: ${apiVersion}\nkind: ${kind}\nmetadata: {name: a, namespace: ${namespace}}\n`;
  const ALL = "destinations: [{server: '*', namespace: '*'}]";
  const ROLE = object("rbac.authorization.k8s.io/v1", "ClusterRole");
  const DEPLOYMENT = object("apps/v1", "Deployment");
  const TABLE: Readonly<Record<string, readonly [string, string, ...string[]]>> = {
    "kinds of the cluster if it lists none": [ALL, ROLE + DEPLOYMENT, "ClusterRole"],
    "kinds of the cluster that a list lacks": [
      `${ALL}, clusterResourceWhitelist: [{group: "", kind: Namespace}]`,
      object("v1", "Namespace") + ROLE,
      "ClusterRole",
    ],
    "no kind that a pattern permits": [`${ALL}, clusterResourceWhitelist: [{group: "rbac.*", kind: "Cluster*"}]`, ROLE],
    "a kind that is denied, too": [
      `${ALL}, clusterResourceWhitelist: [{group: "*", kind: "*"}], clusterResourceBlacklist: [{group: "*", kind: ClusterRole}]`,
      ROLE,
      "ClusterRole",
    ],
    "kinds of namespaces that a list lacks": [
      `${ALL}, namespaceResourceWhitelist: [{group: "", kind: Service}]`,
      object("v1", "Service") + DEPLOYMENT,
      "Deployment",
    ],
    "denied kinds of namespaces": [
      `${ALL}, namespaceResourceBlacklist: [{group: apps, kind: Deployment}]`,
      DEPLOYMENT,
      "Deployment",
    ],
    "no custom kind that may be in a namespace": [ALL, object("example.com/v1", "Widget")],
    "no objects in its own namespace": ["destinations: []", DEPLOYMENT],
    "objects in other namespaces": ["destinations: [{namespace: shop}]", DEPLOYMENT + object("v1", "Secret", "b"), "b"],
  };
  for (const [name, [spec, objects, ...expected]] of Object.entries(TABLE))
    it(`are ${name}`, () =>
      assert.deepEqual(refused(spec, objects), expected.length === 0 ? [] : [["team", ...expected, "web"]]));
  it("are none of what the default project leaves as Argo CD made it", () =>
    assert.deepEqual(refused("description: a", ROLE + DEPLOYMENT, "default"), []));
});
