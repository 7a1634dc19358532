import { kindKey } from "../../../base/identity.ts";
import { readWorkload } from "../../../stamping/function/workload-option.ts";
import { isRenderedElsewhere } from "../../../findings/not-examined/elsewhere.ts";
import type { SourceName } from "../../../base/names.ts";
import type { ReferenceOption, WorkloadOption } from "../../../base/config-hash-options.ts";
import type { ReferencedKind } from "../../../base/referenced-kinds.ts";
import { LOCAL_CONFIG } from "../../../base/hosts/krm.ts";
import { onceForBoth } from "../../../base/grouped.ts";
import { annotationOf, type Item } from "../../../yaml/read/items.ts";
import { resourceRef } from "../../../findings/results/location.ts";
import { DECLARED_KINDS } from "../../../kubernetes/sources/declared-kinds.ts";
import { templatesOf } from "../../../kubernetes/workloads/pod-templates.ts";
import { isLeftOut } from "../../../kubernetes/workloads/kinds-left-out.ts";
import type { Reference } from "../../../kubernetes/workloads/types.ts";
import { findUnknownUses, listsOf, type UnknownUses } from "../../../kubernetes/workloads/unknown-uses.ts";
import { WORKLOAD_KINDS } from "../../../kubernetes/workloads/workload-kinds.ts";
import type { LintContext } from "../context.ts";
import { problem, type LintRule, type Problem } from "../rule.ts";

/** An object of a kind that is not known, with sources as a pod spec has them: nothing stamps its pods. */
export const UNKNOWN_KIND: LintRule<"RS014"> = {
  id: "RS014",
  about: "state",
  check: (context) => {
    const { items, spec } = context;
    const known = knownKinds(spec.workloads, spec.declaredKinds);
    return items
      .filter((item) => !known.has(kindKey(item)) && !isLeftOut(item) && !isRenderedElsewhere(item))
      .filter((item) => annotationOf(item, LOCAL_CONFIG) !== "true")
      .flatMap((item) => unknownUse(item, context));
  },
};

type Spec = LintContext["spec"];

/** The kinds that somebody knows; gathered once for a configuration, as each of many files may be linted by itself. */
const knownKinds = onceForBoth(
  (workloads: Spec["workloads"], declaredKinds: Spec["declaredKinds"]): ReadonlySet<string> =>
    new Set([...WORKLOAD_KINDS, ...workloads, ...DECLARED_KINDS, ...declaredKinds].map(kindKey)),
);

// No kind has as many; each is looked up in the whole object.
const MOST_PLACES = 100;

function unknownUse(item: Item, { sources, spec }: LintContext): Problem<"RS014">[] {
  const namespace = item.namespace || spec.defaultNamespace;
  const isKnown = (kind: ReferencedKind, name: string): boolean =>
    sources.find(kind, namespace, name, item) !== undefined;
  const found = pruned(item, namespace, findUnknownUses(item, isKnown, MOST_PLACES));
  const [first] = found.references;
  if (first === undefined) return [];
  const { group, kind } = item;
  const params = { object: resourceRef(item), sources: distinct(found.references) };
  const at = { node: first.node, field: first.field };
  const [entry, ...more] = found.entries;
  if (entry === undefined) {
    const named = { ...(group === "" ? {} : { group }), kind, references: found.homeless };
    return [problem(item, at, { id: "RS014", cause: "unknownPath", params: { ...params, entry: named } })];
  }
  return [problem(item, at, { id: "RS014", cause: "unknownKind", params: { ...params, entries: [entry, ...more] } })];
}

interface Pruned extends UnknownUses {
  /** What the object refers to by them all. */
  readonly references: readonly Reference[];
}

/** The rows with no more in them than what this object names sources by. */
function pruned(item: Item, namespace: string, { entries, homeless }: UnknownUses): Pruned {
  const read = (row: WorkloadOption): readonly Reference[] => referencesOf(item, namespace, row);
  const refers = (reference: ReferenceOption): boolean => read(rowOf(item, [reference])).length > 0;
  const kept = entries.flatMap((entry): WorkloadOption[] => {
    const { podSpec, references = [], ...rest } = entry;
    if (rest.podTemplate !== undefined) return read(entry).length > 0 ? [entry] : [];
    const ownSpec = podSpec !== undefined && listsOf(podSpec).some(refers) ? { podSpec } : {};
    const hasVolumes = "podSpec" in ownSpec || references.some(({ form }) => form?.startsWith("Volume") === true);
    // What a container mounts says which keys of a volume are seen.
    const own = references.filter((reference) => refers(reference) || (reference.form === "Container" && hasVolumes));
    if (!("podSpec" in ownSpec) && !own.some(refers)) return [];
    return [{ ...rest, ...ownSpec, ...(own.length === 0 ? {} : { references: own }) }];
  });
  const without = homeless.filter(refers);
  return {
    entries: kept,
    homeless: without,
    references: [...kept.flatMap(read), ...(without.length === 0 ? [] : read(rowOf(item, without)))],
  };
}

/** A row that reads references where nothing is known of annotations. */
function rowOf({ group, kind }: Item, references: readonly ReferenceOption[]): WorkloadOption {
  return { group, kind, podAnnotations: "metadata.annotations", references };
}

function referencesOf(item: Item, namespace: string, row: WorkloadOption): Reference[] {
  const { references = [], ...paths } = row;
  const json = { ...paths, references: references.map((reference) => ({ ...reference })) };
  return templatesOf(item, readWorkload(json, 0), namespace)
    .flatMap((template) => template.references)
    .filter(({ name }) => !TEMPLATED.test(name));
}

// The operator makes other objects of such an object, each with a name of its own.
const TEMPLATED = /\{\{/u;

function distinct(references: readonly Reference[]): SourceName[] {
  const byName = new Map(
    references.map(({ kind, namespace, name }) => [`${kind}/${namespace}/${name}`, { kind, namespace, name }] as const),
  );
  return [...byName.values()];
}
