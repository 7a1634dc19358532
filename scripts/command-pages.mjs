// Generates the upper part of the pages of docs/reference/commands from the commands as they are defined: usage, options
// with their defaults and choices, and what the help says. People write the rest, below the mark.
import { readFileSync } from "node:fs";
import { Command } from "commander";
import { load } from "./load.mjs";

const FOLDER = "docs/reference/commands";
const HEAD = "<!-- Written by scripts/definitions.mjs from the options of the command, up to the next comment. -->";
const MARK = "<!-- Written by hand from here. -->";
/** Options of every command: more.md has them. */
const OF_ALL = ["--color", "--quiet", "--help"];
/** Why a test does not run the examples of a command. */
const NOT_RUN = {
  plan: "needs a cluster, and files of other jobs",
  status: "needs a cluster",
  gc: "needs a cluster",
  cmp: "Argo CD calls it in the folder of an application",
  completion: "changes the files of your shell",
  "merge-driver": "git fills in the names of files",
};

/** The files and their texts. */
export async function commandPages() {
  const { COMMANDS } = await load("src/commands/commands.ts");
  const parts = await Promise.all(COMMANDS.map(async (row) => ({ ...row, made: part(await defined(row)) })));
  const first = parts.filter(({ isMore }) => !isMore).map(({ name, made }) => page(name, `# rollstamp ${name}`, made));
  const others = parts.filter(({ isMore }) => isMore).map(({ name, made }) => `## rollstamp ${name}\n\n${made}`);
  return [...first, page("more", "# More commands", others.join("\n"))];
}

function page(name, title, made) {
  const file = `${FOLDER}/${name}.md`;
  const written = read(file).split(`${MARK}\n`)[1] ?? "";
  return { file, text: `${HEAD}\n\n${title}\n\n${made}\n${MARK}\n${written}` };
}

/** A command with its arguments and options. */
async function defined({ name, summary, load: define }) {
  const command = new Command(name).description(summary);
  (await define())(command, {}, () => {});
  return command;
}

function part(command, parent = "rollstamp") {
  const name = `${parent} ${command.name()}`;
  const { before, after } = helpOf(command);
  return [
    before.length > 0 && !before[0].startsWith("|") ? "" : sentence(command.description()),
    ["```text", `${name} ${command.usage()}`, "```"].join("\n"),
    ...before,
    table(command.registeredArguments.filter(({ description }) => description !== "").map(argumentRow), "argument"),
    table(command.options.filter(({ long, hidden }) => !hidden && !OF_ALL.includes(long)).map(optionRow), "option"),
    ...command.commands.map((sub) => part(sub, name).trimEnd()),
    ...after,
  ]
    .filter((text) => text !== "")
    .join("\n\n")
    .concat("\n");
}

/** What the help says around the options: paragraphs, lists of words with their meaning, and examples. */
function helpOf(command) {
  let text = "";
  command.configureOutput({ writeOut: (more) => (text += more) }).outputHelp();
  const blocks = text
    .slice(command.helpInformation().length)
    .trim()
    .split(/\n\n(?=\S)/);
  const rest = blocks.findIndex((block) => /^(?:Examples|Exit status):/.test(block));
  const shown = blocks.filter((block) => block !== "").map((block) => shownBlock(block, NOT_RUN[command.name()]));
  return rest < 0 ? { before: shown, after: [] } : { before: shown.slice(0, rest), after: shown.slice(rest) };
}

function shownBlock(block, notRun) {
  const [title, ...lines] = block.split("\n");
  if (title === "Examples:") {
    const note = notRun === undefined ? [] : [`<!-- not run: ${notRun} -->`];
    return [...note, "```sh", ...lines.map(example), "```"].join("\n");
  }
  if (!lines.every((line) => line.startsWith("  ")) || lines.length === 0) return linked(block);
  const rows = lines.map((line) => /^ {2}(\S+) +(.*)$/.exec(line).slice(1));
  return table(rows, title.replace(/s?:$/, "").toLowerCase());
}

/** Pages of docs that a help names become links. */
function linked(text) {
  return text.replace(/docs\/([\w/-]+\.md)/g, (name, path) => `[${name}](../../${path})`);
}

/** What follows a command after several spaces is a comment. */
function example(line) {
  return line.replace(/^ {2}/, "").replace(/^([^#].*?\S) {2,}(\S.*)$/, "$1   # $2");
}

function argumentRow(argument) {
  return [argument.name(), `${argument.description}${choices(argument)}`];
}

function optionRow(option) {
  const { flags, description, defaultValue, defaultValueDescription } = option;
  const standard =
    defaultValueDescription ?? (["string", "number"].includes(typeof defaultValue) ? defaultValue : undefined);
  return [flags, `${description}${choices(option)}${standard === undefined ? "" : ` (default: ${standard})`}`];
}

function choices({ argChoices }) {
  return argChoices === undefined ? "" : `: ${argChoices.map((choice) => `\`${choice}\``).join(", ")}`;
}

function table(rows, title) {
  if (rows.length === 0) return "";
  const cell = (text) => text.replaceAll("|", "\\|");
  return [`| ${title} | |`, "|---|---|", ...rows.map(([name, text]) => `| \`${cell(name)}\` | ${cell(text)} |`)].join(
    "\n",
  );
}

function sentence(text) {
  return `${text[0].toUpperCase()}${text.slice(1)}.`;
}

function read(file) {
  try {
    return readFileSync(file, "utf8");
  } catch {
    return "";
  }
}
