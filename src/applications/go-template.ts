import { isObject, type Json } from "../manifest/node.ts";
import { call, goText, isTrue, TemplateProblem, type Value } from "./go-functions.ts";
import {
  parseTemplate,
  type Branch,
  type Command,
  type Operand,
  type Pipeline,
  type Step,
} from "./go-template-parser.ts";

// Go's text/template, as far as ApplicationSets use it: what it doesn't know it says, and nothing comes of it.

export interface TemplateOptions {
  /** `missingkey=error`, `zero` or `default` of goTemplateOptions. */
  readonly missingKey: "error" | "other";
}

const MOST_STEPS = 100_000;
const LONGEST = 1 << 20;

/** The text that a template makes of some data. Throws a TemplateProblem. */
export function executed(template: string, data: Json, options: TemplateOptions): string {
  if (!template.includes("{{")) return template;
  const run = new Run(data, options);
  run.steps(parseTemplate(template), data);
  return run.text();
}

class Run {
  readonly #root: Value;
  readonly #options: TemplateOptions;
  readonly #scopes: Map<string, Value>[];
  readonly #parts: string[] = [];
  #length = 0;
  #steps = 0;

  constructor(root: Value, options: TemplateOptions) {
    this.#root = root;
    this.#options = options;
    this.#scopes = [new Map([["$", root]])];
  }

  text(): string {
    return this.#parts.join("");
  }

  steps(steps: readonly Step[], dot: Value): void {
    for (const step of steps) this.#step(step, dot);
  }

  #spend(): void {
    this.#steps += 1;
    if (this.#steps > MOST_STEPS)
      throw new TemplateProblem("wrong", `its template takes more than ${MOST_STEPS} steps`);
  }

  #write(text: string): void {
    this.#length += text.length;
    if (this.#length > LONGEST) throw new TemplateProblem("wrong", "its template makes more than 1 MiB of text");
    this.#parts.push(text);
  }

  #step(step: Step, dot: Value): void {
    this.#spend();
    switch (step.is) {
      case "text":
        this.#write(step.text);
        break;
      case "action": {
        const value = this.#pipeline(step.pipeline, dot);
        if (step.pipeline.declares.length === 0) this.#write(goText(value));
        break;
      }
      case "if":
        this.#scoped(() => {
          this.steps(isTrue(this.#pipeline(step.pipeline, dot)) ? step.inner : step.otherwise, dot);
        });
        break;
      case "with":
        this.#scoped(() => {
          const value = this.#pipeline(step.pipeline, dot);
          if (isTrue(value)) this.steps(step.inner, value);
          else this.steps(step.otherwise, dot);
        });
        break;
      case "range":
        this.#range(step, dot);
        break;
    }
  }

  #range(step: Branch, dot: Value): void {
    const { declares, assigns, commands } = step.pipeline;
    const value = this.#pipeline({ declares: [], assigns: false, commands }, dot);
    const entries = entriesOf(value);
    if (entries.length === 0) {
      this.#scoped(() => {
        this.steps(step.otherwise, dot);
      });
      return;
    }
    for (const [key, item] of entries) {
      this.#spend();
      this.#scoped(() => {
        const [first, second] = declares;
        if (second !== undefined) {
          this.#set(first ?? "", key, assigns);
          this.#set(second, item, assigns);
        } else if (first !== undefined) this.#set(first, item, assigns);
        this.steps(step.inner, item);
      });
    }
  }

  #scoped(run: () => void): void {
    this.#scopes.push(new Map());
    run();
    this.#scopes.pop();
  }

  #set(name: string, value: Value, assigns: boolean): void {
    const scope = assigns ? this.#scopes.findLast((one) => one.has(name)) : this.#scopes.at(-1);
    if (scope === undefined) throw new TemplateProblem("wrong", `its template has no variable ${name}`);
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
    if (first === undefined) throw new TemplateProblem("wrong", "its template has an empty command");
    if (first.is === "function") {
      const lazy = rest.map((operand) => () => this.#operand(operand, dot));
      return call(first.name, [...lazy, ...piped.map((value) => () => value)]);
    }
    if (rest.length > 0 || piped.length > 0)
      throw new TemplateProblem("wrong", "its template gives arguments to what is no function");
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
        if (scope === undefined) throw new TemplateProblem("wrong", `its template has no variable ${operand.name}`);
        return this.#fields(operand.name === "$" ? this.#root : scope.get(operand.name), operand.fields);
      }
      case "pipeline":
        return this.#fields(this.#pipeline(operand.pipeline, dot), operand.fields);
      case "function":
        return call(operand.name, []);
    }
  }

  #fields(from: Value, fields: readonly string[]): Value {
    let value = from;
    for (const field of fields) {
      if (value === undefined || value === null) {
        if (this.#options.missingKey === "error")
          throw new TemplateProblem("wrong", `its template asks for ${field} of nothing`);
        return undefined;
      }
      if (!isObject(value)) throw new TemplateProblem("wrong", `its template asks for ${field} of what has no fields`);
      const has = Object.hasOwn(value, field);
      if (!has && this.#options.missingKey === "error")
        throw new TemplateProblem("wrong", `its template asks for the key ${field}, which is not there`);
      value = has ? value[field] : undefined;
    }
    return value;
  }
}

function entriesOf(value: Value): [Value, Value][] {
  if (value === undefined || value === null) return [];
  if (Array.isArray(value)) return value.map((item, index) => [index, item]);
  if (isObject(value)) return Object.entries(value).sort(([a], [b]) => (a < b ? -1 : a > b ? 1 : 0));
  throw new TemplateProblem("wrong", "its template ranges over what is no list");
}
