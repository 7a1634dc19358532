import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { existsSync, readFileSync, statSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, it } from "node:test";
import { parse } from "yaml";
import { VERSION } from "../../src/base/version.ts";
import { cli, type CliResult } from "../support/cli.ts";
import { inFolder, type Files } from "../support/folders.ts";
import { configMap, deployment } from "../support/manifests.ts";

const APPLICATION_TEMPLATE =
  "{{- range .Values.applications }}\napiVersion: argoproj.io/v1alpha1\nkind: Application\nmetadata: {name: {{ .name }}}\n{{- end }}\n";

const GIT = { ".git/HEAD": "" };
const PLAIN = { ...GIT, "web.yaml": deployment("web", "settings") };

interface Case {
  readonly name: string;
  readonly host: string;
  readonly files: Files;
  readonly args?: readonly string[];
  /** The folder that is given. */
  readonly folder?: string;
  /** The files afterwards that differ. */
  readonly after: Files;
}

const TRANSFORMER = `apiVersion: rollstamp.dev/v1alpha1
kind: ConfigHash
metadata:
  name: stamp
  annotations:
    config.kubernetes.io/function: |
      exec:
        path: rollstamp
spec: {}
`;

const HOOK = `  - repo: local
    hooks:
      - id: rollstamp
        name: stamp rollouts
        entry: rollstamp stamp .
        language: node
        additional_dependencies:
          - rollstamp@${VERSION}
        pass_filenames: false
        files: \\.(ya?ml|json)$
`;

const JOB = `rollstamp:
  image: node:22
  # Merge trains run the pipelines of merge requests.
  rules:
    - if: $CI_PIPELINE_SOURCE == "merge_request_event"
    - if: $CI_COMMIT_BRANCH == $CI_DEFAULT_BRANCH
  before_script:
    - npm install --global --no-audit --no-fund rollstamp@${VERSION}
  # One script: pipefail needs bash, and all checks run before the job fails.
  script:
    - |
      set -o pipefail
      rollstamp stamp --check .
`;

