import { float, int, int64, list, own, steps, text, type Functions } from "./go-arguments.ts";
import { ofOwn } from "./go-dict-functions.ts";
import { inside, isSame, isTrue, typed, wrong, type Value } from "./go-values.ts";

/** Of sprig: lists, mappings and numbers. */
export const LIST_FUNCTIONS: Functions = {
  list: (...values) => values,
  tuple: (...values) => values,
  first: (value) => list(value)[0],
  last: (value) => list(value).at(-1),
  rest: (value) => list(value).slice(1),
  initial: (value) => list(value).slice(0, -1),
  reverse: (value) => list(value).toReversed(),
  has: (part, value) => list(value ?? []).some((one) => isSame(one, part)),
  without: (value, ...parts) => list(value).filter((one) => !parts.some((part) => isSame(one, part))),
  uniq: (value) => [...new Map(list(value).map((one) => [typed(one), one])).values()],
  compact: (value) => list(value).filter(isTrue),
  append: (value, one) => [...list(value), one],
  push: (value, one) => [...list(value), one],
  prepend: (value, one) => [one, ...list(value)],
  concat: (...values) => values.flatMap(list),
  slice: (value, from = 0n, to) => {
    const [start, end] = [int(from), to === undefined ? undefined : int(to)];
    if (typeof value === "string") return value.slice(start, end);
    return list(value).slice(start, end);
  },
  until: (count) => steps(0, int(count), int(count) < 0 ? -1 : 1),
  untilStep: (from, to, step) => steps(int(from), int(to), int(step)),
  dict: (...values) =>
    ofOwn(
      Object.fromEntries(
        Array.from({ length: Math.ceil(values.length / 2) }, (_, i) => [
          inside(values[i * 2]),
          i * 2 + 1 < values.length ? values[i * 2 + 1] : "",
        ]),
      ),
    ),
  get: (value, key) => own(value, text(key)) ?? "",
  hasKey: (value, key) => own(value, text(key)) !== undefined,
  dig: (...values) => {
    const [fallback, from] = values.slice(-2);
    const found = values.slice(0, -2).reduce<Value>((value, key) => own(value, text(key)), from);
    return found ?? fallback;
  },
  int: (value) => int64(value),
  int64: (value) => int64(value),
  float64: (value) => float(value),
  atoi: (value) => (/^[+-]?\d+$/u.test(text(value)) ? BigInt.asIntN(64, BigInt(text(value).replace("+", ""))) : 0n),
  add: (...values) => whole(values.map(int64).reduce((a, b) => a + b, 0n)),
  add1: (value) => whole(int64(value) + 1n),
  sub: (a, b) => whole(int64(a) - int64(b)),
  mul: (...values) => whole(values.map(int64).reduce((a, b) => whole(a * b), 1n)),
  max: (...values) => values.map(int64).reduce((a, b) => (a > b ? a : b)),
  min: (...values) => values.map(int64).reduce((a, b) => (a < b ? a : b)),
  mod: (a, b) => int64(a) % divisor(b),
  div: (a, b) => whole(int64(a) / divisor(b)),
  floor: (value) => Math.floor(float(value)),
  ceil: (value) => Math.ceil(float(value)),
};

function whole(value: bigint): bigint {
  return BigInt.asIntN(64, value);
}

function divisor(value: Value): bigint {
  const by = int64(value);
  if (by === 0n) throw wrong("divides by 0");
  return by;
}
