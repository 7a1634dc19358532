import type { Command, Option } from "commander";
import { READ_SCOPES, SCOPES } from "../applications/inputs/parts.ts";
import { RollstampError } from "../base/errors.ts";
import { CONFIG_FILE } from "../base/keys.ts";
import type { Io } from "../platform/ports/io.ts";

// Options that several commands share.

export const FILES_AND_FOLDERS = "files and folders; - for standard input";
export const FILES_AND_FOLDERS_OR_HERE: string = `${FILES_AND_FOLDERS} (default: .)`;

/** `-o`: one of the formats that a command has. `md` is `markdown`, as files are named. */
export function outputOption(command: Command, forms: Readonly<Record<string, unknown>>): Option {
  const option = command
    .createOption("-o, --output <format>", "the format of the report")
    .choices(Object.keys(forms))
    .default("text");
  const chosen = option.parseArg;
  if (chosen === undefined || !Object.hasOwn(forms, "markdown")) return option;
  return option.argParser((text: string, before: string) => chosen(text === "md" ? "markdown" : text, before));
}

/** `--config`. The nearest configuration file is searched from `from` upwards. */
export function configOption(command: Command, from: string = "the paths"): Option {
  return command.createOption(
    "--config <file>",
    `the configuration (default: the nearest ${CONFIG_FILE} from ${from} upwards)`,
  );
}

/** `--scope`: where workloads find sources. */
export function scopeOption(command: Command): Option {
  return command
    .createOption(
      "--scope <scope>",
      "where workloads find sources: in all files of the run, in their folder, or in their file",
    )
    .choices(SCOPES)
    .default("all");
}

/** `--scope` of the commands that only read. */
export function readScopeOption(command: Command): Option {
  return command
    .createOption(
      "--scope <scope>",
      "where workloads find sources: in all files of the run, in their folder, or in their file; auto: in all files, unless several define the same object",
    )
    .choices(READ_SCOPES)
    .default("auto");
}

/** `--check` of the commands that write files. */
export function checkOption(command: Command): Option {
  return command.createOption(
    "--check",
    "write nothing; list the files that would change, and exit with 1 if there are any",
  );
}

/** `--diff` of the commands that write files. */
export function diffOption(command: Command): Option {
  return command.createOption("--diff", "write nothing; print a diff that git apply takes");
}

/** `--verbose`: names every file that was not examined; without it, many are only counted. */
export function verboseOption(command: Command): Option {
  return command.createOption("--verbose", "name every file that was not examined");
}

/** Parses the value of an option that is a number, such as of workloads or pods. */
export function wholeNumber(option: string): (text: string) => number {
  return (text) => {
    if (/^\d+$/u.test(text)) return Number(text);
    throw new RollstampError("usage", `${option} must be a whole number, got ${JSON.stringify(text)}`, {
      remedy: "Write a number such as 10.",
    });
  };
}

/** Collects the values of an option that may be repeated. */
export function addText(text: string, texts: readonly string[] = []): readonly string[] {
  return [...texts, text];
}

/** The value of `--jobs`. */
export function jobsNumber(text: string): number {
  const n = wholeNumber("--jobs")(text);
  if (n > 0) return n;
  throw new RollstampError("usage", "--jobs must be at least 1", { remedy: "Write a number such as 4." });
}

/** `-q`, which every command has. */
export function quietOption(command: Command): Option {
  return command.createOption("-q, --quiet", "print only errors to standard error: no warnings, notes or progress");
}

const WHEN = ["auto", "always", "never"] as const;

/** When a command colors its output. */
export type ColorWhen = (typeof WHEN)[number];

/** `--color auto|always|never`. */
export function colorOption(command: Command): Option {
  return command
    .createOption("--color <when>", "color the output (auto: on a terminal, unless NO_COLOR is set)")
    .choices(WHEN)
    .default("auto");
}

/** Whether to color the output. NO_COLOR (https://no-color.org) applies only if --color is auto. */
export function wantsColor(when: ColorWhen, io: Pick<Io, "environment" | "stdoutIsTerminal">): boolean {
  if (when !== "auto") return when === "always";
  return io.stdoutIsTerminal && (io.environment["NO_COLOR"] ?? "") === "" && io.environment["TERM"] !== "dumb";
}
