import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { expanded } from "../../../src/applications/discover/application-sets.ts";
import type { Application } from "../../../src/applications/discover/application.ts";
import { findApplications } from "../../../src/applications/discover/find-applications.ts";
import { withShown, type Showing } from "../../../src/applications/discover/shown.ts";
import { surveyed, type Known } from "../../../src/applications/discover/repository.ts";
import { treeOf } from "./tree-of.ts";

const URL = "https://github.com/example/repo.git";
const DEPLOYMENT = "apiVersion: apps/v1\nkind: Deployment\nmetadata:\n  name: web\n";
const FOLDERS = {
  "apps/web/kustomization.yaml": "",
  "apps/db/Chart.yaml": "apiVersion: v2\nname: db\n",
  "apps/db/values-prod.yaml": "a: 1\n",
  "apps/plain/a.yaml": DEPLOYMENT,
  "apps/plain/sub/b.yaml": DEPLOYMENT,
};

function application(name: string, spec: string): string {
  return `apiVersion: argoproj.io/v1alpha1\nkind: Application\nmetadata: {name: ${name}, namespace: argocd}\nspec: ${spec}\n`;
}

function set(name: string, spec: string): string {
  return `apiVersion: argoproj.io/v1alpha1\nkind: ApplicationSet\nmetadata: {name: ${name}, namespace: argocd}\nspec:\n  ${spec.replaceAll("\n", "\n  ")}\n`;
}

/** The Applications of Argo CD's objects, and what is not examined. */
function found(
  files: Readonly<Record<string, string>>,
  known: Known = {},
): { readonly all: readonly Application[]; readonly names: string[]; readonly not: string[] } {
  const { applications, notFound } = findApplications(surveyed(treeOf({ ...FOLDERS, ...files }), known));
  const all = applications.filter(({ foundBy }) => foundBy.startsWith("Application"));
  return {
    all,
    names: all
      .map(({ name, kind, path, cluster }) => [name, kind, path, ...(cluster === undefined ? [] : [cluster])].join(" "))
      .sort(),
    not: notFound.map(({ name, reason, isFailure }) => `${name ?? ""}${isFailure ? "!" : ""}: ${reason}`),
  };
}

