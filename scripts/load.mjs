// Loads modules of src/ as they are, for what is generated from them.
import { build } from "esbuild";

/** The exports of a module, bundled with what it imports. */
export async function load(entry) {
  const { outputFiles } = await build({
    entryPoints: [entry],
    bundle: true,
    platform: "node",
    format: "esm",
    write: false,
    logLevel: "warning",
    banner: { js: 'import { createRequire } from "node:module"; const require = createRequire(process.cwd() + "/");' },
  });
  return import(`data:text/javascript;base64,${Buffer.from(outputFiles[0].contents).toString("base64")}`);
}
