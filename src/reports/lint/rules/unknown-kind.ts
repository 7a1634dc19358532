import { kindKey } from "../../../base/identity.ts";
import { readWorkload } from "../../../stamping/function/workload-option.ts";
import { isRenderedElsewhere } from "../../../findings/not-examined/elsewhere.ts";
import type { SourceName } from "../../../base/names.ts";
import type { ReferenceOption, WorkloadOption } from "../../../base/config-hash-options.ts";
import type { ReferencedKind } from "../../../base/referenced-kinds.ts";
import { LOCAL_CONFIG } from "../../../base/hosts/krm.ts";
import { onceForPair } from "../../../base/grouped.ts";
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

/** An object of an unknown kind that refers to sources as a pod spec does: its pods are not stamped. */
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

/** All known kinds. Computed once per configuration, as many files may be linted separately. */
const knownKinds = onceForPair(
  (workloads: Spec["workloads"], declaredKinds: Spec["declaredKinds"]): ReadonlySet<string> =>
    new Set([...WORKLOAD_KINDS, ...workloads, ...DECLARED_KINDS, ...declaredKinds].map(kindKey)),
);

// No kind has as many. Each of them is searched in the whole object.
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
  const place = { node: first.node, field: first.field };
  const [entry, ...more] = found.entries;
  if (entry === undefined) {
    const named = { ...(group === "" ? {} : { group }), kind, references: found.homeless };
    return [problem(item, place, { id: "RS014", cause: "unknownPath", params: { ...params, entry: named } })];
  }
  return [
    problem(item, place, { id: "RS014", cause: "unknownKind", params: { ...params, entries: [entry, ...more] } }),
  ];
}

interface Pruned extends UnknownUses {
  /** All references of the object through these entries. */
  readonly references: readonly Reference[];
}

/** The entries, reduced to the parts that this object uses. */
function pruned(item: Item, namespace: string, { entries, homeless }: UnknownUses): Pruned {
  const read = (row: WorkloadOption): readonly Reference[] => referencesOf(item, namespace, row);
  const refers = (reference: ReferenceOption): boolean => read(rowOf(item, [reference])).length > 0;
  const kept = entries.flatMap((entry): WorkloadOption[] => {
    const { podSpec, references = [], ...rest } = entry;
    if (rest.podTemplate !== undefined) return read(entry).length > 0 ? [entry] : [];
    const ownSpec = podSpec !== undefined && listsOf(podSpec).some(refers) ? { podSpec } : {};
    const hasVolumes = "podSpec" in ownSpec || references.some(({ form }) => form?.startsWith("Volume") === true);
    // The mounts of a container say which keys of a volume are visible.
    const used = references.filter((reference) => refers(reference) || (reference.form === "Container" && hasVolumes));
    if (!("podSpec" in ownSpec) && !used.some(refers)) return [];
    return [{ ...rest, ...ownSpec, ...(used.length === 0 ? {} : { references: used }) }];
  });
  const without = homeless.filter(refers);
  return {
    entries: kept,
    homeless: without,
    references: [...kept.flatMap(read), ...(without.length === 0 ? [] : read(rowOf(item, without)))],
  };
}

/** An entry with references only. The path of the annotations is a dummy. */
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

// The operator replaces such a name for each object that it makes.
const TEMPLATED = /\{\{/u;

function distinct(references: readonly Reference[]): SourceName[] {
  const byName = new Map(
    references.map(({ kind, namespace, name }) => [`${kind}/${namespace}/${name}`, { kind, namespace, name }] as const),
  );
  return [...byName.values()];
}
