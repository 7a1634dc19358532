// Commands with --apps, over the renderings of applications in a worktree. The helm of these tests prints a file;
// test/hosts/apps-option.test.ts uses the real one.
import assert from "node:assert/strict";
import { join } from "node:path";
import { describe, it } from "node:test";
import type { Log } from "sarif";
import type { GraphReport } from "../../src/reports/graph/graph-report.ts";
import { cli, type CliResult } from "../support/cli.ts";
import { fakeKustomize } from "../support/fake-kustomize.ts";
import { fakeHelm, RENDERED } from "../support/fake-helm.ts";
import { inFolder, type Files } from "../support/folders.ts";
import { configMap, deployment } from "../support/manifests.ts";

const chart = (folder: string, rendered: string): Files => ({
  [`${folder}/Chart.yaml`]: `apiVersion: v2\nname: ${folder}\nversion: 1.0.0\n`,
  [`${folder}/templates/all.yaml`]: "a: {{ b }}\n",
  [`${folder}/${RENDERED}`]: `---\n# Source: ${folder}/templates/all.yaml\n${rendered}`,
});

const application = (name: string, cluster: string): string =>
  `apiVersion: argoproj.io/v1alpha1\nkind: Application\nmetadata: {name: ${name}}\nspec:\n  source: {repoURL: https://example.com/repo.git, path: ${name}}\n  destination: {name: ${cluster}, namespace: shop}\n`;

const FILES: Files = {
  ".git/HEAD": "ref: refs/heads/main\n",
  ...chart("web", deployment("web", "shared")),
  ...chart("config", configMap("shared", "a")),
  ...chart("alone", deployment("alone", "shared")),
  ".krmignore": `${RENDERED}\n`,
  "applications.yaml": [application("web", "prod"), application("config", "prod"), application("alone", "dev")].join(
    "---\n",
  ),
  "plain.yaml": `${deployment("plain", "plain-env")}---\n${configMap("plain-env", "a")}`,
};

describe("a folder without anything", () => {
  for (const args of [["lint"], ["graph"], ["explain", "deployment/web"], ["digest"], ["stamp", "--check"]]) {
    it(`is an error: ${args.join(" ")} --apps`, () =>
      inFolder({ ".git/HEAD": "ref: refs/heads/main\n", "README.md": "" }, async (folder) => {
        const { status, stdout, stderr } = await cli([...args, "--apps", folder]);
        assert.deepEqual([status, stdout], [2, ""]);
        assert.match(stderr, /there are no Kubernetes manifests in/u);
      }));
  }
});

async function over(
  files: Files,
  run: (rollstamp: (...args: readonly string[]) => Promise<CliResult>, folder: string) => Promise<void>,
): Promise<void> {
  await inFolder(files, async (folder) => {
    const environment = { PATH: fakeHelm(join(folder, ".bin")) };
    await run((...args) => cli([...args, folder], { environment }), folder);
  });
}

