import {
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  realpathSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";

/** The content of a folder: paths with their text, or with `-> target` for a symbolic link. */
export type Files = Readonly<Record<string, string>>;

/** Runs a test in a new folder of its own, which goes afterwards. */
export async function inFolder(files: Files, test: (folder: string) => void | Promise<void>): Promise<void> {
  const folder = realpathSync(mkdtempSync(join(tmpdir(), "rollstamp-test-")));
  try {
    writeFiles(folder, files);
    await test(folder);
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

/** Writes files below a folder. */
export function writeFiles(folder: string, files: Files): void {
  for (const [path, text] of Object.entries(files)) {
    const file = join(folder, path);
    mkdirSync(dirname(file), { recursive: true });
    if (text.startsWith("-> ")) symlinkSync(text.slice(3), file);
    else writeFileSync(file, text);
  }
}

/** The files of a folder that has no folders in it. */
export function filesIn(folder: string): Files {
  return Object.fromEntries(readdirSync(folder).map((file) => [file, readFileSync(join(folder, file), "utf8")]));
}
