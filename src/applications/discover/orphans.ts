import type { FoundBy } from "../../reports/plan/planned-application.ts";
import { onceForText } from "../../base/grouped.ts";
import { fieldsOf, isMapping, textOrEmpty, type Mapping } from "../../yaml/read/json.ts";
import { readFoundText } from "../../yaml/read/manifest-text.ts";
import type { Json } from "../../yaml/read/node.ts";
import type { Application } from "./application.ts";
import { referenced } from "./flux-sources.ts";
import { takenIn } from "./flux.ts";
import { closureOf } from "./kustomizations.ts";
import { isEngineItem, type GitOpsObject } from "./objects.ts";
import { pathTests } from "./path-patterns.ts";
import { foldersAround, insidePath } from "./paths.ts";
import type { Repository } from "./repository.ts";
import { valuePaths, type ValuePaths } from "./value-paths.ts";

// What nothing deploys, if the repository has objects of Argo CD or Flux (contract, section 8, "What is deployed").

/** Applications that only their own files define. */
const ALONE: ReadonlySet<FoundBy> = new Set(["Kustomization", "Chart", "Kptfile", "Manifests"]);

/** Objects that lead to paths. A HelmRelease leads to a chart only. */
const LEADING: ReadonlySet<string> = new Set(["Application", "ApplicationSet", "Kustomization"]);

/** Whether a repository has objects that lead to its paths. Those of other repositories do not show what deploys it. */
export function hasLeading(repository: Repository): boolean {
  return repository.objects.some((object) => {
    if (!LEADING.has(object.kind)) return false;
    const sources = object.kind === "Kustomization" ? fluxSource(object, repository) : sourcesIn(object.spec);
    if (sources.length === 0) return object.kind !== "Application";
    return sources.some((source) => mayBeHere(source, repository));
  });
}

/** The address and path of a Kustomization; none if the repository does not have its GitRepository. */
function fluxSource(object: GitOpsObject, repository: Repository): readonly Mapping[] {
  const { path = "", sourceRef } = object.spec;
  const reference = fieldsOf(sourceRef);
  // Artifacts have no address of a repository.
  if (reference["kind"] !== "GitRepository") return [{ path }];
  const source = referenced(reference, object, repository);
  return source === undefined ? [] : [{ repoURL: source.spec["url"] ?? "", path }];
}

/** All that has an address in an object of Argo CD. */
function sourcesIn(spec: Json): readonly Mapping[] {
  if (Array.isArray(spec)) return spec.flatMap(sourcesIn);
  if (!isMapping(spec)) return [];
  return [...(spec["repoURL"] === undefined ? [] : [spec]), ...Object.values(spec).flatMap(sourcesIn)];
}

/** Whether a source may be this repository: the remotes may be incomplete, so also if its path is here. */
function mayBeHere(source: Mapping, { isOwnAddress, folders }: Repository): boolean {
  const address = textOrEmpty(source["repoURL"]);
  const path = insidePath(textOrEmpty(source["path"]));
  if (address !== "" && (address.includes("{{") || isOwnAddress(address))) return true;
  return path !== undefined && path !== "." && folders.has(path);
}

