import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { findApplications } from "../../../src/applications/discover/find-applications.ts";
import { surveyed } from "../../../src/applications/discover/repository.ts";
import { treeOf } from "./tree-of.ts";

const DEPLOYMENT = "apiVersion: apps/v1\nkind: Deployment\nmetadata:\n  name: web\n";
const CONFIG = "apiVersion: v1\nkind: ConfigMap\nmetadata:\n  name: web\n";

interface Row {
  readonly what: string;
  readonly files: Readonly<Record<string, string>>;
  /** `Kind name`, each. */
  readonly found: readonly string[];
  readonly notFound?: readonly string[];
}

const ROWS: readonly Row[] = [
  { what: "an empty repository", files: {}, found: [] },
  {
    what: "overlays of a base",
    files: {
      "base/kustomization.yaml": "resources: [web.yaml]\n",
      "base/web.yaml": DEPLOYMENT,
      "overlays/a/kustomization.yaml": "resources: [../../base]\n",
      "overlays/b/kustomization.yml": "bases: [../../base/]\n",
      "overlays/c/Kustomization": "Resources: [../../base]\n",
    },
    found: ["Kustomize overlays/a", "Kustomize overlays/b", "Kustomize overlays/c"],
  },
  {
    what: "helmfiles, which are not run",
    files: {
      "a/helmfile.yaml": "releases: []\n",
      "helmfile.d/b.yaml.gotmpl": "releases: []\n",
      "clusters/public.yaml": "releases:\n  - name: web\n    chart: repository/web\n    values: [{{ .Values.a }}]\n",
      "clusters/notes.yaml": "releases: [web]\n",
    },
    found: [],
    notFound: [
      "Helmfile a/helmfile.yaml: Helmfile renders its releases",
      "Helmfile clusters/public.yaml: Helmfile renders its releases",
      "Helmfile helmfile.d/b.yaml.gotmpl: Helmfile renders its releases",
    ],
  },
  {
    what: "components, which are no applications",
    files: {
      "parts/kustomization.yaml": "apiVersion: kustomize.config.k8s.io/v1alpha1\nkind: Component\n",
      "unused/kustomization.yaml": "kind: Component\n",
      "app/kustomization.yaml": "components: [../parts]\n",
    },
    found: ["Kustomize app"],
  },
  {
    what: "kustomizations that include each other, and one that includes itself",
    files: {
      "a/kustomization.yaml": "resources: [../b]\n",
      "b/kustomization.yaml": "resources: [../a]\n",
      "c/kustomization.yaml": "resources: [.]\n",
    },
    found: ["Kustomize c"],
    notFound: [
      "Kustomization a failure: it is part of a cycle of kustomizations: kustomize builds none of them",
      "Kustomization b failure: it is part of a cycle of kustomizations: kustomize builds none of them",
    ],
  },
  {
    what: "a kustomization that can't be read, and one that is a template",
    files: {
      "a/kustomization.yaml": "resources: [\n",
      "b/kustomization.yaml": "resources:\n  - {{ x }}-y\n",
      "c/kustomization.yaml": "- a\n",
    },
    found: [],
    notFound: [
      "Kustomization a/kustomization.yaml failure: line 2, column 1: this is not valid YAML: deficient indentation",
      "Template b/kustomization.yaml: it contains {{ and cannot be read as manifests: this is not valid YAML: bad indentation of a mapping entry",
      "Kustomization c/kustomization.yaml failure: this must be a mapping",
    ],
  },
  {
    what: "paths that lead out, and addresses",
    files: {
      "a/kustomization.yaml": "resources: [../../x, /b, 'https://github.com/x/y//b', b]\n",
      "b/kustomization.yaml": "",
    },
    found: ["Kustomize a", "Kustomize b"],
  },
  {
    what: "charts: dependencies, libraries, those of kustomizations, what is in them",
    files: {
      "charts/app/Chart.yaml":
        "apiVersion: v2\nname: app\ndependencies:\n  - {name: common, repository: 'file://../common'}\n",
      "charts/app/templates/kustomization.yaml": "",
      "charts/app/templates/web.yaml": DEPLOYMENT,
      "charts/app/charts/inner/Chart.yaml": "apiVersion: v2\nname: inner\n",
      "charts/common/Chart.yaml": "apiVersion: v2\nname: common\n",
      "charts/old/Chart.yaml": "apiVersion: v1\nname: old\n",
      "charts/old/requirements.yaml": "dependencies:\n  - {name: older, repository: 'file://../older'}\n",
      "charts/older/Chart.yaml": "apiVersion: v1\nname: older\n",
      "charts/lib/Chart.yaml": "apiVersion: v2\nname: lib\ntype: library\n",
      "k/kustomization.yaml": "helmCharts: [{name: mine}]\n",
      "k/charts/mine/Chart.yaml": "apiVersion: v2\nname: mine\n",
      "h/kustomization.yaml": "helmGlobals: {chartHome: ../home}\nhelmCharts: [{name: his}]\n",
      "home/his/Chart.yaml": "apiVersion: v2\nname: his\n",
      // As kustomize keeps what it has pulled.
      "v/kustomization.yaml": "helmCharts: [{name: web, version: 1.0.0, repo: 'https://charts.example'}]\n",
      "v/charts/web-1.0.0/web/Chart.yaml": "apiVersion: v2\nname: web\n",
    },
    found: ["Helm charts/app", "Helm charts/old", "Kustomize h", "Kustomize k", "Kustomize v"],
  },
  {
    what: "a chart that only a chart beside a kustomization depends on",
    files: {
      "both/Chart.yaml": "apiVersion: v2\nname: both\ndependencies:\n  - {name: web, repository: 'file://../web'}\n",
      "both/kustomization.yaml": "resources: [all.yaml]\n",
      "web/Chart.yaml": "apiVersion: v2\nname: web\n",
    },
    found: ["Helm web", "Kustomize both"],
  },
  {
    what: "packages, with those in them",
    files: {
      "p/Kptfile": "apiVersion: kpt.dev/v1\nkind: Kptfile\n",
      "p/web.yaml": DEPLOYMENT,
      "p/sub/Kptfile": "apiVersion: kpt.dev/v1\nkind: Kptfile\n",
      "p/sub/config.yaml": CONFIG,
      "q/web.yaml": DEPLOYMENT,
    },
    found: ["Kpt p p/sub/config.yaml p/web.yaml", "Files . q/web.yaml"],
  },
  {
    what: "manifests with a duplicate object",
    files: {
      "prod/web.yaml": DEPLOYMENT,
      "test/web.yaml": DEPLOYMENT,
      "other/config.yaml": CONFIG,
      "mkdocs.yml": "a: 1\n",
    },
    found: ["Files . other/config.yaml", "Files prod prod/web.yaml", "Files test test/web.yaml"],
  },
  {
    what: "manifests that kustomizations take from beside them",
    files: {
      "k/a/kustomization.yaml": "resources: [../../shared/web.yaml]\n",
      "shared/web.yaml": DEPLOYMENT,
      "shared/config.yaml": CONFIG,
    },
    found: ["Kustomize k/a", "Files . shared/config.yaml"],
  },
  {
    what: "what can't be read, and templates",
    files: {
      "a.yaml": "apiVersion: v1\nkind: ConfigMap\nmetadata: [\n",
      "b.yaml": "apiVersion: v1\nkind: ConfigMap\nmetadata: {{ x }}\n",
    },
    found: [],
    notFound: [
      "Manifest a.yaml failure: line 4, column 1: this is not valid YAML: deficient indentation",
      "Template b.yaml: it contains {{ and cannot be read as manifests: a key must not be a mapping or a list",
    ],
  },
];

