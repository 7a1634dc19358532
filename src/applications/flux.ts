import { posix } from "node:path";
import { isManifestName } from "../manifest/manifest-text.ts";
import type { Mapping } from "../manifest/json-keys.ts";
import type { Json } from "../manifest/node.ts";
import type { Application, ChartSource, FluxBuild, FluxSubstitution, ValuesSource } from "./application.ts";
import { onCycles } from "./cycles.ts";
import type { Finder, Found } from "./finder.ts";
import { folderOfSource, referenced } from "./flux-sources.ts";
import type { NotFound } from "./not-found.ts";
import { givenText, listOf, mappingOf, textOf, textsOf, type GitOpsObject } from "./objects.ts";
import { folderOf, foldersAround, insidePath, isIn } from "./paths.ts";
import { shownAddress } from "./remotes.ts";
import type { Repository } from "./repository.ts";

/** Flux's Kustomizations and HelmReleases, as they stand in files. */
export const FLUX: Finder = {
  foundBy: ["FluxKustomization", "HelmRelease"],
  find: (repository, isTaken) => {
    const kustomizations = repository.objects.filter(
      ({ group, kind }) => group === "kustomize.toolkit.fluxcd.io" && kind === "Kustomization",
    );
    const found = kustomizations.map((object) => ({ object, ...kustomization(object, repository) }));
    const folders = found.flatMap(({ object, applications }) =>
      applications.map(({ path }) => ({ object, folder: path, ownCluster: remoteCluster(object) })),
    );
    const clusterAt = clustersOf(folders, bootstrapped(repository));
    const releases = repository.objects
      .filter(({ group, kind }) => group === "helm.toolkit.fluxcd.io" && kind === "HelmRelease")
      .map((object) => ({ object, ...release(object, repository) }));
    const all = [...found, ...releases];
    return {
      applications: all
        .flatMap(({ object, applications }) => {
          const cluster = remoteCluster(object) ?? clusterAt(object.file);
          return applications.map((one) => (cluster === undefined ? one : { ...one, cluster }));
        })
        .filter(({ path }) => !isTaken(path)),
      taken: all.flatMap(({ taken }) => taken),
      notFound: [...all.flatMap(({ notFound }) => notFound), ...waitingForEachOther(kustomizations, repository)],
    };
  },
};

function kustomization(object: GitOpsObject, repository: Repository): Found {
  const { spec, name, file } = object;
  const made = folderOfSource(givenText(spec["path"]) ?? ".", mappingOf(spec["sourceRef"]), object, repository);
  if (made.is !== "folder") return nothing(object, "FluxKustomization", made.reason, made.is === "wrong");
  const { folder, definedIn } = made;
  const targetNamespace = givenText(spec["targetNamespace"]);
  const application: Application = {
    name,
    path: folder,
    kind: "Kustomize",
    foundBy: "FluxKustomization",
    ...(targetNamespace === undefined ? {} : { namespace: targetNamespace }),
    isNamed: true,
    definedIn: [file, ...definedIn],
    render: { by: "kustomize", folder, flux: buildOf(object, repository) },
  };
  // Of a folder without a kustomization file Flux takes all manifests, and kustomizations below it as they are.
  const isWhole = !repository.kustomizations.has(folder);
  const taken = isWhole
    ? [
        ...repository.tree.files.filter((path) => isManifestName(path) && isIn(folder, path)),
        ...[...repository.kustomizations.keys()].filter((path) => isIn(folder, path)),
      ]
    : [folder];
  return { applications: [application], taken, notFound: [] };
}

function buildOf(object: GitOpsObject, repository: Repository): FluxBuild {
  const { spec, name } = object;
  const { namePrefix, nameSuffix, targetNamespace } = spec;
  const metadata = mappingOf(spec["commonMetadata"]);
  return {
    name,
    namespace: repository.objectIndex.namespaceOf(object),
    ...(givenText(targetNamespace) === undefined ? {} : { targetNamespace: textOf(targetNamespace) }),
    ...(givenText(namePrefix) === undefined ? {} : { namePrefix: textOf(namePrefix) }),
    ...(givenText(nameSuffix) === undefined ? {} : { nameSuffix: textOf(nameSuffix) }),
    commonLabels: textsOf(metadata["labels"]),
    commonAnnotations: textsOf(metadata["annotations"]),
    patches: listOf(spec["patches"]),
    images: listOf(spec["images"]),
    components: listOf(spec["components"]).map(textOf),
    ignoreMissingComponents: spec["ignoreMissingComponents"] === true,
    substitution: substitutionOf(spec),
  };
}

function substitutionOf(spec: Mapping): FluxSubstitution | undefined {
  const given = spec["postBuild"];
  if (given === undefined || given === null) return undefined;
  const postBuild = mappingOf(given);
  return {
    substitute: textsOf(postBuild["substitute"]),
    substituteFrom: listOf(postBuild["substituteFrom"]).map((one) => {
      const { kind, name, optional } = mappingOf(one);
      return { kind: textOf(kind), name: textOf(name), optional: optional === true };
    }),
    always: postBuild["substituteStrategy"] === "Always" || spec["substituteStrategy"] === "Always",
  };
}

