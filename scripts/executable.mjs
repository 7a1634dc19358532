// Compiles dist/rollstamp.cjs and the files that it loads into a single executable, for people and hosts without Node:
//
//   node scripts/executable.mjs [--platform linux-arm64] [OUTPUT]
//
// Uses Bun, which starts the function in two fifths of the time of a single executable of Node, and builds for other
// platforms (docs/why/decisions.md).
import { spawnSync } from "node:child_process";
import { mkdirSync } from "node:fs";
import { dirname, join, resolve } from "node:path";
import { fileURLToPath } from "node:url";
import { parseArgs } from "node:util";
import { bun, HOST, targetOf } from "./bun.mjs";

const root = fileURLToPath(new URL("..", import.meta.url));
const { values, positionals } = parseArgs({
  options: { platform: { type: "string", default: HOST } },
  allowPositionals: true,
});
const { platform } = values;
const output = resolve(
  positionals[0] ?? `${root}/dist/rollstamp-${platform}${platform.startsWith("win32") ? ".exe" : ""}`,
);

mkdirSync(dirname(output), { recursive: true });
compile();
if (platform === HOST) {
  // macOS on Apple silicon runs only signed programs; an ad-hoc signature is enough.
  if (process.platform === "darwin") run("codesign", ["--force", "--sign", "-", output]);
  run(output, ["--version"]);
}

function compile() {
  const args = [
    "build",
    "rollstamp.cjs",
    "--compile",
    `--target=${targetOf(platform)}`,
    `--compile-executable-path=${bun(platform)}`,
    // Compiled code starts faster.
    "--bytecode",
    "--format=cjs",
    // Files in the folder of a render belong to a tenant: they must not set variables or load code.
    "--no-compile-autoload-dotenv",
    "--no-compile-autoload-bunfig",
    "--no-compile-autoload-tsconfig",
    "--no-compile-autoload-package-json",
    `--outfile=${output}`,
  ];
  run(bun(HOST), args, join(root, "dist"));
}

function run(program, args, cwd = root) {
  const { status, error } = spawnSync(program, args, { cwd, stdio: ["ignore", "inherit", "inherit"] });
  if (status !== 0) throw new Error(`${program} ended with ${status ?? error?.message}`);
}
