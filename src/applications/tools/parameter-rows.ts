import type { SourceType } from "./source-type.ts";

export type TextName = "rollstamp-config" | "release-name" | "release-namespace" | "helm-values" | "kube-version";
export type BooleanName =
  | "directory-recurse"
  | "ignore-missing-values-files"
  | "skip-crds"
  | "skip-tests"
  | "skip-schema-validation";
export type ListName = "values-files" | "api-versions";
export type MapName = "rollstamp-options" | "helm-parameters" | "helm-string-parameters" | "helm-file-parameters";

export type ParameterRow = {
  readonly title: string;
  readonly tooltip: string;
  /** The kind of application; undefined for all kinds. */
  readonly only?: SourceType;
} & (
  | { readonly name: TextName; readonly collectionType: "string"; readonly itemType: "string" }
  | { readonly name: BooleanName; readonly collectionType: "string"; readonly itemType: "boolean" }
  | { readonly name: ListName; readonly collectionType: "array"; readonly itemType: "string" }
  | { readonly name: MapName; readonly collectionType: "map"; readonly itemType: "string" }
);

function text(name: TextName, title: string, tooltip: string): ParameterRow {
  return { name, title, tooltip, collectionType: "string", itemType: "string" };
}

function flag(name: BooleanName, title: string, tooltip: string): ParameterRow {
  return { name, title, tooltip, collectionType: "string", itemType: "boolean" };
}

function list(name: ListName, title: string, tooltip: string): ParameterRow {
  return { name, title, tooltip, collectionType: "array", itemType: "string" };
}

function map(name: MapName, title: string, tooltip: string): ParameterRow {
  return { name, title, tooltip, collectionType: "map", itemType: "string" };
}

/**
 * The parameters of the plugin. If possible, they have the names that the example plugin of Argo CD uses. All contain a hyphen,
 * because keys of values.yaml, which rarely have one, are parameters too.
 */
export const PARAMETERS: readonly ParameterRow[] = [
  map(
    "rollstamp-options",
    "Options of rollstamp",
    "Fields of ConfigHash, such as layout: Combined. They go over those of the configuration file.",
  ),
  text(
    "rollstamp-config",
    "Configuration file of rollstamp",
    "A file of the repository, from the application's folder, or from the root with a leading slash. Otherwise the nearest rollstamp.yaml counts.",
  ),
  {
    ...flag("directory-recurse", "Folders below", "true: a plain folder is read with the folders below it."),
    only: "plain",
  },
  ...[
    text("release-name", "Release name", "The application's name, where none is given."),
    text("release-namespace", "Release namespace", "The application's destination, where none is given."),
    list(
      "values-files",
      "Values files",
      "Files of the repository, from the chart's folder, or from the root with a leading slash. The last one wins.",
    ),
    flag(
      "ignore-missing-values-files",
      "Ignore missing values files",
      "true: a values file that is not there is left out.",
    ),
    text("helm-values", "Values", "Values as YAML text. They win over the values files."),
    map("helm-parameters", "Parameters", "Paths and values, as helm --set takes them. They win over the values."),
    map(
      "helm-string-parameters",
      "String parameters",
      "Paths and values that stay text, as helm --set-string takes them.",
    ),
    map("helm-file-parameters", "File parameters", "Paths and files of the repository, as helm --set-file takes them."),
    text("kube-version", "Kubernetes version", "That of the destination, where none is given."),
    list("api-versions", "API versions", "Those of the destination, where none are given."),
    flag("skip-crds", "Skip CRDs", "true: the chart's folder crds is left out."),
    flag("skip-tests", "Skip tests", "true: the chart's test hooks are left out."),
    flag(
      "skip-schema-validation",
      "Skip schema validation",
      "true: values are not held against the chart's values.schema.json.",
    ),
  ].map((row): ParameterRow => ({ ...row, only: "chart" })),
];
