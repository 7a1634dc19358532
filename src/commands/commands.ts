import type { CommandRow } from "./command.ts";

/** The commands, in the order of the help. */
export const COMMANDS: readonly CommandRow[] = [
  row(
    "plan",
    "show what a change rolls out, why, and whether it is safe",
    async () => (await import("./plan.ts")).definePlan,
  ),
  row("stamp", "write stamps into files and folders", async () => (await import("./stamp.ts")).defineStamp),
  row(
    "lint",
    "find what makes rollouts unsafe, useless or unexpected",
    async () => (await import("./lint.ts")).defineLint,
  ),
  row("explain", "explain the stamps of a workload", async () => (await import("./explain.ts")).defineExplain),
  row("graph", "show sources and the workloads that use them", async () => (await import("./graph.ts")).defineGraph),
  row("apps", "list the applications of a repository", async () => (await import("./apps.ts")).defineApps),
  row("log", "show which commits rolled out a workload, and why", async () => (await import("./log.ts")).defineLog),
  row(
    "audit",
    "show what past changes of configuration rolled out",
    async () => (await import("./audit.ts")).defineAudit,
  ),
  row(
    "restart",
    "write restarts into manifests, now or when they are due",
    async () => (await import("./restart.ts")).defineRestart,
  ),
  row(
    "status",
    "show pods of a live cluster that run with old content",
    async () => (await import("./status.ts")).defineStatus,
  ),
  row(
    "init",
    "set up rollstamp in Argo CD, Flux, kustomize, Helm, CI and others",
    async () => (await import("./init.ts")).defineInit,
  ),
  row(
    "migrate",
    "migrate from Reloader, Wave and checksums of charts",
    async () => (await import("./migrate.ts")).defineMigrate,
  ),
  more("fn", "run the KRM function: stdin to stdout (the default)", async () => (await import("./fn.ts")).defineFn),
  more("digest", "print the digest of every source", async () => (await import("./digest.ts")).defineDigest),
  more(
    "gc",
    "list or delete copies of sources that a live cluster no longer uses",
    async () => (await import("./gc.ts")).defineGc,
  ),
  more(
    "cmp",
    "render and stamp an application as Argo CD's config-management plugin",
    async () => (await import("./cmp.ts")).defineCmp,
  ),
  more(
    "merge-driver",
    "merge stamped files in git without conflicts of stamps",
    async () => (await import("./merge-driver.ts")).defineMergeDriver,
  ),
  more("completion", "print the completion script of a shell", async () =>
    (await import("./completion.ts")).defineCompletion(COMMANDS),
  ),
  more("version", "print the version", async () => (await import("./version.ts")).defineVersion),
];

function row(name: string, summary: string, load: CommandRow["load"]): CommandRow {
  return { name, summary, load };
}

function more(name: string, summary: string, load: CommandRow["load"]): CommandRow {
  return { name, summary, load, isMore: true };
}
