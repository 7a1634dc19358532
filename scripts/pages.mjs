// Bundles the scripts and the style of the HTML reports into a module of strings. The command embeds them, so that each page
// is one file.
import { writeFileSync } from "node:fs";
import { buildSync } from "esbuild";

const bundled = (entryPoint) => {
  const { outputFiles } = buildSync({
    entryPoints: [entryPoint],
    bundle: true,
    minify: true,
    format: "iife",
    target: ["chrome109", "firefox115", "safari16.4"],
    charset: "ascii",
    legalComments: "none",
    write: false,
  });
  const text = outputFiles[0].text.trim();
  // Either would end the element that contains the text, or change how the rest is parsed.
  if (/<\/(?:script|style)|<!--/iu.test(text)) throw new Error(`${entryPoint} can't stand in a page`);
  return text;
};

/** Writes an ES module that exports STYLE and DOCUMENT_SCRIPT. */
export function writePages(outfile) {
  const texts = { STYLE: "pages/style.css", DOCUMENT_SCRIPT: "pages/document.ts" };
  const code = Object.entries(texts).map(
    ([name, entry]) => `export const ${name} = ${JSON.stringify(bundled(entry))};\n`,
  );
  writeFileSync(outfile, code.join(""));
}
