import type { Command } from "commander";
import { STDIN } from "../applications/inputs/manifest-files.ts";
import { RollstampError } from "../base/errors.ts";

/** What was given on the command line, apart from defaults. */
export interface Given {
  readonly args: readonly string[];
  /** The arguments of the last kind that a command takes: its paths. */
  readonly paths: readonly string[];
  /** Whether an option is given, by its long name: `--live`. */
  readonly has: (option: string) => boolean;
  /** The value of an option, given or by default. */
  readonly value: (option: string) => unknown;
}

/** When options have no effect: whoever gives one then means something else. */
export interface IdleOption {
  readonly options: readonly string[];
  /** Behind "has no effect": "without --live". */
  readonly when: string;
  readonly isIdle: (given: Given) => boolean;
}

/** The options that have no effect without another one. */
export function without(other: string, ...options: string[]): IdleOption {
  return { options, when: `without ${other}`, isIdle: ({ has }) => !has(other) };
}

/** The options that have no effect beside another one. */
export function beside(other: string, ...options: string[]): IdleOption {
  return { options, when: `beside ${other}`, isIdle: ({ has }) => has(other) };
}

/** The options about files and folders, where none is given. */
export function ofStdinAlone(...options: string[]): IdleOption {
  return {
    options,
    when: "on standard input",
    isIdle: ({ paths }) => paths.length > 0 && paths.every((path) => path === STDIN),
  };
}

/**
 * Refuses options that have no effect beside what else is given, before the command does anything. Colours and
 * limits, which every command takes, are no such options: scripts set them for all.
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
