// Compiles the JSON Schemas of functions/*/schema.json and src/stamping/function/*.schema.json into standalone validators, so that ajv's
// run-time compiler (40 ms) is not on the function's path.
import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { dirname } from "node:path";
import { buildSync } from "esbuild";
import fg from "fast-glob";
import { Ajv2020 } from "ajv/dist/2020.js";
import standaloneCode from "ajv/dist/standalone/index.js";

/**
 * Writes one ES module that exports a validator per schema; a bundle takes those that it uses.
 * Gives esbuild's metafile of each.
 */
export function writeValidators(outfile) {
  const ajv = new Ajv2020({
    allErrors: true,
    strict: true,
    allowUnionTypes: true,
    // validate.ts words the problems. Without inlining, the code is a fifth smaller, and every start reads it.
    messages: false,
    inlineRefs: false,
    code: { source: true, lines: true },
  });
  const titles = fg
    .sync(["functions/*/schema.json", "src/stamping/function/*.schema.json"])
    .sort()
    .map((file) => {
      const schema = JSON.parse(readFileSync(file, "utf8"));
      ajv.addSchema(schema, schema.title);
      return schema.title;
    });
  mkdirSync(dirname(outfile), { recursive: true });
  const made = titles.map((title) => validator(ajv, title));
  writeFileSync(outfile, made.map(({ code }) => code).join("\n"));
  return made.map(({ metafile }) => metafile);
}

/** Marks the code that ajv generates as free of side effects, which a bundler can't detect. */
function validator(ajv, title) {
  // Some keywords keep a run-time helper, which standalone code requires: it is bundled in.
  const { outputFiles, metafile } = buildSync({
    stdin: { contents: standaloneCode.default(ajv, { [title]: title }), resolveDir: process.cwd(), loader: "js" },
    bundle: true,
    platform: "node",
    format: "iife",
    globalName: "made",
    write: false,
    outfile: `${title}.js`,
    metafile: true,
  });
  const code = `export const validate${title} = /* @__PURE__ */ (() => {\n${outputFiles[0].text}return made.${title};\n})();\n`;
  return { code, metafile };
}
