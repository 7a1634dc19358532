import type { Json } from "../../yaml/read/node.ts";
import {
  combined,
  flat,
  inheritFiles,
  merged,
  parsed,
  replaced,
  selector,
  withValues,
  type GeneratorContext,
} from "./generator-parameters.ts";
import { onceFor } from "../../base/grouped.ts";
import { IN_CLUSTER } from "./application.ts";
import { fromGit } from "./git-generator.ts";
import { clustersAt, type GivenCluster, type Parameters } from "./given-values.ts";
import { sanitizedName, TemplateProblem } from "./go-values.ts";
import { givenText } from "./objects.ts";
import { folderOf } from "./paths.ts";
import { listOf, isMapping, type Mapping, fieldsOf, textOrEmpty } from "../../yaml/read/json.ts";

// The generators of ApplicationSets (Argo CD v3.1, applicationset/generators). What Argo CD refuses is refused with its
// reason. What only a cluster or a provider knows comes from --clusters FILE; without it, the generator is not
// expanded.

/** The most parameters of one ApplicationSet, including the intermediate results of a matrix. */
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

/** A generator's own template, and its parameters. */
export interface Generated {
  readonly template: Mapping;
  readonly parameters: readonly Parameters[];
}

// Generators can be nested twice (GetGenerators).
const DEEPEST = 3;

/** The parameters of a generator, filtered by its selector. Throws a TemplateProblem. */
export function generated(
  generator: Json,
  context: GeneratorContext,
  given: Parameters = {},
  depth: number = 0,
): Generated[] {
  if (depth >= DEEPEST) throw new TemplateProblem("invalid", "its generators are nested more than twice");
  const whole = fieldsOf(Object.keys(given).length === 0 ? generator : replaced(generator, given, context));
  const kinds = Object.keys(whole).filter((kind) => kind !== "selector" && isMapping(whole[kind]));
  const unknown = kinds.find((kind) => !Object.hasOwn(TEMPLATED, kind));
  if (unknown !== undefined) throw new TemplateProblem("unknown", `Argo CD has no generator ${unknown}`);
  if (kinds.length === 0) throw new TemplateProblem("unknown", "one of its generators is empty: it generates nothing");
  const matches = selector(fieldsOf(fieldsOf(generator)["selector"]), context.work);
  return kinds.map((kind) => {
    const options = fieldsOf(whole[kind]);
    const all = TEMPLATED[kind]?.(options, context, depth) ?? [];
    context.spend(all.length);
    return {
      template: fieldsOf(fieldsOf(fieldsOf(generator)[kind])["template"]),
      parameters: "selector" in fieldsOf(generator) ? all.filter((one) => matches(flat(one))) : all,
    };
  });
}

function fromList(list: Mapping, { goTemplate, repository }: GeneratorContext): Parameters[] {
  const elements = listOf(list["elements"]).map((element): Parameters => {
    const fields = fieldsOf(element);
    if (goTemplate) return fields;
    return Object.fromEntries(
      Object.entries(fields).flatMap(([key, value]): [string, Json][] => {
        if (key !== "values") return [[key, onlyText(value)]];
        if (!isMapping(value))
          throw new TemplateProblem("invalid", "'values' of an element of its list must be a mapping");
        return Object.entries(value).map(([inner, one]) => [`values.${inner}`, onlyText(one)]);
      }),
    );
  });
  const yaml = givenText(list["elementsYaml"]);
  if (yaml === undefined) return elements;
  const [more = null] = parsed(yaml, "elementsYaml", repository.tree.limits);
  return [...elements, ...listOf(more).map(fieldsOf)];
}

function onlyText(value: Json): string {
  if (typeof value === "string") return value;
  throw new TemplateProblem("invalid", "the values of an element of its list must be strings without goTemplate");
}

const SECRET_TYPE = { "argocd.argoproj.io/secret-type": "cluster" } as const;

