// Builds what ships: the validators of every function's schema, the texts of the HTML reports, one bundled
// file for the command, the library with its types. With --tests it also compiles src and test into
// .build, as they stand.
import { execFileSync } from "node:child_process";
import { chmodSync, cpSync, existsSync, mkdirSync, readFileSync, readdirSync, rmSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { build, transform } from "esbuild";
import { buildClusterClient } from "./cluster-client.mjs";
import { writePages } from "./pages.mjs";
import { writeValidators } from "./validators.mjs";

const root = join(dirname(fileURLToPath(import.meta.url)), "..");
process.chdir(root);
const { version } = JSON.parse(readFileSync("package.json", "utf8"));
const tests = process.argv.includes("--tests");

writeValidators("src/config/validators.js");
writePages("src/report/html/pages.js");

// Until V8 12 (Node 20) an object made by a spread with further fields has a hidden class of its own.
// js-yaml's parser state is one: from its second text on each look at it was slow, 5,000 files took
// three times as long. esbuild writes that spread as assignments.
const lowered = new Set();
const lowerSpread = {
  name: "lower-spread-of-js-yaml",
  setup: ({ onLoad }) =>
    onLoad({ filter: /[\\/]js-yaml[\\/]dist[\\/]js-yaml\.mjs$/ }, async ({ path }) => {
      lowered.add(path);
      const options = { supported: { "object-rest-spread": false } };
      return { contents: (await transform(readFileSync(path, "utf8"), options)).code, loader: "js" };
    }),
};

const common = {
  plugins: [lowerSpread],
  bundle: true,
  platform: "node",
  target: "node20",
  define: { __ROLLSTAMP_VERSION__: JSON.stringify(version) },
  legalComments: "none",
  // Stands beside each bundle, and is loaded from there by the commands that ask a cluster.
  external: ["./cluster.cjs*"],
  logLevel: "warning",
};

rmSync("dist", { recursive: true, force: true });
mkdirSync("dist/schemas", { recursive: true });

// CommonJS: Node starts it some milliseconds faster than an ES module, and bundled CommonJS
// libraries need no shim (docs/decisions/0003-one-file.md).
await build({
  ...common,
  entryPoints: ["src/main.ts"],
  outfile: "dist/rollstamp.cjs",
  format: "cjs",
  // `require` is there in CommonJS: src/lazy-modules.ts asks for no other way.
  define: { ...common.define, "import.meta.url": "undefined" },
  minify: true,
  banner: { js: "#!/usr/bin/env node" },
});
chmodSync("dist/rollstamp.cjs", 0o755);

await buildClusterClient(common, "dist/cluster.cjs");

await build({
  ...common,
  entryPoints: ["src/index.ts"],
  outfile: "dist/index.js",
  format: "esm",
  minify: true,
  banner: { js: "import{createRequire as __cr}from'node:module';const require=__cr(import.meta.url);" },
});

if (lowered.size !== 1) throw new Error("js-yaml is no longer where its spread is lowered");

const tsc = (...args) =>
  execFileSync(process.execPath, ["node_modules/typescript/bin/tsc", ...args], { stdio: "inherit" });
tsc("-p", "scripts/tsconfig.types.json");

for (const name of ["config-hash", "restart", "rollout-lint"]) {
  const schema = `functions/${name}/schema.json`;
  if (existsSync(schema)) cpSync(schema, `dist/schemas/${name}.json`);
}

// The shapes that commands print.
for (const name of readdirSync("schemas")) cpSync(`schemas/${name}`, `dist/schemas/${name}`);

if (tests) {
  rmSync(".build", { recursive: true, force: true });
  tsc("-p", "tsconfig.json", "--declaration", "false", "--isolatedDeclarations", "false");
  for (const made of ["src/config/validators.js", "src/report/html/pages.js"]) cpSync(made, `.build/${made}`);
  cpSync("dist/cluster.cjs", ".build/src/cluster.cjs");
  writeFileSync(".build/package.json", JSON.stringify({ type: "module", version }));
}
