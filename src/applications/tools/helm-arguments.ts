import { RollstampError } from "../../base/errors.ts";
import { isReleaseName, LONGEST_ARGUMENT } from "../../base/hosts/helm.ts";
import type { GivenParameters } from "../../platform/ports/applications.ts";
import { booleanParameter, listParameter, mapParameter, textParameter } from "./parameters.ts";
import type { MapName } from "./parameter-rows.ts";
import { countingItems, escapedPath, escapedValue } from "./set-path.ts";

export interface HelmInputs {
  readonly given: GivenParameters;
  readonly environment: Readonly<Record<string, string | undefined>>;
  /** Staged values files, relative to the folder in which helm runs. */
  readonly valuesFiles: readonly string[];
  /** The files of helm-file-parameters: paths in the values and staged files. */
  readonly setFiles: readonly (readonly [string, string])[];
  readonly setJson: readonly string[];
}

/**
 * The arguments of `helm template` for a chart in the current folder, like those of Argo CD (util/helm/cmd.go, template;
 * reposerver/repository, helmTemplate). Only the release name differs: Argo CD uses --name-template, and such a template can
 * read the environment.
 */
export function helmArguments(inputs: HelmInputs): string[] {
  const { given, environment } = inputs;
  const name = textParameter(given, "release-name") ?? releaseName(environment["ARGOCD_APP_NAME"] ?? "");
  const namespace = textParameter(given, "release-namespace") ?? environment["ARGOCD_APP_NAMESPACE"] ?? "";
  const kubeVersion = textParameter(given, "kube-version") ?? environment["KUBE_VERSION"] ?? "";
  const countItems = countingItems();
  const apiVersions = listParameter(given, "api-versions");
  const set = (parameter: MapName): readonly string[] =>
    mapParameter(given, parameter).map(
      ([path, value]) => `${escapedPath(path, parameter, countItems)}=${escapedValue(substitute(value, environment))}`,
    );
  const files = inputs.setFiles.map(
    ([path, file]) => `${escapedPath(path, "helm-file-parameters", countItems)}=${file}`,
  );
  return [
    "template",
    ...(name === "" ? [] : [checkedName(name)]),
    ".",
    ...option("--namespace", namespace),
    ...option("--kube-version", kubeVersion),
    ...each("--values", inputs.valuesFiles),
    // On standard input, so that no file is left if this process is killed.
    ...each("--values", textParameter(given, "helm-values") === undefined ? [] : ["-"]),
    ...each("--set-json", inputs.setJson),
    ...each("--set", set("helm-parameters")),
    ...each("--set-string", set("helm-string-parameters")),
    ...each("--set-file", files),
    ...each("--api-versions", apiVersions.length > 0 ? apiVersions : listed(environment["KUBE_API_VERSIONS"] ?? "")),
    ...(booleanParameter(given, "skip-crds") ? [] : ["--include-crds"]),
    ...(booleanParameter(given, "skip-schema-validation") ? ["--skip-schema-validation"] : []),
    ...(booleanParameter(given, "skip-tests") ? ["--skip-tests"] : []),
  ].map(checkedLength);
}

/** Argo CD names an Application outside of its own namespace NAMESPACE_NAME (util/argo, ParseInstanceName). */
function releaseName(appName: string): string {
  const parts = appName.split("_");
  return parts.length === 2 ? (parts[1] ?? "") : appName;
}

function checkedName(name: string): string {
  if (isReleaseName(name)) return name;
  throw new RollstampError("usage", "the release name is invalid", {
    remedy: "It can have up to 53 lowercase letters, digits, hyphens and dots. Set another one with release-name.",
  });
}

function checkedLength(argument: string): string {
  const bytes = Buffer.byteLength(argument);
  if (bytes <= LONGEST_ARGUMENT) return argument;
  // The option, never the value.
  const [shown = ""] = /^--[a-z-]+/u.exec(argument) ?? [];
  throw new RollstampError(
    "usage",
    `a plugin parameter makes an argument of ${bytes} bytes for helm's ${shown}, and a program takes ${LONGEST_ARGUMENT} in one`,
    { remedy: "Use helm-values or a values file for long values." },
  );
}

/** An option with its value; nothing without one. */
export function option(flag: string, value: string): string[] {
  return value === "" ? [] : [`${flag}=${value}`];
}

/** With `=`, so that a value with a leading dash is not read as a flag. */
function each(flag: string, values: readonly string[]): string[] {
  return values.map((value) => `${flag}=${value}`);
}

function listed(text: string): string[] {
  return text.split(",").filter((part) => part !== "");
}

/**
 * Replaces variables such as `$ARGOCD_APP_NAME` in the value of a parameter, like Argo CD; `$$` is a dollar sign. Only variables
 * that describe the application are replaced, not those of the sidecar.
 */
function substitute(value: string, environment: HelmInputs["environment"]): string {
  return value.replace(
    /\$(?:\$|\{([^}]{0,300})\}|([A-Za-z_]\w*))/gu,
    (_, braced: string | undefined, plain: string | undefined) => {
      const name = braced ?? plain;
      if (name === undefined) return "$";
      return /^ARGOCD_APP_(?!PARAMETERS$)/u.test(name) ? (environment[name] ?? "") : "";
    },
  );
}
