// plan --git over applications that name something outside of the repository: remote bases, and charts that are not there.
import assert from "node:assert/strict";
import { describe, it } from "node:test";
import type { Files } from "../support/folders.ts";
import { configMap, deployment } from "../support/manifests.ts";
import { missing, plan, repository, rollstamp, statuses, type Repository } from "./planned-repository.ts";

const BASE = "https://git.example/team/base?ref=v1";
const kustomization = (resources: readonly string[], more = ""): string =>
  `resources: [${resources.map((one) => `"${one}"`).join(", ")}]\n${more}`;
const images = (tag: string): string => `images: [{name: app, newTag: "${tag}"}]\n`;
const CHART = "apiVersion: v2\nname: web\nversion: 1.0.0\n";
const dependencies = (version: string): string =>
  `${CHART}dependencies: [{name: redis, version: ${version}, repository: "https://charts.example"}]\n`;

interface Row {
  readonly says: string;
  readonly base: Files;
  readonly head: Files;
  /** Without `--git`: the status, the statuses of the applications, what rolls, RS024, and what is missing. */
  readonly status?: 1;
  readonly application: string;
  readonly rolls?: readonly string[];
  readonly found?: readonly RegExp[];
  readonly partial: readonly string[];
  readonly isUnrendered?: true;
}

const WEB = { "app/web.yaml": deployment("web", "env"), "app/env.yaml": configMap("env", "a") };
const LOCAL = ["web.yaml", "env.yaml"];
const CHARTED: Files = {
  "app/Chart.yaml": dependencies("1.2.3"),
  "app/templates/web.yaml": deployment("web", "env").replace("app:1", "app:{{ .Values.tag }}"),
  "app/values.yaml": "tag: a\nredis: {size: 1}\n",
};
/** A chart that renders an Application; what sets the environment is not in the repository. */
const OF_ENVIRONMENT: Files = {
  "root/Chart.yaml": CHART.replace("web", "root"),
  "root/templates/app.yaml":
    "apiVersion: argoproj.io/v1alpha1\nkind: Application\nmetadata: {name: app, namespace: argocd}\nspec:\n  source: {repoURL: https://example.com/repo.git, path: app, helm: {valueFiles: ['values-{{ .Values.environment }}.yaml']}}\n  destination: {name: prod, namespace: shop}\n",
  "app/Chart.yaml": CHART,
  "app/templates/web.yaml": deployment("web", "env"),
  "app/values-test.yaml": "{}\n",
};
const INFLATED = "helmCharts: [{name: redis, version: 1.2.3, repo: https://charts.example, valuesFile: redis.yaml}]\n";

/** An Application of the chart `app` with a parameter, or with a file as a parameter. */
const withParameters = (is: "value" | "file", name: string, value: string): string =>
  `${JSON.stringify({
    apiVersion: "argoproj.io/v1alpha1",
    kind: "Application",
    metadata: { name: "app", namespace: "argocd" },
    spec: {
      source: {
        repoURL: "https://example.com/repo.git",
        path: "app",
        helm: is === "file" ? { fileParameters: [{ name, path: value }] } : { parameters: [{ name, value }] },
      },
      destination: { name: "prod", namespace: "shop" },
      syncPolicy: { automated: {} },
    },
  })}\n`;

const PATCH = "https://git.example/raw/patch.yaml";
/** Everything that may name a file by its address. */
const BY_ADDRESS = `patches: [{path: "${PATCH}"}]
patchesStrategicMerge: ["${PATCH}?merge"]
configMapGenerator: [{name: made, files: ["key=${PATCH}?key"], literals: [a=b]}]
crds: ["${PATCH}?crd"]
replacements: [{path: "${PATCH}?replacement"}]
configurations: ["${PATCH}?configuration"]
transformers: ["${PATCH}?transformer", "{apiVersion: builtin, kind: PatchTransformer, metadata: {name: p}, path: '${PATCH}?plugin'}"]
openapi: {path: "${PATCH}?openapi"}
`;

