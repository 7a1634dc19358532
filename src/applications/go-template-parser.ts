import { TemplateProblem, type Value } from "./go-functions.ts";

export type Step =
  | { readonly is: "text"; readonly text: string }
  | { readonly is: "action"; readonly pipeline: Pipeline }
  | Branch;

export interface Branch {
  readonly is: "if" | "with" | "range";
  readonly pipeline: Pipeline;
  readonly inner: readonly Step[];
  readonly otherwise: readonly Step[];
}

export interface Pipeline {
  /** `$a :=` or `$i, $a :=`. */
  readonly declares: readonly string[];
  /** `=` in the place of `:=`. */
  readonly assigns: boolean;
  readonly commands: readonly Command[];
}

export type Command = readonly Operand[];

export type Operand =
  | { readonly is: "value"; readonly value: Value }
  | { readonly is: "dot"; readonly fields: readonly string[] }
  | { readonly is: "variable"; readonly name: string; readonly fields: readonly string[] }
  | { readonly is: "pipeline"; readonly pipeline: Pipeline; readonly fields: readonly string[] }
  | { readonly is: "function"; readonly name: string };

const DEEPEST = 100;

/** The steps of a template. Throws a TemplateProblem. */
export function parseTemplate(template: string): readonly Step[] {
  const pieces = piecesOf(template);
  const parser = { pieces, at: 0 };
  const steps = stepsOf(parser, 0);
  if (parser.at < pieces.length) throw wrong(`has a {{${pieces[parser.at]?.text ?? ""}}} too many`);
  return steps;
}

interface Piece {
  readonly isAction: boolean;
  readonly text: string;
}

/** Texts and actions, with white space trimmed where `{{-` and `-}}` say so. */
function piecesOf(template: string): Piece[] {
  const pieces: Piece[] = [];
  let at = 0;
  let trims = false;
  while (at < template.length) {
    const open = template.indexOf("{{", at);
    const isTrimmedBefore = open >= 0 && /^-\s/u.test(template.slice(open + 2, open + 4));
    let text = open < 0 ? template.slice(at) : template.slice(at, open);
    if (trims) text = text.trimStart();
    if (isTrimmedBefore) text = text.trimEnd();
    if (text !== "") pieces.push({ isAction: false, text });
    if (open < 0) break;
    const from = open + (isTrimmedBefore ? 3 : 2);
    const end = closing(template, from);
    let action = template.slice(from, end);
    trims = /\s-$/u.test(action);
    if (trims) action = action.slice(0, -1);
    const plain = action.trim();
    if (!plain.startsWith("/*")) pieces.push({ isAction: true, text: plain });
    at = end + 2;
  }
  return pieces;
}

function closing(template: string, from: number): number {
  for (let at = from; at < template.length; at++) {
    const character = template[at];
    if (character === "}" && template[at + 1] === "}") return at;
    if (character === '"' || character === "`") {
      for (at += 1; at < template.length && template[at] !== character; at++)
        if (template[at] === "\\" && character === '"') at += 1;
    }
  }
  throw wrong("has a {{ that is not closed");
}

interface Parser {
  readonly pieces: readonly Piece[];
  at: number;
}

function stepsOf(parser: Parser, depth: number): Step[] {
  if (depth > DEEPEST) throw wrong("is nested too deeply");
  const steps: Step[] = [];
  for (; parser.at < parser.pieces.length; parser.at++) {
    const piece = parser.pieces[parser.at];
    if (piece === undefined) break;
    if (!piece.isAction) {
      steps.push({ is: "text", text: piece.text });
      continue;
    }
    const [, word = "", rest = ""] = /^([a-z]+)\b\s*([\s\S]*)$/u.exec(piece.text) ?? [];
    if (word === "end" || word === "else") return steps;
    if (word === "if" || word === "with" || word === "range") {
      parser.at += 1;
      steps.push(branch(parser, word, rest, depth));
    } else if (["define", "template", "block", "break", "continue"].includes(word)) {
      throw new TemplateProblem("unknown", `its template uses ${word}, which rollstamp doesn't know`);
    } else steps.push({ is: "action", pipeline: pipelineOf(piece.text) });
  }
  return steps;
}

/** What is between `if` and its `end`, at which it stops. */
function branch(parser: Parser, is: "if" | "with" | "range", condition: string, depth: number): Step {
  const pipeline = pipelineOf(condition);
  const inner = stepsOf(parser, depth + 1);
  const at = parser.pieces[parser.at];
  if (at === undefined) throw wrong(`has an ${is} without end`);
  if (at.text === "end") return { is, pipeline, inner, otherwise: [] };
  const [, chained, rest = ""] = /^else\s+(if|with)\b\s*([\s\S]*)$/u.exec(at.text) ?? [];
  parser.at += 1;
  if (chained === "if" || chained === "with")
    return { is, pipeline, inner, otherwise: [branch(parser, chained, rest, depth + 1)] };
  const otherwise = stepsOf(parser, depth + 1);
  if (parser.pieces[parser.at]?.text !== "end") throw wrong("has an else without end");
  return { is, pipeline, inner, otherwise };
}

