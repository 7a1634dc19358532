import { resourceRef } from "../../../findings/results/location.ts";
import { firstField, problem, type LintRule } from "../rule.ts";

interface RemovedApi {
  readonly apiVersion: string;
  readonly kinds: readonly string[];
  readonly removedIn: string;
  readonly instead: string;
}

// The deprecation guide of Kubernetes: kubernetes.io/docs/reference/using-api/deprecation-guide.
const REMOVED_APIS: readonly RemovedApi[] = [
  {
    apiVersion: "extensions/v1beta1",
    kinds: ["Deployment", "DaemonSet", "ReplicaSet"],
    removedIn: "1.16",
    instead: "apps/v1",
  },
  { apiVersion: "apps/v1beta1", kinds: ["Deployment", "StatefulSet"], removedIn: "1.16", instead: "apps/v1" },
  {
    apiVersion: "apps/v1beta2",
    kinds: ["Deployment", "DaemonSet", "ReplicaSet", "StatefulSet"],
    removedIn: "1.16",
    instead: "apps/v1",
  },
  { apiVersion: "batch/v2alpha1", kinds: ["CronJob"], removedIn: "1.21", instead: "batch/v1" },
  { apiVersion: "batch/v1beta1", kinds: ["CronJob"], removedIn: "1.25", instead: "batch/v1" },
];

/** A workload's apiVersion that current Kubernetes no longer serves: the apply fails. */
export const REMOVED_API: LintRule<"RS011"> = {
  id: "RS011",
  check: ({ items }) =>
    items.flatMap((item) => {
      const removed = REMOVED_APIS.find((row) => row.apiVersion === item.apiVersion && row.kinds.includes(item.kind));
      if (removed === undefined) return [];
      const { apiVersion, removedIn, instead } = removed;
      const params = { workload: resourceRef(item), apiVersion, removedIn, instead };
      return [problem(item, firstField(item, "apiVersion"), { id: "RS011", cause: "removed", params })];
    }),
};
