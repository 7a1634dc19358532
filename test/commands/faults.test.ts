import assert from "node:assert/strict";
import { spawnSync, type ChildProcess } from "node:child_process";
import { once } from "node:events";
import {
  chmodSync,
  chownSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmdirSync,
  writeFileSync,
} from "node:fs";
import { join } from "node:path";
import { after, describe, it } from "node:test";
import { setTimeout } from "node:timers/promises";
import { replaceFiles } from "../../src/node/files.ts";
import { cli } from "../support/cli.ts";
import { inFolder } from "../support/folders.ts";
import { configMap, deployment, STAMP_OF_A } from "../support/manifests.ts";
import { shipped } from "../support/shipped.ts";

const FILES = 200;
const program = shipped();
after(program.remove);

/** Many files, which all get a stamp. */
function writeMany(folder: string): Map<string, string> {
  const texts = new Map([["settings.yaml", configMap("settings", "a")]]);
  for (let i = 0; i < FILES; i++) texts.set(`web-${i}.yaml`, deployment(`web-${i}`, "settings"));
  for (const [name, text] of texts) writeFileSync(join(folder, name), text);
  return texts;
}

interface State {
  readonly old: number;
  readonly new: number;
  readonly torn: string[];
  readonly left: string[];
}

function stateOf(folder: string, texts: ReadonlyMap<string, string>): State {
  const state = { old: 0, new: 0, torn: [] as string[], left: readdirSync(folder).filter((name) => !texts.has(name)) };
  for (const [name, text] of texts) {
    if (name === "settings.yaml") continue;
    const now = readFileSync(join(folder, name), "utf8");
    const withoutStamp = now.replace(
      `      annotations:\n        configmap.rollstamp.dev/settings: ${STAMP_OF_A}\n`,
      "",
    );
    if (now === text) state.old += 1;
    else if (withoutStamp === text) state.new += 1;
    else state.torn.push(name);
  }
  return state;
}

/** Waits until the program has begun to write, then for a random moment of its work: later in each round. */
async function inTheMiddle(folder: string, known: number, child: ChildProcess, round: number): Promise<void> {
  while (child.exitCode === null && readdirSync(folder).length === known) await setTimeout(1);
  await setTimeout(Math.random() * 5 + round * 7);
}

describe("an interrupted run", () => {
  it("leaves every file complete if it is killed at a random moment", () =>
    inFolder({}, async (folder) => {
      let interrupted = 0;
      for (let round = 0; round < 4; round++) {
        const texts = writeMany(folder);
        const child = program.start(["stamp", folder]);
        const closed = once(child, "close");
        await inTheMiddle(folder, readdirSync(folder).length, child, round);
        child.kill("SIGKILL");
        await closed;
        const state = stateOf(folder, texts);
        assert.deepEqual(state.torn, [], `round ${round}`);
        if (state.old > 0) interrupted += 1;
        // Leftover files are hidden, are not manifests by name, and block nothing.
        for (const name of state.left) assert.match(name, /^\.web-\d+\.yaml\.rollstamp-[0-9a-f]{8}$/u);
        assert.equal((await cli(["stamp", folder])).status, 0);
        assert.equal(stateOf(folder, texts).new, FILES, "the next run completes it");
      }
      assert.ok(interrupted > 0, "no round was killed in the middle");
    }));

  it("replaces all files or none after a signal, and cleans up", () =>
    inFolder({}, async (folder) => {
      for (let round = 0; round < 2; round++) {
        const texts = writeMany(folder);
        const child = program.start(["stamp", folder]);
        const closed = once(child, "close");
        await inTheMiddle(folder, texts.size, child, round);
        child.kill("SIGTERM");
        await closed;
        const { old, new: replaced, torn, left } = stateOf(folder, texts);
        assert.deepEqual([torn, left], [[], []]);
        assert.ok(old === FILES || replaced === FILES, `${old} old, ${replaced} new`);
      }
    }));
});

