import { parsedInt } from "./go-arguments.ts";
import { unknown, wrong, type Value } from "./go-values.ts";

// What stands in an action of Go's templates: values, functions, and what is handed from one to the next.

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

// Tokens of a pipeline: texts, characters, numbers, names with their fields, and what stands between them.
const TOKEN =
  /\s+|("(?:[^"\\]|\\.)*"|`[^`]*`)|'(?:[^'\\]|\\.)+'|(-?\d[\w.]*)|(\$?[A-Za-z_][\w]*|\$)|((?:\.[A-Za-z_][\w]*)+|\.)|(:=|=|\||\(|\)|,)/uy;

interface Token {
  readonly text: string;
  readonly is: "string" | "number" | "name" | "fields" | "mark";
  readonly isApart: boolean;
}

export function tokensOf(text: string): Token[] {
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
    else if (whole.startsWith("'")) tokens.push({ text: whole, is: "number", isApart });
    isApart = whole.trim() === "";
  }
  return tokens;
}

export function pipelineOf(text: string): Pipeline {
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
    case "number":
      return { is: "value", value: numberValue(token.text) };
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

export function stringValue(text: string): string {
  if (text.startsWith("`")) return text.slice(1, -1);
  try {
    const value: unknown = JSON.parse(text);
    if (typeof value === "string") return value;
  } catch {
    // Go has escapes that JSON hasn't.
  }
  throw unknown("has an escape in a text");
}

/** A constant: a whole number, but where it is written with a point or an exponent. */
function numberValue(text: string): Value {
  if (text.startsWith("'")) {
    const [character = "", ...others] = text.slice(1, -1);
    if (others.length > 0 || character === "\\") throw unknown("has an escape in a character");
    return BigInt(character.codePointAt(0) ?? 0);
  }
  const whole = parsedInt(text);
  if (whole !== undefined) return whole;
  const value = Number(text.replaceAll("_", ""));
  if (!Number.isFinite(value) || !/[.e]/iu.test(text)) throw wrong(`has the number ${text}, which is none`);
  return value;
}
