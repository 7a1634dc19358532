// Coverage-guided fuzzing with jsfuzz: node scripts/fuzz.mjs [--seconds N] [TARGET...]
//
// Each target of test/fuzz/targets is bundled, so that js-yaml is instrumented with it, and given the
// inputs of test/fuzz/corpus/TARGET first. What covers more is kept in .cache/fuzz; what crashes, or takes
// longer than three minutes, is written there too, and the run ends with status 1.
import { spawn, spawnSync } from "node:child_process";
import { cpSync, existsSync, mkdirSync, readdirSync } from "node:fs";
import { basename, join } from "node:path";
import { fileURLToPath } from "node:url";
import { parseArgs } from "node:util";
import { build } from "esbuild";

process.chdir(fileURLToPath(new URL("..", import.meta.url)));
const { values, positionals } = parseArgs({
  options: { seconds: { type: "string", default: "30" } },
  allowPositionals: true,
});
const FUZZ = "test/fuzz";
const OUT = ".cache/fuzz";
const all = readdirSync(join(FUZZ, "targets")).map((name) => basename(name, ".ts"));
const targets = positionals.length > 0 ? positionals : all;

const fuzzer = join(FUZZ, "node_modules", "jsfuzz", "build", "src", "index.js");
if (!existsSync(fuzzer)) run("npm", ["ci", "--no-audit", "--no-fund"], FUZZ);

let failed = false;
for (const target of targets) {
  if (!all.includes(target)) throw new Error(`no target ${target}: ${all.join(", ")}`);
  const folder = join(OUT, target);
  mkdirSync(join(folder, "corpus"), { recursive: true });
  cpSync(join(FUZZ, "corpus", target), join(folder, "corpus"), { recursive: true });
  await build({
    entryPoints: [join(FUZZ, "targets", `${target}.ts`)],
    outfile: join(folder, "target.cjs"),
    bundle: true,
    platform: "node",
    format: "cjs",
    target: "node20",
    define: { "import.meta.url": "undefined", __ROLLSTAMP_VERSION__: '"fuzz"' },
    external: ["./kube-config.cjs", "./functions.cjs"],
    logLevel: "warning",
  });
  failed = (await fuzz(target, folder)) || failed;
}
process.exitCode = failed ? 1 : 0;

/** Runs one target for its time; true where it crashed. */
function fuzz(target, folder) {
  // Its "versifier" takes texts apart without an end. What it keeps is a part of the memory that it counts.
  const options = ["--versifier=false", "--timeout=180", "--rss-limit-mb=6000", "--exact-artifact-path=crash"];
  const args = [join(process.cwd(), fuzzer), "target.cjs", "corpus", ...options];
  const child = spawn(process.execPath, args, { cwd: folder, detached: true, stdio: ["ignore", "pipe", "inherit"] });
  let tail = "";
  let executions = 0;
  let coverage = 0;
  let timer;
  child.stdout.setEncoding("utf8").on("data", (text) => {
    tail = (tail + text).slice(-20_000);
    for (const [, count, covered] of text.matchAll(/#(\d+) \S+ +cov: (\d+)/g)) {
      executions = Number(count);
      coverage = Number(covered);
      // To instrument all of it takes a while; jsfuzz has no limit of time: it and its worker are ended together.
      if (executions > 0)
        timer ??= setTimeout(() => process.kill(-child.pid, "SIGKILL"), Number(values.seconds) * 1000);
    }
  });
  return new Promise((resolve) => {
    child.on("close", (status, signal) => {
      clearTimeout(timer);
      // Its time is over, or it found something: that it ends by itself is neither.
      const crashed = existsSync(join(folder, "crash"));
      if (!crashed && signal !== "SIGKILL") throw new Error(`jsfuzz ended with ${status ?? signal}\n${tail}`);
      console.log(`${target}: ${executions} runs, ${coverage} places covered${crashed ? ", and a CRASH" : ""}`);
      if (crashed) console.log(`${tail}\nIts input is ${join(folder, "crash")}: make a fixture of it.`);
      resolve(crashed);
    });
  });
}

function run(program, args, cwd) {
  const { status, error } = spawnSync(program, args, { cwd, stdio: "inherit" });
  if (status !== 0) throw new Error(`${program} ended with ${status ?? error?.message}`);
}
