import { kindKey } from "../../base/identity.ts";
import type { ConfigHashValue } from "../../base/config-hash-options.ts";
import { groupedBy, onceForPair } from "../../base/grouped.ts";
import { CUSTOM_KINDS } from "./custom-kinds.ts";
import { kindRow } from "./kind-row.ts";
import type { Item } from "../../yaml/read/items.ts";
import type { WorkloadKind } from "./types.ts";
import { isOptedIn, VALUE_KINDS } from "./value-templates.ts";

/** The built-in kinds of which a stamp could have no effect, because no controller replaces their pods. */
const NEVER = { option: "never", rollsBy: "never" } as const;

/** The kinds with pod templates. They match by group and kind, in any version. */
export const WORKLOAD_KINDS: readonly WorkloadKind[] = [
  kindRow("apps", "Deployment", ["spec.template"]),
  kindRow("apps", "StatefulSet", ["spec.template"]),
  kindRow("apps", "DaemonSet", ["spec.template"]),
  kindRow("extensions", "Deployment", ["spec.template"]),
  kindRow("extensions", "DaemonSet", ["spec.template"]),
  kindRow("batch", "CronJob", ["spec.jobTemplate.spec.template"], { option: "cronJobs", rollsBy: "nextRun" }),
  kindRow("batch", "Job", ["spec.template"], { option: "jobs", rollsBy: "immutable" }),
  kindRow("apps", "ReplicaSet", ["spec.template"], NEVER),
  kindRow("extensions", "ReplicaSet", ["spec.template"], NEVER),
  kindRow("", "ReplicationController", ["spec.template"], NEVER),
  kindRow("", "Pod", [{ annotations: "metadata.annotations", anchor: "metadata", podSpec: "spec" }], NEVER),
  ...CUSTOM_KINDS,
];

export interface KindOptions {
  readonly optionalKinds: readonly ConfigHashValue<"optionalKinds">[];
  readonly workloads: readonly WorkloadKind[];
}

/** The kinds that a configuration selects: the built-in ones except optional kinds that are off, and its own. */
export function workloadKinds({ optionalKinds, workloads }: KindOptions): readonly WorkloadKind[] {
  return kindsOf(optionalKinds, workloads);
}

// Computed once per configuration, because thousands of files may be processed separately.
const kindsOf = onceForPair(
  (optionalKinds: KindOptions["optionalKinds"], workloads: KindOptions["workloads"]): readonly WorkloadKind[] => [
    ...WORKLOAD_KINDS.filter((row) => row.optional === undefined || optionalKinds.includes(row.optional)),
    ...workloads,
    // Last: an object that the configuration names needs no annotation to be a workload.
    ...VALUE_KINDS,
  ],
);

/** Whether the pods of a kind run until they are done: those of Jobs. */
export function runsToCompletion({ rollsBy }: WorkloadKind): boolean {
  return rollsBy === "immutable" || rollsBy === "nextRun";
}

/** Finds out which objects are workloads, with or without pod templates. */
export function areWorkloads(kinds: readonly WorkloadKind[]): (item: Item) => boolean {
  const rows = groupedBy(kinds, kindKey);
  return (item) => (rows.get(kindKey(item)) ?? []).some((row) => isOptedIn(item, row));
}
