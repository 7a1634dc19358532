import { RollstampError } from "../../base/errors.ts";
import type { Reference } from "../../kubernetes/workloads/types.ts";
import { editAnnotations } from "../../yaml/edit/annotations.ts";
import { isPlainWord } from "../../yaml/edit/render.ts";
import type { Splice } from "../../yaml/edit/splice.ts";
import { describe, placeIn, type Item } from "../../yaml/read/items.ts";
import { get, itemsOf, kindOf, resolve, stringOf } from "../../yaml/read/node.ts";
import { NONE } from "../../yaml/read/tree.ts";
import type { DesiredStamps } from "./types.ts";
import { isSourceKind } from "../../base/referenced-kinds.ts";

/** The mapping and the key at which a reference names its source. */
interface NameField {
  readonly mapping: number;
  readonly key: string;
}

/**
 * Where a reference names its source; undefined where it cannot name a copy: in an element of a list of names, which
 * operators mount by name, and in another object than that of the pod template.
 */
export function nameField(item: Item, { node, field, item: other, via, kind }: Reference): NameField | undefined {
  const { tree } = item;
  if (other !== undefined && other !== item) return undefined;
  if (!isSourceKind(kind)) return undefined;
  if (kindOf(tree, node) === "mapping") {
    const key = via === "volume" && get(tree, node, "secretName") !== NONE ? "secretName" : "name";
    return stringOf(tree, get(tree, node, key)) === undefined ? undefined : { mapping: node, key };
  }
  const steps = stepsOf(field);
  const key = steps.pop();
  const mapping = nodeAt(item, steps);
  return typeof key === "string" &&
    resolve(tree, get(tree, mapping, key)) === node &&
    stringOf(tree, node) !== undefined
    ? { mapping, key }
    : undefined;
}

/** The steps of a field: `spec.volumes[0].name` is `spec`, `volumes`, 0, `name`. */
function stepsOf(field: string): (string | number)[] {
  return [...field.matchAll(/\[(\d+)\]|([^.[\]]+)/gu)].map(([, index, key]) => key ?? Number(index));
}

function nodeAt({ tree, node }: Item, steps: readonly (string | number)[]): number {
  return steps.reduce<number>(
    (at, step) => (typeof step === "number" ? (itemsOf(tree, at)[step] ?? NONE) : get(tree, at, step)),
    node,
  );
}

/** The places that already get another name, by mapping and key: pod templates of one object may share some. */
export type NamedPlaces = Map<string, string>;

/**
 * The splices that let a pod template name the wanted copies, and the sources themselves in all other places. Throws a
 * RollstampError if a place is shared through an alias, an anchor or a merge key, or should name two copies.
 */
export function referenceEdits(
  { copies, sightings, decision: { template } }: DesiredStamps,
  places: NamedPlaces,
): Splice[] {
  if (template.copies === undefined && copies === undefined) return [];
  const names = new Map<Reference, string>();
  for (const { stampKey, counted } of sightings) {
    const copy = copies?.get(stampKey);
    if (copy !== undefined) for (const { reference } of counted) names.set(reference, copy.name);
  }
  return template.references.flatMap((reference) => {
    const name = names.get(reference) ?? reference.name;
    const place = nameField(template.item, reference);
    if (place === undefined) return [];
    const id = `${place.mapping} ${place.key}`;
    const taken = places.get(id);
    places.set(id, name);
    if (taken !== undefined && taken !== name) throw severalNames(template.item, reference);
    return taken !== undefined || name === (reference.copy ?? reference.name)
      ? []
      : renamed(template.item, place, name);
  });
}

function severalNames(item: Item, { field, node }: Reference): RollstampError {
  return new RollstampError("input", `'${field}' of ${describe(item)} would have to name the source and its copy`, {
    place: placeIn(item, node),
    remedy:
      "Several pod templates of the object share this field, but the source counts only for some. Let it count for all.",
  });
}

function renamed(item: Item, { mapping, key }: NameField, name: string): Splice[] {
  const changes = { set: new Map([[key, name]]), remove: new Set<string>() };
  return editAnnotations({ item, base: mapping, path: [] }, changes).map((splice) => {
    const text = item.tree.text.slice(splice.offset, splice.offset + splice.remove);
    return { ...splice, insert: inStyleOf(text, name) ?? splice.insert };
  });
}

/** A name as the replaced name was written; undefined if only double quotes are safe. */
function inStyleOf(text: string, name: string): string | undefined {
  if (/^'[^']+'$/u.test(text)) return `'${name}'`;
  return isPlainWord(text) && isPlainWord(name) ? name : undefined;
}
