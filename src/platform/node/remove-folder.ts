import { readdirSync, rmdirSync, rmSync, unlinkSync } from "node:fs";
import { join } from "node:path";

/**
 * Removes a folder of ours with all that is in it. Node's rmSync asks of each thing what it is, and tries each folder
 * before it is empty; where anything is in the way, that one has the means to go on.
 */
export function removeFolder(folder: string): void {
  try {
    removeAll(folder);
  } catch {
    rmSync(folder, { recursive: true, force: true, maxRetries: 3 });
  }
}

function removeAll(folder: string): void {
  for (const entry of readdirSync(folder, { withFileTypes: true })) {
    const at = join(folder, entry.name);
    if (entry.isDirectory()) removeAll(at);
    else unlinkSync(at);
  }
  rmdirSync(folder);
}
