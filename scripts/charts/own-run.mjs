// What each run over charts needs of this machine: host programs, and a folder of its own.
import { spawnSync } from "node:child_process";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { endAll } from "./hosts.mjs";

/** Where a host program is that scripts/hosts has built; ends the run where it is not. */
export function installed(name) {
  const script = join(import.meta.dirname, "..", "hosts", `${name}.sh`);
  const { status, stdout, stderr } = spawnSync(script, ["--where"], { encoding: "utf8" });
  if (status === 0) return stdout.trim();
  console.error(stderr.trim());
  return process.exit(2);
}

/** A new folder; with the run, however that ends, it goes, and so does what `run` of hosts.mjs has started. */
export function ownFolder(name) {
  const folder = mkdtempSync(join(tmpdir(), `rollstamp-${name}-`));
  process.on("exit", () => {
    endAll();
    rmSync(folder, { recursive: true, force: true, maxRetries: 5 });
  });
  for (const [signal, number] of Object.entries({ SIGHUP: 1, SIGINT: 2, SIGTERM: 15 }))
    process.on(signal, () => process.exit(128 + number));
  return folder;
}
