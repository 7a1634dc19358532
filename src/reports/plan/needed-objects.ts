import { objectKey } from "../../base/identity.ts";
import { nearest } from "../../base/nearest-name.ts";
import type { StartProblem } from "../../findings/catalogue/safety-rows.ts";
import { matchPath } from "../../kubernetes/workloads/paths.ts";
import type { PodTemplate } from "../../kubernetes/workloads/types.ts";
import type { Item } from "../../yaml/read/items.ts";
import { stringOf } from "../../yaml/read/node.ts";
import { templatesOf } from "./pair.ts";
import type { Side, WorkloadPair } from "./side.ts";

interface NeededKind {
  readonly group: string;
  readonly kind: string;
  /** Of the pod spec. */
  readonly paths: readonly string[];
  readonly isOfCluster?: true;
  /** The API server accepts the pod, and no node gets it. */
  readonly isPending?: true;
}

/**
 * The kinds without which the API server refuses a pod that names them: the admission plugins ServiceAccount, Priority and
 * RuntimeClass. A deleted ServiceAccount "default" is made again (pkg/controller/serviceaccount in Kubernetes). Without its
 * claim a pod stays Pending (pkg/scheduler/framework/plugins/volumebinding); one that pods use is deleted after them.
 */
const NEEDED: readonly NeededKind[] = [
  // The second name is older: core/v1, types.go, PodSpec.
  { group: "", kind: "ServiceAccount", paths: ["serviceAccountName", "serviceAccount"] },
  { group: "scheduling.k8s.io", kind: "PriorityClass", paths: ["priorityClassName"], isOfCluster: true },
  { group: "node.k8s.io", kind: "RuntimeClass", paths: ["runtimeClassName"], isOfCluster: true },
  {
    group: "",
    kind: "PersistentVolumeClaim",
    paths: ["volumes.*.persistentVolumeClaim.claimName"],
    isPending: true,
  },
];

interface Needed {
  readonly row: NeededKind;
  readonly name: string;
  readonly key: string;
}

function neededIn(namespace: string, templates: readonly PodTemplate[]): readonly Needed[] {
  return templates.flatMap(({ item: { tree }, podSpecs }) =>
    podSpecs.flatMap(({ node }) =>
      NEEDED.flatMap((row) =>
        row.paths
          .flatMap((path) => matchPath(tree, node, path).flatMap((match) => stringOf(tree, match.node) ?? []))
          .filter((name) => row.kind !== "ServiceAccount" || name !== "default")
          .map((name) => ({ row, name, key: keyOf(row, namespace, name) })),
      ),
    ),
  );
}

function keyOf({ group, kind, isOfCluster }: NeededKind, namespace: string, name: string): string {
  return objectKey({ group, kind, name }, isOfCluster === true ? "" : namespace);
}

/** The keys of objects that the pod templates of a side name, and without which the API server refuses pods. */
export function neededObjects({ analysis: { workloads } }: Side): ReadonlySet<string> {
  return new Set(
    workloads.flatMap(({ namespace, templates }) =>
      neededIn(namespace, templates).flatMap(({ row, key }) => (row.isPending === true ? [] : [key])),
    ),
  );
}

/** How many letters of a misspelt name may be wrong. */
const MOST_WRONG = 2;

/**
 * What a workload names in place of an object of the base, if it is probably misspelt: neither revision has any object of this
 * name, and one of a similar name. Others, and other numbers in it, may be names of what only the cluster has.
 */
export function misspeltObjects({ base, head, from, to }: WorkloadPair): readonly StartProblem[] {
  const { namespace } = to.workload;
  const before = neededIn(from.workload.namespace, templatesOf(base, from));
  const after = neededIn(namespace, templatesOf(head, to));
  const [old, now] = [before, after].map((all) => new Set(all.map(({ key }) => key)));
  const left = before.filter(({ key }) => now?.has(key) !== true);
  return after.flatMap(({ row, name, key }): StartProblem[] => {
    const replaced = old?.has(key) === true ? [] : left.filter((one) => one.row === row);
    if (replaced.length === 0 || hasName(base, name) || hasName(head, name)) return [];
    const known = namesOf(base, row, namespace);
    const similar = nearest(name, [...known, ...namesOf(head, row, namespace)], MOST_WRONG);
    const isMeant = similar === undefined || withoutDigits(similar) === withoutDigits(name);
    if (isMeant || !replaced.some((one) => known.includes(one.name))) return [];
    return [{ is: "missing", kind: row.kind, name, similar }];
  });
}

const itemsOf = ({ run, analysis }: Side): readonly Item[] => (run ?? analysis).items;

function hasName(side: Side, name: string): boolean {
  return itemsOf(side).some((item) => item.name === name);
}

function namesOf(side: Side, { group, kind, isOfCluster }: NeededKind, namespace: string): string[] {
  return itemsOf(side)
    .filter((item) => item.group === group && item.kind === kind)
    .filter((item) => isOfCluster === true || (item.namespace || side.spec.defaultNamespace) === namespace)
    .map(({ name }) => name);
}

const withoutDigits = (name: string): string => name.replaceAll(/\d/gu, "");
