// The host programs: where they are, and how to run them.
import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { accessSync, constants, existsSync } from "node:fs";
import { delimiter, dirname, join } from "node:path";
import { fileURLToPath } from "node:url";

/** The checkout: the nearest folder above with a lock file (compiled tests lie deeper than sources). */
export const root: string = checkout(dirname(fileURLToPath(import.meta.url)));

/** The file that ships. The tests of the hosts run nothing else of the project. */
export const command: string = join(root, "dist", "rollstamp.cjs");

/** A program that calls rollstamp, or why it can't be called here. */
export type Program =
  | { readonly found: true; readonly path: string }
  | { readonly found: false; readonly reason: string };

/** A program on PATH. */
export function onPath(name: string): Program {
  for (const folder of (process.env["PATH"] ?? "").split(delimiter)) {
    const path = join(folder, name);
    try {
      accessSync(path, constants.X_OK);
      return { found: true, path };
    } catch {
      // Not in this folder.
    }
  }
  return absent(`${name} is not on PATH`);
}

/** A program that one of scripts/hosts/*.sh installs. */
export function installed(script: string, ...args: readonly string[]): Program {
  const { status, stdout, stderr } = spawnSync(join(root, "scripts", "hosts", script), [...args, "--where"], {
    encoding: "utf8",
  });
  return status === 0 ? { found: true, path: stdout.trim() } : absent(stderr.trim());
}

/**
 * What `describe` takes as `skip`: a machine without the host reports its tests as skipped, with the
 * reason. CI sets ROLLSTAMP_REQUIRE_HOSTS, and a missing host fails there.
 */
export function unlessFound(program: Program): string | false {
  return program.found ? false : program.reason;
}

function absent(reason: string): Program {
  if (process.env["ROLLSTAMP_REQUIRE_HOSTS"] === "1") throw new Error(reason);
  return { found: false, reason };
}

/** What a program left behind. */
export interface Run {
  readonly status: number | null;
  readonly stdout: string;
  readonly stderr: string;
}

/** Runs a host to its end, whatever its status. */
export function run(
  program: Program,
  args: readonly string[],
  options: {
    readonly cwd: string;
    readonly env: NodeJS.ProcessEnv;
    readonly input?: string;
    /** In milliseconds; most hosts are done in seconds. */
    readonly timeout?: number;
  },
): Run {
  assert.ok(program.found, "the suite is skipped where the host is missing");
  const { status, stdout, stderr, error } = spawnSync(program.path, args, {
    cwd: options.cwd,
    env: options.env,
    input: options.input ?? "",
    encoding: "utf8",
    maxBuffer: 256 * 1024 * 1024,
    timeout: options.timeout ?? 120_000,
  });
  if (error) throw error;
  return { status, stdout, stderr };
}

/** Runs a host that has to succeed and gives its stdout. */
export function succeed(...args: Parameters<typeof run>): string {
  const { status, stdout, stderr } = run(...args);
  assert.equal(status, 0, `${args[1].join(" ")} ends with ${status}: ${stderr}`);
  return stdout;
}

function checkout(folder: string): string {
  if (existsSync(join(folder, "package-lock.json"))) return folder;
  assert.notEqual(dirname(folder), folder, "no folder above the tests holds a lock file");
  return checkout(dirname(folder));
}

/** Whether a process is there; one that has ended is, until it was waited for. */
export function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch {
    return false;
  }
}
