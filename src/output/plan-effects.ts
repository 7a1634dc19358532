import { formatNumber, pluralize } from "../base/words.ts";
import type { Label } from "../reports/plan/labels.ts";
import type { PlannedWorkload } from "../reports/plan/planned-workload.ts";
import type { Effect, RefusedSource, StaleCause } from "../reports/plan/rows/effects.ts";
import type { WorkloadEntry } from "../reports/plan/rows/row-types.ts";
import { code, joined } from "./document/blocks.ts";
import type { Words } from "./document/document.ts";
import { appliedWhenWords, becauseText, podsText } from "./plan-words.ts";
import { rollingWords, scalings, scalingWords, serviceWords, type Workloads } from "./plan-rolling.ts";

// What happens to the workloads of a row, in words.

/** What is said of a deletion that `leaves` the object: prune is off, or the application is deleted alone. */
export const STAYS = "stays in the cluster, as nothing prunes it";

/** How a row says what its workloads are. */
export interface EffectOptions {
  readonly label: Label;
  /** The row has a number instead of names. */
  readonly isCounted: boolean;
}

/** What happens to workloads; undefined if the label says it. */
export function effectWords(
  { effect, workloads, appliedWhen }: WorkloadEntry,
  options: EffectOptions,
): Words | undefined {
  const words = wordsOf(effect, workloads, options);
  // Of what rolls, the names have it.
  return words !== undefined && appliedWhen !== undefined && effect.is === "deleted" && effect.how === "applied"
    ? [...words, " ", ...appliedWhenWords(appliedWhen, "it")]
    : words;
}

/** What about a refused source cannot change. */
const IMMUTABLE: Readonly<Record<RefusedSource["because"], string>> = {
  content: "which is immutable: no pod gets its new content",
  mutable: "which is immutable and stays so",
  type: "whose type is immutable: no pod gets its new content",
};

function wordsOf(effect: Effect, workloads: Workloads, { label, isCounted }: EffectOptions): Words | undefined {
  const its = pluralize(workloads.length, "its", "their");
  switch (effect.is) {
    case "rolls":
      return rollingWords(effect, workloads, isCounted);
    case "refused": {
      const who = effect.by ?? "the API server";
      if (effect.source !== undefined) {
        const { kind, name, because } = effect.source;
        return [`${who} rejects the change of ${kind} `, code(name), `, ${IMMUTABLE[because]}`];
      }
      if (effect.isNew) return [`${who} rejects ${pluralize(workloads.length, "it", "them")}`];
      return [`${who} rejects the update; ${its} pods stay as they are`];
    }
    case "moved": {
      const pods = goingText(workloads);
      if (effect.place === "release")
        return [`Flux uninstalls ${its} release${pods === undefined ? "" : ` (${pods})`}, then installs another one`];
      return [
        "deleted in ",
        code(effect.from),
        `${pods === undefined ? "" : ` (${pods})`}, created in `,
        code(effect.to),
      ];
    }
    case "deleted":
      return deletedWords(effect, workloads);
    case "lost":
      return joined([...scalings(effect), [LOST_PODS[effect.pods](its)]], "; ");
    case "scaled": {
      const change = scalingWords(effect);
      if (effect.to !== 0) return change;
      const traffic = workloads.some((workload) => (workload.traffic?.services ?? []).length > 0)
        ? ["; ", ...serviceWords(workloads, isCounted, ["loses them", "lose them"])]
        : [];
      return [...change, `, all ${its} pods are removed`, ...traffic];
    }
    case "stale":
      return joined(
        [...scalings(effect), [staleText(effect.seenBy, workloads)], [STALE_CAUSES[effect.cause](workloads)]],
        "; ",
      );
    case "labelled":
      return labelledWords(label, effect, workloads);
  }
}

/** What a source that is gone means for the pods. */
const LOST_PODS: Readonly<Record<Extract<Effect, { readonly is: "lost" }>["pods"], (its: string) => string>> = {
  run: (its) => `${its} next run cannot start`,
  none: () => "no pod runs, and the next one cannot start",
  running: () => "the running pods stay; a pod that is replaced or rescheduled cannot start",
};

