import {
  CONFIG_HASH_DEFAULT_OPTIONS,
  CONFIG_HASH_VALUES as VALUES,
  type ConfigHashOptions,
} from "../ground/config-hash-options.ts";
import { RollstampError } from "../ground/errors.ts";
import type { Json } from "../manifest/node.ts";
import { parseSelector, type LabelSelector, type Requirement } from "../ground/selector.ts";
import type { WorkloadKind } from "../workloads/types.ts";
import { fieldsOf, listOf, oneOf, someOf, textOf } from "../manifest/json.ts";
import { readWorkload } from "./workload-option.ts";

/** What ConfigHash is told to do: each of its options with a value, in the form that the pipeline takes. */
export interface ConfigHashSpec extends Required<Omit<ConfigHashOptions, "workloads" | "selector">> {
  readonly workloads: readonly WorkloadKind[];
  /** Undefined: every workload. */
  readonly selector: LabelSelector | undefined;
}

export const CONFIG_HASH_DEFAULTS: ConfigHashSpec = { ...CONFIG_HASH_DEFAULT_OPTIONS, selector: undefined };

/** Turns a configuration that meets the schema into what the pipeline takes. */
export function readConfigHash(config: Json): ConfigHashSpec {
  const spec = fieldsOf(fieldsOf(config)["spec"]);
  const d = CONFIG_HASH_DEFAULTS;
  return {
    selection: oneOf(spec["selection"], VALUES.selection, d.selection),
    compat: someOf(spec["compat"], VALUES.compat),
    layout: oneOf(spec["layout"], VALUES.layout, d.layout),
    granularity: oneOf(spec["granularity"], VALUES.granularity, d.granularity),
    secrets: oneOf(spec["secrets"], VALUES.secrets, d.secrets),
    missing: oneOf(spec["missing"], VALUES.missing, d.missing),
    nameSuffix: oneOf(spec["nameSuffix"], VALUES.nameSuffix, d.nameSuffix),
    declaredSources: spec["declaredSources"] !== false,
    cronJobs: oneOf(spec["cronJobs"], VALUES.cronJobs, d.cronJobs),
    jobs: oneOf(spec["jobs"], VALUES.jobs, d.jobs),
    defaultNamespace: textOf(spec["defaultNamespace"]) ?? d.defaultNamespace,
    workloads: listOf(spec["workloads"]).map(readWorkload),
    selector: readSelector(spec["selector"]),
    checksums: oneOf(spec["checksums"], VALUES.checksums, d.checksums),
    optionalKinds: someOf(spec["optionalKinds"], VALUES.optionalKinds),
  };
}

/** A label selector, as text or as a LabelSelector. Throws a RollstampError that names where it was given. */
export function readSelector(value: Json | undefined, where: string = "selector"): LabelSelector | undefined {
  if (value === undefined || value === null) return undefined;
  if (typeof value === "string") return selectorOfText(value, where);
  const fields = fieldsOf(value);
  const labels = Object.entries(fieldsOf(fields["matchLabels"])).map(([key, text]): Requirement => ({
    key,
    operator: "In",
    values: [textOf(text) ?? ""],
  }));
  const expressions = listOf(fields["matchExpressions"]).map((expression): Requirement => {
    const { key, operator, values } = fieldsOf(expression);
    return {
      key: textOf(key) ?? "",
      operator: oneOf(operator, VALUES.operator, "Exists"),
      values: listOf(values).flatMap((text) => textOf(text) ?? []),
    };
  });
  return [...labels, ...expressions];
}

/** Parses `kubectl -l` text. Throws a RollstampError that names where it was given. */
export function selectorOfText(text: string, where: string): LabelSelector {
  const selector = parseSelector(text);
  if (selector !== undefined) return selector;
  throw new RollstampError("config", `'${where}' is no label selector`, {
    configPath: ["spec", ...where.split(".")],
    remedy: "Write it as for kubectl -l: app=web,tier in (front, back),!legacy.",
  });
}
