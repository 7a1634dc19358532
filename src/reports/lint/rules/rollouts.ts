import { isFiles } from "../../../kubernetes/workloads/volumes.ts";
import { sourceNameOf } from "../../../base/names.ts";
import type { Findings } from "../../../findings/catalogue/catalogue.ts";
import type { FindingData } from "../../../findings/catalogue/finding.ts";
import { get, getString, itemsOf, getPath, isTrue, kindOf } from "../../../yaml/read/node.ts";
import { resourceRef } from "../../../findings/results/location.ts";
import { leavesNoPod } from "../../../kubernetes/rollout/mechanics.ts";
import type { Strategy } from "../../../kubernetes/rollout/rollout-types.ts";
import { rolloutKind } from "../../../kubernetes/rollout/rollout-kinds.ts";
import { indexServices } from "../../../kubernetes/rollout/services.ts";
import { hasTraffic, trafficOf } from "../../../kubernetes/rollout/traffic.ts";
import type { LintContext, LintedWorkload } from "../context.ts";
import { firstField, problem, type LintRule } from "../rule.ts";
import { RESTART_SCHEDULE, SOURCES, STAMP } from "../../../base/keys.ts";
import { annotationNode, type Item } from "../../../yaml/read/items.ts";
import { NONE } from "../../../yaml/read/tree.ts";
import { marksBy, type OwnMarks } from "../../../stamping/policy/own-marks.ts";
import { RESTART_KEYS } from "../../../kubernetes/rollout/restart-fields.ts";
import { ANNOTATION, effectOf } from "../../../kubernetes/rollout/effect.ts";
import { templateAnnotations } from "../../../stamping/stamps/edit-stamps.ts";
import { isStampKey } from "../../../base/stamp-keys.ts";
import { indexClaims, type Claims } from "../../../kubernetes/rollout/claims.ts";
import { standstillOf } from "../../../kubernetes/rollout/standstill.ts";
import { onceFor } from "../../../base/grouped.ts";
import { isGenerated } from "../../../kubernetes/sources/kustomize-hash.ts";
import type { Sighting } from "../../../stamping/stamps/sightings.ts";
import type { DesiredStamps } from "../../../stamping/stamps/types.ts";
import type { VolumeUse } from "../../../kubernetes/workloads/types.ts";
import { selfReloading } from "../../../stamping/stamps/findings.ts";

/** A rollout during which no pod is available at some moment. */
export const NO_POD_AVAILABLE: LintRule<"RS004"> = {
  id: "RS004",
  about: "rollout",
  effect: "Roll",
  check: (context) => {
    const found = context.workloads.filter(({ rollout }) => leavesNoPod(rollout));
    const isUnserved = unserved(context, found);
    return found.map((linted) => {
      const { item } = linted.workload;
      const place = firstField(item, "spec.strategy", "spec.updateStrategy", "spec.replicas", "spec");
      return problem(item, place, unavailability(linted, isUnserved(linted)));
    });
  },
};

/** Whether nothing in the input sends traffic to a workload. Of a borrowed pod template that is unknown. */
function unserved({ items, spec }: LintContext, found: readonly LintedWorkload[]): (linted: LintedWorkload) => boolean {
  if (found.length === 0) return () => false;
  const services = indexServices(items, spec.defaultNamespace);
  return ({ workload: { namespace, templates, borrows } }) =>
    borrows === undefined && !hasTraffic(trafficOf(namespace, templates, services));
}

/** The remedy depends on why no pod is available. */
function unavailability(linted: LintedWorkload, isUnserved: boolean): FindingData<"RS004"> {
  const { item } = linted.workload;
  const { strategy } = linted.rollout;
  const params = { workload: resourceRef(item), strategy: strategy === null ? null : paramsOf(strategy) };
  const id = "RS004";
  if (isUnserved) return { id, cause: "noTraffic", params };
  if (strategy === null) return { id, cause: "strategy", params };
  if (strategy.replicas === null) return { id, cause: "allNodes", params };
  if (strategy.type === "Recreate") {
    const claim = claimOf(linted);
    return claim === undefined
      ? { id, cause: "recreate", params }
      : { id, cause: "exclusiveVolume", params: { ...params, claim } };
  }
  if (rolloutKind(item.group, item.kind)?.strategy?.controller === "StatefulSet") {
    return { id, cause: strategy.replicas === 1 ? "singlePod" : "allAtOnce", params };
  }
  return { id, cause: strategy.replicas > 1 ? "allAtOnce" : "strategy", params };
}

