// What follows from the catalogue of findings (src/findings/catalogue): the rules that RolloutLint's schema knows, and
// the tables of the pages. Each is a run of lines in a file that people write.
import { readFileSync } from "node:fs";
import { build } from "esbuild";

/** The files and their texts, as the catalogue has them. */
export async function findingTexts() {
  const { CATALOGUE, RULE_IDS } = await loadCatalogue();
  const others = Object.keys(CATALOGUE)
    .filter((id) => !RULE_IDS.includes(id))
    .sort();
  const row = (id, link) => `| [${id}](${link}) | ${CATALOGUE[id].severity} | ${CATALOGUE[id].title} |`;
  return [
    {
      file: "functions/rollout-lint/schema.json",
      line: / {8}"RS\d+": \{ "\$ref": "#\/\$defs\/level" \},?\n/,
      lines: RULE_IDS.map(
        (id, i) => `        "${id}": { "$ref": "#/$defs/level" }${i === RULE_IDS.length - 1 ? "" : ","}`,
      ),
    },
    { file: "docs/rules/README.md", line: /\| \[RS\d+\].*\n/, lines: RULE_IDS.map((id) => row(id, `${id}.md`)) },
    { file: "docs/findings.md", line: /\| \[[\w-]+\]\(#.*\n/, lines: others.map((id) => row(id, `#${id}`)) },
  ].map(({ file, line, lines }) => ({ file, text: withLines(file, line, lines) }));
}

function withLines(file, line, lines) {
  const text = readFileSync(file, "utf8");
  const run = new RegExp(`(?:${line.source})+`);
  if (!run.test(text)) throw new Error(`${file} has no lines like ${line.source}`);
  return text.replace(run, () => lines.map((one) => `${one}\n`).join(""));
}

async function loadCatalogue() {
  const { outputFiles } = await build({
    entryPoints: ["src/findings/catalogue/catalogue.ts"],
    bundle: true,
    platform: "node",
    format: "esm",
    write: false,
    logLevel: "warning",
  });
  return import(`data:text/javascript;base64,${Buffer.from(outputFiles[0].contents).toString("base64")}`);
}
