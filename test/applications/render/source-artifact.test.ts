import assert from "node:assert/strict";
import { describe, it } from "node:test";
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

/** What is there of PATHS. */
function there(files: Readonly<Record<string, string>>, ignore?: string): readonly string[] {
  const isLeftOut = leftOut(ignoredBy(source(ignore), treeOf(files)));
  return PATHS.filter((path) => !isLeftOut(path, false));
}

// All of it is held against Flux's own code in test/hosts/flux-builds.test.ts.
describe("what a source's artifact has", () => {
  it("is all but what Flux leaves out by itself", () => {
    assert.deepEqual(there({}), ["a/b.yaml", "a/c/d.yaml", "e/b.yaml"]);
  });

  it("is with pictures where anything is said", () => {
    assert.deepEqual(there({}, "none\n"), ["a/b.yaml", "a/c/d.yaml", "e/b.yaml", "e/x.png", ".github/w.yml"]);
    assert.deepEqual(there({}, "# none\n\n"), ["a/b.yaml", "a/c/d.yaml", "e/b.yaml"]);
  });

  it("is what a later line takes back, below a folder that is left out too", () => {
    assert.deepEqual(there({}, "/*\n!/a/c\n"), ["a/c/d.yaml"]);
    assert.deepEqual(there({ ".sourceignore": "/*\n", "e/.sourceignore": "!b.yaml\r\n" }), ["e/b.yaml"]);
    assert.deepEqual(there({ ".sourceignore": "!b.yaml\n", "a/.sourceignore": "*\n" }, "!/a/c/**"), [
      "a/c/d.yaml",
      "e/b.yaml",
      "e/x.png",
      ".github/w.yml",
    ]);
  });

  it("is of the file that names a folder, not of a file of that name", () => {
    assert.deepEqual(there({}, "*.yaml/\nc/\n**/e/\n"), ["a/b.yaml", ".github/w.yml"]);
  });
});
