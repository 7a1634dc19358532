// Plans over applications with a kustomize that prints the files next to a kustomization, and counts its builds:
// what is rendered, how often, and what counts as a change (test/hosts/plan-applications.test.ts has the real one).
import assert from "node:assert/strict";
import {
  chmodSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { delimiter, join } from "node:path";
import { describe, it } from "node:test";
import type { PlanJson } from "../../../src/output/plan-json.ts";
import { cli, type CliWorld } from "../../support/cli.ts";
import type { Files } from "../../support/folders.ts";
import { configMap, deployment } from "../../support/manifests.ts";
import { inRepository, type Repository } from "./repository.ts";

/** A kustomize whose builds are counted. */
interface Counted {
  readonly environment: Readonly<Record<string, string>>;
  /** The builds since the last call, each with the number that ran at the same time. */
  readonly builds: () => readonly number[];
  /** What it says of itself. */
  readonly is: (version: string) => void;
}

function counted({ environment }: Repository, { together = 1 }: { readonly together?: number } = {}): Counted {
  const bin = join(environment["TMPDIR"] ?? "", "bin");
  const inBin = (name: string): string => join(bin, name);
  mkdirSync(join(bin, "begun"), { recursive: true });
  // It waits for the others that should run at the same time, for at most five seconds.
  const script = `#!/bin/sh
[ "$1" = version ] && exec cat ${inBin("version")}
[ "$1" = build ] || exit 1
: > ${inBin("begun")}/$$
tries=0
while count=$(ls ${inBin("begun")} | wc -l) && [ $count -lt ${together} ] && [ $tries -lt 50 ]; do sleep 0.1; tries=$((tries + 1)); done
echo $((count)) >> ${inBin("builds")}
for file in *.yaml; do [ $file = kustomization.yaml ] || cat $file; done
`;
  writeFileSync(inBin("kustomize"), script);
  chmodSync(inBin("kustomize"), 0o755);
  writeFileSync(inBin("version"), "v5.0.0\n");
  writeFileSync(inBin("builds"), "");
  return {
    environment: { ...environment, PATH: [bin, environment["PATH"] ?? ""].join(delimiter) },
    builds: () => {
      const lines = readFileSync(inBin("builds"), "utf8").split("\n").filter(Boolean);
      writeFileSync(inBin("builds"), "");
      for (const name of readdirSync(inBin("begun"))) rmSync(join(inBin("begun"), name));
      return lines.map(Number);
    },
    is: (version) => writeFileSync(inBin("version"), version),
  };
}

const mapValues = (files: Files, change: (text: string) => string): Files =>
  Object.fromEntries(Object.entries(files).map(([path, text]) => [path, change(text)]));

const app = (name: string): Files => ({
  [`${name}/kustomization.yaml`]: "resources: [all.yaml]\n",
  [`${name}/all.yaml`]: `${deployment(name, "env")}---\n${configMap("env", "a")}---\n${configMap("other", "a")}`,
});

async function planned(world: CliWorld, ...args: string[]): Promise<PlanJson> {
  const { status, stdout, stderr } = await cli(["plan", "-o", "json", ...args], world);
  assert.notEqual(status, 2, stderr);
  return JSON.parse(stdout) as PlanJson;
}

const statuses = ({ applications = [] }: PlanJson): readonly (readonly string[])[] =>
  applications.map(({ name, status, change }) => [name, status, ...(change === undefined ? [] : [change])]).toSorted();

describe("a plan over applications", () => {
  it("names the package or folder that each workload of plain manifests is in", () => {
    const kpt = (name: string): string => `apiVersion: kpt.dev/v1\nkind: Kptfile\nmetadata: {name: ${name}}\n`;
    const files = {
      "p/Kptfile": kpt("p"),
      "p/web.yaml": deployment("web", "env"),
      "q/Kptfile": kpt("q"),
      "q/api.yaml": deployment("api", "env"),
      "dev/k/Kptfile": kpt("k"),
      "dev/k/same.yaml": deployment("same", "env"),
      "dev/plain.yaml": deployment("plain", "env"),
      "prod/k/Kptfile": kpt("k"),
      "prod/k/same.yaml": deployment("same", "env"),
      "prod/plain.yaml": deployment("plain", "env"),
    };
    return inRepository(files, async ({ environment, commit }) => {
      commit(
        "changed",
        mapValues(files, (text) => text.replaceAll("image: ", "image: a/")),
      );
      const { workloads } = await planned({ environment }, "--git", "start..changed");
      assert.deepEqual(workloads.map(({ name, application }) => [application, name]).toSorted(), [
        ["dev", "plain"],
        ["dev/k", "same"],
        ["p", "web"],
        ["prod", "plain"],
        ["prod/k", "same"],
        ["q", "api"],
      ]);
      commit("one", { "dev/k/same.yaml": deployment("same", "env") });
      const { summary, verdict } = await planned({ environment }, "--git", "changed..one");
      assert.equal(summary.workloads, 1);
      assert.match(verdict?.text ?? "", /^Safe to merge: dev\/k: Deployment default\/same rolls/u);
    });
  });

  it("says Changed where the rendering differs, and renders what the difference touches", () =>
    inRepository({ ...app("a"), ...app("b"), ...app("c"), ...app("d") }, async (repository) => {
      const kustomize = counted(repository);
      repository.commit("changed", {
        "a/kustomization.yaml": "# The same.\nresources: [all.yaml]\n",
        // Nothing that a workload uses.
        "b/all.yaml": `${deployment("b", "env")}---\n${configMap("env", "a")}---\n${configMap("other", "b")}`,
        "c/all.yaml": `${deployment("c", "env")}---\n${configMap("env", "b")}---\n${configMap("other", "a")}`,
      });
      const few = await planned(kustomize, "--git", "start..changed");
      assert.deepEqual(statuses(few), [
        ["a", "Unchanged"],
        ["b", "Changed"],
        ["c", "Changed"],
        ["d", "NotAffected"],
      ]);
      assert.equal(kustomize.builds().length, 6);
      assert.deepEqual(
        few.workloads.map(({ name, application, action }) => [name, application, action]),
        [["c", "c", "Stale"]],
      );
      const all = await planned(kustomize, "--git", "start..changed", "--all-apps");
      assert.deepEqual(statuses(all).at(-1), ["d", "Unchanged"]);
      // Once: both revisions have the same.
      assert.equal(kustomize.builds().length, 7);
      assert.deepEqual({ ...all, applications: [], examined: [] }, { ...few, applications: [], examined: [] });
    }));

  it("matches applications by the name from Argo CD, otherwise by path", () => {
    const named = (path: string): Files => ({
      "argo.yaml": `apiVersion: argoproj.io/v1alpha1\nkind: Application\nmetadata: {name: web}\nspec: {source: {repoURL: https://git.example/x.git, path: ${path}}}\n`,
    });
    return inRepository({ ...app("old"), ...app("here"), ...named("old") }, async (repository) => {
      const kustomize = counted(repository);
      repository.git("mv", "old", "new");
      repository.git("mv", "here", "there");
      repository.commit("moved", {
        ...named("new"),
        "new/all.yaml": `${deployment("old", "env")}---\n${configMap("env", "b")}---\n${configMap("other", "a")}`,
      });
      const report = await planned(kustomize, "--git", "start..moved");
      assert.deepEqual(statuses(report), [
        [".", "Changed"],
        ["here", "Changed", "Removed"],
        ["there", "Changed", "Added"],
        ["web", "Changed"],
      ]);
      assert.deepEqual(
        report.workloads.filter(({ application }) => application === "web").map(({ action }) => action),
        ["Stale"],
      );
    });
  });

  it("reports what cannot be rendered where the difference touches it, even if the base failed too", () =>
    inRepository(
      { "a/kustomization.yaml": "resources: [../b]\n", "b/kustomization.yaml": "resources: [../a]\n", ...app("c") },
      async (repository) => {
        const { environment } = counted(repository);
        const world = { ...repository, environment };
        repository.commit("elsewhere", { "c/all.yaml": `${deployment("c", "env")}---\n${configMap("env", "b")}` });
        repository.commit("touched", { "b/more.yaml": configMap("more", "a") });
        repository.commit("fixed", { "b/kustomization.yaml": "resources: [more.yaml]\n" });
        const outcome = async (...args: string[]): Promise<unknown> => {
          const { applications = [], verdict } = await planned(world, "--git", ...args);
          const rows = applications.map(({ name, status, failedBefore }) => [name, status, failedBefore === true]);
          return [verdict?.level, ...rows];
        };
        assert.deepEqual(await outcome("start..elsewhere"), ["attention", ["c", "Changed", false]]);
        assert.deepEqual(await outcome("elsewhere..touched"), [
          "danger",
          ["b", "Failed", false],
          ["c", "NotAffected", false],
        ]);
        assert.deepEqual(await outcome("elsewhere..touched", "--app", "c"), ["ok", ["c", "NotAffected", false]]);
        assert.deepEqual(await outcome("touched..fixed", "--app", "c"), ["ok", ["c", "NotAffected", false]]);
        assert.deepEqual(await outcome("touched..fixed"), [
          "danger",
          ["a", "Failed", false],
          ["c", "NotAffected", false],
        ]);
        assert.deepEqual(await outcome("fixed..touched", "--app", "c"), [
          "danger",
          ["a", "Failed", false],
          ["b", "Failed", false],
          ["c", "NotAffected", false],
        ]);
      },
    ));

  it("excludes what Argo CD doesn't sync", () => {
    const marked = (hook: string, image: string): Files => ({
      "web/all.yaml": deployment("web", "env")
        .replace("metadata:\n", `metadata:\n  annotations: {argocd.argoproj.io/hook: ${hook}}\n`)
        .replace(/image: .*/u, `image: ${image}`),
    });
    return inRepository(
      {
        ...app("web"),
        ...marked("Skip", "web:1"),
        "argo.yaml": `apiVersion: argoproj.io/v1alpha1\nkind: Application\nmetadata: {name: web}\nspec: {source: {repoURL: https://git.example/x.git, path: web}}\n`,
      },
      async (repository) => {
        const kustomize = counted(repository);
        repository.commit("skipped", marked("Skip", "web:2"));
        repository.commit("synced", marked("Sync", "web:3"));
        repository.commit("again", marked("Sync", "web:4"));
        const actions = async (range: string): Promise<readonly string[]> =>
          (await planned(kustomize, "--git", range)).workloads.map(({ action }) => action);
        assert.deepEqual(await actions("start..skipped"), []);
        assert.deepEqual(await actions("synced..again"), ["Roll"]);
      },
    );
  });

  it("treats what is applied to another namespace or cluster as different objects", () => {
    const to = (cluster: string, namespace: string): Files => ({
      "argo/web.yaml": `apiVersion: argoproj.io/v1alpha1\nkind: Application\nmetadata: {name: web, finalizers: [resources-finalizer.argocd.argoproj.io]}\nspec: {syncPolicy: {automated: {prune: true}}, source: {repoURL: https://git.example/x.git, path: web}, destination: {name: ${cluster}, namespace: ${namespace}}}\n`,
    });
    return inRepository({ ...app("web"), ...to("dev", "one") }, async (repository) => {
      const kustomize = counted(repository);
      repository.commit("other-namespace", to("dev", "two"));
      repository.commit("other-cluster", to("prod", "two"));
      const rows = ({ workloads }: PlanJson): unknown =>
        workloads.map(({ application, namespace, action }) => [application, namespace, action]);
      const moved = await planned(kustomize, "--git", "start..other-namespace");
      assert.deepEqual(statuses(moved), [
        [".", "Changed"],
        ["web", "Changed"],
      ]);
      assert.deepEqual(rows(moved), [
        ["web", "one", "Delete"],
        ["web", "two", "Create"],
      ]);
      // Two ConfigMaps there and two here, and the Application.
      assert.equal(moved.summary.otherObjects, 5);
      const away = await planned(kustomize, "--git", "other-namespace..other-cluster");
      assert.deepEqual(statuses(away), [
        [".", "Changed"],
        ["web", "Changed", "Added"],
        ["web@dev", "Changed", "Removed"],
      ]);
      assert.deepEqual(rows(away), [
        ["web", "two", "Create"],
        // It stays in the cluster before.
        ["web@dev", "two", "Delete"],
      ]);
      // What names its namespace itself stays where it is.
      const namespaced = configMap("env", "a").replace("name: env", "name: env\n  namespace: own");
      repository.commit("named", { "web/all.yaml": namespaced, ...to("prod", "two") });
      repository.commit("named-elsewhere", to("prod", "three"));
      assert.deepEqual(statuses(await planned(kustomize, "--git", "named..named-elsewhere")).at(-1), [
        "web",
        "Unchanged",
      ]);
    });
  });

  it("reports what can't be read in the head, even where nothing else is there", () =>
    inRepository(app("a"), async (repository) => {
      const kustomize = counted(repository);
      repository.commit("broken", { "a/kustomization.yaml": "resources: [all.yaml\n" });
      const report = await planned(kustomize, "--git", "start..broken");
      assert.deepEqual(statuses(report), [["a", "Failed"]]);
      assert.deepEqual([report.verdict?.level, report.summary.deletes], ["danger", 0]);
    }));

  it("joins no parts whose applications have different values", () => {
    const set = `apiVersion: argoproj.io/v1alpha1
kind: ApplicationSet
metadata: {name: set}
spec:
  generators: [{clusters: {}}]
  template:
    metadata: {name: "web-{{name}}"}
    spec:
      source: {repoURL: https://git.example/x.git, path: web, kustomize: {commonAnnotations: {tier: "{{metadata.labels.tier}}"}}}
      destination: {name: "{{name}}", namespace: web}
`;
    return inRepository({ ...app("web"), "set.yaml": set }, async (repository) => {
      const kustomize = counted(repository);
      repository.commit("changed", {
        "web/all.yaml": `${deployment("web", "env")}---\n${configMap("env", "b")}`,
      });
      const folder = repository.environment["TMPDIR"] ?? "";
      const part = async (n: number, tier: string): Promise<string> => {
        const [clusters, file] = [join(folder, `${tier}.yaml`), join(folder, `${n}-${tier}.json`)];
        writeFileSync(clusters, `clusters: [{name: a, server: https://a, labels: {tier: ${tier}}}]\n`);
        const args = ["plan", "-o", "json", "--git", "start..changed", "--shard", `${n}/2`, "--clusters", clusters];
        writeFileSync(file, (await cli(args, kustomize)).stdout);
        return file;
      };
      const [one, two, other] = [await part(1, "gold"), await part(2, "gold"), await part(2, "silver")];
      assert.equal((await cli(["plan", "--merge", one, two], kustomize)).status, 0);
      const { status, stderr } = await cli(["plan", "--merge", one, other], kustomize);
      assert.deepEqual([status, /the applications must be the same/u.test(stderr)], [2, true], stderr);
    });
  });

  it("renders as many at once as there are processors, or as --jobs says", () =>
    inRepository({ ...app("a"), ...app("b") }, async (repository) => {
      const kustomize = counted(repository, { together: 3 });
      const change = (name: string): Files => ({
        [`${name}/all.yaml`]: `${deployment(name, "env")}---\n${configMap("env", "b")}`,
      });
      repository.commit("changed", { ...change("a"), ...change("b") });
      for (const [processors, ...jobs] of [[3], [1, "--jobs", "3"]] as const) {
        await planned({ ...kustomize, processors }, "--git", "start..changed", ...jobs);
        assert.ok(
          kustomize.builds().every((beside) => beside >= 3),
          "three had begun before one ended",
        );
      }
    }));

  it("renders once what several applications are made from", () => {
    const object = (name: string, spec: string): string =>
      `apiVersion: kustomize.toolkit.fluxcd.io/v1\nkind: Kustomization\nmetadata: {name: ${name}, namespace: flux-system}\nspec: {path: ./app, sourceRef: {kind: GitRepository, name: flux-system}${spec}}\n`;
    const files = {
      ...app("app"),
      "clusters/a.yaml": object("a", ""),
      "clusters/b.yaml": object("b", ", prune: true"),
      "clusters/c.yaml": object("c", ", namePrefix: c-"),
      "clusters/source.yaml":
        "apiVersion: source.toolkit.fluxcd.io/v1\nkind: GitRepository\nmetadata: {name: flux-system, namespace: flux-system}\nspec: {url: https://git.example/x.git}\n",
    };
    return inRepository(files, async (repository) => {
      const kustomize = counted(repository);
      repository.commit("changed", {
        "app/all.yaml": `${deployment("app", "env").replace("app:1", "app:2")}---\n${configMap("env", "a")}`,
      });
      const { workloads } = await planned(kustomize, "--git", "start..changed");
      assert.deepEqual(workloads.map(({ application }) => application).sort(), ["a", "b", "c"]);
      assert.equal(kustomize.builds().length, 4, "two revisions, with and without the prefix");
    });
  });

  it("caches renderings by their inputs: files, and the versions of the tools", () =>
    inRepository({ ...app("a"), ...app("b") }, async (repository) => {
      const kustomize = counted(repository);
      const cache = join(repository.environment["TMPDIR"] ?? "", "cache");
      const value = (text: string): Files => ({
        "a/all.yaml": `${deployment("a", "env")}---\n${configMap("env", text)}`,
      });
      repository.commit("one", value("b"));
      const first = await planned(kustomize, "--git", "start..one", "--cache", cache);
      assert.deepEqual([kustomize.builds().length, statSync(cache).mode & 0o777], [2, 0o700]);
      // Other commits, the same trees.
      repository.commit("back", app("a"));
      repository.commit("again", value("b"));
      const { workloads } = await planned(kustomize, "--git", "back..again", "--cache", cache);
      assert.deepEqual([kustomize.builds().length, workloads], [0, first.workloads]);
      repository.commit("two", value("c"));
      await planned(kustomize, "--git", "again..two", "--cache", cache);
      assert.equal(kustomize.builds().length, 1, "one side is known");
      kustomize.is("v5.0.1\n");
      await planned(kustomize, "--git", "start..one", "--cache", cache);
      assert.equal(kustomize.builds().length, 2, "another kustomize");
      const helm = join(kustomize.environment["PATH"]?.split(delimiter)[0] ?? "", "helm");
      writeFileSync(helm, "#!/bin/sh\necho v4.9.9\n", { mode: 0o755 });
      await planned(kustomize, "--git", "start..one", "--cache", cache);
      assert.equal(kustomize.builds().length, 2, "another helm");
      chmodSync(cache, 0o750);
      const { status, stderr } = await cli(["plan", "--git", "start..one", "--cache", cache], kustomize);
      assert.deepEqual([status, /other users can enter this folder/u.test(stderr)], [2, true]);
      symlinkSync(repository.folder, `${cache}-link`);
      for (const inside of ["cache", ".git/cache", `${cache}-link/cache`]) {
        const refused = await cli(["plan", "--git", "start..one", "--cache", inside], kustomize);
        assert.deepEqual([refused.status, /is inside the repository/u.test(refused.stderr)], [2, true], inside);
      }
      assert.equal(existsSync("cache"), false);
    }));

  it("renders charts of kustomizations with helm, except for Flux, which has no helm", () => {
    const inflating = (name: string, kustomization = "helmCharts: [{name: web}]\n"): Files => ({
      [`${name}/kustomization.yaml`]: kustomization,
      [`${name}/chart.yaml`]:
        "{apiVersion: builtin, kind: HelmChartInflationGenerator, metadata: {name: c}, name: web}\n",
      [`${name}/charts/web/Chart.yaml`]: "apiVersion: v2\nname: web\nversion: 1.0.0\n",
      [`${name}/charts/web/values.yaml`]: "a: b\n",
    });
    const flux = "kustomize.toolkit.fluxcd.io/v1\nkind: Kustomization\nmetadata: {name: flux, namespace: flux-system}";
    const source =
      "source.toolkit.fluxcd.io/v1\nkind: GitRepository\nmetadata: {name: flux-system, namespace: flux-system}";
    const clusters = {
      "clusters/app.yaml": `apiVersion: ${flux}\nspec: {path: ./fluxed, sourceRef: {kind: GitRepository, name: flux-system}}\n`,
      "clusters/source.yaml": `apiVersion: ${source}\nspec: {url: https://git.example/x.git}\n`,
    };
    return inRepository(
      {
        ...inflating("own"),
        ...inflating("generated", "generators: [chart.yaml]\n"),
        ...inflating("fluxed"),
        ...clusters,
      },
      async (repository) => {
        const { environment } = counted(repository);
        const helm = join(environment["PATH"]?.split(delimiter)[0] ?? "", "helm");
        writeFileSync(helm, `#!/bin/sh\necho "$@" >> ${helm}-runs\n`, { mode: 0o755 });
        repository.commit("values", {
          "own/charts/web/values.yaml": "a: c\n",
          "generated/charts/web/values.yaml": "a: c\n",
          "fluxed/charts/web/values.yaml": "a: c\n",
        });
        // What the owner of the machine allows is not allowed to Flux.
        const owners = { ...environment, ROLLSTAMP_KUSTOMIZE_BUILD_OPTIONS: "--enable-helm" };
        for (const world of [{ environment }, { environment: owners }]) {
          const { applications = [] } = await planned(world, "--git", "start..values", "own", "generated", "fluxed");
          const [failed, ...others] = applications;
          assert.deepEqual([failed?.name, failed?.status], ["flux", "Failed"]);
          assert.match(failed?.message ?? "", /--enable-helm/u);
          assert.deepEqual(
            others.map(({ name, status }) => [name, status]),
            [
              ["generated", "Unchanged"],
              ["own", "Unchanged"],
            ],
          );
        }
        assert.match(readFileSync(`${helm}-runs`, "utf8"), /^(?:template .*\n){8}$/u);
      },
    );
  });

  it("is of those whose names are picked", () =>
    inRepository({ ...app("web-a"), ...app("web-b"), ...app("db") }, async (repository) => {
      const kustomize = counted(repository);
      repository.commit("changed", {
        "web-a/all.yaml": deployment("web-a", "b"),
        "db/all.yaml": deployment("db", "b"),
      });
      const range = ["--git", "start..changed"];
      assert.deepEqual(statuses(await planned(kustomize, ...range, "--app", "web-*")), [
        ["web-a", "Changed"],
        ["web-b", "NotAffected"],
      ]);
      assert.equal(kustomize.builds().length, 2);
      const none = await cli(["plan", ...range, "--app", "wbe-*"], kustomize);
      assert.deepEqual([none.status, /no application matches --app wbe-\*/u.test(none.stderr)], [2, true]);
    }));
});
