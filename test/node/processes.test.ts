import assert from "node:assert/strict";
import { spawn } from "node:child_process";
import { chmodSync, existsSync } from "node:fs";
import { delimiter, join } from "node:path";
import { describe, it } from "node:test";
import { outputAtOnce, runChild, type ChildOptions, type ChildRun } from "../../src/node/processes.ts";
import { inFolder } from "../support/folders.ts";
import { ended, pidIn } from "../support/processes.ts";

// A shell that starts a program and waits for it: to end the shell alone would leave the program behind.
const PARENT = `sleep 300 & echo $! > pid; echo ready; wait`;

function shell(folder: string, line: string, options: Partial<ChildOptions> = {}): Promise<ChildRun> {
  return runChild(line, [], { cwd: folder, environment: process.env, shell: true, most: 1 << 20, ...options });
}

describe("a child process", { skip: process.platform === "win32", concurrency: 4 }, () => {
  it("has its own process group, or ours on request", () =>
    inFolder({}, async (folder) => {
      const groupOf = async (options: Partial<ChildOptions>, pid: string): Promise<string> => {
        const ran = await shell(folder, `ps -o pgid= -p ${pid}`, options);
        assert.equal(ran.is, "done");
        return ran.is === "done" ? ran.stdout.toString().trim() : "";
      };
      const ours = await groupOf({}, String(process.pid));
      assert.match(ours, /^\d+$/u);
      assert.equal(await groupOf({ inOurGroup: true }, "$$"), ours);
      assert.notEqual(await groupOf({}, "$$"), ours);
    }));

  it("is killed after its timeout in our group, too", () =>
    inFolder({}, async (folder) => {
      const ran = await runChild("sleep", ["300"], {
        cwd: folder,
        environment: process.env,
        most: 1,
        timeoutMs: 100,
        inOurGroup: true,
      });
      assert.equal(ran.is, "timedOut");
    }));

  it("is searched in absolute folders only: a commit can fill the others", () =>
    inFolder({ "own/git": "#!/bin/sh\necho planted\n" }, async (folder) => {
      chmodSync(join(folder, "own", "git"), 0o755);
      const options = (path: string): ChildOptions => ({ cwd: folder, environment: { PATH: path }, most: 1 << 10 });
      const run = (path: string): Promise<ChildRun> => runChild("git", ["--version"], options(path));
      const runNow = (path: string): string => outputAtOnce("git", ["--version"], options(path)).toString();
      for (const before of ["own", "./own", ""]) {
        const path = [before, process.env["PATH"]].join(delimiter);
        const ran = await run(path);
        assert.match(ran.is === "done" ? ran.stdout.toString() : ran.is, /^git version/u, before);
        assert.match(runNow(path), /^git version/u, before);
      }
      assert.equal(runNow("own"), "notStarted");
      assert.deepEqual(await run("own"), { is: "notStarted", code: "ENOENT" });
      const absolute = await run(join(folder, "own"));
      assert.equal(absolute.is === "done" ? absolute.stdout.toString() : absolute.is, "planted\n");
    }));

  it("gets no key of digests, unless the user gives its shell command", () =>
    inFolder({}, async (folder) => {
      const keys = { ROLLSTAMP_HMAC_KEY: "a", ROLLSTAMP_HMAC_KEY_FILE: "b" };
      const options = { cwd: folder, environment: { ...process.env, ...keys }, most: 1 << 20 };
      const [program, command] = [await runChild("env", [], options), await shell(folder, "env", options)];
      const found = [program, command].map((ran) => (ran.is === "done" ? ran.stdout.toString() : ran.is));
      assert.deepEqual(
        [...found, outputAtOnce("env", [], options).toString()].map((text) => /ROLLSTAMP_HMAC_KEY/u.test(text)),
        [false, true, false],
      );
    }));

  it("returns its output and its messages", () =>
    inFolder({}, async (folder) => {
      const run = await shell(folder, "cat; echo said >&2", { input: "given\n" });
      assert.ok(run.is === "done");
      assert.equal(run.stdout.toString(), "given\n");
      assert.equal(run.stderr, "said\n");
    }));
  it("reports how it failed", () =>
    inFolder({}, async (folder) => {
      const failed = await shell(folder, "echo out; exit 3");
      assert.equal(failed.is === "failed" && failed.how, "status 3");
      const killed = await shell(folder, "kill -9 $$");
      assert.equal(killed.is === "failed" && killed.how, "the signal SIGKILL");
      const gone = await runChild("no-such-program", [], { cwd: folder, environment: process.env, most: 1 << 20 });
      assert.deepEqual(gone, { is: "notStarted", code: "ENOENT" });
      const wrong = await runChild("a\0b", [], { cwd: folder, environment: process.env, most: 1 << 20 });
      assert.deepEqual(wrong, { is: "notStarted", code: "ERR_INVALID_ARG_VALUE" });
    }));
  it("is killed with its children after its timeout", () =>
    inFolder({}, async (folder) => {
      const running = shell(folder, PARENT, { timeoutMs: 1500 });
      const pid = await pidIn(folder);
      assert.equal((await running).is, "timedOut");
      await ended(pid);
    }));
  it("is killed with its children when it is aborted", () =>
    inFolder({}, async (folder) => {
      const controller = new AbortController();
      const running = shell(folder, PARENT, { signal: controller.signal });
      const pid = await pidIn(folder);
      controller.abort();
      assert.equal((await running).is, "failed");
      await ended(pid);
    }));
  it("is not awaited if it was aborted before", () =>
    inFolder({}, async (folder) => {
      assert.equal((await shell(folder, "sleep 300", { signal: AbortSignal.abort() })).is, "failed");
    }));
  it("is killed with its children if it prints too much", () =>
    inFolder({}, async (folder) => {
      const running = shell(folder, "sleep 300 & echo $! > pid; yes", { most: 100_000 });
      const pid = await pidIn(folder);
      assert.deepEqual(await running, { is: "tooMuch" });
      await ended(pid);
    }));
  it("leaves no child behind when it ends", () =>
    inFolder({}, async (folder) => {
      const run = await shell(folder, "sleep 300 > sleeping 2>&1 & echo $! > pid; echo done");
      assert.equal(run.is === "done" && run.stdout.toString(), "done\n");
      await ended(await pidIn(folder));
    }));
  it("is awaited while a child writes, even if the shell has ended", () =>
    inFolder({}, async (folder) => {
      const run = await shell(folder, "(sleep 0.3; echo late) & echo early");
      assert.equal(run.is === "done" && run.stdout.toString(), "early\nlate\n");
    }));
  it("is not awaited because of a child that has left its group", { skip: !existsSync("/usr/bin/setsid") }, () =>
    inFolder({}, async (folder) => {
      const running = shell(folder, "setsid sh -c 'echo $$ > pid; exec sleep 300' & wait", { timeoutMs: 1500 });
      const pid = await pidIn(folder);
      assert.equal((await running).is, "timedOut");
      process.kill(pid, "SIGKILL");
    }),
  );

  const moduleOf = (name: string): string => JSON.stringify(new URL(`../../src/node/${name}.js`, import.meta.url).href);
  const OURS = `
    const { runAtExit } = await import(${moduleOf("process-end")});
    const { runChild } = await import(${moduleOf("processes")});
    runAtExit(() => process.stdout.write("cleaned up\\n"));
    process.on("message", (wish) => {
      if (wish === "exit") process.exit(7);
      if (wish === "throw") setImmediate(() => { throw new Error("wanted"); });
    });
    await runChild(process.argv[1], [], { cwd: process.cwd(), environment: process.env, shell: true });
  `;
  for (const [way, code] of [
    ["SIGINT", "SIGINT"],
    ["SIGTERM", "SIGTERM"],
    ["SIGHUP", "SIGHUP"],
    ["exit", 7],
    ["throw", 1],
  ] as const) {
    it(`ends with this process: ${way}`, () =>
      inFolder({}, async (folder) => {
        const ours = spawn(process.execPath, ["--input-type=module", "-e", OURS, PARENT], {
          cwd: folder,
          stdio: ["ignore", "pipe", "ignore", "ipc"],
        });
        let printed = "";
        ours.stdout?.on("data", (chunk: Buffer) => (printed += chunk.toString()));
        const over = new Promise((resolve) => ours.once("close", (status, signal) => resolve(status ?? signal)));
        const pid = await pidIn(folder);
        if (way === "exit" || way === "throw") ours.send(way);
        else ours.kill(way);
        assert.equal(await over, code, "the parent sees what it expects");
        assert.equal(printed, "cleaned up\n", "once");
        await ended(pid);
      }));
  }
});
