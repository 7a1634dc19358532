import { int, own, text, type Functions } from "./go-arguments.ts";
import { DATA_FUNCTIONS } from "./go-data-functions.ts";
import { DICT_FUNCTIONS } from "./go-dict-functions.ts";
import { LIST_FUNCTIONS } from "./go-list-functions.ts";
import { REGEX_FUNCTIONS } from "./go-regex-functions.ts";
import { TEXT_FUNCTIONS } from "./go-text-functions.ts";
import { partsOf, weighed } from "./go-weights.ts";
import { isList, isMap, isTrue, unknown, wrong, type Value } from "./go-values.ts";

// The functions of Go's templates, of sprig and of Argo CD that ApplicationSets use.

type Lazy = () => Value;

/** What a function makes of its arguments; `spend` takes what costs more than a step. Throws a TemplateProblem. */
export function call(name: string, args: readonly Lazy[], spend: (steps: number) => void): Value {
  if (name === "and" || name === "or") {
    let value: Value;
    for (const arg of args) {
      value = arg();
      if (isTrue(value) === (name === "or")) return value;
    }
    return value;
  }
  const expression = Object.hasOwn(REGEX_FUNCTIONS, name) ? REGEX_FUNCTIONS[name] : undefined;
  if (expression !== undefined) return expression(spend, ...args.map((arg) => arg()));
  const found = Object.hasOwn(FUNCTIONS, name) ? FUNCTIONS[name] : undefined;
  if (found === undefined) throw unknown(`uses the function ${name}`);
  const values = args.map((arg) => arg());
  // These go through all that is in them.
  if (Object.hasOwn(DICT_FUNCTIONS, name)) for (const value of values) spend(Math.ceil(partsOf(value) / 100));
  if (!Object.hasOwn(DATA_FUNCTIONS, name)) return weighed(found(...values));
  spend(costOf(values[0]));
  const made = weighed(found(...values));
  spend(costOf(made));
  return made;
}

/** What reading or writing a text costs: it takes longer than other functions. */
function costOf(value: Value): number {
  return typeof value === "string" ? Math.ceil(value.length / 100) : 0;
}

const FUNCTIONS: Functions = {
  ...TEXT_FUNCTIONS,
  ...LIST_FUNCTIONS,
  ...DATA_FUNCTIONS,
  ...DICT_FUNCTIONS,
  // Of text/template.
  not: (value) => !isTrue(value),
  eq: (first, ...others) => others.some((other) => compared(first, other) === 0),
  ne: (a, b) => compared(a, b) !== 0,
  lt: (a, b) => compared(a, b) < 0,
  le: (a, b) => compared(a, b) <= 0,
  gt: (a, b) => compared(a, b) > 0,
  ge: (a, b) => compared(a, b) >= 0,
  len: (value) => {
    if (typeof value === "string") return BigInt(Buffer.byteLength(value));
    if (isList(value)) return BigInt(value.length);
    if (isMap(value)) return BigInt(Object.keys(value).length);
    throw wrong("asks for the length of what has none");
  },
  index: (value, ...keys) => keys.reduce<Value>(at, value),
  // Of sprig.
  default: (fallback, given) => (isTrue(given) ? given : fallback),
  empty: (value) => !isTrue(value),
  coalesce: (...values) => values.find(isTrue),
  all: (...values) => values.every(isTrue),
  any: (...values) => values.some(isTrue),
  ternary: (yes, no, is) => {
    if (typeof is !== "boolean") throw wrong("gives ternary something else than true or false");
    return is ? yes : no;
  },
  fail: (message) => {
    throw wrong(`fails: ${text(message)}`);
  },
  kindIs: (kind, value) => kindOf(value) === kind,
  kindOf: (value) => kindOf(value),
};

function at(value: Value, key: Value): Value {
  if (isList(value)) {
    const index = int(key);
    if (index < 0 || index >= value.length) throw wrong("asks for an item behind the end of a list");
    return value[index];
  }
  if (isMap(value)) return own(value, text(key));
  throw wrong("asks for an item of what has none");
}

function compared(a: Value, b: Value): number {
  if (typeof a !== typeof b || (typeof a === "object" && a !== null)) {
    if (a === undefined || b === undefined || a === null || b === null) return (a ?? null) === (b ?? null) ? 0 : 1;
    throw wrong("compares what can't be compared (a number of data is no whole number of Go's: int makes one)");
  }
  if (a === b) return 0;
  if (typeof a === "string" && typeof b === "string") return a < b ? -1 : 1;
  if (typeof a === "number" && typeof b === "number") return a < b ? -1 : 1;
  if (typeof a === "bigint" && typeof b === "bigint") return a < b ? -1 : 1;
  return 1;
}

function kindOf(value: Value): string {
  if (value === undefined || value === null) return "invalid";
  if (isList(value)) return "slice";
  switch (typeof value) {
    case "string":
      return "string";
    case "number":
      return "float64";
    case "boolean":
      return "bool";
    case "bigint":
      // An int or an int64: which of them is not kept.
      throw unknown("asks for the kind of a whole number");
    default:
      return "map";
  }
}
