import { RollstampError } from "../ground/errors.ts";
import { CHART_FILE } from "../ground/hosts/helm.ts";
import { notExaminedRow } from "../examined/not-examined-kinds.ts";
import { posix } from "node:path";
import { foldedGet, isMapping, type Mapping } from "../manifest/json-keys.ts";
import { isManifestName, readFoundText } from "../manifest/manifest-text.ts";
import { kubectlJson } from "../manifest/kubectl-json.ts";
import { get, isObject, type Json } from "../manifest/node.ts";
import { placeOf } from "../manifest/items.ts";
import type { NotFound } from "./not-found.ts";
import { pathFrom } from "./paths.ts";
import type { Marked } from "./marked.ts";
import type { RepositoryTree } from "./repository-tree.ts";

/** An object of Argo CD or Flux in a file. */
export interface GitOpsObject {
  readonly file: string;
  readonly line: number;
  readonly group: string;
  readonly kind: string;
  readonly name: string;
  /** "" where it names none. */
  readonly namespace: string;
  readonly spec: Mapping;
}

const GROUPS: ReadonlySet<string> = new Set([
  "argoproj.io",
  "kustomize.toolkit.fluxcd.io",
  "helm.toolkit.fluxcd.io",
  "source.toolkit.fluxcd.io",
  "source.extensions.fluxcd.io",
]);
const KINDS: ReadonlySet<string> = new Set([
  "Application",
  "ApplicationSet",
  "Kustomization",
  "HelmRelease",
  "GitRepository",
  "HelmRepository",
  "OCIRepository",
  "Bucket",
  "HelmChart",
  "ArtifactGenerator",
]);

/** A file that has one of them says so. */
const SAYS = /(?:argoproj|fluxcd)\.io\//u;

/** The objects of Argo CD and Flux in a repository; those that can't be read, with why. */
export function gitOpsObjects(
  tree: RepositoryTree,
  {
    kustomizations,
    isChartInput,
  }: { readonly kustomizations: ReadonlyMap<string, Marked>; readonly isChartInput: (path: string) => boolean },
): { readonly objects: readonly GitOpsObject[]; readonly notFound: readonly NotFound[] } {
  const patches = patchFiles(kustomizations);
  const objects: GitOpsObject[] = [];
  const notFound: NotFound[] = [];
  for (const file of tree.files) {
    if (!isManifestName(file) || isChartInput(file) || patches.has(file) || posix.basename(file) === CHART_FILE)
      continue;
    const read = tree.read(file);
    if (read.is === "refused" || !SAYS.test(read.text)) continue;
    const found = readFoundText(read.text, file, tree.limits);
    if (found.is === "broken") {
      notFound.push({ path: file, kind: "Manifest", reason: found.error.message, isFailure: true });
    } else if (found.is === "template") {
      notFound.push({
        path: file,
        kind: "Template",
        reason: `${notExaminedRow("Template").reason}: ${found.problem}`,
        isFailure: false,
      });
    }
    if (found.is !== "manifests") continue;
    for (const item of found.manifests.items) {
      const { group, kind, name, namespace, node } = item;
      if (!GROUPS.has(group) || !KINDS.has(kind)) continue;
      try {
        const spec = kubectlJson(item.tree, get(item.tree, node, "spec"));
        const line = placeOf(item.tree, node).line ?? 1;
        objects.push({ file, line, group, kind, name, namespace, spec: isObject(spec) ? spec : {} });
      } catch (cause) {
        if (!(cause instanceof RollstampError)) throw cause;
        notFound.push({ path: file, kind: "Manifest", reason: cause.message, isFailure: true });
      }
    }
  }
  return { objects, notFound };
}

/** The files with which kustomizations change others: what stands in them is no object by itself. */
function patchFiles(kustomizations: ReadonlyMap<string, Marked>): ReadonlySet<string> {
  const found = new Set<string>();
  for (const { folder, content } of kustomizations.values()) {
    if (content === undefined) continue;
    for (const field of ["patches", "patchesstrategicmerge", "patchesjson6902"]) {
      for (const way of listOf(foldedGet(content, field))) {
        const written = isMapping(way) ? foldedGet(way, "path") : way;
        const path = typeof written === "string" && !written.includes("\n") ? pathFrom(folder, written) : undefined;
        if (path !== undefined) found.add(path);
      }
    }
  }
  return found;
}

// What an object says, whatever is written there: a field of another type is as good as none.

export function listOf(value: Json | undefined): readonly Json[] {
  return Array.isArray(value) ? value : [];
}

export function mappingOf(value: Json | undefined): Mapping {
  return isMapping(value) ? value : {};
}

/** A text; "" for none. */
export function textOf(value: Json | undefined): string {
  return typeof value === "string" ? value : "";
}

/** A text that is not empty. */
export function givenText(value: Json | undefined): string | undefined {
  return typeof value === "string" && value !== "" ? value : undefined;
}

/** The texts of a mapping; numbers and booleans as JSON has them. */
export function textsOf(value: Json | undefined): Record<string, string> {
  return Object.fromEntries(
    Object.entries(mappingOf(value)).flatMap(([key, one]): [string, string][] =>
      one === null || typeof one === "object" ? [] : [[key, String(one)]],
    ),
  );
}
