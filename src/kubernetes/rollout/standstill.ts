import type { FindingData } from "../../findings/catalogue/finding.ts";
import { matchesSelector } from "../../base/selector.ts";
import type { Item } from "../../yaml/read/items.ts";
import { get, getPath, getString, isTrue, itemsOf, kindOf, stringOf } from "../../yaml/read/node.ts";
import { NONE, type YamlTree } from "../../yaml/read/tree.ts";
import { resourceRef } from "../../findings/results/location.ts";
import { lastingContainers } from "../workloads/containers.ts";
import { podLabels, selectorAt } from "../workloads/pod-labels.ts";
import type { PodTemplate, Workload } from "../workloads/types.ts";
import { ONE_NODE, type Claims } from "./claims.ts";
import { startsBeside } from "./mechanics.ts";
import { numberAt } from "./numbers.ts";
import type { Rollout } from "./rollout-types.ts";

/** Why a rollout gets stuck (RS015, `MayStick` in plans). */
export interface Standstill {
  readonly data: FindingData<"RS015">;
  /** The place in the pod template. */
  readonly node: number;
  readonly field: string;
  readonly claim?: Item;
  /** There is only one pod, which can move to any other node: the rollout gets stuck only on a single-node cluster. */
  readonly isFreeElsewhere?: true;
}

/** A workload and the pod template that it runs. */
export interface Rolling {
  readonly workload: Workload;
  readonly template: PodTemplate;
  readonly rollout: Rollout;
}

/** What prevents a new pod from starting beside an old one that waits for it; the first reason is enough. */
export function standstillOf(rolling: Rolling, claims: () => Claims): Standstill | undefined {
  if (!startsBeside(rolling.rollout)) return undefined;
  const isOneANode = rolling.rollout.strategy?.replicas === null;
  const volume = isOneANode ? undefined : exclusiveVolume(rolling, claims);
  // The pods of a DaemonSet are on different nodes.
  return volume ?? nodePort(rolling, isOneANode) ?? (isOneANode ? undefined : antiAffinity(rolling));
}

/** A volume that only one pod or node can use, through a claim: a claim per pod is not shared. */
function exclusiveVolume({ workload, template }: Rolling, claims: () => Claims): Standstill | undefined {
  const { tree } = template.item;
  for (const spec of template.podSpecs) {
    for (const [i, volume] of itemsOf(tree, get(tree, spec.node, "volumes")).entries()) {
      const claim = getString(tree, volume, "persistentVolumeClaim", "claimName");
      const { item, mode } = (claim === undefined ? undefined : claims().get(`${workload.namespace}/${claim}`)) ?? {};
      if (claim === undefined || item === undefined || mode === undefined) continue;
      if (mode === ONE_NODE && isPinned(template, spec.node)) continue;
      return {
        data: { id: "RS015", cause: "volume", params: { workload: resourceRef(workload.item), claim, mode } },
        node: volume,
        field: `${spec.field}.volumes[${i}]`,
        claim: item,
      };
    }
  }
  return undefined;
}

/** A shared claim that is not in the input, so it is unknown who can use it. */
export function unknownClaim({ workload, template, rollout }: Rolling, claims: () => Claims): string | undefined {
  if (!startsBeside(rollout) || rollout.strategy?.replicas === null) return undefined;
  const { tree } = template.item;
  for (const spec of template.podSpecs) {
    for (const volume of itemsOf(tree, get(tree, spec.node, "volumes"))) {
      const claim = getString(tree, volume, "persistentVolumeClaim", "claimName");
      if (claim !== undefined && !claims().has(`${workload.namespace}/${claim}`)) return claim;
    }
  }
  return undefined;
}

/** Pods that run on one node share its volumes and ports. */
function isPinned({ item: { tree } }: PodTemplate, spec: number): boolean {
  return get(tree, spec, "nodeName") !== NONE || get(tree, get(tree, spec, "nodeSelector"), HOSTNAME) !== NONE;
}

const HOSTNAME = "kubernetes.io/hostname";

/** Whether there is one pod, which can move to any node. */
function isOnlyPod({ strategy }: Rollout, template: PodTemplate): boolean {
  return strategy?.replicas === 1 && !template.podSpecs.some(({ node }) => isPinned(template, node));
}

/** A host port; on the host network, each container port is one. */
function nodePort({ workload: { item }, template, rollout }: Rolling, isOneANode: boolean): Standstill | undefined {
  const { tree } = template.item;
  const isFree = isOnlyPod(rollout, template);
  const isOnHost = template.podSpecs.some((spec) => isTrue(tree, get(tree, spec.node, "hostNetwork")));
  const cause = isOneANode ? "surgingHostPort" : isFree ? "singlePodHostPort" : "hostPort";
  // The scheduler counts the ports of sidecars too (GetHostPorts).
  for (const container of lastingContainers(template)) {
    for (const [i, entry] of itemsOf(tree, get(tree, container.node, "ports")).entries()) {
      const port = numberAt(template.item, [isOnHost ? "containerPort" : "hostPort"], entry) ?? 0;
      if (port === 0) continue;
      const params = { workload: resourceRef(item), port };
      const data: Standstill["data"] = { id: "RS015", cause, params };
      const found = { data, node: entry, field: `${container.field}.ports[${i}]` };
      return cause === "singlePodHostPort" ? { ...found, isFreeElsewhere: true } : found;
    }
  }
  return undefined;
}

/** Required anti-affinity with pods of the same workload. */
function antiAffinity({ workload: { item, namespace }, template, rollout }: Rolling): Standstill | undefined {
  const { tree } = template.item;
  const labels = podLabels(template);
  for (const spec of template.podSpecs) {
    for (const [i, term] of itemsOf(tree, getPath(tree, spec.node, REQUIRED)).entries()) {
      const node = get(tree, term, "labelSelector");
      const selector = node === NONE ? undefined : selectorAt(tree, node);
      const topologyKey = getString(tree, term, "topologyKey");
      if (selector === undefined || topologyKey === undefined || !matchesSelector(selector, labels)) continue;
      if (!isForOwnNamespace(tree, term, namespace)) continue;
      // With these, only pods of one revision repel each other (core/v1, PodAffinityTerm).
      if (itemsOf(tree, get(tree, term, "matchLabelKeys")).length > 0) continue;
      const params = { workload: resourceRef(item), topologyKey };
      const isFree = topologyKey === HOSTNAME && isOnlyPod(rollout, template);
      return {
        data: { id: "RS015", cause: isFree ? "singlePodAntiAffinity" : "antiAffinity", params },
        node: term,
        field: `${spec.field}.${REQUIRED.join(".")}[${i}]`,
        ...(isFree ? { isFreeElsewhere: true } : {}),
      };
    }
  }
  return undefined;
}

/** A term applies to the namespaces that it names, else to the pod's own; labels of namespaces are unknown. */
function isForOwnNamespace(tree: YamlTree, term: number, own: string): boolean {
  const named = itemsOf(tree, get(tree, term, "namespaces")).flatMap((node) => stringOf(tree, node) ?? []);
  return named.length === 0 || named.includes(own) || kindOf(tree, get(tree, term, "namespaceSelector")) === "mapping";
}

const REQUIRED = ["affinity", "podAntiAffinity", "requiredDuringSchedulingIgnoredDuringExecution"];
