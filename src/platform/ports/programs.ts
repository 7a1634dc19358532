import type { Limits } from "../../base/limits.ts";
import type { Environment } from "./environment.ts";

export interface RenderOptions {
  readonly cwd: string;
  readonly environment: Environment;
  /** What it may not print more than. */
  readonly limits: Limits;
  /** Of several renderings this one, for messages: `main`. */
  readonly of?: string;
  /** Whether it may print nothing. */
  readonly allowEmpty?: boolean;
  /** Ends the command with all that it has started. */
  readonly signal?: AbortSignal;
  /** Whether it has the time of the limits: the command is one of many. A person looks at others. */
  readonly isTimed?: boolean;
}

/** The programs that applications are rendered with. */
export type Renderer = "kustomize" | "helm";

/** Other programs. Nothing that they start outlives us. What throws, throws RollstampErrors. */
export interface Programs {
  /** Runs a command that prints manifests, in the shell, and gives what it prints; what it has started ends with it. */
  readonly render: (command: string, options: RenderOptions) => Promise<string>;
  /** Renders twice, each time with nothing of the first in memory. */
  readonly renderTwice: (command: string, options: RenderOptions) => Promise<readonly [string, string]>;
  /** What a renderer on the path calls itself; "" where there is none. */
  readonly versionOf: (program: Renderer, environment: Environment) => Promise<string>;
}

/** Caches renderings by a key of everything that they are made from. */
export interface RenderCache {
  /** Undefined if it is not in the cache, or was changed there. */
  readonly get: (key: string) => Promise<string | undefined>;
  readonly put: (key: string, text: string) => Promise<void>;
}
