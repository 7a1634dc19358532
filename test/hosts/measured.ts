// Runs the shipped program with a shape of input, and measures it.
import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { mkdirSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import type { Shape } from "./hostile-shapes.ts";
import { command } from "./programs.ts";
import { temporaryFolder } from "./trees.ts";

/** The heap that Node is given, in MiB, for inputs of some megabytes. */
const HEAP = 768;
/** In seconds: a laptop needs a tenth of it; a quadratic step over such inputs takes many times as much. */
export const MOST_SECONDS = 30;

// Prints the processor's time of its own process as it ends: a busy machine makes the clock's longer.
const METER = `
const { writeSync } = require("node:fs");
process.on("exit", () => {
  const { user, system } = process.cpuUsage();
  writeSync(3, JSON.stringify({ seconds: (user + system) / 1e6, peak: process.resourceUsage().maxRSS / 1024 }));
});
require(process.argv[1]);
`;

/** What a run gave, and what it cost. */
export interface Measured {
  readonly status: number | null;
  readonly stdout: string;
  readonly stderr: string;
  /** Of the processor. */
  readonly seconds: number;
  /** Of memory, in MiB. */
  readonly peak: number;
  /** The characters of its input, its configuration among them. */
  readonly size: number;
}

/** Runs the program over a shape of a size, in a process of its own. */
export function measure({ text, config, args = [], files }: Shape, n: number): Measured {
  const folder = temporaryFolder();
  const given = { ...files?.(n) };
  const words = typeof args === "function" ? [...args(n)] : [...args];
  if (config !== undefined) {
    given["config.yaml"] =
      `apiVersion: rollstamp.dev/v1alpha1\nkind: ${typeof config === "string" ? config : config(n)}\n`;
    words.push("fn", "--config", "config.yaml");
  }
  for (const [name, content] of Object.entries(given)) {
    if (name.includes("/")) mkdirSync(join(folder, dirname(name)), { recursive: true });
    writeFileSync(join(folder, name), content);
  }
  const input = text?.(n) ?? "";
  const { status, signal, output } = spawnSync(
    process.execPath,
    [`--max-old-space-size=${HEAP}`, "--eval", METER, "--", command, ...words],
    {
      cwd: folder,
      input,
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
  const size = Object.values(given).reduce((sum, content) => sum + content.length, input.length);
  return { status, stdout, stderr, seconds, peak, size };
}
