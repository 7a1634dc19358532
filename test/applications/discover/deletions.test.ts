// Whether engines apply what is merged, and what they delete.
import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { ENGINE_FOUND } from "../../../src/applications/discover/application.ts";
import type { FoundBy } from "../../../src/reports/plan/planned-application.ts";
import { engineOf } from "../../../src/applications/discover/deletions.ts";
import { findApplications } from "../../../src/applications/discover/find-applications.ts";
import { isProtected } from "../../../src/applications/discover/kept-objects.ts";
import { surveyed } from "../../../src/applications/discover/repository.ts";
import { DEFAULT_LIMITS } from "../../../src/base/limits.ts";
import { readManifests } from "../../../src/yaml/read/items.ts";
import { readTree } from "../../../src/yaml/read/tree.ts";
import { treeOf } from "./tree-of.ts";

const SOURCE = "source: {repoURL: https://git.example/x.git, path: app}";
const FINALIZER = "resources-finalizer.argocd.argoproj.io";

const application = (spec: string, finalizers = ""): string =>
  `apiVersion: argoproj.io/v1alpha1\nkind: Application\nmetadata: {name: web, finalizers: [${finalizers}]}\nspec: {${SOURCE}, ${spec}}\n`;

const set = (spec: string, template: string, metadata = "name: web"): string =>
  `apiVersion: argoproj.io/v1alpha1\nkind: ApplicationSet\nmetadata: {name: set}\nspec: {generators: [{list: {elements: [{a: b}]}}], ${spec}, template: {metadata: {${metadata}}, spec: {${SOURCE}, ${template}}}}\n`;

const kustomization = (spec: string): string =>
  `apiVersion: kustomize.toolkit.fluxcd.io/v1\nkind: Kustomization\nmetadata: {name: web, namespace: flux-system}\nspec: {path: ./app, sourceRef: {kind: GitRepository, name: flux-system}, ${spec}}\n`;

const release = (spec: string): string =>
  `apiVersion: helm.toolkit.fluxcd.io/v2\nkind: HelmRelease\nmetadata: {name: web, namespace: shop}\nspec: {chart: {spec: {chart: ./app, sourceRef: {kind: GitRepository, name: flux-system}}}, ${spec}}\n`;

const AUTOMATED = "syncPolicy: {automated: {}}";
const PRUNED = "syncPolicy: {automated: {prune: true}}";

/** Objects, whether what is merged is applied, and what stays of what is pruned, and of what is deleted with it. */
const OBJECTS: readonly (readonly [object: string, held: string, pruned: boolean, deleted: boolean])[] = [
  [application("project: default", FINALIZER), "Manual", true, false],
  [application("syncPolicy: {syncOptions: [CreateNamespace=true]}", FINALIZER), "Manual", true, false],
  [application("syncPolicy: {automated: null}", FINALIZER), "Manual", true, false],
  [application("syncPolicy: {automated: {enabled: false, prune: true}}", FINALIZER), "Manual", true, false],
  [application("syncPolicy: {automated: {enabled: null, prune: true}}", FINALIZER), "", false, false],
  [application(AUTOMATED, FINALIZER), "", true, false],
  [application(PRUNED, FINALIZER), "", false, false],
  [application(PRUNED, `${FINALIZER}/background`), "", false, false],
  [application(PRUNED, "other"), "", false, true],
  [application(PRUNED), "", false, true],
  [
    application(PRUNED, FINALIZER).replace(
      "name: web",
      "name: web, annotations: {argocd.argoproj.io/sync-options: Prune=false}",
    ),
    "",
    false,
    true,
  ],
  [set("goTemplate: false", PRUNED), "", false, false],
  [set("goTemplate: false", "project: default"), "Manual", true, false],
  [set("syncPolicy: {preserveResourcesOnDeletion: true}", PRUNED), "", false, true],
  [
    set("syncPolicy: {preserveResourcesOnDeletion: true}", PRUNED, `name: web, finalizers: [${FINALIZER}]`),
    "",
    false,
    false,
  ],
  [set("syncPolicy: {applicationsSync: create-update}", PRUNED), "", false, true],
  [set("syncPolicy: {applicationsSync: create-delete}", PRUNED), "", false, false],
  [set("strategy: {type: RollingSync, rollingSync: {steps: []}}", "project: default"), "", true, false],
  [kustomization("prune: true"), "", false, false],
  [kustomization("prune: false"), "", true, true],
  [kustomization("prune: true, suspend: true"), "Suspended", false, true],
  [kustomization("prune: true, deletionPolicy: Orphan"), "", false, true],
  [kustomization("prune: false, deletionPolicy: Delete"), "", true, false],
  [kustomization("prune: false, deletionPolicy: WaitForTermination"), "", true, false],
  [
    `${kustomization("prune: true")}---\napiVersion: source.toolkit.fluxcd.io/v1\nkind: GitRepository\nmetadata: {name: flux-system, namespace: flux-system}\nspec: {suspend: true, url: https://git.example/x.git}\n`,
    "Suspended",
    false,
    false,
  ],
  [release("values: {}"), "", false, false],
  [release("suspend: true"), "Suspended", false, true],
];

