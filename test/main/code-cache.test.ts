import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { mkdtempSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, describe, it } from "node:test";
import { copyCommand } from "../support/shipped.ts";

// The code cache beside the command (docs/why/decisions.md).

const INPUT = `{apiVersion: v1, kind: ConfigMap, metadata: {name: env}, data: {A: "1"}}
---
apiVersion: apps/v1
kind: Deployment
metadata: {name: web}
spec:
  template:
    spec:
      containers: [{name: web, image: "web:1", envFrom: [{configMapRef: {name: env}}]}]
`;

describe("the code cache", () => {
  const folders: string[] = [];
  after(() => {
    for (const folder of folders) rmSync(folder, { recursive: true, force: true });
  });

  const installed = (): string => {
    const folder = mkdtempSync(join(tmpdir(), "rollstamp-cache-"));
    folders.push(folder);
    copyCommand(folder);
    return folder;
  };
  const run = (folder: string, args: readonly string[] = [], more: NodeJS.ProcessEnv = {}): string => {
    const { status, stdout, stderr } = spawnSync(process.execPath, [join(folder, "start.cjs"), ...args], {
      input: INPUT,
      encoding: "utf8",
      env: { PATH: process.env["PATH"], ...more },
    });
    assert.deepEqual([status, stderr], [0, ""]);
    return stdout;
  };
  const cached = (folder: string): readonly string[] => readdirSync(join(folder, "cache"));
  const stamped = run(installed());

  it("is written by the first render, and read by the next", () => {
    const folder = installed();
    assert.equal(run(folder), stamped);
    const [name = "", ...others] = cached(folder);
    assert.deepEqual(others, []);
    assert.match(name, new RegExp(`^rollstamp\\.cjs-[0-9a-f]{16}-${process.version.replaceAll(".", "\\.")}-`, "u"));
    // V8 refuses one that was made with other flags; then it would be written again, as a new file.
    const { ino } = statSync(join(folder, "cache", name));
    assert.equal(run(folder), stamped);
    assert.equal(statSync(join(folder, "cache", name)).ino, ino);
  });

  it("has the commands too, but not what a command uses of the function", () => {
    const folder = installed();
    assert.match(run(folder, ["version"]), /^\d+\.\d+\.\d+/u);
    assert.deepEqual(
      cached(folder).map((name) => name.replace(/-.*/u, "")),
      ["commands.cjs"],
    );
    assert.match(run(folder, ["version"]), /^\d+\.\d+\.\d+/u);
  });

  for (const [what, damage] of [
    ["empty", () => Buffer.alloc(0)],
    ["cut", (bytes) => bytes.subarray(0, bytes.length >> 1)],
    ["another", () => Buffer.from("not a cache")],
    [
      "changed in one byte",
      (bytes) => Buffer.from(bytes).fill((bytes.at(-200) ?? 0) ^ 0x55, bytes.length - 200, bytes.length - 199),
    ],
  ] as readonly (readonly [string, (bytes: Buffer) => Buffer])[])
    it(`is ignored and written again if it is ${what}`, () => {
      const folder = installed();
      run(folder);
      const [name = ""] = cached(folder);
      const file = join(folder, "cache", name);
      const before = readFileSync(file);
      writeFileSync(file, damage(before));
      assert.equal(run(folder), stamped);
      assert.ok(readFileSync(file).length > before.length / 2);
      assert.equal(run(folder), stamped);
    });

  const bytesOf = (folder: string): Buffer => {
    const [name = ""] = cached(folder);
    return readFileSync(join(folder, "cache", name));
  };

  it("is used by the next command if the first one has so many files that it sets a flag of V8", () => {
    const folder = installed();
    const manifests = mkdtempSync(join(tmpdir(), "rollstamp-many-"));
    folders.push(manifests);
    for (let i = 0; i < 501; i += 1)
      writeFileSync(join(manifests, `${i}.yaml`), INPUT.replaceAll(/env\b|web/gu, `$&${i}`));
    const { status } = spawnSync(process.execPath, [join(folder, "start.cjs"), "stamp", manifests]);
    assert.equal(status, 0);
    const before = bytesOf(folder);
    run(folder, ["version"]);
    assert.deepEqual(bytesOf(folder), before);
  });

  it("is written again if V8 refuses it", () => {
    const folder = installed();
    run(folder, ["version"], { NODE_OPTIONS: "--max-semi-space-size=1" });
    const before = bytesOf(folder);
    run(folder, ["version"]);
    const again = bytesOf(folder);
    assert.notDeepEqual(again, before);
    run(folder, ["version"]);
    assert.deepEqual(bytesOf(folder), again);
  });

  it("is not needed: nothing is reported where it cannot be written", () => {
    const folder = installed();
    writeFileSync(join(folder, "cache"), "a file in its place");
    assert.equal(run(folder), stamped);
    assert.equal(readFileSync(join(folder, "cache"), "utf8"), "a file in its place");
  });

  it("can be written by nobody else, whatever the umask is", { skip: process.platform === "win32" }, () => {
    const folder = installed();
    const before = process.umask(0);
    try {
      run(folder);
    } finally {
      process.umask(before);
    }
    const [name = ""] = cached(folder);
    const modes = ["cache", `cache/${name}`].map((path) => statSync(join(folder, path)).mode & 0o777);
    assert.deepEqual(modes, [0o755, 0o644]);
  });

  it("is off with Node's own variable", () => {
    const folder = installed();
    assert.equal(run(folder, [], { NODE_DISABLE_COMPILE_CACHE: "1" }), stamped);
    assert.equal(readdirSync(folder).includes("cache"), false);
  });

  it("contains nothing of the input", () => {
    const folder = installed();
    const { status } = spawnSync(process.execPath, [join(folder, "start.cjs")], {
      input: INPUT.replace('"1"', '"hunter2-hunter2"'),
    });
    assert.equal(status, 0);
    for (const name of cached(folder)) assert.ok(!readFileSync(join(folder, "cache", name)).includes("hunter2"));
  });
});
