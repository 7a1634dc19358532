import type { LintContext, LintedWorkload } from "../lint/context.ts";
import { lint, type Levels } from "../lint/lint.ts";
import type { Item } from "../manifest/items.ts";
import type { Action, PlanFinding } from "./plan-report.ts";
import { isRuleId, RULE_IDS, type RuleId } from "../findings/catalogue.ts";
import { atLeast, severityOf, type Finding } from "../findings/finding.ts";
import type { Level } from "../findings/severity.ts";
import { worded } from "../findings/words.ts";
import type { ResourceRef } from "../findings/names.ts";
import { resourceRef } from "../results/location.ts";
import { sightingsOf } from "../stamps/sightings.ts";
import type { RefusedSources } from "./refused-sources.ts";
import type { Side, SideWorkload } from "./side.ts";

/** The rules that tell of what an action does to the pods. */
const RULES_OF: Readonly<Record<Action, readonly RuleId[]>> = {
  Roll: ["RS004", "RS011"],
  NextRun: ["RS011"],
  NoEffect: ["RS005", "RS011"],
  Fail: ["RS011"],
  Create: ["RS011"],
  Delete: [],
  None: [],
};

function levelsOf(action: Action): Levels {
  const levels = new Map<RuleId, Level>();
  for (const id of RULE_IDS) if (!RULES_OF[action].includes(id)) levels.set(id, "off");
  // Whether an old apiVersion is still served is a matter of the cluster: a plan warns, lint fails.
  if (!levels.has("RS011")) levels.set("RS011", "warning");
  return levels;
}

/** The findings of a side by the object that they are about: info says nothing of a rollout. */
export type FindingsByObject = ReadonlyMap<string, readonly Finding[]>;

/** Indexes the findings of the head's analysis: missing sources, what peers' annotations lack. */
export function findingsByObject(head: Side): FindingsByObject {
  const index = new Map<string, Finding[]>();
  for (const finding of head.analysis.findings) {
    if (finding.resource === undefined || !atLeast(finding, "warning")) continue;
    const key = objectKey(finding.resource);
    const known = index.get(key);
    if (known === undefined) index.set(key, [finding]);
    else known.push(finding);
  }
  return index;
}

function objectKey({ apiVersion, kind, namespace = "", name }: ResourceRef): string {
  return `${apiVersion}\n${kind}\n${namespace}\n${name}`;
}

/** What is to be told of one workload, beside what it does. */
export function workloadFindings(
  head: Side,
  own: SideWorkload,
  action: Action,
  refused: readonly Finding[],
  known: FindingsByObject,
): PlanFinding[] {
  const { item } = own.workload;
  const linted =
    RULES_OF[action].length === 0 ? [] : lint(contextOf(head, own), levelsOf(action)).filter(({ id }) => isRuleId(id));
  const analysed = known.get(objectKey(resourceRef(item))) ?? [];
  return [...refused, ...linted, ...analysed].map(planFinding).sort((a, b) => (a.id < b.id ? -1 : a.id > b.id ? 1 : 0));
}

/** A context of one workload only: the rules that count here look at nothing else. */
function contextOf(head: Side, own: SideWorkload): LintContext {
  const { workload, decision } = own;
  const linted: LintedWorkload = {
    workload,
    decision,
    rollout: own.rollout(),
    templates: workload.templates.map((template, i) => {
      const decided = decision.templates[i] ?? { template, counted: [], leftOut: [] };
      return { template, seen: sightingsOf(decided, workload.namespace), desired: own.desired(template) };
    }),
  };
  return {
    items: [workload.item],
    sources: head.analysis.sources,
    workloads: [linted],
    spec: head.spec,
    hasHmacKey: false,
  };
}

/** The errors about objects that no row of the plan tells of. */
export function otherFindings(
  refused: RefusedSources,
  told: ReadonlySet<Item>,
  known: FindingsByObject,
): PlanFinding[] {
  const toldObjects = new Set([...told].map((item) => objectKey(resourceRef(item))));
  const errors = [...known]
    .filter(([key]) => !toldObjects.has(key))
    .flatMap(([, findings]) => findings.filter((finding) => severityOf(finding) === "error"));
  const unused = [...refused].filter(([item]) => !told.has(item)).map(([, finding]) => finding);
  return [...unused, ...errors].map(planFinding);
}

/** A finding as a plan has it. */
export function planFinding(finding: Finding): PlanFinding {
  const { remedy, ...told } = worded(finding);
  return { ...told, ...(remedy === undefined ? {} : { remedy }) };
}
