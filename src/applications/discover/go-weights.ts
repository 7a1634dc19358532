import { isList, isMap, wrong, type Value } from "./go-values.ts";

// How large data is that a template makes: a mapping that holds another one twice, and so on, doubles with each step.

const MOST_PARTS = 100_000;
const DEEPEST = 500;

interface Weight {
  /** How many values are in it, each as often as it is held. */
  readonly parts: number;
  readonly depth: number;
}

let weights = new WeakMap<object, Weight>();

/** A value that isn't too large. Throws a TemplateProblem. */
export function weighed(value: Value): Value {
  weightOf(value);
  return value;
}

/** How many values are in one. Throws a TemplateProblem for more than a template may make. */
export function partsOf(value: Value): number {
  return weightOf(value).parts;
}

/** Nothing is known any more of what is in a mapping, or in what holds it. */
export function forgetWeights(): void {
  weights = new WeakMap();
}

const ONE: Weight = { parts: 1, depth: 0 };

function weightOf(value: Value): Weight {
  if (!isList(value) && !isMap(value)) return ONE;
  const known = weights.get(value);
  if (known !== undefined) return known;
  let { parts, depth } = ONE;
  for (const one of Object.values<Value>(value)) {
    const inner = weightOf(one);
    parts += inner.parts;
    depth = Math.max(depth, inner.depth + 1);
  }
  if (parts > MOST_PARTS) throw wrong(`makes data of more than ${MOST_PARTS} parts`);
  if (depth > DEEPEST) throw wrong(`makes data that is more than ${DEEPEST} deep`);
  const weight = { parts, depth };
  weights.set(value, weight);
  return weight;
}
