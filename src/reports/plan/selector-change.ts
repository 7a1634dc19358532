import { fieldsOf } from "../../yaml/read/json.ts";
import { getPath, itemsOf, toJson } from "../../yaml/read/node.ts";
import { podLabels } from "../../kubernetes/workloads/pod-labels.ts";
import { templatesOf } from "./pair.ts";
import type { ImmutableReason } from "./plan-reasons.ts";
import type { PlanContext } from "./plan-context.ts";
import type { Next } from "./planned-workload.ts";
import type { Side, SideWorkload } from "./side.ts";

const SELECTOR = "spec.selector";
const MATCH_LABELS = `${SELECTOR}.matchLabels`;

// A selector of a Job is set by the API server.
const KINDS: ReadonlySet<string> = new Set(["Deployment", "StatefulSet", "DaemonSet", "ReplicaSet"]);

const MOST_SERVICES = 20;

/** What to do about a changed selector, which the API server refuses; undefined if no selector changed. */
export function selectorNext(
  { head, kind, path }: PlanContext,
  from: SideWorkload,
  to: SideWorkload,
  immutable: readonly ImmutableReason[],
): Next | undefined {
  const changed = immutable.filter((reason) => `${reason.path}.`.startsWith(`${SELECTOR}.`));
  if (changed.length === 0 || !KINDS.has(to.workload.item.kind)) return undefined;
  // kustomize adds a label to all selectors at once. Without that, a label that they had before would leave them.
  const isLabel = changed.every((reason) => reason.path.startsWith(MATCH_LABELS)) && hasAll(to, from);
  const isKustomize = isLabel && (kind === undefined || kind === "Kustomize");
  const services = servicesWithoutOld(head, from, to);
  const more = services.length - MOST_SERVICES;
  return {
    id: "keep-selector",
    ...(isKustomize ? { kustomization: path ?? "" } : {}),
    ...(hasClaims(to) ? { hasVolumes: true as const } : {}),
    services: services.slice(0, MOST_SERVICES),
    ...(more > 0 ? { moreServices: more } : {}),
  };
}

/** Whether a selector has all labels of another one. */
function hasAll(own: SideWorkload, other: SideWorkload): boolean {
  const [labels, wanted] = [own, other].map(({ workload: { item } }) =>
    fieldsOf(toJson(item.tree, getPath(item.tree, item.node, MATCH_LABELS.split(".")))),
  );
  return Object.entries(wanted ?? {}).every(([key, value]) => labels?.[key] === value);
}

/** The Services of the head that select the new pods and not the old ones, which stay. */
function servicesWithoutOld(head: Side, from: SideWorkload, to: SideWorkload): string[] {
  const find = head.surroundings.services();
  const { namespace } = to.workload;
  const old = new Set(from.workload.templates.flatMap((template) => find(namespace, podLabels(template))));
  const current = new Set(templatesOf(head, to).flatMap((template) => find(namespace, podLabels(template))));
  return [...current].filter((service) => !old.has(service)).map(({ item }) => item.name);
}

function hasClaims({ workload: { item } }: SideWorkload): boolean {
  return itemsOf(item.tree, getPath(item.tree, item.node, ["spec", "volumeClaimTemplates"])).length > 0;
}
