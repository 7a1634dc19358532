// Two things about js-yaml as it is published.
//
// Until V8 12 (Node 20) an object made by a spread with further fields has a hidden class of its own.
// js-yaml's parser state is one: from its second text on each look at it was slow, 5,000 files took
// three times as long. esbuild writes that spread as assignments.
//
// And it is one module, which makes its schemas and the dumper's expressions when it is loaded: what only
// makes a value is marked, so that esbuild leaves out those that nothing uses.
import { readFileSync } from "node:fs";
import { transform } from "esbuild";

const MADE =
  /^var ([\w$]+) = ((?:(?:new \w+|define\w+|[\w$]+\.withTags)\((?:.*|[^\n]*\n(?:(?:\t|\}, ).*\n)*\S*)\))|\{\n\t\.{3}.*\n(?:\t.*\n)*\});$/gm;

/** js-yaml's module as it ships. */
export async function leanJsYaml(path) {
  const options = { supported: { "object-rest-spread": false }, loader: "js" };
  const marked = readFileSync(path, "utf8").replaceAll(MADE, "var $1 = /* @__PURE__ */ (() => ($2))();");
  return (await transform(marked, options)).code;
}
