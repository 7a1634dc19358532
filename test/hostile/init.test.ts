// What init makes of names that a pull request may bring: commands in jobs, lines in a terminal, files.
import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, it } from "node:test";
import { cli } from "../support/cli.ts";
import { inFolder, type Files } from "../support/folders.ts";
import { deployment } from "../support/manifests.ts";

const JOBS: Readonly<Record<string, string>> = {
  github: ".github/workflows/rollstamp.yml",
  gitlab: ".gitlab-ci.yml",
  "pre-commit": ".pre-commit-config.yaml",
};

const GIT = { ".git/HEAD": "" };
const TRANSFORMER = "apiVersion: rollstamp.dev/v1alpha1\nkind: ConfigHash\nmetadata: {name: stamp}\n";

/** A string of YAML without characters that YAML 1.1 folds. */
function inAscii(text: string): string {
  return JSON.stringify(text).replace(
    /[^ -~]/gu,
    (character) => `\\u${character.charCodeAt(0).toString(16).padStart(4, "0")}`,
  );
}

/** What a job names, at a folder, and the part of a command that names it. */
const NAMED: readonly (readonly [string, (folder: string) => Files, (folder: string) => string])[] = [
  [
    "chart",
    (folder) => ({
      [`${folder}/Chart.yaml`]: "apiVersion: v2\nname: web\nversion: 0.1.0\n",
      [`${folder}/templates/web.yaml`]: deployment("web", "settings"),
    }),
    (folder) => `helm template release ${folder} --dependency-update |`,
  ],
  [
    "kustomization",
    (folder) => ({
      [`${folder}/kustomization.yaml`]: "resources: [web.yaml]\ntransformers: [stamp.yaml]\n",
      [`${folder}/web.yaml`]: deployment("web", "settings"),
      [`${folder}/stamp.yaml`]: TRANSFORMER,
    }),
    (folder) => `kustomize build --enable-alpha-plugins ${folder} | rollstamp stamp --check`,
  ],
  [
    "transformer",
    (folder) => ({
      "kustomization.yaml": `resources: [web.yaml]\ntransformers: [${inAscii(`${folder}/stamp.yaml`)}]\n`,
      "web.yaml": deployment("web", "settings"),
      [`${folder}/stamp.yaml`]: TRANSFORMER,
    }),
    (folder) => ` --config ${folder}/stamp.yaml -`,
  ],
];

const OPTIONS = ["--post-renderer=./e", "--helm-command=./e", "-", "-x"];

const REFUSED: Readonly<Record<string, string>> = {
  "a line break": "x\n      - run: echo",
  "a carriage return": "x\r      - run: echo",
  "a line break of YAML 1.1": "x\u0085y",
  "a separator of lines": "x\u2028y",
  "an escape": "x\u001b[31my",
  "text from right to left": "x\u202ey",
  "an expression of GitHub": "x${{ github.event.pull_request.title }}",
  "an expression of GitLab": "x$[[ inputs.title ]]",
};

describe("names in the jobs that init writes", () => {
  for (const [host, file] of Object.entries(JOBS))
    for (const [what, files, commandOf] of NAMED) {
      for (const name of OPTIONS)
        it(`${host}: a ${what} in ${name} is no option`, () =>
          inFolder({ ...GIT, ...files(name) }, async (folder) => {
            const { status, stderr } = await cli(["init", host, folder, "--write"]);
            assert.equal(status, 0, stderr);
            const text = readFileSync(join(folder, file), "utf8");
            assert.ok(text.includes(commandOf(`./${name}`)), text);
          }));
      for (const [kind, name] of Object.entries(REFUSED)) {
        // A transformer with a line break is in the kustomization itself.
        if (what === "transformer" && name.includes("\n")) continue;
        it(`${host}: a ${what} with ${kind} in its path is refused`, () =>
          inFolder({ ...GIT, ...files(name) }, async (folder) => {
            const { status, stdout, stderr } = await cli(["init", host, folder, "--write"]);
            assert.deepEqual([status, stdout, existsSync(join(folder, file))], [2, "", false], stderr);
            // fast-glob finds no kustomization in a folder with a line break.
            if (what !== "kustomization" || !/[\n\r\u2028]/u.test(name))
              assert.match(
                stderr,
                /^rollstamp: error: x[^\n]*: this path can't be part of a command[^\n]*\n {2}Rename it/u,
              );
            assert.doesNotMatch(stderr.replaceAll("\n", ""), /[\p{Cc}\u2028\u202e]/u);
          }));
      }
    }

  it("don't matter to a host whose files name none", () =>
    inFolder({ "web.yaml": deployment("web", "settings"), ...chartIn("x\ny") }, async (folder) => {
      execFileSync("git", ["init", "--quiet", folder]);
      const { status, stderr } = await cli(["init", "git", folder]);
      assert.equal(status, 0, stderr);
    }));
});

