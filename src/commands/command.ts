import type { Command } from "commander";
import type { ExitStatus } from "../ground/exit-status.ts";
import type { Limits } from "../ground/limits.ts";
import type { KrmFunction, RunContext } from "../krm/krm-function.ts";

/** What commands have of the world: the edge gives the real one, tests their own. */
export interface Io {
  readonly readStdin: (limits: Limits) => Promise<string>;
  readonly writeStdout: (text: string) => Promise<void>;
  readonly writeStderr: (text: string) => void;
  /** Asks a person a question; only where standard input is a terminal. */
  readonly confirm: (question: string) => Promise<boolean>;
  readonly environment: Readonly<Record<string, string | undefined>>;
  readonly stdinIsTerminal: boolean;
  readonly stdoutIsTerminal: boolean;
  readonly stderrIsTerminal: boolean;
  readonly context: RunContext;
  readonly functions: readonly [KrmFunction, ...KrmFunction[]];
}

/** A command of the command line: a row of COMMANDS. */
export interface CommandRow {
  readonly name: string;
  readonly summary: string;
  /** Loads the command's module: only when it is called, as start-up is the price of every render. */
  readonly load: () => Promise<DefineCommand>;
}

/** Gives a command its arguments, options and action; the action tells the exit status. */
export type DefineCommand = (command: Command, io: Io, done: (status: ExitStatus) => void) => void;
