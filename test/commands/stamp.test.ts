import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { chmodSync, chownSync, lstatSync, readFileSync, statSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, it } from "node:test";
import { cli } from "../support/cli.ts";
import { inFolder, writeFiles, type Files } from "../support/folders.ts";
import { configMap, deployment, STAMP_OF_A } from "../support/manifests.ts";
import { unstampedShop } from "../support/shop.ts";

const APP: Files = { "app/web.yaml": deployment("web", "settings"), "app/config.yaml": configMap("settings", "a") };

/** The text of a file below a folder. */
const text = (folder: string, path: string): string => readFileSync(join(folder, path), "utf8");

const git = (folder: string, ...args: string[]): string =>
  execFileSync("git", ["-c", "user.name=t", "-c", "user.email=t@example.com", "-C", folder, ...args], {
    encoding: "utf8",
  });

describe("rollstamp stamp", () => {
  it("changes only annotation lines of the example after one value changes", () =>
    inFolder(unstampedShop(), async (folder) => {
      git(folder, "init", "-q");
      git(folder, "add", ".");
      git(folder, "commit", "-qm", "shop");
      assert.equal((await cli(["stamp", "--check", folder])).status, 1);
      assert.deepEqual(await cli(["stamp", folder]), {
        status: 0,
        stdout: ["cleanup.yaml", "orders.yaml", "storefront.yaml"].map((name) => `${join(folder, name)}\n`).join(""),
        stderr: "",
      });
      assert.deepEqual(await cli(["stamp", "--check", folder]), { status: 0, stdout: "", stderr: "" });
      git(folder, "commit", "-qam", "stamped");

      writeFileSync(
        join(folder, "config.yaml"),
        text(folder, "config.yaml").replace("LOG_LEVEL: info", "LOG_LEVEL: debug"),
      );
      await cli(["stamp", folder]);
      const lines = git(folder, "diff", "-U0")
        .split("\n")
        .filter((line) => /^[-+][^-+]/u.test(line));
      assert.deepEqual(
        lines.map((line) => line.replace(/"h1-[0-9a-f]{40}"/u, "DIGEST").replace(/\s+/gu, " ")),
        [
          "- configmap.rollstamp.dev/shop: DIGEST",
          "+ configmap.rollstamp.dev/shop: DIGEST",
          "- LOG_LEVEL: info",
          "+ LOG_LEVEL: debug",
          "- configmap.rollstamp.dev/shop: DIGEST",
          "+ configmap.rollstamp.dev/shop: DIGEST",
        ],
        "orders uses other keys of the ConfigMap",
      );
    }));

  it("finds sources in other files; a second run changes nothing", () =>
    inFolder(APP, async (folder) => {
      await cli(["stamp", folder]);
      assert.ok(text(folder, "app/web.yaml").includes(STAMP_OF_A));
      const before = statSync(join(folder, "app/web.yaml"));
      assert.deepEqual(await cli(["stamp", folder]), { status: 0, stdout: "", stderr: "" });
      const after = statSync(join(folder, "app/web.yaml"));
      assert.deepEqual([after.ino, after.mtimeMs], [before.ino, before.mtimeMs]);
    }));

  it("lists the files that would change with --check, and writes nothing", () =>
    inFolder(APP, async (folder) => {
      const result = await cli(["stamp", "--check", folder]);
      assert.deepEqual(result, { status: 1, stdout: `${join(folder, "app/web.yaml")}\n`, stderr: "" });
      assert.equal(text(folder, "app/web.yaml"), APP["app/web.yaml"]);
    }));

  it("keeps mode, owner and links", () =>
    inFolder({ ...APP, "app/link.yaml": "-> web.yaml" }, async (folder) => {
      const file = join(folder, "app/web.yaml");
      chmodSync(file, 0o640);
      const isRoot = process.getuid?.() === 0;
      if (isRoot) chownSync(file, 65_534, 65_533);
      await cli(["stamp", folder]);
      const { mode, uid, gid } = statSync(file);
      assert.equal(mode & 0o7777, 0o640);
      if (isRoot) assert.deepEqual([uid, gid], [65_534, 65_533]);
      assert.ok(lstatSync(join(folder, "app/link.yaml")).isSymbolicLink());
      assert.ok(text(folder, "app/link.yaml").includes(STAMP_OF_A));
    }));

  it("writes the file behind a given link", () =>
    inFolder({ ...APP, "link.yaml": "-> app/web.yaml" }, async (folder) => {
      await cli(["stamp", join(folder, "link.yaml"), join(folder, "app/config.yaml")]);
      assert.ok(lstatSync(join(folder, "link.yaml")).isSymbolicLink());
      assert.ok(text(folder, "app/web.yaml").includes(STAMP_OF_A));
    }));
});

