// Input that means harm: the program that ships, in a process of its own, in so much time and memory. Each
// shape is given in one size and in the double: what takes more than in step with it would show.
import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, test } from "node:test";
import { command } from "./programs.ts";
import { SHAPES, type Shape } from "./hostile-shapes.ts";
import { temporaryFolder } from "./trees.ts";

/** A laptop needs a tenth of it; a quadratic step over such inputs takes many times as much. */
const MOST_SECONDS = 30;
/** The heap that Node is given, for inputs of some megabytes. */
const HEAP = 768;
/** Twice the input may take so much more time: twice, and what a busy machine adds. */
const GROWTH = 3;
/** Less than this is start-up. */
const SHORT = 1;

// Prints the processor's time of its own process as it ends: a busy machine makes the clock's longer.
const METER = `
const { writeSync } = require("node:fs");
process.on("exit", () => {
  const { user, system } = process.cpuUsage();
  writeSync(3, JSON.stringify({ seconds: (user + system) / 1e6, peak: process.resourceUsage().maxRSS / 1024 }));
});
require(process.argv[1]);
`;

interface Measured {
  readonly status: number | null;
  readonly stdout: string;
  readonly stderr: string;
  readonly seconds: number;
  /** In MiB. */
  readonly peak: number;
}

function measure({ text, config }: Shape, n: number): Measured {
  const args: string[] = [];
  if (config !== undefined) {
    const file = join(temporaryFolder(), "config.yaml");
    writeFileSync(
      file,
      `apiVersion: rollstamp.dev/v1alpha1\nkind: ${typeof config === "string" ? config : config(n)}\n`,
    );
    args.push("fn", "--config", file);
  }
  const { status, signal, output } = spawnSync(
    process.execPath,
    [`--max-old-space-size=${HEAP}`, "--eval", METER, "--", command, ...args],
    {
      input: text(n),
      encoding: "utf8",
      stdio: ["pipe", "pipe", "pipe", "pipe"],
      maxBuffer: 1 << 29,
      timeout: 4 * MOST_SECONDS * 1000,
      killSignal: "SIGKILL",
    },
  );
  const [, stdout = "", stderr = "", meter = ""] = output.map((part) => part ?? "");
  assert.equal(signal, null, `it was killed: ${stderr.slice(-500)}`);
  assert.notEqual(meter, "", stderr.slice(-2000));
  const { seconds, peak } = JSON.parse(meter) as { seconds: number; peak: number };
  return { status, stdout, stderr, seconds, peak };
}

describe("input that means harm", () => {
  for (const [name, shape] of Object.entries(SHAPES)) {
    test(name, (t) => {
      const { n, status = 0, says = /^$/u } = shape;
      const once = measure(shape, n);
      assert.equal(once.status, status, once.stderr.slice(0, 1000));
      assert.match(once.stderr.slice(0, 1_000_000), says);
      assert.doesNotMatch(once.stderr.slice(0, 100_000), /internal error/u);
      assert.equal(once.stdout === "", status === 2);
      assert.ok(once.seconds < MOST_SECONDS, `${once.seconds} s`);
      if (n === 1) return;
      const twice = measure(shape, 2 * n);
      t.diagnostic(
        `${once.seconds.toFixed(2)} s, ${once.peak.toFixed(0)} MiB; twice: ${twice.seconds.toFixed(2)} s, ${twice.peak.toFixed(0)} MiB`,
      );
      assert.ok(
        twice.seconds < Math.max(GROWTH * once.seconds, SHORT),
        `${once.seconds} s, and ${twice.seconds} s for twice as much`,
      );
    });
  }
});
