// Compiles src, functions and test into .build, as they stand: what tests run.
import { execFileSync } from "node:child_process";
import { cpSync, existsSync, mkdirSync, rmSync, writeFileSync } from "node:fs";
import { createRequire } from "node:module";
import { dirname, join } from "node:path";
import fg from "fast-glob";
import { leanJsYaml } from "./js-yaml.mjs";

const typescript = dirname(createRequire(import.meta.url).resolve("typescript/package.json"));

/** Runs TypeScript's compiler. */
export function tsc(...args) {
  execFileSync(process.execPath, [join(typescript, "bin/tsc"), ...args], { stdio: "inherit" });
}

/** Writes .build; without `check` types don't count. dist has to be there. */
export async function compile({ version, check }) {
  const options = ["--declaration", "false", "--isolatedDeclarations", "false"];
  // Unchanged files in .build are not written again.
  const again = ["--incremental", "--tsBuildInfoFile", ".build/tsconfig.tsbuildinfo"];
  tsc("-p", "tsconfig.json", ...options, ...(check ? again : ["--noCheck"]));
  for (const file of fg.sync(".build/{src,functions,test}/**/*.js", { dot: true })) {
    const source = file.slice(".build/".length, -".js".length);
    if (!existsSync(`${source}.ts`)) rmSync(file);
  }
  for (const made of ["src/stamping/function/validators.js", "src/output/html/pages.js", "src/setup/init/templates.js"])
    cpSync(made, `.build/${made}`);
  cpSync("dist/kube-config.cjs", ".build/src/node/kube-config.cjs");
  mkdirSync(".build/node_modules/js-yaml", { recursive: true });
  writeFileSync(
    ".build/node_modules/js-yaml/index.js",
    leanJsYaml(
      createRequire(import.meta.url)
        .resolve("js-yaml")
        .replace(/js-yaml\.cjs\.js$/u, "js-yaml.mjs"),
    ),
  );
  writeFileSync(
    ".build/node_modules/js-yaml/package.json",
    JSON.stringify({ name: "js-yaml", type: "module", exports: "./index.js" }),
  );
  writeFileSync(".build/package.json", JSON.stringify({ type: "module", version }));
}