describe("rollstamp stamp --diff", () => {
  const odd: Files = {
    'a b/ü "x".yaml': deployment("one", "settings"),
    "crlf.yaml": deployment("two", "settings").replaceAll("\n", "\r\n"),
    "no-end.yaml": deployment("three", "settings").trimEnd(),
    "w.json": JSON.stringify(JSON.parse(deploymentJson("four")), undefined, 2),
    "config.yaml": configMap("settings", "a"),
  };
  it("prints a diff for git apply, from the root of the repository", () =>
    inFolder({}, async (root) => {
      const folder = join(root, "deploy");
      writeFiles(folder, odd);
      git(root, "init", "-q");
      const { status, stdout, stderr } = await cli(["stamp", "--diff", folder]);
      assert.deepEqual([status, stderr], [0, ""]);
      for (const [path, original] of Object.entries(odd)) assert.equal(text(folder, path), original);
      writeFileSync(join(root, "stamp.diff"), stdout);
      git(root, "apply", "stamp.diff");
      assert.deepEqual(await cli(["stamp", "--check", folder]), { status: 0, stdout: "", stderr: "" });
      assert.ok(text(folder, "crlf.yaml").includes(`${STAMP_OF_A}\r\n`));
    }));
  it("also fails with --check if there is a difference", () =>
    inFolder(APP, async (folder) => {
      const result = await cli(["stamp", "--diff", "--check", folder]);
      assert.equal(result.status, 1);
      assert.match(result.stdout, /^diff --git /u);
    }));
});

describe("rollstamp stamp --stdout", () => {
  it("prints one stream in path order and writes nothing", () =>
    inFolder(
      {
        "b.yaml": "\uFEFF# b\n---\n" + configMap("b", "1"),
        "a.yaml": configMap("a", "1").trimEnd(),
        "c.json": '{"apiVersion":"v1","kind":"Secret","metadata":{"name":"c"}}',
        "d.yaml": `%YAML 1.2\n---\n${configMap("d", "1")}`,
      },
      async (folder) => {
        const { status, stdout } = await cli(["stamp", "--stdout", folder]);
        assert.equal(status, 0);
        assert.equal(
          stdout,
          `${configMap("a", "1")}# b\n---\n${configMap("b", "1")}---\n{"apiVersion":"v1","kind":"Secret","metadata":{"name":"c"}}\n...\n%YAML 1.2\n---\n${configMap("d", "1")}`,
        );
        assert.equal((await cli([], { stdin: stdout })).status, 0, "it is a stream that the function takes");
      },
    ));
  it("can't be used with --check or --diff", async () => {
    for (const other of ["--check", "--diff"]) {
      const { status, stderr } = await cli(["stamp", "--stdout", other, "."]);
      assert.equal(status, 2);
      assert.match(stderr, new RegExp(`--stdout and ${other} can't be used together`, "u"));
    }
  });
});

