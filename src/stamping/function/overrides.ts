import { RollstampError } from "../../base/errors.ts";
import { DEFAULT_LIMITS } from "../../base/limits.ts";
import type { Json } from "../../yaml/read/node.ts";
import {
  excludesOf,
  namedSources,
  type Excludes,
  type NamedSource,
  type Refuse,
} from "../../kubernetes/sources/source-lists.ts";
import type { Target } from "../../kubernetes/workloads/targets.ts";
import { fieldsOf, textsOf } from "../../yaml/read/json.ts";
import { readTargetFields } from "./target-option.ts";

/** What annotations would say of workloads that nobody can annotate. What it leaves out it says nothing of. */
export interface Override {
  /** Where it stands in the configuration: `spec.overrides[0]`. */
  readonly at: string;
  readonly target: Target;
  readonly stamp?: boolean;
  readonly named?: readonly NamedSource[];
  readonly excludes?: Excludes;
}

/** An entry of the `overrides` option. Throws a RollstampError that names what is wrong. */
export function readOverride(value: Json, index: number): Override {
  const fields = fieldsOf(value);
  const path = ["spec", "overrides", String(index)];
  const targetPath = [...path, "target"];
  if (Object.keys(fieldsOf(fields["target"])).length === 0) {
    throw new RollstampError("config", `'${pathWords(targetPath)}' is empty`, {
      configPath: targetPath,
      remedy: "Give at least one of kind, name, namespace and selector; 'selection: Annotated' is for all workloads.",
    });
  }
  const { stamp } = fields;
  return {
    at: pathWords(path),
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
    return new RollstampError("config", `'${pathWords(configPath)}' ${problem}`, { configPath, remedy: remedy("") });
  };
}

function pathWords(path: readonly string[]): string {
  return path.map((step, i) => (/^\d+$/u.test(step) ? `[${step}]` : i === 0 ? step : `.${step}`)).join("");
}
