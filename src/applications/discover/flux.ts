import { isManifestName } from "../../yaml/read/manifest-text.ts";
import type { Application, FluxBuild, FluxSubstitution } from "./application.ts";
import { onCycles } from "./cycles.ts";
import { deployedByKustomization, withMark } from "./deletions.ts";
import type { Finder, Found } from "./finder.ts";
import type { NotFound } from "./not-found.ts";
import { allIncluded } from "./kustomizations.ts";
import { release } from "./flux-releases.ts";
import { withRevisions } from "./source-revisions.ts";
import { folderOfSource, noApplication, referenced, type FluxFolder } from "./flux-sources.ts";
import {
  definingObject,
  type DefiningObject,
  type GitOpsObject,
  givenText,
  givenTexts,
  isFluxKustomization,
  placeOfObject,
  shownBy,
  textsOf,
} from "./objects.ts";
import { listOf, type Mapping, fieldsOf, textOrEmpty } from "../../yaml/read/json.ts";
import { pathPattern, resourceSetPaths } from "./path-patterns.ts";
import { folderOf, foldersAround, isInFolder, pathsIn } from "./paths.ts";
import type { Repository } from "./repository.ts";
import { groupedBy, lastFor, onceFor } from "../../base/grouped.ts";

/** Flux's Kustomizations and HelmReleases. */
export const FLUX: Finder = (repository, isTaken) => {
  const kustomizations = repository.objects.filter(isFluxKustomization);
  const found = kustomizations.map((object) => ({ object, ...kustomization(object, repository) }));
  const folders = found.flatMap(({ object, applications }) =>
    applications.map(({ path }) => ({
      object,
      folder: path,
      ownCluster: remoteCluster(object) ?? object.shown?.cluster ?? (object.isSync === true ? path : undefined),
    })),
  );
  const synced = bootstrapped(repository, kustomizations);
  const clusterAt = clustersOf(folders, synced);
  const appliedWithAt = clustersOf(folders, synced, (file) => plainFolder(file, repository));
  const releases = repository.objects
    .filter(({ group, kind }) => group === "helm.toolkit.fluxcd.io" && kind === "HelmRelease")
    .map((object) => ({ object, ...release(object, repository) }));
  const all = [...found, ...releases];
  return {
    applications: all
      .flatMap(({ object, applications }) => {
        const remote = remoteCluster(object) ?? object.shown?.cluster;
        return applications.map((one) => {
          const place = placeOfObject(object);
          const cluster = remote ?? (object.isSync === true ? one.path : clusterAt(place));
          if (cluster !== undefined) return { ...one, cluster };
          const appliedWith = appliedWithAt(place);
          return appliedWith === undefined ? one : { ...one, appliedWith };
        });
      })
      .filter(({ path }) => !isTaken(path)),
    taken: all.flatMap(({ taken }) => taken),
    mayLeadTo: [
      ...all.flatMap(({ mayLeadTo = [] }) => mayLeadTo),
      ...repository.objects.flatMap(({ kind, spec }) => (kind === "ResourceSet" ? resourceSetPaths(spec) : [])),
    ],
    notFound: [...all.flatMap(({ notFound }) => notFound), ...waitingForEachOther(kustomizations, repository)],
  };
};

function kustomization(object: GitOpsObject, repository: Repository): Found {
  const { spec } = object;
  const made = folderOfSource(givenText(spec["path"]) ?? ".", fieldsOf(spec["sourceRef"]), object, repository);
  if (made.is !== "folder") {
    const none = noApplication(object, "FluxKustomization", { ...made, isFailure: made.is === "wrong" });
    const path = givenText(spec["path"]);
    return made.isShown === undefined || path === undefined ? none : { ...none, mayLeadTo: [pathPattern(path)] };
  }
  if (isPathFilledIn(object, repository)) return noApplication(object, "FluxKustomization", FILLED_IN);
  const namespace = repository.objectIndex.namespaceOf(object);
  const source = referenced(fieldsOf(spec["sourceRef"]), object, repository);
  const objects = [object, ...(source === undefined ? [] : [source])].map((one) =>
    definingObject(one, repository.objectIndex.namespaceOf(one)),
  );
  const given = { made, namespace, objects, deployed: deployedByKustomization(spec, source?.spec) };
  const application = remembered(object, [JSON.stringify(given)], () => applicationOf(object, given));
  return { applications: [application], taken: takenIn(made.folder, repository), notFound: [] };
}

