import { dotted } from "../../base/words.ts";
import {
  CONFIG_HASH_DEFAULT_OPTIONS,
  CONFIG_HASH_VALUES as VALUES,
  type ConfigHashOptions,
} from "../../base/config-hash-options.ts";
import { optionError } from "../../base/errors.ts";
import { DEFAULT_LIMITS } from "../../base/limits.ts";
import type { LabelSelector } from "../../base/selector.ts";
import {
  excludesOf,
  namedSources,
  type Excludes,
  type NamedSource,
  type Refuse,
} from "../../kubernetes/sources/source-lists.ts";
import type { DeclaredKind, DeclaredObject } from "../../kubernetes/sources/types.ts";
import type { Target } from "../../kubernetes/workloads/targets.ts";
import type { WorkloadKind } from "../../kubernetes/workloads/types.ts";
import { readSelector, readTargetFields } from "./selectors.ts";
import { readWorkload } from "./workload-option.ts";
import { fieldsOf, listOf, numberOf, oneOf, someOf, textOf, textsOf, textOrEmpty } from "../../yaml/read/json.ts";
import type { Json } from "../../yaml/read/node.ts";

/** The options of ConfigHash with their defaults, in the form that the pipeline takes. */
export interface ConfigHashSpec extends Required<
  Omit<ConfigHashOptions, "workloads" | "declaredKinds" | "overrides" | "selector">
> {
  readonly workloads: readonly WorkloadKind[];
  readonly declaredKinds: readonly DeclaredKind[];
  /** They replace annotations. If several overrides for a workload set the same thing, the last one counts. */
  readonly overrides: readonly Override[];
  /** Undefined: every workload. */
  readonly selector: LabelSelector | undefined;
}

export const CONFIG_HASH_DEFAULTS: ConfigHashSpec = { ...CONFIG_HASH_DEFAULT_OPTIONS, selector: undefined };

const NAMESPACE = /^[a-z0-9](?:[-a-z0-9]{0,61}[a-z0-9])?$/u;

/**
 * Converts a configuration that the schema has accepted. `release` is the namespace that the host names; it is used if
 * the configuration names none.
 */
export function readConfigHash(config: Json, release?: string): ConfigHashSpec {
  const spec = fieldsOf(fieldsOf(config)["spec"]);
  const d = CONFIG_HASH_DEFAULTS;
  return {
    selection: oneOf(spec["selection"], VALUES.selection, d.selection),
    compat: someOf(spec["compat"], VALUES.compat),
    layout: oneOf(spec["layout"], VALUES.layout, d.layout),
    keep: numberOf(spec["keep"]) ?? d.keep,
    protect: spec["protect"] === true,
    versionedSecrets: spec["versionedSecrets"] === true,
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
    selector: readSelector(spec["selector"], ["spec", "selector"]),
    checksums: oneOf(spec["checksums"], VALUES.checksums, d.checksums),
    checksumAnnotations: textsOf(spec["checksumAnnotations"]),
    versionLabels: oneOf(spec["versionLabels"], VALUES.versionLabels, d.versionLabels),
    reloads: oneOf(spec["reloads"], VALUES.reloads, d.reloads),
    optionalKinds: someOf(spec["optionalKinds"], VALUES.optionalKinds),
  };
}

/**
 * Converts an entry of the `declaredKinds` option to a row of the built-in table. Throws for a path that cannot be
 * digested.
 */
function readDeclaredKind(row: Json, index: number): DeclaredKind {
  const fields = fieldsOf(row);
  const makes = oneOf(fields["provides"], VALUES.provides, "Secret");
  const name = textOrEmpty(fields["name"]);
  const digest = textsOf(fields["digest"]);
  const starred = digest.findIndex((path) => path.split(".").includes("*"));
  if (starred >= 0) {
    throw optionError(
      ["spec", "declaredKinds", String(index), "digest", String(starred)],
      "has a '*'",
      "Whole fields are digested: name the list or mapping that determines the content.",
    );
  }
  return {
    group: textOrEmpty(fields["group"]),
    kind: textOrEmpty(fields["kind"]),
    coverage: "declaration",
    // An object without the field makes nothing; references to it are reported as missing.
    provides: (object) => namesAt(object, name).map((made) => ({ kind: makes, name: made })),
    fields: outermost(digest),
    required: digest,
    configured: true,
  };
}

/** The paths that are not inside another one of them, which is digested with all it contains. */
function outermost(paths: readonly string[]): string[] {
  const all = new Set(paths);
  return [...all].filter((path) => {
    for (let dot = path.indexOf("."); dot >= 0; dot = path.indexOf(".", dot + 1))
      if (all.has(path.slice(0, dot))) return false;
    return true;
  });
}

/** The names at a path, without duplicates. */
function namesAt(object: DeclaredObject, path: string): string[] {
  const [first = "", ...rest] = path.split(".");
  const names = valuesAt(object.get(first), rest).flatMap((value) => textOf(value) || []);
  return [...new Set(names)];
}

function valuesAt(value: Json | undefined, steps: readonly string[]): Json[] {
  if (value === undefined) return [];
  const [step, ...rest] = steps;
  if (step === undefined) return [value];
  if (step !== "*") return valuesAt(fieldsOf(value)[step], rest);
  const elements = Array.isArray(value) ? value : Object.values(fieldsOf(value));
  return elements.flatMap((element) => valuesAt(element, rest));
}

/** The settings of annotations, for workloads that cannot be annotated. A setting that is left out is not set. */
export interface Override {
  /** Where it is in the configuration: `spec.overrides[0]`. */
  readonly path: string;
  readonly target: Target;
  readonly stamp?: boolean;
  readonly named?: readonly NamedSource[];
  readonly excludes?: Excludes;
}

/** Reads an entry of the `overrides` option. Throws a RollstampError that names the invalid part. */
export function readOverride(value: Json, index: number): Override {
  const fields = fieldsOf(value);
  const path = ["spec", "overrides", String(index)];
  const targetPath = [...path, "target"];
  if (Object.keys(fieldsOf(fields["target"])).length === 0) {
    throw optionError(
      targetPath,
      "is empty",
      "Give at least one of kind, name, namespace and selector; 'selection: Annotated' is for all workloads.",
    );
  }
  const { stamp } = fields;
  return {
    path: dotted(path),
    target: readTargetFields(fields["target"], targetPath),
    ...(typeof stamp === "boolean" ? { stamp } : {}),
    ...(fields["sources"] === undefined
      ? {}
      : {
          named: namedSources(textsOf(fields["sources"]), DEFAULT_LIMITS.name, refusing([...path, "sources"])),
        }),
    ...(fields["exclude"] === undefined
      ? {}
      : {
          excludes: excludesOf(textsOf(fields["exclude"]), DEFAULT_LIMITS.expression, refusing([...path, "exclude"])),
        }),
  };
}

function refusing(path: readonly string[]): Refuse {
  return (problem, remedy, entry) => {
    const configPath = entry === undefined ? [...path] : [...path, String(entry)];
    return optionError(configPath, problem, remedy(""));
  };
}
