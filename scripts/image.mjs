// Puts the command into a tree of files for an image: image/usr/local/…. The context's dist/ is used if it is newer than its
// sources, so that the image contains the tested files and its build needs neither npm nor a network. Otherwise it is
// built here.
import { spawnSync } from "node:child_process";
import { chmodSync, copyFileSync, mkdirSync, readdirSync, statSync, symlinkSync } from "node:fs";

const BUILT = [
  ...["rollstamp", "commands", "functions", "kube-config", "croner", "re2js", "yaml"].map((name) => `dist/${name}.cjs`),
  "dist/THIRD-PARTY-LICENSES.txt",
];
const TARGET = "image/usr/local/lib/rollstamp";
const SOURCES = [
  "functions",
  "package-lock.json",
  "package.json",
  "pages",
  "templates",
  "schemas",
  "scripts",
  "src",
  "tsconfig.json",
];

const reason = reasonToBuild();
if (reason !== undefined) {
  console.log(`${reason}: building it`);
  const { status, error } = spawnSync("npm", ["ci", "--no-audit", "--no-fund"], { stdio: "inherit" });
  if (status !== 0) {
    const cause = error === undefined ? "" : ` (${error.message})`;
    console.error(
      `npm ci failed${cause}. Where the build reaches no npm registry, run 'npm ci' in the checkout first.`,
    );
    process.exit(1);
  }
}
mkdirSync(TARGET, { recursive: true });
mkdirSync("image/usr/local/bin");
for (const file of BUILT) copyFileSync(file, file.replace("dist", TARGET));
copyFileSync("LICENSE", `${TARGET}/LICENSE`);
chmodSync(`${TARGET}/rollstamp.cjs`, 0o755);
symlinkSync("../lib/rollstamp/rollstamp.cjs", "image/usr/local/bin/rollstamp");

/** Why dist/ cannot be used; undefined if it can. */
function reasonToBuild() {
  const missing = BUILT.find((file) => statSync(file, { throwIfNoEntry: false }) === undefined);
  if (missing !== undefined) return `there is no ${missing}`;
  const oldest = Math.min(...BUILT.map((file) => statSync(file).mtimeMs));
  const changed = filesIn(SOURCES).find((file) => statSync(file).mtimeMs > oldest);
  return changed === undefined ? undefined : `${changed} is newer than dist`;
}

/** Only files: the time of a folder is the time of its copy. */
function filesIn(paths) {
  const all = paths.flatMap((path) =>
    statSync(path).isDirectory() ? readdirSync(path, { recursive: true }).map((name) => `${path}/${name}`) : [path],
  );
  return all.filter((path) => statSync(path).isFile());
}