// Tokens of a pipeline: texts, characters, numbers, names with their fields, and what stands between them.
const TOKEN =
  /\s+|("(?:[^"\\]|\\.)*"|`[^`]*`)|'(?:[^'\\]|\\.)+'|(-?\d[\w.]*)|(\$?[A-Za-z_][\w]*|\$)|((?:\.[A-Za-z_][\w]*)+|\.)|(:=|=|\||\(|\)|,)/uy;

interface Token {
  readonly text: string;
  readonly is: "string" | "number" | "name" | "fields" | "mark";
  readonly isApart: boolean;
}

function tokensOf(text: string): Token[] {
  const tokens: Token[] = [];
  let isApart = true;
  TOKEN.lastIndex = 0;
  while (TOKEN.lastIndex < text.length) {
    const found = TOKEN.exec(text);
    if (found === null) throw wrong(`can't be read: ${JSON.stringify(text.slice(0, 80))}`);
    const [whole, string, number, name, fields, mark] = found;
    if (string !== undefined) tokens.push({ text: string, is: "string", isApart });
    else if (number !== undefined) tokens.push({ text: number, is: "number", isApart });
    else if (name !== undefined) tokens.push({ text: name, is: "name", isApart });
    else if (fields !== undefined) tokens.push({ text: fields, is: "fields", isApart });
    else if (mark !== undefined) tokens.push({ text: mark, is: "mark", isApart });
    else if (whole.startsWith("'"))
      throw new TemplateProblem("unknown", "its template has a character constant, which rollstamp doesn't know");
    isApart = whole.trim() === "";
  }
  return tokens;
}

function pipelineOf(text: string): Pipeline {
  const tokens = tokensOf(text);
  const reading = { tokens, at: 0 };
  const pipeline = readPipeline(reading, 0);
  if (reading.at < tokens.length) throw wrong(`has ${JSON.stringify(tokens[reading.at]?.text)} where nothing may be`);
  return pipeline;
}

interface Reading {
  readonly tokens: readonly Token[];
  at: number;
}

function readPipeline(reading: Reading, depth: number): Pipeline {
  if (depth > DEEPEST) throw wrong("is nested too deeply");
  const { declares, assigns } = readDeclaration(reading);
  const commands: Command[] = [];
  let command: Operand[] = [];
  for (;;) {
    const token = reading.tokens[reading.at];
    if (token === undefined || token.text === ")") break;
    if (token.is === "mark" && token.text === "|") {
      commands.push(command);
      command = [];
      reading.at += 1;
    } else command.push(readOperand(reading, depth));
  }
  commands.push(command);
  if (commands.some((one) => one.length === 0)) throw wrong("has an empty action");
  return { declares, assigns, commands };
}

function readDeclaration(reading: Reading): Pick<Pipeline, "declares" | "assigns"> {
  const { tokens, at } = reading;
  const names: string[] = [];
  for (let i = at; ; i += 2) {
    const name = tokens[i];
    const mark = tokens[i + 1];
    if (name === undefined || mark === undefined || name.is !== "name" || !name.text.startsWith("$")) break;
    names.push(name.text);
    if (mark.text === ":=" || mark.text === "=") {
      reading.at = i + 2;
      return { declares: names, assigns: mark.text === "=" };
    }
    if (mark.text !== ",") break;
  }
  return { declares: [], assigns: false };
}

function readOperand(reading: Reading, depth: number): Operand {
  const token = reading.tokens[reading.at];
  if (token === undefined) throw wrong("ends too early");
  reading.at += 1;
  switch (token.is) {
    case "string":
      return { is: "value", value: stringValue(token.text) };
    case "number": {
      const value = Number(token.text.replaceAll("_", ""));
      if (!Number.isFinite(value)) throw wrong(`has the number ${token.text}, which is none`);
      return { is: "value", value };
    }
    case "fields":
      return { is: "dot", fields: fieldsIn(token.text) };
    case "name":
      if (token.text === "true" || token.text === "false") return { is: "value", value: token.text === "true" };
      if (token.text === "nil") return { is: "value", value: null };
      if (token.text.startsWith("$")) return { is: "variable", name: token.text, fields: fieldsBehind(reading) };
      return { is: "function", name: token.text };
    case "mark": {
      if (token.text !== "(") throw wrong(`has ${JSON.stringify(token.text)} where a value belongs`);
      const pipeline = readPipeline(reading, depth + 1);
      if (reading.tokens[reading.at]?.text !== ")") throw wrong("has a ( that is not closed");
      reading.at += 1;
      return { is: "pipeline", pipeline, fields: fieldsBehind(reading) };
    }
  }
}

function fieldsBehind(reading: Reading): readonly string[] {
  const token = reading.tokens[reading.at];
  if (token === undefined || token.is !== "fields" || token.isApart || token.text === ".") return [];
  reading.at += 1;
  return fieldsIn(token.text);
}

function fieldsIn(text: string): string[] {
  return text.split(".").filter((field) => field !== "");
}

function stringValue(text: string): string {
  if (text.startsWith("`")) return text.slice(1, -1);
  try {
    const value: unknown = JSON.parse(text);
    if (typeof value === "string") return value;
  } catch {
    // Go has escapes that JSON hasn't.
  }
  throw new TemplateProblem("unknown", "its template has an escape in a text that rollstamp doesn't know");
}

function wrong(what: string): TemplateProblem {
  return new TemplateProblem("wrong", `its template ${what}`);
}
