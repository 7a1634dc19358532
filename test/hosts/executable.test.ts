// The single executable of a release: rollstamp and Node in one file.
import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { before, describe, test } from "node:test";
import { parse } from "yaml";
import { mapping } from "./manifests.ts";
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

  test("has what the command loads from beside it: the reader of kubeconfigs", () => {
    const { status, stderr } = alone(["status"]);
    assert.equal(status, 2);
    assert.match(stderr, /kubeconfig/);
  });
});
