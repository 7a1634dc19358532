// Installs the packages of a tool that only one script needs, apart from the project's own packages.
//
// Stryker and jsfuzz bring 440 packages along. As development dependencies they would more than double
// package-lock.json, and everybody who runs `npm ci` would install them. Names and versions are exact, and the date
// keeps npm from choosing versions of their dependencies that were published later.
import { execFileSync } from "node:child_process";
import { existsSync, mkdirSync } from "node:fs";
import { join } from "node:path";

const NEWEST = "2026-11-20";

/** Installs the packages below a folder, unless they are there; returns the folder's node_modules. */
export function toolPackages(folder, packages) {
  const modules = join(folder, "node_modules");
  const isInstalled = packages.every((name) => existsSync(join(modules, name.replace(/@[^@]+$/u, ""))));
  if (!isInstalled) {
    mkdirSync(folder, { recursive: true });
    const options = ["--no-save", "--no-package-lock", "--ignore-scripts", "--no-audit", "--no-fund"];
    execFileSync("npm", ["install", ...options, `--before=${NEWEST}`, `--prefix=${folder}`, ...packages], {
      stdio: "inherit",
    });
  }
  return modules;
}