describe("Argo CD's Applications", () => {
  it("have one row for sets of several namespaces that do not expand for one reason: it counts for each of them", () => {
    const first = set("web", "generators: [{clusters: {}}]\ntemplate: {}");
    const sets = (...all: readonly string[]): readonly (string | undefined)[] =>
      findApplications(surveyed(treeOf({ "a.yaml": all.join("---\n") }), {})).notFound.map(
        ({ namespace }) => namespace,
      );
    assert.deepEqual(sets(first), ["argocd"]);
    assert.deepEqual(sets(first, first.replace("argocd", "other")), [""]);
  });

  it("are rendered by the files in their path, or as they specify", () => {
    const { all, names, not } = found({
      "a.yaml": [
        application(
          "web",
          `{source: {repoURL: "${URL}", path: apps/web, kustomize: {namePrefix: x-, images: ["a=b:1"], replicas: [{name: w, count: 3}]}}, destination: {name: prod, namespace: shop}}`,
        ),
        application(
          "db",
          `{source: {repoURL: "${URL}", path: ./apps/db/, helm: {releaseName: r, valueFiles: [values-prod.yaml, /root.yaml, "https://x/y.yaml"], values: "a: 2", parameters: [{name: p, value: "1", forceString: true}]}}, destination: {server: "https://kubernetes.default.svc"}}`,
        ),
        application(
          "plain",
          `{source: {repoURL: "${URL}", path: apps/plain, directory: {recurse: true, exclude: "{sub,x}/*"}}}`,
        ),
        application("remote", `{source: {repoURL: ghcr.io/charts, chart: redis, targetRevision: 1.2.3}}`),
        application(
          "dry",
          `{sourceHydrator: {drySource: {repoURL: "${URL}", path: apps/web}, syncSource: {path: out}}}`,
        ),
      ].join("---\n"),
    });
    assert.deepEqual(not, []);
    assert.deepEqual(names, [
      "db Helm apps/db in-cluster",
      "dry Kustomize apps/web",
      "plain Files apps/plain",
      "remote Helm a.yaml",
      "web Kustomize apps/web prod",
    ]);
    const renderOf = (name: string): unknown => all.find((one) => one.name === name)?.render;
    assert.deepEqual((renderOf("plain") as { files: unknown }).files, ["apps/plain/a.yaml"]);
    const db = renderOf("db") as { values: unknown; releaseName: unknown; parameters: unknown };
    assert.deepEqual(db.values, [
      { from: "file", path: "apps/db/values-prod.yaml", optional: false },
      { from: "file", path: "root.yaml", optional: false },
      { from: "address", address: "https://x/y.yaml", optional: false },
      { from: "text", text: "a: 2" },
    ]);
    assert.equal(db.releaseName, "r");
    assert.deepEqual(db.parameters, [{ name: "p", value: "1", forceString: true }]);
    const { argo } = renderOf("web") as { argo: { namePrefix: unknown; images: unknown; replicas: unknown } };
    assert.deepEqual([argo.namePrefix, argo.images, argo.replicas], ["x-", ["a=b:1"], [{ name: "w", count: "3" }]]);
  });

  it("are rendered by options that say something alone, as Argo CD takes the others out", () => {
    const withOptions = (name: string, path: string, options: string): string =>
      application(name, `{source: {repoURL: "${URL}", path: ${path}, ${options}}}`);
    const { names, not } = found({
      "a.yaml": [
        withOptions("chart", "apps/db", 'directory: {recurse: false, include: "", jsonnet: {}}'),
        withOptions(
          "kustomization",
          "apps/web",
          'helm: {parameters: [], values: "", skipCrds: false}, kustomize: {images: []}',
        ),
        withOptions("labels", "apps/db", "kustomize: {forceCommonLabels: true}"),
        withOptions("included", "apps/db", 'directory: {include: "*.yaml"}'),
        withOptions("recursed", "apps/db", "directory: {recurse: true}"),
        withOptions("dry", "apps/db", "helm: {}")
          .replace("source:", "sourceHydrator: {drySource:")
          .replace(/\}\n$/u, "}}\n"),
      ].join("---\n"),
    });
    assert.deepEqual(not, []);
    assert.deepEqual(names, [
      "chart Helm apps/db",
      "dry Helm apps/db",
      "included Files apps/db",
      "kustomization Kustomize apps/web",
      "labels Helm apps/db",
      "recursed Files apps/db",
    ]);
  });

  it("take values from another of their sources", () => {
    const { all, names } = found({
      "a.yaml": application(
        "several",
        `{sources: [{repoURL: "https://charts.example", chart: redis, targetRevision: 1.0.0, helm: {valueFiles: ["$here/apps/db/values-prod.yaml"]}}, {repoURL: "${URL}", ref: here}, {repoURL: "${URL}", path: apps/web}]}`,
      ),
    });
    assert.deepEqual(names, ["several Helm apps/web"]);
    const render = all[0]?.render;
    assert.ok(render?.by === "sources");
    const { sources } = render;
    assert.deepEqual(
      sources.map(({ by }) => by),
      ["helm", "kustomize"],
    );
    assert.deepEqual(sources[0]?.by === "helm" && sources[0].values, [
      { from: "file", path: "apps/db/values-prod.yaml", optional: false },
    ]);
  });

  it("are of this repository in each spelling that Argo CD takes for its address", () => {
    const spelled = [
      "https://github.com/example/repo",
      "git@github.com:example/repo.git",
      "git@github.com/example/repo",
      "ssh://git@github.com/example/repo",
    ];
    for (const address of [...spelled, "git@github.com/example/other"]) {
      const { names } = found(
        { "a.yaml": application("web", `{source: {repoURL: '${address}', path: apps/web}}`) },
        { remotes: [URL] },
      );
      assert.deepEqual(names, spelled.includes(address) ? ["web Kustomize apps/web"] : [], address);
    }
  });

  it("for in-cluster are for the cluster to which what shows them is applied", () => {
    const child = (destination: string): string =>
      application("child", `{source: {repoURL: "${URL}", path: apps/web}, destination: ${destination}}`);
    const clusterOf = (destination: string, cluster?: string): string | undefined => {
      const repository = surveyed(treeOf({ ...FOLDERS, "root/a.yaml": child(destination) }));
      const parent: Application = {
        name: "root",
        path: "root",
        kind: "Files",
        foundBy: "Applications",
        ...(cluster === undefined ? {} : { cluster }),
        isNamed: true,
        definedIn: [],
        render: { by: "command", folder: "root", command: "true" },
      };
      const showing = { application: parent, objects: repository.objects, reads: () => true };
      const { applications } = findApplications(withShown(repository, [showing]));
      return applications.find(({ name }) => name === "child")?.cluster;
    };
    const inCluster = ["{server: 'https://kubernetes.default.svc'}", "{name: in-cluster}"];
    for (const destination of inCluster) {
      assert.equal(clusterOf(destination), "in-cluster");
      assert.equal(clusterOf(destination, "prod"), "prod");
    }
    assert.equal(clusterOf("{name: west}", "prod"), "west");
  });

  it("are for a cluster whose address has no credentials", () => {
    const given = `{source: {repoURL: "${URL}", path: apps/db}, destination: {server: 'https://user:token@k8s:6443'}}`;
    const files = { "a.yaml": application("a", given), "apps/db/Chart.yaml": "name: db" };
    assert.deepEqual(found(files).names, ["a Helm apps/db https://k8s:6443"]);
  });

  it("that bootstrap and the app of apps itself show are one, and no cycle where several clusters have one file", () => {
    const app = (path: string): string =>
      application("root", `{source: {repoURL: "${URL}", path: ${path}}, destination: {name: in-cluster}}`);
    const repository = surveyed(
      treeOf({
        ...FOLDERS,
        "base/root.yaml": app("patched"),
        "base/kustomization.yaml": "resources: [root.yaml]\n",
        "clusters/a/kustomization.yaml": "resources: [../../base]\n",
        "clusters/b/kustomization.yaml": "resources: [../../base]\n",
        "bootstrap/a/kustomization.yaml": "resources: [../../clusters/a]\n",
        "bootstrap/b/kustomization.yaml": "resources: [../../clusters/b]\n",
      }),
      { remotes: [URL] },
    );
    const objectsOf = (path: string): Showing["objects"] => surveyed(treeOf({ "x.yaml": app(path) }), {}).objects;
    const reads = (file: string): boolean => file === "base/root.yaml";
    const roots = findApplications(repository).applications.filter(({ path }) => path.startsWith("bootstrap/"));
    const first: Showing[] = roots.map((root) => ({
      application: root,
      objects: objectsOf(root.path.replace("bootstrap", "clusters")),
      reads,
    }));
    const shown = findApplications(withShown(repository, first)).applications.filter(
      ({ shownBy }) => shownBy !== undefined,
    );
    assert.equal(shown.length, 2);
    const again = shown.map((root) => ({ application: root, objects: objectsOf(root.path), reads }));
    const { applications, notFound } = findApplications(withShown(repository, [...first, ...again]));
    assert.deepEqual(
      applications.flatMap(({ name, shownBy }) => (shownBy === undefined ? [] : [[name, shownBy]])),
      [
        ["root@clusters/a", "bootstrap/a"],
        ["root@clusters/b", "bootstrap/b"],
      ],
    );
    assert.deepEqual(notFound, []);
  });

  it("of other repositories and with missing paths are reported; a cycle is normal", () => {
    const remotes = ["git@github.com:Example/Repo.git"];
    const { names, not } = found(
      {
        "other.yaml": application(
          "other",
          "{source: {repoURL: 'https://user:t@ken@github.com/other/repo', path: apps/web}}",
        ),
        "gone.yaml": application("gone", `{source: {repoURL: "${URL}", path: apps/gone}}`),
        "out.yaml": application("out", `{source: {repoURL: "${URL}", path: ../x}}`),
        "both.yaml": application(
          "both",
          `{source: {repoURL: "${URL}", path: apps/web, helm: {releaseName: r}, kustomize: {namePrefix: p-}}}`,
        ),
        "nowhere.yaml": application("nowhere", `{source: {repoURL: "${URL}", path: ""}}`),
        "unversioned.yaml": application("unversioned", "{source: {repoURL: ghcr.io/charts, chart: redis}}"),
        "values.yaml": application("values", `{sources: [{repoURL: "${URL}", ref: here}]}`),
        "x/b.yaml": application("a", `{source: {repoURL: "${URL}", path: "y"}}`),
        "y/a.yaml": application("b", `{source: {repoURL: "${URL}", path: x}}`),
        "self/self.yaml": application("self", `{source: {repoURL: "${URL}", path: self}}`),
      },
      { remotes },
    );
    assert.deepEqual(names, ["a Files y", "b Files x", "self Files self"]);
    assert.deepEqual(not, [
      "both!: its source has helm and kustomize: Argo CD allows only one of them",
      "gone!: its path apps/gone is not in this repository",
      "nowhere!: its source has no path and no chart",
      "other: its source is another repository: https://github.com/other/repo, although its path is here: if they are the same, run git remote add NAME with that address",
      'out!: its path "../x" is not a path in this repository',
      "unversioned!: its chart redis has no targetRevision, which Argo CD requires",
      "values!: it has no source but files for others",
    ]);
  });

  it("without a path are no error where overlays may patch it in", () => {
    const { names, not } = found({
      "base/kustomization.yaml": "resources: [a.yaml]\n",
      "base/a.yaml": application("left", `{source: {repoURL: "${URL}"}}`),
      "b.yaml": application("none", `{source: {repoURL: "${URL}"}}`),
    });
    assert.deepEqual(names, []);
    assert.deepEqual(not, ["none!: its source has no path and no chart", "left: its source has no path and no chart"]);
  });

  it("with the same name and folder, rendered in different ways, are of different Argo CDs", () => {
    const web = (prefix: string): string =>
      application(
        "web",
        `{source: {repoURL: "${URL}", path: apps/web, kustomize: {namePrefix: ${prefix}}}, destination: {name: in-cluster}}`,
      );
    const { names, not } = found({ "prod/web.yaml": web("prod-"), "test/web.yaml": web("test-") });
    const twice = [web("prod-"), web("test-")].map((text) => text.replace("in-cluster", "c"));
    assert.deepEqual(found({ "prod/web.yaml": twice[0] ?? "", "test/web.yaml": twice[1] ?? "" }).names, [
      "web Kustomize apps/web c",
    ]);
    assert.deepEqual(names, ["web@prod/web.yaml Kustomize apps/web", "web@test/web.yaml Kustomize apps/web"]);
    assert.deepEqual(not, []);
  });

  it("with the same name get unique names; duplicates are reported", () => {
    const web = application("web", `{source: {repoURL: "${URL}", path: apps/web}, destination: {name: c}}`);
    const { names, not } = found({
      "a.yaml": web,
      "b.yaml": web.replace("apps/web", "apps/plain"),
      "c.yaml": web,
    });
    assert.deepEqual(names, ["web@apps/plain Files apps/plain c", "web@apps/web Kustomize apps/web c"]);
    assert.deepEqual(not, [
      "web: duplicate application: another one has the same name, path and cluster, and only the first counts",
    ]);
  });
});

