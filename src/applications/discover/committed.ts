import { posix } from "node:path";
import { CONFIG_HASH_DEFAULTS } from "../../stamping/function/config-hash.ts";
import { notExaminedRow, type NotExaminedKind } from "../../findings/not-examined/not-examined-kinds.ts";
import { CONFIG_FILE } from "../../base/keys.ts";
import { isManifestName, readFoundText, type ManifestFile } from "../../yaml/read/manifest-text.ts";
import type { Application } from "./application.ts";
import { dependencies, isLibrary, plainChart } from "./charts.ts";
import type { Finder } from "./finder.ts";
import { REFUSED, reasonOf, type NotFound } from "./not-found.ts";
import { kustomizationOf } from "../kustomize/kustomization.ts";
import { allIncluded, chartsGeneratedBy, chartsInflatedBy, closureOf } from "./kustomizations.ts";
import { foldersAround, topmost } from "./paths.ts";
import { filesByRoot, nearestRoot, partsOfRepeats } from "./repeats.ts";
import { includingContent, type Marked } from "./marked.ts";
import type { Repository } from "./repository.ts";

// Applications that nothing defines: files as they are committed (contract, section 9, point 4).

/** Kustomizations that no other kustomization includes. */
export const KUSTOMIZATIONS: Finder = (repository, isTaken) => {
  const included = allIncluded(repository);
  const all = [...repository.kustomizations.values()];
  const outer = all.filter(
    ({ folder, content }) => !included.has(folder) && !(content !== undefined && kustomizationOf(content).isComponent),
  );
  const reached = closureOf(
    all.filter(({ folder }) => !included.has(folder)).map(({ folder }) => folder),
    repository,
  );
  return {
    applications: outer
      .filter(({ folder, problem }) => problem === undefined && !isTaken(folder))
      .map(({ folder }) =>
        found(folder, { kind: "Kustomize", foundBy: "Kustomization", render: { by: "kustomize", folder } }),
      ),
    taken: [...repository.kustomizations.keys()],
    notFound: [
      ...unread(all, "Kustomization"),
      ...all
        .filter(({ folder, content }) => content !== undefined && !reached.has(folder) && !isTaken(folder))
        .map(({ folder }) =>
          notFound(folder, "Kustomization", "it is part of a cycle of kustomizations: kustomize builds none of them"),
        ),
    ],
  };
};

/** Charts that no other chart depends on. */
export const CHARTS: Finder = (repository, isTaken) => {
  const all = [...repository.charts.values()];
  const inflated = new Set(
    [...repository.kustomizations.values()].flatMap((marked) => {
      const content = includingContent(marked);
      if (content === undefined) return [];
      const { folder } = marked;
      return [...chartsInflatedBy(folder, content), ...chartsGeneratedBy(folder, content, repository.tree)];
    }),
  );
  const inner = dependencies(repository, inflated);
  return {
    applications: all.flatMap(({ folder, content }): Application[] => {
      if (content === undefined || isLibrary(content) || inner.has(folder) || inflated.has(folder) || isTaken(folder))
        return [];
      return [found(folder, { kind: "Helm", foundBy: "Chart", render: plainChart(folder, content) })];
    }),
    taken: [],
    notFound: unread(all, "Chart"),
  };
};

/** Packages with a Kptfile, and the remaining manifests. */
export const MANIFESTS: Finder = (repository, isTaken) => {
  const { files, notFound: left } = remainingManifests(repository, isTaken);
  const packages = new Map<string, string[]>();
  const plain: ManifestFile[] = [];
  for (const file of files) {
    const inPackage = [file.path, ...foldersAround(file.path)].find((folder) => repository.packages.has(folder));
    if (inPackage === undefined) plain.push(file);
    else packages.set(inPackage, [...(packages.get(inPackage) ?? []), file.path]);
  }
  const parted = plain.map((file) => ({ path: file.path, file }));
  const { roots } = partsOfRepeats(parted, CONFIG_HASH_DEFAULTS);
  const byRoot = plain.length === 0 ? [] : [...filesByRoot(parted, (path) => nearestRoot(path, roots))];
  return {
    applications: [
      ...[...packages].map(([folder, paths]) =>
        found(folder, { kind: "Kpt", foundBy: "Kptfile", render: { by: "kpt", folder, files: paths } }),
      ),
      ...byRoot.map(([root, of]) => {
        const folder = root === "" ? "." : root;
        const paths = of.map(({ path }) => path);
        return found(folder, { kind: "Files", foundBy: "Manifests", render: { by: "files", folder, files: paths } });
      }),
    ],
    taken: [],
    notFound: left,
  };
};

/** The files with manifests that belong to no kustomization, no chart and no application found before. */
function remainingManifests(
  repository: Repository,
  isTaken: (path: string) => boolean,
): { readonly files: ManifestFile[]; readonly notFound: NotFound[] } {
  const { tree, kustomizations, isChartInput } = repository;
  const included = allIncluded(repository);
  const kustomized = topmost(kustomizations.keys());
  const files: ManifestFile[] = [];
  const notFoundRows: NotFound[] = [];
  for (const path of tree.files) {
    if (
      !isManifestName(path) ||
      posix.basename(path) === CONFIG_FILE ||
      isChartInput(path) ||
      included.has(path) ||
      isTaken(path)
    )
      continue;
    if (foldersAround(path).some((folder) => kustomized.has(folder))) continue;
    const read = tree.read(path);
    if (read.is === "refused") {
      const kind = REFUSED[read.because];
      if (kind !== undefined) notFoundRows.push({ path, kind, reason: read.error.message, isFailure: isUnread(kind) });
      continue;
    }
    const text = readFoundText(read.text, path, tree.limits);
    switch (text.is) {
      case "manifests":
        files.push({ path, real: undefined, manifests: text.manifests });
        break;
      case "broken":
        notFoundRows.push(notFound(path, "Manifest", reasonOf(text.error)));
        break;
      case "template":
        notFoundRows.push(template(path, text.problem));
        break;
      case "other":
        break;
    }
  }
  for (const { path, because, error } of tree.left) {
    const kind = REFUSED[because];
    if (kind !== undefined)
      notFoundRows.push({
        path,
        kind,
        reason: error?.message ?? notExaminedRow(kind).reason,
        isFailure: isUnread(kind),
      });
  }
  return { files, notFound: notFoundRows };
}

/** Whether the file may contain manifests. */
function isUnread(kind: NotExaminedKind): boolean {
  return kind === "Unreadable" || kind === "TooLarge";
}

/** No spread here: there are many, and each spread would create a hidden class in V8 (docs/why/benchmarks.md). */
function found(
  folder: string,
  { kind, foundBy, render }: Pick<Application, "kind" | "foundBy" | "render">,
): Application {
  return { name: folder, path: folder, isNamed: false, definedIn: [], kind, foundBy, render };
}

function unread(all: readonly Marked[], kind: NotExaminedKind): NotFound[] {
  return all.flatMap(({ file, problem, isTemplate }): NotFound[] => {
    if (problem === undefined) return [];
    return [isTemplate ? template(file, problem.message) : notFound(file, kind, reasonOf(problem))];
  });
}

function template(path: string, problem: string): NotFound {
  return { path, kind: "Template", reason: `${notExaminedRow("Template").reason}: ${problem}`, isFailure: false };
}

function notFound(path: string, kind: NotExaminedKind, reason: string): NotFound {
  return { path, kind, reason, isFailure: true };
}
