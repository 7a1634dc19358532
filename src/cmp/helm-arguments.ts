import { booleanParameter, listParameter, mapParameter, textParameter, type GivenParameters } from "./parameters.ts";

/** What `helm template` is called with beside the Application's parameters. */
export interface HelmInputs {
  readonly given: GivenParameters;
  readonly environment: Readonly<Record<string, string | undefined>>;
  /** The values files, as paths that helm can open. */
  readonly valuesFiles: readonly string[];
  /** The files of helm-file-parameters: path in the values to a path that helm can open. */
  readonly setFiles: readonly (readonly [string, string])[];
  /** Values for --set-json. */
  readonly setJson: readonly string[];
}

/**
 * The arguments of `helm template` for a chart in the current folder, as Argo CD has them
 * (util/helm/cmd.go, template; reposerver/repository, helmTemplate).
 */
export function helmArguments(inputs: HelmInputs): string[] {
  const { given, environment } = inputs;
  const name = textParameter(given, "release-name") ?? releaseName(environment["ARGOCD_APP_NAME"] ?? "");
  const namespace = textParameter(given, "release-namespace") ?? environment["ARGOCD_APP_NAMESPACE"] ?? "";
  const kubeVersion = textParameter(given, "kube-version") ?? environment["KUBE_VERSION"] ?? "";
  const apiVersions = listParameter(given, "api-versions");
  const values = (entries: readonly (readonly [string, string])[]): string[] =>
    entries.map(([path, value]) => `${path}=${escapedCommas(value)}`);
  const substituted = (entries: readonly (readonly [string, string])[]): string[] =>
    values(entries.map(([path, value]) => [path, substitute(value, environment)]));
  return [
    "template",
    ".",
    ...option("--name-template", name),
    ...option("--namespace", namespace),
    ...option("--kube-version", kubeVersion),
    ...each("--values", inputs.valuesFiles.map(csvField)),
    // From standard input: no file stays behind when this process is killed.
    ...each("--values", textParameter(given, "helm-values") === undefined ? [] : ["-"]),
    ...each("--set-json", inputs.setJson),
    ...each("--set", substituted(mapParameter(given, "helm-parameters"))),
    ...each("--set-string", substituted(mapParameter(given, "helm-string-parameters"))),
    ...each("--set-file", values(inputs.setFiles)),
    ...each("--api-versions", apiVersions.length > 0 ? apiVersions : listed(environment["KUBE_API_VERSIONS"] ?? "")),
    ...(booleanParameter(given, "skip-crds") ? [] : ["--include-crds"]),
    ...(booleanParameter(given, "skip-schema-validation") ? ["--skip-schema-validation"] : []),
    ...(booleanParameter(given, "skip-tests") ? ["--skip-tests"] : []),
  ];
}

/** An Application in a namespace of its own is sent as NAMESPACE_NAME (util/argo, ParseInstanceName). */
function releaseName(appName: string): string {
  const parts = appName.split("_");
  return parts.length === 2 ? (parts[1] ?? "") : appName;
}

function option(flag: string, value: string): string[] {
  return value === "" ? [] : [`${flag}=${value}`];
}

/** With `=`, so that a value which begins with a dash is no flag. */
function each(flag: string, values: readonly string[]): string[] {
  return values.map((value) => `${flag}=${value}`);
}

/** helm reads the value of --values as a line of CSV: a comma in a path would make two of it. */
function csvField(path: string): string {
  return /[",]/u.test(path) ? `"${path.replaceAll('"', '""')}"` : path;
}

function listed(text: string): string[] {
  return text.split(",").filter((part) => part !== "");
}

/** Helm takes a comma for the next assignment, unless the value is a list in braces. */
function escapedCommas(value: string): string {
  return value.startsWith("{") && value.endsWith("}") ? value : value.replace(/(?<!\\),/gu, String.raw`\,`);
}

/**
 * `$ARGOCD_APP_NAME` and the like in a parameter's value, as in native charts; `$$` is a dollar sign.
 * Only what describes the application: the sidecar's own variables are nobody's business.
 */
function substitute(value: string, environment: HelmInputs["environment"]): string {
  return value.replace(
    /\$(?:\$|\{([^}]*)\}|([A-Za-z_]\w*))/gu,
    (_, braced: string | undefined, plain: string | undefined) => {
      const name = braced ?? plain;
      if (name === undefined) return "$";
      return /^ARGOCD_APP_(?!PARAMETERS$)/u.test(name) ? (environment[name] ?? "") : "";
    },
  );
}