describe("applications that nobody names", () => {
  for (const { what, files, found, notFound = [] } of ROWS) {
    it(what, () => {
      const all = findApplications(surveyed(treeOf(files)));
      assert.deepEqual(
        all.applications
          .map(({ kind, name, render }) => [kind, name, ...("files" in render ? render.files : [])].join(" "))
          .sort(),
        [...found].sort(),
      );
      assert.deepEqual(
        all.notFound.map(
          ({ kind, path, reason, isFailure }) => `${kind} ${path}${isFailure ? " failure" : ""}: ${reason}`,
        ),
        notFound,
      );
    });
  }

  it("includes what a kustomization or chart that can't be read includes in the other revision", () => {
    const whole = {
      "base/kustomization.yaml": "resources: [web.yaml]\n",
      "base/web.yaml": DEPLOYMENT,
      "plain/config.yaml": CONFIG,
      "inflated/x/Chart.yaml": "name: x\n",
      "over/kustomization.yaml":
        "resources: [../base, ../plain/config.yaml]\nhelmCharts: [{name: x}]\nhelmGlobals: {chartHome: ../inflated}\n",
      "library/Chart.yaml": "name: library\n",
      "chart/Chart.yaml": "name: chart\ndependencies: [{name: library, repository: file://../library}]\n",
    };
    const broken = { ...whole, "over/kustomization.yaml": "resources: [../base\n", "chart/Chart.yaml": "- a\n" };
    const foundIn = (files: typeof whole, other?: typeof whole): string[] =>
      findApplications(surveyed(treeOf(files), other === undefined ? {} : { other: treeOf(other) })).applications.map(
        ({ path }) => path,
      );
    assert.deepEqual(foundIn(whole).sort(), ["chart", "over"]);
    assert.deepEqual(foundIn(broken, whole), []);
    assert.deepEqual(foundIn(broken).sort(), [".", "base", "inflated/x", "library"]);
  });
});

it("a chart has its own name as the release name, if helm accepts it", () => {
  const named = ["web", "web_map"].map((name) => {
    const files = { "chart/Chart.yaml": `apiVersion: v2\nname: ${name}\n` };
    const [{ render } = {}] = findApplications(surveyed(treeOf(files))).applications;
    return render?.by === "helm" ? render.releaseName : undefined;
  });
  assert.deepEqual(named, ["web", "release-name"]);
});
