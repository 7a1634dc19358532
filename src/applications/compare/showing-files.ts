import { once, onceFor } from "../../base/grouped.ts";
import { mayLeadToPaths, mayRenderGitOps } from "../discover/objects.ts";
import { pathsInText } from "../discover/path-patterns.ts";
import { foldersAround } from "../discover/paths.ts";
import type { Repository } from "../discover/repository.ts";
import type { Node } from "../render/closure-node.ts";
import type { DataReference } from "../render/data-objects.ts";
import type { AppSide, ShownData } from "../render/shown-data.ts";

// Which applications may show others, by the files that they read.

/** The files that may contain objects of Argo CD or Flux, including those that Helm unpacks or includes. Sorted. */
export function sayingFiles({ tree }: Repository): readonly string[] {
  return tree.files
    .filter((path) => {
      // A packed chart may contain anything.
      if (path.endsWith(".tgz")) return true;
      return /\.(?:ya?ml|json|tpl)$|(?:^|\/)Kustomization$/u.test(path) && tree.says(path, mayRenderGitOps);
    })
    .sort();
}

/**
 * Patterns of the paths that unreleased charts may name: with the values of their users, these charts may render more objects
 * of Argo CD or Flux than without values.
 */
export function pathsInCharts(
  sides: readonly AppSide[],
  { tree }: Repository,
  saying: readonly string[],
): readonly string[] {
  const charts = new Set(sides.flatMap(({ application: { foundBy, path } }) => (foundBy === "Chart" ? [path] : [])));
  return saying
    .filter((file) => foldersAround(file).some((folder) => charts.has(folder)) && tree.says(file, mayLeadToPaths))
    .flatMap((file) => {
      const read = tree.read(file);
      return read.is === "text" ? pathsInText(read.text) : [];
    });
}

export interface ValueFiles {
  /** Records the objects that applications take values from. */
  readonly noting: (shown: ShownData) => ShownData;
  /** Whether an application renders objects that others of its cluster take values from. */
  readonly isMadeBy: (side: AppSide) => boolean;
}

/** Tracks ConfigMaps and Secrets that applications take values from: their rendered values may differ from their files. */
export function valueFiles(filesOf: (reference: DataReference) => readonly string[]): ValueFiles {
  const readers = new Map<string, (side: AppSide) => boolean>();
  const clusters = new Map<string, Set<string>>();
  return {
    noting: (shown) => (application, reference) => {
      const { cluster } = application;
      const key = `${reference.kind}/${reference.name}`;
      if (cluster !== undefined) {
        if (!readers.has(key)) readers.set(key, readsAnyOf(filesOf(reference)));
        clusters.set(cluster, (clusters.get(cluster) ?? new Set()).add(key));
      }
      return shown(application, reference);
    },
    // A release reads such a file for its own values.
    isMadeBy: (side) =>
      side.application.render.by !== "helm" &&
      [...(clusters.get(side.application.cluster ?? "") ?? [])].some((key) => readers.get(key)?.(side) === true),
  };
}

/** Whether the values of a chart contain objects of Argo CD or Flux, which the chart may print. */
export function hasInValues({ renderable }: AppSide): boolean {
  return (
    renderable.is === "steps" &&
    renderable.steps.some(
      (step) => step.by === "helm" && step.values.some((one) => one.is === "text" && mayRenderGitOps(one.text)),
    )
  );
}

/** Tests whether the rendering of an application reads any of these files. */
export function readsAnyOf(saying: readonly string[]): (side: AppSide) => boolean {
  const files = new Set(saying);
  const around = new Set(saying.flatMap(foldersAround));
  // Many applications share a node.
  const isRead = onceFor(({ needed }: Node) => needed.some((path) => files.has(path) || around.has(path)));
  return ({ closure }) => closure.nodes.some(isRead);
}

export function readsFile({ closure }: AppSide): (file: string) => boolean {
  const all = once(closure.needed);
  return (file) => {
    const needed = all();
    if (needed.has(file) || needed.has(".")) return true;
    for (let end = file.lastIndexOf("/"); end > 0; end = file.lastIndexOf("/", end - 1))
      if (needed.has(file.slice(0, end))) return true;
    return false;
  };
}
