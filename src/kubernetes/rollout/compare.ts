import { type Json } from "../../yaml/read/node.ts";
import { isMapping, stableJson } from "../../yaml/read/json.ts";
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

// Two pod templates are compared as the controllers do (apiequality.Semantic.DeepEqual; for
// StatefulSets and DaemonSets by what is written back): after defaulting, quantities by value, nil
// equal to empty, maps without order, lists with it.

/** A place in which two objects differ. */
export interface Change {
  /** Steps from the compared object: `spec.containers[name=app].image`. */
  readonly path: string;
  /** As it is written, or the default; null where it is absent. */
  readonly from: Json;
  readonly to: Json;
  /** The type of the value, where Kubernetes declares one. */
  readonly type: FieldType;
  /** The field that it is, or is in by a list or a map: of which of Kubernetes' types. */
  readonly field?: StructField;
  /** The same elements in another order. */
  readonly order?: true;
}

/** A field of one of Kubernetes' types. */
export interface StructField {
  readonly struct: string;
  readonly name: string;
}

export interface CompareOptions {
  /** Quantities of one value may differ in their suffix: a StatefulSet or DaemonSet rolls then. */
  readonly quantitiesByText: boolean;
}

/** The differences of two objects of a type, in the order of their fields' names. */
export function compare(type: FieldType, from: Json, to: Json, options: CompareOptions, field?: StructField): Change[] {
  const changes: Change[] = [];
  walk({ options, milli: false, changes, field }, type, from, to, "");
  return changes;
}

interface Walk {
  readonly options: CompareOptions;
  /** Within a list of resources, whose quantities are rounded to thousandths. */
  readonly milli: boolean;
  readonly changes: Change[];
  readonly field: StructField | undefined;
}

function tell(at: Walk, change: Change): void {
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
      if (scalarKey(at, type, from) !== scalarKey(at, type, to)) tell(at, { path, from, to, type });
  }
}

function walkStruct(at: Walk, type: StructType, from: Json, to: Json, path: string): void {
  if (!(isMapping(from) || from === null) || !(isMapping(to) || to === null)) return walk(at, ANY, from, to, path);
  if (type.pointer && (from === null) !== (to === null)) {
    tell(at, { path, from, to, type });
    return;
  }
  const a = unaliased(type.name, from ?? {});
  const b = unaliased(type.name, to ?? {});
  for (const field of fieldNames(type.name, a, b)) {
    // A default that follows from another field's change is told there.
    if (!isWritten(a, field) && !isWritten(b, field)) continue;
    const fieldIn = fieldType(type.name, field) ?? ANY;
    const valueIn = (object: JsonObject): Json => {
      const value = valueOr(object, field);
      return value === null || isUnset(fieldIn, value) ? (defaultOf(type.name, field, object) ?? null) : value;
    };
    walk({ ...at, field: { struct: type.name, name: field } }, fieldIn, valueIn(a), valueIn(b), step(path, field));
  }
}

/** A zero value whose type can't tell it from an absent one, so that the default takes its place. */
function isUnset(type: FieldType, value: Json): boolean {
  return type.form === "scalar" && !type.pointer && (value === "" || value === 0 || value === false);
}

function fieldNames(struct: string, a: JsonObject, b: JsonObject): string[] {
  const names = new Set([...Object.keys(a), ...Object.keys(b)]);
  return [...names].sort((x, y) => rank(struct, x) - rank(struct, y) || (x < y ? -1 : 1));
}

/** What changes most often, and explains the most, is told first. */
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
  // A key with an empty value is there: only whole maps are alike where they are absent or empty.
  const element: FieldType = type.element.form === "scalar" ? { ...type.element, pointer: true } : type.element;
  for (const key of [...new Set([...Object.keys(a), ...Object.keys(b)])].sort()) {
    walk(inside, element, valueOr(a, key), valueOr(b, key), step(path, key));
  }
}

/** The value of a key; null where there is none, for keys such as `constructor` too. */
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
    if (textOf(a) !== textOf(b)) tell(at, { path, from, to, type });
    return;
  }
  const namesA = elementNames(type.key, a);
  const namesB = elementNames(type.key, b);
  if (namesA === undefined || namesB === undefined) return walkByPlace(at, type, a, b, path);
  const inB = new Map(namesB.map((name, i) => [name, b[i] ?? null]));
  const inA = new Set(namesA);
  namesA.forEach((name, i) => {
    const element = `${path}[${type.key}=${name}]`;
    const other = inB.get(name);
    if (other === undefined) tell(at, { path: element, from: a[i] ?? null, to: null, type: type.element });
    else walk(at, type.element, a[i] ?? null, other, element);
  });
  namesB.forEach((name, i) => {
    if (!inA.has(name))
      tell(at, { path: `${path}[${type.key}=${name}]`, from: null, to: b[i] ?? null, type: type.element });
  });
  const commonA = namesA.filter((name) => inB.has(name));
  const commonB = namesB.filter((name) => inA.has(name));
  if (commonA.some((name, i) => name !== commonB[i])) {
    tell(at, { path, from: commonA, to: commonB, type: ANY, order: true });
  }
}

function walkByPlace(at: Walk, type: ListType, a: readonly Json[], b: readonly Json[], path: string): void {
  for (let i = 0; i < Math.max(a.length, b.length); i++) {
    const element = `${path}[${i}]`;
    const before = a[i];
    const after = b[i];
    if (before === undefined || after === undefined) {
      tell(at, { path: element, from: before ?? null, to: after ?? null, type: type.element });
    } else walk(at, type.element, before, after, element);
  }
}

/** The texts by which the elements of a list are told apart; undefined where they don't tell them apart. */
function elementNames(key: string | undefined, list: readonly Json[]): string[] | undefined {
  if (key === undefined) return undefined;
  const names: string[] = [];
  for (const element of list) {
    const name = isMapping(element) ? element[key] : undefined;
    if (typeof name !== "string" && typeof name !== "number") return undefined;
    names.push(String(name));
  }
  return new Set(names).size === names.length ? names : undefined;
}

/** A text that is the same for scalars that are equal. */
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

/** The label or annotation that a path of a pod template is of; undefined for any other field. */
export function metadataEntry(
  path: string,
): { readonly map: "labels" | "annotations"; readonly key: string } | undefined {
  const { map, plain, quoted } = METADATA.exec(path)?.groups ?? {};
  const key = plain ?? quoted;
  return key === undefined ? undefined : { map: map === "labels" ? "labels" : "annotations", key };
}

/** A further step of a path: a key with other characters stands in brackets, as jq and kubectl write it. */
export function step(path: string, key: string): string {
  if (!PLAIN_STEP.test(key)) return `${path}[${JSON.stringify(key)}]`;
  return path === "" ? key : `${path}.${key}`;
}
