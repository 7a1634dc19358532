import { RollstampError } from "../ground/errors.ts";
import type { Limits } from "../ground/limits.ts";
import { isMapping, type Mapping } from "../manifest/json-keys.ts";
import { isObject, toJson, type Json } from "../manifest/node.ts";
import { readTree } from "../manifest/tree.ts";
import { posix } from "node:path";
import { executed } from "./go-template.ts";
import { goNumber, sanitizedName, TemplateProblem } from "./go-functions.ts";
import { GIT_PATHSPEC, globOf, GO_PATH } from "./glob.ts";
import type { Parameters } from "./given-values.ts";
import { givenText, listOf, mappingOf, textOf, textsOf } from "./objects.ts";
import { shownAddress } from "./remotes.ts";
import type { Repository } from "./repository.ts";

// What the generators of an ApplicationSet give (Argo CD v3.1, applicationset/generators). What Argo CD refuses is
// refused with its reason; what only a cluster or a provider knows comes from a file of values, or isn't expanded.

/** What an ApplicationSet says for all of its generators. */
export interface GeneratorContext {
  readonly repository: Repository;
  readonly name: string;
  readonly goTemplate: boolean;
  readonly missingKey: "error" | "other";
  /** The files that were read. */
  readonly files: Set<string>;
  /** Counts what is generated. */
  readonly spend: (count: number) => void;
}

/** What an ApplicationSet may generate, those that its matrix goes through included. */
export const MOST_GENERATED = 10_000;

type Generate = (generator: Mapping, context: GeneratorContext, depth: number) => Parameters[];

const TEMPLATED: Readonly<Record<string, Generate>> = {
  list: fromList,
  git: fromGit,
  clusters: fromClusters,
  matrix: fromMatrix,
  merge: fromMerge,
  scmProvider: fromGiven("scmProvider"),
  pullRequest: fromGiven("pullRequest"),
  clusterDecisionResource: fromGiven("clusterDecisionResource"),
  plugin: fromGiven("plugin"),
};

/** A generator's own template, and what it gives. */
export interface Generated {
  readonly template: Mapping;
  readonly parameters: readonly Parameters[];
}

// Two of them may be nested in one another, and no more (GetGenerators).
const DEEPEST = 3;

/** What a generator gives, filtered by its selector. Throws a TemplateProblem. */
export function generated(
  generator: Json,
  context: GeneratorContext,
  given: Parameters = {},
  depth: number = 0,
): Generated[] {
  if (depth >= DEEPEST) throw new TemplateProblem("wrong", "its generators are nested more than twice");
  const whole = mappingOf(Object.keys(given).length === 0 ? generator : replaced(generator, given, context));
  const kinds = Object.keys(whole).filter((kind) => kind !== "selector" && isMapping(whole[kind]));
  const unknown = kinds.find((kind) => !Object.hasOwn(TEMPLATED, kind));
  if (unknown !== undefined) throw new TemplateProblem("unknown", `Argo CD has no generator ${unknown}`);
  if (kinds.length === 0) throw new TemplateProblem("unknown", "one of its generators is empty: nothing comes of it");
  const matches = selector(mappingOf(mappingOf(generator)["selector"]));
  return kinds.map((kind) => {
    const options = mappingOf(whole[kind]);
    const all = TEMPLATED[kind]?.(options, context, depth) ?? [];
    context.spend(all.length);
    return {
      template: mappingOf(mappingOf(mappingOf(generator)[kind])["template"]),
      parameters: "selector" in mappingOf(generator) ? all.filter((one) => matches(flat(one))) : all,
    };
  });
}

/** The texts of some data, with parameters put in, keys too. Throws a TemplateProblem. */
export function replaced(
  value: Json | undefined,
  parameters: Parameters,
  context: Pick<GeneratorContext, "goTemplate" | "missingKey">,
): Json {
  if (typeof value === "string") return replacedText(value, parameters, context);
  if (Array.isArray(value)) return value.map((one) => replaced(one, parameters, context));
  if (!isObject(value)) return value ?? null;
  return Object.fromEntries(
    Object.entries(value).map(([key, one]) => [
      replacedText(key, parameters, context),
      replaced(one, parameters, context),
    ]),
  );
}