/** Marks what nothing leads to. `mayLeadTo` are patterns of paths that something unresolved may lead to. */
export function withOrphans(
  applications: readonly Application[],
  repository: Repository,
  mayLeadTo: readonly string[],
): Application[] {
  const mayBeLedTo = onceForText(pathTests(repository.tree.limits)(mayLeadTo));
  const leading = repository.objects.filter(({ kind }) => LEADING.has(kind));
  const isAlone = mayBeOrphan(repository);
  const named = valuePaths(repository).filter(({ names }) => applications.some(({ path }) => names(path)));
  const orphans = new Set(
    applications.filter(
      (application) =>
        isAlone(application) &&
        !placesOf(application).some(mayBeLedTo) &&
        !named.some(({ names }) => names(application.path)) &&
        !isBootstrap(application, { leading, named, repository }),
    ),
  );
  if (orphans.size === 0) return [...applications];
  const names = new Set([...orphans].map(({ name }) => name));
  const fromOrphans = includedBy([...orphans], repository);
  const fromOthers = includedBy(
    applications.filter((application) => !orphans.has(application)),
    repository,
  );
  const isShownByOrphans = ({ shownBy, alsoShownBy = [] }: Application): boolean =>
    shownBy !== undefined && [shownBy, ...alsoShownBy].every((name) => names.has(name));
  // Another rendering of the same file is another application.
  const shownByOthers = new Set(
    applications.flatMap((application) =>
      application.foundBy === "HelmRelease" && application.shownBy !== undefined && !isShownByOrphans(application)
        ? application.definedIn.slice(0, 1)
        : [],
    ),
  );
  // What an orphan would apply is applied by nothing either.
  const isOfOrphan = (application: Application): boolean => {
    const { foundBy, shownBy, definedIn } = application;
    const [file = ""] = definedIn;
    if (foundBy !== "HelmRelease") return false;
    if (shownBy === undefined) return fromOrphans.has(file) && !fromOthers.has(file);
    return isShownByOrphans(application) && (!fromOthers.has(file) || shownByOthers.has(file));
  };
  return applications.map((application) =>
    orphans.has(application) || isOfOrphan(application) ? { ...application, orphan: true } : application,
  );
}

/** The folders that may be the path of an object: plain manifests of several folders are one application. */
function placesOf({ path, foundBy, render }: Application): readonly string[] {
  if (foundBy !== "Manifests" || !("files" in render)) return [path];
  return [path, ...new Set(render.files.flatMap(foldersAround))];
}

function mayBeOrphan(repository: Repository): (application: Application) => boolean {
  const isLed = hasLeading(repository);
  const hasReleases = repository.objects.some(({ kind }) => kind === "HelmRelease");
  return ({ foundBy }) => ALONE.has(foundBy) && (isLed || (hasReleases && foundBy === "Chart"));
}

/**
 * Finds what is not deployed in the head. The last objects that lead to paths may be gone: the base led to it in another way, or
 * not at all. Or of plain manifests that nothing led to, only objects of Argo CD or Flux are left. And what was applied without
 * such objects stays: the first of them does not stop it.
 */
export function orphanedIn(
  base: Repository,
  head: Repository,
): (before: Application | undefined, after: Application) => boolean {
  const was = mayBeOrphan(base);
  const is = mayBeOrphan(head);
  const wasLed = hasLeading(base);
  return (before, after) => {
    if (after.orphan === true) return before === undefined || before.orphan === true || wasLed || was(after);
    if (!was(after)) return false;
    return is(after)
      ? before?.orphan === true && hasEngineFilesOnly(after, head)
      : before === undefined || before.orphan === true || hasEngineFilesOnly(before, base);
  };
}

function hasEngineFilesOnly({ render }: Application, repository: Repository): boolean {
  return "files" in render && render.files.every((file) => hasEngineObjectsOnly(file, repository));
}

/** The files and folders that the kustomizations of applications include. */
function includedBy(applications: readonly Application[], repository: Repository): ReadonlySet<string> {
  const folders = applications.flatMap(({ render }) => {
    if (render.by !== "kustomize") return [];
    return render.flux === undefined ? [render.folder] : takenIn(render.folder, repository);
  });
  return closureOf(folders, repository);
}

/** Whether an application contains objects that deploy others. Then someone applies it, or those objects would not exist. */
function isBootstrap(
  application: Application,
  {
    leading,
    named,
    repository,
  }: {
    readonly leading: readonly GitOpsObject[];
    readonly named: readonly ValuePaths[];
    readonly repository: Repository;
  },
): boolean {
  const { name, path, render } = application;
  if (leading.some(({ shown }) => shown?.by === name)) return true;
  if ("files" in render) return hasEngineFilesOnly(application, repository);
  const closure = closureOf([path], repository);
  return (
    leading.some(({ file }) => closure.has(file)) || named.some(({ place }) => place === path || closure.has(place))
  );
}

function hasEngineObjectsOnly(file: string, { tree, objects }: Repository): boolean {
  const read = objects.some((object) => object.file === file) ? tree.read(file) : undefined;
  if (read?.is !== "text") return false;
  const found = readFoundText(read.text, file, tree.limits);
  return found.is === "manifests" && found.manifests.items.every(isEngineItem);
}
