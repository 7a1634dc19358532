import { posix } from "node:path";
import { CHART_FILE } from "../../base/hosts/helm.ts";
import { isKustomizationFile } from "../../base/hosts/kustomize.ts";
import { CONFIG_FILE } from "../../base/keys.ts";
import { once } from "../../base/grouped.ts";
import type { Finding } from "../../findings/catalogue/finding.ts";
import type { Snapshot } from "../../platform/ports/snapshot.ts";
import { isOfTools } from "../../reports/plan/of-tools.ts";
import type { UnreadFile } from "../../reports/plan/plan-report.ts";
import type { Item } from "../../yaml/read/items.ts";
import { isManifestName, looksLikeManifest, readFoundText } from "../../yaml/read/manifest-text.ts";
import { kustomizationOf } from "../kustomize/kustomization.ts";
import { rendersOf, type Application } from "../discover/application.ts";
import { filesOfGenerators } from "../discover/git-generator.ts";
import { isOfHelmfiles } from "../discover/helmfiles.ts";
import type { NotFound } from "../discover/not-found.ts";
import { pathTests } from "../discover/path-patterns.ts";
import { folderOf, foldersAround, inPathOrder, isInFolder } from "../discover/paths.ts";
import type { Repository } from "../discover/repository.ts";
import { writtenApplications } from "../discover/written.ts";
import { filesRead } from "../render/files-read.ts";
import { changedFiles } from "./changed-files.ts";
import type { AppSide } from "../render/shown-data.ts";

// Changed files that look like manifests, values or charts, and that no application reads (contract, section 8, "Files
// that belong to no application"): the author probably expects that they are applied.

/** One revision, with everything that was found in it. */
export interface FoundIn {
  readonly snapshot: Snapshot;
  readonly repository: Repository;
  readonly sides: readonly AppSide[];
  readonly notFound: readonly NotFound[];
}

/** The files in some folders that differ and that nothing reads in either revision. What may be applied comes first. */
export function unreadFiles(base: FoundIn, head: FoundIn, paths: readonly string[]): readonly UnreadFile[] {
  const readers = [once(() => readerOf(base)), once(() => readerOf(head))];
  const looksInBase = looksIn(base);
  const looks = [looksIn(head), looksInBase];
  const sets = unexpandedSets(base, head);
  const isReleasedElsewhere = releasesElsewhere(base) || releasesElsewhere(head);
  const generating = new Set([base, head].flatMap(({ repository }) => [...filesOfGenerators(repository.tree)]));
  const isHidden = hiddenFiles(base, head);
  const defining = base.sides.flatMap(({ application }) => application.definedIn).filter(isHidden);
  const changed = new Set([...changedFiles(base.snapshot, head.snapshot), ...defining]);
  const found = [...changed].flatMap((path): UnreadFile[] => {
    if (!paths.some((folder) => isInFolder(folder, path)) || generating.has(path)) return [];
    if (isHidden(path) && looksInBase(path) === "manifest") return [{ path, mayApply: true }];
    const is = looks.map((look) => look(path)).find((look) => look !== undefined);
    if (is === undefined || is === "other" || readers.some((isRead) => isRead()(path, is))) return [];
    if (sets.some(({ mayRead }) => mayRead(path))) return [];
    return [{ path, mayApply: is === "manifest" || is === "bundle" || (is === "values" && isReleasedElsewhere) }];
  });
  const modules = changedModules(base, head).map((path) => ({ path, mayApply: true, isSubmodule: true as const }));
  const ordered = inPathOrder([...found, ...modules], ({ path }) => path);
  return [...ordered.filter(({ mayApply }) => mayApply), ...ordered.filter(({ mayApply }) => !mayApply)];
}

/**
 * Tests whether only HEAD leaves a file out, by a new line in a .krmignore or in `ignore` of rollstamp.yaml. What applies it knows
 * neither of these.
 */
function hiddenFiles(base: FoundIn, head: FoundIn): (path: string) => boolean {
  const isLeftInBase = leavesOut(base);
  const isLeftInHead = leavesOut(head);
  const readAs = once(() => filesRead(head.sides.map(({ closure }) => closure)));
  return (path) => isLeftInHead(path) && !isLeftInBase(path) && readAs()(path) === undefined;
}

function leavesOut({ snapshot, repository }: FoundIn): (path: string) => boolean {
  const files = new Set(snapshot.files);
  const { isIgnored } = writtenApplications(repository);
  return (path) => snapshot.entries.has(path) && (!files.has(path) || isIgnored(path));
}

