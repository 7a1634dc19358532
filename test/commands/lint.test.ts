import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, it } from "node:test";
import type { Log } from "sarif";
import { cli } from "../support/cli.ts";
import { inFolder } from "../support/folders.ts";
import { configMap, deployment } from "../support/manifests.ts";

const REMOVED = "apiVersion: extensions/v1beta1\nkind: Deployment\nmetadata: {name: old}\nspec: {replicas: 2}\n";
// RS012 says nothing of a source in whose namespace no workload is.
const USER = `${deployment("api", "api-env")}---\n${configMap("api-env", "a")}`;
const MUTABLE = deployment("web", "env").replace(
  "image: app:1",
  "image: app:latest\n          imagePullPolicy: IfNotPresent",
);
const WEB = MUTABLE.replace("name: env\n", "name: web-env\n");
const FILES = { "web.yaml": MUTABLE, "env.yaml": configMap("env", "a") };

/** The rules named by a report in text format, in order. */
const rules = (report: string): string[] =>
  [...report.matchAll(/ (?:error|warning|info) (\w+): /gu)].map((match) => match[1] ?? "");

describe("rollstamp lint", () => {
  it("reads files and folders as one scope, and names the file of each finding", () =>
    inFolder(FILES, async (folder) => {
      const { status, stdout, stderr } = await cli(["lint", folder]);
      assert.equal(status, 0);
      assert.equal(stderr, "");
      assert.match(stdout, new RegExp(`^${folder}/web\\.yaml:13:18: warning RS003: `, "u"));
      assert.match(stdout, /\n1 warning in 2 files\n$/u);
    }));
  it("checks each folder separately with --scope directory", () =>
    inFolder({ "a/web.yaml": WEB, "b/env.yaml": `${configMap("web-env", "a")}---\n${USER}` }, async (folder) => {
      assert.deepEqual(rules((await cli(["lint", folder])).stdout), ["RS003"]);
      // What the other folder names is named: no RS012.
      assert.deepEqual(rules((await cli(["lint", "--scope", "directory", folder])).stdout), ["RS003", "RS001"]);
    }));
  it("reads standard input", async () => {
    const { status, stdout } = await cli(["lint", "-"], { stdin: REMOVED });
    assert.equal(status, 1);
    assert.match(stdout, /^stdin:1:13: error RS011: /u);
  });
  it("names files from the root of the repository for GitHub and SARIF, and none of standard input", () =>
    inFolder({ "deploy/web.yaml": REMOVED }, async (root) => {
      execFileSync("git", ["init", "-q", root]);
      const github = async (path: string): Promise<string> =>
        (await cli(["lint", "-o", "github", path], { stdin: REMOVED })).stdout;
      const sarif = async (path: string): Promise<unknown> => {
        const { stdout } = await cli(["lint", "-o", "sarif", path], { stdin: REMOVED });
        return (JSON.parse(stdout) as Log).runs[0]?.results?.[0]?.locations?.[0]?.physicalLocation?.artifactLocation
          ?.uri;
      };
      assert.match(await github(join(root, "deploy")), /^::error file=deploy\/web\.yaml,line=1,col=13,title=RS011/u);
      assert.equal(await sarif(join(root, "deploy")), "deploy/web.yaml");
      assert.match(await github("-"), /^::error title=RS011/u);
      assert.equal(await sarif("-"), undefined);
    }));
  it("ends with 1 for an error only, whatever the report", async () => {
    for (const output of ["text", "json", "sarif", "github"]) {
      assert.equal((await cli(["lint", "-o", output, "-"], { stdin: REMOVED })).status, 1, output);
      assert.equal((await cli(["lint", "-o", output, "-"], { stdin: MUTABLE })).status, 0, output);
    }
  });
  it("takes the severities of --rule, the last one first", async () => {
    const levels = async (...args: string[]): Promise<[number, string[]]> => {
      const { status, stdout } = await cli(["lint", ...args.flatMap((arg) => ["--rule", arg]), "-"], {
        stdin: MUTABLE,
      });
      return [status, rules(stdout)];
    };
    assert.deepEqual(await levels("RS003=error"), [1, ["RS003", "RS001"]]);
    assert.deepEqual(await levels("RS003=error", "RS003=off"), [0, ["RS001"]]);
  });
  it("takes severities and the options of the stamps from rollstamp.yaml, and --rule before it", () => {
    const config =
      "apiVersion: rollstamp.dev/v1alpha1\nkind: RolloutLint\nspec: {rules: {RS003: error}}\n---\napiVersion: rollstamp.dev/v1alpha1\nkind: ConfigHash\nspec: {layout: Combined}\n";
    const stamped = MUTABLE.replace(
      "      labels:",
      '      annotations: {rollstamp.dev/config-hash: "h1-0123456789abcdef0123456789abcdef01234567"}\n      labels:',
    );
    return inFolder({ ...FILES, "web.yaml": stamped, "rollstamp.yaml": config }, async (folder) => {
      const { status, stdout } = await cli(["lint", folder]);
      assert.equal(status, 1);
      assert.deepEqual(rules(stdout), ["RS009", "RS003"]);
      assert.match(stdout, /'rollstamp\.dev\/config-hash' of Deployment web is stale/u);
      assert.equal((await cli(["lint", "--rule", "RS003=info", folder])).status, 0);
    });
  });
  it("prefers configHash in its own configuration to the ConfigHash next to it", () => {
    const config =
      "apiVersion: rollstamp.dev/v1alpha1\nkind: RolloutLint\nspec: {configHash: {selection: Annotated}}\n";
    const stamped = MUTABLE.replace(
      "      labels:",
      '      annotations: {configmap.rollstamp.dev/env: "h1-0123456789abcdef0123456789abcdef01234567"}\n      labels:',
    );
    return inFolder({ "web.yaml": stamped, "env.yaml": configMap("env", "a"), "lint.yaml": config }, async (folder) => {
      const { stdout } = await cli([
        "lint",
        "--config",
        join(folder, "lint.yaml"),
        join(folder, "web.yaml"),
        join(folder, "env.yaml"),
      ]);
      assert.match(stdout, /is left over/u);
    });
  });
  const wrong: readonly [string, readonly string[], RegExp][] = [
    ["an unknown rule", ["lint", "--rule", "RS03=off", "."], /unknown rule 'RS03', did you mean 'RS003'\?/u],
    ["an unknown level", ["lint", "--rule", "RS003=of", "."], /unknown level 'of', did you mean 'off'\?/u],
    ["an unknown report", ["lint", "-o", "xml", "."], /Allowed choices are text, json, sarif, github/u],
    ["a path beside --render", ["lint", "--render", "true", "."], /--render and paths exclude each other/u],
    ["a path that is not there", ["lint", "/nowhere/at/all"], /no such file or folder/u],
  ];
  for (const [what, args, message] of wrong) {
    it(`refuses ${what}`, async () => {
      const { status, stdout, stderr } = await cli(args);
      assert.deepEqual([status, stdout], [2, ""]);
      assert.match(stderr, message);
    });
  }
  it("reports a file that looks like a manifest and can't be read, and lints the rest; refuses one named as an argument", () =>
    inFolder({ ...FILES, "bad.yaml": "apiVersion: v1\nkind: [\n" }, async (folder) => {
      const { status, stdout, stderr } = await cli(["lint", folder]);
      assert.deepEqual([status, stderr], [1, ""]);
      assert.match(stdout, /bad\.yaml:3:1: error unreadable-manifest: file not examined: this is not valid YAML/u);
      assert.match(stdout, /web\.yaml:\d+:\d+: warning/u);
      const named = await cli(["lint", folder, join(folder, "bad.yaml")]);
      assert.deepEqual([named.status, named.stdout], [2, ""]);
      assert.match(named.stderr, /bad\.yaml:\d+:\d+: this is not valid YAML/u);
    }));
  it("counts the errors of a configuration with very many unknown fields in linear time", () => {
    const fields = Array.from({ length: 20_000 }, (_, i) => `  k${i}: 1\n`).join("");
    const config = `apiVersion: rollstamp.dev/v1alpha1\nkind: ConfigHash\nspec:\n${fields}`;
    return inFolder({ ...FILES, "config.yaml": config }, async (folder) => {
      const { status, stderr } = await cli(["lint", "--config", join(folder, "config.yaml"), folder]);
      assert.equal(status, 2);
      assert.match(stderr, /config\.yaml:4:7: unknown field 'spec\.k0'/u);
      assert.match(stderr, /\n {2}And 19990 more\.\n$/u);
    });
  });
  it("names an unknown field of the configuration, also inside configHash, with the nearest known one", async () => {
    const texts: readonly [string, RegExp][] = [
      ["{rules: {RS04: off}}", /unknown field 'spec\.rules\.RS04', did you mean 'RS004'\?/u],
      ["{rules: {RS004: loud}}", /'spec\.rules\.RS004' is "loud"/u],
      ["{output: None}", /'spec\.output' is "None"/u],
      ["{configHash: {layuot: Combined}}", /unknown field 'spec\.configHash\.layuot', did you mean 'layout'\?/u],
      [
        "{configHash: {workloads: [{kind: X, podTemplat: a}]}}",
        /'spec\.configHash\.workloads\[0\]\.podTemplat', did you mean 'podTemplate'\?/u,
      ],
    ];
    for (const [spec, message] of texts) {
      const list = `apiVersion: config.kubernetes.io/v1\nkind: ResourceList\nfunctionConfig: {apiVersion: rollstamp.dev/v1alpha1, kind: RolloutLint, spec: ${spec}}\nitems: []\n`;
      const { status, stderr } = await cli(["fn"], { stdin: list });
      assert.equal(status, 2);
      assert.match(stderr, message);
    }
  });
});

