import type { compileFunction } from "node:vm";

/**
 * `require` for a file that has other bundles in itself, each a comment at its end (scripts/parts.mjs):
 * V8 skips a comment many times as fast as it looks through code, and a copy of the file is all of the
 * command. What is asked for by a relative path is compiled then; all else is Node's own matter.
 */
export function withParts(require: NodeJS.Require, file: string): (id: string) => unknown {
  const loaded = new Map<string, { readonly exports: unknown }>();
  const load = (id: string): unknown => {
    if (!id.startsWith("./")) return require(id);
    const known = loaded.get(id);
    if (known !== undefined) return known.exports;
    const fs: { readFileSync: (path: string, encoding: "utf8") => string } = require("node:fs");
    const vm: { compileFunction: typeof compileFunction } = require("node:vm");
    const text = fs.readFileSync(file, "utf8");
    // Without the end of its line: a checkout may have made it CRLF.
    const head = `\n/*${id}`;
    const start = text.lastIndexOf(head) + head.length;
    // An end of a comment in the code has a control character in it, which the code itself never has.
    const code = text.slice(start, text.indexOf("*/", start)).replaceAll("*\u0001/", "*/");
    const module = { exports: {} };
    loaded.set(id, module);
    vm.compileFunction(code, ["require", "module", "exports"], { filename: file })(load, module, module.exports);
    return module.exports;
  };
  return load;
}
