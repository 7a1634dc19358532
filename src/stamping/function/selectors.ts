import { CONFIG_HASH_VALUES as VALUES } from "../../base/config-hash-options.ts";
import { RollstampError } from "../../base/errors.ts";
import { parseSelector, type LabelSelector, type Requirement } from "../../base/selector.ts";
import type { Target } from "../../kubernetes/workloads/targets.ts";
import { fieldsOf, listOf, oneOf, textOf, textOrEmpty, textsOf } from "../../yaml/read/json.ts";
import type { Json } from "../../yaml/read/node.ts";

/** Reads a label selector, written as a string or as a LabelSelector. Throws a RollstampError that names `where`. */
export function readSelector(value: Json | undefined, where: string = "selector"): LabelSelector | undefined {
  if (value === undefined || value === null) return undefined;
  if (typeof value === "string") return selectorOfText(value, where);
  const fields = fieldsOf(value);
  const labels = Object.entries(fieldsOf(fields["matchLabels"])).map(([key, text]): Requirement => ({
    key,
    operator: "In",
    values: [textOrEmpty(text)],
  }));
  const expressions = listOf(fields["matchExpressions"]).map((expression): Requirement => {
    const { key, operator, values } = fieldsOf(expression);
    return {
      key: textOrEmpty(key),
      operator: oneOf(operator, VALUES.operator, "Exists"),
      values: textsOf(values),
    };
  });
  return [...labels, ...expressions];
}

/** Parses the syntax of `kubectl -l`. Throws a RollstampError that names `where`. */
export function selectorOfText(text: string, where: string): LabelSelector {
  const selector = parseSelector(text);
  if (selector !== undefined) return selector;
  throw new RollstampError("config", `'${where}' must be a label selector`, {
    configPath: ["spec", ...where.split(".")],
    remedy: "Write it as for kubectl -l: app=web,tier in (front, back),!legacy.",
  });
}

/** Reads a target: which workloads are selected. `path` is its path in the configuration. */
export function readTargetFields(value: Json | undefined, path: readonly string[]): Target {
  const fields = fieldsOf(value);
  const kind = textOf(fields["kind"]);
  const name = textOf(fields["name"]);
  const namespace = textOf(fields["namespace"]);
  const selector = readSelector(fields["selector"], [...path.slice(1), "selector"].join("."));
  return {
    ...(kind === undefined ? {} : { kind }),
    ...(name === undefined ? {} : { name }),
    ...(namespace === undefined ? {} : { namespace }),
    ...(selector === undefined ? {} : { selector }),
  };
}
