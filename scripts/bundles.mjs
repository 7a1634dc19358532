// The bundles that ship (docs/why/decisions.md): the command as a small file for renders and files that it
// loads when they are needed, a file that starts it with a code cache, and the library.
import { createHash } from "node:crypto";
import { chmodSync, readFileSync, writeFileSync } from "node:fs";
import { build } from "esbuild";
import { clusterClient } from "./cluster-client.mjs";
import { leanJsYaml } from "./js-yaml.mjs";

const patched = new Set();
export const leanYaml = {
  name: "lean-js-yaml",
  setup: ({ onLoad }) =>
    onLoad({ filter: /[\\/]js-yaml[\\/]dist[\\/]js-yaml\.mjs$/ }, ({ path }) => {
      patched.add(path);
      return { contents: leanJsYaml(path), loader: "js" };
    }),
};

/** Libraries that few runs need. */
const LIBRARIES = ["croner", "re2js", "yaml"];

/** The files that are loaded late, and their entry points. */
const LATE = {
  commands: "src/main/command-line.ts",
  functions: "functions/functions.ts",
  "kube-config": "src/node/kube-config.ts",
  ...Object.fromEntries(LIBRARIES.map((name) => [name, name])),
};
const IS_LATE = new RegExp(`^\\./(${Object.keys(LATE).join("|")})\\.cjs$`);

const lateFiles = {
  name: "late-files",
  setup: ({ onResolve }) => {
    onResolve({ filter: IS_LATE }, ({ path }) => ({ path, external: true }));
    onResolve({ filter: new RegExp(`^(?:${LIBRARIES.join("|")})$`) }, ({ path, kind }) =>
      kind === "entry-point" ? undefined : { path: `./${path}.cjs`, external: true },
    );
  },
};

/** Writes the bundles to dist; returns esbuild's metafiles. */
export async function writeBundles(version) {
  const common = {
    bundle: true,
    platform: "node",
    target: "node20",
    minify: true,
    legalComments: "none",
    logLevel: "warning",
    metafile: true,
    plugins: [clusterClient, leanYaml, lateFiles],
    define: { __ROLLSTAMP_VERSION__: JSON.stringify(version) },
  };
  // CommonJS: Node starts it some milliseconds faster than an ES module, and bundled CommonJS libraries need no shim. The
  // sources load libraries with `require` where it exists.
  const command = await build({
    ...common,
    format: "cjs",
    define: { ...common.define, "import.meta.url": "undefined" },
    supported: { "dynamic-import": false },
    entryPoints: { rollstamp: "src/main/main.ts", ...LATE },
    outdir: "dist",
    outExtension: { ".js": ".cjs" },
  });
  writeFileSync("dist/rollstamp.cjs", `#!/usr/bin/env node\n${readFileSync("dist/rollstamp.cjs", "utf8")}`);
  // A code cache belongs to these very files.
  const digest = createHash("sha256");
  for (const name of ["rollstamp", ...Object.keys(LATE)]) digest.update(readFileSync(`dist/${name}.cjs`));
  const start = await build({
    ...common,
    format: "cjs",
    define: { __ROLLSTAMP_BUILD__: JSON.stringify(digest.digest("hex").slice(0, 16)) },
    entryPoints: ["src/main/start.ts"],
    outfile: "dist/start.cjs",
    banner: { js: "#!/usr/bin/env node" },
  });
  for (const name of ["rollstamp", "start"]) chmodSync(`dist/${name}.cjs`, 0o755);
  const library = await build({
    ...common,
    entryPoints: ["src/main/index.ts"],
    outfile: "dist/index.js",
    format: "esm",
    banner: { js: "import{createRequire as __cr}from'node:module';const require=__cr(import.meta.url);" },
  });
  if (patched.size !== 1) throw new Error("js-yaml is no longer where it is patched");
  return [command.metafile, start.metafile, library.metafile];
}
