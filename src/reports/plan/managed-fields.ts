import { type Json } from "../../yaml/read/node.ts";
import { isMapping, stableJson, listOf, valueAt, fieldsOf, textOrEmpty } from "../../yaml/read/json.ts";

/** A set of fields as `fieldsV1` of `metadata.managedFields` writes it: `f:` fields, `k:` and `v:` elements. */
export type FieldSet = { readonly [step: string]: Json };

/** Who owns the fields of an object, for an apply by one of them. */
export interface Owners {
  /** The fields that this applier set before; undefined if none. */
  readonly ours: FieldSet | undefined;
  readonly others: readonly FieldSet[];
}

interface Manager {
  readonly name: string;
  readonly isApply: boolean;
  readonly fields: FieldSet;
}

/** Tools that apply by updates and remove what their rendering no longer has. */
const RENDERERS: readonly string[] = ["helm", "Helm", "helm-controller"];

/**
 * The owners of an object's fields. The manifest doesn't say who applies it, so the owner that applied most of its
 * fields is assumed.
 */
export function ownersOf(live: Json, next: Json): Owners {
  const managers = managersOf(live);
  const appliers = managers.filter(({ name, isApply }) => isApply || RENDERERS.includes(name));
  const ranked = appliers
    .map((manager) => ({ manager, common: inCommon(manager.fields, next) }))
    .sort(
      (a, b) =>
        Number(b.manager.isApply) - Number(a.manager.isApply) ||
        b.common - a.common ||
        (a.manager.name < b.manager.name ? -1 : 1),
    );
  const ours = ranked[0]?.manager;
  return { ours: ours?.fields, others: managers.filter((manager) => manager !== ours).map(({ fields }) => fields) };
}

function managersOf(live: Json): Manager[] {
  return listOf(valueAt(live, ["metadata", "managedFields"])).flatMap((entry): Manager[] => {
    const { manager, operation, subresource, fieldsV1 } = fieldsOf(entry);
    if (!isMapping(fieldsV1)) return [];
    const isApply = operation === "Apply" && (subresource ?? "") === "";
    return [{ name: textOrEmpty(manager), isApply, fields: fieldsV1 }];
  });
}

function inCommon(fields: FieldSet, value: Json): number {
  if (!isMapping(value)) return 1;
  return Object.entries(value).reduce((sum, [key, inner]) => {
    const below = child(fields, fieldStep(key));
    return below === undefined ? sum : sum + 1 + inCommon(below, inner);
  }, 0);
}

/** The step to a field of a mapping. */
export function fieldStep(key: string): string {
  return `f:${key}`;
}

/** The set below a step; undefined if the set doesn't have the step. */
export function child(fields: FieldSet, step: string): FieldSet | undefined {
  const below = fields[step];
  return isMapping(below) ? below : undefined;
}

/** The elements of a list that a set names, by their `elementId`. */
export function elements(fields: FieldSet | undefined): ReadonlyMap<string, FieldSet> {
  const found = new Map<string, FieldSet>();
  for (const [step, below] of Object.entries(fields ?? {})) {
    const kind = step.slice(0, 2);
    if ((kind !== "k:" && kind !== "v:") || !isMapping(below)) continue;
    const element = elementOf(step);
    if (element !== undefined) found.set(stableJson(element), below);
  }
  return found;
}

/** How the sets name the elements of a list: by these fields, as a set, or as one value. */
export function listForm(sets: readonly (FieldSet | undefined)[]): readonly string[] | "set" | "atomic" {
  for (const step of sets.flatMap((fields) => Object.keys(fields ?? {}))) {
    if (step.startsWith("v:")) return "set";
    if (!step.startsWith("k:")) continue;
    const key = elementOf(step);
    if (isMapping(key)) return Object.keys(key);
  }
  return "atomic";
}

/** The JSON of a step to an element; undefined if no server writes such a step. */
function elementOf(step: string): Json | undefined {
  try {
    return JSON.parse(step.slice(2)) as Json;
  } catch {
    return undefined;
  }
}
