import { appliedJson } from "../../yaml/read/kubectl-view.ts";
import { get, getPath, getString, entriesOf, itemsOf } from "../../yaml/read/node.ts";
import { NONE, type YamlTree } from "../../yaml/read/tree.ts";
import { amountOf } from "./quantity.ts";

// What a pod requests, as a ResourceQuota counts it (Kubernetes 1.34: pkg/quota/v1/evaluator/core/pods.go, PodUsageFunc;
// component-helpers/resource, PodRequests and PodLimits). The overhead of a RuntimeClass is unknown here.

/** Amounts in billionths, by the name of a resource. */
export type Amounts = ReadonlyMap<string, bigint>;

/** What a LimitRange sets where a container sets nothing. */
export interface ContainerDefaults {
  readonly requests: Amounts;
  readonly limits: Amounts;
}

const UNIT = 1_000_000_000n;

/** What one pod uses, by the names that quotas have: `requests.cpu`, `limits.memory`, `pods`. */
export function podUsage(tree: YamlTree, podSpec: number, defaults: readonly ContainerDefaults[]): Amounts {
  const usage = new Map([
    ["pods", UNIT],
    ["count/pods", UNIT],
  ]);
  const containers = itemsOf(tree, get(tree, podSpec, "containers")).map((node) => resourcesOf(tree, node, defaults));
  const inits = itemsOf(tree, get(tree, podSpec, "initContainers")).map((node) => ({
    ...resourcesOf(tree, node, defaults),
    isSidecar: getString(tree, node, "restartPolicy") === "Always",
  }));
  const overhead = amountsAt(tree, get(tree, podSpec, "overhead"));
  for (const which of WHICH) {
    const total = ofPod(
      containers.map((one) => one[which]),
      inits.map(({ isSidecar, [which]: amounts }) => ({ isSidecar, amounts })),
    );
    // Only limits that exist grow.
    for (const [name, amount] of overhead)
      if (which === "requests" || total.has(name)) total.set(name, (total.get(name) ?? 0n) + amount);
    for (const [name, amount] of amountsAt(tree, getPath(tree, podSpec, ["resources", which])))
      if (ON_POD.test(name)) total.set(name, amount);
    for (const [name, amount] of total) for (const key of keysOf(which, name)) usage.set(key, amount);
  }
  return usage;
}

/**
 * The resources that some container does not set, by their names in quotas: a quota that counts one refuses the pod (the same
 * file: Constraints and validationSet). An invalid quantity counts as set, because a tool may replace it before the apply.
 */
export function unsetResources(tree: YamlTree, podSpec: number, defaults: readonly ContainerDefaults[]): string[] {
  const isSet = (node: number, which: Which, name: string): boolean =>
    get(tree, getPath(tree, node, ["resources", which]), name) !== NONE ||
    (which === "requests" && isSet(node, "limits", name));
  const containers = ["containers", "initContainers"].flatMap((list) => itemsOf(tree, get(tree, podSpec, list)));
  return WHICH.flatMap((which) =>
    ["cpu", "memory"]
      .filter((name) => !isSet(podSpec, which, name) && !defaults.some((range) => range[which].has(name)))
      .filter((name) => containers.some((container) => !isSet(container, which, name)))
      .flatMap((name) => keysOf(which, name)),
  );
}

type Which = "requests" | "limits";
const WHICH: readonly Which[] = ["requests", "limits"];

/** The resources that a pod sets as a whole. */
const ON_POD = /^(?:cpu$|memory$|hugepages-)/u;

interface Init {
  readonly isSidecar: boolean;
  readonly amounts: Amounts;
}

/** All containers and sidecars run together; before them each init container with the sidecars that have started. */
function ofPod(containers: readonly Amounts[], inits: readonly Init[]): Map<string, bigint> {
  const sidecars = new Map<string, bigint>();
  const most = new Map<string, bigint>();
  for (const { isSidecar, amounts } of inits) {
    const now = isSidecar ? add(sidecars, amounts) : add(new Map(sidecars), amounts);
    for (const [name, amount] of now) if (amount > (most.get(name) ?? 0n)) most.set(name, amount);
  }
  const running = new Map(sidecars);
  for (const amounts of containers) add(running, amounts);
  for (const [name, amount] of most) if (amount > (running.get(name) ?? 0n)) running.set(name, amount);
  return running;
}

function add(sum: Map<string, bigint>, amounts: Amounts): Map<string, bigint> {
  for (const [name, amount] of amounts) sum.set(name, (sum.get(name) ?? 0n) + amount);
  return sum;
}

function keysOf(which: Which, name: string): readonly string[] {
  // Extended resources are counted only by their requests.
  if (name.includes("/")) return which === "requests" ? [`requests.${name}`] : [];
  return which === "requests" ? [name, `requests.${name}`] : [`limits.${name}`];
}

/** What a container requests, with the defaults of the API server, then of LimitRanges. */
function resourcesOf(tree: YamlTree, container: number, defaults: readonly ContainerDefaults[]): ContainerDefaults {
  const limits = new Map(amountsAt(tree, getPath(tree, container, ["resources", "limits"])));
  const requests = new Map([...limits, ...amountsAt(tree, getPath(tree, container, ["resources", "requests"]))]);
  for (const range of defaults) {
    for (const [name, amount] of range.limits) if (!limits.has(name)) limits.set(name, amount);
    for (const [name, amount] of range.requests) if (!requests.has(name)) requests.set(name, amount);
  }
  return { requests, limits };
}

/** An amount as a number of its unit: cores, bytes, pods. */
export function numberOf(nano: bigint): number {
  return Number(nano) / Number(UNIT);
}

/** A map of quantities; those that the API server rejects are left out. */
export function amountsAt(tree: YamlTree, node: number): Amounts {
  return new Map(
    entriesOf(tree, node).flatMap(({ key, valueNode }) => {
      const amount = amountOf(appliedJson(tree, valueNode));
      return amount === undefined ? [] : [[key, amount] as const];
    }),
  );
}
