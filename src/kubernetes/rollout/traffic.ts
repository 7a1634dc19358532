import { get, itemsOf } from "../../yaml/read/node.ts";
import { NONE } from "../../yaml/read/tree.ts";
import { podContainers } from "../workloads/containers.ts";
import { podLabels } from "../workloads/pod-labels.ts";
import type { PodTemplate } from "../workloads/types.ts";
import type { FindSelecting } from "./selectors.ts";
import type { SelectingService } from "./services.ts";

/** What sends traffic to the pods of a workload: Services, or a probe or port that shows that it serves. */
export interface Traffic {
  /** The names of the Services in its namespace that send requests to its pods. */
  readonly services: readonly string[];
  /** How many more there are. */
  readonly moreServices?: number;
  /** No Service selects its pods, and a probe or a port shows that they serve. */
  readonly isServing: boolean;
}

const MOST_SERVICES = 20;

/** What sends traffic to the pods of some templates. A Service with ports that are only scraped sends none. */
export function trafficOf(
  namespace: string,
  templates: readonly PodTemplate[],
  services: FindSelecting<SelectingService>,
): Traffic {
  const selecting = new Set(templates.flatMap((template) => services(namespace, podLabels(template))));
  const names = [...selecting].filter(({ isForMetrics }) => !isForMetrics).map(({ item }) => item.name);
  const more = names.length - MOST_SERVICES;
  return {
    services: names.slice(0, MOST_SERVICES),
    ...(more > 0 ? { moreServices: more } : {}),
    isServing: selecting.size === 0 && templates.some(serves),
  };
}

/** Whether something in the input sends traffic to the pods. */
export function hasTraffic({ services, isServing }: Traffic): boolean {
  return services.length > 0 || isServing;
}

const PROBES = ["readinessProbe", "livenessProbe", "startupProbe"];

/** Whether a container has a probe or a port. */
function serves(template: PodTemplate): boolean {
  const { tree } = template.item;
  return podContainers(template, ["containers"]).some(
    ({ node }) =>
      PROBES.some((probe) => get(tree, node, probe) !== NONE) || itemsOf(tree, get(tree, node, "ports")).length > 0,
  );
}
