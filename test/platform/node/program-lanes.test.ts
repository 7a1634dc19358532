import assert from "node:assert/strict";
import { spawn } from "node:child_process";
import { join } from "node:path";
import { describe, it } from "node:test";
import { setTimeout as sleep } from "node:timers/promises";
import fc from "fast-check";
import { runInLane, type LaneOptions } from "../../../src/platform/node/program-lanes.ts";
import type { ChildRun } from "../../../src/platform/node/child-processes.ts";
import { inFolder } from "../../support/folders.ts";
import { ended, pidIn } from "../../support/processes.ts";

const PATH = process.env["PATH"] ?? "";

function lane(
  cwd: string,
  program: string,
  args: readonly string[],
  more: Partial<LaneOptions> = {},
): Promise<ChildRun | undefined> {
  return runInLane(program, args, { cwd, environment: { PATH }, most: 1 << 20, timeoutMs: 60_000, ...more });
}

describe("a program in a lane", { skip: process.platform === "win32" }, () => {
  it("gives what it prints and says, and how it failed", () =>
    inFolder({}, async (folder) => {
      const run = await lane(folder, "sh", ["-c", "pwd; printf said >&2; exit 3"]);
      assert.ok(run?.is === "failed");
      assert.deepEqual([run.how, run.stdout.toString(), run.stderr], ["status 3", `${folder}\n`, "said"]);
      const empty = await lane(folder, "true", []);
      assert.ok(empty?.is === "done");
      assert.deepEqual([empty.stdout.length, empty.stderr], [0, ""]);
    }));

  it("gets nothing to read, and no environment but its own", () =>
    inFolder({}, async (folder) => {
      const read = await lane(folder, "cat", []);
      assert.equal(read?.is === "done" && read.stdout.length, 0);
      const run = await lane(folder, "env", [], {
        environment: { PATH, A: "$HOME `x` 'y'", EMPTY: "", NOT: undefined },
      });
      assert.ok(run?.is === "done");
      const lines = run.stdout.toString().split("\n").filter(Boolean);
      const own = lines.filter((line) => !/^(?:_|SHLVL)=/u.test(line)).sort();
      assert.deepEqual(own, ["A=$HOME `x` 'y'", "EMPTY=", `PATH=${PATH}`].sort());
    }));

  it("gets each argument as it is, whatever a shell would make of it", () =>
    inFolder({}, async (folder) => {
      const word = fc.oneof(
        fc.string({ unit: "binary-ascii" }).map((text) => text.replaceAll(/[^\x20-\x7e]/gu, "'")),
        fc.constantFrom("'", "\\", "$(id)", "`id`", "-n", "~", "*", ";", "#", "&& id", "'; id; '", "\\'"),
      );
      await fc.assert(
        fc.asyncProperty(fc.array(word, { maxLength: 5 }), async (words) => {
          const run = await lane(folder, "printf", ["%s\\n", "x", ...words]);
          assert.ok(run?.is === "done");
          assert.equal(run.stdout.toString(), ["x", ...words].map((one) => `${one}\n`).join(""));
        }),
        { numRuns: 40 },
      );
    }));

  it("is left to others where it may not be quoted, is not there, or was ended by a signal", () =>
    inFolder({}, async (folder) => {
      for (const text of ["a\nb", "ä", "\0", "\u0081"]) assert.equal(await lane(folder, "echo", [text]), undefined);
      assert.equal(await lane(folder, "no-such-program", []), undefined);
      assert.equal(await lane(folder, "true", [], { environment: { PATH, "A B": "" } }), undefined);
      assert.equal(await lane(folder, "true", [], { environment: { PATH: "." } }), undefined);
      assert.equal(await lane(join(folder, "gone"), "true", []), undefined);
      assert.equal(await lane(folder, "sh", ["-c", "kill -9 $$"]), undefined);
      const run = await lane(folder, "echo", ["still"]);
      assert.equal(run?.is === "done" && run.stdout.toString(), "still\n");
    }));

  it("runs beside others, and has its own output", () =>
    inFolder({}, async (folder) => {
      const numbers = Array.from({ length: 20 }, (_, i) => String(i));
      const runs = await Promise.all(
        numbers.map((n) => lane(folder, "sh", ["-c", `echo ${n}; sleep 0.0${n}; echo ${n}`])),
      );
      assert.deepEqual(
        runs.map((run) => (run?.is === "done" ? run.stdout.toString() : "")),
        numbers.map((n) => `${n}\n${n}\n`),
      );
    }));

  it("prints much, and says much of which the first words are kept", () =>
    inFolder({}, async (folder) => {
      const run = await lane(folder, "sh", ["-c", "head -c 900000 /dev/zero; head -c 900000 /dev/zero >&2"]);
      assert.ok(run?.is === "done");
      assert.deepEqual([run.stdout.length, run.stderr.length], [900_000, 1 << 16]);
    }));

  it("is ended when it prints too much", () =>
    inFolder({}, async (folder) => {
      const running = lane(folder, "sh", ["-c", "echo $$ > pid; exec yes"], { most: 100_000 });
      const pid = await pidIn(folder);
      assert.deepEqual(await running, { is: "tooMuch" });
      await ended(pid);
    }));

  it("is ended when its time is over, and others run behind it", () =>
    inFolder({}, async (folder) => {
      const running = lane(folder, "sh", ["-c", "echo $$ > pid; exec sleep 300"], { timeoutMs: 700 });
      const pid = await pidIn(folder);
      assert.deepEqual(await running, { is: "timedOut", stderr: "" });
      await ended(pid);
      const after = await lane(folder, "echo", ["after"], { timeoutMs: 60_000 });
      assert.equal(after?.is === "done" && after.stdout.toString(), "after\n");
    }));

  it("gets nothing of what a child of one before has written late", () =>
    inFolder({}, async (folder) => {
      const first = await lane(folder, "sh", ["-c", "(sleep 0.1; echo late) & echo early"]);
      assert.equal(first?.is === "done" && first.stdout.toString(), "early\n");
      await sleep(400);
      const second = await lane(folder, "echo", ["second"]);
      assert.ok(second === undefined || (second.is === "done" && second.stdout.toString() === "second\n"));
    }));

  const MODULE = new URL("../../../src/platform/node/program-lanes.js", import.meta.url).href;
  const OURS = `
    const { runInLane } = await import(${JSON.stringify(MODULE)});
    process.on("message", () => process.exit(7));
    const options = { cwd: process.cwd(), environment: { PATH: process.env.PATH }, most: 100, timeoutMs: 60_000 };
    await runInLane("true", [], options);
    await runInLane("sh", ["-c", process.argv[1]], options);
  `;
  for (const [way, code] of [
    ["SIGINT", "SIGINT"],
    ["SIGTERM", "SIGTERM"],
    ["exit", 7],
    ["nothing", 0],
  ] as const) {
    it(`ends with this process: ${way}`, () =>
      inFolder({}, async (folder) => {
        const work = way === "nothing" ? "echo $PPID > pid" : "echo $$ > pid; exec sleep 300";
        const ours = spawn(process.execPath, ["--input-type=module", "-e", OURS, work], {
          cwd: folder,
          stdio: ["ignore", "ignore", "inherit", "ipc"],
        });
        const over = new Promise((resolve) => ours.once("exit", (status, signal) => resolve(status ?? signal)));
        const pid = await pidIn(folder);
        if (way === "exit") ours.send(way);
        else if (way === "nothing") ours.disconnect();
        else ours.kill(way);
        assert.equal(await over, code);
        await ended(pid);
      }));
  }
});
