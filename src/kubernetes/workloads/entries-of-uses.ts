import type { ReferenceOption, WorkloadOption } from "../../base/config-hash-options.ts";
import { CONTAINER_LISTS } from "./containers.ts";
import { parentOf, type AnnotationsPlace, type Uses } from "./uses.ts";

/** What a kind shows, as rows of the option `workloads`. */
export interface KindEntries {
  /** Whole rows: they may be given as they are. */
  readonly entries: readonly WorkloadOption[];
  /** Fields that name sources of pods of which nothing shows where their annotations go. */
  readonly homeless: readonly ReferenceOption[];
}

/**
 * The rows of `workloads` that say what a kind shows. What names sources belongs to the nearest field by which the
 * operator annotates pods; what stands below none is told apart, as a guess would stamp pods that don't see it.
 */
export function entriesOf(group: string, kind: string, uses: Uses): KindEntries {
  const named = { ...(group === "" ? {} : { group }), kind };
  const templates = uses.podTemplates.map((podTemplate): WorkloadOption => ({ ...named, podTemplate }));
  const own = new Map<AnnotationsPlace, Own>();
  const homeless: ReferenceOption[] = [];
  // Of two in one mapping, the whole metadata.
  const byScope = new Map(uses.annotations.map((place) => [place.scope, place]));
  for (const place of uses.annotations) if (place.form === "podMetadata") byScope.set(place.scope, place);
  const homeOf = (path: string): Own | undefined => {
    let scope = path;
    while (scope !== "" && !byScope.has(scope)) scope = parentOf(scope);
    const place = byScope.get(scope);
    if (place === undefined) return undefined;
    const known = own.get(place) ?? { podSpecs: [], references: [] };
    own.set(place, known);
    return known;
  };
  for (const path of uses.podSpecs) {
    const home = homeOf(path);
    // A row has one pod spec: of another one its lists are told.
    if (home !== undefined && home.podSpecs.length === 0) home.podSpecs.push(path);
    else (home?.references ?? homeless).push(...listsOf(path));
  }
  for (const reference of uses.references) (homeOf(reference.path)?.references ?? homeless).push(reference);
  const placed = [...own].map(([{ form, path }, { podSpecs, references }]): WorkloadOption => ({
    ...named,
    [form]: path,
    ...(podSpecs[0] === undefined ? {} : { podSpec: podSpecs[0] }),
    ...(references.length === 0 ? {} : { references }),
  }));
  return { entries: [...templates, ...placed], homeless };
}

interface Own {
  readonly podSpecs: string[];
  readonly references: ReferenceOption[];
}

/** The lists of a pod spec, each as a field of its own. */
export function listsOf(path: string): ReferenceOption[] {
  return [
    ...CONTAINER_LISTS.map((list): ReferenceOption => ({ form: "Containers", path: `${path}.${list}` })),
    { form: "Volumes", path: `${path}.volumes` },
  ];
}
