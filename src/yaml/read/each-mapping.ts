import { EVENT_ID } from "js-yaml";
import { typeAt } from "./event-table.ts";
import { resolve } from "./node.ts";
import { scalarText, type YamlTree } from "./tree.ts";

/** The path of a mapping in its object, computed on demand. An element of a list is its index in brackets. */
export type PathOf = () => string[];

/** Visits every mapping in a node, and each aliased mapping once. Not recursive, because texts may nest deeply. */
export function eachMapping(
  tree: YamlTree,
  root: number,
  rootPath: readonly string[],
  visit: (mapping: number, path: PathOf) => void,
): void {
  const seen = new Set<number>();
  const left: { readonly node: number; readonly path: Path }[] = [{ node: root, path: pathFrom(rootPath) }];
  for (let next = left.pop(); next !== undefined; next = left.pop()) {
    const node = resolve(tree, next.node);
    if (node !== next.node || node === root) {
      if (seen.has(node)) continue;
      seen.add(node);
    }
    const { path } = next;
    const type = typeAt(tree.events, node);
    const end = (tree.next[node] ?? 0) - 1;
    if (type === EVENT_ID.SEQUENCE) {
      let index = 0;
      for (let child = node + 1; child < end; child = tree.next[child] ?? end, index += 1)
        left.push({ node: child, path: { before: path, step: `[${index}]` } });
    } else if (type === EVENT_ID.MAPPING) {
      visit(node, () => stepsOf(path));
      for (const key of keysOf(tree, node))
        left.push({
          node: tree.next[key] ?? end,
          path: { before: path, step: scalarText(tree, resolve(tree, key)) },
        });
    }
  }
}

/** The keys that a mapping contains itself, including duplicates. */
export function keysOf(tree: YamlTree, mapping: number): number[] {
  const keys: number[] = [];
  const end = (tree.next[mapping] ?? 0) - 1;
  for (let key = mapping + 1; key < end; key = tree.next[tree.next[key] ?? end] ?? end) keys.push(key);
  return keys;
}

/** A path as a linked list from its end: only requested paths are built. */
interface Path {
  readonly before: Path | undefined;
  readonly step: string | undefined;
}

function pathFrom(steps: readonly string[]): Path {
  let path: Path = { before: undefined, step: undefined };
  for (const step of steps) path = { before: path, step };
  return path;
}

function stepsOf(path: Path): string[] {
  const steps: string[] = [];
  for (let current: Path | undefined = path; current !== undefined; current = current.before)
    if (current.step !== undefined) steps.push(current.step);
  return steps.toReversed();
}
