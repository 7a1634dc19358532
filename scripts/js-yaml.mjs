// What is other in js-yaml as it ships: it does what the published module does, in less time.
//
// It is one module, which makes its schemas and the dumper's expressions when it is loaded: what only
// makes a value is marked, so that esbuild leaves out those that nothing uses.
import { readFileSync } from "node:fs";

const MADE =
  /^var ([\w$]+) = ((?:(?:new \w+|define\w+|[\w$]+\.withTags)\((?:.*|[^\n]*\n(?:(?:\t|\}, ).*\n)*\S*)\))|\{\n\t\.{3}.*\n(?:\t.*\n)*\});$/gm;

/** What stands there once, and what stands there instead. */
const CHANGES = [
  // Until V8 12 (Node 20) an object made by a spread with further fields has a hidden class of its own: from
  // the second text on each look at the parser's state was slow, 5,000 files took three times as long.
  [
    "\t\t...DEFAULT_PARSER_OPTIONS,\n\t\t...options,\n",
    '\t\tfilename: options?.filename ?? "",\n\t\tmaxDepth: options?.maxDepth ?? 100,\n',
  ],
  // A text that is put together by `+` or a template stays two that are looked through for each character; joined it
  // is one. And most texts are printable from end to end: then no scalar needs to be cut out to be looked at.
  [
    "\t\tinput: `${input}\\0`,\n",
    '\t\tinput: [input, "\\0"].join(""),\n\t\tisPrintable: !PATTERN_NON_PRINTABLE.test(input),\n',
  ],
  [
    "function checkPrintable(state, start, end) {\n",
    "function checkPrintable(state, start, end) {\n\tif (state.isPrintable) return;\n",
  ],
  // Only a tag or an anchor is ever gone back to.
  [
    "\t\tconst propertyState = snapshotState(state);\n",
    "\t\tif (ch !== 33 && ch !== 38) break;\n\t\tconst propertyState = snapshotState(state);\n",
  ],
];

/** js-yaml's module as it ships. */
export function leanJsYaml(path) {
  const marked = readFileSync(path, "utf8").replaceAll(MADE, "var $1 = /* @__PURE__ */ (() => ($2))();");
  return CHANGES.reduce((text, [from, to]) => {
    const parts = text.split(from);
    if (parts.length !== 2) throw new Error(`js-yaml has changed where it is made quicker: ${from.trim()}`);
    return parts.join(to);
  }, marked);
}
