// Skips builds whose inputs and outputs have not changed: .cache/built has a digest of both for each part.
import { createHash } from "node:crypto";
import { mkdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import fg from "fast-glob";

const FOLDER = ".cache/built";

/** Runs `make` unless it ran for the same `inputs` and its `outputs` have not changed; both are globs. */
export async function unlessUnchanged(name, { inputs, outputs, ignore = [] }, make) {
  const file = join(FOLDER, name);
  const from = digestOf(inputs, ignore);
  if (recorded(file) === `${from} ${digestOf(outputs, [])}`) return;
  rmSync(file, { force: true });
  await make();
  mkdirSync(FOLDER, { recursive: true });
  writeFileSync(file, `${from} ${digestOf(outputs, [])}`);
}

function recorded(file) {
  try {
    return readFileSync(file, "utf8");
  } catch {
    return undefined;
  }
}

/** A digest of the names and bytes of files, and of the version of Node. */
function digestOf(globs, ignore) {
  const hash = createHash("sha256").update(process.version);
  for (const path of fg.sync(globs, { ignore, dot: true }).sort()) {
    const bytes = readFileSync(path);
    hash.update(`\0${path}\0${bytes.length}\0`).update(bytes);
  }
  return hash.digest("hex");
}
