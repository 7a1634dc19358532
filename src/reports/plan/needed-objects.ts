import { objectKey } from "../../base/identity.ts";
import { onceFor } from "../../base/grouped.ts";
import { misspeltName } from "../../base/nearest-name.ts";
import type { StartProblem } from "../../findings/catalogue/safety-rows.ts";
import { matchPath } from "../../kubernetes/workloads/paths.ts";
import type { PodTemplate } from "../../kubernetes/workloads/types.ts";
import { stringOf } from "../../yaml/read/node.ts";
import { templatesOf } from "./pair.ts";
import type { Side, WorkloadPair } from "./side.ts";

interface NeededKind {
  readonly group: string;
  readonly kind: string;
  /** Of the pod spec. */
  readonly paths: readonly string[];
  readonly isOfCluster?: true;
  /** What every cluster has. */
  readonly builtIn?: readonly string[];
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
  {
    group: "scheduling.k8s.io",
    kind: "PriorityClass",
    paths: ["priorityClassName"],
    isOfCluster: true,
    builtIn: ["system-node-critical", "system-cluster-critical"],
  },
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
    const [known, others] = [namesIn(base), namesIn(head)];
    if (replaced.length === 0 || known.all.has(name) || others.all.has(name)) return [];
    const there = known.inNamespace(row, namespace);
    const added = [...others.inNamespace(row, namespace)].filter((one) => !there.has(one));
    const similar =
      misspeltName(
        name,
        replaced.map((one) => one.name).filter((one) => there.has(one)),
      ) ??
      misspeltName(name, there) ??
      misspeltName(name, added);
    const isMeant = similar === undefined || withoutDigits(similar) === withoutDigits(name);
    if (isMeant || !replaced.some((one) => there.has(one.name))) return [];
    return [{ is: "missing", kind: row.kind, name, similar }];
  });
}

interface Names {
  readonly all: ReadonlySet<string>;
  readonly inNamespace: (row: NeededKind, namespace: string) => ReadonlySet<string>;
}

// Thousands of workloads may name others.
const namesIn = onceFor(({ run, analysis, spec }: Side): Names => {
  const { items } = run ?? analysis;
  const builtIn = NEEDED.map((row) => [keyOf(row, "", ""), row.builtIn ?? []] as const);
  const grouped = new Map(builtIn.map(([key, names]) => [key, new Set(names)]));
  for (const { group, kind, namespace, name } of items) {
    const row = NEEDED.find((one) => one.group === group && one.kind === kind);
    if (row === undefined) continue;
    const key = keyOf(row, namespace || spec.defaultNamespace, "");
    grouped.set(key, (grouped.get(key) ?? new Set()).add(name));
  }
  return {
    all: new Set([...items.map(({ name }) => name), ...builtIn.flatMap(([, names]) => names)]),
    inNamespace: (row, namespace) => grouped.get(keyOf(row, namespace, "")) ?? new Set(),
  };
});

const withoutDigits = (name: string): string => name.replaceAll(/\d/gu, "");
