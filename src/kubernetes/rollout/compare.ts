import { type Json } from "../../yaml/read/node.ts";
import { isMapping, stableJson, fieldOf } from "../../yaml/read/json.ts";
import { ALIASES, defaultOf, type JsonObject } from "./pod-defaults.ts";
import {
  ANY,
  fieldType,
  type FieldType,
  type ListType,
  type MapType,
  type ScalarType,
  type StructType,
} from "./pod-types.ts";
import { quantityKey } from "./quantity.ts";

// Pod templates are compared as the controllers compare them (apiequality.Semantic.DeepEqual; for StatefulSets and
// DaemonSets by the serialized form): after defaulting, quantities by value, nil equal to empty, maps without order,
// lists with order.

/** A difference between two objects. */
export interface Change {
  /** The path from the compared object: `spec.containers[name=app].image`. */
  readonly path: string;
  /** The value as written, or the default; null if absent. */
  readonly from: Json;
  readonly to: Json;
  /** The type of the value, if Kubernetes declares one. */
  readonly type: FieldType;
  /** The field with a type of Kubernetes that the value is, or that contains it. */
  readonly field?: StructField;
  /** The lists have the same elements in another order. */
  readonly order?: true;
}

/** A field of a type of Kubernetes. */
export interface StructField {
  readonly struct: string;
  readonly name: string;
}

export interface CompareOptions {
  /** Equal quantities with different suffixes count as different: StatefulSets and DaemonSets roll out then. */
  readonly quantitiesByText: boolean;
}

/** The differences between two objects of a type, in the order of the fields' names. */
export function compare(type: FieldType, from: Json, to: Json, options: CompareOptions, field?: StructField): Change[] {
  const changes: Change[] = [];
  walk({ options, milli: false, changes, field }, type, from, to, "");
  return changes;
}

interface Walk {
  readonly options: CompareOptions;
  /** Whether this is in a list of resources, whose quantities are rounded to thousandths. */
  readonly milli: boolean;
  readonly changes: Change[];
  readonly field: StructField | undefined;
}

function addChange(at: Walk, change: Change): void {
  at.changes.push(at.field === undefined ? change : { ...change, field: at.field });
}

function walk(at: Walk, type: FieldType, from: Json, to: Json, path: string): void {
  switch (type.form) {
    case "struct":
      return walkStruct(at, type, from, to, path);
    case "list":
      return walkList(at, type, from, to, path);
    case "map":
      return walkMap(at, type, from, to, path);
    default:
      if (scalarKey(at, type, from) !== scalarKey(at, type, to)) addChange(at, { path, from, to, type });
  }
}

function walkStruct(at: Walk, type: StructType, from: Json, to: Json, path: string): void {
  if (!(isMapping(from) || from === null) || !(isMapping(to) || to === null)) return walk(at, ANY, from, to, path);
  if (type.pointer && (from === null) !== (to === null)) {
    addChange(at, { path, from, to, type });
    return;
  }
  const a = unaliased(type.name, from ?? {});
  const b = unaliased(type.name, to ?? {});
  for (const field of fieldNames(type.name, a, b)) {
    // A default that follows from another field is reported with that field.
    if (!isWritten(a, field) && !isWritten(b, field)) continue;
    const fieldIn = fieldType(type.name, field) ?? ANY;
    const valueIn = (object: JsonObject): Json => {
      const value = valueOr(object, field);
      return value === null || isUnset(fieldIn, value) ? (defaultOf(type.name, field, object) ?? null) : value;
    };
    walk({ ...at, field: { struct: type.name, name: field } }, fieldIn, valueIn(a), valueIn(b), step(path, field));
  }
}

/** A zero value that its type cannot distinguish from an absent one: the default replaces it. */
function isUnset(type: FieldType, value: Json): boolean {
  return type.form === "scalar" && !type.pointer && (value === "" || value === 0 || value === false);
}

function fieldNames(struct: string, a: JsonObject, b: JsonObject): string[] {
  const names = new Set([...Object.keys(a), ...Object.keys(b)]);
  return [...names].sort((x, y) => rank(struct, x) - rank(struct, y) || (x < y ? -1 : 1));
}

/** First the fields that change most often and explain the most. */
const FIRST = ["image", "command", "args", "env", "envFrom"];

function rank(struct: string, field: string): number {
  const place = struct === "Container" ? FIRST.indexOf(field) : -1;
  return place < 0 ? FIRST.length : place;
}

function isWritten(object: JsonObject, field: string): boolean {
  return valueOr(object, field) !== null;
}

function unaliased(struct: string, object: JsonObject): JsonObject {
  const aliases = ALIASES[struct];
  if (aliases === undefined) return object;
  const result: { [key: string]: Json } = { ...object };
  for (const [alias, field] of Object.entries(aliases)) {
    const value = result[alias];
    if (value === undefined) continue;
    if ((result[field] ?? "") === "") result[field] = value;
    delete result[alias];
  }
  return result;
}

