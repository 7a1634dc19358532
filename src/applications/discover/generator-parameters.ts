import { recovered } from "../../base/errors.ts";
import type { Limits } from "../../base/limits.ts";
import { kubectlDocuments } from "../../yaml/read/kubectl-view.ts";
import { type Json } from "../../yaml/read/node.ts";
import type { Parameters } from "./given-values.ts";
import { executeTemplate } from "./go-template.ts";
import { goNumber, TemplateProblem } from "./go-values.ts";
import { textsOf } from "./objects.ts";
import { listOf, isMapping, type Mapping, fieldsOf, textOrEmpty, textsOf as textsIn } from "../../yaml/read/json.ts";
import type { Repository } from "./repository.ts";
import { matchesSelector, type Requirement } from "../../base/selector.ts";
import { sumOf } from "../../base/grouped.ts";

// Shared by the generators of ApplicationSets: reading, substituting and combining parameters.

export interface GeneratorContext {
  readonly repository: Repository;
  readonly name: string;
  /** The place of the ApplicationSet: its file, or the one of the rendering that contains it. */
  readonly place: string;
  readonly goTemplate: boolean;
  readonly missingKey: "error" | "other";
  /** The files that parameters come from, and the Applications made of these. */
  readonly readFrom: Map<Mapping, readonly string[]>;
  /** The revisions in which they have read them. */
  readonly revisions: Set<string>;
  /** Counts generated parameters, up to the limit. */
  readonly spend: (count: number) => void;
  /** Counts the work of templates and parameters, and the text that they produce. Throws a TemplateProblem. */
  readonly work: Work;
}

export type Work = (steps: number, written?: number, applications?: number) => void;

// Ten thousand Applications with a hundred values each take a million steps.
const MOST_WORK = 5_000_000;
const MOST_WRITTEN = 1 << 26;

/** One budget for all elements of all ApplicationSets of a repository: each of them may be small. */
export function workBudget({ applications: most }: Pick<Limits, "applications">): Work {
  let [stepsLeft, writtenLeft, left] = [MOST_WORK, MOST_WRITTEN, most];
  return (steps, written = 0, applications = 0) => {
    stepsLeft -= steps;
    writtenLeft -= written;
    left -= applications;
    if (stepsLeft < 0) throw exceeded(`take more than ${MOST_WORK} steps`);
    if (writtenLeft < 0) throw exceeded(`produce more than ${MOST_WRITTEN >> 20} MiB of text`);
    if (left < 0)
      throw new TemplateProblem(
        "invalid",
        `all ApplicationSets together generate more than ${most} Applications (--max-applications)`,
      );
  };
}

function exceeded(what: string): TemplateProblem {
  return new TemplateProblem("invalid", `the templates of all ApplicationSets ${what} together`);
}

const workOf = (length: number): number => 1 + Math.floor(length / 100);

/** Substitutes parameters in all strings of a value, also in keys. Throws a TemplateProblem. */
export function replaced(
  value: Json | undefined,
  parameters: Parameters,
  context: Pick<GeneratorContext, "goTemplate" | "missingKey" | "work">,
): Json {
  context.work(1);
  if (typeof value === "string") return replacedText(value, parameters, context);
  if (Array.isArray(value)) return value.map((one) => replaced(one, parameters, context));
  if (!isMapping(value)) return value ?? null;
  return Object.fromEntries(
    Object.entries(value).map(([key, one]) => [
      replacedText(key, parameters, context),
      replaced(one, parameters, context),
    ]),
  );
}

/** Substitutes parameters in a string: as a Go template, or as `{{name}}`, where unknown names stay. */
export function replacedText(
  text: string,
  parameters: Parameters,
  { goTemplate, missingKey, work }: Pick<GeneratorContext, "goTemplate" | "missingKey" | "work">,
): string {
  if (!text.includes("{{")) return text;
  work(workOf(text.length));
  if (goTemplate) return executeTemplate(text, { ...parameters }, { missingKey, work });
  if (!hasTagInLine(text)) return text;
  let result = "";
  for (let from = 0; ;) {
    const start = text.indexOf("{{", from);
    const end = start < 0 ? -1 : text.indexOf("}}", start + 2);
    if (end < 0) return result + text.slice(from);
    const name = text.slice(start + 2, end).trim();
    const value = Object.hasOwn(parameters, name) ? parameters[name] : undefined;
    const made = typeof value === "string" && name !== "" ? value : text.slice(start, end + 2);
    work(workOf(made.length), made.length);
    result += text.slice(from, start) + made;
    from = end + 2;
  }
}

