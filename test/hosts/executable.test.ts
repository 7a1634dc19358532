// The single executable of a release: rollstamp and Node in one file.
import assert from "node:assert/strict";
import { copyFileSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { before, describe, test } from "node:test";
import { parse } from "yaml";
import { elsewhere, HELMS, POST_RENDERER, prepare, template, tryTemplate, type Helm } from "./helm.ts";
import { allStamps, mapping, objectsOf } from "./manifests.ts";
import { command, installed, root, run, succeed, unlessFound, type Program, type Run } from "./programs.ts";
import { temporaryFolder } from "./trees.ts";

const node26 = installed("node26.sh");
const node: Program = { found: true, path: process.execPath };

describe("the single executable", { skip: unlessFound(node26) }, () => {
  let executable: Program = { found: false, reason: "not built yet" };
  before(() => {
    const path = join(temporaryFolder(), "rollstamp");
    succeed(node26, [join(root, "scripts", "executable.mjs"), path], { cwd: root, env: process.env });
    executable = { found: true, path };
  });

  /** Runs it with nothing around it: no Node, no environment, another folder. */
  function alone(args: readonly string[], input = ""): Run {
    return run(executable, args, { cwd: temporaryFolder(), env: {}, input });
  }

  test("tells the package's version", () => {
    const { version } = mapping(parse(readFileSync(join(root, "package.json"), "utf8")));
    assert.deepEqual(alone(["--version"]), { status: 0, stdout: `${String(version)}\n`, stderr: "" });
  });

  test("stamps as the command does", () => {
    const input = ["config", "orders", "secret", "storefront"]
      .map((name) => readFileSync(join(root, "examples", "shop", `${name}.yaml`), "utf8"))
      .join("---\n");
    const expected = run(node, [command], { cwd: root, env: {}, input });
    assert.match(expected.stdout, /h1-/);
    assert.deepEqual(alone([], input), expected);
  });

  const helm = HELMS.find(({ version }) => version === 4);
  if (helm === undefined) throw new Error("Helm 4 is none of the hosts");
  test("as Helm 4's plugin it needs no Node", { skip: unlessFound(helm.program) }, () => {
    assert.ok(executable.found);
    const bare = withoutPath(elsewhere(helm));
    const folder = temporaryFolder();
    const tarball = packed(folder, executable.path);
    prepare(bare, tarball);
    const stamped = template(bare, "shop", POST_RENDERER);
    assert.equal(Object.keys(allStamps(objectsOf(stamped))).length, 3);
    assert.match(tryTemplate(bare, "missing", POST_RENDERER).stderr, /rollstamp: warning: .*shop-settings/);
  });

  test("has what the command loads from beside it: the reader of kubeconfigs", () => {
    const { status, stderr } = alone(["status"]);
    assert.equal(status, 2);
    assert.match(stderr, /kubeconfig/);
  });
});

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
