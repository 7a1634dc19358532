// The changed files that no application reads: which of them a plan lists, and what the verdict is.
import assert from "node:assert/strict";
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, it } from "node:test";
import type { PlanJson } from "../../../src/output/plan-json.ts";
import { cli, type CliWorld } from "../../support/cli.ts";
import { inFolder, type Files } from "../../support/folders.ts";
import { configMap, deployment } from "../../support/manifests.ts";
import { inRepository } from "./repository.ts";

async function planned(world: CliWorld, ...args: string[]): Promise<PlanJson> {
  const { status, stdout, stderr } = await cli(["plan", "-o", "json", "--git", "start..changed", ...args], world);
  assert.equal(status, 0, stderr);
  return JSON.parse(stdout) as PlanJson;
}

const APP: Files = { "app/kustomization.yaml": "resources: [all.yaml]\n", "app/all.yaml": deployment("web", "env") };
const CHART: Files = {
  "charts/web/Chart.yaml": "apiVersion: v2\nname: web\nversion: 1.0.0\n",
  "charts/web/templates/all.yaml": "# {{ .Values.a }}\n",
};
const LIBRARY = "apiVersion: v2\nname: common\nversion: 1.0.0\ntype: library\n";
const HELMFILE = `environments: {prod: {values: ["./env/{{ .Environment.Name }}.env"]}}
---
releases: [{name: web, chart: a/web, values: [web.gotmpl]}]
`;
const KIND_CLUSTER = "apiVersion: kind.x-k8s.io/v1alpha4\nkind: Cluster\n";
const flux = (name: string, path: string): string => `apiVersion: kustomize.toolkit.fluxcd.io/v1
kind: Kustomization
metadata: {name: ${name}, namespace: flux-system}
spec: {path: ${path}, sourceRef: {kind: GitRepository, name: flux-system}}
---
apiVersion: source.toolkit.fluxcd.io/v1
kind: GitRepository
metadata: {name: flux-system, namespace: flux-system}
spec: {url: https://git.example/x.git}
`;
const release = (chart: string): string => `apiVersion: helm.toolkit.fluxcd.io/v2
kind: HelmRelease
metadata: {name: web, namespace: web}
spec: {interval: 1h, chart: {spec: {chart: ${chart}, sourceRef: {kind: GitRepository, name: flux-system, namespace: flux-system}}}}
`;

/** Its Applications depend on clusters that nothing here names. */
const set = (sources: string): string => `apiVersion: argoproj.io/v1alpha1
kind: ApplicationSet
metadata: {name: set}
spec: {generators: [{clusters: {}}], template: {metadata: {name: a}, spec: {sources: [${sources}]}}}
`;
const CHART_SOURCE = "repoURL: https://charts.example, chart: web, targetRevision: 1.0.0";

interface Row {
  readonly says: string;
  /** Besides APP. */
  readonly base: Files;
  readonly head: Files;
  readonly unread: readonly string[];
  readonly level?: "attention";
}

const template = (value: string): string => `{{ if .on }}\n${configMap("a", value)}{{ end }}\n`;