describe("what an engine does with an application", () => {
  for (const [object, held, pruned, deleted] of OBJECTS)
    it(object.replaceAll("\n", " "), () => {
      const files = { "app/Chart.yaml": "apiVersion: v2\nname: app\nversion: 1.0.0\n", "object.yaml": object };
      const found = findApplications(surveyed(treeOf(files))).applications.filter(({ foundBy }) =>
        ENGINE_FOUND.has(foundBy),
      );
      assert.deepEqual(
        found.map((one) => [one.held ?? "", one.keeps]),
        [[held, { pruned, deleted }]],
      );
    });
});

/** Marks on an object, and the engines with which it stays when it is pruned, and when its application is deleted. */
const ENGINES: readonly FoundBy[] = ["Application", "FluxKustomization", "HelmRelease", "Manifests"];
const MARKS: readonly (readonly [metadata: string, pruned: readonly FoundBy[], deleted: readonly FoundBy[]])[] = [
  ["name: a", [], []],
  [
    "name: a, annotations: {argocd.argoproj.io/sync-options: 'ServerSideApply=true, Prune=false'}",
    ["Application", "Manifests"],
    [],
  ],
  ["name: a, annotations: {argocd.argoproj.io/sync-options: Delete=false}", [], ["Application", "Manifests"]],
  ["name: a, annotations: {argocd.argoproj.io/compare-options: IgnoreExtraneous}", [], []],
  [
    "name: a, annotations: {kustomize.toolkit.fluxcd.io/prune: disabled}",
    ["FluxKustomization", "Manifests"],
    ["FluxKustomization", "Manifests"],
  ],
  [
    "name: a, labels: {kustomize.toolkit.fluxcd.io/prune: Disabled}",
    ["FluxKustomization", "Manifests"],
    ["FluxKustomization", "Manifests"],
  ],
  [
    "name: a, annotations: {kustomize.toolkit.fluxcd.io/reconcile: disabled}",
    ["FluxKustomization", "Manifests"],
    ["FluxKustomization", "Manifests"],
  ],
  [
    "name: a, annotations: {helm.sh/resource-policy: keep}",
    ["HelmRelease", "Manifests"],
    ["Application", "HelmRelease", "Manifests"],
  ],
];

describe("a mark on an object", () => {
  for (const [metadata, pruned, deleted] of MARKS)
    it(metadata, () => {
      const text = `apiVersion: v1\nkind: ConfigMap\nmetadata: {${metadata}}\n`;
      const [item] = readManifests(readTree(text, "a.yaml", DEFAULT_LIMITS)).items;
      assert.ok(item !== undefined);
      assert.deepEqual(
        ENGINES.filter((engine) => isProtected(item, engineOf(engine), "pruned")),
        pruned,
      );
      assert.deepEqual(
        ENGINES.filter((engine) => isProtected(item, engineOf(engine), "deleted")),
        deleted,
      );
    });
});
