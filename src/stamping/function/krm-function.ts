import type { NAMESPACE_VARIABLE } from "../../base/hosts/helm.ts";
import type { Limits } from "../../base/limits.ts";
import type { Manifests } from "../../yaml/read/items.ts";
import type { Json } from "../../yaml/read/node.ts";
import type { Edits } from "../../yaml/edit/splice.ts";
import type { Finding } from "../../findings/catalogue/finding.ts";
import type { Schema } from "./validate.ts";
import type { Validator } from "./validators.js";

/** A KRM function. Its schema, metadata, examples and documentation are in functions/<name>/. */
export interface KrmFunction {
  /** The kind of functionConfig that selects the function. */
  readonly kind: string;
  readonly schema: Schema;
  readonly validator: Validator;
  /** Runs over one or more inputs as one scope. The schema has accepted `config`. */
  readonly run: (inputs: readonly Manifests[], config: Json, context: RunContext) => FunctionOutput;
}

/** The functions that a functionConfig selects from. The first is the default. */
export type KrmFunctions = readonly [KrmFunction, ...KrmFunction[]];

export interface FunctionOutput {
  readonly edits: Edits;
  readonly findings: readonly Finding[];
  /** The list is returned without items, which kustomize's `validators:` field needs. */
  readonly emptyItems?: boolean;
}

/** What a function can read besides its inputs. Nothing else affects a result. */
export interface RunContext {
  /** The key of `secrets: Keyed`. Throws a RollstampError if there is none. */
  readonly hmacKey: () => Uint8Array;
  /** An environment variable that the contract names; undefined if it is not set. */
  readonly variable: (name: "ROLLSTAMP_NOW" | "SOURCE_DATE_EPOCH" | typeof NAMESPACE_VARIABLE) => string | undefined;
  /** The version of the Helm that runs the function as its post-renderer; undefined under any other host. */
  readonly helmVersion: () => string | undefined;
  /** The current time, for `clock: System` only. */
  readonly systemTime: () => Date;
  readonly limits: Limits;
}

/** The process as the function uses it. The function starts with every render, so this contains only what it needs. */
export interface FunctionIo {
  readonly readStdin: (limits: Limits) => Promise<string>;
  readonly writeStdout: (text: string) => Promise<void>;
  readonly writeStderr: (text: string) => void;
  readonly stdinIsTerminal: boolean;
  /** Reads a file that the user named, such as the one of --config. Throws a RollstampError. */
  readonly readNamed: (path: string, limits: Limits) => string;
  readonly environment: Readonly<Record<string, string | undefined>>;
  readonly context: RunContext;
  readonly functions: KrmFunctions;
}