// Side by side: each renders twice, more than a second apart.
describe("rollstamp lint --render", { skip: process.platform === "win32", concurrency: true }, () => {
  const SECRET =
    'printf "apiVersion: v1\\nkind: Secret\\nmetadata: {name: db, namespace: n}\\nstringData: {user: app, password: %s}\\n"';

  it("names the source and the keys that differ, and shows no value", async () => {
    const { status, stdout } = await cli(["lint", "--render", `${SECRET} "$(date +%N)-$$"`], {
      environment: { PATH: process.env["PATH"] ?? "" },
    });
    assert.equal(status, 0);
    assert.match(
      stdout,
      /^rendering:4:13: warning RS013: Secret n\/db differs between two renderings: 'password' changes$/mu,
    );
    assert.doesNotMatch(stdout, /\d-\d/u);
  });
  it("finds nothing of the kind in a rendering that is always the same", async () => {
    const { stdout } = await cli(["lint", "--render", `${SECRET} same`], {
      environment: { PATH: process.env["PATH"] ?? "" },
    });
    assert.deepEqual(rules(stdout), []);
  });
  it("runs each time in an empty environment, and leaves nothing behind", () =>
    inFolder({}, async (folder) => {
      const isEmpty = 'test -z "$KEPT" && test -z "$(ls -A "$HOME")" && test -z "$(ls -A "$TMPDIR")"';
      const script = `${isEmpty} && touch "$HOME/seen" && echo "$HOME" >> '${folder}/homes' && ${SECRET} same`;
      const { status, stderr } = await cli(["lint", "--render", script], {
        environment: { PATH: process.env["PATH"] ?? "", KEPT: "x" },
      });
      assert.equal(status, 0, stderr);
      const homes = readFileSync(join(folder, "homes"), "utf8").trim().split("\n");
      assert.equal(new Set(homes).size, 2);
      assert.deepEqual(
        homes.filter((home) => existsSync(home)),
        [],
      );
    }));
  it("begins the two in different seconds, so that a clock in a template shows", async () => {
    const { stdout } = await cli(["lint", "--render", `${SECRET} "at-$(date +%s)"`], {
      environment: { PATH: process.env["PATH"] ?? "" },
    });
    assert.match(stdout, /RS013/u);
  });
  it("refuses a command that fails, with its status and what it said", async () => {
    const { status, stdout, stderr } = await cli(["lint", "--render", "echo broken chart >&2; exit 3"], {
      environment: { PATH: process.env["PATH"] ?? "" },
    });
    assert.deepEqual([status, stdout], [2, ""]);
    assert.match(stderr, /the render command ended with status 3: .*\n {2}Its standard error:\nbroken chart\n/u);
  });
  it("refuses a command that prints nothing, or no manifest", async () => {
    const environment = { PATH: process.env["PATH"] ?? "" };
    assert.match((await cli(["lint", "--render", "true"], { environment })).stderr, /printed nothing/u);
    assert.match(
      (await cli(["lint", "--render", "echo hello"], { environment })).stderr,
      /this is not a Kubernetes object/u,
    );
  });
});
