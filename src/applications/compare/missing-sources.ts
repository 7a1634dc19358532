import { addTo, groupedBy } from "../../base/grouped.ts";
import type { SourceName } from "../../base/names.ts";
import type { Finding } from "../../findings/catalogue/finding.ts";
import { fieldsOf, listOf, textOrEmpty, valueAt, type Mapping } from "../../yaml/read/json.ts";
import { referenced } from "../discover/flux-sources.ts";
import { givenText, type GitOpsObject } from "../discover/objects.ts";
import type { Repository } from "../discover/repository.ts";

// Sources and dependencies of Flux that objects name, and that are removed or not in the repository. Flux reports an error for
// these objects: it deletes nothing, and applies no more changes.

/** The fields that name a source, by the kind of the object. */
const REFERENCES: ReadonlyMap<string, readonly (readonly string[])[]> = new Map([
  ["Kustomization", [["sourceRef"]]],
  ["HelmRelease", [["chartRef"], ["chart", "spec", "sourceRef"]]],
  ["HelmChart", [["sourceRef"]]],
]);

/** RS024 for each source and dependency that only the base has, and that objects of the head use. */
export function removedSources(base: Repository, head: Repository): readonly Finding<"RS024">[] {
  const users = new Map<GitOpsObject, SourceName[]>();
  for (const object of head.objects)
    for (const reference of [...sourcesOf(object), ...dependenciesOf(object)]) {
      if (referenced(reference, object, head) !== undefined) continue;
      const source = referenced(reference, object, base);
      if (source !== undefined) addTo(users, source, nameOf(object, head));
    }
  return [...users].map(([source, using]) => ({
    id: "RS024",
    cause: "sourceRemoved",
    params: { object: nameOf(source, base), users: using },
  }));
}

/**
 * RS024 for each dependency that an object of the head names, and that is nowhere: neither in a file of any namespace, nor among
 * the objects that renderings show. What the base depends on already may be in another repository.
 */
export function missingDependencies(
  base: Repository,
  head: Repository,
  shown: Iterable<{ readonly kind: string; readonly name: string }>,
): readonly Finding<"RS024">[] {
  const known = new Set([
    ...[...shown].map(keyOf),
    ...base.objects.flatMap((object) => dependenciesOf(object).map(keyOf)),
  ]);
  const isKnown = (reference: Dependency): boolean =>
    known.has(keyOf(reference)) ||
    // Flux substitutes variables.
    reference.name.includes("$") ||
    [base, head].some(({ objectIndex }) => objectIndex.named(reference.kind, reference.name).length > 0);
  const missing = head.objects.flatMap((object) =>
    dependenciesOf(object)
      .filter((reference) => !isKnown(reference))
      .map(({ kind, name, namespace = null }) => ({
        object: { kind, name, namespace: givenText(namespace) ?? head.objectIndex.namespaceOf(object) },
        user: nameOf(object, head),
      })),
  );
  return [...groupedBy(missing, ({ object }) => JSON.stringify(object)).values()].map((all) => ({
    id: "RS024",
    cause: "dependencyMissing",
    params: { object: all[0].object, users: all.map(({ user }) => user) },
  }));
}

const isNamed = (reference: Mapping): boolean => textOrEmpty(reference["name"]) !== "";

function sourcesOf({ kind, spec }: GitOpsObject): readonly Mapping[] {
  return (REFERENCES.get(kind) ?? []).map((path) => fieldsOf(valueAt(spec, path))).filter(isNamed);
}

interface Dependency extends Mapping {
  readonly kind: string;
  readonly name: string;
}

function dependenciesOf({ kind, spec }: GitOpsObject): readonly Dependency[] {
  if (!REFERENCES.has(kind)) return [];
  return listOf(spec["dependsOn"]).flatMap((one): Dependency[] => {
    const fields = fieldsOf(one);
    const name = textOrEmpty(fields["name"]);
    return name === "" ? [] : [{ ...fields, kind, name }];
  });
}

const keyOf = ({ kind, name }: { readonly kind: string; readonly name: string }): string => `${kind}/${name}`;

function nameOf(object: GitOpsObject, { objectIndex }: Repository): SourceName {
  return { kind: object.kind, namespace: objectIndex.namespaceOf(object), name: object.name };
}
