import type { Command } from "commander";
import type { Cluster, ClusterOptions } from "../platform/ports/cluster.ts";
import { RollstampError } from "../base/errors.ts";
import type { Io } from "../platform/ports/io.ts";

/** The options of commands that read a cluster, with kubectl's names. */
export interface ClusterCommandOptions {
  readonly kubeconfig?: string;
  readonly context?: string;
  readonly requestTimeout: number;
}

/** `-n` and `-A`. */
export interface NamespaceOptions extends ClusterCommandOptions {
  readonly namespace?: string;
  readonly allNamespaces?: boolean;
}

const SECONDS = 30;

export const CLUSTER_OPTIONS: readonly string[] = ["--kubeconfig", "--context", "--request-timeout"];

/** Adds these options; `when` begins their texts in a command that does not always read a cluster. */
export function addClusterOptions(command: Command, when = ""): void {
  command
    .option(
      "--kubeconfig <file>",
      `${when}the kubeconfig (default: KUBECONFIG, ~/.kube/config, or the service account of the pod)`,
    )
    .option("--context <name>", `${when}the context of the kubeconfig`)
    .option("--request-timeout <seconds>", `${when}the timeout of a request`, seconds, SECONDS);
}

/** Adds the options of a cluster, and `-n` and `-A`, of which one is accepted. */
export function addNamespaceOptions(command: Command, all: string): void {
  addClusterOptions(command);
  command
    .option("-n, --namespace <name>", "the namespace (default: that of the context)")
    .option("-A, --all-namespaces", all)
    .hook("preAction", () => {
      const { allNamespaces, namespace } = command.opts<NamespaceOptions>();
      if (allNamespaces !== true || namespace === undefined) return;
      throw new RollstampError("usage", "-n and -A exclude each other", { remedy: "Use one of them." });
    });
}

export function clusterOptions(io: Io, options: ClusterCommandOptions): ClusterOptions {
  return {
    kubeconfig: options.kubeconfig,
    context: options.context,
    environment: io.environment,
    timeoutMs: options.requestTimeout * 1000,
    limits: io.context.limits,
  };
}

/** Undefined: all namespaces. */
export function namespaceOf({ allNamespaces, namespace }: NamespaceOptions, cluster: Cluster): string | undefined {
  return allNamespaces === true ? undefined : (namespace ?? cluster.namespace);
}

/** A positive number of seconds; `s` may follow, as kubectl writes it. */
export function seconds(text: string): number {
  const [, digits] = /^(\d{1,6}(?:\.\d+)?)s?$/u.exec(text) ?? [];
  if (digits !== undefined && Number(digits) > 0) return Number(digits);
  throw new RollstampError("usage", `'${text}' must be a number of seconds`, { remedy: "Write a number such as 30." });
}
