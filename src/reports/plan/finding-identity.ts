import { workloadKey } from "../../base/identity.ts";
import { withoutHashSuffix } from "../../base/hosts/kustomize.ts";
import type { Finding } from "../../findings/catalogue/finding.ts";

/**
 * The identity of a finding across two renderings: its rule, object, cause and the names in its parameters. Locations,
 * numbers, API versions and hashes in names are not part of it.
 */
export function findingIdentity({ id, cause, resource, params }: Finding, defaultNamespace: string): string {
  return `${id} ${cause} ${named(resource, defaultNamespace)} ${named(params, defaultNamespace)}`;
}

function named(value: unknown, defaultNamespace: string): string {
  if (typeof value === "number") return "#";
  if (typeof value !== "object" || value === null) return JSON.stringify(value) ?? "";
  if (Array.isArray(value)) return `[${value.map((element) => named(element, defaultNamespace)).join()}]`;
  if (isObject(value)) return objectNamed(value, defaultNamespace);
  const fields = Object.entries(value).map(([field, inner]) => `${field}:${named(inner, defaultNamespace)}`);
  return `{${fields.join()}}`;
}

/** The name of an object, as base/names.ts has it. */
interface NamedObject {
  readonly kind: string;
  readonly name: string;
  readonly namespace?: string;
  readonly apiVersion?: string;
}

function isObject(value: object): value is NamedObject {
  return "kind" in value && typeof value.kind === "string" && "name" in value && typeof value.name === "string";
}

function objectNamed({ kind, name, namespace, apiVersion = "" }: NamedObject, defaultNamespace: string): string {
  const stem = HASHED.has(kind) ? withoutHashSuffix(name) : name;
  return JSON.stringify(workloadKey({ apiVersion, kind, name: stem }, namespace || defaultNamespace));
}

/** The kinds whose names kustomize ends with a hash of the content. */
const HASHED: ReadonlySet<string> = new Set(["ConfigMap", "Secret"]);
