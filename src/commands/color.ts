import type { Command, Option } from "commander";
import type { Io } from "../platform/ports/io.ts";

const WHEN = ["auto", "always", "never"] as const;

/** When a command colours its output. */
export type ColorWhen = (typeof WHEN)[number];

/** `--color auto|always|never`. */
export function colorOption(command: Command): Option {
  return command
    .createOption("--color <when>", "colour the output (auto: on a terminal, unless NO_COLOR is set)")
    .choices(WHEN)
    .default("auto");
}

/** Whether output is to be coloured: https://no-color.org has its say only where it is not asked for. */
export function wantsColor(when: ColorWhen, io: Pick<Io, "environment" | "stdoutIsTerminal">): boolean {
  if (when !== "auto") return when === "always";
  return io.stdoutIsTerminal && (io.environment["NO_COLOR"] ?? "") === "" && io.environment["TERM"] !== "dumb";
}