// Renderings show the same Kustomizations in most commits of a history.
const remembered = lastFor<GitOpsObject, Application>();

interface Given {
  readonly made: Extract<FluxFolder, { is: "folder" }>;
  readonly namespace: string;
  readonly objects: readonly DefiningObject[];
  readonly deployed: ReturnType<typeof deployedByKustomization>;
}

function applicationOf(object: GitOpsObject, { made, namespace, objects, deployed }: Given): Application {
  const { folder, definedIn, ignored, revision } = made;
  const { spec, name, file } = object;
  const targetNamespace = givenText(spec["targetNamespace"]);
  return {
    name,
    path: folder,
    kind: "Kustomize",
    foundBy: "FluxKustomization",
    ...(targetNamespace === undefined ? {} : { namespace: targetNamespace }),
    isNamed: true,
    definedIn: [...new Set([file, ...definedIn])],
    objects,
    ...withRevisions([revision]),
    ...shownBy(object),
    ...(object.isSync === true ? { isRoot: true } : {}),
    ...withMark(deployed, object),
    render: { by: "kustomize", folder, flux: { ...buildOf(object, namespace), ignored } },
  };
}

/**
 * Whether overlays set the path. Without a path, Flux takes the whole source, but if a kustomization includes the file,
 * overlays usually set it for each cluster: only the rendering shows the path.
 */
function isPathFilledIn({ spec, file, shown, isSync }: GitOpsObject, repository: Repository): boolean {
  const isWhole = givenText(spec["path"]) !== undefined || shown !== undefined || isSync === true;
  if (isWhole || fieldsOf(spec["sourceRef"])["kind"] !== "GitRepository") return false;
  return allIncluded(repository).has(file);
}

const FILLED_IN = {
  reason: "it names no path (spec.path): overlays may set it, otherwise it is the whole source",
  isFailure: false,
  isShown: true,
} as const;

/**
 * What a Flux Kustomization takes. From a folder without a kustomization file, Flux takes all manifests and the
 * kustomizations below it, and from the folders of those only what they name.
 */
export function takenIn(folder: string, { kustomizations, tree }: Repository): readonly string[] {
  if (kustomizations.has(folder)) return [folder];
  const before = takenBefore(kustomizations);
  const known = before.get(folder);
  if (known !== undefined) return known;
  const isOutermost = (path: string): boolean =>
    !foldersAround(path).some((around) => isInFolder(folder, around) && kustomizations.has(around));
  const taken = [
    ...pathsIn(folder, tree.files).filter((path) => isManifestName(path) && isOutermost(path)),
    ...[...kustomizations.keys()].filter((path) => isInFolder(folder, path) && isOutermost(path)),
  ];
  before.set(folder, taken);
  return taken;
}

// Looking through all files for each folder is slow, and they are the same whatever renderings show.
const takenBefore: (kustomizations: Repository["kustomizations"]) => Map<string, readonly string[]> = onceFor(
  () => new Map<string, readonly string[]>(),
);

function buildOf({ spec }: GitOpsObject, namespace: string): Omit<FluxBuild, "ignored"> {
  const metadata = fieldsOf(spec["commonMetadata"]);
  return {
    namespace,
    ...givenTexts(spec, "targetNamespace", "namePrefix", "nameSuffix"),
    commonLabels: textsOf(metadata["labels"]),
    commonAnnotations: textsOf(metadata["annotations"]),
    patches: listOf(spec["patches"]),
    images: listOf(spec["images"]),
    components: listOf(spec["components"]).map(textOrEmpty),
    ignoreMissingComponents: spec["ignoreMissingComponents"] === true,
    substitution: substitutionOf(spec),
  };
}

function substitutionOf(spec: Mapping): FluxSubstitution | undefined {
  const given = spec["postBuild"];
  if (given === undefined || given === null) return undefined;
  const postBuild = fieldsOf(given);
  return {
    substitute: textsOf(postBuild["substitute"]),
    substituteFrom: listOf(postBuild["substituteFrom"]).map((one) => {
      const { kind, name, optional } = fieldsOf(one);
      return { kind: textOrEmpty(kind), name: textOrEmpty(name), optional: optional === true };
    }),
    always: postBuild["substituteStrategy"] === "Always" || spec["substituteStrategy"] === "Always",
  };
}

