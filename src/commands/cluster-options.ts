import type { Command } from "commander";
import type { ClusterOptions } from "../platform/ports/cluster.ts";
import { RollstampError } from "../base/errors.ts";
import type { Io } from "../platform/ports/io.ts";

/** The options of the commands that ask a cluster; named as kubectl names them. */
export interface ClusterCommandOptions {
  readonly kubeconfig?: string;
  readonly context?: string;
  readonly requestTimeout: number;
}

const SECONDS = 30;

/** Their names. */
export const CLUSTER_OPTIONS: readonly string[] = ["--kubeconfig", "--context", "--request-timeout"];

/** Adds these options to a command. */
export function addClusterOptions(command: Command): void {
  command
    .option("--kubeconfig <file>", "the kubeconfig (else KUBECONFIG, ~/.kube/config, a pod's service account)")
    .option("--context <name>", "the context of the kubeconfig")
    .option("--request-timeout <seconds>", "how long the cluster may take for one answer", seconds, SECONDS);
}

/** What these options say to the adapter. */
export function clusterOptions(io: Io, options: ClusterCommandOptions): ClusterOptions {
  return {
    kubeconfig: options.kubeconfig,
    context: options.context,
    environment: io.environment,
    timeoutMs: options.requestTimeout * 1000,
    limits: io.context.limits,
  };
}

/** A positive number of seconds; `s` may follow, as kubectl writes it. */
export function seconds(text: string): number {
  const [, digits] = /^(\d{1,6}(?:\.\d+)?)s?$/u.exec(text) ?? [];
  if (digits !== undefined && Number(digits) > 0) return Number(digits);
  throw new RollstampError("usage", `'${text}' is no number of seconds`, { remedy: "Write a number such as 30." });
}
