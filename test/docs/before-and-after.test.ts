import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, it } from "node:test";
import { cli } from "../support/cli.ts";
import { filesIn, type Files, inFolder } from "../support/folders.ts";
import { inRoot } from "../support/paths.ts";

// The manifests of examples/before-and-after are what rollstamp writes. That a cluster does what the stories say is tested in
// test/e2e/before-and-after.test.ts.

const EXAMPLE = inRoot("examples", "before-and-after");

const manifestsOf = (story: string, when: "before" | "after"): Files =>
  Object.fromEntries(Object.entries(filesIn(join(EXAMPLE, story, when))).filter(([name]) => name.endsWith(".yaml")));

/** The files after commands in their folder. */
async function changed(files: Files, commands: readonly (readonly string[])[], now = ""): Promise<Files> {
  let after: Files = {};
  await inFolder(files, async (folder) => {
    for (const command of commands) {
      const { status, stderr } = await cli([...command, folder], { environment: { ROLLSTAMP_NOW: now } });
      assert.equal(status, 0, stderr);
    }
    after = filesIn(folder);
  });
  return after;
}

describe("examples/before-and-after", () => {
  for (const [story, ...commands] of [
    ["patch-all", ["stamp"]],
    ["forced-update", ["stamp"]],
    ["reloader", ["migrate", "--write"], ["stamp"]],
  ] as const) {
    it(`${story}: after is what '${commands.map((words) => words.join(" ")).join("', '")}' makes of before`, async () => {
      assert.deepEqual(await changed(manifestsOf(story, "before"), commands), manifestsOf(story, "after"));
    });
  }

  it("cron-job: after is before with a schedule, without the CronJob, and with what 'restart --due' writes", async () => {
    const { "web.yaml": web = "", ...cronJob } = manifestsOf("cron-job", "before");
    assert.deepEqual(Object.keys(cronJob), ["restart-nightly.yaml"]);
    const scheduled = web.replace(
      "  name: web\n",
      '  name: web\n  annotations:\n    rollstamp.dev/restart-schedule: "30 4 * * *"\n',
    );
    assert.deepEqual(
      await changed({ "web.yaml": scheduled }, [["restart", "--due"]], "2026-11-20T12:00:00Z"),
      manifestsOf("cron-job", "after"),
    );
  });

  it("README.md shows the stamps before and after the change", async () => {
    const readme = readFileSync(join(EXAMPLE, "README.md"), "utf8");
    const before = manifestsOf("patch-all", "after");
    const edited = { ...before, "settings.yaml": (before["settings.yaml"] ?? "").replace("info", "debug") };
    const after = await changed(edited, [["stamp"]]);
    const stampIn = (files: Files): string => / {8}configmap\.rollstamp\.dev.*/u.exec(files["web.yaml"] ?? "")?.[0] ?? "?";
    assert.ok(readme.includes(`-${stampIn(before)}\n+${stampIn(after)}\n`));
  });
});
