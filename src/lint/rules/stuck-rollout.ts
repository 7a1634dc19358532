import { matchesSelector } from "../../ground/selector.ts";
import type { Item } from "../../manifest/items.ts";
import { get, getPath, getString, isTrue, itemsOf, stringOf } from "../../manifest/node.ts";
import { NONE } from "../../manifest/tree.ts";
import type { Told } from "../../findings/finding.ts";
import { resourceRef } from "../../results/location.ts";
import { startsBeside } from "../../rollout/mechanics.ts";
import { numberAt } from "../../rollout/written-rollout.ts";
import { podContainers } from "../../workloads/containers.ts";
import { podLabels, selectorAt } from "../../workloads/pod-labels.ts";
import type { PodTemplate } from "../../workloads/types.ts";
import type { LintContext, LintedWorkload } from "../context.ts";
import { problem, type LintRule, type Problem } from "../rule.ts";

/** A rollout that waits for a new pod which can't start beside the old one. */
export const STUCK_ROLLOUT: LintRule<"RS015"> = {
  id: "RS015",
  check: (context) => {
    const waiting = context.workloads.filter(({ rollout }) => startsBeside(rollout));
    if (waiting.length === 0) return [];
    const claims = indexClaims(context);
    return waiting.flatMap((linted) => stuck(linted, claims));
  },
};

/** The PersistentVolumeClaims of an input by namespace and name, with the mode by which one has it: read once. */
type Claims = ReadonlyMap<string, { readonly item: Item; readonly mode: string | undefined }>;

function indexClaims({ items, spec }: LintContext): Claims {
  return new Map(
    items
      .filter(({ group, kind }) => group === "" && kind === "PersistentVolumeClaim")
      .map((item) => [`${item.namespace || spec.defaultNamespace}/${item.name}`, { item, mode: heldMode(item) }]),
  );
}

/** What keeps the new pod from starting: the first of it, as one is enough. */
function stuck(linted: LintedWorkload, claims: Claims): Problem<"RS015">[] {
  const template = linted.templates[0]?.template;
  if (template === undefined) return [];
  const found = linted.rollout.strategy?.replicas === null ? [] : heldVolume(linted, template, claims);
  if (found.length > 0) return found.slice(0, 1);
  return [...nodePort(linted, template), ...antiAffinity(linted, template)].slice(0, 1);
}

/** A volume that one pod or one node holds, by a claim of its own: one that the pod makes for itself is not shared. */
function heldVolume({ workload }: LintedWorkload, template: PodTemplate, claims: Claims): Problem<"RS015">[] {
  const { tree } = template.item;
  return template.podSpecs.flatMap((spec) =>
    itemsOf(tree, get(tree, spec.node, "volumes")).flatMap((volume, i) => {
      const claim = getString(tree, volume, "persistentVolumeClaim", "claimName") ?? "";
      const { item, mode } = claims.get(`${workload.namespace}/${claim}`) ?? {};
      if (item === undefined || mode === undefined || (mode === ONE_NODE && isPinned(template, spec.node))) return [];
      const at = { node: volume, field: `${spec.field}.volumes[${i}]` };
      const params = { workload: resourceRef(workload.item), claim, mode };
      return [problem(workload.item, at, { id: "RS015", cause: "claim", params }, [item])];
    }),
  );
}

const ONE_POD = "ReadWriteOncePod";
const ONE_NODE = "ReadWriteOnce";

/** The mode by which only one pod or node at a time has the volume; undefined where several may. */
function heldMode({ tree, node }: Item): string | undefined {
  const modes = itemsOf(tree, getPath(tree, node, ["spec", "accessModes"])).flatMap(
    (mode) => stringOf(tree, mode) ?? [],
  );
  if (modes.includes(ONE_POD)) return ONE_POD;
  return modes.length > 0 && modes.every((mode) => mode === ONE_NODE) ? ONE_NODE : undefined;
}

/** Pods that all run on one node share what that node holds. */
function isPinned({ item: { tree } }: PodTemplate, spec: number): boolean {
  return get(tree, spec, "nodeName") !== NONE || get(tree, get(tree, spec, "nodeSelector"), HOSTNAME) !== NONE;
}

const HOSTNAME = "kubernetes.io/hostname";

/** A port of the node: the host network makes one of each port of a container. */
function nodePort({ workload: { item }, rollout }: LintedWorkload, template: PodTemplate): Problem<"RS015">[] {
  const { tree } = template.item;
  const key = template.podSpecs.some((spec) => isTrue(tree, get(tree, spec.node, "hostNetwork")))
    ? "containerPort"
    : "hostPort";
  const cause = rollout.strategy?.replicas === null ? "surgingPort" : "port";
  return podContainers(template, ["containers"]).flatMap((container) =>
    itemsOf(tree, get(tree, container.node, "ports")).flatMap((entry, i) => {
      const port = numberAt(template.item, [key], entry) ?? 0;
      if (port === 0) return [];
      const at = { node: entry, field: `${container.field}.ports[${i}]` };
      return [
        problem(item, at, { id: "RS015", cause, params: { workload: resourceRef(item), port } } as Told<"RS015">),
      ];
    }),
  );
}

/** A pod that may not be where another one of its own is. */
function antiAffinity({ workload: { item }, rollout }: LintedWorkload, template: PodTemplate): Problem<"RS015">[] {
  // A DaemonSet's pods are on a node each.
  if (rollout.strategy?.replicas === null) return [];
  const { tree } = template.item;
  const labels = podLabels(template);
  return template.podSpecs.flatMap((spec) =>
    itemsOf(tree, getPath(tree, spec.node, REQUIRED)).flatMap((term, i) => {
      const node = get(tree, term, "labelSelector");
      const selector = node === NONE ? undefined : selectorAt(tree, node);
      const topologyKey = getString(tree, term, "topologyKey");
      if (selector === undefined || topologyKey === undefined || !matchesSelector(selector, labels)) return [];
      // By these only the pods of one revision keep apart (core/v1, PodAffinityTerm).
      if (itemsOf(tree, get(tree, term, "matchLabelKeys")).length > 0) return [];
      const at = { node: term, field: `${spec.field}.${REQUIRED.join(".")}[${i}]` };
      const params = { workload: resourceRef(item), topologyKey };
      return [problem(item, at, { id: "RS015", cause: "antiAffinity", params })];
    }),
  );
}

const REQUIRED = ["affinity", "podAntiAffinity", "requiredDuringSchedulingIgnoredDuringExecution"];