function paramsOf({ type, replicas, maxUnavailable, maxSurge }: Strategy): Findings["RS004"]["strategy"]["strategy"] {
  return { type, replicas, maxUnavailable, maxSurge };
}

/** The claim of a mounted volume. With Recreate, it is usually the reason why only one pod may run. */
function claimOf({ templates: [linted] }: LintedWorkload): string | undefined {
  if (linted === undefined) return undefined;
  const { item, podSpecs } = linted.template;
  return podSpecs
    .flatMap(({ node }) => itemsOf(item.tree, get(item.tree, node, "volumes")))
    .flatMap((volume) => getString(item.tree, volume, "persistentVolumeClaim", "claimName") ?? [])[0];
}

/** A stamp or a restart that replaces no pod. */
export const NO_EFFECT: LintRule<"RS005"> = {
  id: "RS005",
  about: "rollout",
  effect: "NoEffect",
  check: ({ workloads, spec }) => {
    const marksOf = marksBy(spec.overrides);
    return workloads.flatMap((linted) => {
      const trigger = triggerOf(linted, marksOf);
      const hold = trigger === undefined ? undefined : holds(linted);
      if (trigger === undefined || hold === undefined) return [];
      const { item } = linted.workload;
      const params = { workload: resourceRef(item), trigger, because: hold.because };
      return [problem(item, firstField(item, ...hold.fields), { id: "RS005", cause: "noEffect", params })];
    });
  },
};

type Trigger = Findings["RS005"]["noEffect"]["trigger"];

/** What is supposed to roll out the workload; undefined if nothing is. */
function triggerOf(
  { workload, templates, rollout }: LintedWorkload,
  marksOf: (workload: LintedWorkload["workload"]) => OwnMarks,
): Trigger | undefined {
  const standing = templates.flatMap(({ template }) => [...templateAnnotations(template).keys()]);
  if (standing.some((key) => RESTART_KEYS.includes(key))) return "restart";
  if (annotationNode(workload.item, RESTART_SCHEDULE) !== NONE) return { annotation: RESTART_SCHEDULE };
  if (standing.some(isStampKey) || templates.some(({ desired }) => (desired?.stamps.size ?? 0) > 0)) return "stamp";
  // A Job or a bare Pod gets no stamp, but a user who opts it in expects one.
  if (rollout.effect !== "NoEffect" && workload.kind.rollsBy !== "immutable") return undefined;
  const { stamp, stampBy, named, namedBy } = marksOf(workload);
  if (stamp === true) return askedBy(stampBy);
  const [source] = named;
  const by = source === undefined ? undefined : namedBy(source);
  return by === undefined ? undefined : askedBy(by);
}

function askedBy(by: string): Trigger {
  return by === STAMP || by === SOURCES ? { annotation: by } : { override: by };
}

/** Why no pod is replaced, and the fields that cause it; undefined if pods are replaced. */
function holds({ workload, rollout }: LintedWorkload): { because: string; fields: readonly string[] } | undefined {
  const { effect, because, field } = effectOf(workload, rollout, ANNOTATION);
  if (effect === "Fail" && workload.kind.rollsBy === "immutable")
    return { because: "its pod template is immutable, so an apply that changes it is rejected", fields: [] };
  if (effect !== "NoEffect" || because === undefined) return undefined;
  return { because, fields: field === undefined ? [] : [field] };
}

/** A rollout that waits for a new pod that cannot start beside the old one. */
export const STUCK_ROLLOUT: LintRule<"RS015"> = {
  id: "RS015",
  about: "rollout",
  effect: "Roll",
  check: ({ workloads, items, spec }) => {
    let claims: Claims | undefined;
    const known = (): Claims => (claims ??= indexClaims(items, spec.defaultNamespace));
    return workloads.flatMap(({ workload, templates: [first], rollout }) => {
      if (first === undefined) return [];
      const found = standstillOf({ workload, template: first.template, rollout }, known);
      if (found === undefined) return [];
      const { data, node, field, claim } = found;
      return [problem(workload.item, { node, field }, data, claim === undefined ? [] : [claim])];
    });
  },
};

