// Argo CD's plugin contract, without Argo CD: environment, folder, output, errors, signals.
import assert from "node:assert/strict";
import { spawn } from "node:child_process";
import { chmodSync, existsSync, mkdirSync, readdirSync, readFileSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { setTimeout as wait } from "node:timers/promises";
import { describe, test } from "node:test";
import { parse } from "yaml";
import { cmp, environmentOf, HELM, repository, sidecar, type Call } from "./cmp.ts";
import { stampOf } from "./expected-digest.ts";
import { assertOnlyStampsInserted } from "./inserted-lines.ts";
import { STANDALONE } from "./kustomize.ts";
import { allStamps, find, identityOf, mapping, objectsOf, optionalMapping, type Mapping } from "./manifests.ts";
import { isAlive, succeed, unlessFound } from "./programs.ts";
import { temporaryFolder, treeOf } from "./trees.ts";

const CONFIG = { LOG_LEVEL: "info", HOSTS: "shop.example" };

describe("cmp generate", { skip: unlessFound(STANDALONE) || unlessFound(HELM) }, () => {
  test("a kustomization: the output of kustomize, stamped", () => {
    const tree = repository();
    const { status, stdout, stderr } = cmp("generate", "overlays/prod", { tree });
    assert.deepEqual({ status, stderr }, { status: 0, stderr: "" });
    const plain = succeed(STANDALONE, ["build", "."], { cwd: join(tree.folder, "overlays/prod"), env: process.env });
    assertOnlyStampsInserted(plain, stdout, "the kustomization");
    const [[workload, stamps] = ["", {}]] = Object.entries(allStamps(objectsOf(stdout)));
    assert.equal(workload, "Deployment/shop/prod-web");
    assert.deepEqual(Object.values(stamps), [stampOf({ LEVEL: "warn" })]);
  });

  test("a chart: the output of helm for Argo CD, stamped", () => {
    const tree = repository();
    const { status, stdout, stderr } = cmp("generate", "chart", { tree });
    assert.deepEqual({ status, stderr }, { status: 0, stderr: "" });
    const flags = [
      "--name-template=shop",
      "--namespace=store",
      "--kube-version=1.34.1",
      "--api-versions=shop.example/v1",
      "--include-crds",
    ];
    const plain = succeed(HELM, ["template", ".", ...flags], { cwd: join(tree.folder, "chart"), env: process.env });
    assertOnlyStampsInserted(plain, stdout, "the chart");
    const objects = objectsOf(stdout);
    assert.deepEqual(allStamps(objects), {
      "Deployment/shop-web": {
        "configmap.rollstamp.dev/shop-config": stampOf(CONFIG),
        "secret.rollstamp.dev/shop": stampOf({ PASSWORD: "correct-horse" }),
      },
      "StatefulSet/shop-cache": { "configmap.rollstamp.dev/shop-cache": stampOf({ "cache.conf": "size=1\n" }) },
    });
    assert.deepEqual(
      objects.map(identityOf).filter((name) => /^(?:Custom|Pod)/.test(name)),
      ["CustomResourceDefinition/carts.shop.example", "Pod/shop-ping"],
    );
    assert.equal(annotationsOf(find(objects, "Deployment/shop-web"))["rendered-for"], "store v1.34.1 true");
  });

  test("a plain folder: its manifests, stamped", () => {
    const tree = repository({ "plain/.gitignore": "env.json\n" });
    const { status, stdout, stderr } = cmp("generate", "plain", { tree });
    assert.deepEqual({ status, stderr }, { status: 0, stderr: "" });
    assert.deepEqual(objectsOf(stdout).map(identityOf), ["ConfigMap/env", "Deployment/web"]);
    assert.deepEqual(allStamps(objectsOf(stdout)), {
      "Deployment/web": { "configmap.rollstamp.dev/env": stampOf({ LEVEL: "info" }) },
    });
    assert.match(stdout, /^# Kept, with its comments\.$/m);
    const below = cmp("generate", "plain", { tree, parameters: [{ name: "directory-recurse", string: "true" }] });
    assert.deepEqual(objectsOf(below.stdout).map(identityOf), ["ConfigMap/below", "ConfigMap/env", "Deployment/web"]);
  });

  const chartParameters: readonly {
    readonly what: string;
    readonly call: Call;
    readonly holds: RegExp;
    readonly not?: RegExp;
  }[] = [
    {
      what: "a key of values.yaml, with its type",
      call: {
        parameters: [
          { name: "replicaCount", string: "7" },
          { name: "debug", string: "true" },
        ],
      },
      holds: /replicas: 7\n[\s\S]*args: \[--debug\]/,
    },
    {
      what: "a mapping of values.yaml, by paths",
      call: {
        parameters: [
          { name: "image", map: { tag: "2.0" } },
          { name: "config", map: { EXTRA: "true" } },
        ],
      },
      holds: /LOG_LEVEL: "info"[\s\S]*image: "registry\.example\/shop:2\.0"/,
    },
    {
      what: "a list of values.yaml",
      call: { parameters: [{ name: "hosts", array: ["a", "b,c"] }] },
      holds: /HOSTS: "a b,c"/,
    },
    {
      what: "a value that is not a string",
      call: { parameters: [{ name: "tolerations", string: "[{key: spot, operator: Exists}]" }] },
      holds: /tolerations:\n\s+- key: spot\n\s+operator: Exists/,
    },
    {
      what: "values files of the chart",
      call: { parameters: [{ name: "values-files", array: ["values-prod.yaml"] }] },
      holds: /replicas: 4/,
    },
    {
      what: "values files of the repository",
      call: { parameters: [{ name: "values-files", array: ["/settings/values-prod.yaml"] }] },
      holds: /LOG_LEVEL: "warn"/,
    },
    {
      what: "values files that may be missing",
      call: {
        parameters: [
          { name: "values-files", array: ["none.yaml"] },
          { name: "ignore-missing-values-files", string: "true" },
        ],
      },
      holds: /replicas: 2/,
    },
    {
      what: "values as text",
      call: { parameters: [{ name: "helm-values", string: "replicaCount: 9\n" }] },
      holds: /replicas: 9/,
    },
    {
      what: "parameters as helm --set takes them, with the application's own names in them",
      call: { parameters: [{ name: "helm-parameters", map: { "image.tag": "$ARGOCD_APP_REVISION_SHORT" } }] },
      holds: /image: "registry\.example\/shop:4f3e2d1"/,
    },
    {
      what: "string parameters",
      call: { parameters: [{ name: "helm-string-parameters", map: { "config.LOG_LEVEL": "1e3" } }] },
      holds: /LOG_LEVEL: "1e3"/,
    },
    {
      what: "file parameters",
      call: { parameters: [{ name: "helm-file-parameters", map: { password: "/settings/values-prod.yaml" } }] },
      holds: /PASSWORD: "replicaCount: 4\\n/,
    },
    {
      what: "release, namespace, versions",
      call: {
        parameters: [
          { name: "release-name", string: "other" },
          { name: "release-namespace", string: "elsewhere" },
          { name: "kube-version", string: "1.30" },
          { name: "api-versions", array: ["v1"] },
        ],
      },
      holds: /name: other-web[\s\S]*rendered-for: elsewhere v1\.30 false/,
    },
    {
      what: "no CRDs, no tests",
      call: {
        parameters: [
          { name: "skip-crds", string: "true" },
          { name: "skip-tests", string: "true" },
        ],
      },
      holds: /kind: Deployment/,
      not: /CustomResourceDefinition|kind: Pod\n/,
    },
    {
      what: "plugin.env in the place of parameters",
      call: { environment: { ARGOCD_ENV_VALUES_FILES: "values-prod.yaml", ARGOCD_ENV_RELEASE_NAME: "other" } },
      holds: /name: other-web[\s\S]*replicas: 4/,
    },
    {
      what: "an Application of another namespace",
      call: { environment: { ARGOCD_APP_NAME: "team-a_web" } },
      holds: /name: web-web/,
    },
    {
      what: "the chart's own checksums go",
      call: { parameters: [{ name: "rollstamp-options", map: { checksums: "Remove", layout: "Combined" } }] },
      holds: /rollstamp\.dev\/config-hash: "h1-/,
      not: /checksum\/config/,
    },
  ];
  for (const { what, call, holds, not } of chartParameters) {
    test(`parameters of a chart: ${what}`, () => {
      const { status, stdout, stderr } = cmp("generate", "chart", call);
      assert.deepEqual({ status, stderr }, { status: 0, stderr: "" });
      assert.match(stdout, holds);
      if (not !== undefined) assert.doesNotMatch(stdout, not);
    });
  }

  test("a chart whose dependency is another chart of the repository", () => {
    const { status, stdout, stderr } = cmp("generate", "umbrella");
    assert.deepEqual({ status, stderr }, { status: 0, stderr: "" });
    assert.deepEqual(objectsOf(stdout).map(identityOf).sort(), ["ConfigMap/library", "ConfigMap/umbrella"]);
  });

  test("a chart that is a dependency under several names, in two versions", () => {
    const dependency = (alias: string, version: string, folder: string): string =>
      `  - {name: library, alias: ${alias}, version: ${version}, repository: "file://../${folder}"}\n`;
    const chart = (version: string): Record<string, string> => ({
      "Chart.yaml": `apiVersion: v2\nname: library\nversion: ${version}\n`,
      "templates/config.yaml": `apiVersion: v1\nkind: ConfigMap\nmetadata: {name: "{{ .Chart.Name }}"}\ndata: {version: "${version}"}\n`,
    });
    const below = (folder: string, files: Record<string, string>): Record<string, string> =>
      Object.fromEntries(Object.entries(files).map(([name, text]) => [`${folder}/${name}`, text]));
    const tree = repository({
      ...below("one", chart("1.0.0")),
      ...below("two", chart("2.0.0")),
      "several/Chart.yaml": `apiVersion: v2\nname: several\nversion: 1.0.0\ndependencies:\n${dependency("a", "1.0.0", "one")}${dependency("b", "1.0.0", "one")}${dependency("c", "2.0.0", "two")}`,
    });
    const { status, stdout, stderr } = cmp("generate", "several", { tree });
    assert.deepEqual({ status, stderr }, { status: 0, stderr: "" });
    const versions = objectsOf(stdout).map((object) => [
      identityOf(object),
      optionalMapping(object["data"])["version"],
    ]);
    assert.deepEqual(versions.sort(), [
      ["ConfigMap/a", "1.0.0"],
      ["ConfigMap/b", "1.0.0"],
      ["ConfigMap/c", "2.0.0"],
    ]);
  });

  test("the configuration: the nearest rollstamp.yaml, a named file, the file of the sidecar, options", () => {
    const config = (layout: string): string =>
      `apiVersion: rollstamp.dev/v1alpha1\nkind: ConfigHash\nspec: {layout: ${layout}}\n`;
    const tree = repository({ "rollstamp.yaml": config("Combined"), "plain/own.yaml": config("PerSource") });
    const combined = /rollstamp\.dev\/config-hash/;
    const plain = cmp("generate", "plain", { tree });
    assert.match(plain.stdout, combined);
    assert.match(cmp("generate", "overlays/prod", { tree }).stdout, combined);
    const named = cmp("generate", "plain", { tree, parameters: [{ name: "rollstamp-config", string: "own.yaml" }] });
    assert.doesNotMatch(named.stdout, combined);
    assert.doesNotMatch(named.stdout, /kind: ConfigHash/, "a configuration is no manifest of the application");
    const sidecarFile = join(temporaryFolder(), "config.yaml");
    writeFileSync(sidecarFile, config("PerSource"));
    const environment = { ROLLSTAMP_CONFIG: sidecarFile };
    assert.doesNotMatch(cmp("generate", "overlays/prod", { tree, environment }).stdout, combined);
    const over = cmp("generate", "overlays/prod", {
      tree,
      environment,
      parameters: [{ name: "rollstamp-options", map: { layout: "Combined" } }],
    });
    assert.match(over.stdout, combined);
    writeFileSync(join(tree.folder, "plain", "rollstamp.yaml"), config("PerSource"));
    const nearest = cmp("generate", "plain", { tree });
    assert.doesNotMatch(nearest.stdout, combined);
    assert.equal(
      objectsOf(nearest.stdout).some(
        (object) => object["kind"] === "ConfigHash" && optionalMapping(object["spec"])["layout"] === "Combined",
      ),
      false,
    );
  });

  test("objects without a namespace are in the namespace of the Application", () => {
    const tree = treeOf({
      "app/env.yaml": "apiVersion: v1\nkind: ConfigMap\nmetadata: {name: env}\ndata: {A: '1'}\n",
      "app/web.yaml": `apiVersion: apps/v1
kind: Deployment
metadata: {name: web, namespace: store}
spec:
  selector: {matchLabels: {app: web}}
  template:
    metadata: {labels: {app: web}}
    spec: {containers: [{name: web, image: registry.example/web:1, envFrom: [{configMapRef: {name: env}}]}]}
`,
    });
    const { status, stdout, stderr } = cmp("generate", "app", { tree });
    assert.deepEqual([status, stderr], [0, ""]);
    assert.deepEqual(Object.keys(allStamps(objectsOf(stdout))["Deployment/store/web"] ?? {}), [
      "configmap.rollstamp.dev/env",
    ]);
    const parameters = [{ name: "rollstamp-options", map: { defaultNamespace: "elsewhere" } }];
    assert.match(
      cmp("generate", "app", { tree, parameters }).stderr,
      /ConfigMap store\/env, which is not in the input/,
    );
  });

  test("a configuration above the repository is not read", () => {
    const outer = temporaryFolder();
    writeFileSync(
      join(outer, "rollstamp.yaml"),
      "apiVersion: rollstamp.dev/v1alpha1\nkind: ConfigHash\nspec: {layout: Combined}\n",
    );
    const inner = repository();
    const folder = join(outer, "unpacked");
    symlinkSync(inner.folder, folder);
    const { stdout } = cmp("generate", "plain", { tree: { folder, build: folder } });
    assert.match(stdout, /configmap\.rollstamp\.dev\/env/);
  });

  test("the owner of the sidecar sets options of kustomize", () => {
    const tree = repository({
      "base/labels.yaml": "",
      "overlays/prod/kustomization.yaml": "resources: [../../settings/far.yaml]\n",
      "settings/far.yaml": "apiVersion: v1\nkind: ConfigMap\nmetadata: {name: far}\n",
    });
    assert.equal(cmp("generate", "overlays/prod", { tree }).status, 2);
    const allowed = cmp("generate", "overlays/prod", {
      tree,
      environment: { ROLLSTAMP_KUSTOMIZE_BUILD_OPTIONS: "--load-restrictor LoadRestrictionsNone" },
    });
    assert.deepEqual(objectsOf(allowed.stdout).map(identityOf), ["ConfigMap/far"]);
    const foreign = cmp("generate", "overlays/prod", {
      tree,
      environment: { ARGOCD_ENV_ROLLSTAMP_KUSTOMIZE_BUILD_OPTIONS: "--load-restrictor LoadRestrictionsNone" },
    });
    assert.equal(foreign.status, 2, "an Application can't");
  });

  // Two differences between kustomize and plain helm are not tested: kustomize 5.8.1 passes the apiVersions of one chart
  // to all charts of its list, and reads a plain key `y` of merged values as a string, while helm reads `true`.
  test("the owner allows kustomizations to inflate charts: the same output as kustomize", () => {
    const tree = repository({
      "app/kustomization.yaml": `namespace: here
namePrefix: p-
resources: [../inflated, own.yaml]
patches:
  - target: {kind: ConfigMap, name: first}
    patch: '[{"op": "add", "path": "/data/patched", "value": "yes"}]'
`,
      "app/own.yaml": "apiVersion: v1\nkind: ConfigMap\nmetadata: {name: own}\n",
      "inflated/kustomization.yaml": `helmGlobals: {chartHome: vendored}
helmCharts:
  - {name: web, releaseName: first, valuesInline: {a: inline, nested: {x: inline}}}
  - {name: web, releaseName: second, namespace: theirs, valuesFile: v.yaml, valuesInline: {a: inline}, valuesMerge: merge}
  - {name: web, releaseName: third, valuesFile: v.yaml, additionalValuesFiles: [w.yaml], includeCRDs: true, skipHooks: true}
  - {name: web, releaseName: fourth, valuesInline: {a: inline}, valuesMerge: replace, kubeVersion: 1.30.0}
  - {name: web, releaseName: fifth}
  - {name: none, releaseName: sixth}
  - {name: web, valuesInline: {a: inline}, valuesMerge: merge}
configMapGenerator: [{name: generated, literals: [a=b]}]
generators:
  - gen/charts.yaml
  - '{apiVersion: builtin, kind: HelmChartInflationGenerator, metadata: {name: i}, chartHome: vendored, name: web, releaseName: inline}'
`,
      "inflated/gen/charts.yaml": `apiVersion: builtin
kind: HelmChartInflationGenerator
metadata: {name: c}
chartHome: vendored
name: web
releaseName: seventh
valuesFile: v.yaml
valuesInline: {a: inline}
---
apiVersion: builtin
kind: ConfigMapGenerator
metadata: {name: of-a-generator}
files: [w.yaml]
`,
      "inflated/v.yaml": "a: file\nnested: {z: file}\n",
      "inflated/w.yaml": "a: more\n",
      "inflated/vendored/none/Chart.yaml": "apiVersion: v2\nname: none\nversion: 1.0.0\n",
      "inflated/vendored/none/templates/none.yaml": "# nothing\n",
      "inflated/vendored/none/values.yaml": "{}\n",
      "inflated/vendored/web/Chart.yaml": "apiVersion: v2\nname: web\nversion: 1.0.0\n",
      "inflated/vendored/web/values.yaml": "a: chart\nnested: {x: chart, z: chart}\n",
      "inflated/vendored/web/crds/crd.yaml":
        "apiVersion: apiextensions.k8s.io/v1\nkind: CustomResourceDefinition\nmetadata: {name: x}\n",
      "inflated/vendored/web/templates/web.yaml": `apiVersion: v1
kind: ConfigMap
metadata: {name: {{ .Release.Name }}}
data:
  values: {{ .Values | toJson | quote }}
  namespace: {{ .Release.Namespace }}
  version: {{ .Capabilities.KubeVersion.Minor | quote }}
  has: {{ .Capabilities.APIVersions.Has "y/v1" | quote }}
---
apiVersion: v1
kind: Pod
metadata: {name: {{ .Release.Name }}, namespace: explicit, annotations: {helm.sh/hook: test}}
`,
    });
    const options = "--enable-helm --helm-api-versions y/v1";
    assert.match(
      cmp("generate", "app", { tree }).stderr,
      /rollstamp does not render 'helmGlobals' of this kustomization/,
    );
    const { status, stdout, stderr } = cmp("generate", "app", {
      tree,
      environment: { ROLLSTAMP_KUSTOMIZE_BUILD_OPTIONS: options },
    });
    assert.deepEqual([status, stderr], [0, ""]);
    const native = succeed(STANDALONE, ["build", "app", ...options.split(" ")], {
      cwd: tree.folder,
      env: { PATH: sidecar(), HOME: temporaryFolder() },
    });
    const sorted = (text: string): readonly string[] =>
      objectsOf(text)
        .map((object) => JSON.stringify(object))
        .sort();
    assert.deepEqual(sorted(stdout), sorted(native));
    assert.ok(sorted(stdout).length >= 12);
  });

  test("a keyed digest; the key reaches no renderer", () => {
    const bin = sidecar([]);
    const seen = join(temporaryFolder(), "environment");
    script(
      bin,
      "kustomize",
      `env > '${seen}'\ncat <<'EOF'\n${readFileSync(join(repository().folder, "plain/web.yaml"), "utf8")}---\napiVersion: v1\nkind: Secret\nmetadata: {name: env}\nEOF`,
    );
    const environment = { ROLLSTAMP_HMAC_KEY: "the-key-of-the-sidecar" };
    const parameters = [{ name: "rollstamp-options", map: { secrets: "Keyed", missing: "Ignore" } }];
    const { status, stdout, stderr } = cmp("generate", "overlays/prod", { bin, environment, parameters });
    assert.deepEqual({ status, stderr }, { status: 0, stderr: "" });
    assert.ok(
      !readFileSync(seen, "utf8").includes("the-key-of-the-sidecar") && !stdout.includes("the-key-of-the-sidecar"),
    );
    assert.match(readFileSync(seen, "utf8"), /^ARGOCD_APP_NAME=shop$/m);
  });
});

interface Failure {
  readonly what: string;
  readonly path: string;
  readonly call?: Call;
  readonly files?: Readonly<Record<string, string>>;
  readonly says: RegExp;
  readonly status?: number;
}

const KUSTOMIZE_THAT = (what: string): Call => ({ bin: script(sidecar([]), "kustomize", what) });

const FAILURES: readonly Failure[] = [
  {
    what: "no kustomize",
    path: "overlays/prod",
    call: { bin: sidecar([]) },
    says: /kustomize is not on PATH\. Install/,
  },
  { what: "no helm", path: "chart", call: { bin: sidecar([]) }, says: /helm is not on PATH\. Install/ },
  {
    what: "a build that fails",
    path: "overlays/prod",
    files: { "overlays/prod/kustomization.yaml": "resources: [../none]\n" },
    says: /kustomize build ended with status 1: accumulating resources.*'?\.\.\/none'?/,
  },
  {
    what: "a chart that fails by its own words",
    path: "chart",
    files: { "chart/templates/web.yaml": '{{ fail "set\\nan image" }}\n' },
    says: /helm template ended with status 1: execution error at \(shop\/templates\/web\.yaml:1:3\): set \| an image$/,
  },
  {
    what: "a chart whose rendering is no YAML",
    path: "chart",
    files: { "chart/templates/web.yaml": "a: b: c\n" },
    says: /helm template ended with status 1: YAML parse error on shop\/templates\/web\.yaml/,
  },
  {
    what: "a chart without its dependencies",
    path: "chart",
    files: {
      "chart/Chart.yaml":
        "apiVersion: v2\nname: shop\nversion: 1.0.0\ndependencies:\n  - {name: redis, version: 1.0.0, repository: 'https://charts.example'}\n",
    },
    says: /Chart\.yaml: the chart has dependencies that are not in its folder 'charts'\. Run 'helm dependency build' and commit/,
  },
  {
    what: "a chart that renders nothing",
    path: "chart",
    call: { parameters: [{ name: "skip-crds", string: "true" }] },
    files: {
      "chart/Chart.yaml": "apiVersion: v2\nname: shop\nversion: 1.0.0\n",
      ...Object.fromEntries(
        ["config", "secret", "web", "optional", "tests/ping", "../charts/cache/templates/cache"].map((name) => [
          join("chart/templates", `${name}.yaml`),
          "# nothing\n",
        ]),
      ),
    },
    says: /helm template printed no Kubernetes object\. An empty result is refused: a sync could delete/,
  },
  {
    what: "a build that prints nothing",
    path: "overlays/prod",
    call: KUSTOMIZE_THAT("true"),
    says: /kustomize build printed no Kubernetes object/,
  },
  {
    what: "a folder with nothing",
    path: "settings",
    says: /the folder has no kustomization, chart or Kubernetes manifest/,
  },
  {
    what: "a ResourceList",
    path: "overlays/prod",
    call: KUSTOMIZE_THAT(
      "echo '{apiVersion: config.kubernetes.io/v1, kind: ResourceList, items: [{apiVersion: v1, kind: ConfigMap, metadata: {name: a}}]}'",
    ),
    says: /kustomize build printed a ResourceList/,
  },
  {
    what: "text among the manifests",
    path: "overlays/prod",
    call: KUSTOMIZE_THAT("echo Building; echo ---; echo '{apiVersion: v1, kind: ConfigMap, metadata: {name: a}}'"),
    says: /kustomize build:1:1: this is not a Kubernetes object/,
  },
  {
    what: "a build that dies",
    path: "overlays/prod",
    call: KUSTOMIZE_THAT("kill -9 $$"),
    says: /kustomize build ended with the signal SIGKILL: it said nothing/,
  },
  {
    what: "a parameter of the wrong form",
    path: "chart",
    call: { parameters: [{ name: "values-files", string: "values-prod.yaml" }] },
    says: /the plugin parameter 'values-files' is a string\. Needed: a list \(array\)\.$/,
  },
  {
    what: "a value of the wrong type",
    path: "chart",
    call: { parameters: [{ name: "replicaCount", string: "two" }] },
    says: /the plugin parameter 'replicaCount' must be a number/,
  },
  {
    what: "an unknown parameter",
    path: "chart",
    call: { parameters: [{ name: "replicasCount", string: "2" }] },
    says: /the plugin parameter 'replicasCount' is unknown, did you mean 'replicaCount'\?/,
  },
  {
    what: "a chart's parameter for a kustomization",
    path: "overlays/prod",
    call: { parameters: [{ name: "values-files", array: [] }] },
    says: /'values-files' is for a Helm chart, and this is a kustomization/,
  },
  {
    what: "a misspelt option",
    path: "plain",
    call: { parameters: [{ name: "rollstamp-options", map: { layuot: "Combined" } }] },
    says: /in the plugin parameter 'rollstamp-options': unknown field 'spec\.layuot', did you mean 'layout'\? Known here/,
  },
  {
    what: "a values file that is not there",
    path: "chart",
    call: { parameters: [{ name: "values-files", array: ["none.yaml"] }] },
    says: /'values-files' names 'none\.yaml', which does not exist/,
  },
  ...["../../../etc/passwd", "/../../etc/passwd", "https://example.org/values.yaml"].map((file): Failure => ({
    what: `a values file outside the repository: ${file}`,
    path: "chart",
    call: { parameters: [{ name: "values-files", array: [file] }] },
    says: /'values-files' names '.*', which is (?:outside the repository|not a file)\. Use a file of the application's repository/,
  })),
  {
    what: "a file parameter outside the repository",
    path: "chart",
    call: { parameters: [{ name: "helm-file-parameters", map: { password: "../../../../../../../../etc/passwd" } }] },
    says: /'helm-file-parameters' names '.*', which is outside the repository/,
  },
  {
    what: "Jsonnet",
    path: "plain",
    files: { "plain/a.jsonnet": "{}" },
    says: /a\.jsonnet: rollstamp does not render Jsonnet/,
  },
  {
    what: "a manifest that can't be read",
    path: "plain",
    files: { "plain/broken.yaml": "apiVersion: v1\nkind: ConfigMap\nmetadata: {name: a\n" },
    says: /broken\.yaml:\d+:\d+: /,
  },
  {
    what: "a finding of severity error",
    path: "plain",
    files: { "plain/env.json": "{}" },
    call: { parameters: [{ name: "rollstamp-options", map: { missing: "Error" } }] },
    says: /Deployment web uses ConfigMap store\/env, which is not in the input \(RS001\)/,
    status: 1,
  },
  {
    what: "keyed digests without a key",
    path: "plain",
    call: { parameters: [{ name: "rollstamp-options", map: { secrets: "Keyed" } }] },
    says: /ROLLSTAMP_HMAC_KEY/,
  },
  {
    what: "nowhere to write, where helm has to",
    path: "umbrella",
    call: { environment: { TMPDIR: "/proc" } },
    says: /can't create a temporary folder in \/proc \(\w+\)\. Mount a writable volume/,
  },
];

describe("cmp generate: failures", { skip: unlessFound(STANDALONE) || unlessFound(HELM) }, () => {
  for (const { what, path, call = {}, files = {}, says, status = 2 } of FAILURES) {
    test(what, () => {
      const tree = repository(files);
      const run = cmp("generate", path, { ...call, tree });
      assert.deepEqual({ status: run.status, stdout: run.stdout }, { status, stdout: "" });
      assert.match(run.stderr, /^rollstamp: error: [^\n]+\n$/, "one line");
      assert.match(run.stderr.trimEnd(), says);
      assert.ok(!run.stderr.includes(tree.folder), "a folder of the sidecar is nobody's business");
    });
  }

  test("a link that leads out of the repository", () => {
    const tree = repository();
    const secret = join(temporaryFolder(), "values.yaml");
    writeFileSync(secret, "replicaCount: 99\n");
    symlinkSync(secret, join(tree.folder, "chart", "linked.yaml"));
    symlinkSync(secret, join(tree.folder, "plain", "linked.yaml"));
    const values = cmp("generate", "chart", { tree, parameters: [{ name: "values-files", array: ["linked.yaml"] }] });
    assert.equal(values.stdout, "");
    assert.match(values.stderr, /'values-files' names 'linked\.yaml', which leads out of the repository/);
    const plain = cmp("generate", "plain", { tree });
    assert.equal(plain.stdout, "");
    assert.match(plain.stderr, /linked\.yaml: this link leads out of the repository/);
  });
});

describe("cmp generate: signals", { skip: unlessFound(STANDALONE) }, () => {
  // The server sends TERM to the whole group, and KILL five seconds later.
  for (const { what, toGroup } of [
    { what: "with its group", toGroup: true },
    { what: "alone", toGroup: false },
  ]) {
    test(`TERM ${what}: ends the renderer and the process, and removes temporary files`, async () => {
      const folder = temporaryFolder();
      const tmp = join(folder, "tmp");
      mkdirSync(tmp);
      const bin = script(
        sidecar([]),
        "kustomize",
        `trap '' TERM\necho $$ > '${folder}/pid'\nwhile true; do /bin/sleep 0.1; done`,
      );
      const tree = repository();
      const child = spawn(join(bin, "rollstamp"), ["cmp", "generate"], {
        cwd: join(tree.folder, "overlays/prod"),
        env: { ...environmentOf("overlays/prod", { bin }), TMPDIR: tmp },
        stdio: ["ignore", "pipe", "pipe"],
        detached: true,
      });
      let stdout = "";
      child.stdout.on("data", (chunk: Buffer) => (stdout += chunk.toString()));
      const ended = new Promise<NodeJS.Signals | null>((resolve) => child.once("exit", (_, signal) => resolve(signal)));
      while (!existsSync(join(folder, "pid")) || readFileSync(join(folder, "pid"), "utf8") === "") await wait(20);
      const renderer = Number(readFileSync(join(folder, "pid"), "utf8"));
      assert.ok(child.pid !== undefined);
      process.kill(toGroup ? -child.pid : child.pid, "SIGTERM");
      assert.equal(await ended, "SIGTERM");
      assert.deepEqual({ stdout, left: readdirSync(tmp) }, { stdout: "", left: [] });
      for (let tries = 0; tries < 100 && isAlive(renderer); tries += 1) await wait(20);
      assert.equal(isAlive(renderer), false, "the renderer is gone");
    });
  }
});

describe("cmp generate: a read-only file system", { skip: unlessFound(STANDALONE) || unlessFound(HELM) }, () => {
  for (const path of ["overlays/prod", "chart", "umbrella", "plain"]) {
    const parameters = path === "chart" ? [{ name: "helm-values", string: "replicaCount: 9\n" }] : [];

    test(`${path}: writes only in the folder for temporary files, and removes everything`, () => {
      const TMPDIR = temporaryFolder();
      const tree = repository();
      const before = readdirSync(tree.folder, { recursive: true });
      const { status, stderr } = cmp("generate", path, { tree, parameters, environment: { TMPDIR } });
      assert.deepEqual({ status, stderr }, { status: 0, stderr: "" });
      assert.deepEqual(readdirSync(TMPDIR), []);
      assert.deepEqual(readdirSync(tree.folder, { recursive: true }), before);
    });

    test(`${path}: reports that it cannot write`, () => {
      const { status, stderr } = cmp("generate", path, { parameters, environment: { TMPDIR: "/proc" } });
      if (path === "plain") assert.deepEqual({ status, stderr }, { status: 0, stderr: "" });
      else assert.match(stderr, /^rollstamp: error: can't create a temporary folder in \/proc \(ENOENT\)\. Mount a/);
    });
  }
});

describe("cmp discover", () => {
  const types = { "overlays/prod": "kustomization\n", chart: "chart\n", plain: "plain\n", settings: "" };
  for (const [path, type] of Object.entries(types)) {
    test(`${path}: ${JSON.stringify(type)}`, () => {
      assert.deepEqual(cmp("discover", path), { status: 0, stdout: type, stderr: "" });
      assert.deepEqual(
        cmp("discover --opted-in", path),
        { status: 0, stdout: type, stderr: "" },
        "the Application has a plugin section",
      );
      const unasked = { environment: { ARGOCD_APP_PARAMETERS: undefined } };
      assert.deepEqual(cmp("discover", path, unasked).stdout, type);
      assert.deepEqual(cmp("discover --opted-in", path, unasked), { status: 0, stdout: "", stderr: "" });
      const tree = repository({ "rollstamp.yaml": "apiVersion: rollstamp.dev/v1alpha1\nkind: ConfigHash\n" });
      assert.deepEqual(
        cmp("discover --opted-in", path, { ...unasked, tree }).stdout,
        type,
        "the repository has a rollstamp.yaml",
      );
    });
  }

  test("Jsonnet is left to Argo CD", () => {
    assert.equal(cmp("discover", "plain", { tree: repository({ "plain/a.jsonnet": "{}" }) }).stdout, "");
  });
});

describe("cmp parameters", () => {
  test("a chart: the parameters of the plugin, and the top-level keys of its values", () => {
    const { status, stdout, stderr } = cmp("parameters", "chart");
    assert.deepEqual({ status, stderr }, { status: 0, stderr: "" });
    const list: unknown = JSON.parse(stdout);
    assert.ok(Array.isArray(list));
    const names = list.map((entry) => String(mapping(entry)["name"]));
    const keys = Object.keys(mapping(parse(readFileSync(join(repository().folder, "chart/values.yaml"), "utf8"))));
    assert.deepEqual(names.slice(-keys.length), keys);
    for (const name of ["values-files", "helm-parameters", "release-name"]) assert.ok(names.includes(name), name);
    for (const entry of list.map(mapping)) {
      const form = String(entry["collectionType"]);
      assert.ok(["string", "array", "map"].includes(form) && entry[form] !== undefined, JSON.stringify(entry));
    }
  });

  test("a kustomization: no parameters of a chart", () => {
    assert.deepEqual(cmp("parameters", "overlays/prod"), { status: 0, stdout: "[]\n", stderr: "" });
  });
});

/** Puts a program of a few lines of shell into a folder of programs. */
function script(bin: string, name: string, text: string): string {
  writeFileSync(join(bin, name), `#!/bin/sh\n${text.replaceAll(/^(env|cat|true)\b/gm, "/usr/bin/$1")}\n`);
  chmodSync(join(bin, name), 0o755);
  return bin;
}

function annotationsOf(object: Mapping): Mapping {
  return optionalMapping(mapping(object["metadata"])["annotations"]);
}
