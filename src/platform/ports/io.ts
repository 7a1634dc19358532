import type { Limits } from "../../base/limits.ts";
import type { FunctionIo } from "../../stamping/function/krm-function.ts";
import type { Applications } from "./applications.ts";
import type { Cluster, ClusterOptions } from "./cluster.ts";
import type { Environment } from "./environment.ts";
import type { Files } from "./files.ts";
import type { Git } from "./git.ts";
import type { Programs, RenderCache } from "./programs.ts";
import type { Snapshots } from "./snapshot.ts";

// src/node implements these interfaces; only src/main imports it.

/** The signals that end a command. */
export interface Interrupts {
  /** Aborted by the first signal; a second one ends the process at once. */
  readonly signal: AbortSignal;
  /** Stops handling signals. If one has arrived and cut the work short, it ends the process, as its sender expects. */
  readonly done: (isComplete?: boolean) => void;
}

/** Everything outside of the process that commands use. Tests supply their own. */
export interface Io extends FunctionIo {
  /** Resolves after a time, or with the signal. */
  readonly sleep: (milliseconds: number, signal?: AbortSignal) => Promise<void>;
  /** Handles the signals that end a command, so that it can report first how far it is. */
  readonly interrupts: () => Interrupts;
  readonly processors: () => number;
  readonly stdoutIsTerminal: boolean;
  readonly stderrIsTerminal: boolean;
  /** The width of the terminal of standard output; undefined if it is not a terminal. */
  readonly stdoutColumns: number | undefined;
  readonly stderrColumns: number | undefined;
  readonly files: Files;
  readonly applications: Applications;
  readonly programs: Programs;
  /** Opens a folder that keeps renderings. Throws a RollstampError if other users can enter it, or if it is in a repository. */
  readonly openRenderCache: (
    folder: string,
    options: { readonly environment: Environment; readonly limits: Limits },
  ) => Promise<RenderCache>;
  readonly git: Git;
  readonly snapshots: Snapshots;
  /** Connects to the cluster of the kubeconfig. Throws a RollstampError if there is none. */
  readonly connectCluster: (options: ClusterOptions) => Promise<Cluster>;
}
