import { addAllTo } from "../../base/grouped.ts";
import { editAnnotations } from "../../yaml/edit/annotations.ts";
import type { Splice } from "../../yaml/edit/splice.ts";
import type { Item, Manifests } from "../../yaml/read/items.ts";
import { getPath, kindOf, stringOf } from "../../yaml/read/node.ts";
import type { YamlTree } from "../../yaml/read/tree.ts";
import type { Finding } from "../../findings/catalogue/finding.ts";
import { neverTakes } from "../../kubernetes/rollout/effect.ts";
import type { Rollout } from "../../kubernetes/rollout/rollout-types.ts";
import { rollsOf } from "../../kubernetes/rollout/rolls.ts";
import { surroundingsOf } from "../../kubernetes/rollout/surroundings.ts";
import { repeatedKeyFindings } from "../../findings/results/key-findings.ts";
import { findWorkloads, linkBorrowed } from "../../kubernetes/workloads/find-workloads.ts";
import { templateAnnotationNode } from "../../kubernetes/workloads/template-annotations.ts";
import type { PodTemplate, Workload, WorkloadKind } from "../../kubernetes/workloads/types.ts";
import { restartFieldOf, restartFieldTime, type RestartField } from "../../kubernetes/rollout/restart-fields.ts";
import { costFindings, keptTime, leftToRunner, untouchedFinding } from "./restart-findings.ts";
import type { RestartTarget } from "./options.ts";
import { targeting } from "../../kubernetes/workloads/targets.ts";
import { formatTime, parseTime } from "../../base/times.ts";

/** What to restart, when, and how. */
export interface RestartRequest {
  /** Undefined: every workload whose pods a restart replaces. */
  readonly targets: readonly RestartTarget[] | undefined;
  /** Each workload with a restart time has an annotation that asks for it, as if it were named. */
  readonly isDue: boolean;
  /** Somebody asks for it once: a restart that keeps a later time is reported. */
  readonly isByHand: boolean;
  /** The restart time of a workload; undefined if it has none. Throws for an invalid annotation. */
  readonly moment: (workload: Workload) => Date | undefined;
  /** The annotation on the pod template. */
  readonly annotation: string;
  readonly kinds: readonly WorkloadKind[];
  readonly defaultNamespace: string;
}

export interface Restarts {
  readonly edits: ReadonlyMap<YamlTree, readonly Splice[]>;
  /** The targets that match something. */
  readonly met: ReadonlySet<RestartTarget>;
  readonly restarted: readonly Restarted[];
  readonly findings: readonly Finding[];
}

/** A workload that restarts, and the effect on its pods. */
export interface Restarted {
  readonly workload: Workload;
  readonly rollout: Rollout;
}

/**
 * Restarts workloads: writes the time into their pod templates, or into the restart field of their kind. A restart
 * never goes back in time: a later time is kept. Each input is a scope of its own, so that the same object may be in a
 * base and in a patch.
 */
export function restart(inputs: readonly Manifests[], request: RestartRequest): Restarts {
  const { kinds, defaultNamespace } = request;
  const found = inputs.map(({ items }) => findWorkloads(items, { kinds, defaultNamespace }));
  // The object that runs a template may be in another file than the template.
  const workloads = linkBorrowed(found.flat());
  const allItems = inputs.flatMap(({ items }) => items);
  const surroundings = surroundingsOf(allItems, workloads, defaultNamespace);
  const edits = new Map<YamlTree, Splice[]>();
  const met = new Set<RestartTarget>();
  const restarted: Restarted[] = [];
  const findings: Finding[] = repeatedKeyFindings(allItems);
  const targetsOf = request.targets === undefined ? undefined : targeting(request.targets, (target) => target);
  for (const workload of workloads) {
    const targets = targetsOf?.(workload);
    if (targets?.length === 0) continue;
    for (const target of targets ?? []) met.add(target);
    const moment = request.moment(workload);
    if (moment === undefined) continue;
    const rollout = rollsOf(workload, surroundings);
    const asked: Asked = {
      moment,
      annotation: request.annotation,
      isPicked: request.isDue || request.targets !== undefined,
      isNamed: request.isDue || targets?.some(({ name }) => name !== undefined) === true,
      isByHand: request.isByHand,
    };
    const made = restartWorkload(workload, rollout, asked);
    findings.push(...made.findings);
    if (made.splices.length === 0) continue;
    addAllTo(edits, workload.item.tree, made.splices);
    restarted.push({ workload, rollout });
    for (const finding of costFindings(workload, rollout)) findings.push(finding);
  }
  return { edits, met, restarted, findings };
}

