import { kindKey } from "../../base/identity.ts";
import type { ConfigHashValue } from "../../base/config-hash-options.ts";
import { onceForBoth } from "../../base/once-for.ts";
import { CUSTOM_KINDS } from "./custom-kinds.ts";
import { podTemplate } from "./template-paths.ts";
import type { Item } from "../../yaml/read/items.ts";
import type { WorkloadKind } from "./types.ts";
import { isOptedIn, VALUE_KINDS } from "./value-templates.ts";

/** The kinds that have pod templates. Matched by group and kind, in any version. */
export const WORKLOAD_KINDS: readonly WorkloadKind[] = [
  { group: "apps", kind: "Deployment", templates: [podTemplate("spec.template")], rollsBy: "template" },
  { group: "apps", kind: "StatefulSet", templates: [podTemplate("spec.template")], rollsBy: "template" },
  { group: "apps", kind: "DaemonSet", templates: [podTemplate("spec.template")], rollsBy: "template" },
  { group: "extensions", kind: "Deployment", templates: [podTemplate("spec.template")], rollsBy: "template" },
  { group: "extensions", kind: "DaemonSet", templates: [podTemplate("spec.template")], rollsBy: "template" },
  {
    group: "batch",
    kind: "CronJob",
    templates: [podTemplate("spec.jobTemplate.spec.template")],
    option: "cronJobs",
    rollsBy: "nextRun",
  },
  { group: "batch", kind: "Job", templates: [podTemplate("spec.template")], option: "jobs", rollsBy: "immutable" },
  // A stamp on these could have no effect: no controller replaces their pods.
  { group: "apps", kind: "ReplicaSet", templates: [podTemplate("spec.template")], option: "never", rollsBy: "never" },
  {
    group: "extensions",
    kind: "ReplicaSet",
    templates: [podTemplate("spec.template")],
    option: "never",
    rollsBy: "never",
  },
  {
    group: "",
    kind: "ReplicationController",
    templates: [podTemplate("spec.template")],
    option: "never",
    rollsBy: "never",
  },
  {
    group: "",
    kind: "Pod",
    templates: [{ annotations: "metadata.annotations", anchor: "metadata", podSpec: "spec" }],
    option: "never",
    rollsBy: "never",
  },
  ...CUSTOM_KINDS,
];

/** What a configuration says of kinds. */
export interface KindOptions {
  /** The optional kinds that it switches on. */
  readonly optionalKinds: readonly ConfigHashValue<"optionalKinds">[];
  /** Its own. */
  readonly workloads: readonly WorkloadKind[];
}

/** The kinds that a configuration makes known: the built-in ones, less optional ones, and its own. */
export function workloadKinds({ optionalKinds, workloads }: KindOptions): readonly WorkloadKind[] {
  return kindsOf(optionalKinds, workloads);
}

// Once for a configuration, whichever namespace it is told: each of thousands of files may be looked at by itself.
const kindsOf = onceForBoth(
  (optionalKinds: KindOptions["optionalKinds"], workloads: KindOptions["workloads"]): readonly WorkloadKind[] => [
    ...WORKLOAD_KINDS.filter((row) => row.optional === undefined || optionalKinds.includes(row.optional)),
    ...workloads,
    // Behind those of the configuration: an object that it names is a workload without an annotation.
    ...VALUE_KINDS,
  ],
);

/** True for objects of some kinds that count as workloads, with pod templates or without. */
export function areWorkloads(kinds: readonly WorkloadKind[]): (item: Item) => boolean {
  const rows = new Map<string, readonly WorkloadKind[]>();
  for (const row of kinds) {
    const key = kindKey(row);
    rows.set(key, [...(rows.get(key) ?? []), row]);
  }
  return (item) => (rows.get(kindKey(item)) ?? []).some((row) => isOptedIn(item, row));
}
