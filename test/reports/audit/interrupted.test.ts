import assert from "node:assert/strict";
import { once } from "node:events";
import { mkdirSync, readdirSync } from "node:fs";
import { join } from "node:path";
import { text } from "node:stream/consumers";
import { after, describe, it } from "node:test";
import { runAnyCommand } from "../../../src/main/command-line.ts";
import { interrupts } from "../../../src/node/process-end.ts";
import type { Interrupts } from "../../../src/platform/ports/io.ts";
import { testIo } from "../../support/cli.ts";
import { inFolder } from "../../support/folders.ts";
import { eventually } from "../../support/processes.ts";
import { shipped } from "../../support/shipped.ts";
import { auditIn, conf, ENVIRONMENT, History, web } from "./history.ts";

const COMMITS = 100;

describe("an interrupted audit", () => {
  const program = shipped();
  after(() => program.remove());

  it("reports what it has compared, ends by the signal, leaves nothing behind, and continues from the cache", () =>
    inFolder({}, async (folder) => {
      const [cache, temporary] = ["cache", "temporary"].map((name) => join(folder, name));
      assert.ok(cache !== undefined && temporary !== undefined);
      for (const made of [cache, temporary]) mkdirSync(made, { mode: 0o700 });
      const history = new History(join(folder, "repository")).commit({ "web.yaml": web(), "conf.yaml": conf("0") });
      for (let i = 1; i < COMMITS; i++) history.commit({ "conf.yaml": conf(String(i)) });
      const env = { ...ENVIRONMENT, TMPDIR: temporary };
      const args = ["audit", history.folder, "-o", "json", "--cache", cache];
      const child = program.start(args, { env, stdio: ["ignore", "pipe", "pipe"] });
      assert.ok(child.stdout !== null);
      const printed = text(child.stdout);
      await eventually(() => (readdirSync(cache).length >= 3 ? true : undefined));
      child.kill("SIGINT");
      const [status, signal] = (await once(child, "close")) as [number | null, string | null];
      assert.deepEqual([status, signal], [null, "SIGINT"]);
      const { cut, summary } = auditIn(await printed);
      assert.equal(cut?.by, "Interrupted");
      assert.equal(cut.commits, summary["commits"]);
      assert.ok(cut.commits >= 3 && cut.commits < COMMITS, String(cut.commits));
      assert.deepEqual(readdirSync(temporary), []);
      const kept = readdirSync(cache).length;
      const { stdout } = program.run(args, { env });
      assert.deepEqual([auditIn(stdout).cut, auditIn(stdout).summary["stale"]], [null, COMMITS - 1]);
      assert.equal(readdirSync(cache).length - kept, COMMITS - 1 - kept);
    }));

  for (const [name, at, cut, isComplete] of [
    ["is cut", "start", { by: "Interrupted", commits: 0 }, false],
    ["is complete, and ends as usual, if all commits were compared before", "end", null, true],
  ] as const)
    it(name, () =>
      inFolder({}, async (folder) => {
        new History(folder).commit({ "web.yaml": web(), "conf.yaml": conf("a") }).commit({ "conf.yaml": conf("b") });
        const controller = new AbortController();
        if (at === "start") controller.abort();
        const printed: string[] = [];
        const ended: (boolean | undefined)[] = [];
        const io = testIo(
          { environment: ENVIRONMENT },
          {
            writeStdout: (output) => {
              controller.abort();
              printed.push(output);
              return Promise.resolve();
            },
            writeStderr: () => undefined,
          },
        );
        const given = (): Interrupts => ({
          signal: controller.signal,
          done: (complete) => {
            ended.push(complete);
          },
        });
        assert.equal(await runAnyCommand(["audit", folder, "-o", "json"], { ...io, interrupts: given }), 0);
        assert.deepEqual([auditIn(printed.join("")).cut, ended], [cut, [isComplete]]);
      }),
    );

  it("does not end a process that has completed its work", () => {
    const interrupt = interrupts();
    process.emit("SIGINT");
    assert.ok(interrupt.signal.aborted);
    interrupt.done(true);
  });
});