const CASES: readonly Case[] = [
  {
    name: "a new list in the style of the other lists, with comments kept",
    host: "kustomize",
    files: { "kustomization.yaml": "# Production.\nresources:\n- ../base # the base\n\npatches:\n- path: 'p.yaml'\n" },
    after: {
      "kustomization.yaml":
        "# Production.\nresources:\n- ../base # the base\n\npatches:\n- path: 'p.yaml'\ntransformers:\n- stamp.yaml\n",
      "stamp.yaml": TRANSFORMER,
    },
  },
  {
    name: "the end of a list that is there",
    host: "kustomize",
    files: {
      "kustomization.yml":
        "transformers:\n    - a.yaml   # first\n    # and then\n    - |-\n      apiVersion: x/v1\n      kind: Y\n\nresources: [b.yaml]",
    },
    after: {
      "kustomization.yml":
        "transformers:\n    - a.yaml   # first\n    # and then\n    - |-\n      apiVersion: x/v1\n      kind: Y\n    - stamp.yaml\n\nresources: [b.yaml]",
      "stamp.yaml": TRANSFORMER,
    },
  },
  {
    name: "the end of a flow list, CRLF",
    host: "kustomize",
    files: { Kustomization: "transformers: [a.yaml]\r\nresources: [b.yaml]\r\n" },
    after: {
      Kustomization: "transformers: [a.yaml, stamp.yaml]\r\nresources: [b.yaml]\r\n",
      "stamp.yaml": TRANSFORMER,
    },
  },
  {
    name: "a list that is empty, without a line end",
    host: "kustomize",
    files: { "kustomization.yaml": "transformers: []" },
    after: { "kustomization.yaml": "transformers:\n  - stamp.yaml", "stamp.yaml": TRANSFORMER },
  },
  {
    name: "another file name if stamp.yaml is something else; a container",
    host: "kustomize",
    args: ["--image", "example.com/rollstamp:1"],
    files: { "kustomization.yaml": "resources:\n- a.yaml\n", "stamp.yaml": "kind: ConfigMap\n" },
    after: {
      "kustomization.yaml": "resources:\n- a.yaml\ntransformers:\n- config-hash.yaml\n",
      "config-hash.yaml": TRANSFORMER.replace(
        "exec:\n        path: rollstamp",
        "container:\n        image: example.com/rollstamp:1",
      ),
    },
  },
  {
    name: "a plugin without an annotation",
    host: "kustomize",
    args: ["--plugin"],
    files: { "kustomization.yaml": "resources: [a.yaml]\n" },
    after: {
      "kustomization.yaml": "resources: [a.yaml]\ntransformers:\n  - stamp.yaml\n",
      "stamp.yaml": "apiVersion: rollstamp.dev/v1alpha1\nkind: ConfigHash\nmetadata:\n  name: stamp\nspec: {}\n",
    },
  },
  {
    name: "a new pipeline",
    host: "kpt",
    files: { Kptfile: "apiVersion: kpt.dev/v1\nkind: Kptfile\nmetadata:\n  name: web # the shop\n" },
    after: {
      Kptfile:
        "apiVersion: kpt.dev/v1\nkind: Kptfile\nmetadata:\n  name: web # the shop\npipeline:\n  mutators:\n    - exec: rollstamp\n",
    },
  },
  {
    name: "the end of the mutators",
    host: "kpt",
    args: ["--image", "example.com/rollstamp:1"],
    files: {
      Kptfile:
        "kind: Kptfile\npipeline:\n    mutators:\n        - image: a:1\n          configMap:\n            k: v\n    validators:\n        - image: b:1\n",
    },
    after: {
      Kptfile:
        "kind: Kptfile\npipeline:\n    mutators:\n        - image: a:1\n          configMap:\n            k: v\n        - image: example.com/rollstamp:1\n    validators:\n        - image: b:1\n",
    },
  },
  {
    name: "mutators beside validators",
    host: "kpt",
    files: { Kptfile: "kind: Kptfile\npipeline: {validators: [{image: b}]}\n" },
    after: { Kptfile: "kind: Kptfile\npipeline: {validators: [{image: b}], mutators: [{exec: rollstamp}]}\n" },
  },
  {
    name: "Applications in any file, each in its style; other sources are unchanged",
    host: "argocd",
    files: {
      "apps/a.yaml":
        "apiVersion: argoproj.io/v1alpha1\nkind: Application\nmetadata: {name: a}\nspec:\n  source:\n    repoURL: https://example.com # here\n    path: a\n---\n{apiVersion: argoproj.io/v1alpha1, kind: Application, metadata: {name: b}, spec: {source: {path: b}}}\n",
      "set.yaml":
        "apiVersion: argoproj.io/v1alpha1\nkind: ApplicationSet\nmetadata: {name: s}\nspec:\n  template:\n    spec:\n      source: {path: x}\n",
      "chart.yaml":
        "apiVersion: argoproj.io/v1alpha1\nkind: Application\nmetadata: {name: c}\nspec: {source: {chart: web}}\n",
      "values.yaml": "a: {{ b }}\n",
    },
    after: {
      "apps/a.yaml":
        'apiVersion: argoproj.io/v1alpha1\nkind: Application\nmetadata: {name: a}\nspec:\n  source:\n    plugin:\n      name: "rollstamp"\n    repoURL: https://example.com # here\n    path: a\n---\n{apiVersion: argoproj.io/v1alpha1, kind: Application, metadata: {name: b}, spec: {source: {plugin: {name: "rollstamp"}, path: b}}}\n',
      "set.yaml":
        'apiVersion: argoproj.io/v1alpha1\nkind: ApplicationSet\nmetadata: {name: s}\nspec:\n  template:\n    spec:\n      source: {plugin: {name: "rollstamp"}, path: x}\n',
    },
  },
  {
    name: "a new file at the root of the repository",
    host: "pre-commit",
    folder: "deep/er",
    files: { ...PLAIN, "deep/er/x": "" },
    after: { ".pre-commit-config.yaml": `repos:\n${HOOK}` },
  },
  {
    name: "the end of the repos, indented as they are",
    host: "pre-commit",
    files: {
      ...PLAIN,
      ".pre-commit-config.yaml":
        "# hooks\nrepos:\n-   repo: https://example.com/hooks\n    rev: v1\n    hooks:\n    -   id: a\n",
    },
    after: {
      ".pre-commit-config.yaml": `# hooks
repos:
-   repo: https://example.com/hooks
    rev: v1
    hooks:
    -   id: a
${HOOK.replace(/^ {2}/gmu, "")}`,
    },
  },
  {
    name: "the existing defaults of a helmfile",
    host: "helm",
    files: {
      "helmfile.yaml": "helmDefaults:\n    wait: true # for pods\nreleases:\n    - name: web\n      chart: ./web\n",
    },
    after: {
      "helmfile.yaml":
        "helmDefaults:\n    wait: true # for pods\n    postRenderer: rollstamp\nreleases:\n    - name: web\n      chart: ./web\n",
    },
  },
  {
    name: "a helmfile without defaults",
    host: "helm",
    files: { "helmfile.yaml": "releases:\n- name: web\n  chart: ./web\n" },
    after: {
      "helmfile.yaml": "releases:\n- name: web\n  chart: ./web\nhelmDefaults:\n  postRenderer: rollstamp\n",
    },
  },
  {
    name: "a chart's configuration",
    host: "helm",
    files: { "Chart.yaml": "apiVersion: v2\nname: web\nversion: 0.1.0\n" },
    after: {
      "rollstamp.yaml":
        "apiVersion: rollstamp.dev/v1alpha1\nkind: ConfigHash\nmetadata:\n  name: stamp\nspec:\n  # The chart's own checksums and labels may contain its version: without these lines each new version restarts everything.\n  checksums: Remove\n  versionLabels: Remove\n",
    },
  },
  { name: "a new file for a job", host: "gitlab", files: PLAIN, after: { ".gitlab-ci.yml": JOB } },
  {
    name: "a job after the others, in an existing stage",
    host: "gitlab",
    files: {
      ...PLAIN,
      ".gitlab-ci.yml": "stages: [verify, ship] # two\n\nbuild:\n  stage: verify\n  script:\n    - make\n",
    },
    after: {
      ".gitlab-ci.yml": `stages: [verify, ship] # two\n\nbuild:\n  stage: verify\n  script:\n    - make\n\n${JOB.replace("rollstamp:\n", "rollstamp:\n  stage: verify\n")}`,
    },
  },
];

