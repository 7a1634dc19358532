// Patches js-yaml for size and speed; the patched module gives the same events (docs/why/decisions.md).
import { readFileSync } from "node:fs";

/** Schemas and expressions that the module makes when it is loaded. Marked as pure, esbuild drops those that are not used. */
const MADE =
  /^var ([\w$]+) = ((?:(?:new \w+|define\w+|[\w$]+\.withTags)\((?:.*|[^\n]*\n(?:(?:\t|\}, ).*\n)*\S*)\))|\{\n\t\.{3}.*\n(?:\t.*\n)*\});$/gm;

/** Code of the module, and its replacement. */
const CHANGES = [
  // Before V8 12 (Node 20), an object made by a spread with further fields has its own hidden class. From the second text
  // on, each access to the parser's state is slow: 5,000 files take three times as long.
  [
    "\t\t...DEFAULT_PARSER_OPTIONS,\n\t\t...options,\n",
    '\t\tfilename: options?.filename ?? "",\n\t\tmaxDepth: options?.maxDepth ?? 100,\n',
  ],
  // A string made by `+` or a template stays two strings, which slows each access to a character. And most texts have
  // only printable characters: one check of the text replaces a check of each scalar.
  [
    "\t\tinput: `${input}\\0`,\n",
    '\t\tinput: [input, "\\0"].join(""),\n\t\tisPrintable: !PATTERN_NON_PRINTABLE.test(input),\n',
  ],
  [
    "function checkPrintable(state, start, end) {\n",
    "function checkPrintable(state, start, end) {\n\tif (state.isPrintable) return;\n",
  ],
  // The parser returns to a snapshot only for a tag or an anchor.
  [
    "\t\tconst propertyState = snapshotState(state);\n",
    "\t\tif (ch !== 33 && ch !== 38) break;\n\t\tconst propertyState = snapshotState(state);\n",
  ],
];

/** The patched module. */
export function leanJsYaml(path) {
  const marked = readFileSync(path, "utf8").replaceAll(MADE, "var $1 = /* @__PURE__ */ (() => ($2))();");
  return CHANGES.reduce((text, [from, to]) => {
    const pieces = text.split(from);
    if (pieces.length !== 2) throw new Error(`js-yaml has changed where it is patched: ${from.trim()}`);
    return pieces.join(to);
  }, marked);
}
