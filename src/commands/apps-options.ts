import type { Command } from "commander";
import type { AppsOptions } from "../applications/compare/applications-in.ts";
import type { ReadScope } from "../applications/inputs/parts.ts";
import type { Io } from "../platform/ports/io.ts";
import { idleWith, refuseIdleOptions, idleWithout } from "./idle-options.ts";
import { addText, jobsNumber } from "./options.ts";

/** The options that only applications have. */
const OF_APPLICATIONS = ["--app", "--clusters", "--fetch-charts", "--jobs"] as const;

/** Adds `--apps` and its options to a command that works over files without it; `idle` have no effect beside it. */
export function addAppsOptions(command: Command, ...idle: string[]): void {
  addOptions(command);
  refuseIdleOptions(command, [idleWithout("--apps", ...OF_APPLICATIONS), idleWith("--apps", ...idle)]);
}

/** Adds these options to a command that only reads, and works over applications by default. */
export function addReadAppsOptions(command: Command, ...idle: string[]): void {
  addOptions(command);
  command.option("--files", "use the files as they are, without rendering applications");
  refuseIdleOptions(command, [
    idleWith("--files", "--apps", ...OF_APPLICATIONS),
    ...["--apps", ...OF_APPLICATIONS].map((option) => idleWith(option, ...idle)),
  ]);
}

function addOptions(command: Command): void {
  command
    .option("--apps", "render the applications in the folders and examine the result")
    .option("--app <glob>", "only applications with this name; may be repeated", addText)
    .option("--clusters <file>", "the values that generators of ApplicationSets get from clusters or providers")
    .option("--fetch-charts", "let helm download charts over https, without credentials")
    .option("--jobs <n>", "how many applications are rendered at once (default: number of processors)", jobsNumber);
}

/** What decides whether a command that only reads works over applications. */
export interface ChoosingOptions extends AppsOptions {
  readonly files?: boolean;
  readonly scope: ReadScope;
  readonly kustomizeInput?: boolean;
}

/** Whether a command works over applications: always, never, or if its folders contain any that must be rendered. */
export function overApplications(
  { files }: Pick<Io, "files">,
  paths: readonly string[],
  options: ChoosingOptions,
): "always" | "never" | "ifFound" {
  const { apps, app = [], clusters, fetchCharts, jobs } = options;
  if (apps === true || app.length > 0 || clusters !== undefined || fetchCharts === true || jobs !== undefined)
    return "always";
  if (options.files === true || options.kustomizeInput === true || options.scope !== "auto") return "never";
  const reals = paths.map((path) => (files.kindOf(path) === "folder" ? files.realPath(path) : undefined));
  const roots = new Set(reals.map((real) => (real === undefined ? undefined : (files.repositoryOf(real) ?? real))));
  return roots.has(undefined) || roots.size > 1 ? "never" : "ifFound";
}