interface Made {
  readonly splices: readonly Splice[];
  readonly findings: readonly Finding[];
}

/** How a workload was selected. */
interface Asked {
  readonly moment: Date;
  readonly annotation: string;
  /** It was selected in any way: an impossible restart is reported. */
  readonly isPicked: boolean;
  /** It was named, not only matched by namespace, kind or labels. */
  readonly isNamed: boolean;
  readonly isByHand: boolean;
}

const NOTHING: Made = { splices: [], findings: [] };

function restartWorkload(workload: Workload, rollout: Rollout, asked: Asked): Made {
  const { moment, annotation, isPicked, isNamed, isByHand } = asked;
  const why = unrestartable(workload, rollout);
  if (why !== undefined) return isPicked ? { splices: [], findings: [untouchedFinding(workload, why)] } : NOTHING;
  // The next run of a CronJob or a workflow starts new pods anyway.
  if (rollout.effect === "NextRun" && !isPicked) return NOTHING;
  // The object that runs its template is restarted; a changed template would be a new revision there.
  if (rollout.runBy !== undefined && !isNamed) return { splices: [], findings: [leftToRunner(workload, rollout)] };
  const row = restartFieldOf(workload.item);
  const splices =
    row === undefined ? templateEdits(workload, moment, annotation) : fieldEdits(workload.item, row, moment);
  const later = splices.length > 0 || !isByHand ? undefined : laterTime(workload, asked);
  return { splices, findings: later === undefined ? [] : [keptTime(workload, later)] };
}

/** Why a restart cannot be written into a workload; undefined if it can. */
function unrestartable(workload: Workload, rollout: Rollout): string | undefined {
  if (restartFieldOf(workload.item) !== undefined) return undefined;
  const why = neverTakes(workload, rollout);
  if (why !== undefined) return why;
  return workload.templates.length === 0 ? "it has no pod template of its own" : undefined;
}

/** A restart never goes back in time. */
function isLater(moment: Date, standing: Date | undefined): boolean {
  return standing === undefined || standing.getTime() < moment.getTime();
}

/** The time of a workload that is later than the one that was asked for. */
function laterTime({ item, templates }: Workload, { moment, annotation }: Asked): Date | undefined {
  const row = restartFieldOf(item);
  const times =
    row === undefined ? templates.map((one) => existingRestartTime(one, annotation)) : [restartFieldTime(item, row)];
  return times.find((standing) => standing !== undefined && isLater(standing, moment));
}

function templateEdits({ templates }: Workload, moment: Date, annotation: string): Splice[] {
  const set = new Map([[annotation, formatTime(moment)]]);
  return templates
    .filter((template) => isLater(moment, existingRestartTime(template, annotation)))
    .flatMap((template) =>
      editAnnotations(
        { item: template.item, base: template.base, path: template.annotationsPath },
        { set, remove: new Set() },
      ),
    );
}

function existingRestartTime(template: PodTemplate, annotation: string): Date | undefined {
  const { tree } = template.item;
  const text = stringOf(tree, templateAnnotationNode(template, annotation));
  return text === undefined ? undefined : parseTime(text);
}

function fieldEdits(item: Item, row: RestartField, moment: Date): Splice[] {
  if (!isLater(moment, restartFieldTime(item, row))) return [];
  // A patch without a spec stays unchanged.
  if (row.path[0] === "spec" && kindOf(item.tree, getPath(item.tree, item.node, ["spec"])) !== "mapping") return [];
  return editAnnotations(
    { item, base: item.node, path: row.path },
    { set: new Map([[row.key, row.write(moment)]]), remove: new Set() },
  );
}
