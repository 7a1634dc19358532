// Puts dist/rollstamp.cjs in place for an image. One that the context brings is taken as it is, if it
// is newer than all that it is made of: so the image holds the very file that was tested, and its
// build needs neither npm nor a network. Otherwise it is built here.
import { spawnSync } from "node:child_process";
import { readdirSync, statSync } from "node:fs";

const BUILT = "dist/rollstamp.cjs";
const SOURCES = ["src", "functions", "scripts", "package.json", "package-lock.json", "tsconfig.json"];

const built = statSync(BUILT, { throwIfNoEntry: false });
const changed =
  built === undefined ? undefined : filesIn(SOURCES).find((file) => statSync(file).mtimeMs > built.mtimeMs);

if (built !== undefined && changed === undefined) {
  console.log(`${BUILT} is up to date`);
} else {
  console.log(
    built === undefined ? `there is no ${BUILT}: building it` : `${changed} is newer than ${BUILT}: building it`,
  );
  const { status, error } = spawnSync("npm", ["ci", "--no-audit", "--no-fund"], { stdio: "inherit" });
  if (status !== 0) {
    console.error(
      `npm ci failed${error === undefined ? "" : ` (${error.message})`}. Where the build reaches no npm registry, run 'npm ci' in the checkout first.`,
    );
    process.exitCode = 1;
  }
}

/** Files only: a folder's time tells when it was copied. */
function filesIn(paths) {
  const all = paths.flatMap((path) =>
    statSync(path).isDirectory() ? readdirSync(path, { recursive: true }).map((name) => `${path}/${name}`) : [path],
  );
  return all.filter((path) => statSync(path).isFile());
}
