import type { Json } from "../../yaml/read/node.ts";
import type { Target } from "../../kubernetes/workloads/targets.ts";
import { fieldsOf, textOf } from "../../yaml/read/json.ts";
import { readSelector } from "./selector-option.ts";

/** A target as an object: which workloads are meant. `path` is where it stands in the configuration. */
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
