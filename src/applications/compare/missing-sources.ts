import { addTo, groupedBy } from "../../base/grouped.ts";
import type { SourceName } from "../../base/names.ts";
import type { Finding } from "../../findings/catalogue/finding.ts";
import { fieldsOf, listOf, textOrEmpty, valueAt, type Mapping } from "../../yaml/read/json.ts";
import { referenced } from "../discover/flux-sources.ts";
import { ARTIFACT } from "../discover/object-index.ts";
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
 * RS024 for each dependency that an object of the head names, and for each source that it names in place of one of the base,
 * if that is nowhere: neither in a file of any namespace, nor among the objects that renderings show. What the base names
 * already may be in another repository.
 */
export function missingDependencies(
  base: Repository,
  head: Repository,
  shown: Iterable<{ readonly kind: string; readonly name: string }>,
): readonly Finding<"RS024">[] {
  const known = new Set([
    ...[...shown].map(keyOf),
    ...base.objects.flatMap((object) => [...sourcesOf(object), ...dependenciesOf(object)].map(keyOf)),
  ]);
  const isKnown = (reference: Reference): boolean =>
    known.has(keyOf(reference)) ||
    // Flux substitutes variables.
    reference.name.includes("$") ||
    [base, head].some(({ objectIndex }) => objectIndex.named(reference.kind, reference.name).length > 0);
  const hadSource = ({ kind, name, file }: GitOpsObject): boolean =>
    base.objectIndex
      .named(kind, name)
      .some((old) => old.file === file && sourcesOf(old).some((one) => referenced(one, old, base) !== undefined));
  // Other controllers make artifacts, too.
  const newSourcesOf = (object: GitOpsObject): readonly Reference[] =>
    hadSource(object) ? sourcesOf(object).filter(({ kind }) => kind !== ARTIFACT) : [];
  const missing = head.objects.flatMap((object) =>
    [...newSourcesOf(object), ...dependenciesOf(object)]
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

interface Reference extends Mapping {
  readonly kind: string;
  readonly name: string;
}

function sourcesOf({ kind, spec }: GitOpsObject): readonly Reference[] {
  return (REFERENCES.get(kind) ?? []).flatMap((path) => {
    const fields = fieldsOf(valueAt(spec, path));
    return referenceTo(textOrEmpty(fields["kind"]), fields);
  });
}

function dependenciesOf({ kind, spec }: GitOpsObject): readonly Reference[] {
  return REFERENCES.has(kind) ? listOf(spec["dependsOn"]).flatMap((one) => referenceTo(kind, fieldsOf(one))) : [];
}

function referenceTo(kind: string, fields: Mapping): readonly Reference[] {
  const name = textOrEmpty(fields["name"]);
  return name === "" ? [] : [{ ...fields, kind, name }];
}

const keyOf = ({ kind, name }: { readonly kind: string; readonly name: string }): string => `${kind}/${name}`;

function nameOf(object: GitOpsObject, { objectIndex }: Repository): SourceName {
  return { kind: object.kind, namespace: objectIndex.namespaceOf(object), name: object.name };
}
