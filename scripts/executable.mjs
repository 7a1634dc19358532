// Makes a single executable of dist/*.cjs and the Node that runs this script, for people and
// hosts without Node: node scripts/executable.mjs [OUTPUT]. Needs Node 25.5 or later, whose own
// option does it; what comes of it runs on the operating system and processor of that Node.
import { spawnSync } from "node:child_process";
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join, resolve } from "node:path";
import { build } from "esbuild";

const output = resolve(
  process.argv[2] ?? `dist/rollstamp-${process.platform}-${process.arch}${process.platform === "win32" ? ".exe" : ""}`,
);

const [major = 0, minor = 0] = process.versions.node.split(".").map(Number);
if (major < 25 || (major === 25 && minor < 5)) {
  console.error(`Node ${process.version} can't build a single executable: 25.5 or later can`);
  process.exit(1);
}

const folder = mkdtempSync(join(tmpdir(), "rollstamp-executable-"));
try {
  mkdirSync(dirname(output), { recursive: true });
  // An executable has no files beside it: what the command loads from there goes into one file with it.
  const main = join(folder, "rollstamp.cjs");
  const bundle = { bundle: true, platform: "node", target: "node20", format: "cjs", minify: true, logLevel: "warning" };
  await build({ ...bundle, entryPoints: ["dist/rollstamp.cjs"], outfile: main });
  const config = {
    main,
    mainFormat: "commonjs",
    output,
    disableExperimentalSEAWarning: true,
    // The code comes compiled: it starts sooner.
    useCodeCache: true,
    // NODE_OPTIONS of whoever calls it is for his own programs.
    execArgvExtension: "none",
  };
  writeFileSync(join(folder, "sea.json"), JSON.stringify(config));
  run(process.execPath, [`--build-sea=${join(folder, "sea.json")}`]);
  // macOS runs nothing on its own processors that is not signed, if only by nobody.
  if (process.platform === "darwin") run("codesign", ["--force", "--sign", "-", output]);
  run(output, ["--version"]);
} finally {
  rmSync(folder, { recursive: true, force: true });
}

function run(program, args) {
  const { status, error } = spawnSync(program, args, { stdio: "inherit" });
  if (status !== 0) throw new Error(`${program} ended with ${status ?? error?.message}`);
}
