import { fieldsOf, listOf, textOf } from "../../yaml/read/json.ts";
import type { Json } from "../../yaml/read/node.ts";

/** A kind as a CustomResourceDefinition tells it. */
export interface KindDefinition {
  readonly group: string;
  readonly kind: string;
  /** The version that is looked at: the one that is stored. */
  readonly version: string;
  /** Null where the definition has none: anything goes then. */
  readonly schema: Json;
}

export const DEFINITION_GROUP = "apiextensions.k8s.io";
export const DEFINITION_KIND = "CustomResourceDefinition";
/** Where a cluster has them. */
export const DEFINITIONS_PATH = "/apis/apiextensions.k8s.io/v1/customresourcedefinitions";

/** Reads the `spec` of a definition, of apiextensions v1 or v1beta1; undefined for one that names no kind. */
export function readDefinition(spec: Json | undefined): KindDefinition | undefined {
  const { group, names, versions, validation, version } = fieldsOf(spec);
  const kind = textOf(fieldsOf(names)["kind"]) ?? "";
  if (kind === "") return undefined;
  const rows = listOf(versions).map(fieldsOf);
  const stored = rows.find(({ storage }) => storage === true) ?? rows.at(-1) ?? {};
  return {
    group: textOf(group) ?? "",
    kind,
    version: textOf(stored["name"]) ?? textOf(version) ?? "",
    // v1beta1 has one schema beside the versions, where they don't differ.
    schema: fieldsOf(stored["schema"])["openAPIV3Schema"] ?? fieldsOf(validation)["openAPIV3Schema"] ?? null,
  };
}