/** The files below a folder that differ from what they were. */
function changed(folder: string, before: Files, paths: readonly string[]): Files {
  const found: Record<string, string> = {};
  for (const path of new Set([...Object.keys(before), ...paths])) {
    const file = join(folder, path);
    if (!existsSync(file)) continue;
    const text = readFileSync(file, "utf8");
    if (text !== before[path]) found[path] = text;
  }
  return found;
}

async function init(
  folder: string,
  { host, folder: given = ".", args = [] }: Pick<Case, "host" | "folder" | "args">,
  more: readonly string[] = ["--write"],
): Promise<CliResult> {
  return cli(["init", host, join(folder, given), ...args, ...more]);
}

describe("rollstamp init", () => {
  for (const wiring of CASES) {
    it(`sets up ${wiring.host}: ${wiring.name}`, () =>
      inFolder(wiring.files, async (folder) => {
        const first = await init(folder, wiring);
        assert.equal(first.status, 0, first.stderr);
        assert.match(first.stdout, /^diff --git /u);
        assert.deepEqual(changed(folder, wiring.files, Object.keys(wiring.after)), wiring.after);
        const again = await init(folder, wiring);
        assert.deepEqual([again.status, again.stdout], [0, ""]);
        assert.match(again.stderr, /is set up already/u);
        assert.deepEqual(
          changed(folder, wiring.files, Object.keys(wiring.after)),
          wiring.after,
          "a second run changes something",
        );
      }));
  }
  it("sets up github: writes workflows at the root of the repository", () =>
    inFolder({ ...PLAIN, "deep/x": "" }, async (folder) => {
      const wiring = { host: "github", folder: "deep", args: ["--plan"] };
      assert.equal((await init(folder, wiring)).status, 0);
      const check = readFileSync(join(folder, ".github/workflows/rollstamp.yml"), "utf8");
      assert.match(
        check,
        new RegExp(
          `- run: npm install --global \\S+ \\S+ rollstamp@${VERSION}$[^]*^ +rollstamp stamp --check \\.$`,
          "mu",
        ),
      );
      const plan = readFileSync(join(folder, ".github/workflows/rollstamp-plan.yml"), "utf8");
      assert.match(plan, /rollstamp plan --git HEAD\^\.\.HEAD -o markdown /u);
      assert.match((await init(folder, wiring)).stderr, /github is set up already/u);
    }));
  it("changes nothing if the repository runs the Action already", () =>
    inFolder(
      { ...GIT, ".github/workflows/ci.yaml": "jobs: {a: {steps: [{uses: rollstamp/rollstamp@v0}]}}\n" },
      async (folder) => {
        assert.match((await init(folder, { host: "github" })).stderr, /github is set up already/u);
      },
    ));
  const WIRED = "resources: [../../base]\ntransformers: [stamp.yaml]\n";
  const BUILT = {
    ...GIT,
    "apps/base/kustomization.yaml": "resources: [web.yaml]\n",
    "apps/base/web.yaml": deployment("web", "settings"),
    "apps/overlays/prod/kustomization.yaml": WIRED,
    "apps/overlays/prod/stamp.yaml": TRANSFORMER,
    "apps/overlays/dev/kustomization.yaml": "resources: [../../base]\n",
    "a b/kustomization.yaml": "helmCharts: [{name: x}]\ntransformers: [stamp.yaml]\n",
    "a b/stamp.yaml": TRANSFORMER.replace("exec:\n        path: rollstamp", "container:\n        image: x"),
    "legacy/kustomization.yaml": "transformers: [stamp.yaml]\n",
    "legacy/stamp.yaml": "apiVersion: rollstamp.dev/v1alpha1\nkind: ConfigHash\nmetadata: {name: s}\n",
    "part/kustomization.yaml": "kind: Component\n",
    "chart/Chart.yaml": "apiVersion: v2\nname: web\nversion: 0.1.0\n",
    "chart/templates/web.yaml": deployment("web", "settings"),
    "apps/Chart.yaml": "apiVersion: v2\nname: apps\nversion: 0.1.0\n",
    "apps/templates/web.yaml": "apiVersion: argoproj.io/v1alpha1\nkind: Application\nmetadata: {name: web}\n",
    "umbrella/Chart.yaml": "apiVersion: v2\nname: umbrella\nversion: 0.1.0\ndependencies: [{name: web}]\n",
    "umbrella/templates/c.yaml": configMap("c", "a"),
    "flux/kustomization.yaml": "resources: [release.yaml]\n",
    "flux/release.yaml": "apiVersion: helm.toolkit.fluxcd.io/v2\nkind: HelmRelease\nmetadata: {name: web}\n",
    "release.yaml": "apiVersion: helm.toolkit.fluxcd.io/v2\nkind: HelmRelease\nmetadata: {name: web}\nspec: {}\n",
  };
  const COMMANDS = [
    "kustomize build --enable-alpha-plugins --enable-helm 'a b' | rollstamp stamp --check --require-stamps --config 'a b/stamp.yaml' -",
    "kustomize build --enable-alpha-plugins --enable-exec apps/overlays/prod | rollstamp stamp --check --require-stamps --config apps/overlays/prod/stamp.yaml -",
    "kustomize build --enable-alpha-plugins legacy | rollstamp stamp --check --require-stamps --config legacy/stamp.yaml -",
    "helm template release chart --dependency-update | rollstamp lint -",
    "helm template release umbrella --dependency-update | rollstamp lint -",
  ];
  for (const host of ["github", "gitlab", "pre-commit"]) {
    it(`sets up ${host}: checks renderings, and prints why and what stays unchecked`, () =>
      inFolder(BUILT, async (folder) => {
        const { status, stdout, stderr } = await init(folder, { host });
        assert.equal(status, 0, stderr);
        for (const command of COMMANDS)
          assert.ok(stdout.replaceAll("'\\''", "'").includes(`${command} || status=1`), `${command}\n${stdout}`);
        assert.match(stdout, /init kustomize-plugin/u);
        assert.doesNotMatch(stdout, /stamp --check \.|overlays\/dev|base|part/u);
        assert.match(stderr, /3 kustomizations with our transformer \(a b, apps\/overlays\/prod, legacy\)/u);
        assert.match(stderr, /2 charts \(chart, umbrella\): the output of Helm is linted/u);
        assert.match(stderr, /nothing to check: 1 chart without a workload \(apps\)/u);
        assert.match(stderr, /nothing to check: 1 kustomization without a workload \(flux\)/u);
        assert.doesNotMatch(stdout, /template release apps|build \S* ?flux/u);
        assert.match(
          stderr,
          /not checked: 1 kustomization without our transformer \(apps\/overlays\/dev\): run rollstamp init kustomize \S*apps\/overlays\/dev --write/u,
        );
        assert.match(stderr, /not checked: 1 HelmRelease/u);
      }));
    it(`sets up ${host}: writes nothing if nothing can be checked, and suggests what to do`, () =>
      inFolder(
        { ...GIT, "app/kustomization.yaml": "resources: [web.yaml]\n", "app/web.yaml": deployment("web", "x") },
        async (folder) => {
          const { status, stdout, stderr } = await init(folder, { host });
          assert.deepEqual([status, stdout], [2, ""]);
          assert.match(
            stderr,
            /nothing in this repository can be checked[^]*rollstamp init kustomize \S*app --write, then this command again/u,
          );
        },
      ));
  }
  it("sets up github: updates its own workflow, but not one that the user has changed", () =>
    inFolder(BUILT, async (folder) => {
      const path = join(folder, ".github/workflows/rollstamp.yml");
      assert.equal((await init(folder, { host: "github" })).status, 0);
      assert.doesNotMatch(readFileSync(path, "utf8"), /overlays\/dev/u);
      assert.equal((await init(folder, { host: "kustomize", folder: "apps/overlays/dev" })).status, 0);
      assert.match(
        (await init(folder, { host: "github" })).stdout,
        /^\+.*kustomize build \S+ \S+ apps\/overlays\/dev/mu,
      );
      writeFileSync(path, readFileSync(path, "utf8").replace("# Made by", "# Once made by"));
      assert.match((await init(folder, { host: "github" })).stderr, /set up already/u);
    }));
  it("sets up github: uses the largest scope without duplicate objects", () =>
    inFolder(
      {
        ...GIT,
        "a/web.yaml": deployment("web", "s"),
        "b/web.yaml": deployment("web", "s"),
        "b/c.yaml": configMap("s", "a"),
      },
      async (folder) => {
        const { stdout, stderr } = await init(folder, { host: "github" });
        assert.match(stdout, /^\+ +rollstamp stamp --check --scope directory \.$/mu);
        assert.match(stderr, /2 workloads in plain files: .*because an object is defined in more than one file/u);
      },
    ));
  it("prints a diff for git apply, including new files", () =>
    inFolder({ "kustomization.yaml": "resources: [a.yaml]\n" }, async (folder) => {
      execFileSync("git", ["init", "-q", folder]);
      const cwd = process.cwd();
      process.chdir(folder);
      try {
        const { stdout, stderr, status } = await cli(["init", "kustomize"]);
        assert.deepEqual(
          [status, stderr],
          [0, "rollstamp: nothing was written\n  To write it: rollstamp init kustomize --write\n"],
        );
        assert.deepEqual(
          [existsSync("stamp.yaml"), readFileSync("kustomization.yaml", "utf8")],
          [false, "resources: [a.yaml]\n"],
        );
        execFileSync("git", ["apply"], { input: stdout });
        assert.equal(readFileSync("stamp.yaml", "utf8"), TRANSFORMER);
      } finally {
        process.chdir(cwd);
      }
    }));
  for (const option of ["--write", "--yes", "-y"]) {
    it(`writes with ${option}`, () =>
      inFolder({ "kustomization.yaml": "resources: [a.yaml]\n" }, async (folder) => {
        assert.equal((await cli(["init", "kustomize", folder, option])).status, 0);
        assert.equal(readFileSync(join(folder, "stamp.yaml"), "utf8"), TRANSFORMER);
      }));
  }
  it("prints the command that writes, as it was given", () =>
    inFolder({ "a b/kustomization.yaml": "resources: [a.yaml]\n" }, async (folder) => {
      for (const terminal of [false, true]) {
        const shown = await cli(["init", "kustomize", join(folder, "a b"), "--plugin"], { terminal });
        assert.equal(shown.status, 0);
        const command = /^ {2}To write it: (.*)$/mu.exec(shown.stderr)?.[1];
        assert.equal(command, `rollstamp init kustomize '${join(folder, "a b")}' --plugin --write`);
        assert.ok(!existsSync(join(folder, "a b/stamp.yaml")));
      }
    }));
});

