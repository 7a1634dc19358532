import { createHash } from "node:crypto";
import { posix } from "node:path";
import { lastFor } from "../../base/grouped.ts";
import type { Json } from "../../yaml/read/node.ts";
import type { Application, ChartSource, ValuesSource } from "./application.ts";
import { deployedByRelease, withMark } from "./deletions.ts";
import type { Found } from "./finder.ts";
import type { NotFound } from "./not-found.ts";
import { noApplication, referenced } from "./flux-sources.ts";
import { definingObject, givenText, givenTexts, givenVersion, shownBy, textsOf, type GitOpsObject } from "./objects.ts";
import { listOf, type Mapping, fieldsOf, textOrEmpty } from "../../yaml/read/json.ts";
import { fluxPath } from "./paths.ts";
import { shownAddress } from "./remotes.ts";
import { inSubmodule, type Repository } from "./repository.ts";
import { fluxRevision, otherRevision, withRevisions } from "./source-revisions.ts";

// The chart and the values of Flux's HelmReleases (helm-controller, api/v2 and internal/action; source-controller).

export function release(object: GitOpsObject, repository: Repository): Found {
  const made = chartOf(object.spec, object, repository);
  if ("reason" in made) return noApplication(object, "HelmRelease", made);
  const { sources, ...rest } = made;
  const namespaces = [object, ...sources].map(repository.objectIndex.namespaceOf);
  const name = chartName(made.chart, repository);
  const application = remembered(object, [...sources, JSON.stringify([rest, namespaces, name ?? null])], () =>
    applicationOf(object, made, { namespaces, chartName: name }),
  );
  const { chart } = made;
  return { applications: [application], taken: chart.in === "repository" ? [chart.folder] : [], notFound: [] };
}

// Renderings show the same releases in most commits of a history.
const remembered = lastFor<GitOpsObject, Application>();

function applicationOf(
  object: GitOpsObject,
  { chart, sources, valuesFiles, revision, chartVersion }: Exclude<ChartFound, { reason: string }>,
  given: {
    /** Those of the object and of its sources. */
    readonly namespaces: readonly string[];
    readonly chartName: string | undefined;
  },
): Application {
  const { spec, name, file } = object;
  const [ownNamespace = ""] = given.namespaces;
  const targetNamespace = givenText(spec["targetNamespace"]);
  const namespace = targetNamespace ?? (ownNamespace === "" ? undefined : ownNamespace);
  const path = chart.in === "repository" ? chart.folder : chart.in === "packed" ? chart.file : file;
  const common = fieldsOf(spec["commonMetadata"]);
  const releaseName = shortName(
    givenText(spec["releaseName"]) ?? (targetNamespace === undefined ? name : `${targetNamespace}-${name}`),
  );
  const isRenamedInPlace = fieldsOf(spec["upgrade"])["chartNameChangeStrategy"] === "InPlaceUpdate";
  return {
    name,
    path,
    kind: "Helm",
    foundBy: "HelmRelease",
    ...(namespace === undefined ? {} : { namespace }),
    isNamed: true,
    definedIn: [...new Set([file, ...sources.map((source) => source.file)])],
    objects: [object, ...sources].map((one, i) => definingObject(one, given.namespaces[i] ?? "")),
    ...withRevisions(revision === undefined ? [] : [revision]),
    ...shownBy(object),
    ...withMark(deployedByRelease(spec), object),
    ...(chartVersion === undefined ? {} : { chartVersion }),
    release: {
      storageNamespace: givenText(spec["storageNamespace"]) ?? (ownNamespace === "" ? undefined : ownNamespace),
      namespace,
      name: releaseName,
      chart: isRenamedInPlace ? undefined : given.chartName,
    },
    render: {
      by: "helm",
      chart,
      releaseName,
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
      skipCrds: fieldsOf(spec["install"])["crds"] === "Skip",
      // helm-controller runs tests only if the HelmRelease enables them.
      skipTests: fieldsOf(spec["test"])["enable"] !== true,
      skipSchemaValidation: fieldsOf(spec["install"])["disableSchemaValidation"] === true,
      apiVersions: [],
      postRenderers: listOf(spec["postRenderers"]),
      flux: {
        name,
        namespace: ownNamespace,
        replacesDefaults: valuesFiles.length > 0,
        commonLabels: textsOf(common["labels"]),
        commonAnnotations: textsOf(common["annotations"]),
      },
    },
  };
}

/** The name in the Chart.yaml of a chart, as far as it is known without fetching or unpacking the chart. */
function chartName(chart: ChartSource, { charts }: Repository): string | undefined {
  if (chart.in === "repository") return givenText(charts.get(chart.folder)?.content?.["name"]);
  return chart.in === "helm" ? chart.name : undefined;
}

/** Helm allows 53 characters; helm-controller cuts a longer name and appends a digest. */
function shortName(name: string): string {
  if (name.length <= 53) return name;
  return `${name.slice(0, 40)}-${createHash("sha256").update(name, "utf8").digest("hex").slice(0, 12)}`;
}

function valuesFrom(one: Json): ValuesSource {
  const { kind, name, valuesKey, optional, literal } = fieldsOf(one);
  return {
    from: "object",
    kind: textOrEmpty(kind),
    name: textOrEmpty(name),
    key: givenText(valuesKey) ?? "values.yaml",
    ...givenTexts(fieldsOf(one), "targetPath"),
    literal: literal === true,
    optional: optional === true,
  };
}