describe("the configuration of stamp", () => {
  const combined = "apiVersion: rollstamp.dev/v1alpha1\nkind: ConfigHash\nspec: {layout: Combined}\n";
  const perSource = combined.replace("Combined", "PerSource");
  const isCombined = (folder: string): boolean => text(folder, "app/web.yaml").includes("rollstamp.dev/config-hash");
  const cases: readonly {
    name: string;
    files: Files;
    args?: string[];
    environment?: (folder: string) => Record<string, string>;
    combined: boolean;
  }[] = [
    {
      name: "is the nearest rollstamp.yaml from the path upwards",
      files: { "rollstamp.yaml": combined },
      combined: true,
    },
    {
      name: "is not that of a folder further up",
      files: { "rollstamp.yaml": combined, "app/rollstamp.yaml": perSource },
      combined: false,
    },
    {
      name: "is that of the repository, not of a folder above it",
      files: { "rollstamp.yaml": combined, "app/.git/HEAD": "" },
      combined: false,
    },
    {
      name: "is --config before all",
      files: { "rollstamp.yaml": perSource, "other.yaml": combined },
      args: ["--config", "other.yaml"],
      combined: true,
    },
    {
      name: "is the file that ROLLSTAMP_CONFIG names",
      files: { "rollstamp.yaml": perSource, "other.yaml": combined },
      environment: (folder) => ({ ROLLSTAMP_CONFIG: join(folder, "other.yaml") }),
      combined: true,
    },
    {
      name: "can be a ConfigMap",
      files: { "rollstamp.yaml": "apiVersion: v1\nkind: ConfigMap\ndata: {layout: Combined}\n" },
      combined: true,
    },
  ];
  for (const { name, files, args = [], environment, combined: expected } of cases) {
    it(name, () =>
      inFolder({ ...APP, ...files }, async (folder) => {
        const world = environment === undefined ? {} : { environment: environment(folder) };
        const given = args.map((arg) => (arg.startsWith("--") ? arg : join(folder, arg)));
        const { status, stderr } = await cli(["stamp", ...given, join(folder, "app")], world);
        assert.deepEqual([status, stderr], [0, ""]);
        assert.equal(isCombined(folder), expected);
      }),
    );
  }
  it("has one document of each kind", () =>
    inFolder({ ...APP, "rollstamp.yaml": `${combined}---\n${perSource}` }, async (folder) => {
      const { status, stderr } = await cli(["stamp", folder]);
      assert.equal(status, 2);
      assert.match(stderr, /rollstamp\.yaml:5:1: this file has a second ConfigHash/u);
    }));
  it("is the same for all paths", () =>
    inFolder({ ...APP, "one/rollstamp.yaml": combined, "one/a.yaml": configMap("x", "1") }, async (folder) => {
      const { status, stderr } = await cli(["stamp", join(folder, "app"), join(folder, "one")]);
      assert.equal(status, 2);
      assert.match(stderr, /the paths have different configurations: no rollstamp\.yaml and .*one\/rollstamp\.yaml/u);
    }));
  it("is not a source of a workload", () =>
    inFolder(
      {
        "web.yaml": deployment("web", "settings"),
        "rollstamp.yaml": "apiVersion: v1\nkind: ConfigMap\nmetadata: {name: settings}\ndata: {missing: Ignore}\n",
      },
      async (folder) => {
        assert.deepEqual(await cli(["stamp", folder]), { status: 0, stdout: "", stderr: "" });
      },
    ));
});

