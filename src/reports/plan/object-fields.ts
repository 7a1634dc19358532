import { areKeys } from "../../base/names.ts";
import { compare, step } from "../../kubernetes/rollout/compare.ts";
import { typeOf } from "../../kubernetes/rollout/pod-types.ts";
import { fieldOf, fieldsOf, isMapping, stableJson, type Mapping } from "../../yaml/read/json.ts";
import type { Json } from "../../yaml/read/node.ts";
import { isDigest, shownValues } from "./hidden-values.ts";
import type { ChangedField } from "./plan-reasons.ts";
import { ELEMENT, shownFields, stepInto, type ShownStep } from "./shown-object-fields.ts";

/** The kinds whose types are known, as scripts/pod-template-types names them. */
const TYPED: ReadonlyMap<string, string> = new Map([
  ["apps/Deployment", "Deployment"],
  ["apps/StatefulSet", "StatefulSet"],
  ["apps/DaemonSet", "DaemonSet"],
  ["apps/ReplicaSet", "ReplicaSet"],
  ["extensions/Deployment", "Deployment"],
  ["extensions/DaemonSet", "DaemonSet"],
  ["batch/CronJob", "CronJob"],
  ["batch/Job", "Job"],
]);

/** How many fields of an object are listed. */
const MOST_FIELDS = 20;

/** The fields of an object that differ, the first of them, and how many more do. */
export interface ObjectFields {
  readonly fields: readonly ChangedField[];
  readonly moreFields: number;
}

/** The fields in which two contents of an object differ. Values are shown only if they can't be secret. */
export function objectFields(
  object: { readonly group: string; readonly kind: string },
  from: Json,
  to: Json,
): ObjectFields {
  const type = TYPED.get(`${object.group}/${object.kind}`);
  const found: Found = { fields: [], count: 0 };
  if (type !== undefined) {
    for (const change of compare(typeOf(type), from, to, { quantitiesByText: false })) {
      add(found, () => ({ path: change.path, ...shownValues(change, false) }));
    }
  } else if (isSource(object) && ![from, to].every(hasNamedKeys)) {
    compareValues(found, shownFields(object), withoutData(from), withoutData(to), "");
    if (stableJson(dataOf(from)) !== stableJson(dataOf(to))) add(found, () => ({ path: "data", hidden: true }));
  } else compareValues(found, shownFields(object), from, to, "");
  return { fields: found.fields, moreFields: found.count - found.fields.length };
}

const DATA = ["data", "stringData", "binaryData"] as const;

function isSource({ group, kind }: { readonly group: string; readonly kind: string }): boolean {
  return group === "" && (kind === "Secret" || kind === "ConfigMap");
}

function dataOf(content: Json): Json {
  return DATA.map((field) => fieldOf(content, field) ?? null);
}

/** Whether no key of a source can be a part of a value (keyNames). */
function hasNamedKeys(content: Json): boolean {
  return areKeys(DATA.flatMap((field) => Object.keys(fieldsOf(fieldOf(content, field)))));
}

function withoutData(content: Json): Json {
  return isMapping(content) ? Object.assign({}, content, { data: null, stringData: null, binaryData: null }) : content;
}

interface Found {
  readonly fields: ChangedField[];
  count: number;
}

function add(found: Found, field: () => ChangedField): void {
  found.count += 1;
  if (found.fields.length < MOST_FIELDS) found.fields.push(field());
}

/** Compares two values. Mappings are compared by key, also with a missing one, lists by the names of their elements. */
function compareValues(found: Found, shown: ShownStep, from: Json, to: Json, path: string): void {
  if ((isMapping(from) || from === null) && (isMapping(to) || to === null) && (from !== null || to !== null)) {
    const keys = [...new Set([...Object.keys(from ?? {}), ...Object.keys(to ?? {})])].sort();
    // An empty mapping is not the same as none.
    if (keys.length === 0) addChange(found, shown, from, to, path);
    for (const key of keys)
      compareValues(found, stepInto(shown, key), valueOf(from, key), valueOf(to, key), step(path, key));
  } else if (Array.isArray(from) && Array.isArray(to)) compareLists(found, shown, from, to, path);
  else addChange(found, shown, from, to, path);
}

function valueOf(mapping: Mapping | null, key: string): Json {
  return mapping !== null && Object.hasOwn(mapping, key) ? (mapping[key] ?? null) : null;
}

function compareLists(found: Found, shown: ShownStep, a: readonly Json[], b: readonly Json[], path: string): void {
  const inside = stepInto(shown, ELEMENT);
  const [before, after] = [byName(a), byName(b)];
  if (before !== undefined && after !== undefined) {
    let isReordered = false;
    let last = -1;
    const names = [...after.keys()];
    const places = new Map(names.map((name, i) => [name, i]));
    for (const [name, from] of before) {
      const place = places.get(name);
      if (place === undefined) addChange(found, inside, from, null, `${path}[name=${name}]`);
      else {
        isReordered ||= place < last;
        last = place;
        compareValues(found, inside, from, after.get(name) ?? null, `${path}[name=${name}]`);
      }
    }
    for (const name of names)
      if (!before.has(name)) addChange(found, inside, null, after.get(name) ?? null, `${path}[name=${name}]`);
    if (isReordered) add(found, () => ({ path, hidden: true }));
  } else if (a.length === b.length && [...a, ...b].every((one) => isMapping(one))) {
    a.forEach((from, i) => compareValues(found, inside, from, b[i] ?? null, `${path}[${i}]`));
  } else addChange(found, shown, [...a], [...b], path);
}

/** The elements of a list by name; undefined if their names are missing or not unique. */
function byName(list: readonly Json[]): ReadonlyMap<string, Json> | undefined {
  const found = new Map<string, Json>();
  for (const element of list) {
    const name = fieldOf(element, "name");
    if (typeof name !== "string" || found.has(name)) return undefined;
    found.set(name, element);
  }
  return found;
}

function addChange(found: Found, shown: ShownStep, from: Json, to: Json, path: string): void {
  if (from === to || stableJson(from) === stableJson(to)) return;
  add(found, () => ({ path, ...(isShown(shown, from) && isShown(shown, to) ? { from, to } : { hidden: true }) }));
}

// Longer than any name, image or version.
const LONGEST = 520;
/** More elements are not read. */
const MOST_ELEMENTS = 20;

/** Whether a value, and everything in it, is shown. */
function isShown(shown: ShownStep, value: Json): boolean {
  if (value === null) return true;
  if (Array.isArray(value)) {
    const inside = stepInto(shown, ELEMENT);
    return value.length <= MOST_ELEMENTS && value.every((one) => isShown(inside, one));
  }
  if (isMapping(value)) {
    const entries = Object.entries(value);
    return entries.length <= MOST_ELEMENTS && entries.every(([key, inner]) => isShown(stepInto(shown, key), inner));
  }
  return shown.isShown && (typeof value !== "string" || (value.length <= LONGEST && !isDigest(value)));
}
