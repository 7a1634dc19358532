// Keeps what V8 makes of the function's bundle beside it, for this Node alone (src/bundles.ts): the
// bundle is run once, as most of its code is compiled when it is first called.
import { spawnSync } from "node:child_process";
import { createHash } from "node:crypto";
import { readFileSync, renameSync, writeFileSync } from "node:fs";
import { createRequire } from "node:module";
import { join, resolve } from "node:path";
import { fileURLToPath } from "node:url";
import { Script } from "node:vm";

const SELF = fileURLToPath(import.meta.url);

/** Writes function.cjs.<V8's version>-<processor>.cache beside a folder's function.cjs. */
export function writeCodeCache(folder) {
  const { status, stderr } = spawnSync(process.execPath, [SELF, folder], {
    input: readFileSync(new URL("code-cache.yaml", import.meta.url)),
    stdio: ["pipe", "ignore", "pipe"],
    encoding: "utf8",
  });
  if (status !== 0) throw new Error(stderr);
}

if (process.argv[1] === SELF) {
  const bundle = join(resolve(process.argv[2] ?? "dist"), "function.cjs");
  // The very text that src/bundles.ts compiles: V8 takes its code for no other.
  const bytes = readFileSync(bundle);
  const source = `(function (require, module) {${bytes.toString("utf8")}\nreturn module.exports;\n})`;
  const script = new Script(source, { filename: bundle });
  const { runFunctionCall } = script.runInThisContext()(createRequire(bundle), { exports: {} });
  process.exitCode = await runFunctionCall({});
  const file = `${bundle}.${process.versions.v8}-${process.arch}.cache`;
  const code = script.createCachedData();
  const digest = createHash("sha256").update(bytes).update(code).digest();
  writeFileSync(`${file}.new`, Buffer.concat([digest, code]));
  renameSync(`${file}.new`, file);
}
