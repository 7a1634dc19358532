import { addTo } from "../../base/grouped.ts";
import type { SourceName } from "../../base/names.ts";
import type { Finding } from "../../findings/catalogue/finding.ts";
import { fieldsOf, listOf, textOrEmpty, valueAt, type Mapping } from "../../yaml/read/json.ts";
import { referenced } from "../discover/flux-sources.ts";
import type { GitOpsObject } from "../discover/objects.ts";
import type { Repository } from "../discover/repository.ts";

// Sources and dependencies of Flux that are removed although objects still name them. Flux reports an error for these objects:
// it deletes nothing, and applies no more changes.

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
    for (const reference of referencesOf(object)) {
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

function referencesOf({ kind, spec }: GitOpsObject): readonly Mapping[] {
  const sources = (REFERENCES.get(kind) ?? []).map((path) => fieldsOf(valueAt(spec, path)));
  const dependencies = listOf(spec["dependsOn"]).map((one): Mapping => ({ ...fieldsOf(one), kind }));
  return [...sources, ...dependencies].filter((reference) => textOrEmpty(reference["name"]) !== "");
}

function nameOf(object: GitOpsObject, { objectIndex }: Repository): SourceName {
  return { kind: object.kind, namespace: objectIndex.namespaceOf(object), name: object.name };
}
