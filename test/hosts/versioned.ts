// What pods see through the references of a rendering, by a resolver of its own: for layout Versioned, where names change.
import assert from "node:assert/strict";
import {
  allPodTemplates,
  contentOf,
  find,
  identityOf,
  mapping,
  optionalMapping,
  withoutStamps,
  type Mapping,
} from "./manifests.ts";

/** One reference of a pod template: where it stands, and the object that it names. */
export interface Named {
  readonly path: string;
  readonly source: string;
  readonly keys: readonly string[] | "*";
}

const FIELDS: Readonly<Record<string, readonly [kind: string, name: string]>> = {
  configMapKeyRef: ["ConfigMap", "name"],
  configMapRef: ["ConfigMap", "name"],
  configMap: ["ConfigMap", "name"],
  secretKeyRef: ["Secret", "name"],
  secretRef: ["Secret", "name"],
  secret: ["Secret", "secretName"],
};

/** The references of a workload's pod template, in order. */
export function namedBy(workload: Mapping): readonly Named[] {
  const [template] = Object.values(allPodTemplates([workload]));
  const namespace = optionalMapping(workload["metadata"])["namespace"];
  const spec = optionalMapping(optionalMapping(template)["spec"]);
  const named: Named[] = [];
  const visit = (value: unknown, path: string): void => {
    if (typeof value !== "object" || value === null) return;
    for (const [key, child] of Object.entries(value)) {
      const field = FIELDS[key];
      const reference = optionalMapping(child);
      const name = field && (reference[field[1]] ?? reference["name"]);
      if (field !== undefined && typeof name === "string") {
        const source = [field[0], namespace, name].filter((part) => part !== undefined).join("/");
        const whole = keysOf(reference);
        named.push({ path: `${path}.${key}`, source, keys: whole === "*" ? shownKeys(spec, value) : whole });
      }
      visit(child, `${path}.${key}`);
    }
  };
  visit(spec, "spec");
  return named;
}

function keysOf(reference: Mapping): readonly string[] | "*" {
  if (typeof reference["key"] === "string") return [reference["key"]];
  const { items } = reference;
  return Array.isArray(items) && items.length > 0 ? items.map((item) => String(mapping(item)["key"])) : "*";
}

/** The keys of a volume that its mounts show: those of their sub-paths, if all have one. */
function shownKeys(spec: Mapping, volume: unknown): readonly string[] | "*" {
  const { volumes, containers } = spec;
  if (!Array.isArray(volumes) || !volumes.includes(volume)) return "*";
  const mounts = (Array.isArray(containers) ? containers : [])
    .flatMap((container) => optionalMapping(container)["volumeMounts"] ?? [])
    .map(optionalMapping)
    .filter((mount) => mount["name"] === optionalMapping(volume)["name"]);
  const paths = mounts.map((mount) => mount["subPath"]);
  return paths.length > 0 && paths.every((path) => typeof path === "string") ? paths : "*";
}

/** What each reference of a rendering shows to pods, by workload and place; undefined where it names nothing. */
export function seenBy(objects: readonly Mapping[]): Readonly<Record<string, Mapping | undefined>> {
  const byName = new Map(objects.map((object) => [identityOf(object), object]));
  const seen: Record<string, Mapping | undefined> = {};
  for (const identity of Object.keys(allPodTemplates(objects)))
    for (const { path, source, keys } of namedBy(find(objects, identity))) {
      const object = byName.get(source);
      const content = object && { ...contentOf(object), ...optionalMapping(object["binaryData"]) };
      seen[`${identity} ${path}`] =
        content && Object.fromEntries(Object.entries(content).filter(([key]) => keys === "*" || keys.includes(key)));
    }
  return seen;
}

/** Whether an object is a copy of another one. */
export function isCopy(object: Mapping): boolean {
  return "rollstamp.dev/version-of" in optionalMapping(mapping(object["metadata"])["labels"]);
}

/** The names of the objects that pod templates name. */
export function allNamed(objects: readonly Mapping[]): ReadonlySet<string> {
  return new Set(
    Object.keys(allPodTemplates(objects)).flatMap((identity) =>
      namedBy(find(objects, identity)).map(({ source }) => source),
    ),
  );
}

/** Data without the names at references. */
export function withoutNames(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(withoutNames);
  if (typeof value !== "object" || value === null) return value;
  return Object.fromEntries(
    Object.entries(value).map(([key, child]) => {
      const field = FIELDS[key];
      const inner = withoutNames(child);
      if (field === undefined || typeof inner !== "object" || inner === null) return [key, inner];
      return [key, { ...inner, name: "", secretName: "" }];
    }),
  );
}

/** That pods see the same in two renderings, that copies are immutable and named, and that nothing else differs but stamps. */
export function assertOnlyVersioned(plain: readonly Mapping[], versioned: readonly Mapping[]): void {
  assert.deepEqual(seenBy(versioned), seenBy(plain));
  const named = allNamed(versioned);
  for (const copy of versioned.filter(isCopy)) {
    assert.equal(copy["immutable"], true);
    assert.ok(named.has(identityOf(copy)), `nothing names ${identityOf(copy)}`);
  }
  assert.deepEqual(withoutCopies(versioned), withoutCopies(plain));
}

function withoutCopies(objects: readonly Mapping[]): unknown {
  return withoutNames(withoutStamps(objects.filter((object) => !isCopy(object))));
}
