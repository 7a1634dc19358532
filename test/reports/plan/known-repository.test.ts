import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { cli } from "../../support/cli.ts";
import { inFolder } from "../../support/folders.ts";
import { configMap, deployment } from "../../support/manifests.ts";
import { inRepository, type Repository } from "./repository.ts";

const OWN = "https://git.example/shop/deploy.git";

const application = (name: string, repository: string, path: string): string => `apiVersion: argoproj.io/v1alpha1
kind: Application
metadata: {name: ${name}, namespace: argocd}
spec:
  source: {repoURL: "${repository}", path: ${path}, targetRevision: HEAD}
  destination: {name: in-cluster, namespace: shop}
`;
const SET = `apiVersion: argoproj.io/v1alpha1
kind: ApplicationSet
metadata: {name: shops, namespace: argocd}
spec:
  generators: [{clusters: {selector: {matchLabels: {env: prod}}}}]
  template:
    metadata: {name: "shop-{{name}}"}
    spec:
      source: {repoURL: "${OWN}", path: "shops/{{name}}", targetRevision: HEAD}
      destination: {server: "{{server}}", namespace: shop}
`;

interface Report {
  readonly applications: readonly { readonly name: string; readonly cluster?: string }[];
  readonly notExamined: readonly { readonly kind: string; readonly name?: string }[];
  readonly workloads: readonly {
    readonly name: string;
    readonly action: string;
    readonly findings: readonly unknown[];
  }[];
}

async function planned({ environment }: Repository, ...more: string[]): Promise<Report> {
  const { stdout, stderr } = await cli(["plan", "--git", "first..HEAD", "-o", "json", ...more], { environment });
  assert.notEqual(stdout, "", stderr);
  return JSON.parse(stdout);
}

const names = ({ applications }: Report): string[] => applications.map(({ name }) => name).toSorted();

describe("a plan knows of its repository", () => {
  it("the remotes: an Application of another repository is none of this one", () =>
    inRepository(
      {
        "argo/web.yaml": application("web", OWN, "apps/web"),
        "argo/other.yaml": application("other", "https://git.example/shop/other.git", "apps/other"),
        "apps/web/web.yaml": deployment("web", "env"),
        "apps/web/env.yaml": configMap("env", "a"),
        "apps/other/other.yaml": deployment("other", "env"),
      },
      async (repository) => {
        repository.git("tag", "first");
        repository.git("remote", "add", "origin", OWN);
        repository.edit("changed", "apps/web/env.yaml", '"a"', '"b"');
        const report = await planned(repository);
        assert.ok(names(report).includes("web"), JSON.stringify(names(report)));
        assert.ok(!names(report).includes("other"), JSON.stringify(names(report)));
        assert.deepEqual(
          report.notExamined.map(({ kind, name }) => `${kind} ${name ?? ""}`),
          ["Application other"],
        );
      },
    ));

  it("what a file of values says of clusters", () =>
    inFolder({}, (folder) =>
      inRepository(
        {
          "argo/shops.yaml": SET,
          "shops/east/web.yaml": deployment("web", "env"),
          "shops/east/env.yaml": configMap("env", "a"),
        },
        async (repository) => {
          repository.git("tag", "first");
          repository.edit("changed", "shops/east/env.yaml", '"a"', '"b"');
          const clusters = join(folder, "clusters.yaml");
          writeFileSync(
            clusters,
            "clusters: [{name: east, server: https://east.example, labels: {env: prod}}, {name: lab, server: https://lab.example}]\n",
          );
          assert.ok(!names(await planned(repository)).includes("shop-east"));
          const report = await planned(repository, "--clusters", clusters);
          assert.ok(names(report).includes("shop-east"), JSON.stringify(names(report)));
          assert.deepEqual(report.notExamined, []);
        },
      ),
    ));

  it("which objects are applications: those are no rows of what was not examined", () =>
    inRepository(
      {
        "argo/web.yaml": application("web", OWN, "apps/web"),
        "argo/env.yaml": configMap("env", "a"),
        "apps/web/web.yaml": deployment("web", "env"),
        "apps/web/env.yaml": configMap("env", "a"),
      },
      async (repository) => {
        repository.git("tag", "first");
        repository.edit("changed", "argo/env.yaml", '"a"', '"b"');
        const report = await planned(repository);
        assert.ok(names(report).includes("web"));
        assert.deepEqual(report.notExamined, []);
      },
    ));

  it("its folders, by their path from here or from the root of the disk, with the configuration from them upwards", () =>
    inRepository(
      {
        "apps/rollstamp.yaml": `apiVersion: rollstamp.dev/v1alpha1
kind: RolloutLint
metadata: {name: rules}
spec: {rules: {RS025: "off"}}
`,
        "apps/web.yaml": deployment("web", "env"),
        "apps/env.yaml": configMap("env", "a"),
      },
      async (repository) => {
        repository.git("tag", "first");
        repository.edit("changed", "apps/env.yaml", '"a"', '"b"');
        for (const path of ["apps", join(repository.folder, "apps")]) {
          const { workloads } = await planned(repository, path);
          assert.deepEqual(
            workloads.map(({ name, action, findings }) => [name, action, findings]),
            [["web", "Stale", []]],
          );
        }
        const outside = join(repository.folder, "..");
        const { status, stderr } = await cli(["plan", "--git", "first..HEAD", outside], repository);
        assert.equal(status, 2);
        assert.match(stderr, /is outside of the repository/u);
        assert.ok(stderr.includes(outside), stderr);
      },
    ));
});
