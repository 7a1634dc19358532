import { onceFor } from "../../base/grouped.ts";
import type { Json } from "../../yaml/read/node.ts";
import { callFunction } from "./go-functions.ts";
import { parseTemplate, type Branch, type Command, type Operand, type Pipeline, type Step } from "./go-parser.ts";
import { goText, invalid, isList, isMap, isTrue, sortedEntries, type Value } from "./go-values.ts";

// Go's text/template as far as ApplicationSets use it. Everything else is reported as unsupported, with its name.

export interface TemplateOptions {
  /** `missingkey=error` of `goTemplateOptions`, or any other value. */
  readonly missingKey: "error" | "other";
  /** Counts the work and the text in the budget of all templates. Throws a TemplateProblem. */
  readonly work: (steps: number, written?: number) => void;
}

const MOST_STEPS = 100_000;
const LONGEST = 1 << 20;

/** Whether the range around a step goes on with its next item. */
type Flow = "next" | "break" | "continue";

/** The text that a template produces with some parameters. Throws a TemplateProblem. */
export function executeTemplate(template: string, parameters: Json, options: TemplateOptions): string {
  if (!template.includes("{{")) return template;
  const run = new Run(parameters, options);
  run.all(parsedOnce(template, options), parameters);
  return run.text();
}

/** What templates are parsed to, for as long as their budget is used. */
const PARSED = onceFor((_work: TemplateOptions["work"]) => new Map<string, () => readonly Step[]>());

/** Parses a template once, although each element of an ApplicationSet executes it, or fails with it. */
function parsedOnce(template: string, { work }: TemplateOptions): readonly Step[] {
  const known = PARSED(work);
  const parse = known.get(template) ?? parsing(template);
  known.set(template, parse);
  return parse();
}

function parsing(template: string): () => readonly Step[] {
  try {
    const steps = parseTemplate(template);
    return () => steps;
  } catch (cause) {
    return () => {
      throw cause;
    };
  }
}

class Run {
  readonly #options: TemplateOptions;
  readonly #parts: string[] = [];
  readonly #scopes: Map<string, Value>[];
  #length = 0;
  #steps = 0;

  constructor(parameters: Value, options: TemplateOptions) {
    this.#options = options;
    this.#scopes = [new Map([["$", parameters]])];
  }

  text(): string {
    return this.#parts.join("");
  }

  all(steps: readonly Step[], dot: Value): Flow {
    for (const step of steps) {
      const flow = this.#step(step, dot);
      if (flow !== "next") return flow;
    }
    return "next";
  }

  #spend(steps: number = 1): void {
    this.#steps += steps;
    this.#options.work(steps);
    if (this.#steps > MOST_STEPS) throw invalid(`takes more than ${MOST_STEPS} steps`);
  }

  #write(text: string): void {
    this.#length += text.length;
    this.#options.work(0, text.length);
    if (this.#length > LONGEST) throw invalid("produces more than 1 MiB of text");
    this.#parts.push(text);
  }

  #step(step: Step, dot: Value): Flow {
    this.#spend();
    switch (step.is) {
      case "text":
        this.#write(step.text);
        return "next";
      case "action": {
        const value = this.#pipeline(step.pipeline, dot);
        if (step.pipeline.variables.length === 0) this.#write(goText(value));
        return "next";
      }
      case "break":
      case "continue":
        return step.is;
      case "if":
        return this.#inScope(() =>
          this.all(isTrue(this.#pipeline(step.pipeline, dot)) ? step.inner : step.otherwise, dot),
        );
      case "with":
        return this.#inScope(() => {
          const value = this.#pipeline(step.pipeline, dot);
          return isTrue(value) ? this.all(step.inner, value) : this.all(step.otherwise, dot);
        });
      case "range":
        return this.#range(step, dot);
    }
  }

  #range(step: Branch, dot: Value): Flow {
    const { variables, assigns, commands } = step.pipeline;
    const value = this.#pipeline({ variables: [], assigns: false, commands }, dot);
    if (typeof value === "bigint" && variables.length > 1) throw invalid("ranges over a number with two variables");
    let isEmpty = true;
    for (const [key, item] of entriesOf(value)) {
      isEmpty = false;
      this.#spend();
      const flow = this.#inScope(() => {
        const [first, second] = variables;
        if (second !== undefined) {
          this.#set(first ?? "", key, assigns);
          this.#set(second, item, assigns);
        } else if (first !== undefined) this.#set(first, item, assigns);
        return this.all(step.inner, item);
      });
      if (flow === "break") break;
    }
    return isEmpty ? this.#inScope(() => this.all(step.otherwise, dot)) : "next";
  }

  #inScope(run: () => Flow): Flow {
    this.#scopes.push(new Map());
    const flow = run();
    this.#scopes.pop();
    return flow;
  }

  #set(name: string, value: Value, assigns: boolean): void {
    const scope = assigns ? this.#scopes.findLast((variables) => variables.has(name)) : this.#scopes.at(-1);
    if (scope === undefined) throw invalid(`has no variable ${name}`);
    scope.set(name, value);
  }

  #pipeline({ variables, assigns, commands }: Pipeline, dot: Value): Value {
    let value: Value;
    for (const [i, command] of commands.entries()) value = this.#command(command, dot, i === 0 ? [] : [value]);
    for (const name of variables) this.#set(name, value, assigns);
    return value;
  }

  #command(command: Command, dot: Value, piped: readonly Value[]): Value {
    this.#spend();
    const [first, ...rest] = command;
    if (first === undefined) throw invalid("has an empty command");
    if (first.is === "function") {
      const args = rest.map((operand) => () => this.#operand(operand, dot));
      return callFunction(first.name, [...args, ...piped.map((value) => () => value)], (steps) => this.#spend(steps));
    }
    if (rest.length > 0 || piped.length > 0) throw invalid("passes arguments to a value that is not a function");
    return this.#operand(first, dot);
  }

  #operand(operand: Operand, dot: Value): Value {
    this.#spend();
    switch (operand.is) {
      case "value":
        return operand.value;
      case "dot":
        return this.#fields(dot, operand.fields);
      case "variable": {
        const scope = this.#scopes.findLast((variables) => variables.has(operand.name));
        if (scope === undefined) throw invalid(`has no variable ${operand.name}`);
        return this.#fields(scope.get(operand.name), operand.fields);
      }
      case "pipeline":
        return this.#fields(this.#pipeline(operand.pipeline, dot), operand.fields);
      case "function":
        return callFunction(operand.name, [], (steps) => this.#spend(steps));
    }
  }

  #fields(from: Value, fields: readonly string[]): Value {
    let value = from;
    for (const field of fields) {
      if (value === undefined || value === null) {
        if (this.#options.missingKey === "error") throw invalid(`reads ${field} of a missing value`);
        return undefined;
      }
      if (!isMap(value)) throw invalid(`reads ${field} of a value that is not a mapping`);
      const has = Object.hasOwn(value, field);
      if (!has && this.#options.missingKey === "error") throw invalid(`reads the missing key ${field}`);
      value = has ? value[field] : undefined;
    }
    return value;
  }
}

function* entriesOf(value: Value): Iterable<[Value, Value]> {
  if (value === undefined || value === null) return;
  if (typeof value === "bigint") for (let i = 0n; i < value; i++) yield [i, i];
  else if (isList(value)) for (const [index, item] of value.entries()) yield [BigInt(index), item];
  else if (isMap(value)) yield* sortedEntries(value);
  else throw invalid("ranges over a value that is not a list");
}
