import { CONFIG_HASH_VALUES as VALUES } from "../../base/config-hash-options.ts";
import { optionError } from "../../base/errors.ts";
import { shownValue } from "../../base/words.ts";
import { parseSelector, type LabelSelector, type Requirement } from "../../base/selector.ts";
import type { Target } from "../../kubernetes/workloads/targets.ts";
import { fieldsOf, listOf, oneOf, textOf, textOrEmpty, textsOf } from "../../yaml/read/json.ts";
import type { Json } from "../../yaml/read/node.ts";

/** Reads a label selector, written as a string or as a LabelSelector. Throws a RollstampError that names the path. */
export function readSelector(value: Json | undefined, path: readonly string[]): LabelSelector | undefined {
  if (value === undefined || value === null) return undefined;
  if (typeof value === "string") return selectorOfText(value, path);
  const fields = fieldsOf(value);
  const labels = Object.entries(fieldsOf(fields["matchLabels"])).map(([key, text]): Requirement => ({
    key,
    operator: "In",
    values: [textOrEmpty(text)],
  }));
  const expressions = listOf(fields["matchExpressions"]).map((expression, index): Requirement => {
    const { key, values, ...more } = fieldsOf(expression);
    const operator = oneOf(more["operator"], VALUES.operator, "Exists");
    const isOfValues = operator === "In" || operator === "NotIn";
    if (isOfValues !== listOf(values).length > 0)
      throw optionError(
        [...path, "matchExpressions", String(index), "values"],
        isOfValues ? `is empty: ${operator} would compare with nothing` : `has no meaning with ${operator}`,
        "Give at least one value for In and NotIn, and none for Exists and DoesNotExist, as in Kubernetes.",
      );
    return { key: textOrEmpty(key), operator, values: textsOf(values) };
  });
  return [...labels, ...expressions];
}

/** Parses the syntax of `kubectl -l`. Throws a RollstampError that names the path of the option. */
export function selectorOfText(text: string, path: readonly string[]): LabelSelector {
  const selector = parseSelector(text);
  if (selector !== undefined) return selector;
  throw optionError(
    path,
    `is ${shownValue(text)}, not a label selector`,
    "Write it as for kubectl -l: app=web,tier in (front, back),!legacy.",
  );
}

/** Reads a target: which workloads are selected. `path` is its path in the configuration. */
export function readTargetFields(value: Json | undefined, path: readonly string[]): Target {
  const fields = fieldsOf(value);
  const kind = textOf(fields["kind"]);
  const name = textOf(fields["name"]);
  const namespace = textOf(fields["namespace"]);
  const selector = readSelector(fields["selector"], [...path, "selector"]);
  return {
    ...(kind === undefined ? {} : { kind }),
    ...(name === undefined ? {} : { name }),
    ...(namespace === undefined ? {} : { namespace }),
    ...(selector === undefined ? {} : { selector }),
  };
}
