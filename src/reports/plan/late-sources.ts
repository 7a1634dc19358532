import { ARGO_HOOK, SYNC_WAVE } from "../../base/hosts/argocd.ts";
import { HELM_HOOK } from "../../base/hosts/helm.ts";
import { objectKey } from "../../base/identity.ts";
import type { SourceName } from "../../base/names.ts";
import type { Finding } from "../../findings/catalogue/finding.ts";
import { locationOf, resourceRef } from "../../findings/results/location.ts";
import { annotationOf, type Item } from "../../yaml/read/items.ts";
import { templatesOf } from "./pair.ts";
import { sourceOf, type Side, type SideWorkload } from "./side.ts";

/**
 * The workloads whose new pods need a new source that is created in a later phase or wave, which waits until these pods are
 * ready: gitops-engine/pkg/sync, and the hooks of Helm.
 */
export function lateSources(base: Side, head: Side): Finding<"late-source">[] {
  return [...head.workloads].flatMap(([id, to]): Finding<"late-source">[] => {
    const { item } = to.workload;
    // Nothing waits for the runs of a CronJob.
    const order = item.kind === "CronJob" ? undefined : orderOf(item);
    if (order === undefined || to.rollout().strategy?.replicas === 0) return [];
    const known = namesIn(base, base.workloads.get(id));
    const late = [...namesIn(head, to)].flatMap(([key, source]) => {
      const made = known.has(key) || sourceOf(base, source) !== undefined ? undefined : sourceOf(head, source);
      const then = made === undefined ? undefined : orderOf(made.item);
      return then !== undefined && isAfter(then, order) ? [source] : [];
    });
    if (late.length === 0) return [];
    const params = { workload: resourceRef(item), sources: late };
    return [{ id: "late-source", cause: "later", params, ...locationOf(item, item) }];
  });
}

/** The sources that the pods of a workload need to start. */
function namesIn(side: Side, own: SideWorkload | undefined): ReadonlyMap<string, SourceName> {
  const references = own === undefined ? [] : templatesOf(side, own).flatMap((template) => template.references);
  return new Map(
    references
      .filter(({ optional, copy }) => !optional && copy === undefined)
      .map(({ kind, namespace, name }) => [objectKey({ kind, namespace, name }), { kind, namespace, name }]),
  );
}

interface Order {
  readonly phase: number;
  readonly wave: number;
}

function isAfter(one: Order, other: Order): boolean {
  return one.phase > other.phase || (one.phase === other.phase && one.wave > other.wave);
}

const SYNC = 1;
const PHASES: ReadonlyMap<string, number> = new Map([
  ...["PreSync", "pre-install", "pre-upgrade"].map((hook) => [hook, 0] as const),
  ["Sync", SYNC],
  ...["PostSync", "post-install", "post-upgrade"].map((hook) => [hook, 2] as const),
]);

/** When an object is first applied; undefined for hooks of other occasions. */
function orderOf(item: Item): Order | undefined {
  const hooks = (annotationOf(item, ARGO_HOOK) ?? annotationOf(item, HELM_HOOK))?.split(",").map((one) => one.trim());
  const phases = hooks?.flatMap((hook) => PHASES.get(hook) ?? []) ?? [SYNC];
  const wave = Number.parseInt(annotationOf(item, SYNC_WAVE) ?? annotationOf(item, "helm.sh/hook-weight") ?? "0");
  return phases.length === 0 ? undefined : { phase: Math.min(...phases), wave: Number.isNaN(wave) ? 0 : wave };
}
