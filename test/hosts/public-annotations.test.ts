// migrate over public repositories: every line with an annotation of Reloader or Wave is reported or edited.
// ROLLSTAMP_REPOSITORIES=FOLDER contains clones named owner+name.
import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { existsSync } from "node:fs";
import { join } from "node:path";
import { describe, it } from "node:test";
import { command } from "./programs.ts";

const FOLDER = process.env["ROLLSTAMP_REPOSITORIES"] ?? "";
const CLONES = ["onedr0p+home-ops", "bjw-s+home-ops", "billimek+k8s-gitops"];

describe("annotations of other tools in public repositories", () => {
  for (const name of CLONES) {
    const cwd = join(FOLDER, name);
    const isThere = FOLDER !== "" && existsSync(cwd);
    it(name, { skip: isThere ? false : `${name} is not in ROLLSTAMP_REPOSITORIES` }, () => {
      const grep = String.raw`grep -rnE "(reloader\.stakater\.com|wave\.pusher\.com)/" --include=*.yaml --include=*.yml . | grep -vE ":[0-9]+:\s*#"`;
      const lines = (text: string, pattern: RegExp): string[] =>
        [...new Set([...text.matchAll(pattern)].map(([, at = ""]) => at))].toSorted();
      const expected = lines(spawnSync("sh", ["-c", grep], { cwd, encoding: "utf8" }).stdout, /^\.\/([^:]+:\d+):/gmu);
      const { status, stdout, stderr } = spawnSync(process.execPath, [command, "migrate", "."], {
        cwd,
        encoding: "utf8",
      });
      assert.equal(status, 0, stderr);
      assert.ok(expected.length > 0);
      assert.deepEqual(lines(stdout, /^[A-Z]\S* .*?(\S+\.ya?ml:\d+)/gmu), expected);
    });
  }
});
