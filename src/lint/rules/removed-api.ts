import { describe, type Item } from "../../manifest/items.ts";
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
export const REMOVED_API: LintRule = {
  id: "RS011",
  severity: "error",
  title: "An apiVersion that Kubernetes no longer serves",
  remedy: "Write the current apiVersion, give a selector, and look at the defaults of its strategy: they differ.",
  check: ({ items }) =>
    items.flatMap((item) => {
      const removed = REMOVED_APIS.find((row) => row.apiVersion === item.apiVersion && row.kinds.includes(item.kind));
      return removed === undefined ? [] : [problem(item, firstField(item, "apiVersion"), messageOf(item, removed))];
    }),
};

function messageOf(item: Item, removed: RemovedApi): string {
  return `${describe(item)} has the apiVersion ${removed.apiVersion}, which Kubernetes serves no more since ${removed.removedIn}: it is ${removed.instead} now`;
}
