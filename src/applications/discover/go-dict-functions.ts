import { text, type Functions } from "./go-arguments.ts";
import { forgetWeights } from "./go-weights.ts";
import { isList, isMap, isTrue, unknown, wrong, type Value, type ValueMap } from "./go-values.ts";

// Of sprig: mappings that are copied, and those that are changed in place (sprig/v3, dict.go; dario.cat/mergo). What a
// template has made itself may be changed. Parameters may not: other fields, and other Applications, would see it.

const made = new WeakSet<object>();

/** A mapping that the template has made: it may change it. */
export function ofOwn<T extends Value>(value: T): T {
  if (isMap(value)) made.add(value);
  return value;
}

/** The same with all that is in it. */
export function allOwn<T extends Value>(value: T): T {
  if (isList(value)) for (const one of value) allOwn(one);
  else if (isMap(value)) for (const one of Object.values(ofOwn(value))) allOwn(one);
  return value;
}

export const DICT_FUNCTIONS: Functions = {
  pick: (value, ...keys) => {
    const names = new Set(keys.map(text));
    return ofOwn(Object.fromEntries(Object.entries(map(value)).filter(([key]) => names.has(key))));
  },
  omit: (value, ...keys) => {
    const names = new Set(keys.map(text));
    return ofOwn(Object.fromEntries(Object.entries(map(value)).filter(([key]) => !names.has(key))));
  },
  pluck: (key, ...values) =>
    values.map(map).flatMap((value) => (Object.hasOwn(value, text(key)) ? [value[text(key)]] : [])),
  // In any order there: who relies on it sorts them.
  keys: (...values) => values.map(map).flatMap((value) => Object.keys(value).sort()),
  deepCopy: (value) => allOwn(copied(value)),
  mustDeepCopy: (value) => allOwn(copied(value)),
  set: (value, key, given) => {
    put(changing(map(value)), text(key), given);
    return value;
  },
  unset: (value, key) => {
    forgetWeights();
    Reflect.deleteProperty(changing(map(value)), text(key));
    return value;
  },
  merge: (first, ...others) => mergedInto(first, others, false),
  mustMerge: (first, ...others) => mergedInto(first, others, false),
  mergeOverwrite: (first, ...others) => mergedInto(first, others, true),
  mustMergeOverwrite: (first, ...others) => mergedInto(first, others, true),
};

function map(value: Value): ValueMap {
  if (isMap(value)) return value;
  throw wrong("gives a function something else than a mapping");
}

function changing(value: ValueMap): ValueMap {
  if (made.has(value)) return value;
  throw unknown("changes a mapping of its parameters (deepCopy makes one of its own)");
}

function put(into: ValueMap, key: string, value: Value): void {
  if (holds(value, into)) throw wrong("puts a mapping into itself");
  forgetWeights();
  Object.defineProperty(into, key, { value, writable: true, enumerable: true, configurable: true });
}

function holds(value: Value, part: ValueMap): boolean {
  if (value === part) return true;
  if (isList(value)) return value.some((one) => holds(one, part));
  return isMap(value) && Object.values(value).some((one) => holds(one, part));
}

function copied(value: Value): Value {
  if (isList(value)) return value.map(copied);
  if (!isMap(value)) return value;
  return Object.fromEntries(Object.entries(value).map(([key, one]) => [key, copied(one)]));
}

function mergedInto(first: Value, others: readonly Value[], overwrites: boolean): Value {
  for (const other of others.map(map)) merge(map(first), other, overwrites);
  return first;
}

function merge(into: ValueMap, from: ValueMap, overwrites: boolean): void {
  for (const [key, value] of Object.entries(from)) {
    const before = Object.hasOwn(into, key) ? into[key] : undefined;
    if (isMap(value) && isMap(before)) merge(before, value, overwrites);
    else if (value === null || value === undefined) {
      if (overwrites) put(changing(into), key, value);
    } else if (overwrites || !isTrue(before)) put(changing(into), key, value);
  }
}
