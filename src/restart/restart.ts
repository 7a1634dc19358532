import { editAnnotations } from "../edit/annotations.ts";
import type { Splice } from "../edit/splice.ts";
import type { Item, Manifests } from "../manifest/items.ts";
import { getPath, getString, kindOf, stringOf } from "../manifest/node.ts";
import type { YamlTree } from "../manifest/tree.ts";
import type { Finding } from "../results/findings.ts";
import { rolloutOf, type Rollout } from "../rollout/mechanics.ts";
import { findAutoscalers, writtenRollout } from "../rollout/written-rollout.ts";
import { findWorkloads } from "../workloads/find-workloads.ts";
import { templateAnnotationNode } from "../workloads/template-annotations.ts";
import type { PodTemplate, Workload, WorkloadKind } from "../workloads/types.ts";
import { restartFieldOf, restartFieldValue } from "./restart-fields.ts";
import { costFindings, untouchedFinding } from "./restart-findings.ts";
import { matchesTarget, type Target } from "./targets.ts";
import { formatTime, parseTime } from "./times.ts";

/** What is to restart, when and how. */
export interface RestartRequest {
  /** Undefined: everything whose pods a restart replaces. */
  readonly targets: readonly Target[] | undefined;
  /** Each workload is named, by a target or by an annotation of its own: what can't restart is told. */
  readonly isNamed: boolean;
  /** The moment of a workload's restart; undefined where it has none. Throws for a wrong annotation. */
  readonly moment: (workload: Workload) => Date | undefined;
  /** The annotation of the pod template that tells it. */
  readonly annotation: string;
  readonly kinds: readonly WorkloadKind[];
  readonly defaultNamespace: string;
}

export interface Restarts {
  readonly edits: ReadonlyMap<YamlTree, readonly Splice[]>;
  /** The targets that are there. */
  readonly met: ReadonlySet<Target>;
  readonly restarted: readonly Restarted[];
  readonly findings: readonly Finding[];
}

/** A workload that restarts, and what that does to its pods. */
export interface Restarted {
  readonly workload: Workload;
  readonly rollout: Rollout;
}

/**
 * Restarts workloads: writes the moment into their pod templates, or into the field that a kind has
 * for it. A restart never goes back in time: a later one that stands there stays. Each input is a
 * scope of its own, so that one object may stand in a base and in a patch of it.
 */
export function restart(inputs: readonly Manifests[], request: RestartRequest): Restarts {
  const { kinds, defaultNamespace } = request;
  const autoscalers = findAutoscalers(
    inputs.flatMap((input) => input.items),
    defaultNamespace,
  );
  const edits = new Map<YamlTree, readonly Splice[]>();
  const met = new Set<Target>();
  const restarted: Restarted[] = [];
  const findings: Finding[] = [];
  for (const { tree, items } of inputs) {
    const splices: Splice[] = [];
    for (const workload of findWorkloads(items, { kinds, defaultNamespace })) {
      const targets = request.targets?.filter((target) => matchesTarget(target, workload));
      if (targets?.length === 0) continue;
      for (const target of targets ?? []) met.add(target);
      const moment = request.moment(workload);
      if (moment === undefined) continue;
      const made = restartWorkload(workload, moment, request);
      findings.push(...made.findings);
      if (made.splices.length === 0) continue;
      splices.push(...made.splices);
      const rollout = rolloutOf(writtenRollout(workload, autoscalers));
      restarted.push({ workload, rollout });
      findings.push(...costFindings(workload, rollout));
    }
    if (splices.length > 0) edits.set(tree, splices);
  }
  return { edits, met, restarted, findings };
}

interface Made {
  readonly splices: readonly Splice[];
  readonly findings: readonly Finding[];
}

function restartWorkload(workload: Workload, moment: Date, { isNamed, annotation }: RestartRequest): Made {
  const why = unrestartable(workload);
  if (why !== undefined) return { splices: [], findings: isNamed ? [untouchedFinding(workload, why)] : [] };
  // A CronJob's or a workflow's next run starts new pods anyway.
  if (workload.kind.rollsBy === "nextRun" && !isNamed) return { splices: [], findings: [] };
  const hasField = restartFieldOf(workload.item) !== undefined;
  return {
    splices: hasField ? fieldEdits(workload.item, moment) : templateEdits(workload, moment, annotation),
    findings: [],
  };
}

/** Why a restart can't be written into a workload; undefined where it can. */
function unrestartable({ item, kind, templates, runBy }: Workload): string | undefined {
  if (restartFieldOf(item) !== undefined) return undefined;
  if (kind.rollsBy === "immutable") return "its pod template is immutable: the apply would be refused";
  if (kind.rollsBy === "never" && runBy.length === 0) return "no controller replaces its pods";
  if (kind.fixedBy !== undefined && (getString(item.tree, item.node, ...kind.fixedBy.split(".")) ?? "") !== "") {
    return `'${kind.fixedBy}' is set: the apply would be refused`;
  }
  return templates.length === 0 ? "it has no pod template of its own" : undefined;
}

/** Not before what is there already. */
function isLater(moment: Date, standing: Date | undefined): boolean {
  return standing === undefined || standing.getTime() < moment.getTime();
}

function templateEdits({ templates }: Workload, moment: Date, annotation: string): Splice[] {
  const set = new Map([[annotation, formatTime(moment)]]);
  return templates
    .filter((template) => isLater(moment, standingTime(template, annotation)))
    .flatMap((template) =>
      editAnnotations(
        { item: template.item, base: template.base, path: template.annotationsPath },
        { set, remove: new Set() },
      ),
    );
}

function standingTime(template: PodTemplate, annotation: string): Date | undefined {
  const { tree } = template.item;
  const text = stringOf(tree, templateAnnotationNode(template, annotation));
  return text === undefined ? undefined : parseTime(text);
}

function fieldEdits(item: Item, moment: Date): Splice[] {
  const row = restartFieldOf(item);
  if (row === undefined) return [];
  const standing = restartFieldValue(item, row);
  if (standing !== undefined && !isLater(moment, row.read(standing))) return [];
  // A patch that says nothing of the spec is not the place for it.
  if (row.path[0] === "spec" && kindOf(item.tree, getPath(item.tree, item.node, ["spec"])) !== "mapping") return [];
  return editAnnotations(
    { item, base: item.node, path: row.path },
    { set: new Map([[row.key, row.write(moment)]]), remove: new Set() },
  );
}
