import { foldersAround } from "../discover/paths.ts";
import type { Closure } from "./closure.ts";
import type { Node, WholeFolder } from "./closure-node.ts";

/**
 * How renderings read a file: because something names it (`file`), as part of a chart, or as part of a folder of which
 * it is unknown what is read.
 */
export type ReadAs = "file" | "chart" | "folder";

/** Tests how some renderings of one snapshot read a file; undefined if none of them reads it. */
export function filesRead(closures: readonly Pick<Closure, "nodes">[]): (path: string) => ReadAs | undefined {
  const nodes = new Set<Node>(closures.flatMap((closure) => closure.nodes));
  const named = new Set<string>();
  const wholes = new Map<string, WholeFolder[]>();
  for (const node of nodes) {
    for (const path of node.needed) named.add(path);
    for (const whole of node.wholes) wholes.set(whole.folder, [...(wholes.get(whole.folder) ?? []), whole]);
  }
  return (path) => {
    if (named.has(path)) return "file";
    const around = foldersAround(path);
    const inWholes = around.flatMap((folder, i) =>
      (wholes.get(folder) ?? []).filter(({ except }) => !around.slice(0, i).some((inner) => except.includes(inner))),
    );
    if (inWholes.some(({ as }) => as === "manifests")) return "file";
    if (inWholes.some(({ as }) => as === "any")) return "folder";
    return inWholes.length > 0 ? "chart" : undefined;
  };
}
