import type { CommandRow } from "./command.ts";

/** The commands, in the order of the help. */
export const COMMANDS: readonly CommandRow[] = [
  {
    name: "fn",
    summary: "the KRM function: manifests from stdin, stamped to stdout (the default)",
    load: async () => (await import("./fn.ts")).defineFn,
  },
  {
    name: "stamp",
    summary: "stamp files and folders in place",
    load: async () => (await import("./stamp.ts")).defineStamp,
  },
  {
    name: "restart",
    summary: "restart workloads by a commit, now or when they are due",
    load: async () => (await import("./restart.ts")).defineRestart,
  },
  {
    name: "plan",
    summary: "what would roll between two renderings, and why",
    load: async () => (await import("./plan.ts")).definePlan,
  },
  {
    name: "lint",
    summary: "find what makes rollouts unsafe, useless or unexpected",
    load: async () => (await import("./lint.ts")).defineLint,
  },
  {
    name: "graph",
    summary: "sources and the workloads that see them",
    load: async () => (await import("./graph.ts")).defineGraph,
  },
  {
    name: "explain",
    summary: "why a workload has the stamps that it has",
    load: async () => (await import("./explain.ts")).defineExplain,
  },
  {
    name: "digest",
    summary: "the digest of every source",
    load: async () => (await import("./digest.ts")).defineDigest,
  },
  {
    name: "apps",
    summary: "the applications of a repository, and what tells of each",
    load: async () => (await import("./apps.ts")).defineApps,
  },
  {
    name: "log",
    summary: "which commits rolled a workload, and why, from Git's history",
    load: async () => (await import("./log.ts")).defineLog,
  },
  {
    name: "merge-driver",
    summary: "git's merge driver for stamped files: stamps never conflict",
    load: async () => (await import("./merge-driver.ts")).defineMergeDriver,
  },
  {
    name: "textconv",
    summary: "a file without its stamps, for git diff",
    load: async () => (await import("./textconv.ts")).defineTextconv,
  },
  {
    name: "status",
    summary: "a live cluster: pods that run with content other than what it holds now",
    load: async () => (await import("./status.ts")).defineStatus,
  },
  {
    name: "cmp",
    summary: "Argo CD's config-management plugin: render an application, stamped",
    load: async () => (await import("./cmp.ts")).defineCmp,
  },
  {
    name: "init",
    summary: "wire rollstamp into kustomize, kpt, Argo CD, Helm, pre-commit or CI",
    load: async () => (await import("./init.ts")).defineInit,
  },
  {
    name: "migrate",
    summary: "from Reloader, Wave and charts' checksums to rollstamp: a report, or the change itself",
    load: async () => (await import("./migrate.ts")).defineMigrate,
  },
  {
    name: "completion",
    summary: "the completion script of a shell",
    load: async () => (await import("./completion.ts")).defineCompletion(COMMANDS),
  },
];
