// Generates from the catalogue of findings (src/findings/catalogue): the rules of RolloutLint's schema, the tables of
// docs/findings.md and docs/rules/README.md, and the first lines of the pages of rules. People write the rest.
import { readFileSync } from "node:fs";
import { build } from "esbuild";

/** The files and their generated texts. */
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
  ]
    .map(({ file, line, lines }) => ({ file, text: withLines(file, line, lines) }))
    .concat(RULE_IDS.map((id) => rulePage(id, CATALOGUE[id])));
}

/** The page of a rule, with the title, severity and remedy of the catalogue. */
function rulePage(id, { title, severity, remedy }) {
  const file = `docs/rules/${id}.md`;
  const text = readFileSync(file, "utf8")
    .replace(/^# .*\n/, () => `# ${id}: ${title}\n`)
    .replace(/^Severity: .*$/m, () => `Severity: ${severity}`)
    .replace(/^(## What to do\n\n).*$/m, (_, head) => `${head}${remedy}`);
  return { file, text };
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
