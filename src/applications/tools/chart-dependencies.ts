import type { ChartAddress } from "../../platform/ports/applications.ts";
import { folderOfDependency } from "../../base/hosts/helm.ts";
import { quietly } from "../../base/errors.ts";
import type { Limits } from "../../base/limits.ts";
import { fieldsOf, isMapping, listOf, textOrEmpty, valueAt } from "../../yaml/read/json.ts";
import { firstDocument } from "../../yaml/read/manifest-text.ts";
import { get, getString, itemsOf, kindOf, toJson, type Json } from "../../yaml/read/node.ts";
import { NONE, readTree } from "../../yaml/read/tree.ts";

export interface ChartDependency extends ChartAddress {
  /** Its name in the values of the chart. */
  readonly alias: string;
  /** Paths of values that turn it on, separated by commas. */
  readonly condition: string;
}

/** A dependency on another chart of the repository. */
export interface LocalDependency extends ChartDependency {
  /** Relative to the chart. */
  readonly folder: string;
}

/** The local dependencies in the text of a Chart.yaml or requirements.yaml. Throws a RollstampError. */
export function localDependencies(text: string, file: string, limits: Limits): readonly LocalDependency[] {
  return dependenciesIn(text, file, limits).flatMap((dependency) => {
    const folder = folderOfDependency(dependency.repository);
    return folder === undefined ? [] : [{ ...dependency, folder }];
  });
}

/** The dependencies elsewhere. One without a repository is in the folder `charts`. */
export function remoteDependencies(text: string, file: string, limits: Limits): readonly ChartDependency[] {
  return dependenciesIn(text, file, limits).filter(
    ({ repository }) => repository !== "" && folderOfDependency(repository) === undefined,
  );
}

/** The versions in a lock file, by name. */
export function lockedVersions(text: string, file: string, limits: Limits): readonly (readonly [string, string])[] {
  return dependenciesIn(text, file, limits).map(({ name, version }) => [name, version] as const);
}

/** All dependencies in the text of a Chart.yaml or requirements.yaml. Throws a RollstampError. */
export function dependenciesIn(text: string, file: string, limits: Limits): readonly ChartDependency[] {
  const tree = readTree(text, file, limits);
  const root = tree.documents[0] ?? NONE;
  if (kindOf(tree, root) !== "mapping") return [];
  return itemsOf(tree, get(tree, root, "dependencies")).map((item) => ({
    name: getString(tree, item, "name") ?? "",
    version: getString(tree, item, "version") ?? "",
    repository: getString(tree, item, "repository") ?? "",
    alias: getString(tree, item, "alias") ?? getString(tree, item, "name") ?? "",
    condition: getString(tree, item, "condition") ?? "",
  }));
}

/** The text of a Chart.yaml or requirements.yaml without some dependencies. Throws a RollstampError. */
export function withoutDependencies(text: string, file: string, names: ReadonlySet<string>, limits: Limits): string {
  const tree = readTree(text, file, limits);
  const content = toJson(tree, tree.documents[0] ?? NONE);
  if (!isMapping(content)) return text;
  const kept = listOf(content["dependencies"]).filter((one) => !names.has(textOrEmpty(fieldsOf(one)["name"])));
  return JSON.stringify({ ...content, dependencies: kept });
}

/**
 * The values that a dependency sees, and those that turn it on. With the names of the other dependencies, for a chart that uses
 * no values itself: everything that is not theirs. If the values cannot be read, all of them.
 */
export function valuesOfDependency(
  { alias, condition }: ChartDependency,
  others: ReadonlySet<string> | undefined,
  texts: readonly string[],
  limits: Limits,
): Json {
  const seen = [alias, "global", "tags", ...condition.split(",")].map((path) => path.trim().split("."));
  return texts.map((text) => {
    const values = quietly(() => firstDocument(text, "the values", limits));
    if (!isMapping(values)) return text;
    const paths = others === undefined ? seen : Object.keys(values).flatMap((key) => (others.has(key) ? [] : [[key]]));
    return paths.map((path) => [path, nearestAt(values, path)]);
  });
}

/**
 * Whether values turn a dependency off: the first path of its condition with a boolean decides, as in helm (Helm docs, "Charts",
 * "Tags and Condition fields in dependencies"). Later texts take precedence. What cannot be read turns nothing off.
 */
export function isTurnedOff({ condition }: ChartDependency, texts: readonly string[], limits: Limits): boolean {
  const all = texts
    .filter((text) => text.trim() !== "")
    .map((text) => quietly(() => firstDocument(text, "the values", limits)));
  if (!all.every(isMapping)) return false;
  const found = condition
    .split(",")
    .map((path) => path.trim().split("."))
    .map((path) => all.map((values) => valueAt(values, path)).findLast((value) => value !== undefined));
  return found.find((value) => typeof value === "boolean") === false;
}

/** The value at a path, or the one above it that is not a mapping. */
function nearestAt(value: Json, [key, ...below]: readonly string[]): Json {
  return key === undefined || !isMapping(value) ? value : nearestAt(value[key] ?? null, below);
}