const ROWS: readonly Row[] = [
  {
    says: "a template of manifests that nothing here renders (zalando-incubator/kubernetes-on-aws 935a4953b)",
    base: { "plain/a.yaml": configMap("b", "a"), "plain/t.yaml": template("a") },
    head: { "plain/t.yaml": template("b") },
    unread: ["plain/t.yaml"],
    level: "attention",
  },
  {
    says: "a manifest that changes while a new .krmignore hides it, which Argo CD and Flux do not know",
    base: { "plain/a.yaml": configMap("plain", "a") },
    head: { "plain/a.yaml": configMap("plain", "b"), "plain/.krmignore": "*.yaml\n" },
    unread: ["plain/a.yaml"],
    level: "attention",
  },
  {
    says: "the same, hidden by rollstamp.yaml",
    base: { "plain/a.yaml": configMap("plain", "a") },
    head: {
      "plain/a.yaml": configMap("plain", "b"),
      "rollstamp.yaml": "apiVersion: rollstamp.dev/v1alpha1\nkind: Applications\nspec: {ignore: [plain]}\n",
    },
    unread: ["plain/a.yaml"],
    level: "attention",
  },
  {
    says: "an object that leads to an application, and that a new .krmignore hides",
    base: { "flux.yaml": flux("app", "app") },
    head: { ".krmignore": "flux.yaml\n" },
    unread: ["flux.yaml"],
    level: "attention",
  },
  {
    says: "a manifest beside a kustomization that does not name it",
    base: {},
    head: { "app/forgotten.yaml": configMap("a", "a") },
    unread: ["app/forgotten.yaml"],
    level: "attention",
  },
  {
    says: "the same in a folder below, and if it is not new",
    base: { "app/more/forgotten.yaml": configMap("a", "a") },
    head: { "app/more/forgotten.yaml": configMap("a", "b") },
    unread: ["app/more/forgotten.yaml"],
    level: "attention",
  },
  {
    says: "a component that no kustomization includes, with its files",
    base: {},
    head: {
      "parts/kustomization.yaml": "kind: Component\nresources: [a.yaml]\n",
      "parts/a.yaml": configMap("a", "a"),
    },
    unread: ["parts/a.yaml", "parts/kustomization.yaml"],
    level: "attention",
  },
  {
    says: "a manifest below a Flux Kustomization, in a folder whose own kustomization does not name it",
    base: {
      "clusters/flux.yaml": flux("apps", "./fluxed"),
      "fluxed/web/kustomization.yaml": "resources: [a.yaml]\n",
      "fluxed/web/a.yaml": configMap("a", "a"),
    },
    head: { "fluxed/web/forgotten.yaml": configMap("b", "b") },
    unread: ["fluxed/web/forgotten.yaml"],
    level: "attention",
  },
  {
    says: "values beside a chart that no release names",
    base: { ...CHART, "charts/web/values-prod.yaml": "a: b\n" },
    head: { "charts/web/values-prod.yaml": "a: c\n" },
    unread: ["charts/web/values-prod.yaml"],
    level: "attention",
  },
  {
    says: "values in any folder, with a chart that nothing here releases",
    base: { ...CHART, "env/prod.values.yaml": "a: b\n" },
    head: {
      "env/prod.values.yaml": "a: c\n",
      "charts/web/ci/some-values.yaml": "a: c\n",
      "charts/web/values.schema.yaml": "a: c\n",
    },
    unread: ["env/prod.values.yaml"],
    level: "attention",
  },
  {
    says: "values beside a chart that is an orphan",
    base: { ...CHART, "clusters/flux.yaml": flux("apps", "./app"), "charts/web/values-prod.yaml": "a: b\n" },
    head: { "charts/web/values-prod.yaml": "a: c\n", "env/prod.values.yaml": "a: c\n" },
    unread: ["charts/web/values-prod.yaml"],
  },
  {
    says: "values beside a release that does not name them",
    base: { ...CHART, "clusters/flux.yaml": flux("apps", "./app"), "release/web.yaml": release("./charts/web") },
    head: { "release/values.yaml": "a: c\n" },
    unread: ["release/values.yaml"],
  },
  {
    says: "a library chart that no chart depends on",
    base: { "lib/Chart.yaml": LIBRARY, "lib/templates/_a.tpl": "a\n" },
    head: { "lib/Chart.yaml": LIBRARY.replace("1.0.0", "1.1.0"), "lib/templates/_a.tpl": "b\n" },
    unread: ["lib/Chart.yaml", "lib/templates/_a.tpl"],
  },
  {
    says: "a helmfile, and what it names",
    base: { "deploy/helmfile.yaml.gotmpl": HELMFILE, "deploy/env/prod.env": "TAG: a\n", "deploy/web.gotmpl": "a: b\n" },
    head: {
      "deploy/env/prod.env": "TAG: b\n",
      "deploy/web.gotmpl": "a: c\n",
      "deploy/other.env": "TAG: b\n",
      "more/helmfile.d/a.yaml": "releases: []\n",
    },
    unread: ["deploy/env/prod.env", "deploy/web.gotmpl", "more/helmfile.d/a.yaml"],
    level: "attention",
  },
  {
    says: "values that a helmfile names for each release, and no workflow",
    base: {
      "helmfile.yaml": `releases: [{name: web, chart: x/web, values: ["values/{{\`{{ .Release.Name }}\`}}/{{\`{{ .Environment.Name }}\`}}.yaml"]}]\n`,
      "values/web/prod.yaml": "a: b\n",
    },
    head: { "values/web/prod.yaml": "a: c\n", ".github/workflows/helmfile.yaml": "on: push\n" },
    unread: ["values/web/prod.yaml"],
    level: "attention",
  },
  {
    says: "a bundle of Fleet, the files that it names, and the values below it",
    base: {
      "lib/alloy/fleet.yaml": "helm: {chart: alloy, version: 1.5.0, valuesFiles: [env/prod.yaml]}\n",
      "lib/alloy/env/prod.yaml": "a: b\n",
      "lib/alloy/overlays/prod/values.yaml": "a: b\n",
    },
    head: {
      "lib/alloy/fleet.yaml": "helm: {chart: alloy, version: 1.6.0, valuesFiles: [env/prod.yaml]}\n",
      "lib/alloy/env/prod.yaml": "a: c\n",
      "lib/alloy/env/none.yaml": "a: c\n",
      "lib/alloy/overlays/prod/values.yaml": "a: c\n",
      "other/prod/values.yaml": "a: c\n",
    },
    unread: ["lib/alloy/env/prod.yaml", "lib/alloy/fleet.yaml", "lib/alloy/overlays/prod/values.yaml"],
    level: "attention",
  },
  {
    says: "what the Jsonnet of an application may import, and nothing if it has none",
    base: {
      "set.yaml":
        "apiVersion: argoproj.io/v1alpha1\nkind: Application\nmetadata: {name: web}\nspec: {source: {repoURL: https://git.example/x.git, path: jsonnet, directory: {jsonnet: {libs: [lib]}}}}\n",
      "jsonnet/main.jsonnet": 'import "web.libsonnet"\n',
    },
    head: { "lib/web.libsonnet": "{}\n" },
    unread: ["lib/web.libsonnet"],
    level: "attention",
  },
  {
    says: "the Jsonnet of Tanka's environments",
    base: { "tanka/environments/web/main.jsonnet": "{}\n", "tanka/lib/images.libsonnet": "{}\n" },
    head: { "tanka/lib/images.libsonnet": "{web: 'web:2'}\n" },
    unread: ["tanka/lib/images.libsonnet"],
    level: "attention",
  },
  {
    says: "values in any folder, where an ApplicationSet does not expand",
    base: { "set.yaml": set(`{${CHART_SOURCE}}`) },
    head: { "env/prod/values.yaml": "a: b\n", "env/prod/web.libsonnet": "{}\n" },
    unread: ["env/prod/values.yaml"],
  },
  {
    says: "nothing of files of tools and of CI",
    base: {},
    head: {
      ".github/workflows/ci.yaml": "name: ci\non: push\njobs: {}\n",
      ".pre-commit-config.yaml": "repos: []\n",
      "app/Taskfile.yaml": "version: '3'\n",
      "app/kind.yaml": KIND_CLUSTER,
      "app/local.yaml": configMap("a", "a").replace(
        "metadata:",
        'metadata:\n  annotations: {config.kubernetes.io/local-config: "true"}',
      ),
      "app/talos.yaml": "apiVersion: v1alpha1\nkind: HostnameConfig\n",
      "docker-compose.yaml": "services: {}\n",
      "mkdocs.yml": "nav: []\n",
      "renovate.json": "{}\n",
      "tool/values.yaml": "a: b\n",
      "README.md": "a\n",
    },
    unread: [],
  },
  {
    says: "nothing in folders of dependencies",
    base: { "vendor/modules.txt": "# k8s.io/api v0.31.0\n", "vendor/k8s.io/a.yaml": configMap("a", "a") },
    head: { "vendor/k8s.io/a.yaml": configMap("a", "b"), "node_modules/a/a.yaml": configMap("b", "b") },
    unread: [],
  },
  {
    says: "nothing that the Applications document ignores",
    base: { "rollstamp.yaml": "apiVersion: rollstamp.dev/v1alpha1\nkind: Applications\nspec: {ignore: [app/test]}\n" },
    head: { "app/test/a.yaml": configMap("a", "a") },
    unread: [],
  },
  {
    says: "nothing that an application reads in one of the revisions",
    base: {},
    head: { "app/kustomization.yaml": "resources: []\n", "app/all.yaml": deployment("web", "other") },
    unread: [],
  },
];