/**
 * The root folders of clusters, by the file that `flux bootstrap` writes into them; it may be empty until then. If
 * overlays set the path in that file, the folder is a base of several clusters.
 */
function bootstrapped(repository: Repository, kustomizations: readonly GitOpsObject[]): ReadonlySet<string> {
  const bases = new Set(kustomizations.filter((one) => isPathFilledIn(one, repository)).map(({ file }) => file));
  return new Set(
    repository.tree.files
      .filter((file) => file.endsWith("/flux-system/gotk-sync.yaml") && !bases.has(file))
      .map((file) => folderOf(folderOf(file))),
  );
}

interface Applied {
  readonly object: GitOpsObject;
  readonly folder: string;
  readonly ownCluster: string | undefined;
}

/** The name of the kubeconfig with which Flux applies to another cluster. */
function remoteCluster({ spec }: GitOpsObject): string | undefined {
  const kubeConfig = fieldsOf(spec["kubeConfig"]);
  return (
    givenText(fieldsOf(kubeConfig["secretRef"])["name"]) ?? givenText(fieldsOf(kubeConfig["configMapRef"])["name"])
  );
}

/**
 * Finds the cluster that reads a file. A Kustomization in the folder that it applies (`flux bootstrap` writes it
 * there), or beside it, is the root of a cluster, which is named after that folder. If a file is below several such
 * folders, or several Kustomizations lead to it, all must lead to the same cluster; otherwise the cluster is undefined.
 * `otherwise` names one for a file that nothing leads to.
 */
function clustersOf(
  applied: readonly Applied[],
  synced: ReadonlySet<string>,
  otherwise: (file: string) => string | undefined = () => undefined,
): (file: string) => string | undefined {
  const roots = new Set(
    applied
      .filter(({ object, folder }) => isInFolder(folder, object.file) || isInFolder(folder, placeOfObject(object)))
      .map(({ folder }) => folder),
  );
  const byFolder = groupedBy(applied, ({ folder }) => folder);
  const known = new Map<string, string | undefined>();
  const clusterAt = (file: string): string | undefined => {
    if (known.has(file)) return known.get(file);
    // A Kustomization that leads back here does not count.
    known.set(file, undefined);
    const holding = foldersAround(file).flatMap((folder) => byFolder.get(folder) ?? []);
    const found = new Set(
      holding.map(
        ({ object, folder, ownCluster }) =>
          ownCluster ?? (roots.has(folder) ? folder : clusterAt(placeOfObject(object))),
      ),
    );
    if (found.size === 0) found.add(foldersAround(file).find((folder) => synced.has(folder)) ?? otherwise(file));
    const [only] = found;
    const cluster = found.size === 1 ? only : undefined;
    known.set(file, cluster);
    return cluster;
  };
  return clusterAt;
}

/**
 * The folder of a file that someone applies from elsewhere or by hand, to one cluster. Undefined for the root, which is no
 * such folder of its own, and if kustomizations may take the file.
 */
function plainFolder(file: string, repository: Repository): string | undefined {
  const folders = foldersAround(file);
  const mayTake = (folder: string): boolean => repository.kustomizations.has(folder);
  return folders.length === 1 || allIncluded(repository).has(file) || folders.some(mayTake) ? undefined : folders[0];
}

/** Kustomizations that depend on each other: Flux never applies them. */
function waitingForEachOther(all: readonly GitOpsObject[], repository: Repository): NotFound[] {
  const edges = all.flatMap((from) =>
    listOf(from.spec["dependsOn"]).flatMap((one) => {
      const to = referenced({ ...fieldsOf(one), kind: "Kustomization" }, from, repository);
      return to === undefined ? [] : [{ from, to }];
    }),
  );
  return [...onCycles(edges)].map(({ file, name }) => ({
    path: file,
    kind: "FluxKustomization",
    name,
    reason: "it depends on Kustomizations that depend on it: Flux never applies a cycle",
    isFailure: true,
  }));
}
