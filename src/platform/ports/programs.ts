import type { Limits } from "../../base/limits.ts";
import type { Environment } from "./environment.ts";

export interface RenderOptions {
  readonly cwd: string;
  readonly environment: Environment;
  /** Limits the size of its output. */
  readonly limits: Limits;
  /** The revision that is rendered, for messages: `main`. */
  readonly revision?: string;
  /** Whether it may print nothing. */
  readonly allowEmpty?: boolean;
  /** Ends the command and its child processes. */
  readonly signal?: AbortSignal;
  /** Whether the time limit applies, because the command is one of many. */
  readonly isTimed?: boolean;
}

/** The programs that applications are rendered with. */
export type Renderer = "kustomize" | "helm";

/** Runs other programs; their child processes end with them. Throws RollstampErrors. */
export interface Programs {
  /** Runs a shell command that prints manifests, and returns its output. */
  readonly render: (command: string, options: RenderOptions) => Promise<string>;
  /** Renders twice, without caches of the first run. */
  readonly renderTwice: (command: string, options: RenderOptions) => Promise<readonly [string, string]>;
  /** The version that a renderer on the path prints; "" if it is not installed. */
  readonly versionOf: (program: Renderer, environment: Environment) => Promise<string>;
}

/** Caches renderings by a key of everything that they are made from. */
export interface RenderCache {
  /** Undefined if it is not in the cache, or was changed there. */
  readonly get: (key: string) => Promise<string | undefined>;
  readonly put: (key: string, text: string) => Promise<void>;
  readonly remove: (key: string) => Promise<void>;
}
