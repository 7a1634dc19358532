import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { describe, it } from "node:test";
import fg from "fast-glob";
import { installRenderers } from "../../src/setup/init/ci.ts";
import { inRoot, ROOT } from "../support/paths.ts";

const { version } = JSON.parse(readFileSync(inRoot("package.json"), "utf8")) as { readonly version: string };

/** What is installed to render, and the script that installs it for the tests. */
const TESTED = [
  ["KUSTOMIZE", "kustomize.sh"],
  ["HELM", "helm3.sh"],
] as const;

const dockerfile = readFileSync(inRoot("Dockerfile"), "utf8");

/** The default of a build argument. */
function argument(name: string): string {
  return (
    new RegExp(`^ARG ${name}=(?<value>.*)$`, "mu").exec(dockerfile)?.groups?.["value"] ??
    assert.fail(`the Dockerfile has no ${name}`)
  );
}

describe("the version of the package", () => {
  it("is the version in documentation, examples and components", () => {
    const files = fg.sync(["README.md", "docs/**/*.md", "functions/**/*.{md,yaml}", "functions/**/Kptfile"], {
      cwd: ROOT,
    });
    let named = 0;
    for (const file of files) {
      const text = readFileSync(inRoot(file), "utf8");
      for (const { groups } of text.matchAll(
        /rollstamp(?:-argocd-cmp)?:v(?<tag>[\w.-]+?)(?=[\s`"]|$)|rollstamp\/rollstamp[^\s`]*(?:\?ref=|\/blob\/|refs\/tags\/)v(?<ref>\d[\w.]*)/gmu,
      )) {
        named += 1;
        assert.equal(groups?.["tag"] ?? groups?.["ref"], version, file);
      }
    }
    assert.ok(named > 10, `only ${named} found`);
  });

  it("is the label of the image", () => assert.equal(argument("VERSION"), version));

  it("is the version of Helm's plugin", () => {
    const plugin = readFileSync(inRoot("functions", "helm-postrenderer", "plugin.yaml"), "utf8");
    assert.match(plugin, new RegExp(`^version: ${version.replaceAll(".", String.raw`\.`)}$`, "mu"));
  });
});

describe("the images", () => {
  it("have bases pinned by digest", () => {
    for (const name of ["BASE", "TOOLS"])
      assert.match(argument(name), /^docker\.io\/library\/[\w-]+:[\w.-]+@sha256:[0-9a-f]{64}$/u);
    const froms = [...dockerfile.matchAll(/^FROM (?:--\S+ )?(?<image>\S+)/gmu)].map(({ groups }) => groups?.["image"]);
    // Every base is an argument, or a stage from above.
    assert.deepEqual(froms, ["${BASE}", "${BASE}", "${TOOLS}", "function"]);
  });

  it("have the tested kustomize and Helm", () => {
    for (const [name, script] of TESTED) {
      assert.ok(
        readFileSync(inRoot("scripts", "hosts", script), "utf8").includes(` ${argument(name)} `),
        `${script} has not ${argument(name)}`,
      );
    }
  });

  it("have the versions that jobs of init install", () => {
    const lines = installRenderers({ kustomize: true, helm: true });
    assert.equal(lines.length, TESTED.length);
    for (const [i, [name]] of TESTED.entries())
      assert.match(lines[i] ?? "", new RegExp(`[_-]${argument(name).replaceAll(".", String.raw`\.`)}[_-]linux`, "u"));
  });

  it("do not run as root", () => {
    const users = [...dockerfile.matchAll(/^USER (?<user>\S+)$/gmu)].map(({ groups }) => groups?.["user"]);
    assert.deepEqual(users, ["65534:65534", "999:999"]);
  });

  it("contain only what .dockerignore allows", () => {
    const [first, ...others] = readFileSync(inRoot(".dockerignore"), "utf8")
      .split("\n")
      .filter((line) => line !== "" && !line.startsWith("#"));
    assert.equal(first, "*");
    for (const line of others) assert.match(line, /^!/u);
  });
});
