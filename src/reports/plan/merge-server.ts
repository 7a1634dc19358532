import { type Json } from "../../yaml/read/node.ts";
import { isMapping, stableJson } from "../../yaml/read/json.ts";
import { defaultOf } from "../../kubernetes/rollout/pod-defaults.ts";
import { ANY, type FieldType, type ListType } from "../../kubernetes/rollout/pod-types.ts";
import { child, elements, fieldStep, listForm, type FieldSet, type Owners } from "./managed-fields.ts";
import { childType } from "./merge-client.ts";

// kubectl apply --server-side, Flux, and Argo CD with ServerSideApply: typed/merge.go of structured-merge-diff merges the
// manifest into the live object, then merge/update.go (prune) removes what this applier set before, no longer sets, and
// nobody else has set. Conflicts are forced.

type JsonObject = { [key: string]: Json };

/** Merges a manifest into a live object as the server does. `type` is undefined for custom kinds. */
export function mergeByServer(type: FieldType | undefined, owners: Owners, live: Json, next: Json): Json {
  return merge(type ?? ANY, owners, live, next);
}

/** `next` is undefined for a value that is not applied. The value stays if others own it. */
function merge(type: FieldType, owners: Owners, live: Json, next: Json | undefined): Json {
  if (isMapping(live) && (next === undefined || next === null || isMapping(next))) {
    if (Object.keys(live).length === 0 || isOneValue(type, owners)) return next ?? live;
    return mergeObjects(type, owners, live, next ?? {});
  }
  if (Array.isArray(live) && (next === undefined || next === null || Array.isArray(next))) {
    const list = listType(type, owners);
    if (live.length === 0 || list.apply === "atomic") return next ?? live;
    return mergeLists(list, owners, live, next ?? []);
  }
  return next ?? live;
}

/** Whether a field is one value: in a kind of unknown type, if an owner lists nothing below it. */
function isOneValue(type: FieldType, { ours, others }: Owners): boolean {
  if (type.form === "struct" || type.form === "map") return type.atomic;
  const sets = [ours, ...others].filter((fields) => fields !== undefined);
  return sets.length > 0 && sets.every((fields) => Object.keys(fields).length === 0);
}

function listType(type: FieldType, { ours, others }: Owners): Merged {
  return type.form === "list" ? type : { element: ANY, apply: listForm([ours, ...others]) };
}

function mergeObjects(type: FieldType, owners: Owners, live: JsonObject, next: JsonObject): Json {
  const merged: JsonObject = {};
  for (const [key, value] of Object.entries(live)) {
    const given = Object.hasOwn(next, key) ? next[key] : undefined;
    const below = under(owners, (fields) => child(fields, fieldStep(key)));
    if (given === undefined && isDropped(below)) continue;
    if (given === null && !isMapping(value) && !Array.isArray(value)) continue;
    const isUntouched = given === undefined && below.ours === undefined;
    const made = isUntouched ? value : merge(childType(type, key), below, value, given);
    if (!isEmptied(value, made)) merged[key] = made;
    // For an unknown type, null is stored.
    else if (given === null && type.form === "scalar") merged[key] = null;
  }
  for (const [key, value] of Object.entries(next)) {
    if (!Object.hasOwn(live, key) && value !== null) merged[key] = value;
  }
  return merged;
}

/** Whether a value lost all its content, so that it is no longer written. */
function isEmptied(before: Json, after: Json): boolean {
  const size = (value: Json): number =>
    Array.isArray(value) ? value.length : isMapping(value) ? Object.keys(value).length : 1;
  return size(after) === 0 && size(before) > 0;
}

function under(owners: Owners, step: (fields: FieldSet) => FieldSet | undefined): Owners {
  return {
    ours: owners.ours === undefined ? undefined : step(owners.ours),
    others: owners.others.map(step).filter((fields) => fields !== undefined),
  };
}

/** Whether only this applier has set it. */
function isDropped({ ours, others }: Owners): boolean {
  return ours !== undefined && others.length === 0;
}

type Merged = Pick<ListType, "element" | "apply">;

function mergeLists(type: Merged, owners: Owners, live: readonly Json[], next: readonly Json[]): Json[] {
  const idOf = (element: Json): string => elementId(type, element);
  const given = new Map(next.map((element) => [idOf(element), element]));
  const liveIds = live.map(idOf);
  const [ours, others] = [elements(owners.ours), owners.others.map(elements)];
  const count = new Map<string, number>();
  for (const id of liveIds) count.set(id, (count.get(id) ?? 0) + 1);
  const merged = new Map<string, Json>();
  const dropped = new Set<string>();
  liveIds.forEach((id, i) => {
    const below: Owners = {
      ours: ours.get(id),
      others: others.map((sets) => sets.get(id)).filter((fields) => fields !== undefined),
    };
    const applied = given.get(id);
    const owned = { ours: below.ours, others: below.others.filter(isMember) };
    if (applied === undefined && below.ours !== undefined && isMember(below.ours) && isDropped(owned)) dropped.add(id);
    // Duplicates are not merged: the applied element replaces all of them.
    else if (applied !== undefined && (count.get(id) ?? 0) > 1) merged.set(id, applied);
    else if (applied !== undefined || below.ours !== undefined)
      merged.set(id, merge(type.element, below, live[i] ?? null, applied));
  });
  return mergedOrder(liveIds, next.map(idOf)).flatMap(({ id, place }): Json[] => {
    if (dropped.has(id)) return [];
    return [merged.get(id) ?? given.get(id) ?? live[place] ?? null];
  });
}

/** Whether an owner has the element itself, not only one of its fields. */
function isMember(fields: FieldSet): boolean {
  return Object.hasOwn(fields, ".") || Object.keys(fields).length === 0;
}

interface Placed {
  readonly id: string;
  /** The place in the live list, or `APPLIED`. */
  readonly place: number;
}

/** The element is applied: it has no place in the live list. */
const APPLIED = -1;

/** The order of visitListItems in typed/merge.go: applied elements in their order, others where they were. */
function mergedOrder(live: readonly string[], next: readonly string[]): Placed[] {
  const [inLive, inNext] = [new Set(live), new Set(next)];
  const shared = next.filter((id) => inLive.has(id));
  const taken = new Set<string>();
  const order: Placed[] = [];
  let [l, n, s] = [0, 0, 0];
  while (l < live.length || n < next.length) {
    const [left, right] = [live[l], next[n]];
    if (left !== undefined && right !== undefined) {
      if (left === right) {
        taken.add(left);
        order.push({ id: left, place: l });
        [l, n, s] = [l + 1, n + 1, s + 1];
        continue;
      }
      if (inNext.has(left) && shared[s] !== undefined && shared[s] !== left) {
        l++;
        continue;
      }
    }
    if (left !== undefined) {
      if (!inNext.has(left)) {
        order.push({ id: left, place: l });
        l++;
        continue;
      }
      if (taken.has(left)) l++;
    }
    if (right === undefined) continue;
    taken.add(right);
    order.push({ id: right, place: APPLIED });
    n++;
    if (shared[s] === right) s++;
  }
  return order;
}

/** The identity of a list element; keys that are not written have their defaults. */
function elementId({ apply, element: type }: Merged, element: Json): string {
  if (!isMapping(element) || typeof apply === "string") return stableJson(element);
  const keys = apply.flatMap((key): [string, Json][] => {
    const written = element[key] ?? null;
    const value = written ?? (type.form === "struct" ? (defaultOf(type.name, key, element) ?? null) : null);
    return value === null ? [] : [[key, value]];
  });
  return stableJson(Object.fromEntries(keys));
}