describe("what stamp refuses", () => {
  it("writes nothing if a named file is invalid, except with --keep-going; a found file stops nothing", () =>
    inFolder({ ...APP, "app/broken.yaml": `${configMap("broken", "x")}  y: [\n` }, async (folder) => {
      const broken = join(folder, "app/broken.yaml");
      const result = await cli(["stamp", folder, broken]);
      assert.equal(result.status, 2);
      assert.match(
        result.stderr,
        /broken\.yaml:\d+:\d+: this is not valid YAML.*\n.*\nrollstamp: nothing was written\n$/u,
      );
      assert.equal(text(folder, "app/web.yaml"), APP["app/web.yaml"]);
      const going = await cli(["stamp", "--keep-going", folder, broken]);
      assert.equal(going.status, 2, "the error is still reported");
      assert.ok(text(folder, "app/web.yaml").includes(STAMP_OF_A));
      writeFileSync(join(folder, "app/web.yaml"), APP["app/web.yaml"] ?? "");
      const found = await cli(["stamp", folder]);
      assert.deepEqual([found.status, found.stdout], [1, `${join(folder, "app/web.yaml")}\n`]);
      assert.match(found.stderr, /error: .*broken\.yaml:\d+:\d+: file not examined: this is not valid YAML/u);
    }));
  it("writes nothing if a finding is an error", () =>
    inFolder(
      {
        "web.yaml": deployment("web", "gone") + "---\n" + deployment("api", "here"),
        "config.yaml": configMap("here", "a"),
        "rollstamp.yaml": "apiVersion: rollstamp.dev/v1alpha1\nkind: ConfigHash\nspec: {missing: Error}\n",
      },
      async (folder) => {
        const { status, stdout, stderr } = await cli(["stamp", folder]);
        assert.deepEqual([status, stdout], [1, ""]);
        assert.match(stderr, /RS001[^]*nothing was written\n$/u);
        assert.ok(!text(folder, "web.yaml").includes("rollstamp"));
      },
    ));
  it("reports the same object in two files, unless --scope directory separates them", () =>
    inFolder(
      {
        "staging/web.yaml": deployment("web", "settings"),
        "staging/config.yaml": configMap("settings", "a"),
        "prod/web.yaml": deployment("web", "settings"),
        "prod/config.yaml": configMap("settings", "b"),
      },
      async (folder) => {
        const { status, stderr } = await cli(["stamp", folder]);
        assert.equal(status, 2);
        assert.match(
          stderr,
          /staging\/config\.yaml:1:1: ConfigMap settings is duplicated: the first is at .*prod\/config\.yaml:1\n.*--scope directory/u,
        );
        assert.equal((await cli(["stamp", "--scope", "directory", folder])).status, 0);
        assert.ok(text(folder, "staging/web.yaml").includes(STAMP_OF_A));
        assert.ok(!text(folder, "prod/web.yaml").includes(STAMP_OF_A));
      },
    ));
  it("skips inputs of kustomize with a warning", () =>
    inFolder({ ...APP, "app/kustomization.yaml": "resources: [web.yaml, config.yaml]\n" }, async (folder) => {
      const { status, stdout, stderr } = await cli(["stamp", folder]);
      assert.deepEqual([status, stdout], [2, ""], "nothing was examined");
      assert.match(
        stderr,
        /^rollstamp: warning: input for kustomize, skipped: .*app \(kustomize-input\)\n.*rollstamp init kustomize/u,
      );
      assert.match(stderr, /nothing was examined[^]*kustomize build .*app \| rollstamp stamp --check -/u);
      await cli(["stamp", "--kustomize-input", folder]);
      assert.ok(text(folder, "app/web.yaml").includes(STAMP_OF_A));
    }));
  it("reports releases as not examined, except those whose values it stamps", () => {
    const release = (name: string, annotations: string): string =>
      `apiVersion: helm.toolkit.fluxcd.io/v2\nkind: HelmRelease\nmetadata: {name: ${name}, namespace: shop, annotations: {${annotations}}}\nspec:\n  chart: {spec: {chart: grafana}}\n  values:\n    envFromConfigMaps: [{name: settings}]\n`;
    const files = {
      "releases.yaml": `${release("own", 'rollstamp.dev/stamp: "true"')}---\n${release("other", "")}`,
      "config.yaml": "apiVersion: v1\nkind: ConfigMap\nmetadata: {name: settings, namespace: shop}\ndata: {a: b}\n",
    };
    return inFolder(files, async (folder) => {
      const { stderr, stdout, status } = await cli(["stamp", folder]);
      assert.deepEqual([stdout, status], [`${join(folder, "releases.yaml")}\n`, 0], stderr);
      assert.match(stderr, /^rollstamp: not examined: 1 HelmRelease \(shop\/other in [^)]*\): /u);
      assert.doesNotMatch(stderr, /shop\/own/u);
    });
  });
  it("fails if there is nothing to stamp", () =>
    inFolder({ "README.md": "", "values.yaml": "a: 1\n" }, async (folder) => {
      const { status, stderr } = await cli(["stamp", folder]);
      assert.equal(status, 2);
      assert.match(stderr, /there are no Kubernetes manifests in/u);
    }));
  it("suggests the nearest option", async () => {
    const { status, stderr } = await cli(["stamp", "--stdot", "x"]);
    assert.equal(status, 2);
    assert.match(stderr, /Did you mean --stdout\?/u);
  });
});

function deploymentJson(name: string): string {
  return JSON.stringify({
    apiVersion: "apps/v1",
    kind: "Deployment",
    metadata: { name },
    spec: {
      template: {
        spec: { containers: [{ name: "app", image: "app:1", envFrom: [{ configMapRef: { name: "settings" } }] }] },
      },
    },
  });
}