function release(object: GitOpsObject, repository: Repository): Found {
  const { spec, name, file } = object;
  const made = chartOf(spec, object, repository);
  if ("reason" in made) return nothing(object, "HelmRelease", made.reason, made.isFailure);
  const { chart, definedIn, valuesFiles } = made;
  const own = repository.objectIndex.namespaceOf(object);
  const targetNamespace = givenText(spec["targetNamespace"]);
  const namespace = targetNamespace ?? (own === "" ? undefined : own);
  const folder = chart.in === "repository" ? chart.folder : undefined;
  const application: Application = {
    name,
    path: folder ?? file,
    kind: "Helm",
    foundBy: "HelmRelease",
    ...(namespace === undefined ? {} : { namespace }),
    isNamed: true,
    definedIn: [file, ...definedIn],
    render: {
      by: "helm",
      chart,
      releaseName:
        givenText(spec["releaseName"]) ?? (targetNamespace === undefined ? name : `${targetNamespace}-${name}`),
      ...(namespace === undefined ? {} : { namespace }),
      values: [
        ...valuesFiles,
        ...listOf(spec["valuesFrom"]).map(valuesFrom),
        ...(spec["values"] === undefined || spec["values"] === null
          ? []
          : [{ from: "values", values: spec["values"] } as const]),
      ],
      parameters: [],
      fileParameters: [],
      skipCrds: mappingOf(spec["install"])["crds"] === "Skip",
      skipTests: false,
      skipSchemaValidation: mappingOf(spec["install"])["disableSchemaValidation"] === true,
      apiVersions: [],
      postRenderers: listOf(spec["postRenderers"]),
      flux: { name, namespace: own, replacesDefaults: valuesFiles.length > 0 },
    },
  };
  return { applications: [application], taken: folder === undefined ? [] : [folder], notFound: [] };
}

function valuesFrom(one: Json): ValuesSource {
  const { kind, name, valuesKey, targetPath, optional, literal } = mappingOf(one);
  return {
    from: "object",
    kind: textOf(kind),
    name: textOf(name),
    key: givenText(valuesKey) ?? "values.yaml",
    ...(givenText(targetPath) === undefined ? {} : { targetPath: textOf(targetPath) }),
    literal: literal === true,
    optional: optional === true,
  };
}

type ChartFound =
  | {
      readonly chart: ChartSource;
      readonly definedIn: readonly string[];
      readonly valuesFiles: readonly ValuesSource[];
    }
  | { readonly reason: string; readonly isFailure: boolean };

function chartOf(spec: Mapping, object: GitOpsObject, repository: Repository): ChartFound {
  const ref = mappingOf(spec["chartRef"]);
  const isRef = givenText(ref["name"]) !== undefined;
  const chartObject = isRef && ref["kind"] === "HelmChart" ? referenced(ref, object, repository) : undefined;
  if (isRef && ref["kind"] === "HelmChart" && chartObject === undefined) return unknownSource(ref);
  if (isRef && chartObject === undefined) {
    const source = referenced(ref, object, repository);
    if (source === undefined) return unknownSource(ref);
    return { chart: fromRegistry(source.spec), definedIn: [source.file], valuesFiles: [] };
  }
  const chart = chartObject?.spec ?? mappingOf(mappingOf(spec["chart"])["spec"]);
  const name = textOf(chart["chart"]);
  const reference = mappingOf(chart["sourceRef"]);
  if (name === "") return { reason: "it names no chart", isFailure: true };
  const source = referenced(reference, chartObject ?? object, repository);
  const definedIn = [
    ...(chartObject === undefined ? [] : [chartObject.file]),
    ...(source === undefined ? [] : [source.file]),
  ];
  const files = listOf(chart["valuesFiles"]).map(textOf);
  const optional = chart["ignoreMissingValuesFiles"] === true;
  const version = givenText(chart["version"]) ?? "*";
  if (reference["kind"] === "GitRepository") return fromGit({ name, files, optional, definedIn }, source, repository);
  if (source === undefined) return unknownSource(reference);
  if (source.kind !== "HelmRepository") return { reason: `its chart's source is a ${source.kind}`, isFailure: false };
  return {
    chart: { in: "helm", repository: textOf(source.spec["url"]), name, version },
    definedIn,
    valuesFiles: files.map((path) => ({ from: "chart", path, optional })),
  };
}

interface GitChart {
  readonly name: string;
  readonly files: readonly string[];
  readonly optional: boolean;
  readonly definedIn: readonly string[];
}

