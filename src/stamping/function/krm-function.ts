import type { ConfigurableFunction } from "./function-config.ts";
import type { NAMESPACE_VARIABLE } from "../../base/hosts/helm.ts";
import type { Limits } from "../../base/limits.ts";
import type { Manifests } from "../../yaml/read/items.ts";
import type { Json } from "../../yaml/read/node.ts";
import type { Edits } from "../../yaml/edit/splice.ts";
import type { Finding } from "../../findings/catalogue/finding.ts";

/** What a function may ask of the world, given by the edge: nothing else reaches a result. */
export interface RunContext {
  /** The key of `secrets: Keyed`. Throws a RollstampError where none is given. */
  readonly hmacKey: () => Uint8Array;
  /** A variable of the environment that the contract names; undefined where it isn't set. */
  readonly variable: (name: "ROLLSTAMP_NOW" | "SOURCE_DATE_EPOCH" | typeof NAMESPACE_VARIABLE) => string | undefined;
  /** The present moment, for `clock: System` only. */
  readonly systemTime: () => Date;
  /** What no input may go beyond. */
  readonly limits: Limits;
}

/** What a function makes of its inputs. */
export interface FunctionOutput {
  readonly edits: Edits;
  readonly findings: readonly Finding[];
  /** The list goes back without items: kustomize's `validators:` wants it so. */
  readonly emptyItems?: boolean;
}

/** A KRM function: functions/<name>/ has its schema, metadata, examples and documentation. */
export interface KrmFunction extends ConfigurableFunction {
  /** Runs over one or more inputs as one scope; `config` has met the schema. */
  readonly run: (inputs: readonly Manifests[], config: Json, context: RunContext) => FunctionOutput;
}
