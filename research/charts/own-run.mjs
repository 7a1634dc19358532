// The host programs and the temporary folder of a run over charts.
import { spawnSync } from "node:child_process";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { endAll } from "./hosts.mjs";

/** The path of a host program that scripts/hosts has built. Ends the run if it is missing. */
export function installed(name) {
  const script = join(import.meta.dirname, "..", "..", "scripts", "hosts", `${name}.sh`);
  const { status, stdout, stderr } = spawnSync(script, ["--where"], { encoding: "utf8" });
  if (status === 0) return stdout.trim();
  console.error(stderr.trim());
  return process.exit(2);
}

/** A temporary folder. It is removed when the run ends or is interrupted, and programs that hosts.mjs started are killed. */
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
