// A revision of a clone, written to a folder, and what git knows of its files.
import { spawnSync } from "node:child_process";
import { mkdirSync, readFileSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";

export function git(clone, args) {
  const { status, stdout, stderr } = spawnSync("git", ["-C", clone, ...args], { encoding: "utf8", maxBuffer: 1 << 30 });
  if (status !== 0) throw new Error(`git ${args.join(" ")}: ${stderr.trim()}`);
  return stdout;
}

/** What a folder of `checkedOut` has, by path. */
const written = new Map();

/**
 * Writes a revision into a folder; the next revision in the same folder costs only what differs. `ids` has git's id of each
 * file, `folders` all folders. Files that a clone lacks are not there.
 */
export function checkedOut(clone, revision, folder) {
  const before = written.get(folder) ?? new Map();
  const [ids, folders, now] = [new Map(), new Set([""]), new Map()];
  for (const line of git(clone, ["ls-tree", "-r", "-z", "--full-tree", revision]).split("\0")) {
    const [head, path] = line.split("\t");
    if (path === undefined) continue;
    const [mode, , id] = head.split(" ");
    if (mode === "160000") continue;
    now.set(path, `${mode} ${id}`);
    if (mode !== "120000") ids.set(path, id);
    for (let slash = path.lastIndexOf("/"); slash > 0; slash = path.lastIndexOf("/", slash - 1))
      folders.add(path.slice(0, slash));
  }
  // These are edited here (by-hand.mjs): they are always written again.
  const isEdited = (path) => /(?:^|\/)(?:[Kk]ustomization(?:\.ya?ml)?|Chart\.(?:yaml|lock))$/u.test(path);
  const isSame = (path) => before.get(path) === now.get(path) && !isEdited(path);
  for (const path of before.keys()) if (!now.has(path)) rmSync(join(folder, path), { force: true });
  const changed = [...now.keys()].filter((path) => !isSame(path));
  const lacking = new Set(changed);
  for (const [path, content] of contentsOf(clone, changed, now)) {
    lacking.delete(path);
    const file = join(folder, path);
    mkdirSync(dirname(file), { recursive: true });
    rmSync(file, { force: true, recursive: true });
    if (now.get(path).startsWith("120000")) symlinkSync(content.toString(), file);
    else writeFileSync(file, content);
  }
  for (const path of lacking) now.delete(path);
  for (const path of ids.keys()) if (!now.has(path)) ids.delete(path);
  written.set(folder, now);
  return {
    tree: folder,
    ids,
    folders,
    sorted: [...ids.keys()].sort(),
    read: (path) => readFileSync(join(folder, path), "utf8"),
  };
}

function* contentsOf(clone, paths, modes) {
  const input = paths.map((path) => modes.get(path).split(" ")[1]).join("\n");
  const { stdout } = spawnSync("git", ["-C", clone, "cat-file", "--batch"], {
    input: `${input}\n`,
    maxBuffer: 2 ** 31,
  });
  let start = 0;
  for (const path of paths) {
    const end = stdout.indexOf(10, start);
    const [, type, size] = stdout.subarray(start, end).toString().split(" ");
    start = end + 1;
    // A clone can lack a large file.
    if (type !== "blob") continue;
    yield [path, stdout.subarray(start, start + Number(size))];
    start += Number(size) + 1;
  }
}

/** The files in a folder and below it. */
export function below({ ids, sorted }, folder) {
  if (folder === "") return sorted;
  const prefix = `${folder}/`;
  let [low, high] = [0, sorted.length];
  while (low < high) {
    const middle = (low + high) >> 1;
    if (sorted[middle] < prefix) low = middle + 1;
    else high = middle;
  }
  const found = [];
  for (let i = low; i < sorted.length && sorted[i].startsWith(prefix); i++) found.push(sorted[i]);
  return ids.has(folder) ? [folder, ...found] : found;
}