function labelledWords(
  label: Label,
  { because }: Extract<Effect, { readonly is: "labelled" }>,
  [workload, ...others]: Workloads,
): Words | undefined {
  if (label === "created") {
    const { strategy, action } = workload;
    const replicas = action === "Create" ? strategy?.replicas : undefined;
    if (replicas === undefined || replicas === null) return undefined;
    const pods = podsText(replicas);
    return [pods === undefined ? "no pods" : `${pods}${others.length === 0 ? "" : " each"}`];
  }
  if (because?.id === "waiting" && others.length > 0)
    return ["they wait for their new stamps: ", code("rollstamp stamp --due"), " writes them"];
  // That the next run of a CronJob has the change is in the label.
  const isSaid = because === undefined || (label === "next-run" && workload.kind === "CronJob");
  return isSaid ? undefined : [becauseText(because)];
}

function deletedWords(effect: Extract<Effect, { readonly is: "deleted" }>, workloads: Workloads): Words {
  if (effect.how === "leaves") return [STAYS];
  const accepted = effect.how === "accepted" ? ", accepted with --accept-deletes" : "";
  return [`${removedText(workloads)}${accepted}`];
}

function removedText(workloads: Workloads): string {
  const { pods, podsAtMost } = goingPods(workloads);
  const number = podsText(pods, podsAtMost);
  if (number === undefined) {
    if (workloads.some(({ kind }) => kind === "DaemonSet")) return "all its pods are removed";
    return workloads.length === 1 ? "it has no pods" : "they have no pods";
  }
  return podsAtMost === 1 ? "its pod is removed" : `all ${number} are removed`;
}

/** The pods of workloads that go, as far as Git shows them, and their DaemonSets. */
function goingText(workloads: Workloads): string | undefined {
  const { pods, podsAtMost } = goingPods(workloads);
  const nodes = workloads.filter(({ kind }) => kind === "DaemonSet").length;
  const parts = [
    podsText(pods, podsAtMost),
    nodes === 0 ? undefined : `${formatNumber(nodes)} ${pluralize(nodes, "DaemonSet")}`,
  ].filter((part) => part !== undefined);
  return parts.length === 0 ? undefined : parts.join(", ");
}

function goingPods(workloads: Workloads): { readonly pods: number; readonly podsAtMost: number } {
  return workloads.reduce(
    ({ pods, podsAtMost }, workload) => {
      const replicas = podsOf(workload);
      const most = Math.max(replicas, workload.scaledBy?.max ?? 0);
      return { pods: pods + replicas, podsAtMost: podsAtMost + most };
    },
    { pods: 0, podsAtMost: 0 },
  );
}

/** A bare Pod has no number of replicas. */
function podsOf({ strategy, kind }: PlannedWorkload): number {
  return strategy === null ? (kind === "Pod" ? 1 : 0) : (strategy.replicas ?? 0);
}

function staleText(seenBy: Extract<Effect, { readonly is: "stale" }>["seenBy"], workloads: Workloads): string {
  const its = pluralize(workloads.length, "its", "their");
  switch (seenBy) {
    case "env":
      return `${its} pods keep the ${oldWord(workloads)}`;
    case "volume":
      return `${its} mounted files change under the process, which may not read them again`;
    case "both":
      return `${its} environment variables keep the ${oldWord(workloads)}, ${its} mounted files change under the process`;
  }
}

function oldWord(workloads: Workloads): string {
  return workloads.every((workload) => staleKey(workload) !== undefined) ? "old value" : "old content";
}

/** The only key whose old value the pods keep. */
export function staleKey({ reasons }: PlannedWorkload): string | undefined {
  const keys = new Set(
    reasons.flatMap((reason) =>
      reason.type === "Source" ? [...reason.keys.changed, ...reason.keys.added, ...reason.keys.removed] : [],
    ),
  );
  const [only, ...others] = keys;
  return others.length === 0 ? only : undefined;
}

const STALE_CAUSES: Readonly<Record<StaleCause, (workloads: Workloads) => string>> = {
  unstamped: (workloads) => {
    const applications = new Set(workloads.map(({ application }) => application ?? ""));
    if (applications.has("")) return `nothing stamps ${pluralize(workloads.length, "it", "them")}`;
    return `nothing stamps ${pluralize(applications.size, "this application", "these applications")}`;
  },
  forgotten: (workloads) => `${pluralize(workloads.length, "its stamps were", "their stamps were")} not updated`,
  uncovered: (workloads) => `${pluralize(workloads.length, "its stamps do", "their stamps do")} not cover it`,
};
