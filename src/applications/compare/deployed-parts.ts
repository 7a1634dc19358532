import { joinedPart, notAppliedPart, withLeaves } from "../../reports/plan/not-applied.ts";
import { isHeldBack } from "../../reports/plan/counted.ts";
import { NOTHING_PLANNED, type PlanPart } from "../../reports/plan/parts.ts";
import type { PlanPair } from "../../reports/plan/plan-context.ts";
import type { Side } from "../../reports/plan/side.ts";
import type { Item } from "../../yaml/read/items.ts";
import type { PlanFinding, ReplacedRelease } from "../../reports/plan/planned-workload.ts";
import { objectKey } from "../../base/identity.ts";
import { engineOf } from "../discover/deletions.ts";
import { isProtected, type Engine, type Removal } from "../discover/kept-objects.ts";
import type { AppPair } from "./pairs.ts";
import type { Compared } from "./compared.ts";
import { isResumed } from "./deployment.ts";
import { replacedRelease, uninstalledPart } from "./replaced-releases.ts";
import { objectKindOf } from "../discover/application.ts";

// Comparisons as they are applied: applications that are held back or orphans count only as such, and deleted objects may stay
// in the cluster.

/** One comparison of an application: the applied base, and the applied head. */
export interface Step extends AppPair {
  /** The release is uninstalled, or another one is installed. */
  readonly replaced?: ReplacedRelease;
}

/** The comparisons of an application: what is applied, then what waits for a new version of the chart. */
export function appliedSteps(pair: AppPair): readonly Step[] {
  const { held, applied, ...others } = pair;
  const replaced = replacedRelease(pair.base?.application, pair.head?.application);
  const isHeld = applied !== undefined && held === "ChartVersion";
  const first = isHeld ? { ...others, head: applied } : pair;
  return [
    ...(replaced === undefined
      ? [first]
      : [
          { ...first, head: undefined, replaced },
          { ...first, base: undefined, replaced },
        ]),
    ...(isHeld ? [{ ...others, base: applied, held }] : []),
  ];
}

/** The comparison of an application in several steps. */
export function joinedSteps(steps: readonly { readonly step: Step; readonly compared: Compared }[]): Compared[] {
  const [first, ...others] = steps;
  if (first === undefined) return [];
  return [others.reduce((before, { step, compared }) => joined(before, step, compared), first.compared)];
}

function joined(applied: Compared, { replaced }: Step, waiting: Compared): Compared {
  if (applied.application.status === "Failed") return applied;
  if (replaced !== undefined) {
    const { part: installed = NOTHING_PLANNED, across } = waiting;
    const uninstalled = uninstalledPart(applied.part ?? NOTHING_PLANNED, installed, replaced);
    const has = new Set(across?.has.map((source) => objectKey(source)));
    const gone = applied.changed?.filter(({ source }) => !has.has(objectKey(source)));
    const changed = gone === undefined ? {} : { changed: gone };
    return { ...waiting, ...changed, part: joinedPart(uninstalled, installed) };
  }
  const { application } = waiting;
  const isChanged = applied.application.status === "Changed" && application.status === "Unchanged";
  return {
    ...applied,
    application: isChanged ? { ...application, status: "Changed" } : application,
    part: joinedPart(applied.part ?? NOTHING_PLANNED, waiting.part ?? NOTHING_PLANNED),
    notExamined: [...applied.notExamined, ...waiting.notExamined],
  };
}

/** A comparison whose changes are not applied, or with a finding if more may be applied than what differs. */
export function asDeployed(pair: AppPair, compared: Compared): Compared {
  const { application, base, head, orphan, appliedCommit } = pair;
  const { part = NOTHING_PLANNED } = compared;
  const why = orphan === true ? { orphan } : isHeldBack(pair) ? { held: pair.held } : undefined;
  if (why !== undefined) {
    if (compared.part === undefined) return compared;
    // Pods of other applications do not see what is not applied.
    const { changed: _, across: __, ...others } = compared;
    return { ...others, part: notAppliedPart(part, () => why) };
  }
  const isPartial = isResumed(base?.application, head?.application) && appliedCommit === undefined;
  if (!isPartial || compared.application.status === "Failed") return compared;
  const { foundBy, name } = application;
  const object = `${objectKindOf(foundBy)} ${name}`;
  const row: PlanFinding = { id: "suspended-application", cause: "resumed", params: { object }, application: name };
  return { ...compared, part: { ...part, others: [...part.others, row] } };
}

/** A part whose deleted objects are marked if their engine, or a mark on them, keeps them in the cluster. */
export function withKept(part: PlanPart, { application, head, stays }: AppPair, base: Side): PlanPart {
  if (stays === true || head?.application.keeps?.pruned === true) return withLeaves(part, () => true);
  return withProtected(part, [{ base }], engineOf(application.foundBy), head === undefined ? "deleted" : "pruned");
}

/** A part whose deleted objects are marked if something on them keeps them in the cluster. */
export function withProtected(
  part: PlanPart,
  pairs: readonly Pick<PlanPair, "base">[],
  engine?: Engine,
  removal: Removal = "pruned",
): PlanPart {
  const kept = new Set(
    pairs.flatMap(({ base: { analysis, spec } }) =>
      analysis.items
        .filter((item) => isProtected(item, engine, removal))
        .map((item) => keyOf({ ...item, namespace: item.namespace || spec.defaultNamespace })),
    ),
  );
  return kept.size === 0 ? part : withLeaves(part, (object) => kept.has(keyOf(object)));
}

function keyOf({ kind, namespace, name }: Pick<Item, "kind" | "namespace" | "name">): string {
  return `${kind}\n${namespace}\n${name}`;
}
