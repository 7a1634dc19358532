// dist/rollstamp.cjs is one file: what a render needs as code, and the other bundles as comments at its end
// (docs/decisions/0003-bundles.md), which src/main/parts.ts finds and compiles.

const SHEBANG = "#!/usr/bin/env node\n";
// What else begins with it no longer does: main's own is behind the loader.
const STRICT = '"use strict";';

/** Makes the file of the main bundle, of the code that finds parts, and of the parts: an id and its code each. */
export function joinParts(main, loader, parts) {
  const comments = parts.map(([id, code]) => {
    if (code.includes("\u0001")) throw new Error(`${id} has the character that is to hide the ends of comments`);
    return `\n/*${id}\n${code.replaceAll("*/", "*\u0001/")}*/\n`;
  });
  // One line, so that splitParts can leave it out.
  if (loader.trim().includes("\n")) throw new Error("the loader has more lines than one");
  const text = [SHEBANG, STRICT, loader.trim(), "\n", main.trim(), "\n", ...comments].join("");
  for (const [id] of parts) {
    if (text.split(`\n/*${id}`).length !== 2) throw new Error(`${id} is not there once`);
  }
  return text;
}

/** The main bundle of such a file, and its parts: for what bundles them in its own way. */
export function splitParts(text) {
  const [main, ...comments] = text.slice(text.indexOf("\n", SHEBANG.length) + 1).split(/\n\/\*(?=\.\/[\w-]+\.cjs\n)/u);
  const parts = comments.map((comment) => {
    const [, id, code] = /^(.*)\n([^]*)\*\/\n$/u.exec(comment);
    return [id, code.replaceAll("*\u0001/", "*/")];
  });
  return { main, parts };
}
