import assert from "node:assert/strict";
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, it } from "node:test";
import { parseAllDocuments } from "yaml";
import { cli } from "../support/cli.ts";
import { inFolder, type Files } from "../support/folders.ts";
import { commitAll, initialize } from "../support/git-folder.ts";
import { configMap, deployment } from "../support/manifests.ts";

// Copies in Git: contract, section 10.

const config = (more = ""): string =>
  `apiVersion: rollstamp.dev/v1alpha1\nkind: ConfigHash\nmetadata: { name: stamp }\nspec:\n  layout: Versioned\n${more}`;

const keyOf = (name: string, key: string): string =>
  deployment(name, "env").replace(
    /envFrom:[^]*/u,
    `env:\n            - name: X\n              valueFrom: { configMapKeyRef: { name: env, key: ${key} } }\n`,
  );

interface Doc {
  readonly metadata: { readonly name: string; readonly annotations?: object };
  readonly data?: Record<string, string>;
}

/** The content of each copy in the file of the source, in the order of the file. */
function copiesIn(folder: string): string[] {
  return parseAllDocuments(readFileSync(join(folder, "config.yaml"), "utf8"))
    .map((document) => document.toJSON() as Doc)
    .filter(({ metadata }) => metadata.name.startsWith("env-"))
    .map(({ data = {} }) =>
      Object.entries(data)
        .map(([key, value]) => `${key}=${value}`)
        .join(","),
    );
}

/** Gives the source new content, as a person would, and stamps. */
async function changeTo(folder: string, data: Record<string, string>): Promise<string[]> {
  const path = join(folder, "config.yaml");
  const lines = Object.entries(data).map(([key, value]) => `  ${key}: "${value}"\n`);
  const [, ...copies] = readFileSync(path, "utf8").split(/^---\n/mu);
  const source = `apiVersion: v1\nkind: ConfigMap\nmetadata:\n  name: env\ndata:\n${lines.join("")}`;
  writeFileSync(path, [source, ...copies].join("---\n"));
  assert.equal((await cli(["stamp", folder])).status, 0);
  assert.deepEqual(await cli(["stamp", "--check", folder]), { status: 0, stdout: "", stderr: "" });
  return copiesIn(folder);
}

const files = (more: string, workloads: Files = { "web.yaml": deployment("web", "env") }): Files => ({
  "rollstamp.yaml": config(more),
  "config.yaml": configMap("env", "0"),
  ...workloads,
});