function fromClusters(options: Mapping, context: GeneratorContext): Parameters[] {
  const clusters = ownClusters(context);
  const wanted = fieldsOf(options["selector"]);
  const isSelective =
    Object.keys(fieldsOf(wanted["matchLabels"])).length + listOf(wanted["matchExpressions"]).length > 0;
  const matches = selector(wanted, context.work);
  const found = clusters.filter(({ name, labels }) => {
    // Argo CD's own cluster has no Secret, and no labels.
    const isLocal = name === IN_CLUSTER && Object.keys(labels).length === 0;
    return isLocal ? !isSelective : matches({ ...SECRET_TYPE, ...labels });
  });
  const all = found.map(({ name, server, project, labels, annotations }) => {
    const isLocal = name === IN_CLUSTER && Object.keys(labels).length === 0;
    const allLabels = isLocal ? {} : { ...SECRET_TYPE, ...labels };
    const identityParameters = { name, nameNormalized: isLocal ? name : sanitizedName(name), server, project };
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
    return withValues(options, { ...identityParameters, ...metadata }, context);
  });
  return options["flatList"] === true ? [{ clusters: all.map((one) => ({ ...one })) }] : all;
}

/** The clusters of the Argo CD that contains the ApplicationSet. */
function ownClusters({ repository, place }: GeneratorContext): readonly GivenCluster[] {
  const clusters = clustersAt(repository.given, place);
  if (clusters === undefined)
    throw new TemplateProblem("unknown", "its generator lists the clusters of Argo CD: give them with --clusters FILE");
  if (clusters.length > 0 || repository.given.clusters?.length === 0) return clusters;
  throw new TemplateProblem(
    "unknown",
    `its generator lists the clusters of Argo CD, and --clusters FILE has none for ${folderOf(place)}`,
  );
}

function fromGiven(kind: string): Generate {
  return (_, { repository, name }) => {
    const given = repository.given.parameters.get(name);
    if (given === undefined)
      throw new TemplateProblem(
        "unknown",
        `its generator ${kind} reads from outside the repository: give its parameters with --clusters FILE`,
      );
    return [...given];
  };
}

function fromMatrix({ generators }: Mapping, context: GeneratorContext, depth: number): Parameters[] {
  const [first, second, third] = listOf(generators);
  if (first === undefined || second === undefined || third !== undefined)
    throw new TemplateProblem("invalid", "its matrix must have two generators");
  return onlyOne(first, context, {}, depth).flatMap((a) => {
    const all = onlyOne(second, context, a, depth);
    context.spend(all.length);
    const weight = weightOf(a);
    return all.map((b) => {
      context.work(weight + weightOf(b));
      return inheritFiles([a, b], context.goTemplate ? merged(b, a) : combined(a, b), context);
    });
  });
}

/** The work of combining parameters. Those of one element are combined with thousands of others. */
const weightOf: (parameters: Parameters) => number = onceFor((parameters: Parameters) =>
  Math.floor(JSON.stringify(parameters).length / 10),
);

/** The parameters of a nested generator. */
function onlyOne(generator: Json, context: GeneratorContext, given: Parameters, depth: number): readonly Parameters[] {
  const all = generated(generator, context, given, depth + 1);
  if (all.length > 1) throw new TemplateProblem("invalid", "a generator in its matrix or merge must be of one kind");
  return all[0]?.parameters ?? [];
}

function fromMerge({ generators, mergeKeys }: Mapping, context: GeneratorContext, depth: number): Parameters[] {
  const [first, ...others] = listOf(generators);
  if (first === undefined || others.length === 0)
    throw new TemplateProblem("invalid", "its merge must have two generators or more");
  const keys = [...new Set(listOf(mergeKeys).map(textOrEmpty))].sort();
  if (keys.length === 0) throw new TemplateProblem("invalid", "its merge has no mergeKeys");
  const all = keyed(onlyOne(first, context, {}, depth), keys);
  for (const other of others) {
    for (const [key, over] of keyed(onlyOne(other, context, {}, depth), keys)) {
      const base = all.get(key);
      if (base === undefined) continue;
      all.set(key, inheritFiles([base, over], context.goTemplate ? merged(base, over) : { ...base, ...over }, context));
    }
  }
  return [...all.values()];
}

function keyed(all: readonly Parameters[], keys: readonly string[]): Map<string, Parameters> {
  const found = new Map<string, Parameters>();
  for (const item of all) {
    const key = JSON.stringify(keys.map((name) => (Object.hasOwn(item, name) ? item[name] : null)));
    if (found.has(key))
      throw new TemplateProblem("invalid", `two parameters of its merge have the same ${keys.join(", ")}`);
    found.set(key, item);
  }
  return found;
}
