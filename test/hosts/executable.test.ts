// The single executable of a release gives the same output as the command.
import assert from "node:assert/strict";
import { copyFileSync, existsSync, readFileSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { before, describe, test } from "node:test";
import fg from "fast-glob";
import { parse } from "yaml";
import { VERSION } from "../../src/base/version.ts";
import { elsewhere, HELMS, POST_RENDERER, prepare, template, tryTemplate, type Helm } from "./helm.ts";
import { allStamps, mapping, objectsOf } from "./manifests.ts";
import { command, installed, root, run, succeed, unlessFound, type Program, type Run } from "./programs.ts";
import { deployment } from "../support/manifests.ts";
import { missing, repository, rollstamp } from "./planned-repository.ts";
import { cli } from "../support/cli.ts";
import { temporaryFolder } from "./trees.ts";

const release = String(mapping(parse(readFileSync(join(root, "package.json"), "utf8")))["version"]);
const bun = installed("bun.sh");
const node: Program = { found: true, path: process.execPath };

describe("the single executable", { skip: unlessFound(bun) }, () => {
  let executable: Program = { found: false, reason: "not built yet" };
  before(() => {
    const path = join(temporaryFolder(), "rollstamp");
    succeed(node, [join(root, "scripts", "executable.mjs"), path], { cwd: root, env: process.env });
    executable = { found: true, path };
  });

  /** Runs it with nothing around it: no Node, no environment, another folder. */
  function alone(args: readonly string[], input = ""): Run {
    return run(executable, args, { cwd: temporaryFolder(), env: {}, input });
  }

  test("prints the version of the package", () => {
    assert.deepEqual(alone(["--version"]), { status: 0, stdout: `${release}\n`, stderr: "" });
  });

  /** Runs both, and what each printed, and ended with, has to be the same. */
  function compare(args: readonly string[]): void {
    const io = { cwd: root, env: {}, input: "" };
    assert.deepEqual(run(executable, args, io), run(node, [command, ...args], io));
  }

  describe("gives the same output as the command", () => {
    const fixtures = fg.sync("fixtures/**/input.yaml", { cwd: root }).sort();
    assert.ok(fixtures.length > 200, "the fixtures are found");
    for (const fixture of fixtures) {
      test(fixture, async () => {
        const config = join(dirname(fixture), "config.yaml");
        const args = existsSync(join(root, config)) ? ["fn", "--config", config] : [];
        const env = { ROLLSTAMP_HMAC_KEY: "a key", SOURCE_DATE_EPOCH: "1700000000" };
        const input = readFileSync(join(root, fixture), "utf8");
        const expected = await cli(args, { stdin: input, environment: env });
        // The sources have no version.
        const stdout = expected.stdout.replaceAll(VERSION, release);
        assert.deepEqual(run(executable, args, { cwd: root, env, input }), { ...expected, stdout });
      });
    }

    const SHOP = "examples/shop";
    const COMMANDS: readonly (readonly string[])[] = [
      ["--help"],
      ["nope"],
      ["stamp", "--check", SHOP],
      ["stamp", "--diff", SHOP],
      ["stamp", "--stdout", SHOP],
      ["stamp", "--check", "nowhere"],
      ["digest", SHOP],
      ["explain", "Deployment/orders", SHOP],
      ["graph", SHOP],
      ["graph", "-o", "html", SHOP],
      ["graph", "-o", "json", SHOP],
      ["lint", SHOP],
      ["lint", "-o", "sarif", SHOP],
      ["plan", SHOP, "fixtures"],
      ["plan", "-o", "html", SHOP, SHOP],
      ["plan", "-o", "markdown", SHOP, "examples/rollout-plan"],
      ["restart", "--all", "--diff", "--at", "2026-01-01T00:00:00Z", SHOP],
      ["restart", "--due", "--diff", "--now", "2026-03-29T02:30:00Z", SHOP],
      ["migrate", SHOP],
      ["init", "kustomize", "--diff"],
      ["completion", "bash"],
    ];
    for (const args of COMMANDS) test(args.join(" "), () => compare(args));
  });

  test("renders the applications of a repository", { skip: missing }, () => {
    const repo = repository({
      "clusters/a/set.yaml": APPLICATION_SET,
      "apps/web/kustomization.yaml": "resources: [web.yaml]\n",
      "apps/web/web.yaml": deployment("web", "env"),
      "chart/Chart.yaml": "apiVersion: v2\nname: chart\nversion: 1.0.0\n",
      "chart/templates/api.yaml": deployment("api", "env"),
    });
    const two = (name: string): string => deployment(name, "env").replace("app:1", "app:2");
    repo.commit("two", { "apps/web/web.yaml": two("web"), "chart/templates/api.yaml": two("api") });
    for (const args of [
      ["apps", "--expand", "-o", "json"],
      ["plan", "--git", "start..two"],
      ["lint", "--apps", "."],
    ]) {
      const expected = rollstamp(repo, ...args);
      assert.match(expected.stdout, /web-prod|2 workloads/);
      assert.deepEqual(run(executable, args, { cwd: repo.folder, env: repo.env }), expected);
    }
  });

  test("reads no variables and no code from the current folder", () => {
    const folder = temporaryFolder();
    writeFileSync(join(folder, ".env"), "ROLLSTAMP_HMAC_KEY=planted\nROLLSTAMP_CONFIG=planted.yaml\n");
    writeFileSync(join(folder, "bunfig.toml"), 'preload = ["./planted.js"]\n');
    writeFileSync(join(folder, "planted.js"), 'console.log("planted"); process.exit(9);\n');
    writeFileSync(join(folder, "package.json"), '{"name": 1, "imports": {}}\n');
    writeFileSync(join(folder, "tsconfig.json"), "{\n");
    const input = readFileSync(join(root, SHOP_SECRET), "utf8");
    const config = "apiVersion: rollstamp.dev/v1alpha1\nkind: ConfigHash\nspec: {secrets: Keyed}\n";
    writeFileSync(join(folder, "keyed.yaml"), config);
    const plain = run(executable, [], { cwd: folder, env: {}, input });
    assert.deepEqual({ status: plain.status, stdout: plain.stdout }, { status: 0, stdout: input });
    const keyed = run(executable, ["fn", "--config", "keyed.yaml"], { cwd: folder, env: {}, input });
    assert.equal(keyed.status, 2);
    assert.match(keyed.stderr, /needs a key, but none is set/);
  });

  const helm = HELMS.find(({ version }) => version === 4);
  if (helm === undefined) throw new Error("Helm 4 is none of the hosts");
  test("works as a plugin of Helm 4 without Node", { skip: unlessFound(helm.program) }, () => {
    assert.ok(executable.found);
    const bare = withoutPath(elsewhere(helm));
    const folder = temporaryFolder();
    const tarball = packed(folder, executable.path);
    prepare(bare, tarball);
    const stamped = template(bare, "shop", POST_RENDERER);
    assert.equal(Object.keys(allStamps(objectsOf(stamped))).length, 3);
    assert.match(tryTemplate(bare, "missing", POST_RENDERER).stderr, /rollstamp: warning: .*shop-settings/);
  });

  test("contains the reader of kubeconfigs", () => {
    const { status, stderr } = alone(["status"]);
    assert.equal(status, 2);
    assert.match(stderr, /kubeconfig/);
  });
});

// With a regular expression, whose reader is beside the command.
const APPLICATION_SET = `apiVersion: argoproj.io/v1alpha1
kind: ApplicationSet
metadata: {name: apps, namespace: argocd}
spec:
  goTemplate: true
  generators: [{list: {elements: [{name: web_prod}]}}]
  template:
    metadata: {name: '{{.name | replace "_" "-"}}'}
    spec:
      source: {repoURL: https://example.com/r.git, path: apps/web}
      destination: {name: prod, namespace: web}
`;

const SHOP_SECRET = "examples/shop/secret.yaml";

/** Helm where there is nothing else to run. */
function withoutPath(helm: Helm): Helm {
  return { ...helm, env: { ...helm.env, PATH: temporaryFolder() } };
}

/** The plugin's tarball with an executable that is called as in a release. */
function packed(folder: string, executable: string): string {
  const released = join(folder, "rollstamp-linux-amd64");
  copyFileSync(executable, released);
  const tarball = succeed(node, [join(root, "scripts", "helm-plugin.mjs"), folder, released], {
    cwd: root,
    env: process.env,
  }).trim();
  assert.match(tarball, /\/rollstamp-helm-linux-amd64-\d+\.\d+\.\d+\.tgz$/);
  return tarball;
}
