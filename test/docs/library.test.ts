import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { mkdirSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { it } from "node:test";
import { fencesOf } from "../support/fences.ts";
import { inFolder } from "../support/folders.ts";
import { ROOT } from "../support/paths.ts";

it("docs/reference/stability.md: the example prints what the page shows", () =>
  inFolder({}, (folder) => {
    const [example, printed] = fencesOf("docs/reference/stability.md");
    mkdirSync(join(folder, "node_modules"));
    symlinkSync(ROOT, join(folder, "node_modules", "rollstamp"));
    writeFileSync(join(folder, "example.mjs"), example?.text ?? "");
    const { stdout, stderr } = spawnSync(process.execPath, ["example.mjs"], { cwd: folder, encoding: "utf8" });
    assert.equal(stderr, "");
    assert.equal(stdout, printed?.text);
  }));