const ROWS: readonly Row[] = [
  {
    says: "a remote base: the rest is compared, and it is only a note",
    base: { ...WEB, "app/kustomization.yaml": kustomization([BASE, ...LOCAL]) },
    head: { "app/web.yaml": deployment("web", "env").replace("app:1", "app:2") },
    application: "Changed",
    rolls: ["web"],
    partial: [BASE],
  },
  {
    says: "another version of a remote base",
    base: { ...WEB, "app/kustomization.yaml": kustomization([BASE, ...LOCAL]) },
    head: { "app/kustomization.yaml": kustomization([BASE.replace("v1", "v2"), ...LOCAL]) },
    application: "Changed",
    found: [/^application app changes, but the remote base \S*v2 is not fetched: what rolls out is unknown$/u],
    partial: [BASE.replace("v1", "v2")],
  },
  {
    says: "patches and other files by their addresses: the rest is compared",
    base: { ...WEB, "app/kustomization.yaml": kustomization(LOCAL, BY_ADDRESS) },
    head: { "app/web.yaml": deployment("web", "env").replace("app:1", "app:2") },
    application: "Changed",
    rolls: ["web"],
    partial: [
      "",
      "?merge",
      "?key",
      "?crd",
      "?replacement",
      "?configuration",
      "?transformer",
      "?plugin",
      "?openapi",
    ].map((query) => `${PATCH}${query}`),
  },
  {
    says: "another address of a patch",
    base: { ...WEB, "app/kustomization.yaml": kustomization(LOCAL, `patches: [{path: "${PATCH}?v1"}]\n`) },
    head: { "app/kustomization.yaml": kustomization(LOCAL, `patches: [{path: "${PATCH}?v2"}]\n`) },
    application: "Changed",
    found: [/^application app changes, but the remote file \S*v2 is not fetched: what rolls out is unknown$/u],
    partial: [`${PATCH}?v2`],
  },
  {
    says: "an image that kustomize may also change in a remote base",
    base: { ...WEB, "app/kustomization.yaml": kustomization([BASE, ...LOCAL], images("1")) },
    head: { "app/kustomization.yaml": kustomization([BASE, ...LOCAL], images("2")) },
    application: "Changed",
    rolls: ["web"],
    found: [/the remote base/u],
    partial: [BASE],
  },
  {
    says: "a remote base beside a kustomization that changes: that one cannot change it",
    base: {
      "app/kustomization.yaml": "resources: [a, b]\n",
      "app/a/kustomization.yaml": kustomization([BASE]),
      "app/b/kustomization.yaml": kustomization(["web.yaml"], images("1")),
      "app/b/web.yaml": deployment("web", "env"),
    },
    head: { "app/b/kustomization.yaml": kustomization(["web.yaml"], images("2")) },
    application: "Changed",
    rolls: ["web"],
    partial: [BASE],
  },
  {
    says: "a remote base that a changed component may change",
    base: {
      "app/kustomization.yaml": "resources: [a]\ncomponents: [../part]\n",
      "app/a/kustomization.yaml": kustomization([BASE]),
      "part/kustomization.yaml": `kind: Component\n${images("1")}`,
    },
    head: { "part/kustomization.yaml": `kind: Component\n${images("2")}` },
    application: "Changed",
    found: [/the remote base/u],
    partial: [BASE],
    isUnrendered: true,
  },
  {
    says: "a remote base that a kustomization below names",
    base: {
      ...WEB,
      "app/kustomization.yaml": kustomization(["../base", ...LOCAL]),
      "base/kustomization.yaml": kustomization([BASE]),
    },
    head: { "base/kustomization.yaml": kustomization([BASE.replace("v1", "v2")]) },
    application: "Changed",
    found: [/the remote base/u],
    partial: [BASE.replace("v1", "v2")],
  },
  {
    says: "a patch for an object of a remote base: the rest is compared",
    base: {
      ...WEB,
      "app/kustomization.yaml": kustomization([BASE, ...LOCAL], "patches: [{path: patch.yaml}]\n"),
      "app/patch.yaml": "apiVersion: apps/v1\nkind: Deployment\nmetadata: {name: other}\nspec: {replicas: 2}\n",
    },
    head: {
      "app/patch.yaml": "apiVersion: apps/v1\nkind: Deployment\nmetadata: {name: other}\nspec: {replicas: 3}\n",
      "app/web.yaml": deployment("web", "env").replace("app:1", "app:2"),
    },
    application: "Changed",
    rolls: ["web"],
    found: [/the remote base/u],
    partial: [BASE],
  },
  {
    says: "a replacement from an object of a remote base: then nothing can be rendered",
    base: {
      ...WEB,
      "app/kustomization.yaml": kustomization(
        [BASE, ...LOCAL],
        "replacements: [{source: {kind: Service, name: other}, targets: [{select: {kind: ConfigMap}, fieldPaths: [data.value]}]}]\n",
      ),
    },
    head: { "app/env.yaml": configMap("env", "b") },
    application: "Changed",
    found: [/the remote base/u],
    partial: [BASE],
    isUnrendered: true,
  },
  {
    says: "a generated ConfigMap with a fixed name, which the remote base beside it cannot change but may use",
    base: {
      "app/kustomization.yaml": `resources: ["${BASE}"]\ngeneratorOptions: {disableNameSuffixHash: true}\nconfigMapGenerator: [{name: env, files: [a.txt], literals: [b=c]}]\n`,
      "app/a.txt": "a",
    },
    head: { "app/a.txt": "b" },
    application: "Changed",
    found: [/^ConfigMap default\/env of application app changes, but it is unknown whether pods use it: /u],
    partial: [BASE],
  },
  {
    says: "a remote base that is vendored: what it had is not created",
    base: { ...WEB, "app/kustomization.yaml": kustomization([BASE, ...LOCAL]) },
    head: {
      "app/kustomization.yaml": kustomization(["other.yaml", ...LOCAL]),
      "app/other.yaml": deployment("other", "env"),
    },
    application: "Changed",
    found: [/the remote base \S*v1 is not fetched/u],
    partial: [],
  },
  {
    says: "an error of kustomize about what is here, beside a remote base",
    base: { ...WEB, "app/kustomization.yaml": kustomization([BASE, ...LOCAL]) },
    head: { "app/kustomization.yaml": kustomization([BASE, ...LOCAL, "absent.yaml"]) },
    status: 1,
    application: "Failed",
    partial: [],
  },
  {
    says: "a remote base of what only the head can build: the error of the base, which is about what is here",
    base: { ...WEB, "app/kustomization.yaml": kustomization([BASE, ...LOCAL, "absent.yaml"]) },
    head: { "app/kustomization.yaml": kustomization([BASE, ...LOCAL]) },
    status: 1,
    application: "Failed",
    partial: [BASE],
  },
  {
    says: "a chart of helmCharts: the rest is compared",
    base: { ...WEB, "app/kustomization.yaml": kustomization(LOCAL, INFLATED), "app/redis.yaml": "a: 1\n" },
    head: { "app/web.yaml": deployment("web", "env").replace("app:1", "app:2") },
    application: "Changed",
    rolls: ["web"],
    partial: ["redis 1.2.3 of https://charts.example"],
  },
  {
    says: "values of a chart of a generator",
    base: {
      ...WEB,
      "app/kustomization.yaml": kustomization(LOCAL, "generators: [g.yaml]\n"),
      "app/g.yaml":
        "{apiVersion: builtin, kind: HelmChartInflationGenerator, metadata: {name: g}, name: redis, version: 1.2.3, repo: https://charts.example, valuesFile: redis.yaml}\n",
      "app/redis.yaml": "a: 1\n",
    },
    head: { "app/redis.yaml": "a: 2\n" },
    application: "Changed",
    found: [/the chart redis 1\.2\.3 of https:\/\/charts\.example of a kustomization is not in the repository/u],
    partial: ["redis 1.2.3 of https://charts.example"],
  },
  {
    says: "values of a chart of helmCharts",
    base: { ...WEB, "app/kustomization.yaml": kustomization(LOCAL, INFLATED), "app/redis.yaml": "a: 1\n" },
    head: { "app/redis.yaml": "a: 2\n" },
    application: "Changed",
    found: [/the chart redis 1\.2\.3 of https:\/\/charts\.example of a kustomization is not in the repository/u],
    partial: ["redis 1.2.3 of https://charts.example"],
  },
  {
    says: "a dependency of a chart: the rest is compared",
    base: CHARTED,
    head: { "app/values.yaml": "tag: b\nredis: {size: 1}\n" },
    application: "Changed",
    rolls: ["web"],
    partial: ["redis 1.2.3 of https://charts.example"],
  },
  {
    says: "another version of a dependency",
    base: CHARTED,
    head: { "app/Chart.yaml": dependencies("1.2.4") },
    application: "Changed",
    found: [/the dependency redis 1\.2\.4 of/u],
    partial: ["redis 1.2.4 of https://charts.example"],
  },
  {
    says: "values of a dependency",
    base: CHARTED,
    head: { "app/values.yaml": "tag: a\nredis: {size: 2}\n" },
    application: "Changed",
    found: [/the dependency redis/u],
    partial: ["redis 1.2.3 of https://charts.example"],
  },
  {
    says: "the value of a condition that turns a dependency off",
    base: {
      ...CHARTED,
      "app/Chart.yaml": dependencies("1.2.3").replace("{name", "{condition: 'parts.redis, redis.on', name"),
      "app/values.yaml": "tag: a\nparts: {redis: true, other: 1}\n",
    },
    head: { "app/values.yaml": "tag: a\nparts: {redis: false, other: 1}\n" },
    application: "Changed",
    found: [/the dependency redis/u],
    partial: [],
  },
  {
    says: "another version of a dependency that values turn off: it renders nothing",
    base: {
      ...CHARTED,
      "app/Chart.yaml": dependencies("1.2.3").replace("{name", "{condition: 'parts.redis, redis.on', name"),
      "app/values.yaml": "tag: a\nparts: {redis: no-boolean}\nredis: {on: false}\n",
    },
    head: { "app/Chart.yaml": dependencies("1.2.4").replace("{name", "{condition: 'parts.redis, redis.on', name") },
    application: "Unchanged",
    partial: [],
  },
  {
    says: "another version of a dependency that values turn off, and a parameter may turn it on",
    base: {
      ...CHARTED,
      "app/Chart.yaml": dependencies("1.2.3").replace("{name", "{condition: redis.on, name"),
      "app/values.yaml": "tag: a\nredis: {on: false}\n",
      "app.yaml": withParameters("value", "redis.on", "true"),
    },
    head: { "app/Chart.yaml": dependencies("1.2.4").replace("{name", "{condition: redis.on, name") },
    application: "Changed",
    found: [/the dependency redis/u],
    partial: ["redis 1.2.4 of https://charts.example"],
  },
  {
    says: "a value beside that of a condition",
    base: {
      ...CHARTED,
      "app/Chart.yaml": dependencies("1.2.3").replace("{name", "{condition: 'parts.redis, redis.on', name"),
      "app/values.yaml": "tag: a\nparts: {redis: true, other: 1}\n",
    },
    head: { "app/values.yaml": "tag: a\nparts: {redis: true, other: 2}\n" },
    application: "Unchanged",
    partial: ["redis 1.2.3 of https://charts.example"],
  },
  {
    says: "another condition of a dependency",
    base: CHARTED,
    head: { "app/Chart.yaml": dependencies("1.2.3").replace("{name", "{condition: parts.redis, name") },
    application: "Changed",
    found: [/the dependency redis/u],
    partial: ["redis 1.2.3 of https://charts.example"],
  },
  {
    says: "a value of a chart without templates: only its dependencies can use it",
    base: { "app/Chart.yaml": dependencies("1.2.3"), "app/values.yaml": "cache: {size: 1}\n" },
    head: { "app/values.yaml": "cache: {size: 2}\n" },
    application: "Changed",
    found: [/the dependency redis/u],
    partial: ["redis 1.2.3 of https://charts.example"],
    isUnrendered: true,
  },
  {
    says: "a parameter of an Application for the chart itself",
    base: { ...CHARTED, "app.yaml": withParameters("value", "tag", "a") },
    head: { "app.yaml": withParameters("value", "tag", "b") },
    application: "Changed",
    rolls: ["web"],
    partial: ["redis 1.2.3 of https://charts.example"],
  },
  {
    says: "a parameter of an Application for a dependency",
    base: { ...CHARTED, "app.yaml": withParameters("value", "redis.size", "1") },
    head: { "app.yaml": withParameters("value", "redis.size", "2") },
    application: "Changed",
    found: [/the dependency redis/u],
    partial: ["redis 1.2.3 of https://charts.example"],
  },
  {
    says: "a file that a parameter gives to a dependency",
    base: { ...CHARTED, "app.yaml": withParameters("file", "redis.config", "redis.conf"), "app/redis.conf": "a" },
    head: { "app/redis.conf": "b" },
    application: "Changed",
    found: [/the dependency redis/u],
    partial: ["redis 1.2.3 of https://charts.example"],
  },
  {
    says: "a dependency whose helpers the chart uses: then nothing can be rendered",
    base: { ...CHARTED, "app/templates/name.yaml": '# {{ include "redis.name" . }}\n' },
    head: { "app/values.yaml": "tag: b\nredis: {size: 1}\n" },
    application: "Changed",
    found: [/the dependency redis/u],
    partial: ["redis 1.2.3 of https://charts.example"],
    isUnrendered: true,
  },
  {
    says: "a values file that is named by a value which only the cluster has",
    base: OF_ENVIRONMENT,
    head: { "app/templates/web.yaml": deployment("web", "env").replace("app:1", "app:2") },
    application: "Changed",
    found: [/^Application argocd\/app changes, but the values of app\/values-\.yaml are not in the repository/u],
    partial: ["app/values-.yaml"],
    isUnrendered: true,
  },
  {
    says: "a values file that is missing: that fails",
    base: { ...OF_ENVIRONMENT, "root/values.yaml": "environment: prod\n" },
    head: { "app/templates/web.yaml": deployment("web", "env").replace("app:1", "app:2") },
    status: 1,
    application: "Failed",
    partial: [],
  },
];

