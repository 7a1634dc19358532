import { pipelineOf, stringValue, tokensOf, type Pipeline } from "./go-pipelines.ts";
import { wrong } from "./go-values.ts";

export type Step =
  | { readonly is: "text"; readonly text: string }
  | { readonly is: "action"; readonly pipeline: Pipeline }
  | { readonly is: "template"; readonly name: string; readonly pipeline: Pipeline | undefined }
  | { readonly is: "break" | "continue" }
  | Branch;

/** By their names; the template itself has none: "". */
export type Templates = ReadonlyMap<string, readonly Step[]>;

export interface Branch {
  readonly is: "if" | "with" | "range";
  readonly pipeline: Pipeline;
  readonly inner: readonly Step[];
  readonly otherwise: readonly Step[];
}

const DEEPEST = 100;

/** A template, and those that it defines. Throws a TemplateProblem. */
export function parseTemplate(template: string): Templates {
  const pieces = piecesOf(template);
  const parser: Parser = { pieces, at: 0, templates: new Map() };
  const steps = stepsOf(parser, { depth: 0, inRange: false });
  if (parser.at < pieces.length) throw wrong(`has a {{${pieces[parser.at]?.text ?? ""}}} too many`);
  add(parser, "", steps);
  return parser.templates;
}

/** What is only white space gives way to another one; two others of one name there may not be. */
function add({ templates }: Parser, name: string, steps: readonly Step[]): void {
  const known = templates.get(name);
  if (known === undefined || isEmpty(known)) templates.set(name, steps);
  else if (!isEmpty(steps)) throw wrong(`defines ${JSON.stringify(name)} more than once`);
}

function isEmpty(steps: readonly Step[]): boolean {
  return steps.every((step) => step.is === "text" && step.text.trim() === "");
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
  readonly templates: Map<string, readonly Step[]>;
  at: number;
}

interface Place {
  readonly depth: number;
  readonly inRange: boolean;
}

function stepsOf(parser: Parser, place: Place): Step[] {
  if (place.depth > DEEPEST) throw wrong("is nested too deeply");
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
    const step = stepOf(parser, place, word, rest);
    if (step !== undefined) steps.push(step);
  }
  return steps;
}

/** The step that begins here; undefined where it only defines a template. */
function stepOf(parser: Parser, place: Place, word: string, rest: string): Step | undefined {
  switch (word) {
    case "if":
    case "with":
    case "range":
      parser.at += 1;
      return branch(parser, word, rest, place);
    case "break":
    case "continue":
      if (rest !== "" || !place.inRange) throw wrong(`has a ${word} where none may be`);
      return { is: word };
    case "template":
      return invoked(rest);
    case "define": {
      const { name, pipeline } = invoked(rest);
      if (place.depth > 0 || pipeline !== undefined) throw wrong("has a define where none may be");
      define(parser, name, place);
      return undefined;
    }
    case "block": {
      const step = invoked(rest);
      if (step.pipeline === undefined) throw wrong("has a block without a value");
      define(parser, step.name, place);
      return step;
    }
    default:
      return { is: "action", pipeline: pipelineOf(parser.pieces[parser.at]?.text ?? "") };
  }
}

/** A name in quotes, and what is handed over. */
function invoked(text: string): Extract<Step, { readonly is: "template" }> {
  const [first, ...rest] = tokensOf(text);
  if (first?.is !== "string") throw wrong("names a template without quotes");
  const name = stringValue(first.text);
  return { is: "template", name, pipeline: rest.length === 0 ? undefined : pipelineOf(text.slice(first.text.length)) };
}

/** Takes all up to the end of a definition. */
function define(parser: Parser, name: string, { depth }: Place): void {
  parser.at += 1;
  const steps = stepsOf(parser, { depth: depth + 1, inRange: false });
  if (parser.pieces[parser.at]?.text !== "end") throw wrong("has a define or block without end");
  add(parser, name, steps);
}

/** What is between `if` and its `end`, at which it stops. */
function branch(parser: Parser, is: "if" | "with" | "range", condition: string, place: Place): Step {
  const pipeline = pipelineOf(condition);
  const below = { depth: place.depth + 1, inRange: place.inRange };
  const inner = stepsOf(parser, { ...below, inRange: place.inRange || is === "range" });
  const at = parser.pieces[parser.at];
  if (at === undefined) throw wrong(`has an ${is} without end`);
  if (at.text === "end") return { is, pipeline, inner, otherwise: [] };
  const [, chained, rest = ""] = /^else\s+(if|with)\b\s*([\s\S]*)$/u.exec(at.text) ?? [];
  parser.at += 1;
  if (chained === "if" || chained === "with")
    return { is, pipeline, inner, otherwise: [branch(parser, chained, rest, below)] };
  const otherwise = stepsOf(parser, below);
  if (parser.pieces[parser.at]?.text !== "end") throw wrong("has an else without end");
  return { is, pipeline, inner, otherwise };
}