/** A text with parameters put in: by Go's templates, or as `{{name}}`, of which what is none stands. */
export function replacedText(
  text: string,
  parameters: Parameters,
  { goTemplate, missingKey }: Pick<GeneratorContext, "goTemplate" | "missingKey">,
): string {
  if (!text.includes("{{")) return text;
  if (goTemplate) return executed(text, { ...parameters }, { missingKey });
  if (!/\{\{.*\}\}/u.test(text)) return text;
  return text.replace(/\{\{([\s\S]*?)\}\}/gu, (whole: string, tag: string) => {
    const name = tag.trim();
    const value = Object.hasOwn(parameters, name) ? parameters[name] : undefined;
    return typeof value === "string" && name !== "" ? value : whole;
  });
}

function fromList(list: Mapping, { goTemplate, repository }: GeneratorContext): Parameters[] {
  const elements = listOf(list["elements"]).map((element): Parameters => {
    const fields = mappingOf(element);
    if (goTemplate) return fields;
    return Object.fromEntries(
      Object.entries(fields).flatMap(([key, value]): [string, Json][] => {
        if (key !== "values") return [[key, onlyText(value)]];
        if (!isMapping(value)) throw new TemplateProblem("wrong", "'values' of a list's element is no mapping");
        return Object.entries(value).map(([inner, one]) => [`values.${inner}`, onlyText(one)]);
      }),
    );
  });
  const yaml = givenText(list["elementsYaml"]);
  if (yaml === undefined) return elements;
  const [more = null] = parsed(yaml, "elementsYaml", repository.tree.limits);
  return [...elements, ...listOf(more).map(mappingOf)];
}

function onlyText(value: Json): string {
  if (typeof value === "string") return value;
  throw new TemplateProblem("wrong", "an element of its list has something else than texts: that needs goTemplate");
}

function parsed(text: string, file: string, limits: Limits): Json[] {
  try {
    const tree = readTree(text, file, limits);
    return tree.documents.map((root) => toJson(tree, root));
  } catch (cause) {
    if (cause instanceof RollstampError) throw new TemplateProblem("wrong", `${file}: ${cause.message}`);
    throw cause;
  }
}

function fromGit(git: Mapping, context: GeneratorContext): Parameters[] {
  const address = textOf(git["repoURL"]);
  if (!context.repository.isOwnAddress(address))
    throw new TemplateProblem("unknown", `its git generator reads another repository: ${shownAddress(address)}`);
  const directories = listOf(git["directories"]);
  if (directories.length > 0) return fromDirectories(git, directories, context);
  const files = listOf(git["files"]);
  if (files.length > 0) return fromFiles(git, files, context);
  throw new TemplateProblem("wrong", "its git generator has neither directories nor files");
}

function fromDirectories(git: Mapping, directories: readonly Json[], context: GeneratorContext): Parameters[] {
  const patterns = directories.map((one) => {
    const { path, exclude } = mappingOf(one);
    // A pattern that is none matches nothing, with a word in the controller's log.
    return { test: globOf(textOf(path), GO_PATH), isExcluded: exclude === true };
  });
  const found = context.repository.visibleFolders.filter((folder) => {
    const matching = patterns.filter(({ test }) => test?.(folder) === true);
    return matching.length > 0 && !matching.some(({ isExcluded }) => isExcluded);
  });
  return found.map((folder) => withValues(git, pathParameters(git, folder, undefined, context), context));
}

/** What `path` and the like stand for. */
function pathParameters(
  git: Mapping,
  folder: string,
  filename: string | undefined,
  { goTemplate }: GeneratorContext,
): Parameters {
  const prefix = givenText(git["pathParamPrefix"]);
  const basename = posix.basename(folder);
  const segments = folder.split("/");
  if (goTemplate) {
    const path = {
      path: folder,
      basename,
      basenameNormalized: sanitizedName(basename),
      segments,
      ...(filename === undefined ? {} : { filename, filenameNormalized: sanitizedName(filename) }),
    };
    return prefix === undefined ? { path } : { [prefix]: { path } };
  }
  const name = prefix === undefined ? "path" : `${prefix}.path`;
  return {
    [name]: folder,
    [`${name}.basename`]: basename,
    [`${name}.basenameNormalized`]: sanitizedName(basename),
    ...(filename === undefined
      ? {}
      : { [`${name}.filename`]: filename, [`${name}.filenameNormalized`]: sanitizedName(filename) }),
    ...Object.fromEntries(segments.flatMap((segment, i) => (segment === "" ? [] : [[`${name}[${i}]`, segment]]))),
  };
}