const planned = (row: Pick<Row, "base" | "head">): { readonly repo: Repository } & ReturnType<typeof plan> => {
  const repo = repository({ ...row.base, "other/kustomization.yaml": "resources: []\n" });
  repo.commit("next", row.head);
  return { repo, ...plan(repo, "--git", "start..next") };
};

describe("what is outside of the repository", { skip: missing }, () => {
  for (const row of ROWS)
    it(`is ${row.says}`, () => {
      const { report, status } = planned(row);
      const app = report.applications?.find(({ name }) => name === "app");
      assert.deepEqual(
        [status, app?.status, app?.unrendered, app?.partial?.map(({ path }) => path) ?? []],
        [row.status ?? 0, row.application, row.isUnrendered, row.partial],
        JSON.stringify(app),
      );
      assert.deepEqual(
        report.workloads.map(({ name, action }) => [name, action]),
        (row.rolls ?? []).map((name) => [name, "Roll"]),
      );
      const found = report.findings.filter(({ id }) => id === "RS024");
      assert.equal(found.length, row.found?.length ?? 0, JSON.stringify(found));
      for (const [i, pattern] of (row.found ?? []).entries()) assert.match(found[i]?.message ?? "", pattern);
      if (found.length > 0) assert.equal(report.verdict?.level, "attention");
    });

  it("fails a plan only with --fail-on", () => {
    const [, row] = ROWS;
    assert.ok(row);
    const { repo, status } = planned(row);
    assert.equal(status, 0);
    assert.equal(plan(repo, "--git", "start..next", "--fail-on", "RS024").status, 1);
  });

  it("is listed by commands over applications, which examine the rest", () => {
    const [row] = ROWS;
    assert.ok(row);
    const { repo } = planned(row);
    const { stdout, status } = rollstamp(repo, "lint", "--apps", "-o", "json", ".");
    const { notExamined, examined } = JSON.parse(stdout);
    assert.deepEqual(
      [status, examined.workloads, notExamined.map(({ kind, missing: part }: Record<string, string>) => [kind, part])],
      [0, 1, [["Kustomization", BASE]]],
    );
  });

  it("may have workloads of a namespace that an application next to it loses, and a source if the change adds it", () => {
    const argo = (name: string): Files => ({
      [`argo/${name}.yaml`]: `apiVersion: argoproj.io/v1alpha1\nkind: Application\nmetadata: {name: ${name}}\nspec:\n  source: {repoURL: https://example.com/repo.git, path: ${name}}\n  destination: {name: prod, namespace: shop}\n  syncPolicy: {automated: {prune: true}}\n`,
    });
    const lastAndLost = (more: readonly string[], before = more): unknown[] => {
      const { report } = planned({
        base: {
          ...WEB,
          ...argo("app"),
          ...argo("near"),
          ...argo("gone"),
          "app/kustomization.yaml": kustomization(LOCAL),
          "near/kustomization.yaml": kustomization(before),
          "gone/kustomization.yaml": kustomization(["gone.yaml"], "namespace: old\n"),
          "gone/gone.yaml": deployment("gone", "none"),
        },
        head: {
          "app/kustomization.yaml": kustomization(["web.yaml"]),
          "near/kustomization.yaml": kustomization(more),
          "gone/kustomization.yaml": kustomization([], "namespace: old\n"),
        },
      });
      return report.workloads.map(({ name, isLast, lost }) => [name, isLast === true, lost?.length ?? 0]);
    };
    assert.deepEqual(lastAndLost([]), [
      ["web", false, 1],
      ["gone", true, 0],
    ]);
    assert.deepEqual(lastAndLost([BASE]).toSorted(), [
      ["gone", false, 0],
      ["web", false, 1],
    ]);
    assert.deepEqual(lastAndLost([BASE], []).toSorted(), [
      ["gone", false, 0],
      ["web", false, 0],
    ]);
  });

  it("is shown without credentials", () => {
    const { report } = planned({
      base: { ...WEB, "app/kustomization.yaml": kustomization(LOCAL) },
      head: { "app/kustomization.yaml": kustomization([...LOCAL, BASE.replace("git.", "user:hunter2@git.")]) },
    });
    assert.deepEqual(statuses(report)["app"], "Changed");
    assert.ok(!JSON.stringify(report).includes("hunter2"));
    assert.match(JSON.stringify(report), /team\/base/u);
  });
});