function fromGit(
  { name, files, optional, definedIn }: GitChart,
  source: GitOpsObject | undefined,
  repository: Repository,
): ChartFound {
  const address = textOf(source?.spec["url"]);
  if (source !== undefined && !repository.isOwnAddress(address)) {
    const { branch, tag, commit } = mappingOf(source.spec["ref"]);
    const revision = givenText(commit) ?? givenText(tag) ?? givenText(branch) ?? "";
    return {
      chart: { in: "git", repository: shownAddress(address), path: name, revision },
      definedIn,
      valuesFiles: files.map((path) => ({ from: "chart", path, optional })),
    };
  }
  const folder = insidePath(name);
  if (folder === undefined || !repository.charts.has(folder))
    return {
      reason: `its chart ${name} is not in this repository`,
      isFailure: source !== undefined && repository.isKnown,
    };
  return {
    chart: { in: "repository", folder },
    definedIn,
    // They are named from the root of the source.
    valuesFiles: files.map((path) => ({ from: "file", path: insidePath(path) ?? path, optional })),
  };
}

/** An OCIRepository holds one chart: its address ends in the name. */
function fromRegistry(spec: Mapping): ChartSource {
  const url = textOf(spec["url"]);
  const { tag, semver, digest } = mappingOf(spec["ref"]);
  return {
    in: "helm",
    repository: posix.dirname(url),
    name: posix.basename(url),
    version: givenText(digest) ?? givenText(semver) ?? givenText(tag) ?? "",
  };
}

function unknownSource(reference: Mapping): ChartFound {
  return {
    reason: `the source of its chart, ${textOf(reference["kind"])} ${textOf(reference["name"])}, is not in this repository`,
    isFailure: false,
  };
}

/** The folders that clusters read, by what `flux bootstrap` writes into them; the file may be empty until it runs. */
function bootstrapped({ tree }: Repository): ReadonlySet<string> {
  return new Set(
    tree.files.filter((file) => file.endsWith("/flux-system/gotk-sync.yaml")).map((file) => folderOf(folderOf(file))),
  );
}

interface Applied {
  readonly object: GitOpsObject;
  readonly folder: string;
  readonly ownCluster: string | undefined;
}

/** The name of the kubeconfig with which Flux applies to another cluster. */
function remoteCluster({ spec }: GitOpsObject): string | undefined {
  const kubeConfig = mappingOf(spec["kubeConfig"]);
  return (
    givenText(mappingOf(kubeConfig["secretRef"])["name"]) ?? givenText(mappingOf(kubeConfig["configMapRef"])["name"])
  );
}

/**
 * Which cluster reads a file: that whose Kustomization stands in the very folder that it applies, as `flux bootstrap`
 * writes it, or beside which it stands. It is called by that folder. A file below several such folders, or behind several of their Kustomizations
 * in a row, is of the one that all lead to; undefined where they don't lead to one.
 */
function clustersOf(applied: readonly Applied[], synced: ReadonlySet<string>): (file: string) => string | undefined {
  const roots = new Set(applied.filter(({ object, folder }) => isIn(folder, object.file)).map(({ folder }) => folder));
  const byFolder = new Map<string, Applied[]>();
  for (const one of applied) {
    const same = byFolder.get(one.folder);
    if (same === undefined) byFolder.set(one.folder, [one]);
    else same.push(one);
  }
  const known = new Map<string, string | undefined>();
  const clusterAt = (file: string): string | undefined => {
    if (known.has(file)) return known.get(file);
    // One that leads back here says nothing.
    known.set(file, undefined);
    const holding = foldersAround(file).flatMap((folder) => byFolder.get(folder) ?? []);
    const found = new Set(
      holding.map(
        ({ object, folder, ownCluster }) => ownCluster ?? (roots.has(folder) ? folder : clusterAt(object.file)),
      ),
    );
    if (found.size === 0) found.add(foldersAround(file).find((folder) => synced.has(folder)));
    const [only] = found;
    const cluster = found.size === 1 ? only : undefined;
    known.set(file, cluster);
    return cluster;
  };
  return clusterAt;
}

/** Kustomizations that wait for each other: Flux never applies them. */
function waitingForEachOther(all: readonly GitOpsObject[], repository: Repository): NotFound[] {
  const edges = all.flatMap((from) =>
    listOf(from.spec["dependsOn"]).flatMap((one) => {
      const to = referenced({ ...mappingOf(one), kind: "Kustomization" }, from, repository);
      return to === undefined ? [] : [{ from, to }];
    }),
  );
  return [...onCycles(edges)].map(({ file, name }) => ({
    path: file,
    kind: "FluxKustomization",
    name,
    reason: "it depends on others that depend on it: a cycle, which Flux never applies",
    isFailure: true,
  }));
}

function nothing(
  { file, name }: GitOpsObject,
  kind: "FluxKustomization" | "HelmRelease",
  reason: string,
  isFailure: boolean,
): Found {
  return { applications: [], taken: [], notFound: [{ path: file, kind, name, reason, isFailure }] };
}
