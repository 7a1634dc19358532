import { ARGO_HOOK, SYNC_WAVE } from "../../base/hosts/argocd.ts";
import { HELM_HOOK, HELM_HOOK_WEIGHT } from "../../base/hosts/helm.ts";
import { onceFor } from "../../base/grouped.ts";
import { objectKey } from "../../base/identity.ts";
import type { SourceName } from "../../base/names.ts";
import type { Finding } from "../../findings/catalogue/finding.ts";
import { resourceRef } from "../../findings/results/location.ts";
import { annotationOf, type Item } from "../../yaml/read/items.ts";
import { templatesOf } from "./pair.ts";
import type { FoundBy } from "./planned-application.ts";
import { sourceOf, type Side, type SideWorkload } from "./side.ts";

/**
 * The workloads whose new pods need a new source that is created in a later phase or wave, which waits until these pods are
 * ready: gitops-engine/pkg/sync, and the hooks of Helm.
 */
export function lateSources(base: Side, head: Side, foundBy?: FoundBy): Finding<"late-source">[] {
  // Flux applies all at once, and Helm knows no waves.
  if (foundBy === "FluxKustomization") return [];
  const isHelm = foundBy === "HelmRelease" || foundBy === "Chart";
  const applying = !isHelm ? "sync" : base.analysis.items.length === 0 ? "install" : "upgrade";
  const orderIn = onceFor((item: Item) => orderOf(item, applying));
  return [...head.workloads].flatMap(([id, to]): Finding<"late-source">[] => {
    const { item } = to.workload;
    // Nothing waits for the runs of a CronJob.
    const order = item.kind === "CronJob" ? undefined : orderIn(item);
    if (order === undefined || to.rollout().strategy?.replicas === 0) return [];
    const known = namesIn(base, base.workloads.get(id));
    const late = [...namesIn(head, to)].flatMap(([key, source]) => {
      const made = known.has(key) || sourceOf(base, source) !== undefined ? undefined : sourceOf(head, source);
      const then = made === undefined ? undefined : orderIn(made.item);
      return then !== undefined && isAfter(then, order) ? [source] : [];
    });
    if (late.length === 0) return [];
    const params = { workload: resourceRef(item), sources: late };
    return [{ id: "late-source", cause: "later", params }];
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

/** When an object is first applied by a sync of Argo CD, or by Helm; undefined for hooks of other occasions. */
function orderOf(item: Item, applying: "sync" | "install" | "upgrade"): Order | undefined {
  const isSync = applying === "sync";
  const ofArgo = (annotation: string): string | undefined => (isSync ? annotationOf(item, annotation) : undefined);
  const hooks = (ofArgo(ARGO_HOOK) ?? annotationOf(item, HELM_HOOK))?.split(",").map((one) => one.trim());
  const phases = new Set(
    hooks?.flatMap((hook) => (isSync || hook.endsWith(applying) ? (PHASES.get(hook) ?? []) : [])) ?? [SYNC],
  );
  const wave = Number.parseInt(ofArgo(SYNC_WAVE) ?? annotationOf(item, HELM_HOOK_WEIGHT) ?? "0");
  return phases.size === 0 ? undefined : { phase: Math.min(...phases), wave: Number.isNaN(wave) ? 0 : wave };
}
