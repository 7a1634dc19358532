// Parses the output of hosts with a YAML library that the function does not use.
import assert from "node:assert/strict";
import { parseAllDocuments } from "yaml";

/** A mapping of a manifest. */
export type Mapping = Readonly<Record<string, unknown>>;

/** Every object of a stream, in its order. */
export function objectsOf(text: string): readonly Mapping[] {
  const documents = parseAllDocuments(text, { version: "1.2", logLevel: "silent" });
  assert.ok(Array.isArray(documents), "the stream holds no document");
  return documents.map((document) => {
    assert.deepEqual(document.errors, [], "the host's output is not YAML");
    return mapping(document.toJS({ maxAliasCount: 0 }));
  });
}

/** `Kind/name`, or `Kind/namespace/name` where the object says its namespace. */
export function identityOf(object: Mapping): string {
  const { name, namespace } = mapping(object["metadata"]);
  return [object["kind"], namespace, name].filter((part) => part !== undefined).join("/");
}

/** The object of that identity. */
export function find(objects: readonly Mapping[], identity: string): Mapping {
  const object = objects.find((candidate) => identityOf(candidate) === identity);
  assert.ok(object, `${identity} is not in the output: ${objects.map(identityOf).join(", ")}`);
  return object;
}

const TEMPLATES: Readonly<Record<string, readonly string[]>> = {
  Deployment: ["spec", "template"],
  StatefulSet: ["spec", "template"],
  DaemonSet: ["spec", "template"],
  Job: ["spec", "template"],
  Worker: ["spec", "template"],
  CronJob: ["spec", "jobTemplate", "spec", "template"],
};

/** The pod template of a workload; of anything else undefined. */
export function podTemplateOf(object: Mapping): Mapping | undefined {
  const path = TEMPLATES[String(object["kind"])];
  if (!path) return undefined;
  const template = path.reduce<unknown>((value, key) => optionalMapping(value)[key], object);
  return template === undefined ? undefined : mapping(template);
}

/** Annotation to value: those of ours in the pod template. Any that is not text fails. */
export function stampsOf(object: Mapping): Readonly<Record<string, string>> {
  const annotations = Object.entries(annotationsOf(podTemplateOf(object)));
  const stamps = annotations.filter(([key]) => isOurs(key));
  return Object.fromEntries(
    stamps.map(([key, value]) => {
      assert.equal(typeof value, "string", `${identityOf(object)}: ${key} is not text`);
      return [key, String(value)];
    }),
  );
}

/** Workload to stamps, for every workload that carries any. */
export function allStamps(objects: readonly Mapping[]): Readonly<Record<string, Readonly<Record<string, string>>>> {
  const stamped = objects.map((object) => [identityOf(object), stampsOf(object)] as const);
  return Object.fromEntries(stamped.filter(([, stamps]) => Object.keys(stamps).length > 0));
}

/** Workload to pod template. */
export function allPodTemplates(objects: readonly Mapping[]): Readonly<Record<string, Mapping>> {
  return Object.fromEntries(
    objects.flatMap((object) => {
      const template = podTemplateOf(object);
      return template ? [[identityOf(object), template] as const] : [];
    }),
  );
}

/** The keys whose value differs between two records, sorted. */
export function differing(
  before: Readonly<Record<string, unknown>>,
  after: Readonly<Record<string, unknown>>,
): readonly string[] {
  const keys = new Set([...Object.keys(before), ...Object.keys(after)]);
  return [...keys].filter((key) => JSON.stringify(before[key]) !== JSON.stringify(after[key])).sort();
}

/** The objects as they would be without the function: what holds nothing but our stamps goes with them. */
export function withoutStamps(objects: readonly Mapping[]): readonly Mapping[] {
  return objects.map((object) => {
    const copy = structuredClone(object);
    const template = podTemplateOf(copy);
    if (template) Object.assign(template, { metadata: metadataWithoutStamps(template) });
    return copy;
  });
}

/** Empty parts count as absent: a stamp brings the mappings that it stands in. */
function metadataWithoutStamps(template: Mapping): Mapping | undefined {
  const { annotations, ...metadata } = optionalMapping(template["metadata"]);
  const others = Object.entries(optionalMapping(annotations)).filter(([key]) => !isOurs(key));
  if (others.length > 0) return { ...metadata, annotations: Object.fromEntries(others) };
  return Object.keys(metadata).length > 0 ? metadata : undefined;
}

const SOURCE_FIELDS: Readonly<Record<string, { readonly kind: string; readonly name: string }>> = {
  configMapKeyRef: { kind: "ConfigMap", name: "name" },
  configMapRef: { kind: "ConfigMap", name: "name" },
  configMap: { kind: "ConfigMap", name: "name" },
  secretKeyRef: { kind: "Secret", name: "name" },
  secretRef: { kind: "Secret", name: "name" },
  secret: { kind: "Secret", name: "secretName" },
};

/** The ConfigMaps and Secrets that a rendered pod template names, as identities, whatever their place. */
export function sourcesNamedBy(object: Mapping): readonly string[] {
  const namespace = mapping(object["metadata"])["namespace"];
  const named: string[] = [];
  const visit = (value: unknown): void => {
    if (typeof value !== "object" || value === null) return;
    for (const [key, child] of Object.entries(value)) {
      const field = SOURCE_FIELDS[key];
      const reference = optionalMapping(child);
      // A projected volume writes `name` where a secret volume writes `secretName`.
      const name = field && (reference[field.name] ?? reference["name"]);
      if (field && typeof name === "string") {
        named.push([field.kind, namespace, name].filter((part) => part !== undefined).join("/"));
      }
      visit(child);
    }
  };
  visit(optionalMapping(podTemplateOf(object))["spec"]);
  return named;
}

/** The content of a rendered ConfigMap or Secret, decoded. */
export function contentOf(object: Mapping): Readonly<Record<string, string>> {
  const data = Object.entries(optionalMapping(object["data"])).map(([key, value]) => [
    key,
    object["kind"] === "Secret" ? Buffer.from(String(value), "base64").toString() : String(value),
  ]);
  const texts = Object.entries(optionalMapping(object["stringData"])).map(([key, value]) => [key, String(value)]);
  return Object.fromEntries([...data, ...texts]);
}

/** A value that has to be a mapping. */
export function mapping(value: unknown): Mapping {
  assert.ok(isMapping(value), `not a mapping: ${JSON.stringify(value)}`);
  return value;
}

/** A value as a mapping, empty where it is absent or null. */
export function optionalMapping(value: unknown): Mapping {
  return isMapping(value) ? value : {};
}

function isMapping(value: unknown): value is Mapping {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

function annotationsOf(template: Mapping | undefined): Mapping {
  return optionalMapping(optionalMapping(template?.["metadata"])["annotations"]);
}

function isOurs(key: string): boolean {
  return /^(?:[a-z]+\.)?rollstamp\.dev\//.test(key);
}

/** A value that has to be a list. */
export function arrayOf(value: unknown): readonly unknown[] {
  assert.ok(Array.isArray(value), `not a list: ${JSON.stringify(value)}`);
  return value;
}