function fromFiles(git: Mapping, files: readonly Json[], context: GeneratorContext): Parameters[] {
  const { repository } = context;
  const patterns = files.map((one) => {
    const { path, exclude } = mappingOf(one);
    return { test: pathspec(textOf(path)), isExcluded: exclude === true };
  });
  const found = repository.tree.files.filter((file) => {
    const matching = patterns.filter(({ test }) => test(file));
    return matching.length > 0 && !matching.some(({ isExcluded }) => isExcluded);
  });
  return [...found].sort().flatMap((file) => {
    context.files.add(file);
    context.spend(1);
    const read = repository.tree.read(file);
    if (read.is === "refused") throw new TemplateProblem("wrong", `${file}: ${read.error.message}`);
    const [content = null] = parsed(read.text, file, repository.tree.limits);
    const objects = Array.isArray(content) && content.length > 0 ? content : [isObject(content) ? content : {}];
    if (content !== null && typeof content !== "object")
      throw new TemplateProblem("wrong", `${file} holds neither a mapping nor a list`);
    return objects.map((object) => {
      const fields = mappingOf(object);
      const path = pathParameters(git, posix.dirname(file), posix.basename(file), context);
      return withValues(git, { ...(context.goTemplate ? fields : flat(fields)), ...path }, context);
    });
  });
}