describe("files that belong to no application", () => {
  for (const { says, base, head, unread, level = "ok" } of ROWS)
    it(`are ${says}`, () =>
      inRepository({ ...APP, ...base }, async (repository) => {
        // Nothing but the last row is rendered.
        const bin = repository.environment["TMPDIR"] ?? "";
        writeFileSync(join(bin, "kustomize"), "#!/bin/sh\n", { mode: 0o755 });
        writeFileSync(join(bin, "helm"), "#!/bin/sh\n", { mode: 0o755 });
        const world = { environment: { ...repository.environment, PATH: `${bin}:${repository.environment["PATH"]}` } };
        repository.commit("changed", head);
        const report = await planned(world);
        assert.deepEqual(report.unread, unread);
        if (unread.length > 0) assert.equal(report.verdict?.level, level);
      }));

  it("are not those that an ApplicationSet may read which does not expand: it is not rendered (RS024)", () =>
    inRepository(
      {
        ...APP,
        "set.yaml": set(
          `{repoURL: "{{metadata.annotations.repo}}", ref: values}, {${CHART_SOURCE}, helm: {valueFiles: ["$values/env/{{name}}/web.yaml", "$other/env/{{name}}/other.yaml", "$values/{{name}}"]}}`,
        ),
        "ignoring.yaml": set(
          `{repoURL: https://git.example/x.git, path: charts/web, helm: {valueFiles: ["/env/{{name}}/all.yaml"]}}`,
        ).replace(
          "metadata: {name: set}",
          "metadata: {name: ignoring, annotations: {ignore.rollstamp.dev/RS024: known}}",
        ),
      },
      async (repository) => {
        repository.commit("changed", {
          "env/prod/web.yaml": "tag: 2\n",
          "env/prod/other.yaml": "tag: 2\n",
          "env/prod/all.yaml": "tag: 2\n",
        });
        const { unread, verdict, findings } = await planned(repository);
        assert.deepEqual([unread, verdict?.level], [[], "attention"]);
        assert.deepEqual(
          findings.map(({ id, message }) => [id, message.split(" but ", 1)[0]]),
          [["RS024", "ApplicationSet set changes (env/prod/web.yaml)"]],
        );
        assert.deepEqual((await planned(repository, "--app", "app")).findings, []);
      },
    ));

  it("are not those that the generators of such an ApplicationSet read, also if it is nothing without the last of them", () =>
    inRepository(
      {
        ...APP,
        "set.yaml": set(`{${CHART_SOURCE}}`).replace(
          "{clusters: {}}",
          '{matrix: {generators: [{git: {repoURL: https://git.example/x.git, files: [{path: "env/*/a.yaml"}]}}, {clusters: {}}]}}',
        ),
        "env/prod/a.yaml": "a: 1\n",
      },
      async (repository) => {
        const isNotRendered = async (): Promise<void> => {
          repository.git("tag", "--force", "changed");
          const { unread, verdict, findings } = await planned(repository);
          assert.deepEqual([unread, verdict?.level, findings.map(({ id }) => id)], [[], "attention", ["RS024"]]);
        };
        repository.commit("edited", { "env/prod/a.yaml": "a: 2\n" });
        await isNotRendered();
        repository.git("rm", "-q", "env/prod/a.yaml");
        repository.commit("deleted", {});
        await isNotRendered();
      },
    ));

  it("are those in the given folders, and none where the user asks for names", () =>
    inRepository({ ...APP, "two/kustomization.yaml": "resources: []\n" }, async (repository) => {
      repository.commit("changed", { "app/a.yaml": configMap("a", "a"), "two/b.yaml": configMap("b", "a") });
      const unread = async (...args: string[]): Promise<unknown> => (await planned(repository, ...args)).unread;
      assert.deepEqual(await unread("two"), ["two/b.yaml"]);
      assert.deepEqual(await unread("--app", "app"), []);
    }));

  it("are not those that only the base cannot read: their application fails there", () =>
    inRepository(
      { "all.yaml": deployment("web", "env"), "more.yaml": "apiVersion: v1\nkind: [\n" },
      async (repository) => {
        const failed = async (tag: string): Promise<unknown> => {
          const { status, stdout } = await cli(["plan", "-o", "json", "--git", `start..${tag}`], repository);
          const { unread, verdict, applications = [] } = JSON.parse(stdout) as PlanJson;
          return [status, unread, verdict?.level, ...applications.map(({ name, baseFailed }) => [name, baseFailed])];
        };
        repository.commit("ignored", { ".krmignore": "more.yaml\n" });
        assert.deepEqual(await failed("ignored"), [0, [], "ok", [".", undefined]]);
        repository.commit("fixed", { "more.yaml": deployment("api", "env"), ".krmignore": "" });
        assert.deepEqual(await failed("fixed"), [1, [], "danger", [".", true]]);
        repository.git("rm", "-q", "more.yaml");
        repository.commit("deleted", {});
        assert.deepEqual(await failed("deleted"), [1, [], "danger", [".", true]], "what it deletes is unknown");
      },
    ));

  it("include a submodule in which an application lies, and no other one", () =>
    inRepository(
      { ...APP, "flux.yaml": [flux("app", "app"), flux("sub", "vendor/x/deploy")].join("---\n") },
      async (repository) => {
        repository.git("remote", "add", "origin", "https://git.example/x.git");
        const link = (tag: string): void => {
          const commit = repository.git("rev-parse", "HEAD");
          for (const path of ["vendor/x", "docs/theme"])
            repository.git("update-index", "--add", "--cacheinfo", `160000,${commit},${path}`);
          repository.git("commit", "--quiet", "--allow-empty", "--message", tag);
          repository.git("tag", "--force", tag);
        };
        link("start");
        link("changed");
        const { unread, verdict, notExamined } = await planned(repository);
        assert.deepEqual([unread, verdict?.level], [["vendor/x"], "attention"]);
        assert.deepEqual(
          notExamined.map(({ reason }) => reason),
          ["its path vendor/x/deploy is in the Git submodule vendor/x, whose files are in another repository"],
        );
      },
    ));

  it("are in the first shard, and in the merged report", () =>
    inRepository(APP, async (repository) => {
      repository.commit("changed", { "app/forgotten.yaml": configMap("a", "a") });
      const parts = await Promise.all(["1/2", "2/2"].map((shard) => planned(repository, "--shard", shard)));
      assert.deepEqual(
        parts.map(({ unread }) => unread),
        [["app/forgotten.yaml"], []],
      );
      const files = parts.map((part, i) => {
        const file = join(repository.environment["TMPDIR"] ?? "", `${i}.json`);
        writeFileSync(file, JSON.stringify(part));
        return file;
      });
      const { stdout } = await cli(["plan", "--merge", "-o", "json", ...files], repository);
      const merged = JSON.parse(stdout) as PlanJson;
      assert.deepEqual([merged.unread, merged.verdict?.level], [["app/forgotten.yaml"], "attention"]);
    }));

  it("are compared with the patterns of ApplicationSets within a limit of steps, as are the folders of applications", async () => {
    const patterns = Array.from({ length: 100 }, (_, i) => `"$v/env/{{a}}b{{c}}b${i}"`).join(", ");
    const source = `{repoURL: https://git.example/x.git, ref: v}, {${CHART_SOURCE}, helm: {valueFiles: [${patterns}]}}`;
    const paths = Array.from({ length: 100 }, (_, i) => `{path: "{{a}}b{{c}}b${i}"}`).join(", ");
    for (const sources of [source, paths])
      await inRepository({ ...APP, "set.yaml": set(sources) }, async (repository) => {
        repository.commit("changed", { [`env/${"b".repeat(100)}.yaml`]: "a: 1\n" });
        const limited = ["plan", "--git", "start..changed", "--max-comparisons", "100"];
        const { status, stderr } = await cli(limited, repository);
        assert.equal(status, 2);
        assert.match(
          stderr,
          /comparing paths with those that objects .* takes more than 100 steps\n.*--max-comparisons/u,
        );
      });
  });

  it("are at most 200 in a report, which counts the others", () =>
    inRepository(APP, async (repository) => {
      const files = Array.from({ length: 203 }, (_, i) => [`app/${i}.yaml`, configMap("a", "a")]);
      repository.commit("changed", Object.fromEntries(files));
      const { unread, moreUnread } = await planned(repository);
      assert.deepEqual([unread?.length, moreUnread], [200, 3]);
    }));
});

