import { workloadKey } from "../../base/identity.ts";
import { withoutHashSuffix } from "../../base/hosts/kustomize.ts";
import type { Finding } from "../../findings/catalogue/finding.ts";

/**
 * What makes findings of two renderings one: the rule, the object, the cause and what it names. Where it stands is no
 * part of it, nor are numbers, the version of an object's API, and a hash of content in a name.
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

/** An object that is named, as findings/names.ts has it. */
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
  const own = HASHED.has(kind) ? withoutHashSuffix(name) : name;
  return workloadKey({ apiVersion, kind, name: own }, namespace || defaultNamespace);
}

/** The kinds to whose names kustomize adds a hash of the content. */
const HASHED: ReadonlySet<string> = new Set(["ConfigMap", "Secret"]);
