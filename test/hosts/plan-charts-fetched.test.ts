// plan --git over HelmReleases and Applications whose charts are fetched from a repository and a registry on this machine.
import assert from "node:assert/strict";
import { spawn } from "node:child_process";
import { readdirSync } from "node:fs";
import { delimiter, dirname, join } from "node:path";
import { after, before, beforeEach, describe, it } from "node:test";
import type { PlanJson } from "../../src/output/plan-json.ts";
import type { Json } from "../../src/yaml/read/node.ts";
import { configMap, deployment } from "../support/manifests.ts";
import { chartServer, packed, type ChartServer } from "./chart-server.ts";
import { missing, PATH, repository, statuses, type Repository } from "./planned-repository.ts";
import { command, installed, unlessFound } from "./programs.ts";
import { temporaryFolder } from "./trees.ts";

const HELM4 = installed("helm4.sh");

const chart = (version: string): Buffer =>
  packed("web", {
    "Chart.yaml": `apiVersion: v2\nname: web\nversion: ${version}\n`,
    "values.yaml": "level: info\n",
    "values-prod.yaml": "level: warn\n",
    // As app-template has it: nobody is asked for it, and what is rendered doesn't come from it.
    "values.schema.json": '{"$ref": "https://127.0.0.1:9/values.schema.json"}',
    "templates/all.yaml": `${deployment("web", "env")}---\n${configMap("env", "x").replace('"x"', `{{ printf "%v ${version}" .Values.level | quote }}`)}`,
  });

/** Runs the program while the server of this process answers. */
async function planned(repo: Repository, path: string, ...args: readonly string[]): Promise<PlanJson> {
  return JSON.parse(await printed(repo, path, "plan", "-o", "json", "--show-values", ...args));
}

async function printed(repo: Repository, path: string, ...args: readonly string[]): Promise<string> {
  const child = spawn(process.execPath, [command, ...args], {
    cwd: repo.folder,
    env: { ...repo.env, PATH: path },
  });
  let stdout = "";
  let stderr = "";
  child.stdout.on("data", (data: Buffer) => (stdout += data.toString()));
  child.stderr.on("data", (data: Buffer) => (stderr += data.toString()));
  const status = await new Promise((resolve) => child.on("close", resolve));
  assert.ok(status === 0 || status === 1, stderr);
  assert.deepEqual(readdirSync(repo.temporary), [], "nothing is left behind");
  return stdout;
}

function release(name: string, chartSpec: Record<string, Json>, more: Record<string, Json> = {}): string {
  const object = {
    apiVersion: "helm.toolkit.fluxcd.io/v2",
    kind: "HelmRelease",
    metadata: { name, namespace: "apps" },
    spec: { chart: { spec: chartSpec }, ...more },
  };
  return `${JSON.stringify(object)}\n`;
}

const source = (kind: string, name: string, spec: Record<string, Json>): string =>
  `${JSON.stringify({ apiVersion: "source.toolkit.fluxcd.io/v1", kind, metadata: { name, namespace: "apps" }, spec })}\n`;

const HELM_REPOSITORY = { kind: "HelmRepository", name: "charts" };
/** The status of rendered applications; their objects are manifests too. */
const rendered = (report: PlanJson): Record<string, string> => {
  const { ".": _plain, argo, ...others } = statuses(report);
  return argo === undefined ? others : { ...others, argo };
};
const message = ({ applications = [] }: PlanJson, name: string): string =>
  applications.find((one) => one.name === name)?.message ?? "";
/** Why a part of an application was not fetched, and what to do. */
const unfetched = ({ findings }: PlanJson, application: string): string =>
  findings.flatMap((one) => (one.application === application ? [one.message, one.remedy] : [])).join(" ");

