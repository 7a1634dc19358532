import { formatList, formatName, formatObject, type ResourceRef } from "../../base/names.ts";
import type { Rows } from "./row.ts";

/** Findings about Services that reach no pod, pods that find no room, and what scales them: parameters by id and cause. */
export interface CapacityFindings {
  readonly RS026: {
    readonly noMatch: LostPods & { readonly labels: readonly string[] };
    /** All workloads that it selected are deleted. */
    readonly workloadDeleted: LostPods;
    /** The pods have no port of the name that it sends requests to. */
    readonly noPort: LostPods & { readonly port: string };
  };
  readonly RS027: {
    readonly atRest: OverQuota;
    /** The pods fit, but not those that a rollout adds. */
    readonly rollout: OverQuota & { readonly workload: ResourceRef; readonly added: number };
    /** Containers of the workloads do not set a resource that the quota counts. */
    readonly unset: Pick<OverQuota, "quota" | "resource"> & { readonly workloads: readonly ResourceRef[] };
    /** A container, or a pod in all, sets more than the max of a LimitRange, or less than its min. */
    readonly limitRange: {
      readonly workload: ResourceRef;
      /** Null for the pod. */
      readonly container: string | null;
      readonly range: ResourceRef;
      /** The field and the resource that it sets: `limits.memory`. */
      readonly resource: string;
      readonly bound: "max" | "min";
      readonly allowed: number;
      /** Null if nothing sets it, which only pods need. */
      readonly set: number | null;
    };
    readonly scoped: { readonly quota: ResourceRef };
  };
  /** Only in plans: containers no longer request what a HorizontalPodAutoscaler measures. */
  readonly "lost-request": {
    readonly unmeasured: {
      readonly workload: ResourceRef;
      readonly scaler: ResourceRef;
      readonly resource: string;
      readonly container: string;
    };
  };
}

interface LostPods {
  readonly service: ResourceRef;
  /** The workloads whose pods it selected; with `noPort`, those that it selects. */
  readonly workloads: readonly ResourceRef[];
}

/** Amounts are numbers of the unit: cores, bytes, pods. */
interface OverQuota {
  readonly quota: ResourceRef;
  /** As the quota names it: `requests.cpu`. */
  readonly resource: string;
  readonly allowed: number;
  /** What the pods of the input need without a rollout. */
  readonly needed: number;
}

export const CAPACITY_ROWS: Rows<CapacityFindings> = {
  RS026: {
    severity: "warning",
    title: "A Service that no longer reaches any pod",
    remedy: "Give the pod templates the labels that the Service selects, or change its selector.",
    causes: {
      noMatch: {
        brief: ({ service }) => `${formatObject(service)} selects no pod anymore`,
        message: ({ service, workloads, labels }) =>
          labels.length === 0
            ? `${formatObject(service)} has no selector anymore: it selected the pods of ${formatWorkloads(workloads)}`
            : `${formatObject(service)} selects no pod anymore: it selected those of ${formatWorkloads(workloads)}, and no pod template has all of the labels ${formatList(labels, MOST_NAMES)}`,
      },
      workloadDeleted: {
        brief: ({ service }) => `${formatObject(service)} selects no pod anymore`,
        message: ({ service, workloads }) =>
          `${formatObject(service)} selects no pod anymore: ${formatWorkloads(workloads)} ${workloads.length === 1 ? "is" : "are"} deleted`,
        remedy: "Delete the Service too, or let it select other pods.",
      },
      noPort: {
        brief: ({ service, port }) => `${formatObject(service)} reaches no port ${formatName(port)} anymore`,
        message: ({ service, workloads, port }) =>
          `${formatObject(service)} sends requests to the port ${formatName(port)} of its pods, and no container of ${formatWorkloads(workloads)} has a port of this name`,
        remedy: "Give the port of the container this name, or change targetPort of the Service.",
      },
    },
  },
  RS027: {
    severity: "warning",
    title: "Pods that a ResourceQuota or LimitRange refuses",
    remedy: "Raise the quota, or lower the requests or the number of pods.",
    causes: {
      atRest: {
        brief: ({ quota }) => `${formatObject(quota)} is too small for the pods`,
        message: (over) => `${formatQuota(over)}, but ${formatNeed(over)}: new pods are refused, and rollouts wait`,
      },
      rollout: {
        brief: ({ quota, workload }) =>
          `${formatObject(quota)} is too small for a rollout of ${formatObject(workload)}`,
        message: ({ workload, added, ...over }) =>
          `${formatQuota(over)}; ${formatNeed(over)}, and a rollout of ${formatObject(workload)} needs ${formatAmount(over.resource, added)} more: its new pods are refused`,
        remedy: "Raise the quota, or lower maxSurge: then an old pod stops before a new pod starts.",
      },
      unset: {
        brief: ({ quota, resource }) => `${formatObject(quota)} refuses pods without ${formatName(resource)}`,
        message: ({ quota, resource, workloads }) =>
          `${formatObject(quota)} counts ${formatName(resource)}, which a container of ${formatWorkloads(workloads)} does not set: new pods are refused`,
        remedy: "Set it for each container, or add a LimitRange with a default.",
      },
      limitRange: {
        brief: ({ range, workload }) => `${formatObject(range)} refuses new pods of ${formatObject(workload)}`,
        message: ({ workload, container, range, resource, bound, allowed, set }) =>
          `${container === null ? "a pod" : `the container ${formatName(container)}`} of ${formatObject(workload)} ${set === null ? `sets no ${formatName(resource)}` : `sets ${formatName(resource)} to ${formatAmount(resource, set)}`}, but ${formatObject(range)} allows ${bound === "max" ? "at most" : "at least"} ${formatAmount(resource, allowed)}: new pods are refused`,
        remedy: "Give the containers what the LimitRange allows, or change the LimitRange.",
      },
      scoped: {
        message: ({ quota }) => `${formatObject(quota)} has scopes: it is not compared with the pods of the input`,
        remedy: null,
        severity: "info",
      },
    },
  },
  "lost-request": {
    severity: "warning",
    title: "An autoscaler that can no longer measure its pods",
    remedy: "Request the resource in each container and sidecar, or scale by an average value (AverageValue).",
    causes: {
      unmeasured: {
        brief: ({ scaler, resource }) => `${formatObject(scaler)} can no longer measure ${formatName(resource)}`,
        message: ({ workload, scaler, resource, container }) =>
          `${formatObject(scaler)} can no longer measure the utilization of ${formatName(resource)}: the container ${formatName(container)} of ${formatObject(workload)} no longer requests it`,
      },
    },
  },
};

const MOST_NAMES = 5;

function formatWorkloads(workloads: readonly ResourceRef[]): string {
  return formatList(workloads.map(formatObject), MOST_NAMES);
}

function formatQuota({ quota, resource, allowed }: OverQuota): string {
  return `${formatObject(quota)} allows ${formatName(resource)}: ${formatAmount(resource, allowed)}`;
}

function formatNeed({ resource, needed }: OverQuota): string {
  return `the pods need ${formatAmount(resource, needed)}`;
}

const UNITS = ["", "Ki", "Mi", "Gi", "Ti", "Pi", "Ei"];

/** `1.5` cores or pods, `1.5Gi` bytes. */
function formatAmount(resource: string, amount: number): string {
  const isBytes = /memory|storage|hugepages/u.test(resource);
  const exponent = isBytes && amount >= 1 ? Math.floor(Math.log2(amount) / 10) : 0;
  const unit = Math.min(exponent, UNITS.length - 1);
  return `${Number((amount / 1024 ** unit).toFixed(3))}${UNITS[unit] ?? ""}`;
}