type ChartFound =
  | {
      readonly chart: ChartSource;
      /** The objects that the release names for its chart. */
      readonly sources: readonly GitOpsObject[];
      readonly valuesFiles: readonly ValuesSource[];
      /** The revision of this repository, if the chart is in it. */
      readonly revision?: string;
      /** Its version, if Flux takes a changed chart only with another one. */
      readonly chartVersion?: string;
    }
  | Pick<NotFound, "reason" | "missing" | "isFailure" | "isShown">;

function chartOf(spec: Mapping, object: GitOpsObject, repository: Repository): ChartFound {
  const ref = fieldsOf(spec["chartRef"]);
  const isRef = givenText(ref["name"]) !== undefined;
  const chartObject = isRef && ref["kind"] === "HelmChart" ? referenced(ref, object, repository) : undefined;
  if (isRef && ref["kind"] === "HelmChart" && chartObject === undefined) return unknownSource(ref);
  if (isRef && chartObject === undefined) {
    const source = referenced(ref, object, repository);
    if (source === undefined) return unknownSource(ref);
    return { chart: fromRegistry(source.spec), sources: [source], valuesFiles: [] };
  }
  const chart = chartObject?.spec ?? fieldsOf(fieldsOf(spec["chart"])["spec"]);
  const name = textOrEmpty(chart["chart"]);
  const reference = fieldsOf(chart["sourceRef"]);
  if (name === "") {
    const isPatch = spec["chartRef"] === undefined && Object.keys(reference).length === 0 && object.shown === undefined;
    if (!isPatch) return { reason: "it names no chart", isFailure: true };
    return { reason: "it names no chart (spec.chart): it may be a patch", isFailure: false, isShown: true };
  }
  const source = referenced(reference, chartObject ?? object, repository);
  const sources = [chartObject, source].filter((one) => one !== undefined);
  const files = valuesFilesOf(chart);
  const optional = chart["ignoreMissingValuesFiles"] === true;
  const version = givenVersion(chart["version"]) ?? "*";
  const strategy = textOrEmpty(chart["reconcileStrategy"]);
  if (reference["kind"] === "GitRepository")
    return fromGit({ name, files, optional, sources, strategy }, source, repository);
  if (source === undefined) return unknownSource(reference);
  if (source.kind !== "HelmRepository") return { reason: `its chart's source is a ${source.kind}`, isFailure: false };
  return {
    chart: { in: "helm", repository: textOrEmpty(source.spec["url"]), name, version },
    sources,
    valuesFiles: files.map((path) => ({ from: "chart", path, optional })),
  };
}

/** The files that replace the chart's own values. That file alone replaces nothing. */
function valuesFilesOf(chart: Mapping): readonly string[] {
  const files = listOf(chart["valuesFiles"]).map(textOrEmpty);
  const [only = ""] = files;
  return files.length === 1 && posix.normalize(only) === "values.yaml" ? [] : files;
}

interface GitChart {
  readonly name: string;
  readonly files: readonly string[];
  readonly optional: boolean;
  readonly sources: readonly GitOpsObject[];
  readonly strategy: string;
}

function fromGit(
  { name, files, optional, sources, strategy }: GitChart,
  source: GitOpsObject | undefined,
  repository: Repository,
): ChartFound {
  const address = textOrEmpty(source?.spec["url"]);
  if (source !== undefined && !repository.isOwnAddress(address)) {
    return {
      chart: { in: "git", repository: shownAddress(address), path: name, revision: fluxRevision(source.spec) },
      sources,
      valuesFiles: files.map((path) => ({ from: "chart", path, optional })),
    };
  }
  const folder = fluxPath(name);
  const revision = fluxRevision(source?.spec);
  // Relative to the root of the source.
  const valuesFiles = files.map((path) => ({ from: "file", path: fluxPath(path) ?? path, optional }) as const);
  if (folder?.endsWith(".tgz") === true && repository.tree.files.includes(folder))
    return { chart: { in: "packed", file: folder }, sources, valuesFiles, revision };
  const submodule = folder === undefined ? undefined : inSubmodule(repository, folder);
  if (folder === undefined || !repository.charts.has(folder))
    return {
      reason: `its chart ${name} ${submodule ?? "is not in this repository"}`,
      isFailure:
        submodule === undefined && source !== undefined && repository.isKnown && otherRevision(revision) === undefined,
    };
  const chartVersion =
    strategy === "Revision" ? undefined : givenText(repository.charts.get(folder)?.content?.["version"]);
  return {
    chart: { in: "repository", folder },
    sources,
    valuesFiles,
    revision,
    ...(chartVersion === undefined ? {} : { chartVersion }),
  };
}

/** An OCIRepository contains one chart, whose name is the end of the address. */
function fromRegistry(spec: Mapping): ChartSource {
  const url = textOrEmpty(spec["url"]);
  const { tag, semver, digest } = fieldsOf(spec["ref"]);
  return {
    in: "helm",
    repository: posix.dirname(url),
    name: posix.basename(url),
    version: givenText(digest) ?? givenVersion(semver) ?? givenVersion(tag) ?? "latest",
  };
}

function unknownSource(reference: Mapping): ChartFound {
  const missing = textOrEmpty(reference["name"]);
  const kind = givenText(reference["kind"]);
  return {
    reason: `the source of its chart, ${kind === undefined ? missing : `${kind} ${missing}`}, is not in this repository`,
    missing,
    isFailure: false,
  };
}