describe("a full disk", () => {
  it("changes no file, and is reported", (t) =>
    inFolder({ "disk/.keep": "" }, async (folder) => {
      const disk = join(folder, "disk");
      const mounted = spawnSync("mount", ["-t", "tmpfs", "-o", "size=256k", "tmpfs", disk]).status === 0;
      if (!mounted) return t.skip("no file system can be mounted here");
      try {
        const long = `${configMap("long", "x")}  more: "${"x".repeat(60_000)}"\n---\n`;
        const texts = [0, 1].map((i) => `${long.replaceAll("long", `long-${i}`)}${deployment(`web-${i}`, "settings")}`);
        texts.forEach((text, i) => writeFileSync(join(disk, `web-${i}.yaml`), text));
        writeFileSync(join(disk, "settings.yaml"), configMap("settings", "a"));
        writeFileSync(join(disk, "ballast"), "x".repeat(40_000));
        const { status, stderr } = program.run(["stamp", disk]);
        assert.equal(status, 2, stderr);
        assert.match(stderr, /web-\d\.yaml: the file can't be written \(ENOSPC\)\n {2}The disk is full/u);
        texts.forEach((text, i) => assert.equal(readFileSync(join(disk, `web-${i}.yaml`), "utf8"), text));
        assert.deepEqual(readdirSync(disk).sort(), ["ballast", "settings.yaml", "web-0.yaml", "web-1.yaml"]);
      } finally {
        spawnSync("umount", [disk]);
      }
    }));
});

describe("files without permission", () => {
  const NOBODY = 65_534;
  const asNobody = process.getuid?.() === 0 ? { uid: NOBODY, gid: NOBODY } : {};

  /** A folder that belongs to whom the program runs as. */
  function prepare(folder: string): { web: string; other: string } {
    const web = join(folder, "web.yaml");
    const other = join(folder, "other.yaml");
    writeFileSync(web, deployment("web", "settings"));
    writeFileSync(other, deployment("other", "settings"));
    writeFileSync(join(folder, "settings.yaml"), configMap("settings", "a"));
    if ("uid" in asNobody) for (const path of [folder, web, other]) chownSync(path, NOBODY, NOBODY);
    return { web, other };
  }
  const isStamped = (file: string): boolean => readFileSync(file, "utf8").includes(STAMP_OF_A);

  it("are reported if they can't be read; the others are stamped", () =>
    inFolder({}, (folder) => {
      const { web, other } = prepare(folder);
      chmodSync(web, 0);
      const { status, stderr } = program.run(["stamp", folder], asNobody);
      const named = program.run(["stamp", web, other], asNobody);
      chmodSync(web, 0o644);
      assert.equal(named.status, 2);
      assert.match(named.stderr, /web\.yaml: the file can't be read \(EACCES\)[^]*nothing was written/u);
      assert.equal(status, 1);
      assert.match(stderr, /error: .*web\.yaml: file not examined: the file can't be read \(EACCES\)/u);
      assert.ok(isStamped(other));
    }));
  it("are reported if they can't be written; --keep-going writes the others", () =>
    inFolder({}, (folder) => {
      const { web, other } = prepare(folder);
      chmodSync(web, 0o444);
      const { status, stderr } = program.run(["stamp", folder], asNobody);
      assert.equal(status, 2);
      assert.match(stderr, /web\.yaml: the file can't be written \(EACCES\)/u);
      assert.deepEqual([isStamped(web), isStamped(other)], [false, false]);
      assert.equal(program.run(["stamp", "--keep-going", folder], asNobody).status, 2);
      assert.deepEqual([isStamped(web), isStamped(other)], [false, true]);
    }));
  it("are reported if their folder can't be read", () =>
    inFolder({}, (folder) => {
      const { other } = prepare(folder);
      mkdirSync(join(folder, "closed"), { mode: 0 });
      const { status, stderr } = program.run(["stamp", folder], asNobody);
      assert.equal(status, 1);
      assert.match(stderr, /closed: file not examined: this can't be read \(EACCES\)/u);
      assert.ok(isStamped(other));
    }));
  it(
    "are left as they are where their owner can't be kept",
    { skip: process.getuid?.() !== 0 && "needs files of another user" },
    () =>
      inFolder({}, (folder) => {
        const { web, other } = prepare(folder);
        chownSync(web, 0, 0);
        chmodSync(web, 0o666);
        const { status, stderr } = program.run(["stamp", folder], asNobody);
        assert.equal(status, 2);
        assert.match(stderr, /web\.yaml: the file can't be written \(EPERM\)\n {2}Its mode and owner can't be kept/u);
        assert.deepEqual([isStamped(web), isStamped(other)], [false, false]);
      }),
  );
});

describe("replacing files", () => {
  it("changes no file if one has changed since; with keepGoing, only that one is kept", () =>
    inFolder({ "a.yaml": "old", "b.yaml": "newer", "c.yaml": "old" }, async (folder) => {
      const replacements = ["a.yaml", "b.yaml", "c.yaml"].map((path) => ({
        path,
        real: join(folder, path),
        before: "old",
        text: "new",
      }));
      const texts = (): string[] => readdirSync(folder).map((name) => readFileSync(join(folder, name), "utf8"));
      const errors = await replaceFiles(replacements, { keepGoing: false });
      assert.deepEqual(
        errors.map(({ message, place }) => [place?.file, message]),
        [["b.yaml", "the file has changed since it was read"]],
      );
      assert.deepEqual(texts(), ["old", "newer", "old"]);
      assert.equal((await replaceFiles(replacements, { keepGoing: true })).length, 1);
      assert.deepEqual(texts(), ["new", "newer", "new"]);
    }));
  it("checks again right before each rename, so that a later edit is kept", () =>
    inFolder({}, async (folder) => {
      const names = Array.from({ length: 200 }, (_, i) => `f${String(i).padStart(3, "0")}.yaml`);
      for (const name of names) writeFileSync(join(folder, name), "old");
      const replacements = names.map((path) => ({ path, real: join(folder, path), before: "old", text: "new" }));
      const replacing = replaceFiles(replacements, { keepGoing: false });
      // By now the first texts are written next to their files and compared. No file has been renamed.
      assert.ok(readdirSync(folder).length > names.length);
      writeFileSync(join(folder, "f000.yaml"), "old");
      const errors = await replacing;
      assert.deepEqual(
        errors.map(({ place }) => place?.file),
        ["f000.yaml"],
      );
      assert.deepEqual(readdirSync(folder).sort(), names);
      assert.equal(readFileSync(join(folder, "f000.yaml"), "utf8"), "old");
      assert.equal(readFileSync(join(folder, "f199.yaml"), "utf8"), "new");
    }));
  it("returns an error and leaves nothing behind if a file is gone", () =>
    inFolder({ "a.yaml": "old" }, async (folder) => {
      const replacements = ["a.yaml", "gone.yaml"].map((path) => ({
        path,
        real: join(folder, path),
        before: "old",
        text: "new",
      }));
      const errors = await replaceFiles(replacements, { keepGoing: false });
      assert.equal(errors.length, 1);
      assert.deepEqual([readdirSync(folder), readFileSync(join(folder, "a.yaml"), "utf8")], [["a.yaml"], "old"]);
    }));
});

describe("a current folder that was deleted", () => {
  for (const args of [
    ["plan", "a", "b"],
    ["plan", "--git", "A..B"],
    ["lint", "."],
    ["stamp", "."],
  ])
    it(`stops ${args.join(" ")} with one message`, () =>
      inFolder({}, async (folder) => {
        const before = process.cwd();
        process.chdir(mkdtempSync(join(folder, "gone-")));
        rmdirSync(readdirSync(folder).map((name) => join(folder, name))[0] ?? "");
        try {
          const { status, stdout, stderr } = await cli(args);
          assert.deepEqual([status, stdout], [2, ""]);
          assert.match(stderr, /^rollstamp: error: the current folder no longer exists\n {2}Change to[^\n]*\n$/u);
        } finally {
          process.chdir(before);
        }
      }));
});
