// Runs what `rollstamp init` writes for CI, in a repository with the real kustomize and helm.
import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { readFileSync, writeFileSync } from "node:fs";
import { delimiter, dirname, join } from "node:path";
import { before, describe, test } from "node:test";
import { parse } from "yaml";
import { inRoot } from "../support/paths.ts";
import { STANDALONE } from "./kustomize.ts";
import { command, installed, onPath, run, succeed, unlessFound, type Program, type Run } from "./programs.ts";
import { temporaryFolder, treeOf } from "./trees.ts";
import { rollstamp } from "./wiring.ts";

const NODE: Program = { found: true, path: process.execPath };
const BASH = onPath("bash");
const GIT = onPath("git");
const HELM = installed("helm3.sh");

const web = (source: string): string => `apiVersion: apps/v1
kind: Deployment
metadata: {name: web}
spec:
  selector: {matchLabels: {app: web}}
  template:
    metadata: {labels: {app: web}}
    spec:
      containers:
        - name: app
          image: registry.example/web:1
          envFrom: [{configMapRef: {name: ${source}}}]
`;

const FILES = {
  "apps/web/base/web.yaml": web("env"),
  "apps/web/base/kustomization.yaml": "resources: [web.yaml]\nconfigMapGenerator:\n  - {name: env, literals: [A=1]}\n",
  "apps/web/overlays/prod/kustomization.yaml": "namePrefix: prod-\nnamespace: shop\nresources: [../../base]\n",
  "apps/web/overlays/staging/kustomization.yaml": "resources: [../../base]\n",
  "plain/web.yaml": `${web("plain")}---\napiVersion: v1\nkind: ConfigMap\nmetadata: {name: plain}\ndata: {A: b}\n`,
  "charts/web/Chart.yaml": "apiVersion: v2\nname: web\nversion: 0.1.0\n",
  "charts/web/templates/web.yaml": web("{{ .Release.Name }}"),
};

/** How each host's file is run, as the host would. */
const HOSTS = [
  {
    host: "github",
    file: ".github/workflows/rollstamp.yml",
    scriptOf: (text: string): string => {
      const { jobs } = parse(text) as { jobs: { stamps: { steps: { name?: string; run?: string }[] } } };
      return jobs.stamps.steps.find(({ name }) => name === "Check the stamps")?.run ?? "";
    },
    args: ["--noprofile", "--norc", "-eo", "pipefail", "-c"],
  },
  {
    host: "gitlab",
    file: ".gitlab-ci.yml",
    scriptOf: (text: string): string =>
      (parse(text) as { rollstamp: { script: string[] } }).rollstamp.script.join("\n"),
    args: ["-c"],
  },
  {
    host: "pre-commit",
    file: ".pre-commit-config.yaml",
    scriptOf: (text: string): string => {
      const { repos } = parse(text) as { repos: { hooks: { entry: string }[] }[] };
      return repos.flatMap(({ hooks }) => hooks.map(({ entry }) => entry)).join(" && ");
    },
    args: ["-c"],
  },
] as const;

const missing = unlessFound(STANDALONE) || unlessFound(BASH) || unlessFound(GIT) || unlessFound(HELM);

describe("files that init writes for CI", { skip: missing }, () => {
  for (const { host, file, scriptOf, args } of HOSTS) {
    test(`${host}: checks the repository, and fails if a stamp is missing`, () => {
      const { folder } = treeOf(FILES);
      const env = {
        ...rollstamp.env,
        PATH: [pathOf(STANDALONE), pathOf(HELM), rollstamp.env["PATH"]].join(delimiter),
        RUNNER_TEMP: temporaryFolder(),
      };
      const ours = (...given: string[]): Run => run(NODE, [command, ...given], { cwd: folder, env });
      const check = (): Run => {
        const script = scriptOf(readFileSync(join(folder, file), "utf8"));
        assert.notEqual(script, "");
        return run(BASH, [...args, script], { cwd: folder, env });
      };
      succeed(GIT, ["init", "-q", "."], { cwd: folder, env });
      for (const overlay of ["prod", "staging"])
        assert.equal(ours("init", "kustomize", `apps/web/overlays/${overlay}`, "--write").status, 0);
      assert.equal(ours("stamp", "plain").status, 0);
      const wired = ours("init", host, "--write");
      assert.equal(wired.status, 0, wired.stderr);
      assert.match(wired.stderr, /2 kustomizations with our transformer[^]*1 chart/u);
      const clean = check();
      assert.equal(clean.status, 0, clean.stdout + clean.stderr);

      // A plain file is stale: a check fails, the hook stamps it.
      const plain = join(folder, "plain/web.yaml");
      const stamped = readFileSync(plain, "utf8");
      writeFileSync(plain, stamped.replace("A: b", "A: c"));
      if (host === "pre-commit") {
        assert.equal(check().status, 0);
        assert.notEqual(readFileSync(plain, "utf8"), stamped.replace("A: b", "A: c"));
      } else {
        const stale = check();
        assert.deepEqual([stale.status, stale.stdout.match(/^plain\/web\.yaml$/mu)?.length], [1, 1], stale.stderr);
      }
      writeFileSync(plain, stamped);

      // The transformer is gone from one overlay: its rendering has no stamps, and the others are checked all the same.
      const kustomization = join(folder, "apps/web/overlays/prod/kustomization.yaml");
      writeFileSync(kustomization, readFileSync(kustomization, "utf8").replace(/transformers:[^]*/u, ""));
      const skipped = check();
      assert.equal(skipped.status, 1, skipped.stdout + skipped.stderr);
      assert.match(skipped.stderr, /has no stamp/u);
    });
  }
});

function pathOf(program: Program): string {
  return program.found ? dirname(program.path) : "";
}

// The package as it would be published, in the registry's place: nothing else of the lines is changed, and no network is there.
describe("the lines that install rollstamp in a job", () => {
  const { version: VERSION } = JSON.parse(readFileSync(inRoot("package.json"), "utf8")) as { version: string };
  const folder = temporaryFolder();
  const environment = {
    ...process.env,
    HOME: folder,
    npm_config_prefix: join(folder, "prefix"),
    npm_config_cache: join(folder, "cache"),
    npm_config_offline: "true",
  };
  let tarball = "";
  before(() => {
    const packed = spawnSync("npm", ["pack", "--silent", "--ignore-scripts", "--pack-destination", folder], {
      cwd: inRoot(),
      encoding: "utf8",
      env: environment,
    });
    assert.equal(packed.status, 0, packed.stderr);
    tarball = join(folder, packed.stdout.trim());
  });
  const fromTarball = (line: string): string => {
    assert.ok(line.includes(`rollstamp@${VERSION}`), line);
    return line.replace(`rollstamp@${VERSION}`, `rollstamp@file:${tarball}`);
  };
  const runLine = (line: string): string => {
    const { status, stdout, stderr } = spawnSync("bash", ["-ec", line], {
      cwd: folder,
      encoding: "utf8",
      env: environment,
    });
    assert.equal(status, 0, `${line}: ${stderr}`);
    return stdout;
  };

  test("put it on PATH", () => {
    runLine(fromTarball(`npm install --global --no-audit --no-fund rollstamp@${VERSION}`));
    assert.equal(runLine(`${join(folder, "prefix", "bin", "rollstamp")} --version`).trim(), VERSION);
  });
  test("run it once", () => {
    assert.equal(runLine(`${fromTarball(`npx --yes rollstamp@${VERSION}`)} --version`).trim(), VERSION);
  });
});
