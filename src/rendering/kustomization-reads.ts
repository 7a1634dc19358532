import {
  isInline,
  kustomizationWithPaths,
  looksRemote,
  pluginConfigs,
  pluginWithPaths,
  type PathVisitor,
} from "../cmp/kustomization-paths.ts";
import type { InflatedChart } from "../cmp/kustomize-charts.ts";
import { RollstampError } from "../ground/errors.ts";
import type { Limits } from "../ground/limits.ts";
import { toJson, type Json } from "../manifest/node.ts";
import { readTree } from "../manifest/tree.ts";

/** What a kustomization, or the configuration of one of kustomize's plugins, names. */
export interface Reads {
  /** Files, or folders with a kustomization. */
  readonly paths: readonly string[];
  /** Files of which the configurations name files again. */
  readonly plugins: readonly string[];
  readonly charts: readonly InflatedChart[];
  /** Something stands there that is fetched where it isn't in the repository. */
  readonly isRemote: boolean;
}

/** What a kustomization names; what can't be read names nothing more, and its build fails before it reads more. */
export function readsOfKustomization(text: string, limits: Limits): Reads {
  return collected((visitor) => {
    const [first = null] = documentsOf(text, limits);
    kustomizationWithPaths(first, visitor, "");
  }, limits);
}

/** What the configurations of plugins in a file name. */
export function readsOfPlugins(text: string, limits: Limits): Reads {
  return collected((visitor) => {
    for (const config of pluginConfigs(documentsOf(text, limits), "")) pluginWithPaths(config, visitor, "");
  }, limits);
}

function collected(visit: (visitor: PathVisitor) => void, limits: Limits): Reads {
  const paths: string[] = [];
  const plugins: string[] = [];
  const charts: InflatedChart[] = [];
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
      for (const config of pluginConfigs(documentsOf(pathOrText, limits), "")) pluginWithPaths(config, visitor, "");
      return pathOrText;
    },
    chart: (chart) => {
      charts.push(chart);
      return "";
    },
  };
  try {
    visit(visitor);
  } catch (cause) {
    if (!(cause instanceof RollstampError)) throw cause;
  }
  return { paths, plugins, charts, isRemote };
}

function documentsOf(text: string, limits: Limits): readonly Json[] {
  const tree = readTree(text, "", limits);
  return tree.documents.map((node) => toJson(tree, node));
}
