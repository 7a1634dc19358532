// The bundles that ship (docs/decisions/0003-bundles.md): the function, the other commands, the library,
// and the libraries that few runs need, each in a file that is loaded when it is wanted.
import { appendFileSync, chmodSync } from "node:fs";
import { resolve } from "node:path";
import { build } from "esbuild";
import { clusterClient } from "./cluster-client.mjs";
import { loweredJsYaml } from "./js-yaml.mjs";

const lowered = new Set();
const lowerSpread = {
  name: "lower-spread-of-js-yaml",
  setup: ({ onLoad }) =>
    onLoad({ filter: /[\\/]js-yaml[\\/]dist[\\/]js-yaml\.mjs$/ }, async ({ path }) => {
      lowered.add(path);
      return { contents: await loweredJsYaml(path), loader: "js" };
    }),
};

/** Libraries that are loaded from a file of their own, and the bundles that another asks for. */
const LIBRARIES = ["croner", "re2js", "yaml"];
const BUNDLES = /^\.\/(?:cluster|commands|function|functions)\.cjs$/;

const apart = {
  name: "apart",
  setup: ({ onResolve }) => {
    onResolve({ filter: BUNDLES }, ({ path }) => ({ path, external: true }));
    onResolve({ filter: new RegExp(`^(?:${LIBRARIES.join("|")})$`) }, ({ path, kind }) =>
      kind === "entry-point" ? undefined : { path: `./${path}.cjs`, external: true },
    );
  },
};

/** Takes in what the other bundles have apart, but for the reader of kubeconfigs. */
const together = {
  name: "together",
  setup: ({ onResolve }) =>
    onResolve({ filter: /^\.\/functions\.cjs$/ }, () => ({ path: resolve("functions/other-functions.ts") })),
};

/** Puts the whole command into the last comment of dist/rollstamp.cjs, for a copy of it alone (src/start/bundles.ts). */
async function writeAlone(commonJs) {
  const { outputFiles } = await build({
    ...commonJs,
    entryPoints: ["src/start/main-alone.ts"],
    plugins: [lowerSpread, together],
    external: ["./cluster.cjs"],
    write: false,
  });
  const code = outputFiles[0].text;
  if (code.includes("\u0001")) throw new Error("the bundle has the character that is to hide the ends of comments");
  appendFileSync("dist/rollstamp.cjs", `\n/*${code.replaceAll("*/", "*\u0001/")}*/\n`);
}

/** Writes dist/*.cjs and dist/index.js; gives esbuild's metafile of each. */
export async function writeBundles(version) {
  const metafiles = [];
  const write = async (options) => {
    metafiles.push((await build({ ...options, metafile: true })).metafile);
  };
  const common = {
    bundle: true,
    platform: "node",
    target: "node20",
    minify: true,
    legalComments: "none",
    logLevel: "warning",
    plugins: [lowerSpread, apart],
    define: { __ROLLSTAMP_VERSION__: JSON.stringify(version) },
  };
  // CommonJS: Node starts it some milliseconds faster than an ES module, and bundled CommonJS
  // libraries need no shim. `require` is there: src/lazy-modules.ts asks for no other way.
  const commonJs = {
    ...common,
    format: "cjs",
    define: { ...common.define, "import.meta.url": "undefined" },
    supported: { "dynamic-import": false },
  };
  await write({
    ...commonJs,
    entryPoints: ["src/start/main.ts"],
    outfile: "dist/rollstamp.cjs",
    banner: { js: "#!/usr/bin/env node" },
  });
  chmodSync("dist/rollstamp.cjs", 0o755);
  await writeAlone(commonJs);
  const entries = {
    function: "src/start/main-function.ts",
    functions: "functions/other-functions.ts",
    commands: "src/start/main-commands.ts",
    ...Object.fromEntries(LIBRARIES.map((name) => [name, name])),
  };
  await write({ ...commonJs, entryPoints: entries, outdir: "dist", outExtension: { ".js": ".cjs" } });
  await write({
    ...commonJs,
    entryPoints: ["src/adapters/kube-config.ts"],
    outfile: "dist/cluster.cjs",
    plugins: [clusterClient, apart],
  });
  await write({
    ...common,
    entryPoints: ["src/index.ts"],
    outfile: "dist/index.js",
    format: "esm",
    banner: { js: "import{createRequire as __cr}from'node:module';const require=__cr(import.meta.url);" },
  });
  if (lowered.size !== 1) throw new Error("js-yaml is no longer where its spread is lowered");
  return metafiles;
}
