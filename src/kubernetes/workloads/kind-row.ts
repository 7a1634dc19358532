import type { PodTemplatePath, ReferencePath, WorkloadKind } from "./types.ts";

// The notation of the tables of kinds.

/**
 * A kind with pod templates at these paths. Its pods get a changed template through a rollout unless `more` says
 * otherwise.
 */
export function kindRow(
  group: string,
  kind: string,
  templates: readonly (string | PodTemplatePath)[],
  more: Omit<Partial<WorkloadKind>, "group" | "kind" | "templates"> = {},
): WorkloadKind {
  const paths = templates.map((path) => (typeof path === "string" ? podTemplate(path) : path));
  return { group, kind, templates: paths, rollsBy: "template", ...more };
}

/** A PodTemplateSpec: metadata and spec next to each other. */
export function podTemplate(path: string): PodTemplatePath {
  return { annotations: `${path}.metadata.annotations`, anchor: path, podSpec: `${path}.spec` };
}

/**
 * Pod annotations that are apart from the fields that name sources; `anchor` is the part of the path that must exist.
 */
export function annotated(
  annotations: string,
  anchor: string,
  references: readonly ReferencePath[],
  podSpec?: string,
): PodTemplatePath {
  return { annotations, anchor, references, ...(podSpec === undefined ? {} : { podSpec }) };
}

export const container = (path: string, name: string): ReferencePath => ({ path, form: "container", name });
export const containers = (...paths: string[]): ReferencePath[] => paths.map((path) => ({ path, form: "containers" }));
export const volumes = (...paths: string[]): ReferencePath[] => paths.map((path) => ({ path, form: "volumes" }));
export const configMap = (path: string): ReferencePath => ({ path, form: "name", kind: "ConfigMap" });
export const secret = (path: string): ReferencePath => ({ path, form: "name", kind: "Secret" });