describe("--apps", () => {
  it("lint names the application and template of a finding, and uses sources of other applications in the cluster", async () => {
    await over(FILES, async (rollstamp) => {
      const { stdout, stderr } = await rollstamp("lint", "--apps", "--rule", "RS016=off", "-o", "json");
      assert.equal(stderr, "");
      const { results, examined } = JSON.parse(stdout) as {
        results: { message: string; severity: string; tags: Record<string, string> }[];
        examined: Record<string, number>;
      };
      const missing = results.filter(({ tags }) => tags["rule"] === "RS001");
      assert.deepEqual(
        missing.map(({ tags, severity }) => [tags["application"], severity]),
        [
          ["alone", "warning"],
          ["web", "info"],
        ],
      );
      assert.match(missing[0]?.message ?? "", /^Deployment shop\/alone /u, "the namespace is the Application's");
      assert.match(missing[1]?.message ?? "", /uses ConfigMap shop\/shared\b.*\bconfig\b/u);
      assert.deepEqual(examined, { files: 5, objects: 8, workloads: 3, otherFiles: 0, applications: 4 });
      // The source that web uses is not unused.
      assert.deepEqual(
        results.filter(({ tags }) => tags["rule"] === "RS012"),
        [],
      );
      const text = await rollstamp("lint", "--apps");
      assert.match(text.stdout, /the rendering of alone:\d+:\d+ \(in alone\/templates\/all\.yaml\): warning RS001/u);
      const github = await rollstamp("lint", "--apps", "-o", "github");
      assert.match(github.stdout, /::warning file=alone\/templates\/all\.yaml,title=RS001[^:]*::application alone: /u);
    });
  });

  it("lint gives hosts the file and line that declare an object of a kustomization", async () => {
    const files = {
      "app/kustomization.yaml": "resources: [web.yaml]\n",
      "app/web.yaml": `${configMap("used", "a")}---\n${deployment("web", "gone")}`,
      ".git/HEAD": "ref: refs/heads/main\n",
    };
    await inFolder(files, async (folder) => {
      const environment = { PATH: fakeKustomize(join(folder, ".bin"), process.env["PATH"] ?? "") };
      const line = configMap("used", "a").split("\n").length + 1;
      const github = await cli(["lint", "--apps", "-o", "github", folder], { environment });
      assert.match(github.stdout, new RegExp(`::warning file=app/web\\.yaml,line=${line},col=1,title=RS001`, "u"));
      const { stdout } = await cli(["lint", "--apps", "-o", "sarif", folder], { environment });
      const { runs } = JSON.parse(stdout) as Log;
      const found = runs[0]?.results?.find(({ ruleId }) => ruleId === "RS001")?.locations?.[0]?.physicalLocation;
      assert.deepEqual([found?.artifactLocation?.uri, found?.region?.startLine], ["app/web.yaml", line]);
    });
  });

  it("graph joins applications of the same cluster only", async () => {
    await over(FILES, async (rollstamp) => {
      const { stdout, status } = await rollstamp("graph", "--apps", "-o", "json");
      assert.equal(status, 0);
      const graph = JSON.parse(stdout) as GraphReport;
      const uses = graph.edges.map(({ workload, source, counts }) => {
        const [user, used] = [graph.workloads[workload], graph.sources[source]];
        return [user?.application, user?.name, used?.application, used?.coverage, counts];
      });
      assert.deepEqual(uses, [
        [undefined, "plain", undefined, "content", true],
        ["alone", "alone", "alone", "missing", true],
        ["web", "web", "config", "content", false],
      ]);
      const text = await rollstamp("graph", "--apps");
      assert.match(text.stdout, /ConfigMap shop\/shared of config\n {2}Deployment shop\/web of web/u);
    });
  });

  it("digest and explain read renderings", async () => {
    await over(FILES, async (rollstamp) => {
      const { stdout } = await rollstamp("digest", "--apps");
      assert.match(stdout, /ConfigMap shop\/shared of config\n/u);
      assert.match(stdout, /ConfigMap default\/plain-env\n/u);
      const explained = await rollstamp("explain", "--apps", "deployment/web");
      assert.equal(explained.status, 0);
      assert.match(explained.stdout, /^Application web\n\nDeployment shop\/web/u);
      const unknown = await rollstamp("explain", "--apps", "deployment/weeb");
      assert.equal(unknown.status, 2);
      assert.match(unknown.stderr, /Similar names: deployment\/web/u);
    });
  });

  it("explain says that a source is not in the application", async () => {
    await over(FILES, async (rollstamp) => {
      const web = await rollstamp("explain", "--apps", "deployment/web");
      assert.match(web.stdout, /missing: it is not in this application, so it has no stamp/u);
    });
  });

  it("stamp --check lists applications with outdated stamps", async () => {
    const manifests = `${deployment("own", "own-env")}---\n${configMap("own-env", "a")}`;
    const files = { ...FILES, ...chart("own", manifests) };
    await over(files, async (rollstamp, folder) => {
      const { stdout, status } = await rollstamp("stamp", "--check", "--apps");
      assert.equal(stdout, `${join(folder, "plain.yaml")}\nown\n`);
      assert.equal(status, 1);
      const required = await rollstamp("stamp", "--check", "--apps", "--require-stamps", "--app", "alone");
      assert.match(required.stderr, /Deployment shop\/alone .*\(no-stamp\)/u);
      assert.equal(required.status, 1);
      const written = await rollstamp("stamp", "--apps");
      assert.equal(written.status, 2);
      assert.match(written.stderr, /--apps needs --check/u);
    });
  });

  it("reports what can't be rendered in every format, and continues", async () => {
    const files = { ...FILES, "kustomized/kustomization.yaml": "resources: [absent.yaml]\n", "bad/Chart.yaml": "[" };
    await over(files, async (rollstamp) => {
      const { stdout, stderr, status } = await rollstamp("graph", "--apps", "-o", "json");
      assert.equal(status, 1);
      assert.match(stderr, /error: application kustomized not examined: /u);
      assert.match(stderr, /error: application bad\/Chart\.yaml not examined: /u);
      const { workloads, notExamined } = JSON.parse(stdout) as GraphReport;
      assert.equal(workloads.length, 3);
      assert.deepEqual(
        notExamined.map(({ kind, path }) => [kind, path]),
        [
          ["Chart", "bad/Chart.yaml"],
          ["Kustomization", "kustomized"],
        ],
      );
      const lint = await rollstamp("lint", "--apps", "-o", "sarif");
      assert.equal(lint.status, 1);
      assert.match(lint.stdout, /"unrendered-application"/u);
    });
  });

  it("lists what is outside of the repository as not examined, once for each reason", async () => {
    const absent = "resources: [absent.yaml]\n";
    const release = (name: string): string =>
      `apiVersion: helm.toolkit.fluxcd.io/v2\nkind: HelmRelease\nmetadata: {name: ${name}, namespace: shop}\nspec:\n  chart: {spec: {chart: ${name}, version: 1.0.0, sourceRef: {kind: HelmRepository, name: charts}}}\n`;
    const files = {
      ...FILES,
      "releases.yaml": `${release("one")}---\n${release("two")}`,
      "charts.yaml":
        "apiVersion: source.toolkit.fluxcd.io/v1\nkind: HelmRepository\nmetadata: {name: charts, namespace: shop}\nspec: {url: https://charts.example.com}\n",
      "kustomized/kustomization.yaml": absent,
    };
    await over(files, async (rollstamp) => {
      for (const command of ["graph", "digest", "stamp"]) {
        const args = command === "stamp" ? ["--check"] : [];
        const { stdout, stderr, status } = await rollstamp(command, ...args, "--apps");
        assert.equal(status, 1);
        assert.match(
          `${stdout}${stderr}`,
          /not examined: 2 HelmReleases \(one[^)]*, two[^)]*\): the chart one 1\.0\.0 of [^,]*, two 1\.0\.0 of \S* is not in the repository\./u,
        );
        assert.equal(`${stdout}${stderr}`.split("--fetch-charts").length, 2, stderr);
        assert.match(stderr, /error: application kustomized not examined: /u);
      }
      const json = await rollstamp("lint", "--apps", "-o", "json");
      const { notExamined } = JSON.parse(json.stdout) as GraphReport;
      assert.deepEqual(
        notExamined.map(({ kind, severity }) => [kind, severity]),
        [
          ["HelmRelease", undefined],
          ["HelmRelease", undefined],
          ["Kustomization", "error"],
        ],
      );
      const text = await rollstamp("lint", "--apps");
      assert.match(text.stdout, /not examined: 2 HelmReleases \([^)]*\): the chart one /u);
      assert.doesNotMatch(text.stdout, /--kustomize-input/u);
    });
  });

  it("says why nothing was rendered", async () => {
    const set =
      "apiVersion: argoproj.io/v1alpha1\nkind: ApplicationSet\nmetadata: {name: all}\nspec:\n  generators: [{clusters: {}}]\n  template: {metadata: {name: x}, spec: {}}\n";
    await over({ ...FILES, "set.yaml": set }, async (rollstamp) => {
      const { stdout } = await rollstamp("lint", "--apps");
      assert.match(stdout, /not examined: 1 Argo CD ApplicationSet \(.*\): .*--clusters/u);
      assert.doesNotMatch(stdout, /render it as its controller does/u);
    });
  });

  it("accepts only folders of one repository, and existing names", async () => {
    await over(FILES, async (rollstamp, folder) => {
      const picked = await rollstamp("graph", "--apps", "--app", "we*", "--jobs", "1");
      assert.match(picked.stdout, /1 source, 1 workload, 1 use; 1 source missing/u);
      const none = await rollstamp("graph", "--apps", "--app", "nobody");
      assert.match(none.stderr, /no application matches --app nobody/u);
      const below = await cli(["graph", "--apps", join(folder, "config")], {
        environment: { PATH: fakeHelm(join(folder, ".bin")) },
      });
      assert.match(below.stdout, /^ConfigMap shop\/shared of config\n/u);
      const idle = await rollstamp("stamp", "--check", "--app", "web");
      assert.match(idle.stderr, /--app has no effect without --apps/u);
      const files = await rollstamp("graph", "--files", "--app", "web");
      assert.match(files.stderr, /--app has no effect with --files/u);
      const scope = await rollstamp("digest", "--apps", "--scope", "all");
      assert.match(scope.stderr, /--scope has no effect with --apps/u);
    });
  });
});