for (const [helm, path, isMissing] of [
  ["Helm 3", PATH, missing],
  ["Helm 4", HELM4.found ? [dirname(HELM4.path), PATH].join(delimiter) : PATH, missing || unlessFound(HELM4)],
] as const) {
  describe(`charts that ${helm} fetches`, { skip: isMissing }, () => {
    let server: ChartServer;
    before(async () => {
      const versions = ["1.0.0", "1.1.0", "2.0.0"];
      server = await chartServer("web", Object.fromEntries(versions.map((version) => [version, chart(version)])));
    });
    after(() => server.close());
    beforeEach(() => void server.asked.splice(0));
    const asked = (): string[] =>
      server.asked.splice(0).filter((url) => url.includes("web-") || url.includes("/blobs/"));

    it("are fetched once with the option, and named without it", async () => {
      const many = ["a", "b", "c", "d"].map((name) => [
        `${name}.yaml`,
        release(name, { chart: "web", version: "1.0.0", sourceRef: HELM_REPOSITORY }),
      ]);
      const repo = repository({
        "source.yaml": source("HelmRepository", "charts", { url: `http://${server.host}/charts` }),
        "plain/web.yaml": deployment("plain", "none"),
        ...Object.fromEntries(many),
      });
      const changed = many.map(([file = "", text = ""]) => [file, text.replace("1.0.0", "1.x")]);
      repo.commit("next", Object.fromEntries(changed));
      const without = await planned(repo, path, "--git", "start..next");
      assert.deepEqual(rendered(without), { a: "Changed", b: "Changed", c: "Changed", d: "Changed" });
      assert.deepEqual([without.findings.map(({ id }) => id), without.summary.rolls], [Array(4).fill("RS024"), 0]);
      assert.match(unfetched(without, "a"), /web 1\.x of http:.*--fetch-charts/u);
      assert.deepEqual(asked(), [], "nothing is fetched by itself");
      const report = await planned(repo, path, "--git", "start..next", "--fetch-charts");
      assert.deepEqual(rendered(report), { a: "Changed", b: "Changed", c: "Changed", d: "Changed" });
      assert.equal(report.workloads.length, 4);
      assert.deepEqual(asked().sort(), ["/charts/web-1.0.0.tgz", "/charts/web-1.1.0.tgz"]);
      await printed(repo, path, "graph", "--apps", "-o", "json", ".");
      assert.deepEqual(asked(), []);
      await printed(repo, path, "graph", "--apps", "--fetch-charts", "-o", "json", ".");
      assert.deepEqual(asked(), ["/charts/web-1.1.0.tgz"]);
    });

    it("are cached by version, and by range only within a run", async () => {
      const repo = repository({
        "source.yaml": source("HelmRepository", "charts", { url: `oci://${server.host}/oci`, type: "oci" }),
        "web.yaml": release("web", { chart: "web", version: "1.0.0", sourceRef: HELM_REPOSITORY }),
      });
      repo.commit("next", {
        "web.yaml": release("web", { chart: "web", version: ">=1.0.0 <2", sourceRef: HELM_REPOSITORY }),
      });
      const cache = join(temporaryFolder(), "cache");
      const args = ["--git", "start..next", "--fetch-charts", "--cache", cache];
      const first = await planned(repo, path, ...args);
      assert.deepEqual(rendered(first), { web: "Changed" });
      assert.equal(asked().length, 4);
      assert.deepEqual(await planned(repo, path, ...args), first);
      assert.equal(asked().length, 2, "the range is asked for again, the version is not");
    });

    it("come from an OCIRepository by digest with replaced values, and for an Application", async () => {
      const spec = (tag: Json): Record<string, Json> => ({ url: `oci://${server.host}/oci/web`, ref: tag });
      const fromRegistry = {
        apiVersion: "helm.toolkit.fluxcd.io/v2",
        kind: "HelmRelease",
        metadata: { name: "web", namespace: "apps" },
        spec: { chartRef: { kind: "OCIRepository", name: "web" }, values: { level: "own" } },
      };
      const application = (version: string): string =>
        `${JSON.stringify({
          apiVersion: "argoproj.io/v1alpha1",
          kind: "Application",
          metadata: { name: "argo" },
          spec: {
            destination: { name: "in-cluster", namespace: "argo" },
            sources: [
              {
                repoURL: `${server.host}/oci`,
                chart: "web",
                targetRevision: version,
                helm: { valueFiles: ["values-prod.yaml", "$own/argo/values.yaml"] },
              },
              { repoURL: "https://example.com/own", ref: "own" },
            ],
          },
        })}\n`;
      const repo = repository({
        "source.yaml": source("OCIRepository", "web", spec({ tag: "1.0.0" })),
        "web.yaml": `${JSON.stringify(fromRegistry)}\n`,
        "argo/values.yaml": "{}\n",
        "argo.yaml": application("1.0.0"),
      });
      const { digest } = await digestOf(server, "2.0.0");
      repo.commit("next", {
        "source.yaml": source("OCIRepository", "web", spec({ digest })),
        "argo/values.yaml": "level: debug\n",
      });
      const report = await planned(repo, path, "--git", "start..next", "--fetch-charts");
      assert.deepEqual(rendered(report), { web: "Changed", argo: "Changed" }, JSON.stringify(report.applications));
      const shown = JSON.stringify(report);
      for (const value of ["own 1.0.0", "own 2.0.0", "warn 1.0.0", "debug 1.0.0"])
        assert.ok(shown.includes(value), value);
      repo.commit("tag", { "source.yaml": source("OCIRepository", "web", spec({ tag: "main" })) });
      const tagged = await planned(repo, path, "--git", "next..tag", "--fetch-charts");
      assert.match(unfetched(tagged, "web"), /'main' is not a version/u);
    });

    it("are dependencies of a chart in the repository, as in its lock file", async () => {
      const wrapper = (version: string): string =>
        JSON.stringify({
          apiVersion: "v2",
          name: "wrapper",
          version: "0.1.0",
          dependencies: [{ name: "web", version, repository: `http://${server.host}/charts` }],
        });
      const repo = repository({
        "charts/wrapper/Chart.yaml": wrapper("1.x"),
        "charts/wrapper/values.yaml": "web: {level: a}\n",
      });
      const lock = { dependencies: [{ name: "web", version: "1.0.0", repository: `http://${server.host}/charts` }] };
      repo.commit("locked", { "charts/wrapper/Chart.lock": JSON.stringify(lock) });
      const without = await planned(repo, path, "--git", "start..locked");
      assert.match(unfetched(without, "charts/wrapper"), /commit the folder\. To let helm fetch it/u);
      const report = await planned(repo, path, "--git", "start..locked", "--fetch-charts");
      assert.deepEqual(rendered(report), { "charts/wrapper": "Changed" }, message(report, "charts/wrapper"));
      assert.deepEqual(asked().sort(), ["/charts/web-1.0.0.tgz", "/charts/web-1.1.0.tgz"]);
      repo.commit("apart", { "charts/wrapper/Chart.yaml": wrapper("1.1.0") });
      const apart = await planned(repo, path, "--git", "locked..apart", "--fetch-charts");
      assert.match(message(apart, "charts/wrapper"), /lock file has web 1\.0\.0/u);
    });

    it("are fetched once for several aliases, with the version of the lock file", async () => {
      const repositoryOf = `http://${server.host}/charts`;
      const entries = [
        { name: "web", version: "1.0.0", repository: repositoryOf },
        { name: "web", version: "1.0.0", repository: repositoryOf, alias: "other" },
        { name: "web", version: "2.0.0", repository: repositoryOf, alias: "next" },
      ];
      const repo = repository({ "plain.yaml": configMap("plain", "x") });
      repo.commit("several", {
        "charts/wrapper/Chart.yaml": JSON.stringify({
          apiVersion: "v2",
          name: "wrapper",
          version: "0.1.0",
          dependencies: entries,
        }),
        "charts/wrapper/Chart.lock": JSON.stringify({
          dependencies: entries.map(({ name, version, repository: from }) => ({ name, version, repository: from })),
        }),
      });
      const report = await planned(repo, path, "--git", "start..several", "--fetch-charts");
      // Rendered under each name: the chart's names are its own.
      assert.match(message(report, "charts/wrapper"), /ConfigMap env is duplicated/u);
      assert.deepEqual(asked().sort(), ["/charts/web-1.0.0.tgz", "/charts/web-2.0.0.tgz"]);
    });

    it("are those of kustomizations, with their values, if the folder of charts lacks them", async () => {
      const kustomizations = (version: string): Record<string, string> =>
        Object.fromEntries(
          ["override", "merge"].map((valuesMerge) => {
            const chartOf = { name: "web", version, repo: `http://${server.host}/charts`, releaseName: "web" };
            const helmCharts = [{ ...chartOf, valuesMerge, valuesInline: { level: "inline" } }];
            return [`${valuesMerge}/kustomization.yaml`, JSON.stringify({ resources: ["plain.yaml"], helmCharts })];
          }),
        );
      const plain = deployment("plain", "none");
      const repo = repository({
        ...kustomizations("1.0.0"),
        "override/plain.yaml": plain,
        "merge/plain.yaml": plain,
      });
      repo.env["ROLLSTAMP_KUSTOMIZE_BUILD_OPTIONS"] = "--enable-helm";
      repo.commit("next", kustomizations("1.1.0"));
      const without = await planned(repo, path, "--git", "start..next");
      assert.deepEqual([without.findings.map(({ id }) => id), without.summary.rolls], [["RS024", "RS024"], 0]);
      assert.deepEqual(asked(), []);
      const cache = join(temporaryFolder(), "cache");
      const report = await planned(repo, path, "--git", "start..next", "--fetch-charts", "--cache", cache);
      assert.deepEqual(asked().sort(), ["/charts/web-1.0.0.tgz", "/charts/web-1.1.0.tgz"]);
      assert.deepEqual([rendered(report), report.findings], [{ override: "Changed", merge: "Changed" }, []]);
      const shown = JSON.stringify(report);
      for (const value of ["inline 1.0.0", "inline 1.1.0", "info 1.0.0", "info 1.1.0"])
        assert.ok(shown.includes(value), `${value} in ${shown}`);
      assert.deepEqual(await planned(repo, path, "--git", "start..next", "--fetch-charts", "--cache", cache), report);
      assert.deepEqual(asked(), [], "the rendering is in the cache");
      repo.commit("gone", kustomizations("9.0.0"));
      const gone = await planned(repo, path, "--git", "next..gone", "--fetch-charts");
      assert.match(
        unfetched(gone, "merge"),
        /helm pull of web 9\.0\.0 ended with status 1.*not found.*Correct the name/u,
      );
    });

    it("report helm's error if a chart is missing", async () => {
      const repo = repository({
        "plain/web.yaml": deployment("plain", "none"),
        "source.yaml": source("HelmRepository", "charts", { url: `http://${server.host}/charts` }),
        "web.yaml": release("web", { chart: "web", version: "1.0.0", sourceRef: HELM_REPOSITORY }),
      });
      repo.commit("next", {
        "web.yaml": release("web", { chart: "web", version: "9.0.0", sourceRef: HELM_REPOSITORY }),
      });
      const report = await planned(repo, path, "--git", "start..next", "--fetch-charts");
      assert.match(unfetched(report, "web"), /helm pull of web 9\.0\.0 ended with status 1.*not found/u);
    });
  });
}

async function digestOf({ host }: ChartServer, tag: string): Promise<{ readonly digest: string }> {
  const answer = await fetch(`http://${host}/v2/oci/web/manifests/${tag}`);
  return { digest: answer.headers.get("docker-content-digest") ?? "" };
}
