import { kustomizationOf } from "../kustomize/kustomization.ts";
import { recovered } from "../../base/errors.ts";
import { CHART_FILE } from "../../base/hosts/helm.ts";
import { ignores } from "../../findings/results/ignores.ts";
import { notExaminedRow } from "../../findings/not-examined/not-examined-kinds.ts";
import { posix } from "node:path";
import { fieldsOf, isMapping, textsOf as textsIn, type Mapping } from "../../yaml/read/json.ts";
import { isManifestName, readFoundText } from "../../yaml/read/manifest-text.ts";
import { kubectlJson } from "../../yaml/read/kubectl-view.ts";
import { get, getPath, toJson, type Json } from "../../yaml/read/node.ts";
import { placeOf, type Item } from "../../yaml/read/items.ts";
import { isProtected } from "./kept-objects.ts";
import { reasonOf, type NotFound } from "./not-found.ts";
import { pathFrom } from "./paths.ts";
import type { Marked } from "./marked.ts";
import { onceFor } from "../../base/grouped.ts";
import type { Contents, Snapshot } from "../../platform/ports/snapshot.ts";

/** An object of Argo CD or Flux. */
export interface GitOpsObject {
  readonly file: string;
  readonly line: number;
  readonly group: string;
  readonly kind: string;
  readonly name: string;
  /** "" if it sets none. */
  readonly namespace: string;
  readonly spec: Mapping;
  /** The rules that it ignores with a reason. */
  readonly ignored?: readonly string[];
  readonly finalizers?: readonly string[];
  /** A mark on it keeps it in the cluster if it leaves Git. */
  readonly isKept?: true;
  /** Set if the object comes from a rendering. */
  readonly shown?: Shown;
  /** flux-operator creates it for a FluxInstance: it is the root of a cluster. */
  readonly isSync?: true;
}

/** An object as a part of the application that it defines. */
export type DefiningObject = Pick<GitOpsObject, "group" | "kind" | "namespace" | "name" | "spec" | "ignored">;

/** The rendering that an object comes from. */
export interface Shown {
  /** The application that renders it. */
  readonly by: string;
  /** Others for the same cluster whose renderings contain it too. */
  readonly also: readonly string[];
  readonly cluster?: string;
  /** The place for references: objects of one application have the same folder. */
  readonly place: string;
}

/** The path that decides which objects are near. */
export function placeOfObject({ file, shown }: Pick<GitOpsObject, "file" | "shown">): string {
  return shown?.place ?? file;
}

const GROUPS: ReadonlySet<string> = new Set([
  "argoproj.io",
  "kustomize.toolkit.fluxcd.io",
  "helm.toolkit.fluxcd.io",
  "source.toolkit.fluxcd.io",
  "source.extensions.fluxcd.io",
  "fluxcd.controlplane.io",
]);
const KINDS: ReadonlySet<string> = new Set([
  "Application",
  "ApplicationSet",
  "AppProject",
  "Kustomization",
  "HelmRelease",
  "GitRepository",
  "HelmRepository",
  "OCIRepository",
  "Bucket",
  "HelmChart",
  "ArtifactGenerator",
  "FluxInstance",
  "ResourceSet",
]);

/** Whether an object belongs to Argo CD or Flux. */
export function isEngineItem({ group }: Pick<Item, "group">): boolean {
  return GROUPS.has(group);
}

/** Whether an object is a Kustomization of Flux, not of kustomize. */
export function isFluxKustomization({ group, kind }: Pick<GitOpsObject, "group" | "kind">): boolean {
  return group === "kustomize.toolkit.fluxcd.io" && kind === "Kustomization";
}

/** Whether text may contain such an object. */
export function saysGitOps(text: string): boolean {
  return /(?:argoproj|fluxcd|controlplane)\.io\//u.test(text);
}

interface ObjectsOfFile {
  readonly objects: readonly GitOpsObject[];
  readonly notFound: readonly NotFound[];
}

// By the id of the text, because most files are the same in all revisions.
const knownIn: (contents: Contents) => Map<string, ObjectsOfFile> = onceFor(() => new Map<string, ObjectsOfFile>());

function objectsIn(tree: Snapshot, file: string): ObjectsOfFile {
  const entry = tree.entries.get(file);
  if (entry?.is !== "file") return objectsOfFile(tree, file);
  const known = knownIn(tree.contents);
  const key = `${entry.id} ${file}`;
  let found = known.get(key);
  if (found === undefined) known.set(key, (found = objectsOfFile(tree, file)));
  return found;
}

function objectsOfFile(tree: Snapshot, file: string): ObjectsOfFile {
  const objects: GitOpsObject[] = [];
  const notFound: NotFound[] = [];
  const read = tree.read(file);
  if (read.is !== "text") return { objects, notFound };
  const found = readFoundText(read.text, file, tree.limits);
  if (found.is === "broken") {
    notFound.push({ path: file, kind: "Manifest", reason: reasonOf(found.error), isFailure: true });
  } else if (found.is === "template") {
    notFound.push({
      path: file,
      kind: "Template",
      reason: `${notExaminedRow("Template").reason}: ${found.problem}`,
      isFailure: false,
    });
  }
  if (found.is !== "manifests") return { objects, notFound };
  for (const item of found.manifests.items) {
    const object = recovered(
      () => gitOpsObject(item, file),
      ({ message: reason }) => void notFound.push({ path: file, kind: "Manifest", reason, isFailure: true }),
    );
    if (object !== undefined) objects.push(object);
  }
  return { objects, notFound };
}