describe("without --apps", () => {
  /** The applications that a report is over; undefined if it is over files. */
  const applications = ({ stdout }: CliResult): number | undefined =>
    (JSON.parse(stdout) as { examined: { applications?: number } }).examined.applications;

  for (const command of ["lint", "graph", "digest"])
    it(`${command} works over applications if something must be rendered, and no option says otherwise`, () =>
      over(FILES, async (rollstamp, folder) => {
        const given = await rollstamp(command, "--apps", "-o", "json");
        assert.deepEqual(await rollstamp(command, "-o", "json"), given);
        assert.equal(applications(given), 4);
        assert.equal(applications(await rollstamp(command, "-o", "json", "--app", "web")), 1, "--app needs no --apps");
        for (const files of [["--files"], ["--kustomize-input"], ["--scope", "all"], [join(folder, "plain.yaml")]])
          assert.equal(applications(await rollstamp(command, "-o", "json", ...files)), undefined, files.join(" "));
      }));

  it("explain works over applications too", () =>
    over(FILES, async (rollstamp) => {
      assert.match((await rollstamp("explain", "deployment/web")).stdout, /^Application web\n/u);
      assert.equal((await rollstamp("explain", "--files", "deployment/web")).status, 2);
    }));

  it("files are used if nothing must be rendered, and for folders of several repositories", async () => {
    const plain = { ".git/HEAD": "ref: refs/heads/main\n", "plain.yaml": FILES["plain.yaml"] ?? "" };
    await over(plain, async (rollstamp) => {
      assert.equal(applications(await rollstamp("lint", "-o", "json")), undefined);
    });
    const two = {
      ...chart("one/web", deployment("web", "env")),
      "one/.git/HEAD": "",
      "two/a.yaml": deployment("a", "b"),
    };
    await inFolder(two, async (folder) => {
      const { stdout, status } = await cli(["lint", "-o", "json", join(folder, "one"), join(folder, "two")]);
      assert.equal(status, 0);
      assert.equal(applications({ stdout, status, stderr: "" }), undefined);
    });
  });

  it("a list of applications in rollstamp.yaml is enough", () =>
    over(
      {
        "rollstamp.yaml":
          "apiVersion: rollstamp.dev/v1alpha1\nkind: Applications\nspec: {applications: [{path: deploy, render: files}]}\n",
        "deploy/web.yaml": deployment("web", "env"),
      },
      async (rollstamp) => assert.equal(applications(await rollstamp("graph", "-o", "json")), 1),
    ));

  it("lint and graph use the current folder if no path is given", async () => {
    const before = process.cwd();
    await inFolder({ "web.yaml": deployment("web", "env") }, async (folder) => {
      process.chdir(folder);
      try {
        for (const command of ["lint", "graph"]) assert.deepEqual(await cli([command]), await cli([command, "."]));
      } finally {
        process.chdir(before);
      }
    });
  });

  for (const command of ["lint", "graph", "apps"])
    it(`${command} reports an application that is not in the repository`, () =>
      over(
        {
          ...FILES,
          ".gitmodules": '[submodule "x"]\n\tpath = vendor/x\n\turl = https://example.com/x.git\n',
          "more.yaml": ["gone", "vendor/x/app"].map((path) => application(path, "prod")).join("---\n"),
        },
        async (rollstamp) => {
          const { stdout } = await rollstamp(command, ...(command === "apps" ? [] : ["--apps"]), "-o", "json");
          const { notExamined } = JSON.parse(stdout) as Pick<GraphReport, "notExamined">;
          assert.deepEqual(
            notExamined.map(({ reason }) => reason),
            [
              "its path gone is not in this repository, and no remote shows whether this is the right repository",
              "its path vendor/x/app is in the Git submodule vendor/x, whose files are in another repository",
            ],
          );
        },
      ));
});
