import type { Command } from "commander";
import { idleWith, refuseIdleOptions, idleWithout } from "./idle-options.ts";
import { addText, jobsNumber } from "./options.ts";

/** Adds these options to a command; `idle` have no effect beside them. */
export function addAppsOptions(command: Command, ...idle: string[]): void {
  command
    .option("--apps", "render the applications in the folders and examine the result")
    .option("--app <glob>", "with --apps: only applications with this name; may be repeated", addText, [])
    .option(
      "--clusters <file>",
      "with --apps: the data that generators of ApplicationSets get from a cluster or a provider",
    )
    .option("--fetch-charts", "with --apps: let helm fetch charts that applications name, over https, without a login")
    .option("--jobs <n>", "with --apps: how many are rendered at once (default: the processors)", jobsNumber);
  refuseIdleOptions(command, [
    idleWithout("--apps", "--app", "--clusters", "--fetch-charts", "--jobs"),
    idleWith("--apps", ...idle),
  ]);
}
