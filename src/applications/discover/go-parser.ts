import { invalid, parseInt64, unsupported, type Value } from "./go-values.ts";

// Go's text/template as a tree. `define`, `template` and `block` are unsupported (see the count in go-functions.ts).

export type Step =
  | { readonly is: "text"; readonly text: string }
  | { readonly is: "action"; readonly pipeline: Pipeline }
  | { readonly is: "break" | "continue" }
  | Branch;

export interface Branch {
  readonly is: "if" | "with" | "range";
  readonly pipeline: Pipeline;
  readonly inner: readonly Step[];
  readonly otherwise: readonly Step[];
}

export interface Pipeline {
  /** `$a :=` or `$i, $a :=`. */
  readonly variables: readonly string[];
  /** `=` instead of `:=`. */
  readonly assigns: boolean;
  /** Each gets the result of the one before it as its last argument. */
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

/** Parses a template. Throws a TemplateProblem. */
export function parseTemplate(template: string): readonly Step[] {
  const pieces = piecesOf(template);
  const parser: Parser = { pieces, at: 0 };
  const steps = parseSteps(parser, 0, false);
  if (parser.at < pieces.length) throw invalid(`has a {{${pieces[parser.at]?.text ?? ""}}} that closes nothing`);
  return steps;
}

interface Piece {
  readonly isAction: boolean;
  readonly text: string;
}

/** Splits a template into text and actions. `{{-` and `-}}` trim the white space of the text beside them. */
function piecesOf(template: string): Piece[] {
  const pieces: Piece[] = [];
  let position = 0;
  let trims = false;
  while (position < template.length) {
    const open = template.indexOf("{{", position);
    const isTrimmedBefore = open >= 0 && /^-\s/u.test(template.slice(open + 2, open + 4));
    let text = open < 0 ? template.slice(position) : template.slice(position, open);
    if (trims) text = text.trimStart();
    if (isTrimmedBefore) text = text.trimEnd();
    if (text !== "") pieces.push({ isAction: false, text });
    if (open < 0) break;
    const from = open + (isTrimmedBefore ? 3 : 2);
    const end = closingBraces(template, from);
    let action = template.slice(from, end);
    trims = /\s-$/u.test(action);
    if (trims) action = action.slice(0, -1);
    const plain = action.trim();
    if (!plain.startsWith("/*")) pieces.push({ isAction: true, text: plain });
    position = end + 2;
  }
  return pieces;
}

function closingBraces(template: string, from: number): number {
  for (let position = from; position < template.length; position++) {
    const character = template[position];
    if (character === "}" && template[position + 1] === "}") return position;
    if (character === '"' || character === "`") {
      for (position += 1; position < template.length && template[position] !== character; position++)
        if (template[position] === "\\" && character === '"') position += 1;
    }
  }
  throw invalid("has a {{ that is not closed");
}

interface Parser {
  readonly pieces: readonly Piece[];
  at: number;
}

/** Parses up to the `end` or `else` of the branch around the steps. */
function parseSteps(parser: Parser, depth: number, isInRange: boolean): Step[] {
  if (depth > DEEPEST) throw invalid("is nested too deeply");
  const steps: Step[] = [];
  for (; parser.at < parser.pieces.length; parser.at++) {
    const piece = parser.pieces[parser.at];
    if (piece === undefined) break;
    if (!piece.isAction) {
      steps.push({ is: "text", text: piece.text });
      continue;
    }
    const [, word = "", rest = ""] = /^([a-z]+)\b\s*([\s\S]*)$/u.exec(piece.text) ?? [];
    switch (word) {
      case "end":
      case "else":
        return steps;
      case "if":
      case "with":
      case "range":
        parser.at += 1;
        steps.push(parseBranch(parser, word, rest, depth, isInRange));
        break;
      case "break":
      case "continue":
        if (rest !== "" || !isInRange) throw invalid(`has a ${word} outside a range`);
        steps.push({ is: word });
        break;
      case "define":
      case "template":
      case "block":
        throw unsupported(`{{ ${word} }}`);
      default:
        steps.push({ is: "action", pipeline: parsePipeline(piece.text) });
    }
  }
  return steps;
}

/** Parses the steps up to the `end` of a branch, and stops there. */
function parseBranch(parser: Parser, is: Branch["is"], condition: string, depth: number, isInRange: boolean): Branch {
  const pipeline = parsePipeline(condition);
  const inner = parseSteps(parser, depth + 1, isInRange || is === "range");
  const closing = parser.pieces[parser.at];
  if (closing === undefined) throw invalid(`has an ${is} without end`);
  if (closing.text === "end") return { is, pipeline, inner, otherwise: [] };
  const [, chained, rest = ""] = /^else\s+(if|with)\b\s*([\s\S]*)$/u.exec(closing.text) ?? [];
  parser.at += 1;
  if (chained === "if" || chained === "with")
    return { is, pipeline, inner, otherwise: [parseBranch(parser, chained, rest, depth + 1, isInRange)] };
  const otherwise = parseSteps(parser, depth + 1, isInRange);
  if (parser.pieces[parser.at]?.text !== "end") throw invalid("has an else without end");
  return { is, pipeline, inner, otherwise };
}

// Strings, characters, numbers, names, fields behind a dot, and marks.
const TOKEN =
  /\s+|("(?:[^"\\]|\\.)*"|`[^`]*`)|'(?:[^'\\]|\\.)+'|(-?\d[\w.]*)|(\$?[A-Za-z_][\w]*|\$)|((?:\.[A-Za-z_][\w]*)+|\.)|(:=|=|\||\(|\)|,)/uy;

