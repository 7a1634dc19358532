// Generates from the catalogue of findings (src/findings/catalogue): the rules of RolloutLint's schema, the tables of
// docs/reference/findings.md and docs/reference/rules.md, and there each rule's title, severity and fix. People write the
// rest.
import { readFileSync } from "node:fs";
import { load } from "./load.mjs";

/** The files and their generated texts. */
export async function findingTexts() {
  const { CATALOGUE, RULE_IDS } = await load("src/findings/catalogue/catalogue.ts");
  const others = Object.keys(CATALOGUE)
    .filter((id) => !RULE_IDS.includes(id))
    .sort();
  return [
    {
      file: "functions/rollout-lint/schema.json",
      line: / {8}"RS\d+": \{ "\$ref": "#\/\$defs\/level" \},?\n/,
      lines: RULE_IDS.map(
        (id, i) => `        "${id}": { "$ref": "#/$defs/level" }${i === RULE_IDS.length - 1 ? "" : ","}`,
      ),
    },
    { file: "docs/reference/findings.md", line: /\| \[[\w-]+\]\(#.*\n/, lines: rowsOf(CATALOGUE, others) },
  ]
    .map(({ file, line, lines }) => ({ file, text: withLines(file, line, lines) }))
    .concat(rulesPage(CATALOGUE, RULE_IDS));
}

/** The page of the rules, with the titles, severities and remedies of the catalogue. */
function rulesPage(catalogue, ids) {
  const file = "docs/reference/rules.md";
  const [head, ...sections] = withLines(file, /\| \[RS\d+\].*\n/, rowsOf(catalogue, ids)).split(/^(?=## )/m);
  const made = sections.map((section) => {
    const { title, severity, remedy } = catalogue[/^## (\w+)/.exec(section)[1]];
    return section
      .replace(/^\*\*.*\*\* \(\w+\)$/m, () => `**${title}** (${severity})`)
      .replace(/^\*\*Fix\.\*\* .*$/m, () => `**Fix.** ${remedy}`);
  });
  return { file, text: [head, ...made].join("") };
}

function rowsOf(catalogue, ids) {
  return ids.map((id) => `| [${id}](#${id.toLowerCase()}) | ${catalogue[id].severity} | ${catalogue[id].title} |`);
}

function withLines(file, line, lines) {
  const text = readFileSync(file, "utf8");
  const run = new RegExp(`(?:${line.source})+`);
  if (!run.test(text)) throw new Error(`${file} has no lines like ${line.source}`);
  return text.replace(run, () => lines.map((one) => `${one}\n`).join(""));
}