/** RS024 for each unexpanded ApplicationSet that may read a changed file, if nothing else reads that file. */
export function filesOfUnexpandedSets(
  base: FoundIn,
  head: FoundIn,
  paths: readonly string[],
): readonly Finding<"RS024">[] {
  const sets = unexpandedSets(base, head);
  if (sets.length === 0) return [];
  const readers = [readerOf(base), readerOf(head)];
  const changed = changedFiles(base.snapshot, head.snapshot).filter(
    (path) =>
      isManifestName(path) &&
      paths.some((folder) => isInFolder(folder, path)) &&
      !readers.some((isRead) => isRead(path, "other")),
  );
  return sets.flatMap(({ name, reason, mayRead }): Finding<"RS024">[] => {
    const files = changed.filter(mayRead);
    if (files.length === 0) return [];
    const object = { apiVersion: "argoproj.io/v1alpha1", kind: "ApplicationSet", name };
    return [{ id: "RS024", cause: "notRendered", params: { object, change: "changed", changed: files, reason } }];
  });
}

/** The ApplicationSets that the repository alone does not expand. Without the last of its files, one may expand to nothing. */
function unexpandedSets(
  base: FoundIn,
  head: FoundIn,
): readonly { readonly name: string; readonly reason: string; readonly mayRead: (path: string) => boolean }[] {
  const testOf = pathTests(head.snapshot.limits);
  const inHead = new Set(head.notFound.map(({ name }) => name));
  return [...head.notFound, ...base.notFound.filter(({ name }) => !inHead.has(name))].flatMap(
    ({ name = "", reason, mayRead = [] }) => (mayRead.length === 0 ? [] : [{ name, reason, mayRead: testOf(mayRead) }]),
  );
}

/** The submodules of another commit in which an application lies: only their own repositories have their content. */
function changedModules(base: FoundIn, head: FoundIn): readonly string[] {
  const wanted = [...base.notFound, ...head.notFound].flatMap(({ missing }) => missing ?? []);
  return [...head.snapshot.entries].flatMap(([path, { is, id }]) =>
    is === "module" && base.snapshot.entries.get(path)?.id !== id && wanted.some((folder) => isInFolder(path, folder))
      ? [path]
      : [],
  );
}

type Look = "manifest" | "bundle" | "values" | "chart" | "other";

/** What a file looks like, from its name and content; undefined if the revision does not have it. */
function looksIn(found: FoundIn): (path: string) => Look | undefined {
  const { snapshot, repository, sides, notFound } = found;
  const withRelease = once(() => releaseFolders(repository, sides));
  // What it generates, and what releases a chart from elsewhere, may read values anywhere.
  const isAnywhere = notFound.some(({ mayRead }) => mayRead !== undefined) || releasesElsewhere(found);
  const hasJsonnet = once(
    () =>
      snapshot.files.some((path) => TANKA.test(path)) ||
      sides.some(({ application: { render } }) => "files" in render && render.files.some(isJsonnet)),
  );
  return (path) => {
    if (!snapshot.entries.has(path)) return undefined;
    const name = posix.basename(path);
    if (name === CONFIG_FILE) return "other";
    if (name === CHART_FILE || repository.isChartInput(path)) return "chart";
    if (isOfFleet(snapshot, path)) return "bundle";
    if (isKustomizationFile(name) || isOfHelmfiles(snapshot)(path)) return "manifest";
    if (JSONNET.test(name)) return hasJsonnet() ? "manifest" : "other";
    if (!isManifestName(path)) return "other";
    if (isOfCluster(snapshot, path)) return "manifest";
    if (!VALUES.test(name)) return "other";
    if (withRelease().has(folderOf(path))) return "values";
    return isAnywhere && !isTestOfChart(repository, path) ? "values" : "other";
  };
}

/** What the Jsonnet of an application may import: it is not evaluated here. */
const JSONNET = /\.(?:jsonnet|libsonnet)$/u;
const isJsonnet = (path: string): boolean => JSONNET.test(path);

/** An environment of Tanka, which a person or CI applies from Jsonnet. */
const TANKA = /(?:^|\/)environments\/(?:.+\/)?main\.jsonnet$/u;

/**
 * A bundle of Rancher Fleet, or in its folder values and what it names: Fleet may apply another version of a chart, or other
 * values.
 */
