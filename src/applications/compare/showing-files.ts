import { mayRenderGitOps } from "../discover/objects.ts";
import { foldersAround } from "../discover/paths.ts";
import type { Repository } from "../discover/repository.ts";
import type { DataReference } from "../render/data-objects.ts";
import type { AppSide, ShownData } from "../render/shown-data.ts";

// Whose rendering is looked at for what it shows: by the files that it reads.

/** The files in which such an object may stand: also what Helm unpacks or includes. Sorted. */
export function sayingFiles({ tree }: Repository): readonly string[] {
  return tree.files
    .filter((path) => {
      // A chart that is packed may hold anything.
      if (path.endsWith(".tgz")) return true;
      return /\.(?:ya?ml|json|tpl)$|(?:^|\/)Kustomization$/u.test(path) && tree.says(path, mayRenderGitOps);
    })
    .sort();
}

export interface ValueFiles {
  /** Notes what an application takes values from. */
  readonly noting: (shown: ShownData) => ShownData;
  /** Whether what others of its cluster take values from is rendered by an application. */
  readonly isMadeBy: (side: AppSide) => boolean;
}

/** ConfigMaps and Secrets from which applications take values: what is rendered of their files may hold others. */
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
    isMadeBy: (side) =>
      [...(clusters.get(side.application.cluster ?? "") ?? [])].some((key) => readers.get(key)?.(side) === true),
  };
}

/** A chart may print what its values hold. */
export function hasInValues({ renderable }: AppSide): boolean {
  return (
    renderable.is === "steps" &&
    renderable.steps.some(
      (step) => step.by === "helm" && step.values.some((one) => one.is === "text" && mayRenderGitOps(one.text)),
    )
  );
}

/** Tells of applications whether a rendering of them reads one of these files. */
export function readsAnyOf(saying: readonly string[]): (side: AppSide) => boolean {
  const files = new Set(saying);
  const around = new Set(saying.flatMap(foldersAround));
  return ({ closure }) => {
    for (const path of closure.needed()) if (files.has(path) || around.has(path)) return true;
    return false;
  };
}

export function readsFile({ closure }: AppSide): (file: string) => boolean {
  const needed = closure.needed();
  return (file) => {
    if (needed.has(file) || needed.has(".")) return true;
    for (let at = file.lastIndexOf("/"); at > 0; at = file.lastIndexOf("/", at - 1))
      if (needed.has(file.slice(0, at))) return true;
    return false;
  };
}