interface Token {
  readonly text: string;
  readonly is: "string" | "number" | "name" | "fields" | "mark";
  /** White space or nothing is before it. */
  readonly isApart: boolean;
}

function tokensOf(text: string): Token[] {
  const tokens: Token[] = [];
  let isApart = true;
  TOKEN.lastIndex = 0;
  while (TOKEN.lastIndex < text.length) {
    const found = TOKEN.exec(text);
    if (found === null) throw invalid(`has a syntax error: ${JSON.stringify(text.slice(0, 80))}`);
    const [whole, string, number, name, fields, mark] = found;
    if (string !== undefined) tokens.push({ text: string, is: "string", isApart });
    else if (number !== undefined) tokens.push({ text: number, is: "number", isApart });
    else if (name !== undefined) tokens.push({ text: name, is: "name", isApart });
    else if (fields !== undefined) tokens.push({ text: fields, is: "fields", isApart });
    else if (mark !== undefined) tokens.push({ text: mark, is: "mark", isApart });
    else if (whole.startsWith("'")) tokens.push({ text: whole, is: "number", isApart });
    isApart = whole.trim() === "";
  }
  return tokens;
}

function parsePipeline(text: string): Pipeline {
  const reader: TokenReader = { tokens: tokensOf(text), at: 0 };
  const pipeline = readPipeline(reader, 0);
  const rest = reader.tokens[reader.at];
  if (rest !== undefined) throw invalid(`has an unexpected ${JSON.stringify(rest.text)}`);
  return pipeline;
}

interface TokenReader {
  readonly tokens: readonly Token[];
  at: number;
}

function readPipeline(reader: TokenReader, depth: number): Pipeline {
  if (depth > DEEPEST) throw invalid("is nested too deeply");
  const { variables, assigns } = readVariables(reader);
  const commands: Command[] = [];
  let command: Operand[] = [];
  for (;;) {
    const token = reader.tokens[reader.at];
    if (token === undefined || token.text === ")") break;
    if (token.is === "mark" && token.text === "|") {
      commands.push(command);
      command = [];
      reader.at += 1;
    } else command.push(readOperand(reader, depth));
  }
  commands.push(command);
  if (commands.some((operands) => operands.length === 0)) throw invalid("has an empty action");
  return { variables, assigns, commands };
}

function readVariables(reader: TokenReader): Pick<Pipeline, "variables" | "assigns"> {
  const { tokens, at } = reader;
  const variables: string[] = [];
  for (let i = at; ; i += 2) {
    const name = tokens[i];
    const mark = tokens[i + 1];
    if (name === undefined || mark === undefined || name.is !== "name" || !name.text.startsWith("$")) break;
    variables.push(name.text);
    if (mark.text === ":=" || mark.text === "=") {
      reader.at = i + 2;
      return { variables, assigns: mark.text === "=" };
    }
    if (mark.text !== ",") break;
  }
  return { variables: [], assigns: false };
}

function readOperand(reader: TokenReader, depth: number): Operand {
  const token = reader.tokens[reader.at];
  if (token === undefined) throw invalid("ends in the middle of an action");
  reader.at += 1;
  switch (token.is) {
    case "string":
      return { is: "value", value: stringValue(token.text) };
    case "number":
      return { is: "value", value: numberValue(token.text) };
    case "fields":
      return { is: "dot", fields: fieldsIn(token.text) };
    case "name":
      if (token.text === "true" || token.text === "false") return { is: "value", value: token.text === "true" };
      if (token.text === "nil") return { is: "value", value: null };
      if (token.text.startsWith("$")) return { is: "variable", name: token.text, fields: readFields(reader) };
      return { is: "function", name: token.text };
    case "mark": {
      if (token.text !== "(") throw invalid(`has an unexpected ${JSON.stringify(token.text)}`);
      const pipeline = readPipeline(reader, depth + 1);
      if (reader.tokens[reader.at]?.text !== ")") throw invalid("has a ( that is not closed");
      reader.at += 1;
      return { is: "pipeline", pipeline, fields: readFields(reader) };
    }
  }
}

/** The fields directly behind a variable or a closing bracket. */
function readFields(reader: TokenReader): readonly string[] {
  const token = reader.tokens[reader.at];
  if (token === undefined || token.is !== "fields" || token.isApart || token.text === ".") return [];
  reader.at += 1;
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
    // Go has escapes that JSON does not have.
  }
  throw unsupported("an escape in a string");
}

/** A constant: an integer, unless it is written with a point or an exponent. */
function numberValue(text: string): Value {
  if (text.startsWith("'")) {
    const [character = "", ...others] = text.slice(1, -1);
    if (others.length > 0 || character === "\\") throw unsupported("an escape in a character");
    return BigInt(character.codePointAt(0) ?? 0);
  }
  const whole = parseInt64(text);
  if (whole !== undefined) return whole;
  const value = Number(text.replaceAll("_", ""));
  if (!Number.isFinite(value) || !/[.e]/iu.test(text)) throw invalid(`has an invalid number: ${text}`);
  return value;
}
