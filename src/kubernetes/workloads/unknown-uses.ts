import type { ReferenceOption, WorkloadOption } from "../../base/config-hash-options.ts";
import { entriesOf } from "../../yaml/read/node.ts";
import type { Item } from "../../yaml/read/items.ts";
import { CONTAINER_LISTS } from "./containers.ts";
import { type KnowsSource, type AnnotationsPlace, OUTER_FIELDS, parentOf, PodPartsFinder } from "./pod-parts.ts";

/** The entries of `workloads` for an object of an unknown kind. */
export interface UnknownUses {
  /** Complete entries. */
  readonly entries: readonly WorkloadOption[];
  /** References of pods whose annotations have no known field. */
  readonly homeless: readonly ReferenceOption[];
}

/**
 * The entries of `workloads` that describe an object. A reference belongs to the nearest field above it from which the
 * operator annotates pods; without one it is homeless, because a guess would stamp pods that do not use the source.
 * At most `most` places of each sort are found.
 */
export function findUnknownUses({ tree, node, group, kind }: Item, knows: KnowsSource, most: number): UnknownUses {
  const finder = new PodPartsFinder(tree, knows, most);
  for (const { key, valueNode } of entriesOf(tree, node)) {
    if (OUTER_FIELDS.has(key)) continue;
    finder.look(valueNode, { path: key, step: key, inEnv: false, inPod: false });
  }
  const named = { ...(group === "" ? {} : { group }), kind };
  const templates = [...finder.podTemplates].map((podTemplate): WorkloadOption => ({ ...named, podTemplate }));
  const places = [...finder.annotations.values()];
  // Of two places for one scope, whole metadata takes precedence.
  const byScope = new Map(places.map((place) => [place.scope, place]));
  for (const place of places) if (place.form === "podMetadata") byScope.set(place.scope, place);
  const homes = new Map<AnnotationsPlace, { podSpec?: string; readonly references: ReferenceOption[] }>();
  const homeless: ReferenceOption[] = [];
  const homeOf = (path: string): { podSpec?: string; readonly references: ReferenceOption[] } | undefined => {
    let scope = path;
    while (scope !== "" && !byScope.has(scope)) scope = parentOf(scope);
    const place = byScope.get(scope);
    if (place === undefined) return undefined;
    const home = homes.get(place) ?? { references: [] };
    homes.set(place, home);
    return home;
  };
  for (const path of finder.podSpecs) {
    const home = homeOf(path);
    // An entry has one pod spec: of another one it has the lists.
    if (home !== undefined && home.podSpec === undefined) home.podSpec = path;
    else (home?.references ?? homeless).push(...listsOf(path));
  }
  for (const reference of finder.references.values()) {
    (homeOf(reference.path)?.references ?? homeless).push(reference);
  }
  const placed = [...homes].map(([{ form, path }, { podSpec, references }]): WorkloadOption => ({
    ...named,
    [form]: path,
    ...(podSpec === undefined ? {} : { podSpec }),
    ...(references.length === 0 ? {} : { references }),
  }));
  return { entries: [...templates, ...placed], homeless };
}

/** The lists of a pod spec as references. */
export function listsOf(path: string): ReferenceOption[] {
  return [
    ...CONTAINER_LISTS.map((list): ReferenceOption => ({ form: "Containers", path: `${path}.${list}` })),
    { form: "Volumes", path: `${path}.volumes` },
  ];
}