describe("the legacy plugin of kustomize", () => {
  it("has a script for each kind", () =>
    inFolder({}, async (folder) => {
      assert.equal((await init(folder, { host: "kustomize-plugin" })).status, 0);
      for (const kind of ["ConfigHash", "Restart", "RolloutLint"]) {
        const file = join(folder, "rollstamp.dev/v1alpha1", kind.toLowerCase(), kind);
        assert.equal(readFileSync(file, "utf8").split("\n").at(-2), 'exec rollstamp "$@"');
        assert.equal(statSync(file).mode & 0o111, 0o111);
      }
      assert.match((await init(folder, { host: "kustomize-plugin" })).stderr, /is set up already/u);
    }));
});

describe("what init reports", () => {
  it("warns that a base is the wrong folder", () =>
    inFolder(
      {
        ...GIT,
        "base/kustomization.yaml": "resources: [a.yaml]\n",
        "prod/kustomization.yaml": "resources:\n- ../base/\n",
        "dev/kustomization.yaml": "components: [../base]\n",
      },
      async (folder) => {
        const { stderr } = await init(folder, { host: "kustomize", folder: "base" });
        assert.match(
          stderr,
          /This folder is built into \.\.\/dev\/kustomization\.yaml and 1 more: use the outermost overlay instead/u,
        );
      },
    ));
  it("warns about a transformer after ours", () =>
    inFolder(
      { "kustomization.yaml": "transformers: [ours.yaml, b.yaml]\n", "ours.yaml": TRANSFORMER },
      async (folder) => {
        assert.match((await init(folder, { host: "kustomize" })).stderr, /set up already\n {2}List ours\.yaml last/u);
      },
    ));
  it("names the Applications that it does not change, and why", () =>
    inFolder(
      {
        "a.yaml":
          "apiVersion: argoproj.io/v1alpha1\nkind: Application\nmetadata: {name: a}\nspec: {sources: [{path: a}]}\n---\napiVersion: argoproj.io/v1alpha1\nkind: Application\nmetadata: {name: b}\nspec: {source: {path: b, kustomize: {namePrefix: x}}}\n",
      },
      async (folder) => {
        const { stderr } = await init(folder, { host: "argocd" });
        assert.match(stderr, /Application a has no single source/u);
        assert.match(stderr, /Application b has options for kustomize or Helm/u);
      },
    ));
  for (const [source, isRefused] of [
    ["{path: b, kustomize: {namePrefix: x}}", true],
    ["{path: b, helm: {releaseName: x}}", true],
    ["{chart: web}", true],
    ["{path: b, plugin: {name: rollstamp}, kustomize: {namePrefix: x}}", false],
  ] as const)
    it(`says ${isRefused ? "that no Application can take the plugin" : "that Argo CD is set up"}: ${source}`, () =>
      inFolder(
        {
          "a.yaml": `apiVersion: argoproj.io/v1alpha1\nkind: Application\nmetadata: {name: a}\nspec: {source: ${source}}\n`,
        },
        async (folder) => {
          const { status, stderr } = await init(folder, { host: "argocd" });
          assert.equal(status, 0);
          assert.equal(/no Application here can take the plugin[^]*Stamp the manifests/u.test(stderr), isRefused);
          assert.equal(/set up already[^]*sidecar/u.test(stderr), !isRefused);
        },
      ));
  const remote = "dependencies: [{name: redis, version: 1.0.0, repository: https://charts.example.com}]\n";
  const chart = `apiVersion: v2\nname: web\nversion: 1.0.0\n${remote}`;
  const fetched = "resources: [https://github.com/example/base?ref=v1]\n";
  for (const [what, files, refusal] of [
    ["a chart without its dependencies", { "web/Chart.yaml": chart }, /a chart whose dependencies are not in/u],
    [
      "the same in requirements.yaml",
      { "web/Chart.yaml": "apiVersion: v1\nname: web\nversion: 1.0.0\n", "web/requirements.yaml": remote },
      /a chart whose dependencies are not in/u,
    ],
    ["a chart with its dependencies", { "web/Chart.yaml": chart, "web/charts/redis-1.0.0.tgz": "" }, undefined],
    [
      "a chart with another one in place of its dependency",
      { "web/Chart.yaml": chart, "web/charts/redisinsight/Chart.yaml": "" },
      /a chart whose dependencies are not in/u,
    ],
    ["a kustomization with a remote base", { "web/kustomization.yaml": fetched }, /remote bases/u],
    [
      "the same through a base",
      { "web/kustomization.yaml": "resources: [../base]\n", "base/kustomization.yaml": fetched },
      /remote bases/u,
    ],
    ...["crds: [ADDRESS]", "configurations: [ADDRESS]", "patches: [{path: ADDRESS}]", "generators: [ADDRESS]"].map(
      (field): [string, Files, RegExp] => [
        `a kustomization with remote ${field.split(":", 1)[0] ?? ""}`,
        { "web/kustomization.yaml": `${field.replace("ADDRESS", "https://example.com/a.yaml")}\n` },
        /remote bases/u,
      ],
    ),
    [
      "a kustomization with charts",
      { "web/kustomization.yaml": "helmCharts: [{name: redis, repo: https://charts.example.com}]\n" },
      /charts in its kustomization/u,
    ],
    [
      "a kustomization with the generator for a chart",
      {
        "web/kustomization.yaml": "generators: [chart.yaml]\n",
        "web/chart.yaml": "apiVersion: builtin\nkind: HelmChartInflationGenerator\nmetadata: {name: c}\nname: redis\n",
      },
      /charts in its kustomization/u,
    ],
    [
      "a kustomization that takes its transformers from a folder",
      { "web/kustomization.yaml": "transformers: [../labels]\n", "labels/kustomization.yaml": "resources: [a.yaml]\n" },
      undefined,
    ],
    [
      "a kustomization that runs a generator",
      {
        "web/kustomization.yaml": "resources: [../base]\n",
        "base/kustomization.yaml": "generators: [secrets.yaml]\n",
        "base/secrets.yaml": "apiVersion: viaduct.ai/v1\nkind: ksops\nmetadata: {name: secrets}\n",
      },
      /functions in its kustomization/u,
    ],
    [
      "a kustomization with functions of kustomize and of rollstamp",
      {
        "web/kustomization.yaml": "transformers: [label.yaml, stamp.yaml]\n",
        "web/label.yaml": "apiVersion: builtin\nkind: LabelTransformer\nmetadata: {name: l}\n",
        "web/stamp.yaml": TRANSFORMER,
      },
      undefined,
    ],
    ["a kustomization of files", { "web/kustomization.yaml": "resources: [a.yaml]\n" }, undefined],
    ["a folder that is not here", {}, undefined],
  ] as const)
    it(`${refusal === undefined ? "sets up" : "leaves"} an Application of ${what}`, () => {
      const application =
        "apiVersion: argoproj.io/v1alpha1\nkind: Application\nmetadata: {name: web}\nspec: {source: {path: web/}}\n";
      return inFolder({ ...files, "apps/web.yaml": application }, async (folder) => {
        const { stdout, stderr } = await init(folder, { host: "argocd" });
        assert.equal(stdout.includes("plugin"), refusal === undefined);
        if (refusal !== undefined) assert.match(stderr, refusal);
      });
    });
  for (const [paths, isNamed] of [
    [".", true],
    ["/apps/web;../base", true],
    [".;/rollstamp.yaml", false],
    [".;../../rollstamp.yaml", false],
    ["/", false],
    ["", false],
  ] as const)
    for (const kind of ["Application", "ApplicationSet"])
      it(`${isNamed ? "names" : "accepts"} manifest-generate-paths of an ${kind}: ${JSON.stringify(paths)}`, () => {
        const metadata = `metadata: {name: web, annotations: {argocd.argoproj.io/manifest-generate-paths: "${paths}"}}`;
        const source = "spec: {source: {path: apps/web}}";
        const body = kind === "Application" ? `${metadata}\n${source}` : `spec: {template: {${metadata}, ${source}}}`;
        const text = `apiVersion: argoproj.io/v1alpha1\nkind: ${kind}\n${body}\n`;
        return inFolder({ "a.yaml": text }, async (folder) => {
          const { stdout, stderr } = await init(folder, { host: "argocd" });
          assert.match(stdout, /plugin: \{name: "rollstamp"\}/u);
          assert.equal(stderr.includes("add '/rollstamp.yaml' to it"), isNamed);
        });
      });
  it("names Applications that are templates, and sets up the others", () =>
    inFolder(
      {
        "all.yaml": APPLICATION_TEMPLATE,
        "web.yaml":
          "apiVersion: argoproj.io/v1alpha1\nkind: Application\nmetadata: {name: web}\nspec: {source: {path: web}}\n",
      },
      async (folder) => {
        const { stdout, stderr } = await init(folder, { host: "argocd" });
        assert.match(stdout, /web\.yaml/u);
        assert.match(stderr, /^ {2}all\.yaml: a template: add 'plugin/mu);
      },
    ));
  const refused: readonly (readonly [string, Files, RegExp])[] = [
    ["kustomize", {}, /no kustomization file found/u],
    ["kpt", {}, /no Kptfile found/u],
    ["argocd", {}, /no Application found/u],
    [
      "argocd",
      { "apps/templates/all.yaml": APPLICATION_TEMPLATE },
      /apps\/templates\/all\.yaml: these Applications are templates .*\n {2}Add it by hand/u,
    ],
    ["argocd", { "web.yaml": "apiVersion: argoproj.io/v1alpha1\nkind: [\n" }, /web\.yaml:3:1: /u],
    ["helm", {}, /no helmfile and no chart found/u],
    [
      "helm",
      { "helmfile.yaml": "releases: [{name: {{ .x }}}]\n" },
      /helmfile\.yaml: .*templates.*\n {2}Add it by hand/u,
    ],
    ["helm", { "helmfile.yaml": "helmDefaults: {postRenderer: ./own}\n" }, /helmfile\.yaml: .*another post-renderer/u],
    ["kustomize", { "kustomization.yaml": "resources: [\n" }, /kustomization\.yaml:2:1: .*\n {2}Fix the file first/u],
    ["kustomize", { "kustomization.yaml": "- a\n" }, /kustomization\.yaml:1:1: the file must be a mapping/u],
  ];
  for (const [host, files, message] of refused) {
    it(`fails if the host's file is missing or unusable: ${host} ${JSON.stringify(files)}`, () =>
      inFolder(files, async (folder) => {
        const { status, stderr } = await init(folder, { host });
        assert.equal(status, 2);
        assert.match(stderr, message);
      }));
  }
  it("lists the hosts", async () => {
    const { status, stderr } = await cli(["init", "jenkins"]);
    assert.equal(status, 2);
    assert.match(
      stderr,
      /Allowed choices are kustomize, kustomize-plugin, kpt, argocd, flux, helm, pre-commit, git, github, gitlab/u,
    );
  });
  it("fails if the folder does not exist", async () => {
    const { status, stderr } = await cli(["init", "kpt", "no-such-folder"]);
    assert.equal(status, 2);
    assert.match(stderr, /no-such-folder: folder not found/u);
  });
  it("fails for a file, with the command for its folder", () =>
    inFolder({ "apps/web.yaml": "" }, async (folder) => {
      const { status, stderr } = await cli(["init", "argocd", join(folder, "apps/web.yaml")]);
      assert.equal(status, 2);
      assert.match(stderr, /web\.yaml: not a folder\n.*rollstamp init argocd \S*\/apps\n/u);
    }));
});

describe("init --plan", () => {
  const OVERLAY = { ...GIT, "app/kustomization.yaml": "resources: [web.yaml]\n" };

  for (const [name, before] of [
    ["a new file", undefined],
    ["one of windows, with stages", "stages: [check]\r\nlint:\r\n  script: [make]\r\n"],
    ["one that ends without a line break", "lint:\n  script: [make]"],
  ] as const)
    it(`adds a job to .gitlab-ci.yml: ${name}`, () =>
      inFolder({ ...OVERLAY, ...(before === undefined ? {} : { ".gitlab-ci.yml": before }) }, async (folder) => {
        const args = ["--plan"];
        assert.equal((await init(folder, { host: "gitlab", args })).status, 0);
        const text = readFileSync(join(folder, ".gitlab-ci.yml"), "utf8");
        assert.ok(text.startsWith(before ?? "rollstamp-plan:"), text);
        const { "rollstamp-plan": job, ...others } = parse(text);
        assert.deepEqual(Object.keys(others), Object.keys(before === undefined ? {} : parse(before)));
        assert.equal(job.stage, others.stages?.[0]);
        assert.match(job.script.at(-1), /rollstamp plan --git "\$base\.\.HEAD" --shard 1\/1 -o json /u);
        assert.match((await init(folder, { host: "gitlab", args })).stderr, /set up already/u);
        assert.equal(readFileSync(join(folder, ".gitlab-ci.yml"), "utf8"), text);
      }));

  it("changes nothing if a workflow plans already", () =>
    inFolder(
      {
        ...OVERLAY,
        ".github/workflows/own.yml": "jobs: {a: {steps: [{run: npx rollstamp@1 plan --git a..b}]}}\n",
      },
      async (folder) =>
        assert.match((await init(folder, { host: "github", args: ["--plan"] })).stderr, /set up already/u),
    ));

  it("is for hosts with jobs", () =>
    inFolder(OVERLAY, async (folder) => {
      const { status, stderr } = await init(folder, { host: "kpt", args: ["--plan"] });
      assert.equal(status, 2);
      assert.match(stderr, /--plan has no effect for this host; it is for github, gitlab/u);
    }));
});

describe("commands that init prints", () => {
  const COMMANDS: readonly (readonly [string, Files, string, readonly string[]])[] = [
    [
      "kustomize",
      { "kustomization.yaml": "resources: [a.yaml]\n" },
      "",
      ["kustomize build --enable-alpha-plugins --enable-exec AT"],
    ],
    [
      "kustomize",
      { "kustomization.yaml": "resources: [base]\n", "base/kustomization.yaml": "helmCharts: [{name: a}]\n" },
      "",
      ["kustomize build --enable-alpha-plugins --enable-exec --enable-helm AT"],
    ],
    [
      "kustomize",
      { "kustomization.yaml": "resources: [a.yaml]\n" },
      "--plugin",
      [
        "mkdir -p ~/.config/kustomize/plugin && rollstamp init kustomize-plugin ~/.config/kustomize/plugin --write",
        "KUSTOMIZE_PLUGIN_HOME=~/.config/kustomize/plugin kubectl kustomize --enable-alpha-plugins AT",
      ],
    ],
    ["kpt", { Kptfile: "kind: Kptfile\n" }, "", ["kpt fn render --allow-exec AT"]],
    [
      "helm",
      { "Chart.yaml": "name: web\n" },
      "",
      [
        "helm template web AT | rollstamp --config AT/rollstamp.yaml",
        "ROLLSTAMP_CONFIG=AT/rollstamp.yaml helm upgrade --install web AT --post-renderer rollstamp",
      ],
    ],
    [
      "helm",
      { "Chart.yaml": "name: web\ndependencies: []\n" },
      "",
      ["helm template web AT --dependency-update | rollstamp --config AT/rollstamp.yaml"],
    ],
  ];
  for (const [host, files, option, commands] of COMMANDS)
    for (const given of [".", "web", "deploy/web"])
      it(`run where init ran: ${host} ${given} ${option}`, async () => {
        const before = process.cwd();
        const below = Object.fromEntries(Object.entries(files).map(([path, text]) => [join("r", given, path), text]));
        await inFolder({ "r/.git/HEAD": "", ...below }, async (folder) => {
          process.chdir(join(folder, "r"));
          try {
            const args = ["init", host, given, ...(option === "" ? [] : [option]), "--write"];
            const { stderr, status } = await cli(args);
            assert.equal(status, 0, stderr);
            const printed = stderr.split("\n").map((line) => line.replace(/^ {2}[A-Z][a-z ]*: /u, ""));
            const place = host === "helm" && !/[./]/u.test(given) ? `./${given}` : given;
            for (const command of commands) {
              const config = given === "." ? "rollstamp.yaml" : `${given}/rollstamp.yaml`;
              const wanted = command.replace("AT/rollstamp.yaml", config).replace("AT", place);
              assert.ok(printed.includes(wanted), `${wanted}\n${stderr}`);
            }
          } finally {
            process.chdir(before);
          }
        });
      });

  it("name the folder from where init ran, also for the whole repository", async () => {
    const before = process.cwd();
    const files = { ...GIT, "apps/web/kustomization.yaml": "resources: [web.yaml]\n", "docs/a.md": "" };
    await inFolder(files, async (folder) => {
      process.chdir(join(folder, "docs"));
      try {
        assert.match((await cli(["init", "pre-commit"])).stderr, /rollstamp init kustomize \.\.\/apps\/web --write/u);
      } finally {
        process.chdir(before);
      }
    });
  });
});