/** Whether a line has `{{` and, behind it, `}}`. */
function hasTagInLine(text: string): boolean {
  return text.split(/[\n\r\u2028\u2029]/u).some((line) => {
    const start = line.indexOf("{{");
    return start >= 0 && line.includes("}}", start + 2);
  });
}

/** As Argo CD reads it: YAML 1.1, in which `yes` is true. */
export function parsed(text: string, file: string, limits: Limits): Json[] {
  return recovered(
    () => kubectlDocuments(text, file, limits),
    ({ message }) => {
      throw new TemplateProblem("invalid", `${file}: ${message}`);
    },
  );
}

/** Notes that parameters, or an Application, are made of others: they come from the same files. */
export function inheritFiles<T extends Mapping>(
  parts: readonly Parameters[],
  made: T,
  { readFrom }: GeneratorContext,
): T {
  const files = parts.flatMap((part) => readFrom.get(part) ?? []);
  if (files.length > 0) readFrom.set(made, [...new Set(files)].sort());
  return made;
}

/** Adds the generator's own `values`, which may use its parameters. */
export function withValues(generator: Mapping, parameters: Parameters, context: GeneratorContext): Parameters {
  const values = Object.entries(textsOf(generator["values"])).map(([key, value]): [string, string] => [
    key,
    replacedText(value, parameters, context),
  ]);
  if (values.length === 0) return parameters;
  if (context.goTemplate) return { ...parameters, values: Object.fromEntries(values) };
  return { ...parameters, ...Object.fromEntries(values.map(([key, value]) => [`values.${key}`, value])) };
}

/** As mergo merges with override: mappings are merged, and null replaces nothing. */
export function merged(base: Parameters, over: Parameters): Parameters {
  const all = new Map(Object.entries(base));
  for (const [key, value] of Object.entries(over)) {
    const known = all.get(key);
    if (isMapping(value) && isMapping(known)) all.set(key, { ...merged(known, value) });
    else if (known === undefined || value !== null) all.set(key, value);
  }
  return Object.fromEntries(all);
}

/** Combines strings. A key that both set must have the same value. */
export function combined(a: Parameters, b: Parameters): Parameters {
  const all = new Map<string, string>(Object.entries(a).map(([key, value]) => [key, printed(value)]));
  for (const [key, value] of Object.entries(b)) {
    const text = printed(value);
    const known = all.get(key);
    if (known !== undefined && known !== text)
      throw new TemplateProblem("invalid", `both generators of its matrix set ${key}, to different values`);
    all.set(key, text);
  }
  return Object.fromEntries(all);
}

/** Nested parameters on one level (`a.b`, `list.0`), each as Go prints it. */
export function flat(parameters: Parameters): Record<string, string> {
  const found: [string, string][] = [];
  const walk = (prefix: string, value: Json): void => {
    if (value !== null && typeof value === "object") {
      for (const [key, one] of Object.entries(value)) walk(prefix === "" ? key : `${prefix}.${key}`, one);
    } else found.push([prefix, printed(value)]);
  };
  walk("", { ...parameters });
  return Object.fromEntries(found);
}

function printed(value: Json): string {
  if (value === null) return "<nil>";
  if (typeof value === "number") return goNumber(value);
  return typeof value === "object" ? JSON.stringify(value) : String(value);
}

/** Compiles a label selector. Its terms count as work each time: each is compared with all elements. */
export function selector(wanted: Mapping, work: Work): (labels: Readonly<Record<string, string>>) => boolean {
  const labels = Object.entries(textsOf(wanted["matchLabels"])).map(([key, value]): Requirement => ({
    key,
    operator: "In",
    values: [value],
  }));
  const expressions = listOf(wanted["matchExpressions"]).map(requirementOf);
  const terms = labels.length + sumOf(expressions, ({ values }) => 1 + values.length);
  return (given) => {
    work(Math.floor(terms / 10));
    return matchesSelector([...labels, ...expressions], new Map(Object.entries(given)));
  };
}

function requirementOf(expression: Json): Requirement {
  const { key, operator, values } = fieldsOf(expression);
  const known = OPERATORS.find((one) => one === operator);
  if (known === undefined) throw new TemplateProblem("invalid", "its selector has an unknown operator");
  return { key: textOrEmpty(key), operator: known, values: textsIn(values) };
}

const OPERATORS: readonly Requirement["operator"][] = ["In", "NotIn", "Exists", "DoesNotExist"];
