import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { mkdirSync, mkdtempSync, realpathSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { inRoot } from "../support/paths.ts";

/** A command line, and where it runs. */
export interface Case {
  /** Fills an empty folder, and returns the folder below it that the command runs in. */
  readonly prepare: (folder: string) => string;
  readonly args: readonly string[];
  readonly environment?: Readonly<Record<string, string>>;
  /** Looks index the folder when all have ended. */
  readonly check?: (folder: string) => void;
}

/** How a command ended. */
export interface Ended {
  readonly status: number;
  readonly stdout: string;
  readonly stderr: string;
}

/** What the process of a batch is given for each case: batch-main.ts. */
export interface Start {
  readonly cwd: string;
  readonly args: readonly string[];
  readonly environment: Readonly<Record<string, string>>;
}

/**
 * Command lines that could wait forever, in one process that can be ended from outside: starting one for
 * each would take longer than all of them together. It has to end by itself, too: a file or a pipe that a
 * command leaves open keeps it. Cases are added while tests are collected; the first test that asks runs all.
 */
export class Batch {
  readonly #cases: Case[] = [];
  #ended: readonly Ended[] | undefined;
  #why = "";

  /** Gives how the command ended. */
  add(one: Case): () => Ended {
    const index = this.#cases.push(one) - 1;
    return () => {
      if (this.#ended === undefined) this.#run();
      const ended = this.#ended?.[index];
      assert.ok(ended !== undefined, `${one.args.join(" ")}: ${this.#why}`);
      return ended;
    };
  }

  #run(): void {
    const folder = realpathSync(mkdtempSync(join(tmpdir(), "rollstamp-batch-")));
    try {
      const folders = this.#cases.map((_, i) => join(folder, String(i)));
      const starts = this.#cases.map(({ prepare, args, environment }, i): Start => {
        const caseFolder = folders[i] ?? "";
        mkdirSync(caseFolder);
        return { cwd: prepare(caseFolder), args, environment: { PATH: "/nonexistent", ...environment } };
      });
      const { status, stdout, stderr } = spawnSync(
        process.execPath,
        [inRoot(".build", "test", "hostile", "batch-main.js")],
        {
          input: JSON.stringify(starts),
          encoding: "utf8",
          env: { PATH: "/nonexistent" },
          timeout: 60_000,
          killSignal: "SIGKILL",
          maxBuffer: 1 << 26,
        },
      );
      // One line for each that has ended.
      const ended = stdout.split("\n").slice(0, -1);
      this.#ended = ended.map((line) => JSON.parse(line) as Ended);
      const why = status === null ? "it waits for what never comes" : stderr;
      this.#why = `after ${ended.length} of ${starts.length} commands: ${why}`;
      assert.ok(status === 0 || ended.length < starts.length, this.#why);
      this.#cases.forEach(({ check }, i) => check?.(folders[i] ?? ""));
    } finally {
      rmSync(folder, { recursive: true, force: true });
    }
  }
}
