// Builds what ships: the validators of every function's schema, the texts of the HTML reports, the
// bundles of the command and the library. With --tests it also compiles src and test into
// .build, as they stand. What is there already, made of the very same files, is not made again.
import { mkdirSync, readFileSync, readdirSync, rmSync } from "node:fs";
import { basename, dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { writeBundles } from "./bundles.mjs";
import { compile } from "./compile.mjs";
import { writePages } from "./pages.mjs";
import { writeSbom } from "./sbom.mjs";
import { writeSchemas } from "./schemas.mjs";
import { writeTemplates } from "./templates.mjs";
import { unlessUnchanged } from "./unchanged.mjs";
import { writeValidators } from "./validators.mjs";

const root = join(dirname(fileURLToPath(import.meta.url)), "..");
process.chdir(root);
const { version } = JSON.parse(readFileSync("package.json", "utf8"));

const MADE = ["src/stamping/function/validators.js", "src/output/html/pages.js", "src/setup/init/templates.js"];
const SHIPPED = {
  inputs: ["{functions,pages,schemas,scripts,src,templates}/**", "{package,package-lock,tsconfig}.json"],
  ignore: [...MADE, "scripts/hosts/**"],
  // scripts/types.mjs writes the types, for the package only; the command writes its code cache.
  outputs: ["dist/**", "!dist/{index.d.ts,cache/**}", ...MADE],
};
const COMPILED = {
  inputs: [...SHIPPED.inputs, "test/**"],
  ignore: [...SHIPPED.ignore, "test/mutation/**"],
  outputs: [".build/{src,functions,test,node_modules}/**", ".build/package.json"],
};

await unlessUnchanged("shipped", SHIPPED, async () => {
  const validators = writeValidators("src/stamping/function/validators.js");
  writePages("src/output/html/pages.js");
  writeTemplates("src/setup/init/templates.js");

  rmSync("dist", { recursive: true, force: true });
  mkdirSync("dist/schemas", { recursive: true });

  const bundles = await writeBundles(version);
  writeSbom([...validators, ...bundles]);

  writeSchemas("dist/schemas", [
    ...["config-hash", "restart", "rollout-lint"].map((name) => [name, `functions/${name}/schema.json`]),
    ["applications", "src/stamping/function/applications.schema.json"],
    // The shapes that commands print.
    ...readdirSync("schemas").map((file) => [basename(file, ".json"), `schemas/${file}`]),
  ]);
});

if (process.argv.includes("--tests")) {
  await unlessUnchanged("compiled", COMPILED, () => compile({ version, check: true }));
}
