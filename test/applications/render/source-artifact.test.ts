import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { DEFAULT_LIMITS } from "../../../src/base/limits.ts";
import type { GitOpsObject } from "../../../src/applications/discover/objects.ts";
import { ignoredBy } from "../../../src/applications/discover/source-ignore.ts";
import { leftOut } from "../../../src/applications/render/source-artifact.ts";
import { treeOf } from "../discover/tree-of.ts";

const source = (ignore: string | undefined): GitOpsObject => ({
  file: "source.yaml",
  line: 1,
  group: "source.toolkit.fluxcd.io",
  kind: "GitRepository",
  name: "flux-system",
  namespace: "flux-system",
  spec: ignore === undefined ? {} : { ignore },
});

const PATHS = ["a/b.yaml", "a/c/d.yaml", "e/b.yaml", "e/x.png", ".gitignore", ".github/w.yml"];

/** The PATHS that are in the artifact. */
function there(files: Readonly<Record<string, string>>, ignore?: string): readonly string[] {
  const isLeftOut = leftOut(ignoredBy(source(ignore), treeOf(files)), DEFAULT_LIMITS);
  return PATHS.filter((path) => !isLeftOut(path, false));
}

// test/hosts/flux-builds.test.ts compares all of this with the code of Flux.
describe("the artifact of a source", () => {
  it("has everything except what Flux excludes by default", () => {
    assert.deepEqual(there({}), ["a/b.yaml", "a/c/d.yaml", "e/b.yaml"]);
  });

  it("has pictures if ignore rules are given", () => {
    assert.deepEqual(there({}, "none\n"), ["a/b.yaml", "a/c/d.yaml", "e/b.yaml", "e/x.png", ".github/w.yml"]);
    assert.deepEqual(there({}, "# none\n\n"), ["a/b.yaml", "a/c/d.yaml", "e/b.yaml"]);
  });

  it("has files that a later line includes again, also below an excluded folder", () => {
    assert.deepEqual(there({}, "/*\n!/a/c\n"), ["a/c/d.yaml"]);
    assert.deepEqual(there({ ".sourceignore": "/*\n", "e/.sourceignore": "!b.yaml\r\n" }), ["e/b.yaml"]);
    assert.deepEqual(there({ ".sourceignore": "!b.yaml\n", "a/.sourceignore": "*\n" }, "!/a/c/**"), [
      "a/c/d.yaml",
      "e/b.yaml",
      "e/x.png",
      ".github/w.yml",
    ]);
  });

  it("excludes a folder, but not a file of the same name, by a rule for folders", () => {
    assert.deepEqual(there({}, "*.yaml/\nc/\n**/e/\n"), ["a/b.yaml", ".github/w.yml"]);
  });

  it("is found within the limit of comparisons, whatever the patterns are", () => {
    const classes = `[${"ac".repeat(1500)}]`;
    const lines = Array.from({ length: 100 }, (_, i) => `a/**/*${classes}*${classes}${i}*.yaml\n*##${classes}*${i}`);
    const ignored = ignoredBy(source(lines.join("\n")), treeOf({}));
    const paths = Array.from({ length: 100 }, (_, i) => `a/b/${"a".repeat(50)}${i}`);
    const isLeftOut = leftOut(ignored, { ...DEFAULT_LIMITS, comparisons: 1_000_000 });
    assert.throws(
      () => paths.map((path) => isLeftOut(path, false)),
      /comparing paths with the patterns of \.sourceignore and 'ignore' takes more than 1000000 steps/u,
    );
    // Each path is compared once.
    const few = leftOut(ignoredBy(source("*.yaml"), treeOf({})), { ...DEFAULT_LIMITS, comparisons: 100 });
    for (let i = 0; i < 1000; i += 1) assert.equal(few("a.yaml", false), true);
  });
});
