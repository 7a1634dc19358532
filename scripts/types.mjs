// Writes dist/index.d.ts: the types of the library in one file that needs no other package. npm runs it before it packs.
import { mkdirSync, rmSync, writeFileSync } from "node:fs";
import { dirname, join, resolve } from "node:path";
import { fileURLToPath } from "node:url";
import { rolldown } from "rolldown";
import { dts } from "rolldown-plugin-dts";
import { tsc } from "./compile.mjs";

process.chdir(join(dirname(fileURLToPath(import.meta.url)), ".."));
const DECLARATIONS = ".cache/types";

rmSync(DECLARATIONS, { recursive: true, force: true });
tsc("-p", "scripts/tsconfig.types.json");
const bundle = await rolldown({
  input: resolve(DECLARATIONS, "src/main/index.d.ts"),
  plugins: [dts({ dtsInput: true, tsconfig: false })],
  external: /^[^./]/u,
});
const {
  output: [{ code }],
} = await bundle.generate();
const imported = /^(?:import|export) .*from "([^"]+)"/mu.exec(code)?.[1];
if (imported !== undefined) throw new Error(`dist/index.d.ts needs the types of ${imported}`);
mkdirSync("dist", { recursive: true });
writeFileSync("dist/index.d.ts", code);