/** What `git ls-files` takes a path for: itself, what is below it, or a pattern in which `*` passes slashes. */
function pathspec(path: string): (file: string) => boolean {
  if (path.startsWith(":")) throw new TemplateProblem("unknown", `rollstamp doesn't know the pathspec ${path}`);
  const plain = path.replace(/\/+$/u, "").replace(/^\.\//u, "");
  const test = globOf(plain, GIT_PATHSPEC);
  return (file) => file === plain || file.startsWith(`${plain}/`) || test?.(file) === true;
}

/** With the generator's own `values`, which may use its parameters. */
function withValues(generator: Mapping, parameters: Parameters, context: GeneratorContext): Parameters {
  const values = Object.entries(textsOf(generator["values"])).map(([key, value]): [string, string] => [
    key,
    replacedText(value, parameters, context),
  ]);
  if (values.length === 0) return parameters;
  if (context.goTemplate) return { ...parameters, values: Object.fromEntries(values) };
  return { ...parameters, ...Object.fromEntries(values.map(([key, value]) => [`values.${key}`, value])) };
}

const SECRET_TYPE = { "argocd.argoproj.io/secret-type": "cluster" } as const;

function fromClusters(options: Mapping, context: GeneratorContext): Parameters[] {
  const clusters = context.repository.given.clusters;
  if (clusters === undefined)
    throw new TemplateProblem("unknown", "its generator asks Argo CD for its clusters: --clusters FILE tells of them");
  const wanted = mappingOf(options["selector"]);
  const isSelective =
    Object.keys(mappingOf(wanted["matchLabels"])).length + listOf(wanted["matchExpressions"]).length > 0;
  const matches = selector(wanted);
  const found = clusters.filter(({ name, labels }) => {
    // Argo CD's own cluster has no Secret, and no labels.
    const isLocal = name === "in-cluster" && Object.keys(labels).length === 0;
    return isLocal ? !isSelective : matches({ ...SECRET_TYPE, ...labels });
  });
  const all = found.map(({ name, server, project, labels, annotations }) => {
    const isLocal = name === "in-cluster" && Object.keys(labels).length === 0;
    const allLabels = isLocal ? {} : { ...SECRET_TYPE, ...labels };
    const own = { name, nameNormalized: isLocal ? name : sanitizedName(name), server, project };
    const metadata = context.goTemplate
      ? isLocal
        ? {}
        : { metadata: { labels: allLabels, ...(Object.keys(annotations).length === 0 ? {} : { annotations }) } }
      : {
          ...Object.fromEntries(
            Object.entries(annotations).map(([key, value]) => [`metadata.annotations.${key}`, value]),
          ),
          ...Object.fromEntries(Object.entries(allLabels).map(([key, value]) => [`metadata.labels.${key}`, value])),
        };
    return withValues(options, { ...own, ...metadata }, context);
  });
  return options["flatList"] === true ? [{ clusters: all.map((one) => ({ ...one })) }] : all;
}

function fromGiven(kind: string): Generate {
  return (_, { repository, name }) => {
    const given = repository.given.parameters.get(name);
    if (given === undefined)
      throw new TemplateProblem(
        "unknown",
        `its generator ${kind} asks outside of the repository: --clusters FILE can give what it would answer`,
      );
    return [...given];
  };
}

function fromMatrix({ generators }: Mapping, context: GeneratorContext, depth: number): Parameters[] {
  const [first, second, third] = listOf(generators);
  if (first === undefined || second === undefined || third !== undefined)
    throw new TemplateProblem("wrong", "its matrix takes two generators, no more and no less");
  return onlyOne(first, context, {}, depth).flatMap((a) => {
    const all = onlyOne(second, context, a, depth);
    context.spend(all.length);
    return all.map((b) => (context.goTemplate ? merged(b, a) : combined(a, b)));
  });
}

/** The parameters of a generator in another one. */
function onlyOne(generator: Json, context: GeneratorContext, given: Parameters, depth: number): readonly Parameters[] {
  const all = generated(generator, context, given, depth + 1);
  if (all.length > 1) throw new TemplateProblem("wrong", "a generator in a matrix or merge is two at once");
  return all[0]?.parameters ?? [];
}

/** As mergo does it with override: mappings grow together, null takes nothing's place. */
function merged(base: Parameters, over: Parameters): Parameters {
  const all = new Map(Object.entries(base));
  for (const [key, value] of Object.entries(over)) {
    const known = all.get(key);
    if (isMapping(value) && isMapping(known)) all.set(key, { ...merged(known, value) });
    else if (known === undefined || value !== null) all.set(key, value);
  }
  return Object.fromEntries(all);
}

/** Texts of both, which have to say the same where both say something. */
function combined(a: Parameters, b: Parameters): Parameters {
  const all = new Map<string, string>(Object.entries(a).map(([key, value]) => [key, printed(value)]));
  for (const [key, value] of Object.entries(b)) {
    const text = printed(value);
    const known = all.get(key);
    if (known !== undefined && known !== text)
      throw new TemplateProblem("wrong", `both generators of its matrix give ${key}, and not the same`);
    all.set(key, text);
  }
  return Object.fromEntries(all);
}

function fromMerge({ generators, mergeKeys }: Mapping, context: GeneratorContext, depth: number): Parameters[] {
  const [first, ...others] = listOf(generators);
  if (first === undefined || others.length === 0)
    throw new TemplateProblem("wrong", "its merge takes two generators or more");
  const keys = [...new Set(listOf(mergeKeys).map(textOf))].sort();
  if (keys.length === 0) throw new TemplateProblem("wrong", "its merge has no mergeKeys");
  const all = keyed(onlyOne(first, context, {}, depth), keys);
  for (const other of others) {
    for (const [key, over] of keyed(onlyOne(other, context, {}, depth), keys)) {
      const base = all.get(key);
      if (base !== undefined) all.set(key, context.goTemplate ? merged(base, over) : { ...base, ...over });
    }
  }
  return [...all.values()];
}

function keyed(all: readonly Parameters[], keys: readonly string[]): Map<string, Parameters> {
  const found = new Map<string, Parameters>();
  for (const one of all) {
    const key = JSON.stringify(keys.map((name) => (Object.hasOwn(one, name) ? one[name] : null)));
    if (found.has(key)) throw new TemplateProblem("wrong", `two of its merge have the same ${keys.join(", ")}`);
    found.set(key, one);
  }
  return found;
}

/** Nested parameters as one level: `a.b`, `list.0`; each as Go prints it. */
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

/** A label selector over texts. */
function selector(wanted: Mapping): (labels: Readonly<Record<string, string>>) => boolean {
  const labels = Object.entries(textsOf(wanted["matchLabels"]));
  const expressions = listOf(wanted["matchExpressions"]).map(mappingOf);
  for (const { operator } of expressions)
    if (!["In", "NotIn", "Exists", "DoesNotExist"].includes(textOf(operator)))
      throw new TemplateProblem("wrong", "its selector has an operator that nobody knows");
  return (given) => {
    const valueOf = (key: string): string | undefined => (Object.hasOwn(given, key) ? given[key] : undefined);
    return (
      labels.every(([key, value]) => valueOf(key) === value) &&
      expressions.every(({ key, operator, values }) => {
        const value = valueOf(textOf(key));
        const isAmong = value !== undefined && listOf(values).includes(value);
        switch (operator) {
          case "In":
            return isAmong;
          case "NotIn":
            return !isAmong;
          case "Exists":
            return value !== undefined;
          default:
            return value === undefined;
        }
      })
    );
  };
}
