import { namedRow, type NamedRow } from "./plan-names.ts";
import { counted, pluralize } from "../base/words.ts";
import type { PlanReport } from "../reports/plan/plan-report.ts";
import type { PlannedWorkload } from "../reports/plan/planned-workload.ts";
import type { Places } from "../reports/plan/rows/names.ts";
import type { RowCause } from "../reports/plan/rows/row-causes.ts";
import type { ChangeRow, ObjectRow, ReportRow } from "../reports/plan/rows/row-types.ts";
import { code, joined, labelled, paragraph } from "./document/blocks.ts";
import type { Block, LabelledLine, Words, Row } from "./document/document.ts";
import { causeLine } from "./plan-causes.ts";
import type { PlanFacets } from "./plan-facets.ts";
import type { FixContext } from "./plan-fixes.ts";
import { labelWord, signOf, toneOf } from "./plan-labels.ts";

// What all rows of a plan have in common.

/** How much of what is alike a report has. */
export interface Most {
  /** Names of one kind in a routine row. */
  readonly names: number;
  readonly routine: number;
  /** Rows of other objects. */
  readonly others: number;
  /** Causes of one row. */
  readonly causes: number;
  /** Findings of one rule that are no part of the verdict. */
  readonly findings: number;
}

export interface RowContext extends FixContext {
  readonly places: Places;
  readonly most: Most;
  readonly facets: PlanFacets;
  readonly report: PlanReport;
}

/** The label of a row, with its level. */
export function headOf({ label, level }: Pick<ReportRow, "label" | "level">): Pick<Row, "label" | "tone" | "sign"> {
  return { label: labelWord(label), tone: toneOf(level), sign: signOf(label, level) };
}

/** Why a row is grey. */
export function acceptedBlock(reason: string, rule: Words): Block {
  return paragraph(["Accepted: ", reason, ...rule]);
}

/** Names of a routine row may be cut; those of other rows are all there. */
export function mostNames({ level }: Pick<ReportRow, "level">, { most }: RowContext): number {
  return level === "ok" || level === undefined ? most.names : Infinity;
}

/** Why things of a row change. */
export function causeBlocks(
  causes: readonly RowCause[],
  { most }: RowContext,
  workloads: readonly PlannedWorkload[] = [],
): readonly Block[] {
  return causes.length === 0 ? [] : [labelled("Cause", causeLines(causes, most.causes, workloads))];
}

/** The first causes of workloads, which may have others, and how many more there are. */
export function causeLines(
  causes: readonly RowCause[],
  most: number,
  workloads: readonly PlannedWorkload[],
): readonly LabelledLine[] {
  const more = causes.length - most;
  const isStampAlone =
    causes.every((cause) => cause.is === "reason" && cause.reason.type === "FirstStamp") &&
    !workloads.some(({ reasons }) => reasons.some(({ type }) => type === "Source"));
  return [
    ...causes.slice(0, most).map((cause) => causeLine(cause, isStampAlone)),
    ...(more > 0 ? [{ words: [`and ${counted(more, "more change")}`] }] : []),
  ];
}

/** The names of a row. */
export function namesBlocks({ lists }: NamedRow, most: number): readonly Block[] {
  if (lists.length === 0) return [];
  const more = (names: number, objects: number): Words => [
    names === objects
      ? `and ${counted(objects, "more workload")} (--all shows them)`
      : `and ${counted(names, "more name")} (${counted(objects, "workload")}; --all shows them)`,
  ];
  return [{ is: "names", lists, ...(most === Infinity ? {} : { most, more }) }];
}

/** The objects of a row: named in its line if they are few, else counted there and named below it. */
export function objectParts(
  given: ObjectRow | ChangeRow,
  context: RowContext,
): { readonly head: Omit<Row, "is" | "blocks">; readonly names: readonly Block[] } {
  const { objects } = given;
  const named = namedRow(objects, context.places, context.facets.ofObjects);
  const { title } = named;
  return {
    head: {
      ...headOf(given),
      ...(title === undefined ? { words: [], size: counted(objects.length, "object") } : { words: title }),
      facets: { ...context.facets.ofRow(given), ...context.facets.ofObjects(objects) },
    },
    names: title === undefined ? namesBlocks(named, mostNames(given, context)) : [],
  };
}

/** The plural of a kind: `Ingresses`, `NetworkPolicies`. */
export function pluralOf(kind: string): string {
  if (/(?:s|x|ch)$/u.test(kind)) return `${kind}es`;
  return kind.endsWith("y") ? `${kind.slice(0, -1)}ies` : `${kind}s`;
}

/** The applications among the given ones that Flux's kustomize-controller applies. */
function fluxOf(
  things: readonly { readonly application?: string }[],
  { report: { applications = [] } }: RowContext,
): ReadonlySet<string> {
  const flux = new Set(applications.flatMap(({ name, foundBy }) => (foundBy === "FluxKustomization" ? [name] : [])));
  return new Set(things.flatMap(({ application = "" }) => (flux.has(application) ? [application] : [])));
}

/** Whether Flux applies all of these. */
export function areOfFlux(things: readonly { readonly application?: string }[], context: RowContext): boolean {
  const flux = fluxOf(things, context);
  return things.every(({ application = "" }) => flux.has(application));
}

// A row is of all applications in which the same is refused, and names them already.
const MOST_APPLICATIONS = 5;

/**
 * What else a refused object keeps from being applied. kustomize-controller has the API server check all objects before it
 * applies one, and prunes after that (fluxcd/pkg: ApplyAll in ssa/manager_apply.go).
 */
export function heldByRefusal(
  things: readonly { readonly application?: string }[],
  context: RowContext,
): readonly Block[] {
  const names = [...fluxOf(things, context)].map((name) => [code(name)]);
  const more = names.length - MOST_APPLICATIONS;
  return names.length === 0
    ? []
    : [
        paragraph([
          "Until this is fixed, Flux applies nothing of ",
          ...joined(names.slice(0, MOST_APPLICATIONS)),
          `${more > 0 ? ` and ${counted(more, "more application")}` : ""}: ${pluralize(names.length, "its", "their")} other changes below wait`,
        ]),
      ];
}
