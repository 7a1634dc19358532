import {
  isInline,
  kustomizationWithPaths,
  looksRemote,
  pluginConfigs,
  pluginWithPaths,
  type PathVisitor,
} from "../tools/kustomization-paths.ts";
import { documentsOfText } from "../discover/marked.ts";
import { isBuiltIn, ownFunction } from "../tools/own-functions.ts";
import type { InflatedChart } from "../tools/kustomize-charts.ts";
import { RollstampError } from "../../base/errors.ts";
import type { Limits } from "../../base/limits.ts";
import { isMapping } from "../../yaml/read/json.ts";
import { toJson, type Json } from "../../yaml/read/node.ts";
import { readTree } from "../../yaml/read/tree.ts";

/** What a kustomization, or the configuration of one of kustomize's plugins, names. */
export interface Reads {
  /** Files, or folders with a kustomization. */
  readonly paths: readonly string[];
  /** Files of which the configurations name files again. */
  readonly plugins: readonly string[];
  readonly charts: readonly InflatedChart[];
  /** Something stands there that is fetched where it isn't in the repository. */
  readonly isRemote: boolean;
  /** Texts of what reads files by rules that are not known here: each may be the path of one. */
  readonly unclear: readonly string[];
}

/** What a kustomization names; of one that can't be read, or is not rendered here, every text of it may be a path. */
export function readsOfKustomization(read: { readonly text: string }, file: string, limits: Limits): Reads {
  const documents = (): readonly Json[] => {
    const found = documentsOfText(read, file, limits);
    if ("problem" in found) throw found.problem;
    return found.documents;
  };
  return collected(documents, limits, ([first = null], visitor) => {
    kustomizationWithPaths(first, visitor, "");
  });
}

/** What the configurations of plugins in a file name; of those that are none of kustomize's own every text. */
export function readsOfPlugins(text: string, limits: Limits): Reads {
  const documents = (): readonly Json[] => documentsOf(text, limits);
  return collected(documents, limits, (configs, visitor, unclear) => {
    namesOfPlugins(configs, visitor, unclear);
  });
}

function collected(
  read: () => readonly Json[],
  limits: Limits,
  visit: (documents: readonly Json[], visitor: PathVisitor, unclear: string[]) => void,
): Reads {
  const paths: string[] = [];
  const plugins: string[] = [];
  const charts: InflatedChart[] = [];
  const unclear: string[] = [];
  let isRemote = false;
  const name = (path: string): string => {
    // What has a line break is no path: kustomize says so.
    if (path === "" || /[\r\n]/u.test(path)) return path;
    paths.push(path);
    isRemote ||= looksRemote(path);
    return path;
  };
  const visitor: PathVisitor = {
    file: name,
    resource: name,
    patch: (pathOrText) => (isInline(pathOrText) ? pathOrText : name(pathOrText)),
    plugin: (pathOrText) => {
      if (!isInline(pathOrText)) {
        plugins.push(pathOrText);
        isRemote ||= looksRemote(pathOrText);
        return pathOrText;
      }
      namesOfPlugins(documentsOf(pathOrText, limits), visitor, unclear);
      return pathOrText;
    },
    chart: (chart) => {
      charts.push(chart);
      return "";
    },
  };
  let documents: readonly Json[] | undefined;
  try {
    documents = read();
    visit(documents, visitor, unclear);
  } catch (cause) {
    if (!(cause instanceof RollstampError)) throw cause;
    // kustomize may know better: its folder is what is named at least.
    if (documents === undefined) unclear.push(".");
    else addTexts(documents, unclear);
  }
  return { paths, plugins, charts, isRemote, unclear };
}

/** kustomize's own plugin that runs helm by rules of its own: it is not rendered here, and names files. */
const INFLATOR = "HelmChartInflationGenerator";

function namesOfPlugins(configs: readonly Json[], visitor: PathVisitor, unclear: string[]): void {
  for (const config of pluginConfigs(configs, "")) {
    const isKnown = isMapping(config) && isBuiltIn(config) && config["kind"] !== INFLATOR;
    if (!isKnown && ownFunction(config) === undefined) addTexts(config, unclear);
    if (!isMapping(config) || config["kind"] !== INFLATOR) pluginWithPaths(config, visitor, "");
  }
}

/** Adds what may be a path: a text of one line that no file system is too small for. */
function addTexts(value: Json | readonly Json[], texts: string[]): void {
  const left: (Json | readonly Json[])[] = [value];
  for (let next = left.pop(); next !== undefined; next = left.pop()) {
    if (typeof next === "string") {
      if (next !== "" && next.length <= 4096 && !/[\r\n\0]/u.test(next)) texts.push(next);
    } else if (typeof next === "object" && next !== null) {
      for (const inner of Object.values(next)) left.push(inner);
    }
  }
}

function documentsOf(text: string, limits: Limits): readonly Json[] {
  const tree = readTree(text, "", limits);
  return tree.documents.map((node) => toJson(tree, node));
}
