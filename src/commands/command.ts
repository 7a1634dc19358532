import type { Command } from "commander";
import type { ExitStatus } from "../base/errors.ts";
import type { Io } from "../platform/ports/io.ts";

/** A command of the command line: a row of COMMANDS. */
export interface CommandRow {
  readonly name: string;
  readonly summary: string;
  /** Loads the command's module: only when it is called, as start-up is the price of every render. */
  readonly load: () => Promise<DefineCommand>;
}

/** Gives a command its arguments, options and action; the action tells the exit status. */
export type DefineCommand = (command: Command, io: Io, done: (status: ExitStatus) => void) => void;
