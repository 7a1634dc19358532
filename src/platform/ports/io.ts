import type { Limits } from "../../base/limits.ts";
import type { KrmFunction, RunContext } from "../../stamping/function/krm-function.ts";
import type { Applications } from "./applications.ts";
import type { Cluster, ClusterOptions } from "./cluster.ts";
import type { Environment } from "./environment.ts";
import type { Files } from "./files.ts";
import type { Git } from "./git.ts";
import type { Programs, RenderCache } from "./programs.ts";
import type { Snapshots } from "./snapshot.ts";

// What is behind these interfaces is in src/platform/node; only src/main brings it in.

/** What the function has of the world: it starts with every render, so no more than it needs. */
export interface FunctionIo {
  readonly readStdin: (limits: Limits) => Promise<string>;
  readonly writeStdout: (text: string) => Promise<void>;
  readonly writeStderr: (text: string) => void;
  /** Reads a file that a person names, such as that of --config. Throws a RollstampError. */
  readonly readNamed: (path: string, limits: Limits) => string;
  readonly environment: Environment;
  readonly context: RunContext;
  readonly functions: readonly [KrmFunction, ...KrmFunction[]];
}

/** The signals that end a command, from the moment on that it asks for them. */
export interface Interrupts {
  /** Aborted by the first of them; a second one ends the process at once. */
  readonly signal: AbortSignal;
  /** Lets them be again. If one has come, the process ends by it, as whoever sent it expects. */
  readonly done: () => void;
}

/** What commands have of the world: the edge gives the real one, tests their own. */
export interface Io extends FunctionIo {
  /** Asks a person a question; only where standard input is a terminal. */
  readonly confirm: (question: string) => Promise<boolean>;
  /** Resolves after so long, or when the signal comes. */
  readonly sleep: (milliseconds: number, signal?: AbortSignal) => Promise<void>;
  /** When a file that a person names was last written; undefined for what is no file. */
  readonly writtenAt: (path: string) => Date | undefined;
  /** Takes the signals by which a person or a job ends a command, so that it can say first how far it is. */
  readonly interrupts: () => Interrupts;
  /** How much this machine does at once. */
  readonly processors: () => number;
  readonly stdinIsTerminal: boolean;
  readonly stdoutIsTerminal: boolean;
  readonly stderrIsTerminal: boolean;
  /** How wide the terminal of standard output is; undefined where it is none, or has no width. */
  readonly stdoutColumns: number | undefined;
  readonly stderrColumns: number | undefined;
  readonly files: Files;
  readonly applications: Applications;
  readonly programs: Programs;
  /** Opens a folder that keeps renderings. Throws a RollstampError for one that others can enter. */
  readonly openRenderCache: (
    folder: string,
    options: { readonly environment: Environment; readonly limits: Limits },
  ) => Promise<RenderCache>;
  readonly git: Git;
  readonly snapshots: Snapshots;
  /** Connects to the cluster that the kubeconfig names. Throws a RollstampError where there is none. */
  readonly connectCluster: (options: ClusterOptions) => Promise<Cluster>;
}
