import { RollstampError } from "../../base/errors.ts";
import type { Cluster } from "../../platform/ports/cluster.ts";

/** The error for what cannot be read: what was not looked at must not count as unused. */
export function notReadable({ context, server }: Cluster, action: string): RollstampError {
  return new RollstampError(
    "system",
    `the user of context '${context}' can't ${action} of ${server}: which copies are used is unknown, and nothing was deleted`,
    { remedy: "Apply the role that 'rollstamp gc --rbac' prints and bind it, or choose one namespace with -n." },
  );
}

/** `list pods in namespace 'shop'` */
export function listing(what: readonly string[], namespace: string | undefined): string {
  return `list ${what.join(", ")} in ${namespace === undefined ? "all namespaces" : `namespace '${namespace}'`}`;
}