describe("stamp with layout Versioned", () => {
  it("keeps the last copies of a source, newest first", () =>
    inFolder(files("  keep: 2\n"), async (folder) => {
      assert.deepEqual(await changeTo(folder, { A: "1" }), ["A=1"]);
      assert.deepEqual(await changeTo(folder, { A: "2" }), ["A=2", "A=1"]);
      assert.deepEqual(await changeTo(folder, { A: "3" }), ["A=3", "A=2"]);
    }));

  it("names the old copy after a revert, and makes it the newest", () =>
    inFolder(files("  keep: 3\n"), async (folder) => {
      await changeTo(folder, { A: "1" });
      await changeTo(folder, { A: "2" });
      await changeTo(folder, { A: "3" });
      assert.deepEqual(await changeTo(folder, { A: "1" }), ["A=1", "A=3", "A=2"]);
      assert.deepEqual(await changeTo(folder, { A: "4" }), ["A=4", "A=1", "A=3"]);
    }));

  it("keeps one copy with keep: 1, and three by default", () =>
    inFolder(files("  keep: 1\n"), async (folder) => {
      await changeTo(folder, { A: "1" });
      assert.deepEqual(await changeTo(folder, { A: "2" }), ["A=2"]);
      writeFileSync(join(folder, "rollstamp.yaml"), config());
      for (const value of ["3", "4", "5", "6"]) await changeTo(folder, { A: value });
      assert.deepEqual(copiesIn(folder), ["A=6", "A=5", "A=4"]);
    }));

  it("keeps copies for each set of keys that templates see", () =>
    inFolder(files("  keep: 2\n", { "a.yaml": keyOf("a", "A"), "b.yaml": keyOf("b", "B") }), async (folder) => {
      assert.deepEqual((await changeTo(folder, { A: "1", B: "1" })).sort(), ["A=1", "B=1"]);
      assert.deepEqual((await changeTo(folder, { A: "2", B: "1" })).sort(), ["A=1", "A=2", "B=1"]);
      assert.deepEqual((await changeTo(folder, { A: "3", B: "2" })).sort(), ["A=2", "A=3", "B=1", "B=2"]);
    }));

  it("counts copies with other keys to the set that is most like theirs", () =>
    inFolder(files("  keep: 2\n"), async (folder) => {
      await changeTo(folder, { A: "1" });
      assert.deepEqual(await changeTo(folder, { A: "1", B: "1" }), ["A=1,B=1", "A=1"]);
      assert.deepEqual(await changeTo(folder, { A: "1", B: "2" }), ["A=1,B=2", "A=1,B=1"]);
    }));

  it("keeps a copy that a workload still names, beyond keep", () =>
    inFolder(
      files("  keep: 1\n  selector: app=web\n", {
        "web.yaml": deployment("web", "env").replace("name: web\n", "name: web\n  labels: { app: web }\n"),
      }),
      async (folder) => {
        const [first] = await changeTo(folder, { A: "1" });
        const path = join(folder, "web.yaml");
        const stamped = readFileSync(path, "utf8");
        writeFileSync(
          join(folder, "old.yaml"),
          stamped.replaceAll("app: web", "app: old").replace("name: web", "name: old"),
        );
        assert.deepEqual(await changeTo(folder, { A: "2" }), ["A=2", first]);
      },
    ));

  it("removes the copies with their source, and after a change of the layout", () =>
    inFolder(files(""), async (folder) => {
      await changeTo(folder, { A: "1" });
      await changeTo(folder, { A: "2" });
      writeFileSync(join(folder, "rollstamp.yaml"), config().replace("Versioned", "PerSource"));
      await cli(["stamp", folder]);
      assert.deepEqual(copiesIn(folder), []);
      assert.match(readFileSync(join(folder, "web.yaml"), "utf8"), /name: env\n/u);
    }));

  it("removes the last copy of a file whose source has moved", () =>
    inFolder(files("  keep: 1\n"), async (folder) => {
      await changeTo(folder, { A: "1" });
      const [source = "", copy = ""] = readFileSync(join(folder, "config.yaml"), "utf8").split("---\n");
      writeFileSync(join(folder, "config.yaml"), copy);
      writeFileSync(join(folder, "moved.yaml"), source.replace('"1"', '"2"'));
      assert.equal((await cli(["stamp", folder])).status, 0);
      assert.equal(readFileSync(join(folder, "config.yaml"), "utf8"), "");
      assert.equal((await cli(["stamp", "--check", folder])).status, 0);
    }));

  describe("with what is committed", () => {
    const inRepository = (test: (folder: string, commit: () => void) => Promise<void>): Promise<void> =>
      inFolder(files("  keep: 2\n"), async (folder) => {
        initialize(folder);
        await changeTo(folder, { A: "1" });
        const commit = (): void => assert.ok(commitAll(folder, "c"));
        commit();
        await changeTo(folder, { A: "2" });
        commit();
        await test(folder, commit);
      });

    it("tries before the commit push no copy out", () =>
      inRepository(async (folder) => {
        assert.deepEqual(await changeTo(folder, { A: "3" }), ["A=3", "A=2"]);
        assert.deepEqual(await changeTo(folder, { A: "4" }), ["A=4", "A=2"]);
        assert.deepEqual(await changeTo(folder, { A: "2" }), ["A=2", "A=1"]);
        assert.deepEqual(await changeTo(folder, { A: "5" }), ["A=5", "A=2"]);
      }));

    it("committed copies that were deleted by hand are written again", () =>
      inRepository(async (folder) => {
        const path = join(folder, "config.yaml");
        writeFileSync(path, readFileSync(path, "utf8").split("---\n").slice(0, 1).join(""));
        assert.deepEqual(await changeTo(folder, { A: "2" }), ["A=2", "A=1"]);
      }));

    it("each commit removes the oldest", () =>
      inRepository(async (folder, commit) => {
        await changeTo(folder, { A: "3" });
        commit();
        assert.deepEqual(copiesIn(folder), ["A=3", "A=2"]);
        assert.deepEqual(await changeTo(folder, { A: "2" }), ["A=2", "A=3"]);
      }));
  });

  it("keeps a copy that a workload of another scope names", () =>
    inFolder(
      {
        "rollstamp.yaml": config("  keep: 1\n"),
        "a/config.yaml": configMap("env", "0"),
        "a/web.yaml": deployment("web", "env"),
        "b/other.yaml": deployment("other", "env"),
      },
      async (folder) => {
        await cli(["stamp", folder]);
        const path = join(folder, "a/config.yaml");
        writeFileSync(path, readFileSync(path, "utf8").replace('value: "0"', 'value: "1"'));
        assert.equal((await cli(["stamp", "--scope", "directory", folder])).status, 0);
        const named = /name: (env-\S+)/u.exec(readFileSync(join(folder, "b/other.yaml"), "utf8"))?.[1] ?? "none";
        assert.ok(readFileSync(path, "utf8").includes(`name: ${named}\n`));
      },
    ));

  it("removes copies of Secrets when they are not versioned any more", () =>
    inFolder(
      {
        "rollstamp.yaml": config("  versionedSecrets: true\n"),
        "web.yaml": `${configMap("env", "0")
          .replace("ConfigMap", "Secret")
          .replace(/^data:/mu, "stringData:")}---\n${deployment("web", "env").replace("configMapRef", "secretRef")}`,
      },
      async (folder) => {
        const path = join(folder, "web.yaml");
        const before = readFileSync(path, "utf8");
        await cli(["stamp", folder]);
        assert.match(readFileSync(path, "utf8"), /version-of/u);
        writeFileSync(join(folder, "rollstamp.yaml"), config());
        await cli(["stamp", folder]);
        assert.equal(readFileSync(path, "utf8").replace(/ {6}annotations:\n.*\n/u, ""), before);
      },
    ));

  it("writes no protecting annotations in Git, unless protect is set", () =>
    inFolder(files(""), async (folder) => {
      await changeTo(folder, { A: "1" });
      assert.doesNotMatch(readFileSync(join(folder, "config.yaml"), "utf8"), /annotations/u);
      writeFileSync(join(folder, "rollstamp.yaml"), config("  protect: true\n"));
      await changeTo(folder, { A: "2" });
      const isIn = readFileSync(join(folder, "config.yaml"), "utf8").match(/sync-options: "Prune=false"/gu);
      assert.equal(isIn?.length, 2, "the older copy has them, too");
      writeFileSync(join(folder, "rollstamp.yaml"), config());
      await cli(["stamp", folder]);
      assert.doesNotMatch(readFileSync(join(folder, "config.yaml"), "utf8"), /annotations/u);
    }));

  it("fails for a copy whose content was edited", () =>
    inFolder(files(""), async (folder) => {
      await changeTo(folder, { A: "1" });
      const path = join(folder, "config.yaml");
      writeFileSync(path, readFileSync(path, "utf8").replace(/"1"\n$/u, '"x"\n'));
      const { status, stderr } = await cli(["stamp", "--check", folder]);
      assert.deepEqual([status, /\(wrong-copy\)/u.test(stderr)], [1, true]);
    }));

  describe("refuses sources that a kustomization of the run changes", () => {
    const OVERLAYS: Readonly<Record<string, string>> = {
      "a patch in the file":
        "patches:\n  - patch: |\n      apiVersion: v1\n      kind: ConfigMap\n      metadata: { name: env }\n",
      "a patch of a target": "patches:\n  - target: { kind: ConfigMap, name: e.* }\n    path: patch.yaml\n",
      "a patch in a file": "patches:\n  - path: patch.yaml\n",
      "an old field": "patchesStrategicMerge: [patch.yaml]\n",
      "a merging generator": "configMapGenerator:\n  - { name: env, behavior: merge, literals: [A=2] }\n",
      "a replacement":
        "replacements:\n  - source: { kind: Service, name: x }\n    targets: [{ select: { kind: ConfigMap, name: env }, fieldPaths: [data.A] }]\n",
    };
    const HEAD = "apiVersion: kustomize.config.k8s.io/v1beta1\nkind: Kustomization\n";
    const base = (more = ""): Files => ({
      "rollstamp.yaml": config(),
      "base/kustomization.yaml": `${HEAD}resources: [config.yaml, web.yaml]\n`,
      "base/config.yaml": configMap("env", "0"),
      "base/web.yaml": deployment("web", "env"),
      "other/kustomization.yaml": `${HEAD}resources: [config.yaml]\n`,
      "other/config.yaml": configMap("other", "0"),
      "prod/kustomization.yaml": `${HEAD}resources: [../base]\n${more}`,
      "prod/patch.yaml": configMap("env", "1"),
    });
    const stamped = async (folder: string): Promise<unknown> => {
      const { status, stderr } = await cli(["stamp", "--kustomize-input", "--scope", "directory", folder]);
      return [
        status,
        /\(not-versioned\)/u.test(stderr),
        /env-/u.test(readFileSync(join(folder, "base/web.yaml"), "utf8")),
      ];
    };
    for (const [name, more] of Object.entries(OVERLAYS))
      it(name, () => inFolder(base(more), async (folder) => assert.deepEqual(await stamped(folder), [1, true, false])));
    it("not if it changes another source, or creates one", () =>
      inFolder(
        base(
          "configMapGenerator:\n  - { name: env, literals: [A=2] }\npatches:\n  - { target: { kind: Deployment }, path: patch.yaml }\n",
        ),
        async (folder) => assert.deepEqual(await stamped(folder), [0, false, true]),
      ));
    it("not if the overlay builds another base", () =>
      inFolder(
        { ...base(), "prod/kustomization.yaml": `${HEAD}resources: [../other]\npatches: [{ path: patch.yaml }]\n` },
        async (folder) => assert.deepEqual(await stamped(folder), [0, false, true]),
      ));
  });

  it("removes a copy whose source is gone, unless something names it", () =>
    inFolder(files(""), async (folder) => {
      await changeTo(folder, { A: "1" });
      const path = join(folder, "config.yaml");
      writeFileSync(path, readFileSync(path, "utf8").split("---\n").slice(1).join(""));
      assert.equal((await cli(["stamp", folder])).status, 0);
      assert.deepEqual(copiesIn(folder), ["A=1"]);
      writeFileSync(join(folder, "web.yaml"), deployment("web", "other"));
      assert.equal((await cli(["stamp", folder])).status, 0);
      assert.equal(readFileSync(path, "utf8"), "");
    }));

  it("changes nothing of copies if the run has no pod template", () =>
    inFolder(files("  keep: 1\n"), async (folder) => {
      await changeTo(folder, { A: "1" });
      const path = join(folder, "config.yaml");
      for (const layout of ["PerSource", "Versioned"]) {
        writeFileSync(join(folder, "rollstamp.yaml"), config().replace("Versioned", layout));
        assert.equal((await cli(["stamp", path])).stdout, "");
      }
    }));

  it("reports rollout windows, which have no effect", () =>
    inFolder(files(""), async (folder) => {
      const path = join(folder, "web.yaml");
      const window = '  annotations:\n    rollstamp.dev/rollout-window: "0 3 1 1 *; 1h"\n';
      writeFileSync(path, deployment("web", "env").replace("name: web\n", `name: web\n${window}`));
      const { status, stderr } = await cli(["stamp", folder]);
      assert.deepEqual([status, /\(waiting\)/u.test(stderr)], [0, true]);
    }));

  it("gives a copy that is in use the wave of its source, and keeps comments behind a removed one", () =>
    inFolder(files("  keep: 1\n"), async (folder) => {
      await changeTo(folder, { A: "1" });
      const path = join(folder, "config.yaml");
      const wave = '  annotations:\n    argocd.argoproj.io/sync-wave: "2"\n';
      writeFileSync(path, `${readFileSync(path, "utf8").replace("name: env\n", `name: env\n${wave}`)}# mine\n`);
      await cli(["stamp", folder]);
      assert.equal(readFileSync(path, "utf8").match(/sync-wave: "2"/gu)?.length, 2);
      writeFileSync(path, readFileSync(path, "utf8").replace('A: "1"', 'A: "2"'));
      await cli(["stamp", folder]);
      assert.match(readFileSync(path, "utf8"), /# mine\n/u);
    }));

  it("lint reports a copy whose content was edited", () =>
    inFolder(files(""), async (folder) => {
      await changeTo(folder, { A: "1" });
      const path = join(folder, "config.yaml");
      writeFileSync(path, readFileSync(path, "utf8").replace(/"1"\n$/u, '"x"\n'));
      const { status, stdout } = await cli(["lint", folder]);
      assert.deepEqual([status, /config\.yaml:\d+:1: error/u.test(stdout)], [1, true]);
    }));

  it("refuses waves", () =>
    inFolder(files(""), async (folder) => {
      assert.equal((await cli(["stamp", "--max-workloads", "1", folder])).status, 2);
    }));
});
