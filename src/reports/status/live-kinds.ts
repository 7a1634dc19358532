import { groupedBy } from "../../base/grouped.ts";
import { kindKey, apiPath, groupOf } from "../../base/identity.ts";
import { workloadKinds } from "../../kubernetes/workloads/workload-kinds.ts";
import type { ConfigHashSpec } from "../../stamping/function/config-hash.ts";
import { fieldOf, fieldsOf, listOf, textOf } from "../../yaml/read/json.ts";
import type { Json } from "../../yaml/read/node.ts";
import { DECLARED_KINDS } from "../../kubernetes/sources/declared-kinds.ts";

export interface ServedKind {
  readonly apiVersion: string;
  readonly kind: string;
  /** Its name in paths of the API. */
  readonly plural: string;
  readonly namespaced: boolean;
  readonly use: "workload" | "declared";
}

export type WantedKind = Pick<ServedKind, "kind" | "use"> & { readonly group: string };

/** The kinds to read besides ConfigMaps, Secrets, ReplicaSets and Pods. */
export function wantedKinds(spec: ConfigHashSpec): readonly WantedKind[] {
  const workloads = workloadKinds(spec)
    // The cluster contains the objects that a chart made of these values.
    .filter(({ holds }) => holds === undefined)
    .filter(({ option }) => option !== "never" && !(option === "jobs" && spec.jobs === "Skip"))
    .filter(({ option }) => !(option === "cronJobs" && spec.cronJobs === "Skip"))
    .map(({ group, kind }): WantedKind => ({ group, kind, use: "workload" }));
  const declared = (spec.declaredSources ? [...DECLARED_KINDS, ...spec.declaredKinds] : [])
    .filter(({ optional }) => optional === undefined || spec.optionalKinds.includes(optional))
    .map(({ group, kind }): WantedKind => ({ group, kind, use: "declared" }));
  // Deployments of `extensions` are the same objects as those of `apps`.
  const wanted = [...workloads, ...declared].filter(({ group }) => group !== "extensions");
  return [...groupedBy(wanted, kindKey).values()].map(([first]) => first);
}

/**
 * The versions of the groups with a wanted kind, from the answer of /apis. The preferred one of a group is the first; it may
 * lack a kind that another version has.
 */
export function groupVersions(answer: Json, wanted: readonly WantedKind[]): readonly string[] {
  const groups = new Set(wanted.map(({ group }) => group));
  return listOf(fieldsOf(answer)["groups"]).flatMap((group) => {
    const { name, preferredVersion, versions } = fieldsOf(group);
    if (typeof name !== "string" || !groups.has(name)) return [];
    const all = [preferredVersion, ...listOf(versions)].flatMap((one) => textOf(fieldOf(one, "groupVersion")) ?? []);
    return [...new Set(all)];
  });
}

/** The wanted kinds among the resources of a group and version. */
export function servedKinds(apiVersion: string, answer: Json, wanted: readonly WantedKind[]): readonly ServedKind[] {
  const group = groupOf(apiVersion);
  return listOf(fieldsOf(answer)["resources"]).flatMap((resource): ServedKind[] => {
    const { name, kind, namespaced } = fieldsOf(resource);
    if (typeof name !== "string" || typeof kind !== "string" || name.includes("/")) return [];
    const match = wanted.find((one) => one.group === group && one.kind === kind);
    return match === undefined
      ? []
      : [{ apiVersion, kind, plural: name, namespaced: namespaced === true, use: match.use }];
  });
}

/** The path of the list of a kind, in one namespace or in all. */
export function listPath(
  { apiVersion, plural, namespaced }: Omit<ServedKind, "kind" | "use">,
  namespace: string | undefined,
): string {
  return `${apiPath(apiVersion)}${namespaced && namespace !== undefined ? `/namespaces/${encodeURIComponent(namespace)}` : ""}/${plural}`;
}

/** The name that kubectl uses: `deployments.apps`. */
export function resourceName({ apiVersion, plural }: Pick<ServedKind, "apiVersion" | "plural">): string {
  const group = groupOf(apiVersion);
  return group === "" ? plural : `${plural}.${group}`;
}

export const APPS_KINDS: readonly ServedKind[] = [
  { apiVersion: "apps/v1", kind: "Deployment", plural: "deployments", namespaced: true, use: "workload" },
  { apiVersion: "apps/v1", kind: "StatefulSet", plural: "statefulsets", namespaced: true, use: "workload" },
  { apiVersion: "apps/v1", kind: "DaemonSet", plural: "daemonsets", namespaced: true, use: "workload" },
];
