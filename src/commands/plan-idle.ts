import { CLUSTER_OPTIONS } from "./cluster-options.ts";
import { idleWith, idleOnStdin, idleWithout, type IdleOption } from "./idle-options.ts";

const APPLICATION_OPTIONS = [
  "--app",
  "--all-apps",
  "--clusters",
  "--allow-commands",
  "--jobs",
  "--cache",
  "--shard",
  "--fetch-charts",
  "--stamped-by",
] as const;

/** The options of `plan` that have no effect with, or without, other options. */
export const PLAN_IDLE: readonly IdleOption[] = [
  // Shards were made with or without these.
  idleWith(
    "--merge",
    "--git",
    ...APPLICATION_OPTIONS,
    "--render",
    "--chart",
    "--live",
    "--all",
    "--as",
    "--show-values",
    "--allow-empty",
    "--scope",
    "--kustomize-input",
    "--config",
  ),
  idleWithout("--live", ...CLUSTER_OPTIONS),
  idleWithout("--chart", "--values", "--release", "--kube-version", "--skip-schema-validation"),
  {
    options: ["--namespace"],
    when: "without --live or --chart",
    isIdle: ({ has }) => !has("--live") && !has("--chart"),
  },
  idleWithout("--git", ...APPLICATION_OPTIONS),
  idleWith("--render", ...APPLICATION_OPTIONS),
  idleWith("--render", "--scope", "--kustomize-input"),
  idleWith("--chart", "--scope", "--kustomize-input"),
  idleWith("--live", "--scope"),
  idleWith("--shard", "--scope", "--kustomize-input"),
  // The limits are for the whole plan.
  {
    options: ["--max-workloads", "--max-pods", "--max-deletes", "--accept-deletes", "--fail-on"],
    when: "with --shard: give it to plan --merge",
    isIdle: ({ has }) => has("--shard"),
  },
  { options: ["--shard"], when: "without -o json", isIdle: ({ value }) => value("--output") !== "json" },
  idleOnStdin("--scope", "--kustomize-input"),
  {
    options: ["--title"],
    when: "without -o markdown or -o html",
    isIdle: ({ value }) => value("--output") !== "markdown" && value("--output") !== "html",
  },
];
