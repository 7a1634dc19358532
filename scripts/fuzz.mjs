// Coverage-guided fuzzing with jsfuzz: node scripts/fuzz.mjs [--seconds N] [TARGET...]
//
// Each target of test/fuzz/targets is bundled, so that js-yaml is instrumented with it, and starts with its inputs
// in test/fuzz/corpus.tar.gz. Inputs that cover more code are kept in .cache/fuzz. An input that crashes the target,
// or takes longer than three minutes, is written there too, and the run ends with status 1.
import { spawn } from "node:child_process";
import { existsSync, readdirSync } from "node:fs";
import { basename, join } from "node:path";
import { fileURLToPath } from "node:url";
import { parseArgs } from "node:util";
import { build } from "esbuild";
import { unpackCorpus } from "./fuzz-corpus.mjs";
import { toolPackages } from "./tool-packages.mjs";

process.chdir(fileURLToPath(new URL("..", import.meta.url)));
const { values, positionals } = parseArgs({
  options: { seconds: { type: "string", default: "30" } },
  allowPositionals: true,
});
const FUZZ = "test/fuzz";
const OUT = ".cache/fuzz";
const all = readdirSync(join(FUZZ, "targets")).map((name) => basename(name, ".ts"));
const targets = positionals.length > 0 ? positionals : all;

const fuzzer = join(toolPackages(".cache/tools/fuzz", ["jsfuzz@1.0.15"]), "jsfuzz/build/src/index.js");

let failed = false;
for (const target of targets) {
  if (!all.includes(target)) throw new Error(`no target ${target}: ${all.join(", ")}`);
  const folder = join(OUT, target);
  unpackCorpus(join(OUT, "corpora"), [target]);
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

/** Runs one target for its time; returns whether it crashed. */
function fuzz(target, folder) {
  // jsfuzz's "versifier" never finishes on some texts. The limit of memory includes the inputs that jsfuzz keeps.
  const options = ["--versifier=false", "--timeout=180", "--rss-limit-mb=6000", "--exact-artifact-path=crash"];
  const corpus = join(process.cwd(), OUT, "corpora", target);
  const args = [join(process.cwd(), fuzzer), "target.cjs", corpus, ...options];
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
      // The time starts with the first run, after the code is instrumented. jsfuzz has no time limit of its own.
      if (executions > 0)
        timer ??= setTimeout(() => process.kill(-child.pid, "SIGKILL"), Number(values.seconds) * 1000);
    }
  });
  return new Promise((resolve) => {
    child.on("close", (status, signal) => {
      clearTimeout(timer);
      // Only a crash or our signal may end jsfuzz.
      const crashed = existsSync(join(folder, "crash"));
      if (!crashed && signal !== "SIGKILL") throw new Error(`jsfuzz ended with ${status ?? signal}\n${tail}`);
      console.log(`${target}: ${executions} runs, ${coverage} places covered${crashed ? ", and a CRASH" : ""}`);
      if (crashed) console.log(`${tail}\nThe input is ${join(folder, "crash")}: make a fixture of it.`);
      resolve(crashed);
    });
  });
}
