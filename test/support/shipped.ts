import { spawn, spawnSync, type ChildProcess, type SpawnOptions } from "node:child_process";
import { copyFileSync, chmodSync, mkdtempSync, readdirSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { inRoot } from "./paths.ts";

/** The command as it ships, in a folder of its own: nothing else of the checkout is near it. */
export interface Shipped {
  readonly file: string;
  readonly run: (
    args: readonly string[],
    options?: SpawnOptions,
  ) => { status: number | null; stdout: string; stderr: string };
  readonly start: (args: readonly string[], options?: SpawnOptions) => ChildProcess;
  readonly remove: () => void;
}

/** Copies the command to a new folder. */
export function shipped(): Shipped {
  const folder = mkdtempSync(join(tmpdir(), "rollstamp-shipped-"));
  chmodSync(folder, 0o755);
  const file = join(folder, "rollstamp.cjs");
  copyCommand(folder);
  return {
    file,
    run: (args, options = {}) => {
      const { status, stdout, stderr } = spawnSync(process.execPath, [file, ...args], { ...options, encoding: "utf8" });
      return { status, stdout, stderr };
    },
    start: (args, options = {}) => spawn(process.execPath, [file, ...args], { stdio: "ignore", ...options }),
    remove: () => rmSync(folder, { recursive: true, force: true }),
  };
}

/** Copies the files of the command to a folder. */
export function copyCommand(folder: string): void {
  for (const file of readdirSync(inRoot("dist"))) {
    if (file.endsWith(".cjs")) copyFileSync(inRoot("dist", file), join(folder, file));
  }
}
