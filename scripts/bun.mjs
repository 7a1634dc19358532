// Fetches Bun, which builds the single executables, from the npm registry: one package for each platform.
// node scripts/bun.mjs [--where] prints the path for this machine; --where fetches nothing.
import { spawnSync } from "node:child_process";
import { createHash } from "node:crypto";
import { existsSync, mkdirSync, mkdtempSync, readFileSync, renameSync, rmSync } from "node:fs";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";

const VERSION = "1.4.5";

/** Node's name of a platform → Bun's name, and the SHA-512 of its package in the registry. */
const PLATFORMS = {
  "linux-x64": [
    "linux-x64",
    "IWX9BELoGHAUtMonkeSaNaZwXzRk+oDw6Mk+HBFXd3KHYIBNBsIGRupMZPcgNoDbJpLu6gAJjIoIVPZtt1aJ1g==",
  ],
  "linux-arm64": [
    "linux-aarch64",
    "4BXmsSKnjOrlGWqZV4x/oWa7AVoR+B6lCXddMzOAXBIm3t50eslg9wb66gmtW1AamEQ1l1CDvmmruysEhqOWMg==",
  ],
  "darwin-x64": [
    "darwin-x64",
    "qkLPMGHZM9NI6CeHTWwVezzmlo6cC4Ta7yUAjYIWXS366qQcOlcp75t2uZyiuVRBMPS0h9qE0tCcvCHGaFqjJg==",
  ],
  "darwin-arm64": [
    "darwin-aarch64",
    "4MIFXHmctH2EhAxLXm2/qxNtv17dFtLJylvaOCsrgq6KSqHTs6eW5YSrJjRbJxYUJaR901fsN8JfZOa+CsWpWQ==",
  ],
  "win32-x64": [
    "windows-x64",
    "FNvply651vcE/GHgNWz6mZvhmkwBuu8Hw54oNzA+CQog+HW+542rXQmZqNHRkFxazD9L3xi+iTtvO3engAgJfw==",
  ],
};

export const HOST = `${process.platform}-${process.arch}`;

/** The platform names of --target. */
export function targetOf(platform) {
  return `bun-${row(platform)[0].replace("aarch64", "arm64")}`;
}

/** The path of Bun for a platform, which is fetched if missing; undefined with --where if missing. */
export function bun(platform, { fetch = true } = {}) {
  const [name, sha512] = row(platform);
  const cache = process.env.ROLLSTAMP_CACHE || join(fileURLToPath(new URL("..", import.meta.url)), ".cache");
  const program = join(cache, `bun-${VERSION}-${name}`, name.startsWith("windows") ? "bun.exe" : "bun");
  if (existsSync(program)) return program;
  if (!fetch) return undefined;
  console.error(`fetching Bun ${VERSION} for ${name}`);
  mkdirSync(dirname(program), { recursive: true });
  const work = mkdtempSync(join(dirname(program), ".fetching-"));
  try {
    const npm = process.platform === "win32" ? "npm.cmd" : "npm";
    const tarball = run(npm, ["pack", "--silent", `@oven/bun-${name}@${VERSION}`], work).trim();
    const found = createHash("sha512")
      .update(readFileSync(join(work, tarball)))
      .digest("base64");
    if (found !== sha512) throw new Error(`@oven/bun-${name} ${VERSION} is not what it was: its SHA-512 is ${found}`);
    run("tar", ["-xzf", tarball], work);
    renameSync(join(work, "package", "bin", program.endsWith(".exe") ? "bun.exe" : "bun"), program);
  } finally {
    rmSync(work, { recursive: true, force: true });
  }
  return program;
}

function row(platform) {
  const found = PLATFORMS[platform];
  if (found === undefined) {
    throw new Error(`there is no Bun for ${platform} here: ${Object.keys(PLATFORMS).join(", ")}`);
  }
  return found;
}

function run(program, args, cwd) {
  const { status, stdout, error } = spawnSync(program, args, {
    cwd,
    encoding: "utf8",
    stdio: ["ignore", "pipe", "inherit"],
    // Node starts a .cmd only with a shell.
    shell: program.endsWith(".cmd"),
  });
  if (status !== 0) throw new Error(`${program} ended with ${status ?? error?.message}`);
  return stdout;
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  const program = bun(HOST, { fetch: process.argv[2] !== "--where" });
  if (program === undefined) {
    console.error(`Bun ${VERSION} is not installed: run scripts/hosts/bun.sh`);
    process.exit(1);
  }
  console.log(program);
}
