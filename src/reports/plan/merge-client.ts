import { type Json } from "../../yaml/read/node.ts";
import { isMapping, stableJson } from "../../yaml/read/json.ts";
import { ANY, fieldType, type FieldType, type ListType } from "../../kubernetes/rollout/pod-types.ts";
import { groupedBy } from "../../base/grouped.ts";

// kubectl apply without --server-side is a three-way merge: of the last applied manifest, the live object and the new
// manifest. For Kubernetes' own kinds it is a strategic merge patch (apimachinery pkg/util/strategicpatch), for others a
// JSON merge patch (pkg/util/jsonmergepatch), which replaces lists.

type JsonObject = { [key: string]: Json };

/** Merges a manifest into a live object as kubectl does. `type` is undefined for custom kinds. */
export function mergeByClient(type: FieldType | undefined, last: Json | undefined, live: Json, next: Json): Json {
  return merge(type ?? ANY, last, live, next, { strategic: type !== undefined, retainKeys: false });
}

interface How {
  readonly strategic: boolean;
  readonly retainKeys: boolean;
}

function merge(type: FieldType, last: Json | undefined, live: Json, next: Json, how: How): Json {
  if (isMapping(live) && isMapping(next)) return mergeObjects(type, isMapping(last) ? last : {}, live, next, how);
  if (!Array.isArray(live) || !Array.isArray(next)) return withoutNulls(next);
  if (type.form !== "list") return next;
  const before = Array.isArray(last) ? last : [];
  if (type.patch === "set") return mergeSets(before, live, next);
  return type.key === undefined ? next : mergeLists(type, type.key, before, live, next);
}

function mergeObjects(type: FieldType, last: JsonObject, live: JsonObject, next: JsonObject, how: How): Json {
  const merged: JsonObject = {};
  const keepsOnlyOurs = how.retainKeys || (type.form === "struct" && type.retainKeys);
  for (const [key, value] of Object.entries(live)) {
    const given = valueOf(next, key);
    const before = valueOf(last, key);
    const isGone = given === null && (how.strategic || (before !== undefined && before !== null));
    if (isGone) continue;
    if (given !== undefined && given !== null) {
      merged[key] = merge(childType(type, key), before, value, given, { ...how, retainKeys: false });
    } else if (given === null || (before === undefined && !keepsOnlyOurs)) merged[key] = value;
  }
  for (const [key, value] of Object.entries(next)) {
    if (valueOf(live, key) === undefined && value !== null) merged[key] = withoutNulls(value);
  }
  return merged;
}

/** The type of a field or of a map's value. */
export function childType(type: FieldType, key: string): FieldType {
  if (type.form === "struct") return fieldType(type.name, key) ?? ANY;
  return type.form === "map" ? type.element : ANY;
}

function valueOf(object: JsonObject, key: string): Json | undefined {
  return Object.hasOwn(object, key) ? object[key] : undefined;
}

/** Drops nulls: a field that does not exist need not be removed. */
function withoutNulls(value: Json): Json {
  if (!isMapping(value)) return value;
  const entries = Object.entries(value).filter(([, inner]) => inner !== null);
  return Object.fromEntries(entries.map(([key, inner]) => [key, withoutNulls(inner)]));
}

function mergeSets(last: readonly Json[], live: readonly Json[], next: readonly Json[]): Json[] {
  const texts = (list: readonly Json[]): Set<string> => new Set(list.map(stableJson));
  const [before, there, given] = [texts(last), texts(live), texts(next)];
  const stays = live.filter((value) => given.has(stableJson(value)) || !before.has(stableJson(value)));
  const added = next.filter((value) => !there.has(stableJson(value)));
  // If an element is added, the server removes duplicates (deduplicateScalars). It does so in a separate
  // list: an added element has no place in the live order.
  const merged =
    added.length === 0 ? stays : [...new Map([...stays, ...added].map((v) => [stableJson(v), v])).values()];
  return inOrder(merged, live, next, stableJson);
}

function mergeLists(
  type: ListType,
  field: string,
  last: readonly Json[],
  live: readonly Json[],
  next: readonly Json[],
): Json[] {
  const keyOf = (element: Json): string => {
    const value = isMapping(element) ? valueOf(element, field) : undefined;
    return value === undefined ? NO_KEY : stableJson(value);
  };
  // kubectl refuses elements without the key.
  if ([...live, ...next].some((element) => keyOf(element) === NO_KEY)) return [...next];
  const [before, there, given] = [groupedBy(last, keyOf), groupedBy(live, keyOf), groupedBy(next, keyOf)];
  const merged: Json[] = [];
  for (const [key, elements] of there)
    merged.push(...mergeGroup(type, before.get(key) ?? [], elements, given.get(key) ?? []));
  for (const [key, elements] of given) if (!there.has(key)) merged.push(...mergeGroup(type, [], [], elements));
  // The server has deleted and appended in the array of the live list, and reads the live order from it at its old
  // length: an appended element counts if it took the place of a deleted one.
  const left = new Set(merged.map(keyOf));
  const remaining = live.filter((element) => left.has(keyOf(element)));
  const added = next.filter((element) => !there.has(keyOf(element)));
  return inOrder(merged, [...remaining, ...added].slice(0, live.length), next, keyOf);
}

/** A key that no value has. */
const NO_KEY = "";

/** Merges elements with one key. There is one, except for duplicates, which are paired by their order. */
function mergeGroup(type: ListType, last: readonly Json[], live: readonly Json[], next: readonly Json[]): Json[] {
  const how: How = { strategic: true, retainKeys: type.retainKeys };
  // If an element is no longer applied, all elements with its key are deleted.
  const merged = last.length > next.length ? [] : [...live];
  next.forEach((element, i) => {
    const partner = live[i] ?? null;
    if (stableJson(merge(type.element, last[i], partner, element, how)) === stableJson(partner)) return;
    // The server merges a change into the first element with the key.
    merged[0] = merge(type.element, last[i], merged[0] ?? null, element, how);
  });
  return merged;
}

/**
 * `$setElementOrder`: elements of the manifest are in its order. Elements that others added come before the first element
 * that they preceded in the live order (normalizeElementOrder, mergeSortedSlice).
 */
function inOrder(
  merged: readonly Json[],
  liveOrder: readonly Json[],
  next: readonly Json[],
  keyOf: (element: Json) => string,
): Json[] {
  const placeIn = (list: readonly Json[]): Map<string, number> => {
    const places = new Map<string, number>();
    list.forEach((element, i) => {
      if (!places.has(keyOf(element))) places.set(keyOf(element), i);
    });
    return places;
  };
  const inLive = placeIn(liveOrder);
  const inNext = placeIn(next);
  const place = (places: ReadonlyMap<string, number>, element: Json): number => places.get(keyOf(element)) ?? -1;
  const ours = merged.filter((element) => inNext.has(keyOf(element)));
  ours.sort((a, b) => place(inNext, a) - place(inNext, b));
  const others = merged.filter((element) => !inNext.has(keyOf(element)));
  const all: Json[] = [];
  let left = 0;
  for (const element of ours) {
    const here = place(inLive, element);
    let end = left;
    while (end < others.length && place(inLive, others[end] ?? null) < here) end++;
    all.push(...others.slice(left, end), element);
    left = end;
  }
  return [...all, ...others.slice(left)];
}