/** The objects of Argo CD and Flux in a repository, and those that can't be read. */
export function gitOpsObjects(
  tree: Snapshot,
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
    if (!tree.says(file, saysGitOps)) continue;
    const found = objectsIn(tree, file);
    objects.push(...found.objects);
    notFound.push(...found.notFound);
  }
  return { objects, notFound };
}

const NAMES_VERSION = /(?:argoproj|fluxcd|controlplane)\.io\/(?:v\d|\{\{)/u;
const NAMES_KIND = new RegExp(String.raw`\b(?:${[...KINDS].join("|")})\b|\{\{`, "u");
/** The head of an object of another kind, such as a Rollout or Workflow. */
const OTHER_OBJECT = new RegExp(
  String.raw`^[ ]*(?:- )?apiVersion: [\w.]+/v\w+\r?\n[ ]*kind: (?!(?:${[...KINDS].join("|")})\b)\w+[ \t]*\r?$`,
  "gmu",
);

/** Whether text may render to such an object. Annotations of Argo CD, Rollouts and Workflows do not count. */
export function mayRenderGitOps(text: string): boolean {
  return NAMES_VERSION.test(text) && NAMES_KIND.test(text) && NAMES_VERSION.test(text.replace(OTHER_OBJECT, ""));
}

/** Whether text may render to an object that leads to paths. Those of helm-controller and source-controller lead to charts. */
export function mayLeadToPaths(text: string): boolean {
  return /(?:argoproj|kustomize\.toolkit\.fluxcd|controlplane)\.io\/(?:v\d|\{\{)/u.test(text);
}

/** An item as an object of Argo CD or Flux; undefined for any other. Throws a RollstampError if it can't be read. */
export function gitOpsObject(item: Item, file: string): GitOpsObject | undefined {
  const { group, kind, name, namespace, node, tree } = item;
  if (!GROUPS.has(group) || !KINDS.has(kind)) return undefined;
  const spec = kubectlJson(tree, get(tree, node, "spec"));
  const ignored = ignores(item).flatMap(({ id, reason }) => (reason === undefined ? [] : [id]));
  const finalizers = toJson(tree, getPath(tree, node, ["metadata", "finalizers"]));
  return {
    file,
    line: placeOf(tree, node).line ?? 1,
    group,
    kind,
    name,
    namespace,
    spec: fieldsOf(spec),
    ...(ignored.length === 0 ? {} : { ignored }),
    ...(Array.isArray(finalizers) ? { finalizers: textsIn(finalizers) } : {}),
    ...(isProtected(item, undefined, "pruned") ? { isKept: true } : {}),
  };
}

/** An object as a part of the application that it defines. */
export function definingObject({ group, kind, name, spec, ignored }: GitOpsObject, namespace: string): DefiningObject {
  return { group, kind, name, namespace, spec, ...(ignored === undefined ? {} : { ignored }) };
}

/** The files of patches: what they contain is not an object of its own. */
function patchFiles(kustomizations: ReadonlyMap<string, Marked>): ReadonlySet<string> {
  const found = new Set<string>();
  for (const { folder, content } of kustomizations.values())
    for (const { path } of content === undefined ? [] : kustomizationOf(content).patches)
      if (path !== undefined && !path.includes("\n")) found.add(pathFrom(folder, path) ?? "");
  return found;
}

export function shownBy({ shown }: Pick<GitOpsObject, "shown">): {
  readonly shownBy?: string;
  readonly alsoShownBy?: readonly string[];
} {
  if (shown === undefined) return {};
  return { shownBy: shown.by, ...(shown.also.length === 0 ? {} : { alsoShownBy: shown.also }) };
}

/** A string that is not empty. */
export function givenText(value: Json | undefined): string | undefined {
  return typeof value === "string" && value !== "" ? value : undefined;
}

/** Those fields of a mapping that are strings and not empty. */
export function givenTexts<K extends string>(fields: Mapping, ...keys: readonly K[]): { readonly [Key in K]?: string };
export function givenTexts(fields: Mapping, ...keys: readonly string[]): Readonly<Record<string, string>> {
  return Object.fromEntries(
    keys.flatMap((key) => {
      const text = givenText(fields[key]);
      return text === undefined ? [] : [[key, text]];
    }),
  );
}

/** A version, tag or hash. Digits without quotes are a number, which the API server refuses: it is shown nevertheless. */
export function givenVersion(value: Json | undefined): string | undefined {
  return givenText(typeof value === "number" ? String(value) : value);
}

/** The scalar values of a mapping as strings. */
export function textsOf(value: Json | undefined): Record<string, string> {
  return Object.fromEntries(
    Object.entries(fieldsOf(value)).flatMap(([key, one]): [string, string][] =>
      one === null || typeof one === "object" ? [] : [[key, String(one)]],
    ),
  );
}

/** Applies a merge patch (RFC 7386). */
export function mergePatch(base: Json | undefined, patch: Json): Json {
  if (!isMapping(patch)) return patch;
  const merged = new Map<string, Json>(Object.entries(fieldsOf(base)));
  for (const [key, value] of Object.entries(patch)) {
    if (value === null) merged.delete(key);
    else merged.set(key, mergePatch(merged.get(key), value));
  }
  return Object.fromEntries(merged);
}
