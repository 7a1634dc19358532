import { createHash } from "node:crypto";
import { mkdirSync, readFileSync, renameSync, statSync, unlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { Script } from "node:vm";

// Starts rollstamp.cjs with V8's code cache, which spares each render a third of its time (docs/why/decisions.md). V8 runs what a
// cache contains. So it is kept beside the code: whoever can write there can change the code itself.

declare const __ROLLSTAMP_BUILD__: string;

/** The files that have a cache. The others are small, or rarely loaded. */
const CACHED: ReadonlySet<string> = new Set(["./rollstamp.cjs", "./commands.cjs"]);

const DIGEST_LENGTH = 32;

const modules = new Map<string, { exports: unknown }>();

load("./rollstamp.cjs");

/** What `require` is for the files of the command. Node's own variable turns code caches off. */
function load(id: string): unknown {
  if (!CACHED.has(id) || (process.env["NODE_DISABLE_COMPILE_CACHE"] ?? "") !== "") return require(id);
  const known = modules.get(id);
  if (known !== undefined) return known.exports;
  const module = { exports: {} };
  modules.set(id, module);
  const filename = join(__dirname, id);
  // esbuild writes ASCII, and Node reads that fastest as Latin 1.
  const text = readFileSync(filename, "latin1").replace(/^#!/u, "//");
  const code = `(function (exports, require, module, __filename, __dirname) {${text}\n})`;
  const cache = cacheOf(id);
  const cachedData = cached(cache);
  const script = new Script(code, { filename, ...(cachedData === undefined ? {} : { cachedData }) });
  if ((cachedData === undefined || script.cachedDataRejected === true) && isTypical(id))
    process.once("exit", (status) => {
      if (status === 0) keep(cache, script);
    });
  script.runInThisContext()(module.exports, load, module, filename, __dirname);
  return module.exports;
}

/** Where the cache of a file is, for one build of rollstamp and one executable of Node. */
function cacheOf(id: string): string {
  const { size, mtimeMs } = statSync(process.execPath);
  const node = [process.version, process.arch, size, Math.round(mtimeMs)].join("-");
  return join(__dirname, "cache", `${id.slice(2)}-${__ROLLSTAMP_BUILD__}-${node}`);
}

/** V8 ignores a cache that was made with other flags, but it does not notice damage: the cache begins with its digest. */
function cached(cache: string): Buffer | undefined {
  try {
    const bytes = readFileSync(cache);
    const data = bytes.subarray(DIGEST_LENGTH);
    return digestOf(data).equals(bytes.subarray(0, DIGEST_LENGTH)) ? data : undefined;
  } catch {
    return undefined;
  }
}

function digestOf(data: Uint8Array): Buffer {
  return createHash("sha256").update(data).digest();
}

/** A cache contains the functions that ran. For rollstamp.cjs, those of a render. */
function isTypical(id: string): boolean {
  return id !== "./rollstamp.cjs" || process.argv.length === 2;
}

/** Writes a cache at the end of the first run. Most installations are read-only: then there is none. */
function keep(cache: string, script: Script): void {
  const part = `${cache}.${process.pid}`;
  try {
    // Nobody else may write there, whatever the umask is.
    mkdirSync(join(__dirname, "cache"), { recursive: true, mode: 0o755 });
    // Before the data is made, which takes milliseconds.
    writeFileSync(part, "", { flag: "wx", mode: 0o644 });
    const data = script.createCachedData();
    writeFileSync(part, Buffer.concat([digestOf(data), data]));
    renameSync(part, cache);
  } catch {
    remove(part);
  }
}

/** On a full disk, part of a cache is there; in a read-only installation, nothing is. */
function remove(part: string): void {
  try {
    unlinkSync(part);
  } catch {
    // The next run tries again.
  }
}
