// Names and forms that Helm and its charts have fixed.

/**
 * The variable from which Helm takes the release's namespace where no flag says it (pkg/cli/environment.go). A post-renderer
 * gets it as it was set: Helm itself tells it none.
 */
export const NAMESPACE_VARIABLE = "HELM_NAMESPACE";

/** What makes a folder a chart (helm.sh/helm pkg/chart/v2/util/create.go, ChartfileName). */
export const CHART_FILE = "Chart.yaml";

/** Where a chart says what it needs: in its own file, or in the one that Helm 2 had for it (there, pkg/chart/loader). */
export const REQUIREMENTS_FILE = "requirements.yaml";
export const DEPENDENCY_FILES: readonly string[] = [CHART_FILE, REQUIREMENTS_FILE];

/** Where the versions stand that dependencies were resolved to (there, pkg/downloader). */
export const LOCK_FILES: readonly string[] = ["Chart.lock", "requirements.lock"];

/** True for a version, false for a range of them, a tag or a digest (Masterminds/semver, NewVersion). */
export function isExactVersion(version: string): boolean {
  return /^v?\d+\.\d+\.\d+(?:-[0-9A-Za-z.-]+)?(?:\+[0-9A-Za-z.-]+)?$/u.test(version);
}

const BESIDE = "file://";

/** The folder of a dependency that is another chart beside this one, from its folder; undefined for any other. */
export function folderOfDependency(repository: string): string | undefined {
  return repository.startsWith(BESIDE) ? repository.slice(BESIDE.length) : undefined;
}

/** The folder of a chart that holds templates, no manifests (there, TemplatesDir). */
export const TEMPLATES_FOLDER = "templates";

/** The folder of a chart that holds the charts it brings along (there, ChartsDir). */
export const CHARTS_FOLDER = "charts";

/** True for what stands in that folder for a chart of a name: its folder, or an archive, whose name goes on with the version. */
export function isVendoredAs(entry: string, name: string): boolean {
  return entry === name || (entry.startsWith(`${name}-`) && entry.endsWith(".tgz"));
}

/** A chart that only others use: it can't be rendered by itself (there, pkg/action/install.go, installable). */
export const LIBRARY_CHART: RegExp = /^type:\s*["']?library["']?\s*(?:#.*)?$/mu;

/** The annotation of objects that Helm makes beside a release, at moments that its value names. */
export const HELM_HOOK = "helm.sh/hook";

/** The type of the Secrets in which Helm keeps its releases (pkg/storage/driver/secrets.go). */
export const RELEASE_TYPE = "helm.sh/release.v1";

const RELEASE_NAME = /^[a-z0-9](?:[-a-z0-9]*[a-z0-9])?(?:\.[a-z0-9](?:[-a-z0-9]*[a-z0-9])?)*$/u;

/** True for what helm takes as the name of a release (pkg/chartutil/validate_name.go). */
export function isReleaseName(name: string): boolean {
  return name.length <= 53 && RELEASE_NAME.test(name);
}

/** The bytes that Linux takes in one argument of a program (MAX_ARG_STRLEN, with the NUL behind it). */
export const LONGEST_ARGUMENT = 131_071;

/** The sizes beyond which helm takes no file of a chart, and no chart (pkg/chart/loader/archive.go). */
export const LARGEST_CHART_FILE: number = 5 * 1024 * 1024;
export const LARGEST_CHART: number = 100 * 1024 * 1024;
