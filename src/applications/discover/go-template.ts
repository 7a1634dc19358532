import type { Json } from "../../yaml/read/node.ts";
import { call } from "./go-functions.ts";
import { goText, isList, isMap, isTrue, sortedEntries, TemplateProblem, wrong, type Value } from "./go-values.ts";
import type { Command, Operand, Pipeline } from "./go-pipelines.ts";
import { parseTemplate, type Branch, type Step, type Templates } from "./go-template-parser.ts";

// Go's text/template, as far as ApplicationSets use it: what it doesn't know it says, and nothing comes of it.

export interface TemplateOptions {
  /** `missingkey=error`, `zero` or `default` of goTemplateOptions. */
  readonly missingKey: "error" | "other";
}

const MOST_STEPS = 100_000;
const LONGEST = 1 << 20;
// Go's is 100,000.
const DEEPEST = 300;

/** What becomes of the range around a step. */
type Flow = "next" | "break" | "continue";

/** The text that a template makes of some data. Throws a TemplateProblem. */
export function executed(template: string, data: Json, options: TemplateOptions): string {
  if (!template.includes("{{")) return template;
  const run = new Run(parseTemplate(template), options);
  run.template("", data);
  return run.text();
}

class Run {
  readonly #templates: Templates;
  readonly #options: TemplateOptions;
  readonly #parts: string[] = [];
  #scopes: Map<string, Value>[] = [];
  #depth = 0;
  #length = 0;
  #steps = 0;

  constructor(templates: Templates, options: TemplateOptions) {
    this.#templates = templates;
    this.#options = options;
  }

  text(): string {
    return this.#parts.join("");
  }

  /** One of the templates, which sees what it is given and no variables. */
  template(name: string, data: Value): void {
    const steps = this.#templates.get(name);
    if (steps === undefined) throw wrong(`has no template ${JSON.stringify(name)}`);
    const around = this.#scopes;
    this.#scopes = [new Map([["$", data]])];
    this.#scoped(() => this.#all(steps, data));
    this.#scopes = around;
  }

  #all(steps: readonly Step[], dot: Value): Flow {
    for (const step of steps) {
      const flow = this.#step(step, dot);
      if (flow !== "next") return flow;
    }
    return "next";
  }

  #spend(steps: number = 1): void {
    this.#steps += steps;
    if (this.#steps > MOST_STEPS) throw wrong(`takes more than ${MOST_STEPS} steps`);
  }

  #write(text: string): void {
    this.#length += text.length;
    if (this.#length > LONGEST) throw wrong("makes more than 1 MiB of text");
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
        if (step.pipeline.declares.length === 0) this.#write(goText(value));
        return "next";
      }
      case "template":
        this.template(step.name, step.pipeline === undefined ? undefined : this.#pipeline(step.pipeline, dot));
        return "next";
      case "break":
      case "continue":
        return step.is;
      case "if":
        return this.#scoped(() =>
          this.#all(isTrue(this.#pipeline(step.pipeline, dot)) ? step.inner : step.otherwise, dot),
        );
      case "with":
        return this.#scoped(() => {
          const value = this.#pipeline(step.pipeline, dot);
          return isTrue(value) ? this.#all(step.inner, value) : this.#all(step.otherwise, dot);
        });
      case "range":
        return this.#range(step, dot);
    }
  }

  #range(step: Branch, dot: Value): Flow {
    const { declares, assigns, commands } = step.pipeline;
    const value = this.#pipeline({ declares: [], assigns: false, commands }, dot);
    if (typeof value === "bigint" && declares.length > 1) throw wrong("ranges over a number with two variables");
    let isEmpty = true;
    for (const [key, item] of entriesOf(value)) {
      isEmpty = false;
      this.#spend();
      const flow = this.#scoped(() => {
        const [first, second] = declares;
        if (second !== undefined) {
          this.#set(first ?? "", key, assigns);
          this.#set(second, item, assigns);
        } else if (first !== undefined) this.#set(first, item, assigns);
        return this.#all(step.inner, item);
      });
      if (flow === "break") break;
    }
    return isEmpty ? this.#scoped(() => this.#all(step.otherwise, dot)) : "next";
  }

  #scoped(run: () => Flow): Flow {
    this.#depth += 1;
    if (this.#depth > DEEPEST)
      throw new TemplateProblem("unknown", `its template goes more than ${DEEPEST} templates and branches deep`);
    this.#scopes.push(new Map());
    const flow = run();
    this.#scopes.pop();
    this.#depth -= 1;
    return flow;
  }

  #set(name: string, value: Value, assigns: boolean): void {
    const scope = assigns ? this.#scopes.findLast((one) => one.has(name)) : this.#scopes.at(-1);
    if (scope === undefined) throw wrong(`has no variable ${name}`);
    scope.set(name, value);
  }

  #pipeline({ declares, assigns, commands }: Pipeline, dot: Value): Value {
    let value: Value;
    let isFirst = true;
    for (const command of commands) {
      value = this.#command(command, dot, isFirst ? [] : [value]);
      isFirst = false;
    }
    for (const name of declares) this.#set(name, value, assigns);
    return value;
  }

  #command(command: Command, dot: Value, piped: readonly Value[]): Value {
    this.#spend();
    const [first, ...rest] = command;
    if (first === undefined) throw wrong("has an empty command");
    if (first.is === "function") {
      const lazy = rest.map((operand) => () => this.#operand(operand, dot));
      return call(first.name, [...lazy, ...piped.map((value) => () => value)], (steps) => this.#spend(steps));
    }
    if (rest.length > 0 || piped.length > 0) throw wrong("gives arguments to what is no function");
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
        const scope = this.#scopes.findLast((one) => one.has(operand.name));
        if (scope === undefined) throw wrong(`has no variable ${operand.name}`);
        return this.#fields(scope.get(operand.name), operand.fields);
      }
      case "pipeline":
        return this.#fields(this.#pipeline(operand.pipeline, dot), operand.fields);
      case "function":
        return call(operand.name, [], (steps) => this.#spend(steps));
    }
  }

  #fields(from: Value, fields: readonly string[]): Value {
    let value = from;
    for (const field of fields) {
      if (value === undefined || value === null) {
        if (this.#options.missingKey === "error") throw wrong(`asks for ${field} of nothing`);
        return undefined;
      }
      if (!isMap(value)) throw wrong(`asks for ${field} of what has no fields`);
      const has = Object.hasOwn(value, field);
      if (!has && this.#options.missingKey === "error") throw wrong(`asks for the key ${field}, which is not there`);
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
  else throw wrong("ranges over what is no list");
}
