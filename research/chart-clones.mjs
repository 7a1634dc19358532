// Fetches the repositories of research/most-used-charts.yaml, each at its commit and no more of it than its charts.
//
//   node research/chart-clones.mjs            fetches what is missing, and prints the folder that holds the clones
//   node research/chart-clones.mjs --where    prints the folder, or says what is missing
//
// They are kept in ROLLSTAMP_CACHE/charts. The status is 3 where github.com is out of reach.
import { existsSync, mkdirSync, mkdtempSync, readFileSync, renameSync, rmSync } from "node:fs";
import { homedir } from "node:os";
import { join } from "node:path";
import { spawnSync } from "node:child_process";
import { parse } from "yaml";

const OUT_OF_REACH = 3;
const cache = process.env.ROLLSTAMP_CACHE ?? join(process.env.XDG_CACHE_HOME ?? join(homedir(), ".cache"), "rollstamp");
const folder = join(cache, "charts");
const { repositories, charts } = parse(readFileSync(join(import.meta.dirname, "most-used-charts.yaml"), "utf8"));

function git(at, ...args) {
  // A repository that went private asks for a password, and a line that is slow for ever is none.
  const settings = ["-c", "http.lowSpeedLimit=1000", "-c", "http.lowSpeedTime=30", "-c", "advice.detachedHead=false"];
  const env = { ...process.env, GIT_TERMINAL_PROMPT: "0" };
  const { status, stderr, stdout } = spawnSync("git", ["-C", at, ...settings, ...args], { encoding: "utf8", env });
  if (status !== 0) throw new Error(`git ${args[0]}: ${stderr.trim()}`);
  return stdout.trim();
}

/** The folder of a clone: another commit, or other charts, are another one. */
function isThere(name, { commit }) {
  const clonePath = join(folder, name.replace("/", "+"));
  return (
    existsSync(clonePath) &&
    git(clonePath, "rev-parse", "HEAD") === commit &&
    pathsOf(name).every((path) => existsSync(join(clonePath, path)))
  );
}

/** What of a repository is wanted: its charts, and those that charts depend on. */
function pathsOf(name) {
  const chartPaths = charts.filter(({ repository }) => repository === name).map(({ path }) => path);
  return [...chartPaths, ...(repositories[name].needs ?? [])];
}

function clone(name, { commit }) {
  const made = mkdtempSync(join(folder, ".fetched-"));
  try {
    git(made, "init", "--quiet");
    git(made, "remote", "add", "origin", `https://github.com/${name}.git`);
    const paths = pathsOf(name);
    if (!paths.includes(".")) git(made, "sparse-checkout", "set", "--no-cone", ...paths.map((path) => `/${path}`));
    git(made, "fetch", "--quiet", "--depth=1", "--filter=blob:none", "origin", commit);
    git(made, "checkout", "--quiet", "FETCH_HEAD");
    const clonePath = join(folder, name.replace("/", "+"));
    rmSync(clonePath, { recursive: true, force: true });
    renameSync(made, clonePath);
  } finally {
    rmSync(made, { recursive: true, force: true });
  }
}

mkdirSync(folder, { recursive: true });
const missing = Object.entries(repositories).filter(([name, of]) => !isThere(name, of));
if (missing.length > 0 && process.argv.includes("--where")) {
  console.error(
    `${missing.length} of ${Object.keys(repositories).length} repositories are missing: run research/chart-clones.mjs`,
  );
  process.exit(1);
}
for (const [name, of] of missing) {
  try {
    clone(name, of);
    console.error(name);
  } catch (cause) {
    console.error(`${name} can't be fetched: ${cause.message}`);
    if (/Could not resolve|Failed to connect|unable to access|timed out/iu.test(cause.message))
      process.exit(OUT_OF_REACH);
    process.exitCode = 1;
  }
}
console.log(folder);
