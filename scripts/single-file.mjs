// Joins the files of the command into one, for hosts that take a copy of a program, such as kustomize's plugin folder:
//
//   node scripts/single-file.mjs OUTPUT
//
// The files that dist/rollstamp.cjs loads late become strings, which V8 compiles only when they are needed.
import { readFileSync, readdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";

const [output] = process.argv.slice(2);
if (output === undefined) {
  console.error("usage: node scripts/single-file.mjs OUTPUT");
  process.exit(2);
}
const dist = fileURLToPath(new URL("../dist", import.meta.url));
const [shebang, ...main] = readFileSync(join(dist, "rollstamp.cjs"), "utf8").split("\n");
const late = readdirSync(dist).filter((name) => name.endsWith(".cjs") && !/^(?:rollstamp|start)/u.test(name));
const files = Object.fromEntries(late.sort().map((name) => [`./${name}`, readFileSync(join(dist, name), "utf8")]));

/** Makes the `require` of the joined file. It runs there, from its text. */
function requireFrom(nodeRequire, texts) {
  const modules = new Map();
  return function load(id) {
    if (!Object.hasOwn(texts, id)) return nodeRequire(id);
    const known = modules.get(id);
    if (known !== undefined) return known.exports;
    const module = { exports: {} };
    modules.set(id, module);
    nodeRequire("node:vm").compileFunction(texts[id], ["require", "module", "exports"])(load, module, module.exports);
    return module.exports;
  };
}

const first = `require = (${requireFrom})(require, ${JSON.stringify(files)});`;
writeFileSync(output, [shebang, first, ...main].join("\n"), { mode: 0o755 });
