import {
  isInline,
  replacePaths,
  looksRemote,
  pluginConfigs,
  pluginWithPaths,
  type PathVisitor,
} from "../kustomize/paths.ts";
import { documentsOfText } from "../discover/marked.ts";
import { isBuiltIn, ownFunction } from "../kustomize/own-functions.ts";
import { generatedChart, isInflator, type InflatedChart } from "../kustomize/inflated-charts.ts";
import { RollstampError } from "../../base/errors.ts";
import type { Limits } from "../../base/limits.ts";
import { isMapping } from "../../yaml/read/json.ts";
import type { Json } from "../../yaml/read/node.ts";
import { readDocuments } from "../../yaml/read/manifest-text.ts";

/** What a kustomization, or the configuration of a plugin, names. */
export interface Reads {
  /** Files, or folders with a kustomization. */
  readonly paths: readonly string[];
  /** Files of plugin configurations, which may name more files. */
  readonly plugins: readonly string[];
  readonly charts: readonly InflatedChart[];
  /** A name is fetched if it is not in the repository. */
  readonly isRemote: boolean;
  /** Strings of something that reads files by unknown rules: each may be a path. */
  readonly possiblePaths: readonly string[];
}

/** What a kustomization names. If it cannot be read, or is not rendered here, each string in it may be a path. */
export function readsOfKustomization(read: { readonly text: string }, file: string, limits: Limits): Reads {
  const documents = (): readonly Json[] => {
    const found = documentsOfText(read, file, limits);
    if ("problem" in found) throw found.problem;
    return found.documents;
  };
  return collected(documents, limits, ([first = null], visitor) => {
    replacePaths(first, visitor, "");
  });
}

/** What the configurations of plugins in a file name. In those of other plugins each string may be a path. */
export function readsOfPlugins(text: string, limits: Limits): Reads {
  const documents = (): readonly Json[] => readDocuments(text, "", limits);
  return collected(documents, limits, (configs, visitor, possiblePaths) => {
    namesOfPlugins(configs, visitor, possiblePaths);
  });
}

function collected(
  read: () => readonly Json[],
  limits: Limits,
  visit: (documents: readonly Json[], visitor: PathVisitor, possiblePaths: string[]) => void,
): Reads {
  const paths: string[] = [];
  const plugins: string[] = [];
  const charts: InflatedChart[] = [];
  const possiblePaths: string[] = [];
  let isRemote = false;
  const name = (path: string): string => {
    if (path === "") return path;
    paths.push(path);
    isRemote ||= looksRemote(path);
    return path;
  };
  const plugin = (pathOrText: string): string => {
    if (!isInline(pathOrText)) {
      plugins.push(pathOrText);
      isRemote ||= looksRemote(pathOrText);
      return pathOrText;
    }
    addPossiblePaths(pathOrText, possiblePaths);
    namesOfPlugins(readDocuments(pathOrText, "", limits), visitor, possiblePaths);
    return pathOrText;
  };
  const visitor: PathVisitor = {
    file: name,
    resource: name,
    patch: (pathOrText) => {
      if (!isInline(pathOrText)) return name(pathOrText);
      // kustomize may not read it as an object.
      addPossiblePaths(pathOrText, possiblePaths);
      return pathOrText;
    },
    plugin,
    generator: plugin,
    chart: (chart) => {
      charts.push(chart);
      return "";
    },
  };
  let documents: readonly Json[] | undefined;
  try {
    documents = read();
    visit(documents, visitor, possiblePaths);
  } catch (cause) {
    if (!(cause instanceof RollstampError)) throw cause;
    // kustomize may still read it: at least its folder is named.
    if (documents === undefined) possiblePaths.push(".");
    else addPossiblePaths(documents, possiblePaths);
  }
  return { paths, plugins, charts, isRemote, possiblePaths };
}

function namesOfPlugins(configs: readonly Json[], visitor: PathVisitor, possiblePaths: string[]): void {
  for (const config of pluginConfigs(configs, "")) {
    const isKnown = isMapping(config) && isBuiltIn(config);
    if (!isKnown && ownFunction(config) === undefined) addPossiblePaths(config, possiblePaths);
    if (isInflator(config)) visitor.chart?.(generatedChart(config, ""));
    else pluginWithPaths(config, visitor, "");
  }
}

/** Adds each string that may be a path: one line of at most 4096 characters. */
export function addPossiblePaths(value: Json | readonly Json[], texts: string[]): void {
  const left: (Json | readonly Json[])[] = [value];
  for (let next = left.pop(); next !== undefined; next = left.pop()) {
    if (typeof next === "string") {
      if (next !== "" && next.length <= 4096 && !/[\r\n\0]/u.test(next)) texts.push(next);
    } else if (typeof next === "object" && next !== null) {
      for (const inner of Object.values(next)) left.push(inner);
    }
  }
}
