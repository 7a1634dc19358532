import type { Command } from "commander";
import { STDIN } from "../applications/inputs/manifest-files.ts";
import { RollstampError } from "../base/errors.ts";

/** The command line, without defaults. */
export interface Given {
  readonly args: readonly string[];
  /** The last kind of arguments of a command: its paths. */
  readonly paths: readonly string[];
  /** Whether an option is given, by its long name such as `--live`. */
  readonly has: (option: string) => boolean;
  /** The value of an option, given or by default. */
  readonly value: (option: string) => unknown;
}

/** When options have no effect: a user who gives one then expects something else. */
export interface IdleOption {
  readonly options: readonly string[];
  /** What follows "has no effect": "without --live". */
  readonly when: string;
  readonly isIdle: (given: Given) => boolean;
}

/** Options that have no effect without another option. */
export function idleWithout(other: string, ...options: string[]): IdleOption {
  return { options, when: `without ${other}`, isIdle: ({ has }) => !has(other) };
}

/** Options that have no effect with another option. */
export function idleWith(other: string, ...options: string[]): IdleOption {
  return { options, when: `with ${other}`, isIdle: ({ has }) => has(other) };
}

/** Options about files and folders, if only standard input is given. */
export function idleOnStdin(...options: string[]): IdleOption {
  return {
    options,
    when: "on standard input",
    isIdle: ({ paths }) => paths.length > 0 && paths.every((path) => path === STDIN),
  };
}

/**
 * Refuses options that have no effect with the others, before the command does anything. Colors and limits, which all
 * commands accept, are never refused: scripts set them for all commands.
 */
export function refuseIdleOptions(command: Command, rows: readonly IdleOption[]): void {
  command.hook("preAction", (_, { args }) => {
    const paths = args.slice(command.registeredArguments.length - 1);
    const longs = new Map(command.options.map((option) => [option.long, option.attributeName()]));
    const has = (option: string): boolean => command.getOptionValueSource(longs.get(option) ?? option) === "cli";
    const value = (option: string): unknown => command.getOptionValue(longs.get(option) ?? option);
    for (const { options, when, isIdle } of rows) {
      const idle = options.find(has);
      if (idle === undefined || !isIdle({ args, paths, has, value })) continue;
      throw new RollstampError("usage", `${idle} has no effect ${when}`, {
        remedy: `Leave it out, or see rollstamp ${command.name()} --help for what it goes with.`,
      });
    }
  });
}
