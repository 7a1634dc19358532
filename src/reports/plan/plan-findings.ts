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
import type { Action, PlanFinding } from "./planned-workload.ts";
import type { RefusedSources } from "./refused-sources.ts";
import type { Side, SideWorkload } from "./side.ts";
import { objectKey } from "../../base/identity.ts";
import type { FindingsByObject, StateFinding } from "./state-findings.ts";
import { groupedBy, sumOf, addTo } from "../../base/grouped.ts";
import { RULES } from "../lint/rules.ts";
import { levelsOf } from "./linted-states.ts";

/** A workload that changes, as far as findings depend on it. */
export interface ChangedWorkload {
  readonly subject: SideWorkload;
  readonly action: Action;
  readonly reasons: readonly Reason[];
}

/** The findings about what workloads do, by workload: each action has its own rules. */
export function rolloutFindings(
  head: Side,
  changes: readonly ChangedWorkload[],
  configured: Levels,
): ReadonlyMap<string, readonly PlanFinding[]> {
  const index = new Map<string, PlanFinding[]>();
  for (const [action, rules] of RULES_BY_EFFECT) {
    const workloads = changes.filter((change) => change.action === action).map(lintedOf);
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

/** The lint context of some workloads, with all objects of the head. */
function contextOf({ analysis, spec }: Side, workloads: readonly LintedWorkload[]): LintContext {
  return { items: analysis.items, sources: analysis.sources, workloads, spec, hasHmacKey: false };
}

function lintedOf({ subject, reasons }: ChangedWorkload): LintedWorkload {
  const { workload, decision } = subject;
  const isChanged = changedSources(reasons);
  return {
    workload,
    decision,
    rollout: subject.rollout(),
    templates: workload.templates.map((template, i) => {
      const decided = decision.templates[i] ?? { template, counted: [], leftOut: [] };
      const desired = subject.desired(template);
      return {
        template,
        seen: sightingsOf(decided, workload.namespace),
        // A canary that rolls for another reason is intended, even if its pods read changed files.
        desired: desired === undefined ? undefined : { ...desired, sightings: desired.sightings.filter(isChanged) },
      };
    }),
  };
}

/** Whether a source is a reason and kept its name. If it was renamed, the old pods keep the old content. */
export function changedSources(reasons: readonly Reason[]): (sighting: Sighting) => boolean {
  const changed = new Set(
    reasons.flatMap((reason) =>
      reason.type === "Source" && reason.source.previousName === undefined ? [objectKey(reason.source)] : [],
    ),
  );
  return (sighting) => changed.has(objectKey(sighting));
}

/** The reported findings about the states of a plan's objects. */
export interface ReportedStates {
  readonly about: (item: Item) => readonly PlanFinding[];
  /** The findings about all other objects. */
  readonly others: (items: ReadonlySet<Item>) => readonly PlanFinding[];
  /** How many findings exist in the base too, reported or not. */
  readonly before: number;
}

/** Findings that exist in the base too are reported only with `all`. */
export function reportedStates(found: FindingsByObject, all: boolean): ReportedStates {
  const report = (states: readonly StateFinding[]): PlanFinding[] =>
    states
      .filter(({ finding, before }) => !before || (all && finding.accepted === undefined))
      .map(({ finding, before }) => ({ ...planFinding(finding), ...(before ? { before } : {}) }));
  return {
    about: (item) => report(found.get(objectKey(resourceRef(item))) ?? []),
    others: (items) => {
      const keys = new Set([...items].map((item) => objectKey(resourceRef(item))));
      return [...found].filter(([key]) => !keys.has(key)).flatMap(([, states]) => report(states));
    },
    before: [...found.values()]
      .flat()
      .filter(({ finding, before }) => before && finding.accepted === undefined)
      .reduce((sum, { finding }) => sum + 1 + (finding.more ?? 0), 0),
  };
}

/** Findings of a row, ordered by rule. */
export function inOrderOfRules(findings: readonly PlanFinding[]): PlanFinding[] {
  return findings.toSorted((a, b) => compareBytes(a.id, b.id));
}

/** Findings with the worst first, because a report may cut the last ones. */
export function worstFirst(findings: readonly PlanFinding[]): PlanFinding[] {
  return findings.toSorted((a, b) => SEVERITIES[severityOf(a)].rank - SEVERITIES[severityOf(b)].rank);
}

/** The findings about refused sources that no row names. */
export function refusedAlone(refused: RefusedSources, named: ReadonlySet<Item>): PlanFinding[] {
  return [...refused].filter(([item]) => !named.has(item)).map(([, finding]) => planFinding(finding));
}

/** A finding without its location, because rows name their objects. */
export function planFinding(finding: Finding): PlanFinding {
  const { resource: _resource, field: _field, file: _file, place: _place, tags: _tags, ...data } = finding;
  return data;
}

/** The findings from reading files, with their locations, because no row names them. */
export function readingFindings(findings: readonly Finding[]): PlanFinding[] {
  return findings.map((finding) =>
    Object.assign(planFinding(finding), finding.place === undefined ? {} : { place: finding.place }),
  );
}

/** What reading both sides found, as reported: findings that the base has too only with `all`. */
export function reportedFound(
  { findings, before }: Readonly<Record<"findings" | "before", readonly Finding[]>>,
  all: boolean,
): { readonly findings: readonly PlanFinding[]; readonly before: number } {
  const known = all ? readingFindings(before).map((finding) => Object.assign(finding, { before: true as const })) : [];
  return {
    findings: [...readingFindings(findings), ...known],
    before: sumOf(before, ({ more = 0 }) => 1 + more),
  };
}
