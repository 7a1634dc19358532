import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { describe, it } from "node:test";
import fg from "fast-glob";
import { readFunctionConfig } from "../../src/stamping/function/config.ts";
import { applySplices } from "../../src/yaml/edit/splice.ts";
import { readManifests } from "../../src/yaml/read/items.ts";
import { NONE } from "../../src/yaml/read/tree.ts";
import { contextForLibrary } from "../../src/node/environment.ts";
import { runConfigured } from "../../src/stamping/function/run.ts";
import { FUNCTIONS } from "../../functions/functions.ts";
import { inRoot } from "../support/paths.ts";
import { readTree } from "../support/trees.ts";

/** The example's files, stamped as one scope. */
function stamped(change: (text: string) => string): Map<string, string> {
  const folder = inRoot("examples/shop");
  const inputs = fg
    .sync("*.yaml", { cwd: folder })
    .sort()
    .map((file) => readManifests(readTree(change(readFileSync(`${folder}/${file}`, "utf8")), file)));
  const { edits } = runConfigured(readFunctionConfig(FUNCTIONS, undefined, NONE), inputs, contextForLibrary(undefined));
  return new Map(inputs.map(({ tree }) => [tree.file, applySplices(tree.text, edits.get(tree) ?? [])]));
}

describe("README's picture of before and after", () => {
  it("shows every line that changes in the example, and no other", () => {
    const before = stamped((text) => text);
    const after = stamped((text) => text.replace("LOG_LEVEL: info", "LOG_LEVEL: debug"));
    const diff = /```diff\n([\s\S]*?)```/u.exec(readFileSync(inRoot("README.md"), "utf8"))?.[1] ?? "";
    const shown = diff.split("\n").filter((line) => /^[-+](?!--|\+\+)/u.test(line));
    const changed = [...before].flatMap(([file, text]) => {
      const now = (after.get(file) ?? "").split("\n");
      return text.split("\n").flatMap((line, i) => (line === now[i] ? [] : [`-${line}`, `+${now[i] ?? ""}`]));
    });
    // README shows the ConfigMap first, the cause before the consequence.
    assert.deepEqual([...shown].sort(), [...changed].sort());
    assert.equal(changed.length, 6);
  });
});