function walkMap(at: Walk, type: MapType, from: Json, to: Json, path: string): void {
  if (!(isMapping(from) || from === null) || !(isMapping(to) || to === null)) return walk(at, ANY, from, to, path);
  // A map of quantities is a list of resources.
  const inside: Walk = { ...at, milli: true };
  const a = from ?? {};
  const b = to ?? {};
  // A key with an empty value is present: only whole maps are equal when absent or empty.
  const element: FieldType = type.element.form === "scalar" ? { ...type.element, pointer: true } : type.element;
  for (const key of [...new Set([...Object.keys(a), ...Object.keys(b)])].sort()) {
    walk(inside, element, valueOr(a, key), valueOr(b, key), step(path, key));
  }
}

/** The value of a key; null if absent, also for keys such as `constructor`. */
function valueOr(object: JsonObject, key: string): Json {
  return Object.hasOwn(object, key) ? (object[key] ?? null) : null;
}

function walkList(at: Walk, type: ListType, from: Json, to: Json, path: string): void {
  const a = from ?? [];
  const b = to ?? [];
  if (!Array.isArray(a) || !Array.isArray(b)) return walk(at, ANY, from, to, path);
  if (type.element.form === "scalar") {
    const { element } = type;
    const textOf = (list: Json[]): string => JSON.stringify(list.map((value) => scalarKey(at, element, value)));
    if (textOf(a) !== textOf(b)) addChange(at, { path, from, to, type });
    return;
  }
  const namesA = elementNames(type, a);
  const namesB = elementNames(type, b);
  if (namesA === undefined || namesB === undefined) return walkByPlace(at, type, a, b, path);
  const inB = new Map(namesB.map((name, i) => [name, b[i] ?? null]));
  const inA = new Set(namesA);
  namesA.forEach((name, i) => {
    const element = `${path}[${type.key}=${name}]`;
    const other = inB.get(name);
    if (other === undefined) addChange(at, { path: element, from: a[i] ?? null, to: null, type: type.element });
    else walk(at, type.element, a[i] ?? null, other, element);
  });
  namesB.forEach((name, i) => {
    if (!inA.has(name))
      addChange(at, { path: `${path}[${type.key}=${name}]`, from: null, to: b[i] ?? null, type: type.element });
  });
  const commonA = namesA.filter((name) => inB.has(name));
  const commonB = namesB.filter((name) => inA.has(name));
  if (commonA.some((name, i) => name !== commonB[i])) {
    addChange(at, { path, from: commonA, to: commonB, type: ANY, order: true });
  }
}

function walkByPlace(at: Walk, type: ListType, a: readonly Json[], b: readonly Json[], path: string): void {
  for (let i = 0; i < Math.max(a.length, b.length); i++) {
    const element = `${path}[${i}]`;
    const before = a[i];
    const after = b[i];
    if (before === undefined || after === undefined) {
      addChange(at, { path: element, from: before ?? null, to: after ?? null, type: type.element });
    } else walk(at, type.element, before, after, element);
  }
}

/** The texts that identify the elements of a list; undefined if they are not unique, or none that the API server takes. */
function elementNames({ key, element: type }: ListType, list: readonly Json[]): string[] | undefined {
  if (key === undefined) return undefined;
  const keyType = type.form === "struct" ? fieldType(type.name, key) : undefined;
  const isNumber = keyType?.form === "scalar" && keyType.scalar === "int";
  const names: string[] = [];
  for (const element of list) {
    const name = fieldOf(element, key);
    if (typeof name !== "number" && (isNumber || typeof name !== "string")) return undefined;
    names.push(String(name));
  }
  return new Set(names).size === names.length ? names : undefined;
}

/** A string that is equal for equal scalars. */
function scalarKey(at: Walk, type: ScalarType, value: Json): string {
  if (value === null) return type.pointer ? "absent" : "zero";
  if (!type.pointer && (value === "" || value === 0 || value === false)) return "zero";
  if (type.scalar === "quantity" && (typeof value === "string" || typeof value === "number")) {
    const key = quantityKey(String(value), { milli: at.milli, byText: at.options.quantitiesByText });
    return key === "0" && !type.pointer ? "zero" : key;
  }
  return stableJson(value);
}

const PLAIN_STEP = /^[A-Za-z0-9_-]+$/u;

const METADATA = /^metadata\.(?<map>labels|annotations)(?:\.(?<plain>[\w-]+)|\["(?<quoted>[^"\\]+)"\])$/u;

/** The key of the label or annotation at a path of a pod template; undefined for other fields. */
export function metadataEntry(
  path: string,
): { readonly map: "labels" | "annotations"; readonly key: string } | undefined {
  const { map, plain, quoted } = METADATA.exec(path)?.groups ?? {};
  const key = plain ?? quoted;
  return key === undefined ? undefined : { map: map === "labels" ? "labels" : "annotations", key };
}

/** Appends a step to a path: a key with special characters is in brackets, as in jq and kubectl. */
export function step(path: string, key: string): string {
  if (!PLAIN_STEP.test(key)) return `${path}[${JSON.stringify(key)}]`;
  return path === "" ? key : `${path}.${key}`;
}