describe("a file of manifests that becomes a template", () => {
  const base: Files = {
    "one/web.yaml": deployment("web", "env"),
    "two/api.yaml": deployment("api", "env"),
    "t.yaml": "a: {{ b }}\n",
  };
  const head: Files = { "one/web.yaml": `${deployment("web", "env")}---\na: {{ b }}\n`, "t.yaml": "a: {{ c }}\n" };

  it("is a warning, and needs a review: what happens to its objects is unknown", () =>
    inRepository(base, async (world) => {
      world.commit("changed", head);
      for (const args of [[], ["."]]) {
        const { findings, verdict, workloads } = await planned(world, ...args);
        assert.deepEqual(
          findings.map(({ id, severity, message }) => [
            id,
            severity,
            /: file not examined: BASE could read it/u.test(message),
          ]),
          [["unreadable-manifest", "warning", true]],
        );
        assert.equal(verdict?.level, "attention");
        assert.deepEqual(workloads, []);
      }
    }));
});

describe("a template of manifests in one of two folders", () => {
  const MANIFEST = configMap("a", "a");
  const CASES: readonly (readonly [what: string, base: string, head: string, level: string])[] = [
    ["is the same", template("a"), template("a"), "ok"],
    ["changes", template("a"), template("b"), "attention"],
    ["is new", "", template("a"), "attention"],
    ["is deleted", template("a"), "", "attention"],
    ["was a manifest", MANIFEST, template("a"), "attention"],
    ["becomes a manifest", template("a"), MANIFEST, "attention"],
    ["is not one of manifests", "", "a: {{ b }}\n# apiVersion: kind:\n", "ok"],
  ];
  for (const [what, base, head, level] of CASES)
    it(what, () =>
      inFolder(
        Object.fromEntries(
          Object.entries({ base, head }).flatMap(([side, text]) => [
            [`${side}/web.yaml`, deployment("web", "env")],
            [`${side}/t.yaml`, text],
          ]),
        ),
        async (folder) => {
          const { stdout, stderr } = await cli(["plan", "-o", "json", join(folder, "base"), join(folder, "head")]);
          assert.notEqual(stdout, "", stderr);
          const { verdict, findings }: PlanJson = JSON.parse(stdout);
          const found = findings.filter(({ id }) => id === "unreadable-manifest");
          assert.deepEqual([verdict?.level, found.length], [level, level === "ok" ? 0 : 1]);
        },
      ),
    );
});