interface Row {
  readonly what: string;
  readonly spec: string;
  readonly files?: Readonly<Record<string, string>>;
  readonly names?: readonly string[];
  readonly not?: readonly string[];
  readonly known?: Known;
}

const TEMPLATE = `template:
  metadata: {name: '{{name}}'}
  spec: {source: {repoURL: "${URL}", path: 'apps/{{app}}'}, destination: {server: '{{url}}'}}`;
const GO = `goTemplate: true
goTemplateOptions: ["missingkey=error"]
template:
  metadata: {name: '{{.name}}'}
  spec: {source: {repoURL: "${URL}", path: 'apps/{{.app}}'}}`;
const GIVEN: Known = {
  given: {
    clusters: [
      { name: "prod", server: "https://p", project: "", labels: { env: "prod" }, annotations: { app: "web" } },
      { name: "Test 1", server: "https://t", project: "", labels: { env: "test" }, annotations: { app: "db" } },
      { name: "in-cluster", server: "https://kubernetes.default.svc", project: "", labels: {}, annotations: {} },
    ],
    parameters: new Map([["set", [{ name: "pr-1", app: "web" }]]]),
  },
};

const SETS: readonly Row[] = [
  {
    what: "a list, with what is no parameter left as it stands",
    spec: `generators: [{list: {elements: [{name: a, app: web, url: u}, {name: b, app: db, values: {x: "y"}}]}}]\n${TEMPLATE}`,
    names: ["a Kustomize apps/web u", "b Helm apps/db {{url}}"],
  },
  {
    what: "a list with something else than texts",
    spec: `generators: [{list: {elements: [{name: a, app: 1}]}}]\n${TEMPLATE}`,
    not: ["set!: the values of an element of its list must be strings without goTemplate"],
  },
  {
    what: "a list with goTemplate, functions and elementsYaml",
    spec: `generators: [{list: {elements: [{"n": A B, "on": true}], elementsYaml: "- {'n': c, 'on': false}"}}]
goTemplate: true
template:
  metadata: {name: '{{ .n | normalize }}{{ if .on }}-on{{ else }}-off{{ end }}-{{ index (list "x" "y") 1 }}'}
  spec: {source: {repoURL: "${URL}", path: '{{ printf "apps/%s" (ternary "web" "db" .on) }}'}}`,
    names: ["a-b-on-y Kustomize apps/web", "c-off-y Helm apps/db"],
  },
  {
    what: "names, YAML, whole numbers and a range that ends early",
    spec: `generators: [{list: {elements: [{v: Feature/A_b, num: 1000000, l: [a, b, c]}]}}]
goTemplate: true
template:
  metadata:
    name: '{{ lower .v | normalize }}-{{ slugify .v }}-{{ int .num }}-{{ len .l }}'
  spec: {source: {repoURL: "${URL}", path: 'apps/{{ range .l }}{{ if eq . "b" }}{{ break }}{{ end }}{{ (fromYaml "a: web").a }}{{ end }}'}, destination: {server: '{{ .num }}{{ toYaml .l }}'}}`,
    names: ["feature-a-b-feature-a-b-1000000-3 Kustomize apps/web 1e+06- a\n- b\n- c"],
  },
  {
    what: "a key that isn't there, with missingkey=error; the other generators go on",
    spec: `generators: [{list: {elements: [{name: a}]}}, {list: {elements: [{name: b, app: web}]}}]\n${GO}`,
    names: ["b Kustomize apps/web"],
    not: ["set!: its template reads the missing key app"],
  },
  {
    what: "a function that rollstamp doesn't know, and a template that is none",
    spec: `generators: [{list: {elements: [{name: '{{'}]}}]\ngoTemplate: true\ntemplate: {metadata: {name: '{{ .name | genCA }}'}}`,
    not: ["set: its template uses the function genCA, which rollstamp does not support"],
  },
  {
    what: "folders, but for some, and their values",
    spec: `generators: [{git: {repoURL: "${URL}", directories: [{path: apps/*}, {path: apps/p*, exclude: true}], values: {"n": 'x-{{path.basename}}'}}}]
template:
  metadata: {name: '{{values.n}}-{{path[0]}}'}
  spec: {source: {repoURL: "${URL}", path: '{{path}}'}}`,
    names: ["x-db-apps Helm apps/db", "x-web-apps Kustomize apps/web"],
  },
  {
    what: "folders with goTemplate and a prefix",
    spec: `generators: [{git: {repoURL: "${URL}", pathParamPrefix: my, directories: [{path: apps/w*}]}}]
goTemplate: true
template:
  metadata: {name: '{{index .my.path.segments 1}}-{{.my.path.basenameNormalized}}'}
  spec: {source: {repoURL: "${URL}", path: '{{.my.path.path}}'}}`,
    names: ["web-web Kustomize apps/web"],
  },
  {
    what: "files, in the order of their paths, each a mapping or a list of them",
    spec: `generators: [{git: {repoURL: "${URL}", files: [{path: 'conf/*/config.json'}]}}]
template:
  metadata: {name: '{{a.b}}-{{path.basename}}-{{n}}'}
  spec: {source: {repoURL: "${URL}", path: apps/web}}`,
    files: {
      "conf/b/config.json": '[{"a": {"b": "q"}, "n": 2}]',
      "conf/a/config.json": '{"a": {"b": "p"}, "n": 1.5}',
      "conf/config.json": "{}",
    },
    names: ["p-a-1.5 Kustomize apps/web", "q-b-2 Kustomize apps/web"],
  },
  {
    what: "a file that can't be read",
    spec: `generators: [{git: {repoURL: "${URL}", files: [{path: 'conf/a.json'}]}}]\n${TEMPLATE}`,
    files: { "conf/a.json": "{" },
    not: ["set!: conf/a.json: this is not valid YAML: unexpected end of the stream within a flow collection"],
  },
  {
    what: "another repository",
    spec: `generators: [{git: {repoURL: "https://github.com/other/x", directories: [{path: '*'}]}}]\n${TEMPLATE}`,
    known: { remotes: [URL] },
    not: ["set: its git generator reads another repository: https://github.com/other/x"],
  },
  {
    what: "a matrix, of which the second generator uses the first",
    spec: `generators: [{matrix: {generators: [{git: {repoURL: "${URL}", directories: [{path: apps/web}, {path: apps/db}]}}, {list: {elements: [{name: '{{path.basename}}-1', url: u}]}}]}}]
template:
  metadata: {name: '{{name}}'}
  spec: {source: {repoURL: "${URL}", path: '{{path}}'}, destination: {name: '{{url}}'}}`,
    names: ["db-1 Helm apps/db u", "web-1 Kustomize apps/web u"],
  },
  {
    what: "a matrix whose generators don't agree",
    spec: `generators: [{matrix: {generators: [{list: {elements: [{app: web}]}}, {list: {elements: [{app: db}]}}]}}]\n${TEMPLATE}`,
    not: ["set!: both generators of its matrix set app, to different values"],
  },
  {
    what: "a matrix of three",
    spec: `generators: [{matrix: {generators: [{list: {}}, {list: {}}, {list: {}}]}}]\n${TEMPLATE}`,
    not: ["set!: its matrix must have two generators"],
  },
  {
    what: "a merge",
    spec: `generators: [{merge: {mergeKeys: [name], generators: [{list: {elements: [{name: a, app: web, url: u}, {name: b, app: db, url: u}]}}, {list: {elements: [{name: b, url: v}, {name: c}]}}]}}]\n${TEMPLATE}`,
    names: ["a Kustomize apps/web u", "b Helm apps/db v"],
  },
  {
    what: "a merge of what does not distinguish",
    spec: `generators: [{merge: {mergeKeys: [app], generators: [{list: {elements: [{name: a, app: web}, {name: b, app: web}]}}, {list: {}}]}}]\n${TEMPLATE}`,
    not: ["set!: two parameters of its merge have the same app"],
  },
  {
    what: "a selector of parameters",
    spec: `generators: [{list: {elements: [{name: a, app: web}, {name: b, app: db}]}, selector: {matchExpressions: [{key: app, operator: NotIn, values: [web]}]}}]\n${TEMPLATE}`,
    names: ["b Helm apps/db {{url}}"],
  },
  {
    what: "a template of a generator's own, and a patch",
    spec: `generators: [{list: {elements: [{name: a, app: web, url: u}], template: {metadata: {}, spec: {source: {path: apps/db}}}}}]
${TEMPLATE}
templatePatch: |
  spec: {destination: {namespace: 'n-{{name}}', server: null}}`,
    names: ["a Helm apps/db"],
  },
  {
    what: "clusters, and what asks elsewhere, without a file",
    spec: `generators: [{clusters: {}}, {pullRequest: {}}]\n${TEMPLATE}`,
    not: [
      "set: its generator lists the clusters of Argo CD: give them with --clusters FILE",
      "set: its generator pullRequest reads from outside the repository: give its parameters with --clusters FILE",
    ],
  },
  {
    what: "clusters of a file",
    spec: `generators: [{clusters: {selector: {matchLabels: {env: test}}, values: {"n": '{{nameNormalized}}'}}}]
template:
  metadata: {name: '{{values.n}}'}
  spec: {source: {repoURL: "${URL}", path: 'apps/{{metadata.annotations.app}}'}, destination: {name: '{{name}}'}}`,
    known: GIVEN,
    names: ["test-1 Helm apps/db Test 1"],
  },
  {
    what: "clusters with goTemplate, Argo CD's own too",
    spec: `generators: [{clusters: {}}]\ngoTemplate: true
template:
  metadata: {name: '{{.nameNormalized}}'}
  spec: {source: {repoURL: "${URL}", path: 'apps/{{dig "metadata" "annotations" "app" "plain" .}}'}}`,
    known: GIVEN,
    names: ["in-cluster Files apps/plain", "prod Kustomize apps/web", "test-1 Helm apps/db"],
  },
  {
    what: "pull requests of a file",
    spec: `generators: [{pullRequest: {github: {}}}]\n${TEMPLATE}`,
    known: GIVEN,
    names: ["pr-1 Kustomize apps/web {{url}}"],
  },
  {
    what: "names that Argo CD doesn't take; the others are made",
    spec: `generators: [{list: {elements: [{name: a, app: web, url: u}, {name: same, app: web, url: u}, {name: same, app: db, url: v}, {name: "", app: db, url: u}]}}]\n${TEMPLATE}`,
    names: ["a Kustomize apps/web u"],
    not: [
      "set!: it makes 2 Applications of the name same: Argo CD takes none of them",
      "set!: it makes an Application without a name: Argo CD takes none",
    ],
  },
  {
    what: "a generator that is none",
    spec: `generators: [{}, {lists: {}}]\n${TEMPLATE}`,
    not: ["set: one of its generators is empty: it generates nothing", "set: Argo CD has no generator lists"],
  },
];

