// The bundles that ship (docs/decisions/0003-bundles.md): the command, whose parts few runs need but for the
// function and are compiled when they are wanted, and the library.
import { writeFileSync } from "node:fs";
import { basename } from "node:path";
import { build } from "esbuild";
import { clusterClient } from "./cluster-client.mjs";
import { leanJsYaml } from "./js-yaml.mjs";
import { joinParts } from "./parts.mjs";

const read = new Set();
const leanYaml = {
  name: "lean-js-yaml",
  setup: ({ onLoad }) =>
    onLoad({ filter: /[\\/]js-yaml[\\/]dist[\\/]js-yaml\.mjs$/ }, ({ path }) => {
      read.add(path);
      return { contents: leanJsYaml(path), loader: "js" };
    }),
};

/** Libraries that few runs need: each is a part by itself, and a file by itself where the library wants it. */
const LIBRARIES = ["croner", "re2js", "yaml"];

/** The parts of the command, and what each is made of. */
const PARTS = {
  commands: "src/main/command-line.ts",
  functions: "functions/functions.ts",
  "kube-config": "src/platform/node/kube-config.ts",
  ...Object.fromEntries(LIBRARIES.map((name) => [name, name])),
};
const IS_PART = new RegExp(`^\\./(?:${Object.keys(PARTS).join("|")})\\.cjs$`);

const apart = {
  name: "apart",
  setup: ({ onResolve }) => {
    onResolve({ filter: IS_PART }, ({ path }) => ({ path, external: true }));
    onResolve({ filter: new RegExp(`^(?:${LIBRARIES.join("|")})$`) }, ({ path, kind }) =>
      kind === "entry-point" ? undefined : { path: `./${path}.cjs`, external: true },
    );
  },
};

/** Writes the bundles to dist; gives esbuild's metafiles. */
export async function writeBundles(version) {
  const common = {
    bundle: true,
    platform: "node",
    target: "node20",
    minify: true,
    legalComments: "none",
    logLevel: "warning",
    metafile: true,
    write: false,
    plugins: [clusterClient, leanYaml, apart],
    define: { __ROLLSTAMP_VERSION__: JSON.stringify(version) },
  };
  // CommonJS: Node starts it some milliseconds faster than an ES module, and bundled CommonJS
  // libraries need no shim. `require` is there: the sources ask for no other way then.
  const commonJs = {
    ...common,
    format: "cjs",
    define: { ...common.define, "import.meta.url": "undefined" },
    supported: { "dynamic-import": false },
    outdir: "dist",
    outExtension: { ".js": ".cjs" },
  };
  const command = await build({ ...commonJs, entryPoints: { rollstamp: "src/main/main.ts", ...PARTS } });
  const library = await build({
    ...common,
    entryPoints: ["src/main/index.ts"],
    outfile: "dist/index.js",
    format: "esm",
    banner: { js: "import{createRequire as __cr}from'node:module';const require=__cr(import.meta.url);" },
  });
  const loader = await build({
    stdin: {
      contents: 'import { withParts } from "./src/main/parts.ts"; require = withParts(require, __filename);',
      resolveDir: ".",
    },
    ...commonJs,
    // Line breaks in texts stay escaped: it is to be one line, also where the rest is to be read.
    minify: true,
    supported: { "template-literal": false },
  });
  if (read.size !== 1) throw new Error("js-yaml is no longer where it is made lean");
  const texts = new Map(command.outputFiles.map(({ path, text }) => [`./${basename(path)}`, text]));
  const parts = new Map(Object.keys(PARTS).map((name) => [`./${name}.cjs`, texts.get(`./${name}.cjs`)]));
  const whole = joinParts(texts.get("./rollstamp.cjs"), loader.outputFiles[0].text, [...parts]);
  writeFileSync("dist/rollstamp.cjs", whole, { mode: 0o755 });
  writeFileSync("dist/index.js", library.outputFiles[0].text);
  const [{ imports }] = Object.values(library.metafile.outputs);
  for (const { path } of imports.filter((found) => IS_PART.test(found.path))) {
    writeFileSync(`dist/${path}`, texts.get(path));
  }
  return [command.metafile, library.metafile];
}
