import { compareBytes } from "../../base/digest/hash-v1.ts";
import { isRuleId } from "../../findings/catalogue/catalogue.ts";
import { severityOf, type Finding } from "../../findings/catalogue/finding.ts";
import { SEVERITIES } from "../../findings/catalogue/severity.ts";
import type { LintContext, LintedWorkload } from "../lint/context.ts";
import { lint, type Levels } from "../lint/lint.ts";
import type { Item } from "../../yaml/read/items.ts";
import { resourceRef } from "../../findings/results/location.ts";
import { sightingsOf, type Sighting } from "../../stamping/stamps/sightings.ts";
import type { Reason } from "./plan-reasons.ts";
import type { Action, PlanFinding } from "./plan-report.ts";
import type { RefusedSources } from "./refused-sources.ts";
import type { Side, SideWorkload } from "./side.ts";
import { objectKey } from "../../base/identity.ts";
import type { FindingsByObject, StateFinding } from "./state-findings.ts";
import { groupedBy } from "../../base/grouped.ts";
import { RULES } from "../lint/rules.ts";
import { levelsOf } from "./told-rules.ts";
import { addTo } from "../../base/grouped.ts";

/** What a workload does, as far as findings depend on it. */
export interface Doing {
  readonly own: SideWorkload;
  readonly action: Action;
  readonly reasons: readonly Reason[];
}

/** What is to be told of what workloads do, by the workload: of each what its action lets one tell. */
export function rolloutFindings(
  head: Side,
  doings: readonly Doing[],
  configured: Levels,
): ReadonlyMap<string, readonly PlanFinding[]> {
  const index = new Map<string, PlanFinding[]>();
  for (const [action, rules] of RULES_BY_EFFECT) {
    const workloads = doings.filter((doing) => doing.action === action).map(lintedOf);
    if (workloads.length === 0) continue;
    for (const finding of lint(contextOf(head, workloads), levelsOf(new Set(rules.map(({ id }) => id)), configured))) {
      if (!isRuleId(finding.id) || finding.resource === undefined) continue;
      const key = objectKey(finding.resource);
      addTo(index, key, planFinding(finding));
    }
  }
  return index;
}

const RULES_BY_EFFECT = groupedBy(
  Object.values(RULES).filter(({ effect }) => effect !== undefined),
  ({ effect }) => effect,
);

/** A context of some workloads among all objects of the head. */
function contextOf({ analysis, spec }: Side, workloads: readonly LintedWorkload[]): LintContext {
  return { items: analysis.items, sources: analysis.sources, workloads, spec, hasHmacKey: false };
}

function lintedOf({ own, reasons }: Doing): LintedWorkload {
  const { workload, decision } = own;
  const isChanged = changedSources(reasons);
  return {
    workload,
    decision,
    rollout: own.rollout(),
    templates: workload.templates.map((template, i) => {
      const decided = decision.templates[i] ?? { template, counted: [], leftOut: [] };
      const desired = own.desired(template);
      return {
        template,
        seen: sightingsOf(decided, workload.namespace),
        // A rollout for another reason is a canary, and needed, whatever else the pods read.
        desired: desired === undefined ? undefined : { ...desired, sightings: desired.sightings.filter(isChanged) },
      };
    }),
  };
}

/** Whether a source is one of the reasons, and has kept its name: under a new one the old pods keep what they have. */
export function changedSources(reasons: readonly Reason[]): (sighting: Sighting) => boolean {
  const changed = new Set(
    reasons.flatMap((reason) =>
      reason.type === "Source" && reason.source.previousName === undefined ? [objectKey(reason.source)] : [],
    ),
  );
  return (sighting) => changed.has(objectKey(sighting));
}

/** What is found of the states of a plan's objects, as far as it is told. */
export interface ToldStates {
  /** Of one object. */
  readonly of: (item: Item) => readonly PlanFinding[];
  /** Of all objects but these. */
  readonly others: (told: ReadonlySet<Item>) => readonly PlanFinding[];
  /** How many there are that the base had too, whether or not they are told. */
  readonly before: number;
}

/** What the base had too is told only where `all` is asked for. */
export function toldStates(found: FindingsByObject, all: boolean): ToldStates {
  const tell = (states: readonly StateFinding[]): PlanFinding[] =>
    states
      .filter(({ before }) => all || !before)
      .map(({ finding, before }) => ({ ...planFinding(finding), ...(before ? { before } : {}) }));
  return {
    of: (item) => tell(found.get(objectKey(resourceRef(item))) ?? []),
    others: (items) => {
      const told = new Set([...items].map((item) => objectKey(resourceRef(item))));
      return [...found].filter(([key]) => !told.has(key)).flatMap(([, states]) => tell(states));
    },
    before: [...found.values()]
      .flat()
      .reduce((sum, { finding, before }) => (before ? sum + 1 + (finding.more ?? 0) : sum), 0),
  };
}

/** The findings of a row in the order of the rules. */
export function inOrderOfRules(findings: readonly PlanFinding[]): PlanFinding[] {
  return findings.toSorted((a, b) => compareBytes(a.id, b.id));
}

/** Findings of many objects, of which a report may cut the last. */
export function worstFirst(findings: readonly PlanFinding[]): PlanFinding[] {
  return findings.toSorted((a, b) => SEVERITIES[severityOf(a)].rank - SEVERITIES[severityOf(b)].rank);
}

/** The sources that are refused and named by no workload. */
export function refusedAlone(refused: RefusedSources, told: ReadonlySet<Item>): PlanFinding[] {
  return [...refused].filter(([item]) => !told.has(item)).map(([, finding]) => planFinding(finding));
}

/** What a plan keeps of a finding: rows say where it is. */
export function planFinding(finding: Finding): PlanFinding {
  const { resource: _resource, field: _field, file: _file, place: _place, tags: _tags, ...data } = finding;
  return data;
}

/** What was found while files were read, which no row says: with its places. */
export function foundWhileReading(findings: readonly Finding[]): PlanFinding[] {
  return findings.map((finding) =>
    Object.assign(planFinding(finding), finding.place === undefined ? {} : { place: finding.place }),
  );
}
