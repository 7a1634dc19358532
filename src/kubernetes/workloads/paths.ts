import { onceFor, onceForText } from "../../base/grouped.ts";
import { entriesOf, get, itemsOf, kindOf, resolve } from "../../yaml/read/node.ts";
import { NONE, type YamlTree } from "../../yaml/read/tree.ts";

/** A node that a path with `*` matches. */
export interface PathMatch {
  readonly node: number;
  /** What each `*` matched, in order: a key or an index. */
  readonly stars: readonly string[];
  /** The path as in KRM results: `spec.groups[0].template`. */
  readonly field: string;
}

/**
 * The nodes at a dot-separated path; `*` matches every element of a list or mapping. `stars` fixes the first stars, so
 * that a second path follows the first. Missing steps match nothing.
 */
export function matchPath(tree: YamlTree, from: number, path: string, stars: readonly string[] = []): PathMatch[] {
  const steps = stepsOf(path);
  // The common case: most paths have no star.
  if (!steps.includes("*")) return plainMatch(tree, from, path, steps);
  let matches: PathMatch[] = [{ node: resolve(tree, from), stars: [], field: "" }];
  for (const step of steps) {
    matches = matches.flatMap((match) => {
      if (step !== "*") {
        const node = get(tree, match.node, step);
        return node === NONE ? [] : [{ node: resolve(tree, node), stars: match.stars, field: join(match.field, step) }];
      }
      const given = stars[match.stars.length];
      return given === undefined ? elements(tree, match) : element(tree, match, given);
    });
  }
  return matches;
}

function plainMatch(tree: YamlTree, from: number, field: string, steps: readonly string[]): PathMatch[] {
  let node = resolve(tree, from);
  for (const step of steps) {
    node = get(tree, node, step);
    if (node === NONE) return [];
    node = resolve(tree, node);
  }
  return [{ node, stars: [], field }];
}

/** The steps of a path, cached: the tables and a configuration have a few hundred. */
const stepsOf = onceForText((path): readonly string[] => (path === "" ? [] : path.split(".")));

/** The element of a fixed star. Each of many templates looks up its own. */
function element(tree: YamlTree, match: PathMatch, key: string): PathMatch[] {
  const stars = [...match.stars, key];
  if (kindOf(tree, match.node) === "sequence") {
    const item = itemsOfTree(tree)(match.node)[Number(key)];
    return item === undefined ? [] : [{ node: resolve(tree, item), stars, field: `${match.field}[${key}]` }];
  }
  const node = get(tree, match.node, key);
  return node === NONE ? [] : [{ node: resolve(tree, node), stars, field: join(match.field, key) }];
}

const itemsOfTree = onceFor((tree: YamlTree) => onceForText((sequence: number) => itemsOf(tree, sequence)));

function elements(tree: YamlTree, match: PathMatch): PathMatch[] {
  if (kindOf(tree, match.node) === "sequence") {
    return itemsOf(tree, match.node).map((item, i) => ({
      node: resolve(tree, item),
      stars: [...match.stars, String(i)],
      field: `${match.field}[${i}]`,
    }));
  }
  return entriesOf(tree, match.node).map((entry) => ({
    node: resolve(tree, entry.valueNode),
    stars: [...match.stars, entry.key],
    field: join(match.field, entry.key),
  }));
}

function join(path: string, step: string): string {
  return path === "" ? step : `${path}.${step}`;
}
