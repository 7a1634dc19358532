// Names and formats of Helm and its charts.

/**
 * The variable for the namespace of a release if no flag sets it (pkg/cli/environment.go). A post-renderer gets it as
 * the user set it: Helm does not set it.
 */
export const NAMESPACE_VARIABLE = "HELM_NAMESPACE";

/** The variable for the version of the Helm that runs our post-renderer, if rollstamp cannot see it. */
export const HELM_VERSION_VARIABLE = "ROLLSTAMP_HELM_VERSION";

/**
 * Whether Helm keeps objects with the resource policy through a rollback: older versions fail with 'no ConfigMap with the
 * name "…" found' (observed with 3.18.6 to 3.22.0 and 4.3.1).
 */
export function keepsThroughRollback(version: string): boolean {
  const [major = 0, minor = 0] = version.replace(/^v/u, "").split(".").map(Number);
  return major > 3 || (major === 3 && minor >= 22);
}

/** The file that makes a folder a chart (helm.sh/helm pkg/chart/v2/util/create.go, ChartfileName). */
export const CHART_FILE = "Chart.yaml";

/** The files with the dependencies of a chart: Chart.yaml, or requirements.yaml of Helm 2 (pkg/chart/loader). */
export const REQUIREMENTS_FILE = "requirements.yaml";
export const DEPENDENCY_FILES: readonly string[] = [CHART_FILE, REQUIREMENTS_FILE];

/** The files with the resolved versions of dependencies (pkg/downloader). */
export const LOCK_FILES: readonly string[] = ["Chart.lock", "requirements.lock"];

/** True for a version, false for a range, a tag or a digest (Masterminds/semver, NewVersion). */
export function isExactVersion(version: string): boolean {
  return /^v?\d+\.\d+\.\d+(?:-[0-9A-Za-z.-]+)?(?:\+[0-9A-Za-z.-]+)?$/u.test(version);
}

const BESIDE = "file://";

/** The folder of a dependency on a neighboring chart, relative to the chart; undefined for any other dependency. */
export function folderOfDependency(repository: string): string | undefined {
  return repository.startsWith(BESIDE) ? repository.slice(BESIDE.length) : undefined;
}

/** The folder with the templates of a chart (TemplatesDir). */
export const TEMPLATES_FOLDER = "templates";

/** The folder with the charts that a chart contains (ChartsDir). */
export const CHARTS_FOLDER = "charts";

/**
 * True for an entry of that folder for a chart of this name: its folder, or an archive with the version after the name.
 */
export function isVendoredAs(entry: string, name: string): boolean {
  return entry === name || (entry.startsWith(`${name}-`) && ARCHIVED.test(entry.slice(name.length + 1)));
}

/** What follows the name of a chart in that of its archive, and not the rest of another chart's name, as in `web-2-1.0.0.tgz`. */
const ARCHIVED = /^v?\d+(?:(?:\.\d+)+(?:[-+].*)?)?\.tgz$/u;

/** A library chart, which cannot be rendered on its own (pkg/action/install.go, installable). */
export const LIBRARY_CHART: RegExp = /^type:\s*["']?library["']?\s*(?:#.*)?$/mu;

/** The annotation of hooks: objects that Helm creates outside of the release, at the events in its value. */
export const HELM_HOOK = "helm.sh/hook";

/** The annotation that orders the hooks of one event. */
export const HELM_HOOK_WEIGHT = "helm.sh/hook-weight";

/** The annotation with which an object stays when its release drops it (pkg/kube/resource_policy.go). */
export const RESOURCE_POLICY = "helm.sh/resource-policy";

/** The type of the Secrets in which Helm stores releases (pkg/storage/driver/secrets.go). */
export const RELEASE_TYPE = "helm.sh/release.v1";

const RELEASE_NAME = /^[a-z0-9](?:[-a-z0-9]*[a-z0-9])?(?:\.[a-z0-9](?:[-a-z0-9]*[a-z0-9])?)*$/u;

/** True for a name that helm accepts for a release (pkg/chartutil/validate_name.go). */
export function isReleaseName(name: string): boolean {
  return name.length <= 53 && RELEASE_NAME.test(name);
}

/** The release name for a chart that nobody names a release of: that of the chart, or the one that `helm template` takes. */
export function ownReleaseName(chartName: string): string {
  return isReleaseName(chartName) ? chartName : "release-name";
}

/** The maximum bytes of one argument of a program on Linux (MAX_ARG_STRLEN, including the NUL). */
export const LONGEST_ARGUMENT = 131_071;

/** The maximum sizes that helm accepts for a file of a chart and for a chart (pkg/chart/loader/archive.go). */
export const LARGEST_CHART_FILE: number = 5 * 1024 * 1024;
export const LARGEST_CHART: number = 100 * 1024 * 1024;
