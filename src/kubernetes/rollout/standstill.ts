import type { FindingData } from "../../findings/catalogue/finding.ts";
import { matchesSelector } from "../../base/selector.ts";
import type { Item } from "../../yaml/read/items.ts";
import { get, getPath, getString, isTrue, itemsOf, kindOf, stringOf } from "../../yaml/read/node.ts";
import { NONE, type YamlTree } from "../../yaml/read/tree.ts";
import { resourceRef } from "../../findings/results/location.ts";
import { podContainers, type Container } from "../workloads/containers.ts";
import { podLabels, selectorAt } from "../workloads/pod-labels.ts";
import type { PodTemplate, Workload } from "../workloads/types.ts";
import { ONE_NODE, type Claims } from "./claims.ts";
import { startsBeside } from "./mechanics.ts";
import { numberAt } from "./numbers.ts";
import type { Rollout } from "./rollout-types.ts";

/** Why a rollout hangs half-way: RS015 tells it, and a plan says `MayStick`. */
export interface Standstill {
  readonly told: FindingData<"RS015">;
  /** Where the pod template says so. */
  readonly node: number;
  readonly field: string;
  /** The claim that is held. */
  readonly claim?: Item;
  /** The only pod has it, and may go to any other node: only a cluster of one node hangs. */
  readonly isFreeElsewhere?: true;
}

/** What a rollout is looked at by: a workload, and the pod template that it runs. */
export interface Rolling {
  readonly workload: Workload;
  readonly template: PodTemplate;
  readonly rollout: Rollout;
}

/** What keeps a new pod from starting beside an old one that waits for it: the first of it, as one is enough. */
export function standstillOf(rolling: Rolling, claims: () => Claims): Standstill | undefined {
  if (!startsBeside(rolling.rollout)) return undefined;
  const isOneANode = rolling.rollout.strategy?.replicas === null;
  const held = isOneANode ? undefined : heldVolume(rolling, claims);
  // A DaemonSet's pods are on a node each.
  return held ?? nodePort(rolling, isOneANode) ?? (isOneANode ? undefined : antiAffinity(rolling));
}

/** A volume that one pod or one node holds, by a claim of its own: one that the pod makes for itself is not shared. */
function heldVolume({ workload, template }: Rolling, claims: () => Claims): Standstill | undefined {
  const { tree } = template.item;
  for (const spec of template.podSpecs) {
    for (const [i, volume] of itemsOf(tree, get(tree, spec.node, "volumes")).entries()) {
      const claim = getString(tree, volume, "persistentVolumeClaim", "claimName");
      const { item, mode } = (claim === undefined ? undefined : claims().get(`${workload.namespace}/${claim}`)) ?? {};
      if (claim === undefined || item === undefined || mode === undefined) continue;
      if (mode === ONE_NODE && isPinned(template, spec.node)) continue;
      return {
        told: { id: "RS015", cause: "volume", params: { workload: resourceRef(workload.item), claim, mode } },
        node: volume,
        field: `${spec.field}.volumes[${i}]`,
        claim: item,
      };
    }
  }
  return undefined;
}

/** A claim that a new pod shares with an old one that waits for it, and that the input doesn't have: who may have it, nobody knows. */
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

/** Pods that all run on one node share what that node holds. */
function isPinned({ item: { tree } }: PodTemplate, spec: number): boolean {
  return get(tree, spec, "nodeName") !== NONE || get(tree, get(tree, spec, "nodeSelector"), HOSTNAME) !== NONE;
}

const HOSTNAME = "kubernetes.io/hostname";

/** One pod that may go to any node. */
function isOnlyPod({ strategy }: Rollout, template: PodTemplate): boolean {
  return strategy?.replicas === 1 && !template.podSpecs.some(({ node }) => isPinned(template, node));
}

/** A port of the node: the host network makes one of each port of a container. */
function nodePort({ workload: { item }, template, rollout }: Rolling, isOneANode: boolean): Standstill | undefined {
  const { tree } = template.item;
  const isFree = isOnlyPod(rollout, template);
  const isOnHost = template.podSpecs.some((spec) => isTrue(tree, get(tree, spec.node, "hostNetwork")));
  const cause = isOneANode ? "surgingHostPort" : isFree ? "singlePodHostPort" : "hostPort";
  for (const container of [...podContainers(template, ["containers"]), ...sidecars(template)]) {
    for (const [i, entry] of itemsOf(tree, get(tree, container.node, "ports")).entries()) {
      const port = numberAt(template.item, [isOnHost ? "containerPort" : "hostPort"], entry) ?? 0;
      if (port === 0) continue;
      const params = { workload: resourceRef(item), port };
      const told: Standstill["told"] = { id: "RS015", cause, params };
      const found = { told, node: entry, field: `${container.field}.ports[${i}]` };
      return cause === "singlePodHostPort" ? { ...found, isFreeElsewhere: true } : found;
    }
  }
  return undefined;
}

/** The init containers that run as long as the pod: the scheduler counts their ports too (GetHostPorts). */
function sidecars(template: PodTemplate): Container[] {
  const { tree } = template.item;
  return podContainers(template, ["initContainers"]).filter(
    ({ node }) => getString(tree, node, "restartPolicy") === "Always",
  );
}

/** A pod that may not be where another one of its own is. */
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
      // By these only the pods of one revision keep apart (core/v1, PodAffinityTerm).
      if (itemsOf(tree, get(tree, term, "matchLabelKeys")).length > 0) continue;
      const params = { workload: resourceRef(item), topologyKey };
      const isFree = topologyKey === HOSTNAME && isOnlyPod(rollout, template);
      return {
        told: { id: "RS015", cause: isFree ? "singlePodAntiAffinity" : "antiAffinity", params },
        node: term,
        field: `${spec.field}.${REQUIRED.join(".")}[${i}]`,
        ...(isFree ? { isFreeElsewhere: true } : {}),
      };
    }
  }
  return undefined;
}

/** A term is for the namespaces that it names, else for the pod's own; which labels namespaces have, nobody knows here. */
function isForOwnNamespace(tree: YamlTree, term: number, own: string): boolean {
  const named = itemsOf(tree, get(tree, term, "namespaces")).flatMap((node) => stringOf(tree, node) ?? []);
  return named.length === 0 || named.includes(own) || kindOf(tree, get(tree, term, "namespaceSelector")) === "mapping";
}

const REQUIRED = ["affinity", "podAntiAffinity", "requiredDuringSchedulingIgnoredDuringExecution"];
