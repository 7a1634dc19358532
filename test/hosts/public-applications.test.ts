// The applications of public repositories, compared with lists by hand. ROLLSTAMP_REPOSITORIES is a folder of checkouts named
// owner+name; the lists are for specific commits.
import assert from "node:assert/strict";
import { existsSync, readFileSync } from "node:fs";
import { basename, dirname, join, normalize } from "node:path";
import { describe, it } from "node:test";
import { execFileSync } from "node:child_process";
import fg from "fast-glob";
import { parseAllDocuments } from "yaml";
import { cli } from "../support/cli.ts";

const REPOSITORIES = process.env["ROLLSTAMP_REPOSITORIES"];

interface Listed {
  readonly name: string;
  readonly path: string;
  readonly kind: string;
  readonly foundBy: string;
}

async function listed(folder: string): Promise<readonly Listed[]> {
  const { stdout } = await cli(["apps", "-o", "json", folder]);
  return (JSON.parse(stdout) as { applications: Listed[] }).applications;
}

function skipped(repository: string, commit?: string): string | false {
  const folder = join(REPOSITORIES ?? "", repository);
  if (REPOSITORIES === undefined || !existsSync(folder)) return "ROLLSTAMP_REPOSITORIES names no folder with it";
  if (commit === undefined) return false;
  const head = execFileSync("git", ["-C", folder, "rev-parse", "HEAD"], { encoding: "utf8" }).trim();
  return head === commit ? false : `the list is of ${commit}`;
}

const LISTS: readonly { readonly repository: string; readonly commit: string; readonly all: readonly string[] }[] = [
  {
    repository: "fluxcd+flux2-kustomize-helm-example",
    commit: "4f1a5b1051b469108d1bdf0ebec6c814427e3834",
    all: [
      // The workflows of .github are no manifests; what stands beside flux-system is.
      "Files . Manifests",
      "Helm apps/base/podinfo/release.yaml HelmRelease podinfo",
      "Helm infrastructure/controllers/cert-manager.yaml HelmRelease cert-manager",
      "Helm infrastructure/controllers/envoy-gateway.yaml HelmRelease envoy-gateway",
      "Kustomize apps/production FluxKustomization apps@clusters/production",
      "Kustomize apps/staging FluxKustomization apps@clusters/staging",
      "Kustomize clusters/production/flux-system Kustomization",
      "Kustomize clusters/staging/flux-system Kustomization",
      "Kustomize infrastructure/configs FluxKustomization infra-configs@clusters/production",
      "Kustomize infrastructure/configs FluxKustomization infra-configs@clusters/staging",
      "Kustomize infrastructure/controllers FluxKustomization infra-controllers@clusters/production",
      "Kustomize infrastructure/controllers FluxKustomization infra-controllers@clusters/staging",
    ],
  },
  {
    repository: "argoproj+argocd-example-apps",
    commit: "0d521c6e049889134f3122eb32d7ed342f43ca0d",
    all: [
      // plugins/kustomized-helm is built by kustomize: helm-guestbook, which its chart names, is in no other application.
      // kustomize-guestbook is in pre-post-sync.
      "Files . Manifests",
      "Files helm-hooks Manifests",
      "Files sync-waves Manifests",
      "Helm apps Chart",
      "Helm blue-green Chart",
      "Helm helm-dependency Chart",
      "Helm helm-guestbook Chart",
      "Kustomize plugins/kustomized-helm Kustomization",
      "Kustomize pre-post-sync Kustomization",
      "Kustomize sock-shop Kustomization",
    ],
  },
];

describe("the applications of public repositories", () => {
  for (const { repository, commit, all } of LISTS) {
    it(`${repository}: the same as listed by hand`, { skip: skipped(repository, commit) }, async () => {
      const found = await listed(join(REPOSITORIES ?? "", repository));
      assert.deepEqual(
        found
          .map(({ kind, path, foundBy, name }) => [kind, path, foundBy, ...(name === path ? [] : [name])].join(" "))
          .sort(),
        all,
      );
    });
  }

  it(
    "onedr0p+home-ops: each Kustomization and HelmRelease of its files",
    { skip: skipped("onedr0p+home-ops") },
    async () => {
      const folder = join(REPOSITORIES ?? "", "onedr0p+home-ops");
      const written = fg.sync("**/*.yaml", { cwd: folder }).flatMap((file) => {
        const text = readFileSync(join(folder, file), "utf8");
        const kinds = [...text.matchAll(/^kind: (Kustomization|HelmRelease)$/gmu)].map(([, kind]) => kind ?? "");
        // The chart makes one more, of its sync.
        if (kinds.includes("HelmRelease") && /^ {2}name: &?.*flux-instance$/mu.test(text)) kinds.push("Kustomization");
        const isFlux = /^apiVersion: (?:kustomize|helm)\.toolkit\.fluxcd\.io/mu.test(text);
        return isFlux ? kinds.map((kind) => (kind === "Kustomization" ? "FluxKustomization" : kind)) : [];
      });
      const found = (await listed(folder)).map(({ foundBy }) => foundBy).filter((by) => written.includes(by));
      assert.ok(written.length > 100);
      assert.deepEqual([...found].sort(), [...written].sort());
    },
  );

  for (const repository of ["kubeflow+manifests", "redhat-appstudio+infra-deployments", "konflux-ci+konflux-ci"]) {
    it(`${repository}: all kustomizations that no other one includes`, { skip: skipped(repository) }, async () => {
      const folder = join(REPOSITORIES ?? "", repository);
      const files = fg.sync("**/{kustomization.yaml,kustomization.yml,Kustomization}", { cwd: folder, dot: true });
      const named = new Set<string>();
      const all = files.flatMap((file) => {
        const [document] = parseAllDocuments(readFileSync(join(folder, file), "utf8"));
        if (document === undefined || document.errors.length > 0) return [];
        const content = (document.toJS() ?? {}) as Record<string, unknown>;
        for (const field of ["resources", "bases", "components", "transformers", "generators", "validators"])
          for (const way of Array.isArray(content[field]) ? content[field] : [])
            if (typeof way === "string") named.add(normalize(join(dirname(file), way)).replace(/\/$/u, ""));
        return content["kind"] === "Component" ? [] : [dirname(file)];
      });
      const found = (await listed(folder)).filter(({ foundBy }) => foundBy === "Kustomization").map(({ path }) => path);
      const charts = new Set(fg.sync("**/Chart.yaml", { cwd: folder }).map(dirname));
      const inChart = (path: string): boolean =>
        path
          .split("/")
          .some((part, i, parts) => ["templates", "charts"].includes(part) && charts.has(parts.slice(0, i).join("/")));
      const shown = new Set(
        (await listed(folder)).filter(({ foundBy }) => foundBy !== "Kustomization").map(({ path }) => path),
      );
      const expected = all.filter((path) => !named.has(path) && !inChart(path) && !shown.has(path));
      assert.ok(expected.length > 10, basename(folder));
      assert.deepEqual([...found].sort(), [...new Set(expected)].sort());
    });
  }
});