describe("Argo CD's ApplicationSets", () => {
  for (const { what, spec, files = {}, names = [], not = [], known = {} } of SETS) {
    it(what, () => {
      const all = found({ "set.yaml": set("set", spec), ...files }, known);
      assert.deepEqual([all.names, all.not], [names, not]);
    });
  }

  it("generate at most as many as can be listed", () => {
    const many = `{list: {elements: [${Array.from({ length: 200 }, (_, i) => `{a${i}: x}`).join(", ")}]}}`;
    const { names, not } = found({
      "set.yaml": set("set", `generators: [{matrix: {generators: [${many}, ${many}]}}]\n${TEMPLATE}`),
    });
    assert.deepEqual([names, not], [[], ["set!: it generates more than 10000 Applications"]]);
  });

  it("name only the files that an Application is made of: thousands of files would be listed for thousands of Applications", () => {
    const files = (path: string, prefix = ""): string =>
      `{git: {repoURL: "${URL}", pathParamPrefix: "${prefix}", files: [{path: '${path}'}]}}`;
    const template = `template:\n  metadata: {name: 'x-{{id}}-{{n}}'}\n  spec: {source: {repoURL: "${URL}", path: apps/web}}`;
    const definedIn = (generators: string): readonly (readonly string[])[] =>
      found({
        "set.yaml": set("set", `generators: [${generators}]\n${template}`),
        "conf/a.json": '{"id": "a"}',
        "conf/b.json": '{"id": "b"}',
        "more/b.json": '[{"id": "b", "n": "1"}]',
      }).all.map((one) => one.definedIn);
    const a = ["set.yaml", "conf/a.json"];
    const b = ["set.yaml", "conf/b.json", "more/b.json"];
    assert.deepEqual(definedIn(files("conf/*.json")), [a, b.slice(0, 2)]);
    assert.deepEqual(definedIn(`{merge: {mergeKeys: [id], generators: [${files("conf/*")}, ${files("more/*")}]}}`), [
      a,
      b,
    ]);
    const more = '{list: {elements: [{n: "1"}]}}';
    assert.deepEqual(definedIn(`{matrix: {generators: [${files("conf/*")}, ${more}]}}`), [a, b.slice(0, 2)]);
    assert.deepEqual(definedIn(`{matrix: {generators: [${files("conf/b.json")}, ${files("more/*", "x")}]}}`), [b]);
  });

  it("spend a step for each value of a file, each time that a generator reads it", () => {
    const repository = surveyed(treeOf({ "c.json": `[{"a": {"b": [1, 2, 3]}}, {"a": "x"}]` }), {});
    const spec = {
      generators: Array.from({ length: 5 }, () => ({ git: { repoURL: URL, files: [{ path: "c.json" }] } })),
    };
    let spent = 0;
    expanded({ name: "set", file: "set.yaml", spec }, repository, (steps) => (spent += steps));
    // The template is one more for each of its ten Applications.
    assert.equal(spent, 5 * 4 + 10);
  });

  it("end, whatever their templates ask for", () => {
    const body = `{{ range 10000 }}{{ range 10000 }}x{{ end }}{{ end }}`;
    const { not } = found({
      "set.yaml": set(
        "set",
        `generators: [{list: {elements: [{a: b}]}}]\ngoTemplate: true\ntemplate: {metadata: {name: '${body}'}}`,
      ),
    });
    assert.deepEqual(not, ["set!: its template takes more than 100000 steps"]);
  });
});
