import type { Json } from "../../yaml/read/node.ts";
import { RollstampError } from "../../base/errors.ts";
import { suggestion } from "../../base/nearest-name.ts";
import type { Limits } from "../../base/limits.ts";
import { isMapping, type Mapping } from "../../yaml/read/json.ts";
import { firstDocument } from "../../yaml/read/manifest-text.ts";
import { globOf } from "../../base/glob.ts";
import { textsOf } from "./objects.ts";
import { foldersAround } from "./paths.ts";

export type Parameters = Readonly<Record<string, Json>>;

/** The file of --clusters: what generators would get from a cluster or a provider. */
export interface GivenValues {
  readonly clusters: readonly GivenCluster[] | undefined;
  /** By name of an ApplicationSet: the parameters of its other generators. */
  readonly parameters: ReadonlyMap<string, readonly Parameters[]>;
}

/** The clusters of the Argo CD that contains a place; undefined if no clusters are given. */
export function clustersAt({ clusters }: GivenValues, place: string): readonly GivenCluster[] | undefined {
  return clusters?.filter(({ isFor }) => isFor === undefined || isFor(place));
}

export interface GivenCluster {
  readonly name: string;
  readonly server: string;
  readonly project: string;
  readonly labels: Readonly<Record<string, string>>;
  readonly annotations: Readonly<Record<string, string>>;
  /** Whether the Argo CD that contains a place has this cluster; undefined if all have it. */
  readonly isFor?: (place: string) => boolean;
}

const FIELDS = ["clusters", "parameters"];
const CLUSTER_FIELDS = ["name", "server", "project", "labels", "annotations", "for"];

/**
 * Reads the file of --clusters: `clusters: [{name, server, project?, labels?, annotations?, for?}]`, and `parameters`,
 * which has a list of parameters for the name of an ApplicationSet. Throws a RollstampError.
 */
export function readGivenValues(text: string, file: string, limits: Limits): GivenValues {
  const content = firstDocument(text, file, limits);
  const wrong = (message: string): RollstampError =>
    new RollstampError("config", message, {
      place: { file },
      remedy:
        "Write clusters: [{name, server, labels, for: [FOLDER]}] and parameters: {APPLICATIONSET: [{KEY: VALUE}]}.",
    });
  if (!isMapping(content)) throw wrong("this must be a mapping");
  onlyKnown(content, FIELDS, wrong);
  const { clusters, parameters } = content;
  return {
    clusters:
      clusters === undefined ? undefined : mappings(clusters, "clusters", wrong).map((one) => cluster(one, wrong)),
    parameters: new Map(
      Object.entries(parameters === undefined ? {} : mapping(parameters, "parameters", wrong)).map(
        ([name, list]): [string, readonly Parameters[]] => [name, mappings(list, `parameters.${name}`, wrong)],
      ),
    ),
  };
}

type Wrong = (message: string) => RollstampError;

function cluster(one: Mapping, wrong: Wrong): GivenCluster {
  onlyKnown(one, CLUSTER_FIELDS, wrong);
  const { name, server = "", project = "", labels, annotations } = one;
  if (typeof name !== "string" || name === "") throw wrong("a cluster has no name");
  if (typeof server !== "string" || typeof project !== "string")
    throw wrong(`the server and the project of the cluster ${name} must be strings`);
  const { for: places } = one;
  return {
    name,
    server,
    project,
    labels: textsOf(labels),
    annotations: textsOf(annotations),
    ...(places === undefined ? {} : { isFor: placesOf(places, name, wrong) }),
  };
}

/** Compiles `for`: its patterns match the file of an ApplicationSet, or a folder around it. */
function placesOf(given: Json, name: string, wrong: Wrong): (place: string) => boolean {
  if (!Array.isArray(given)) throw wrong(`'for' of the cluster ${name} must be a list of patterns`);
  const tests = given.map((pattern) => {
    const test = typeof pattern === "string" ? globOf(pattern.replace(/^\.\/|\/+$/gu, ""), "configuration") : undefined;
    if (test === undefined) throw wrong(`'for' of the cluster ${name} has what is not a valid pattern of paths`);
    return test;
  });
  return (place) => [place, ...foldersAround(place)].some((path) => tests.some((test) => test(path)));
}

function onlyKnown(given: Mapping, known: readonly string[], wrong: Wrong): void {
  const unknown = Object.keys(given).find((key) => !known.includes(key));
  if (unknown !== undefined) throw wrong(`unknown field '${unknown}'${suggestion(unknown, known)}`);
}

function mapping(value: Json, path: string, wrong: Wrong): Mapping {
  if (isMapping(value)) return value;
  throw wrong(`'${path}' must be a mapping`);
}

function mappings(value: Json, path: string, wrong: Wrong): Mapping[] {
  if (Array.isArray(value) && value.every(isMapping)) return value.filter(isMapping);
  throw wrong(`'${path}' must be a list of mappings`);
}