/** A progress deadline that ends before a pod can become available. */
export const LATE_READINESS: LintRule<"RS020"> = {
  id: "RS020",
  about: "rollout",
  effect: "Fail",
  check: ({ workloads }) =>
    workloads.flatMap(({ workload: { item }, rollout }) => {
      const late = rollout.refused?.readyTooLate;
      if (late === undefined) return [];
      const place = firstField(item, "spec.minReadySeconds", "spec.progressDeadlineSeconds");
      return [
        problem(item, place, { id: "RS020", cause: "deadline", params: { workload: resourceRef(item), ...late } }),
      ];
    }),
};

/**
 * A canary or blue-green rollout of content that the old pods also read, because it is a mounted file with the same
 * name.
 */
export const SHARED_CANARY: LintRule<"RS021"> = {
  id: "RS021",
  about: "rollout",
  effect: "Roll",
  check: ({ workloads }) =>
    workloads.flatMap(({ workload: { item, runBy }, templates }) => {
      const sightings = templates.flatMap(({ desired }) => namedByOriginal(desired));
      const data = sharedCanary(item, runBy, sightings);
      if (data === undefined) return [];
      const shared = sightings.filter(isShared);
      const place = shared[0]?.counted.find(isMounted)?.reference ?? { node: item.node };
      const others = [...runBy, ...shared.flatMap(({ source }) => source?.item ?? [])];
      return [problem(item, place, data, others)];
    }),
};

/** The sources that a pod template names themselves, and not through a copy, which keeps its content. */
export function namedByOriginal(desired: DesiredStamps | undefined): readonly Sighting[] {
  return (desired?.sightings ?? []).filter(
    ({ stampKey, counted: [first] }) => desired?.copies?.has(stampKey) !== true && first?.reference.copy === undefined,
  );
}

/** The finding for a canary whose old pods also read the new content of some sources; undefined if there are none. */
export function sharedCanary(
  item: Item,
  runBy: readonly Item[],
  sightings: readonly Sighting[],
): FindingData<"RS021"> | undefined {
  const [strategy] = [item, ...runBy].flatMap((candidate) => inSteps(candidate) ?? []);
  const shared = strategy === undefined ? [] : sightings.filter(isShared);
  if (strategy === undefined || shared.length === 0) return undefined;
  const params = {
    workload: resourceRef(item),
    strategy,
    sources: shared.map(sourceNameOf),
  };
  return { id: "RS021", cause: "mounted", params };
}

/** Whether an Argo Rollout runs old and new pods side by side, and how; undefined if it only replaces pods. */
function inSteps({ tree, node, group, kind }: Item): "canary" | "blue-green" | undefined {
  if (group !== "argoproj.io" || kind !== "Rollout") return undefined;
  const strategy = getPath(tree, node, ["spec", "strategy"]);
  if (kindOf(tree, get(tree, strategy, "blueGreen")) === "mapping") return "blue-green";
  return itemsOf(tree, getPath(tree, strategy, ["canary", "steps"])).length > 0 ? "canary" : undefined;
}

/** A source whose content changes under the name that old pods have mounted. */
function isShared({ source, counted }: Sighting): boolean {
  if (source === undefined || source.provides.kind === "SecretProviderClass" || isGenerated(source)) return false;
  if (source.declared === undefined && isTrue(source.item.tree, get(source.item.tree, source.item.node, "immutable")))
    return false;
  return counted.some(isMounted);
}

/** The kubelet updates mounted volumes, except those mounted with subPath. */
function isMounted({ reference }: Sighting["counted"][number]): boolean {
  return isFiles(reference) && reference.volume !== undefined && hasWholeMount(reference.volume);
}

// A volume may have many sources.
const hasWholeMount = onceFor(({ mounts }: VolumeUse): boolean => mounts.some(({ subPath }) => subPath === ""));

/** A source that a process reloads without a restart: a known reloader in the pod watches its volume. */
export const SELF_RELOADING: LintRule<"RS022"> = {
  id: "RS022",
  about: "rollout",
  effect: "Roll",
  check: ({ workloads, spec }) =>
    spec.reloads === "Warn"
      ? workloads.flatMap(({ workload: { item }, templates }) =>
          templates.flatMap(({ template, desired }) =>
            (desired?.sightings ?? []).flatMap((sighting) =>
              selfReloading(template, sighting).map((finding) => ({
                finding,
                items: [item, ...(sighting.source === undefined ? [] : [sighting.source.item])] as const,
              })),
            ),
          ),
        )
      : [],
};
