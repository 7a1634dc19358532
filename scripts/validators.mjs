// Compiles the JSON Schemas of functions/*/schema.json into standalone validators, so that ajv's
// run-time compiler (40 ms) is not on the function's path.
import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { dirname } from "node:path";
import { buildSync } from "esbuild";
import fg from "fast-glob";
import { Ajv2020 } from "ajv/dist/2020.js";
import standaloneCode from "ajv/dist/standalone/index.js";

/** Writes one ES module that exports a validator per function: ConfigHash, Restart, RolloutLint. */
export function writeValidators(outfile) {
  const ajv = new Ajv2020({
    allErrors: true,
    strict: true,
    allowUnionTypes: true,
    code: { source: true, esm: true, lines: true },
  });
  const names = {};
  for (const file of fg.sync("functions/*/schema.json").sort()) {
    const schema = JSON.parse(readFileSync(file, "utf8"));
    ajv.addSchema(schema, schema.title);
    names[`validate${schema.title}`] = schema.title;
  }
  const code = standaloneCode.default(ajv, names);
  mkdirSync(dirname(outfile), { recursive: true });
  // Some keywords keep a run-time helper, which standalone code requires: it is bundled in.
  const { outputFiles } = buildSync({
    stdin: { contents: code, resolveDir: process.cwd(), loader: "js" },
    bundle: true,
    platform: "node",
    format: "esm",
    write: false,
  });
  writeFileSync(outfile, outputFiles[0].contents);
}
