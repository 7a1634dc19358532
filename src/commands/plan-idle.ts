import { CLUSTER_OPTIONS } from "./cluster-options.ts";
import { beside, ofStdinAlone, without, type IdleOption } from "./idle-options.ts";

const APPLICATION_OPTIONS = [
  "--app",
  "--all-apps",
  "--clusters",
  "--allow-commands",
  "--jobs",
  "--cache",
  "--shard",
  "--fetch-charts",
] as const;

/** Which options of `plan` have no effect beside which. */
export const PLAN_IDLE: readonly IdleOption[] = [
  // The parts were made with these, or without.
  beside(
    "--merge",
    "--git",
    ...APPLICATION_OPTIONS,
    "--render",
    "--chart",
    "--live",
    "--all",
    "--show-values",
    "--allow-empty",
    "--scope",
    "--kustomize-input",
    "--config",
  ),
  without("--live", ...CLUSTER_OPTIONS),
  without("--chart", "--values", "--release", "--kube-version", "--skip-schema-validation"),
  {
    options: ["--namespace"],
    when: "without --live or --chart",
    isIdle: ({ has }) => !has("--live") && !has("--chart"),
  },
  without("--git", ...APPLICATION_OPTIONS),
  beside("--render", ...APPLICATION_OPTIONS),
  beside("--render", "--scope", "--kustomize-input"),
  beside("--chart", "--scope", "--kustomize-input"),
  beside("--live", "--scope"),
  beside("--shard", "--scope", "--kustomize-input"),
  // Of a part nobody knows yet what the whole comes to.
  {
    options: ["--max-workloads", "--max-pods", "--fail-on"],
    when: "beside --shard, but with plan --merge",
    isIdle: ({ has }) => has("--shard"),
  },
  { options: ["--shard"], when: "without -o json", isIdle: ({ value }) => value("--output") !== "json" },
  ofStdinAlone("--scope", "--kustomize-input"),
  {
    options: ["--title"],
    when: "without -o markdown or -o html",
    isIdle: ({ value }) => value("--output") !== "markdown" && value("--output") !== "html",
  },
];