function chartIn(folder: string, name = "web"): Files {
  return {
    [`${folder}/Chart.yaml`]: `apiVersion: v2\nname: ${JSON.stringify(name)}\nversion: 0.1.0\n`,
    [`${folder}/templates/web.yaml`]: deployment("web", "settings"),
  };
}

describe("names in what init prints", () => {
  const application = (name: string): string =>
    `apiVersion: argoproj.io/v1alpha1\nkind: Application\nmetadata: {name: ${JSON.stringify(name)}}\nspec: {sources: [{path: a}]}\n`;
  const HOSTILE = "x\u001b[31m\n::error::y";
  const PRINTED: readonly (readonly [string, Files, string, readonly string[]])[] = [
    ["argocd", { "apps/a.yaml": application(HOSTILE) }, "apps", []],
    ["argocd", { "apps/::error::a.yaml": application("a") }, "apps", []],
    ["helm", chartIn("web", HOSTILE), "web", ["--write"]],
    ["helm", chartIn(HOSTILE), HOSTILE, []],
    ["helm", chartIn(HOSTILE), HOSTILE, ["--write"]],
    ["kustomize", { [`${HOSTILE}/kustomization.yaml`]: "resources: []\n" }, HOSTILE, ["--write"]],
    ["kpt", { [`${HOSTILE}/Kptfile`]: "kind: Kptfile\n" }, HOSTILE, ["--write"]],
    ["kpt", { [`${HOSTILE}/Kptfile`]: "kind: Kptfile\n" }, `${HOSTILE}/Kptfile`, []],
  ];
  for (const [host, files, given, args] of PRINTED)
    it(`${host} ${JSON.stringify(given)} ${args.join(" ")}: has no control character and no line of its own`, () =>
      inFolder({ ...GIT, ...files }, async (folder) => {
        const { stdout, stderr } = await cli(["init", host, join(folder, given), ...args]);
        assert.doesNotMatch((stdout + stderr).replaceAll(/[\n\t]/gu, ""), /\p{Cc}/u, stdout + stderr);
        assert.doesNotMatch(stderr, /^\s*::/mu);
      }));

  it("a chart's name is a release's name only if Helm takes it", () =>
    inFolder({ ...GIT, ...chartIn("web", "--post-renderer=./e") }, async (folder) => {
      const { stderr } = await cli(["init", "helm", join(folder, "web"), "--write"]);
      assert.match(stderr, /helm template release /u);
    }));

  for (const [host, files, command] of [
    ["helm", chartIn("-x"), "helm template web ./-x |"],
    ["kpt", { "-x/Kptfile": "kind: Kptfile\n" }, "kpt fn render --allow-exec ./-x\n"],
  ] as const)
    it(`${host}: a folder with a dash is no option`, async () => {
      const before = process.cwd();
      await inFolder({ ...GIT, ...files }, async (folder) => {
        process.chdir(folder);
        try {
          const shown = await cli(["init", host, "./-x"]);
          assert.match(shown.stderr, new RegExp(`To write it: rollstamp init ${host} \\./-x --write`, "u"));
          const { stderr } = await cli(["init", host, "./-x", "--write"]);
          assert.ok(stderr.includes(command), stderr);
        } finally {
          process.chdir(before);
        }
      });
    });
});

describe("files of git that init does not write through a link", () => {
  const PLAIN = { ".git/HEAD": "", ".git/hooks/a": "", "web.yaml": deployment("web", "settings") };
  const LINKS: readonly (readonly [string, Files, string])[] = [
    ["github", { ".github/workflows": "-> ../.git/hooks" }, ".git/hooks/rollstamp.yml"],
    ["github", { ".github": "-> .git/hooks" }, ".git/hooks/workflows"],
    ["github", { ".github/workflows": "-> ../.git/new" }, ".git/new"],
    ["github", { ".github/workflows/rollstamp.yml": "-> ../../.git/hooks/post-merge" }, ".git/hooks/post-merge"],
    ["gitlab", { ".gitlab-ci.yml": "-> .git/hooks/post-merge" }, ".git/hooks/post-merge"],
    ["pre-commit", { ".pre-commit-config.yaml": "-> .git/hooks/post-merge" }, ".git/hooks/post-merge"],
  ];
  for (const [host, link, file] of LINKS)
    it(`${host}: ${Object.entries(link).join(" ").replace(",", " ")}`, () =>
      inFolder({ ...PLAIN, ...link }, async (folder) => {
        const { status, stderr } = await cli(["init", host, folder, "--write"]);
        assert.notEqual(status, 0, stderr);
        assert.equal(existsSync(join(folder, file)), false);
      }));

  it("nor one that is there", () =>
    inFolder(
      { ...PLAIN, ".git/hooks/post-merge": "a: b\n", ".gitlab-ci.yml": "-> .git/hooks/post-merge" },
      async (folder) => {
        const { status, stderr } = await cli(["init", "gitlab", folder, "--write"]);
        assert.notEqual(status, 0, stderr);
        assert.equal(readFileSync(join(folder, ".git/hooks/post-merge"), "utf8"), "a: b\n");
      },
    ));
});
