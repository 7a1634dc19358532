// Keeps what V8 makes of the two bundles beside them, for this Node alone (src/start/bundles.ts): each is run
// once, as most of its code is compiled when it is first called.
import { spawnSync } from "node:child_process";
import { createHash } from "node:crypto";
import { readFileSync, renameSync, writeFileSync } from "node:fs";
import { createRequire } from "node:module";
import { dirname, join, resolve } from "node:path";
import { fileURLToPath } from "node:url";
import { Script } from "node:vm";

const SELF = fileURLToPath(import.meta.url);

/** The bundles, and calls of them that go through the code that renders go through. */
const BUNDLES = {
  "function.cjs": async ({ runFunctionCall }) => [await runFunctionCall({})],
  "commands.cjs": async ({ runCommands }) => [await runCommands(["cmp", "parameters"]), await runCommands(["fn"])],
};

/** Writes BUNDLE.<V8's version>-<processor>.cache for the bundles of a folder. */
export function writeCodeCache(folder) {
  for (const name of Object.keys(BUNDLES)) {
    const { status, stderr } = spawnSync(process.execPath, [SELF, resolve(folder), name], {
      cwd: dirname(SELF),
      input: readFileSync(new URL("code-cache.yaml", import.meta.url)),
      stdio: ["pipe", "ignore", "pipe"],
      encoding: "utf8",
    });
    if (status !== 0) throw new Error(`${name}: ${stderr}`);
  }
}

if (process.argv[1] === SELF) {
  const [folder = "dist", name = "function.cjs"] = process.argv.slice(2);
  const bundle = join(folder, name);
  const bytes = readFileSync(bundle);
  // The very text that src/start/bundles.ts compiles: V8 takes its code for no other.
  const source = `(function (require, module) {${bytes.toString("utf8")}\nreturn module.exports;\n})`;
  const script = new Script(source, { filename: bundle });
  const statuses = await BUNDLES[name](script.runInThisContext()(createRequire(bundle), { exports: {} }));
  process.exitCode = Math.max(...statuses);
  const file = `${bundle}.${process.versions.v8}-${process.arch}.cache`;
  const code = script.createCachedData();
  const digest = createHash("sha256").update(bytes).update(code).digest();
  writeFileSync(`${file}.new`, Buffer.concat([digest, code]));
  renameSync(`${file}.new`, file);
}
