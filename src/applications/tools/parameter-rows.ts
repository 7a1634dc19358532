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

/**
 * The parameters of the plugin. If possible, they have the names that the example plugin of Argo CD uses. All contain a hyphen,
 * because keys of values.yaml, which rarely have one, are parameters too.
 */
export const PARAMETERS: readonly ParameterRow[] = [
  {
    name: "rollstamp-options",
    title: "Options of rollstamp",
    tooltip: "Fields of ConfigHash, such as layout: Combined. They go over those of the configuration file.",
    collectionType: "map",
    itemType: "string",
  },
  {
    name: "rollstamp-config",
    title: "Configuration file of rollstamp",
    tooltip:
      "A file of the repository, from the application's folder, or from the root with a leading slash. Otherwise the nearest rollstamp.yaml counts.",
    collectionType: "string",
    itemType: "string",
  },
  {
    name: "directory-recurse",
    title: "Folders below",
    tooltip: "true: a plain folder is read with the folders below it.",
    collectionType: "string",
    itemType: "boolean",
    only: "plain",
  },
  {
    name: "release-name",
    title: "Release name",
    tooltip: "The application's name, where none is given.",
    collectionType: "string",
    itemType: "string",
    only: "chart",
  },
  {
    name: "release-namespace",
    title: "Release namespace",
    tooltip: "The application's destination, where none is given.",
    collectionType: "string",
    itemType: "string",
    only: "chart",
  },
  {
    name: "values-files",
    title: "Values files",
    tooltip:
      "Files of the repository, from the chart's folder, or from the root with a leading slash. The last one wins.",
    collectionType: "array",
    itemType: "string",
    only: "chart",
  },
  {
    name: "ignore-missing-values-files",
    title: "Ignore missing values files",
    tooltip: "true: a values file that is not there is left out.",
    collectionType: "string",
    itemType: "boolean",
    only: "chart",
  },
  {
    name: "helm-values",
    title: "Values",
    tooltip: "Values as YAML text. They win over the values files.",
    collectionType: "string",
    itemType: "string",
    only: "chart",
  },
  {
    name: "helm-parameters",
    title: "Parameters",
    tooltip: "Paths and values, as helm --set takes them. They win over the values.",
    collectionType: "map",
    itemType: "string",
    only: "chart",
  },
  {
    name: "helm-string-parameters",
    title: "String parameters",
    tooltip: "Paths and values that stay text, as helm --set-string takes them.",
    collectionType: "map",
    itemType: "string",
    only: "chart",
  },
  {
    name: "helm-file-parameters",
    title: "File parameters",
    tooltip: "Paths and files of the repository, as helm --set-file takes them.",
    collectionType: "map",
    itemType: "string",
    only: "chart",
  },
  {
    name: "kube-version",
    title: "Kubernetes version",
    tooltip: "That of the destination, where none is given.",
    collectionType: "string",
    itemType: "string",
    only: "chart",
  },
  {
    name: "api-versions",
    title: "API versions",
    tooltip: "Those of the destination, where none are given.",
    collectionType: "array",
    itemType: "string",
    only: "chart",
  },
  {
    name: "skip-crds",
    title: "Skip CRDs",
    tooltip: "true: the chart's folder crds is left out.",
    collectionType: "string",
    itemType: "boolean",
    only: "chart",
  },
  {
    name: "skip-tests",
    title: "Skip tests",
    tooltip: "true: the chart's test hooks are left out.",
    collectionType: "string",
    itemType: "boolean",
    only: "chart",
  },
  {
    name: "skip-schema-validation",
    title: "Skip schema validation",
    tooltip: "true: values are not held against the chart's values.schema.json.",
    collectionType: "string",
    itemType: "boolean",
    only: "chart",
  },
];
