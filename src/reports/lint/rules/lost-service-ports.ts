import { onceFor } from "../../../base/grouped.ts";
import { resourceRef } from "../../../findings/results/location.ts";
import { numberAt } from "../../../kubernetes/rollout/numbers.ts";
import { isScrapedPort } from "../../../kubernetes/rollout/services.ts";
import { lastingContainers } from "../../../kubernetes/workloads/containers.ts";
import type { Workload } from "../../../kubernetes/workloads/types.ts";
import type { Item } from "../../../yaml/read/items.ts";
import { get, getPath, getString, itemsOf } from "../../../yaml/read/node.ts";
import { problem, type Problem } from "../rule.ts";
import { MOST_WORKLOADS, selectedWorkloads, servicesOf, unknownSelected, type Objects } from "./served-pods.ts";

/**
 * The Services that name a port (`targetPort`) that none of their pods has anymore: their endpoints leave the port out
 * (FindPort in Kubernetes pkg/api/v1/pod). A headless Service has the addresses of its pods all the same.
 */
export function lostServicePorts(base: Objects, head: Objects, defaultNamespace: string): Problem<"RS026">[] {
  const before = new Map(servicesOf(base, defaultNamespace));
  const pairs = servicesOf(head, defaultNamespace).flatMap(([key, item]) => {
    const old = before.get(key);
    const ports = servicePorts(item).filter(({ name }) => name !== undefined);
    return old === undefined || ports.length === 0 || isHeadless(item) ? [] : [{ old, item, ports }];
  });
  if (pairs.length === 0) return [];
  const had = selectedWorkloads(base, defaultNamespace, new Set(pairs.map(({ old }) => old)));
  const has = selectedWorkloads(head, defaultNamespace, new Set(pairs.map(({ item }) => item)));
  const unknown = unknownSelected(head, defaultNamespace);
  return pairs.flatMap(({ old, item, ports }): Problem<"RS026">[] => {
    const workloads = has.get(item);
    if (workloads === undefined || unknown.has(item)) return [];
    const from = had.get(old) ?? [];
    const worked = new Set(
      had.has(old)
        ? servicePorts(old).flatMap((one) => (one.name === undefined || isNamed(one, from) ? one.key : []))
        : [],
    );
    return ports
      .filter((port) => worked.has(port.key) && !isNamed(port, workloads))
      .map(({ name = "", node, field }) => {
        const named = workloads.slice(0, MOST_WORKLOADS).map((workload) => resourceRef(workload.item));
        const params = { service: resourceRef(item), workloads: named, port: name };
        return problem(item, { node, field }, { id: "RS026", cause: "noPort", params });
      });
  });
}

interface ServicePort {
  /** What identifies it to clients: its number and its protocol. */
  readonly key: string;
  readonly protocol: string;
  /** The name of the pods' port; undefined if it has a number. */
  readonly name: string | undefined;
  readonly node: number;
  readonly field: string;
}

/** The ports of a Service that take requests. */
function servicePorts(item: Item): readonly ServicePort[] {
  const { tree } = item;
  return itemsOf(tree, getPath(tree, item.node, ["spec", "ports"])).flatMap((port, i) => {
    if (isScrapedPort(getString(tree, port, "name") ?? "")) return [];
    const protocol = protocolOf(item, port);
    return {
      key: `${protocol} ${numberAt(item, ["port"], port) ?? ""}`,
      protocol,
      name: getString(tree, port, "targetPort"),
      node: get(tree, port, "targetPort"),
      field: `spec.ports[${i}].targetPort`,
    };
  });
}

function isHeadless({ tree, node }: Item): boolean {
  return getString(tree, node, "spec", "clusterIP") === "None";
}

function isNamed(port: ServicePort, workloads: readonly Workload[]): boolean {
  return workloads.some((workload) => namedPorts(workload).has(nameOf(port)));
}

/** The named ports of the pods of a workload, which many Services may select. */
const namedPorts = onceFor(
  ({ templates }: Workload): ReadonlySet<string> =>
    new Set(
      templates.flatMap((template) => {
        const { item } = template;
        const { tree } = item;
        return lastingContainers(template).flatMap(({ node }) =>
          itemsOf(tree, get(tree, node, "ports")).map((port) =>
            nameOf({ protocol: protocolOf(item, port), name: getString(tree, port, "name") }),
          ),
        );
      }),
    ),
);

const protocolOf = ({ tree }: Item, port: number): string => getString(tree, port, "protocol") ?? "TCP";

const nameOf = ({ protocol, name = "" }: Pick<ServicePort, "protocol" | "name">): string => `${protocol} ${name}`;
