import { objectKey } from "../../base/identity.ts";
import { getString } from "../../yaml/read/node.ts";
import type { Side } from "./side.ts";

/**
 * The kinds without which the API server refuses a pod that names them: the admission plugins ServiceAccount, Priority and
 * RuntimeClass. A deleted ServiceAccount "default" is made again (pkg/controller/serviceaccount in Kubernetes).
 */
const NEEDED: readonly {
  readonly group: string;
  readonly kind: string;
  /** The second name is older: core/v1, types.go, PodSpec. */
  readonly fields: readonly string[];
  readonly isOfCluster?: true;
}[] = [
  { group: "", kind: "ServiceAccount", fields: ["serviceAccountName", "serviceAccount"] },
  { group: "scheduling.k8s.io", kind: "PriorityClass", fields: ["priorityClassName"], isOfCluster: true },
  { group: "node.k8s.io", kind: "RuntimeClass", fields: ["runtimeClassName"], isOfCluster: true },
];

/** The keys of such objects that the pod templates of a side name. */
export function neededObjects({ analysis: { workloads } }: Side): ReadonlySet<string> {
  return new Set(
    workloads.flatMap(({ namespace, templates }) =>
      templates.flatMap(({ item: { tree }, podSpecs }) =>
        podSpecs.flatMap(({ node }) =>
          NEEDED.flatMap(({ group, kind, fields, isOfCluster }) =>
            fields
              .flatMap((field) => getString(tree, node, field) ?? [])
              .filter((name) => kind !== "ServiceAccount" || name !== "default")
              .map((name) => objectKey({ group, kind, name }, isOfCluster === true ? "" : namespace)),
          ),
        ),
      ),
    ),
  );
}
