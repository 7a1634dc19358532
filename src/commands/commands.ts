import type { CommandRow } from "./command.ts";

/** The commands, in the order of the help. */
export const COMMANDS: readonly CommandRow[] = [
  {
    name: "plan",
    summary: "show what would roll between two renderings, and why",
    load: async () => (await import("./plan.ts")).definePlan,
  },
  {
    name: "stamp",
    summary: "stamp files and folders in place",
    load: async () => (await import("./stamp.ts")).defineStamp,
  },
  {
    name: "lint",
    summary: "find what makes rollouts unsafe, useless or unexpected",
    load: async () => (await import("./lint.ts")).defineLint,
  },
  {
    name: "explain",
    summary: "explain the stamps of a workload",
    load: async () => (await import("./explain.ts")).defineExplain,
  },
  {
    name: "graph",
    summary: "show sources and the workloads that use them",
    load: async () => (await import("./graph.ts")).defineGraph,
  },
  {
    name: "apps",
    summary: "list the applications of a repository",
    load: async () => (await import("./apps.ts")).defineApps,
  },
  {
    name: "log",
    summary: "show which commits rolled a workload, and why",
    load: async () => (await import("./log.ts")).defineLog,
  },
  {
    name: "restart",
    summary: "write restarts into manifests, now or when they are due",
    load: async () => (await import("./restart.ts")).defineRestart,
  },
  {
    name: "status",
    summary: "show pods of a live cluster that run with old content",
    load: async () => (await import("./status.ts")).defineStatus,
  },
  {
    name: "init",
    summary: "set up rollstamp in kustomize, kpt, Argo CD, Helm, pre-commit or CI",
    load: async () => (await import("./init.ts")).defineInit,
  },
  {
    name: "migrate",
    summary: "migrate from Reloader, Wave and checksums of charts",
    load: async () => (await import("./migrate.ts")).defineMigrate,
  },
  {
    name: "fn",
    summary: "run the KRM function: stdin to stdout (the default)",
    isMore: true,
    load: async () => (await import("./fn.ts")).defineFn,
  },
  {
    name: "digest",
    summary: "print the digest of every source",
    isMore: true,
    load: async () => (await import("./digest.ts")).defineDigest,
  },
  {
    name: "cmp",
    summary: "render and stamp an application as Argo CD's config-management plugin",
    isMore: true,
    load: async () => (await import("./cmp.ts")).defineCmp,
  },
  {
    name: "merge-driver",
    summary: "merge stamped files in git without conflicts of stamps",
    isMore: true,
    load: async () => (await import("./merge-driver.ts")).defineMergeDriver,
  },
  {
    name: "completion",
    summary: "print the completion script of a shell",
    isMore: true,
    load: async () => (await import("./completion.ts")).defineCompletion(COMMANDS),
  },
  {
    name: "version",
    summary: "print the version",
    isMore: true,
    load: async () => (await import("./version.ts")).defineVersion,
  },
];
