import {
  CONFIG_HASH_DEFAULT_OPTIONS,
  CONFIG_HASH_VALUES as VALUES,
  type ConfigHashOptions,
} from "../../base/config-hash-options.ts";
import type { Json } from "../../yaml/read/node.ts";
import type { LabelSelector } from "../../base/selector.ts";
import type { DeclaredKind } from "../../kubernetes/sources/types.ts";
import type { WorkloadKind } from "../../kubernetes/workloads/types.ts";
import { fieldsOf, listOf, oneOf, someOf, textOf } from "../../yaml/read/json.ts";
import { readDeclaredKind } from "./declared-kind-option.ts";
import { readOverride, type Override } from "./overrides.ts";
import { readSelector } from "./selector-option.ts";
import { readWorkload } from "./workload-option.ts";

/** What ConfigHash is told to do: each of its options with a value, in the form that the pipeline takes. */
export interface ConfigHashSpec extends Required<
  Omit<ConfigHashOptions, "workloads" | "declaredKinds" | "overrides" | "selector">
> {
  readonly workloads: readonly WorkloadKind[];
  readonly declaredKinds: readonly DeclaredKind[];
  /** What holds in place of annotations; of several for one workload the last that says a thing. */
  readonly overrides: readonly Override[];
  /** Undefined: every workload. */
  readonly selector: LabelSelector | undefined;
}

export const CONFIG_HASH_DEFAULTS: ConfigHashSpec = { ...CONFIG_HASH_DEFAULT_OPTIONS, selector: undefined };

const NAMESPACE = /^[a-z0-9](?:[-a-z0-9]{0,61}[a-z0-9])?$/u;

/**
 * Turns a configuration that meets the schema into what the pipeline takes. `release` is the namespace that a host tells: it
 * counts where the configuration says none.
 */
export function readConfigHash(config: Json, release?: string): ConfigHashSpec {
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
    defaultNamespace:
      textOf(spec["defaultNamespace"]) ??
      (release !== undefined && NAMESPACE.test(release) ? release : d.defaultNamespace),
    workloads: listOf(spec["workloads"]).map(readWorkload),
    declaredKinds: listOf(spec["declaredKinds"]).map(readDeclaredKind),
    overrides: listOf(spec["overrides"]).map(readOverride),
    selector: readSelector(spec["selector"]),
    checksums: oneOf(spec["checksums"], VALUES.checksums, d.checksums),
    checksumAnnotations: listOf(spec["checksumAnnotations"]).flatMap((glob) => textOf(glob) ?? []),
    versionLabels: oneOf(spec["versionLabels"], VALUES.versionLabels, d.versionLabels),
    reloads: oneOf(spec["reloads"], VALUES.reloads, d.reloads),
    optionalKinds: someOf(spec["optionalKinds"], VALUES.optionalKinds),
  };
}