function isOfFleet({ entries, read }: Snapshot, path: string): boolean {
  const name = posix.basename(path);
  if (FLEET_FILES.includes(name)) return true;
  return foldersAround(path).some((folder) =>
    FLEET_FILES.map((file) => posix.join(folder, file)).some((file) => {
      if (!entries.has(file)) return false;
      const bundle = read(file);
      return VALUES.test(name) || (bundle.is === "text" && bundle.text.includes(posix.relative(folder, path)));
    }),
  );
}

/** fleet.rancher.io, fleet.yaml reference: one in each folder that is a bundle. */
const FLEET_FILES: readonly string[] = ["fleet.yaml", "fleet.yml"];

/** Whether nothing here releases some chart: CI or a person does, with values of which a plan knows nothing. */
function releasesElsewhere({ sides }: FoundIn): boolean {
  return sides.some(({ application: { foundBy, orphan = false } }) => foundBy === "Chart" && !orphan);
}

/** `values.yaml`, `values-prod.yaml`, `prod.values.yml`, but not `values.schema.yaml`. */
const VALUES = /^(?:.+[-._])?values(?![-._]schema\.)(?:[-._].+)?\.ya?ml$/u;

/** The values in the folder `ci` of a chart: chart-testing's, which nothing applies. */
function isTestOfChart({ charts }: Repository, path: string): boolean {
  const folder = folderOf(path);
  return posix.basename(folder) === "ci" && charts.has(folderOf(folder));
}

function releaseFolders(
  { charts, kustomizations, objects }: Repository,
  sides: readonly AppSide[],
): ReadonlySet<string> {
  return new Set([
    ...charts.keys(),
    ...objects.filter(({ kind }) => kind === "HelmRelease").map(({ file }) => folderOf(file)),
    ...sides.flatMap(({ application }) => (isRelease(application) ? application.definedIn.map(folderOf) : [])),
    ...[...kustomizations.values()].flatMap(({ folder, content }) =>
      content !== undefined && kustomizationOf(content).charts.length > 0 ? [folder] : [],
    ),
  ]);
}

function isRelease({ render }: Application): boolean {
  return rendersOf(render).some(({ by }) => by === "helm");
}

function isOfCluster({ read: readIn, limits }: Snapshot, path: string): boolean {
  const read = readIn(path);
  // It may contain manifests.
  if (read.is !== "text") return UNREADABLE.has(read.because);
  const found = readFoundText(read.text, path, limits);
  if (found.is === "broken" || found.is === "template") return looksLikeManifest(read.text);
  return found.is === "manifests" && found.manifests.items.some(isApplied);
}

const UNREADABLE: ReadonlySet<string> = new Set(["notUtf8", "tooLarge", "unreadable"]);

/** Whether an object is one of a cluster, and not the input of a tool. */
function isApplied(item: Item): boolean {
  if (isOfTools(item)) return false;
  return item.apiVersion === "v1" || WITHOUT_DOT.has(item.group) || item.group.includes(".");
}

/** The group of a custom kind must be a domain with a dot (apiextensions-apiserver, pkg/apis/apiextensions/validation). */
const WITHOUT_DOT: ReadonlySet<string> = new Set(["apps", "autoscaling", "batch", "extensions", "policy"]);

/** Tests whether anything in a revision reads a file, or reports why it does not. */
function readerOf({ repository, sides, notFound }: FoundIn): (path: string, is: Look) => boolean {
  const readAs = filesRead(sides.map(({ closure }) => closure));
  const engine = new Set([
    ...sides.flatMap(({ application }) => application.definedIn),
    ...repository.objects.filter(({ kind }) => ENGINE_OBJECTS.has(kind)).map(({ file }) => file),
    ...notFound.filter(({ kind }) => !CHANGES_COUNT.has(kind)).map(({ path }) => path),
  ]);
  const { isIgnored } = writtenApplications(repository);
  return (path, is) => {
    if (engine.has(path) || isIgnored(path)) return true;
    const as = readAs(path);
    // Helm takes the values of its chart, and of other files those that something names.
    if ((is === "values" || is === "bundle") && as === "chart") return posix.basename(path) === "values.yaml";
    return as !== undefined;
  };
}

/** What these rows say is not enough: a change of such a file may change what is applied. */
const CHANGES_COUNT: ReadonlySet<NotFound["kind"]> = new Set(["Encoding", "Helmfile", "Template"]);

/** The kinds that define applications. */
const ENGINE_OBJECTS: ReadonlySet<string> = new Set([
  "Application",
  "ApplicationSet",
  "Kustomization",
  "HelmRelease",
  "FluxInstance",
]);
