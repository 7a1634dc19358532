import type { Command } from "commander";
import type { ExitStatus } from "../base/errors.ts";
import type { Io } from "../platform/ports/io.ts";

/** A command of the command line: a row of COMMANDS. */
export interface CommandRow {
  readonly name: string;
  readonly summary: string;
  /** Whether the help lists it after the others: other programs call it, or few users need it. */
  readonly isMore?: true;
  /** Loads the module of the command. Only the command that runs is loaded. */
  readonly load: () => Promise<DefineCommand>;
}

/** Defines the arguments, options and action of a command. The action passes the exit status to `done`. */
export type DefineCommand = (command: Command, io: Io, done: (status: ExitStatus) => void) => void;
