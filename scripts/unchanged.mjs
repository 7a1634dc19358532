// What is built need not be built again: .cache/built holds a digest of what each part was made of, and of
// what came of it, which has to be there still.
import { createHash } from "node:crypto";
import { mkdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import fg from "fast-glob";

const FOLDER = ".cache/built";

/** Runs `make` unless it has been run for the same `inputs`, and `outputs` are what it left; both are globs. */
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

/** A digest of the names and bytes of files, and of the Node that reads them. */
function digestOf(globs, ignore) {
  const hash = createHash("sha256").update(process.version);
  for (const path of fg.sync(globs, { ignore, dot: true }).sort()) {
    const bytes = readFileSync(path);
    hash.update(`\0${path}\0${bytes.length}\0`).update(bytes);
  }
  return hash.digest("hex");
}
