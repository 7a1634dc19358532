import { createHash } from "node:crypto";
import { existsSync, lstatSync, mkdirSync, readdirSync, readFileSync, readlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { deflateSync } from "node:zlib";

// What `git init`, `git add --all`, `git commit` and `git tag` write, without a process: starting one copies the tables of this process's memory, which
// takes longer than git itself.

/** Makes a folder a repository without a commit, on the branch `main`. */
export function initialize(folder: string): void {
  const git = join(folder, ".git");
  for (const part of ["hooks", "info", "objects", "refs/heads", "refs/tags"])
    mkdirSync(join(git, part), { recursive: true });
  writeFileSync(join(git, "HEAD"), "ref: refs/heads/main\n");
  const core = "repositoryformatversion = 0\n\tfilemode = true\n\tbare = false\n\tlogallrefupdates = true";
  writeFileSync(join(git, "config"), `[core]\n\t${core}\n`);
}

/** Tags the commit that is checked out in a repository whose branches stand in files. */
export function tag(folder: string, name: string): void {
  const git = join(folder, ".git");
  const head = readFileSync(join(git, "HEAD"), "utf8").trim();
  const id = head.startsWith("ref: ") ? readFileSync(join(git, head.slice(5)), "utf8") : `${head}\n`;
  writeFileSync(join(git, "refs", "tags", name), id, { flag: "wx" });
}

/** What git would look at as well, and we don't. */
const OTHER_RULES = new Set([".gitattributes", ".gitconfig", ".gitignore", ".gitmodules"]);

interface Entry {
  readonly path: string;
  readonly mode: string;
  readonly id: string;
}

/**
 * Commits everything below a repository's folder. False, with nothing done, where that is for git: where files say what is
 * ignored or how, in a worktree, a merge, a repository with hooks or packed branches.
 */
export function commitAll(
  folder: string,
  message: string,
  author: string = "test <test@example.com>",
  seconds: number = Math.floor(Date.now() / 1000),
): boolean {
  const git = join(folder, ".git");
  if (!existsSync(join(git, "HEAD")) || existsSync(join(git, "MERGE_HEAD"))) return false;
  if (existsSync(join(git, "packed-refs")) || readdirSync(join(git, "hooks")).length > 0) return false;
  const files = filesBelow(folder, "");
  if (files === undefined) return false;
  const entries = files.map((path): Entry => {
    const file = join(folder, path);
    const stat = lstatSync(file);
    const isLink = stat.isSymbolicLink();
    const bytes = isLink ? readlinkSync(file, { encoding: "buffer" }) : readFileSync(file);
    const mode = isLink ? "120000" : (stat.mode & 0o100) === 0 ? "100644" : "100755";
    return { path, mode, id: writeObject(git, "blob", bytes) };
  });
  const head = readFileSync(join(git, "HEAD"), "utf8").trim();
  const ref = head.startsWith("ref: ") ? join(git, head.slice(5)) : join(git, "HEAD");
  const parent = existsSync(ref) ? [`parent ${readFileSync(ref, "utf8").trim()}`] : [];
  const who = `${author} ${seconds} +0000`;
  const lines = [
    `tree ${writeTree(git, entries, "")}`,
    ...parent,
    `author ${who}`,
    `committer ${who}`,
    "",
    message,
    "",
  ];
  const commit = writeObject(git, "commit", Buffer.from(lines.join("\n")));
  writeFileSync(join(git, "index"), indexOf(entries));
  writeFileSync(ref, `${commit}\n`);
  return true;
}

/** The paths of files and links, in the order of the index; undefined where git has rules for them. */
function filesBelow(folder: string, at: string): string[] | undefined {
  const files: string[] = [];
  for (const entry of readdirSync(join(folder, at), { withFileTypes: true })) {
    const path = at === "" ? entry.name : `${at}/${entry.name}`;
    if (path === ".git") continue;
    if (OTHER_RULES.has(entry.name) || entry.name === ".git") return undefined;
    if (entry.isDirectory()) {
      const below = filesBelow(folder, path);
      if (below === undefined) return undefined;
      files.push(...below);
    } else if (entry.isFile() || entry.isSymbolicLink()) files.push(path);
  }
  return files.sort((a, b) => Buffer.compare(Buffer.from(a), Buffer.from(b)));
}

/** Writes an object as git has it alone in a file; gives its name. */
function writeObject(git: string, type: string, content: Buffer): string {
  const whole = Buffer.concat([Buffer.from(`${type} ${content.length}\0`), content]);
  const id = createHash("sha1").update(whole).digest("hex");
  const file = join(git, "objects", id.slice(0, 2), id.slice(2));
  if (!existsSync(file)) {
    mkdirSync(join(file, ".."), { recursive: true });
    writeFileSync(file, deflateSync(whole, { level: 1 }), { mode: 0o444 });
  }
  return id;
}

/** Writes the tree of the entries below a folder, `""` or `a/b/`. */
function writeTree(git: string, entries: readonly Entry[], below: string): string {
  const children = new Map<string, Entry[]>();
  for (const entry of entries) {
    const [name = ""] = entry.path.slice(below.length).split("/");
    const same = children.get(name);
    if (same === undefined) children.set(name, [entry]);
    else same.push(entry);
  }
  const rows = [...children].map(([name, inside]) => {
    const [first] = inside;
    if (first?.path === below + name) return { sorted: name, name, mode: first.mode, id: first.id };
    return { sorted: `${name}/`, name, mode: "40000", id: writeTree(git, inside, `${below}${name}/`) };
  });
  rows.sort((a, b) => Buffer.compare(Buffer.from(a.sorted), Buffer.from(b.sorted)));
  const parts = rows.flatMap(({ name, mode, id }) => [Buffer.from(`${mode} ${name}\0`), Buffer.from(id, "hex")]);
  return writeObject(git, "tree", Buffer.concat(parts));
}

/** The index of what is committed. It knows no times of files: git compares their contents when it is asked. */
function indexOf(entries: readonly Entry[]): Buffer {
  const head = Buffer.alloc(12);
  head.write("DIRC");
  head.writeUInt32BE(2, 4);
  head.writeUInt32BE(entries.length, 8);
  const rows = entries.map(({ path, mode, id }) => {
    const name = Buffer.from(path);
    const row = Buffer.alloc((62 + name.length + 8) & ~7);
    row.writeUInt32BE(Number.parseInt(mode, 8), 24);
    row.write(id, 40, "hex");
    row.writeUInt16BE(Math.min(name.length, 0xfff), 60);
    name.copy(row, 62);
    return row;
  });
  const content = Buffer.concat([head, ...rows]);
  return Buffer.concat([content, createHash("sha1").update(content).digest()]);
}
