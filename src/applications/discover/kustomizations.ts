import { inflatedFolder } from "../../base/hosts/kustomize.ts";
import { isManifestName } from "../../yaml/read/manifest-text.ts";
import { onceFor } from "../../base/grouped.ts";
import { quietly } from "../../base/errors.ts";
import { generatedChart, isInflator } from "../kustomize/inflated-charts.ts";
import { kustomizationOf } from "../kustomize/kustomization.ts";
import type { Snapshot } from "../../platform/ports/snapshot.ts";
import { foldedGet, textsOf, type Mapping } from "../../yaml/read/json.ts";
import { documentsOf, includingContent } from "./marked.ts";
import { pathFrom } from "./paths.ts";
import type { GitOpsObject } from "./objects.ts";
import type { Repository } from "./repository.ts";

// Which kustomizations, files and charts the kustomizations of a repository include.

type Kustomizations = Pick<Repository, "kustomizations">;

/** The paths that each kustomization includes, in the repository, by folder. */
const inclusions: (kustomizations: Repository["kustomizations"]) => ReadonlyMap<string, readonly string[]> = onceFor(
  (kustomizations) =>
    new Map(
      [...kustomizations.values()].flatMap((marked) => {
        const { folder } = marked;
        const content = includingContent(marked);
        if (content === undefined) return [];
        const { resources, components, plugins } = kustomizationOf(content);
        const paths = [...resources, ...components, ...plugins];
        return [[folder, paths.flatMap((path) => pathFrom(folder, path) ?? [])] as const];
      }),
    ),
);

/** The paths in the repository that the kustomization of a folder includes; none if there is no kustomization. */
export function includedIn(folder: string, { kustomizations }: Kustomizations): readonly string[] {
  return inclusions(kustomizations).get(folder) ?? [];
}

/** The folders in the repository of the charts that a kustomization inflates. */
export function chartsInflatedBy(folder: string, content: Mapping): string[] {
  return kustomizationOf(content).charts.flatMap((chart) => pathFrom(folder, inflatedFolder(chart)) ?? []);
}

/** The same of the generators of a kustomization, which are in other files. */
export function chartsGeneratedBy(folder: string, content: Mapping, tree: Snapshot): string[] {
  return textsOf(foldedGet(content, "generators")).flatMap((given) => {
    const path = pathFrom(folder, given);
    const read =
      path === undefined || !isManifestName(path) || !tree.entries.has(path) ? undefined : documentsOf(tree, path);
    if (path === undefined || read === undefined || "problem" in read) return [];
    const charts = read.documents.flatMap((one) =>
      isInflator(one) ? (quietly(() => generatedChart(one, path)) ?? []) : [],
    );
    return charts.flatMap((chart) => pathFrom(folder, inflatedFolder(chart)) ?? []);
  });
}

/** Everything that the kustomizations of a repository include: kustomizations, files, and inflated charts. */
export function allIncluded({ kustomizations }: Kustomizations): ReadonlySet<string> {
  return allInclusions(kustomizations);
}

/** Whether an object is in a file of a kustomization: a base may leave fields to its overlays. */
export function mayBePatched(
  { file, shown }: Pick<GitOpsObject, "file" | "shown">,
  repository: Kustomizations,
): boolean {
  return shown === undefined && allIncluded(repository).has(file);
}

const allInclusions: (kustomizations: Repository["kustomizations"]) => ReadonlySet<string> = onceFor(
  (kustomizations) => {
    const included = new Set<string>();
    for (const marked of kustomizations.values()) {
      const { folder } = marked;
      const content = includingContent(marked);
      if (content === undefined) continue;
      // A kustomization that includes itself fails when it is built; no other one includes it.
      for (const path of includedIn(folder, { kustomizations })) if (path !== folder) included.add(path);
      for (const path of chartsInflatedBy(folder, content)) included.add(path);
    }
    return included;
  },
);

/** The folders of some kustomizations, with everything that their builds include. */
export function closureOf(folders: readonly string[], { kustomizations }: Kustomizations): ReadonlySet<string> {
  const closure = new Set(folders);
  for (const current of closure) for (const path of includedIn(current, { kustomizations })) closure.add(path);
  return closure;
}
