import type { SourceName } from "../../base/names.ts";
import type { Finding } from "../../findings/catalogue/finding.ts";
import { fieldsOf, listOf, textOrEmpty, valueAt, type Mapping } from "../../yaml/read/json.ts";
import { referenced } from "../discover/flux-sources.ts";
import { givenText, type GitOpsObject } from "../discover/objects.ts";
import type { Repository } from "../discover/repository.ts";

// Sources and dependencies of Flux that objects name, and that are removed or never were there. Flux reports an error for these
// objects: it deletes nothing, and applies no more changes.

/** The fields that name a source, by the kind of the object. */
const REFERENCES: ReadonlyMap<string, readonly (readonly string[])[]> = new Map([
  ["Kustomization", [["sourceRef"]]],
  ["HelmRelease", [["chartRef"], ["chart", "spec", "sourceRef"]]],
  ["HelmChart", [["sourceRef"]]],
]);

/** RS024 for each source and dependency that objects of the head use, and that only the base has, or neither revision. */
export function missingSources(base: Repository, head: Repository): readonly Finding<"RS024">[] {
  const users = new Map<string, { object: SourceName; using: SourceName[] }>();
  const wasNamed = new Set(base.objects.flatMap((object) => dependenciesOf(object).map(keyOf)));
  const isNew = (reference: Mapping): boolean =>
    !wasNamed.has(keyOf(reference)) && !textOrEmpty(reference["name"]).includes("$");
  const add = (object: SourceName, user: SourceName): void => {
    const key = JSON.stringify(object);
    const found = users.get(key);
    if (found === undefined) users.set(key, { object, using: [user] });
    else found.using.push(user);
  };
  for (const object of head.objects) {
    const dependencies = dependenciesOf(object);
    for (const reference of [...sourcesOf(object), ...dependencies]) {
      if (referenced(reference, object, head) !== undefined) continue;
      const source = referenced(reference, object, base);
      if (source !== undefined) add(nameOf(source, base), nameOf(object, head));
      // Other sources that are not here may be created when Flux is installed, and what BASE depends on may be elsewhere.
      else if (dependencies.includes(reference) && isNew(reference))
        add(dependency(reference, object, head), nameOf(object, head));
    }
  }
  return [...users.values()].map(({ object, using }) => ({
    id: "RS024",
    cause: "sourceMissing",
    params: { object, users: using },
  }));
}

const isNamed = (reference: Mapping): boolean => textOrEmpty(reference["name"]) !== "";

function sourcesOf({ kind, spec }: GitOpsObject): readonly Mapping[] {
  return (REFERENCES.get(kind) ?? []).map((path) => fieldsOf(valueAt(spec, path))).filter(isNamed);
}

function dependenciesOf({ kind, spec }: GitOpsObject): readonly Mapping[] {
  if (!REFERENCES.has(kind)) return [];
  return listOf(spec["dependsOn"])
    .map((one): Mapping => ({ ...fieldsOf(one), kind }))
    .filter(isNamed);
}

const keyOf = ({ kind, name }: Mapping): string => JSON.stringify([kind, name]);

function dependency(reference: Mapping, from: GitOpsObject, { objectIndex }: Repository): SourceName {
  const namespace = givenText(reference["namespace"]) ?? objectIndex.namespaceOf(from);
  return { kind: textOrEmpty(reference["kind"]), namespace, name: textOrEmpty(reference["name"]) };
}

function nameOf(object: GitOpsObject, { objectIndex }: Repository): SourceName {
  return { kind: object.kind, namespace: objectIndex.namespaceOf(object), name: object.name };
}