describe("what a plan of two folders does not read", () => {
  const kustomization = (tag: string): Files => ({ "k/kustomization.yaml": `images: [{name: a, newTag: ${tag}}]\n` });
  const chart = (text: string): Files => ({ "c/Chart.yaml": "name: c\n", "c/templates/deep/a.yaml": text });
  const CASES: readonly (readonly [what: string, base: Files, head: Files, unread?: string])[] = [
    ["is the same", { ...kustomization("a"), ...chart("a") }, { ...kustomization("a"), ...chart("a") }],
    ["is another kustomization", kustomization("a"), kustomization("b"), "head/k"],
    ["is a new one", {}, kustomization("a"), "head/k"],
    ["is a deleted one", kustomization("a"), {}, "base/k"],
    ["is a file of a chart", chart("a"), chart("b"), "head/c"],
    ["is git's", chart("a"), { ...chart("a"), "c/.git/HEAD": "" }],
    ["is a new file of a chart", chart("a"), { ...chart("a"), "c/values.yaml": "a: b\n" }, "head/c"],
  ];
  for (const [what, base, head, unread] of CASES)
    it(what, () => {
      const web = { "web.yaml": deployment("web", "env") };
      const files = Object.entries({ base: { ...web, ...base }, head: { ...web, ...head } }).flatMap(([side, all]) =>
        Object.entries(all).map(([path, text]) => [`${side}/${path}`, text] as const),
      );
      return inFolder(Object.fromEntries(files), async (folder) => {
        const { stdout, stderr } = await cli(["plan", "-o", "json", join(folder, "base"), join(folder, "head")]);
        assert.notEqual(stdout, "", stderr);
        const report: PlanJson = JSON.parse(stdout);
        assert.deepEqual(
          [report.verdict?.level, report.unread],
          unread === undefined ? ["ok", undefined] : ["attention", [join(folder, unread)]],
        );
      });
    });
});
