// Puts the files of templates/ into one module: `init` fills them in, also where it is a single file.
import { readFileSync, writeFileSync } from "node:fs";
import fg from "fast-glob";

/** Writes an ES module that exports TEMPLATES: the text of each file by its path in templates/. */
export function writeTemplates(outfile) {
  const paths = fg.sync("**", { cwd: "templates" }).sort();
  const texts = Object.fromEntries(paths.map((path) => [path, readFileSync(`templates/${path}`, "utf8")]));
  writeFileSync(outfile, `export const TEMPLATES = ${JSON.stringify(texts)};\n`);
}
