import { failureOf } from "../../base/alike.ts";
import { objectKey } from "../../base/identity.ts";
import type { OutsidePart } from "../../base/outside.ts";
import type { SourceName } from "../../base/names.ts";
import type { Finding } from "../../findings/catalogue/finding.ts";
import { changedPaths, controllerFields } from "../../reports/lint/rules/controller-fields.ts";
import type { Levels } from "../../reports/lint/lint.ts";
import type { PlanFinding } from "../../reports/plan/planned-workload.ts";
import { valueAt } from "../../yaml/read/json.ts";
import { revisionsMoved } from "../discover/source-revisions.ts";
import type { NotFound } from "../discover/not-found.ts";
import type { DefiningObject } from "../discover/objects.ts";
import { variableObjects } from "../render/flux-variables.ts";
import type { AppPair } from "./pairs.ts";
import type { Step } from "./deployed-parts.ts";
import { isNothing, leftOutOf } from "./left-out.ts";
import type { Rendered } from "./rendering.ts";

export type Renderings = Readonly<Record<"base" | "head", Rendered>>;

/**
 * Whether the renderings of an application do not show its change: one of them lacks a part that the other one
 * may have, or the rest of one can't be rendered.
 */
export function isIncomparable({ base, head, unreadable }: AppPair, rendered: Renderings): boolean {
  if (unreadable === undefined && (base === undefined || head === undefined || base.key === head.key)) return false;
  if ("error" in rendered.base || "error" in rendered.head) return false;
  if (rendered.base.isCut === true || rendered.head.isCut === true) return true;
  return leftOutOf(rendered.base).length > 0 !== leftOutOf(rendered.head).length > 0;
}

/** RS024 for an application that changes to another revision of the repository: neither is rendered here. */
export function otherRevisions(pair: Step, levels: Levels): readonly PlanFinding[] | undefined {
  const moved = revisionsMoved(pair.base?.application, pair.head?.application);
  if (moved === undefined) return undefined;
  const name = [moved.from, moved.to].map((revisions) => revisions.join(", ")).join(" and ");
  return unrendered(pair, levels, outside(pair, [{ is: "revision", name }]));
}

/** RS024 for an application whose command changes: only that of the base is run. */
export function otherCommand(pair: Step, levels: Levels): readonly PlanFinding[] {
  const [from, to] = [pair.base, pair.head].map((side) => side?.application.render);
  if (from?.by !== "command" || to?.by !== "command" || from.command === to.command) return [];
  return unrendered(pair, levels, outside(pair, [{ is: "command", name: pair.application.name }]));
}

/** RS024 if the change touches what an application is rendered without. */
export function notFetched(pair: Step, rendered: Renderings, levels: Levels): readonly PlanFinding[] {
  const sides = { base: leftOutOf(rendered.base), head: leftOutOf(rendered.head) };
  const known = { base: new Set(sides.base.map(({ id }) => id)), head: new Set(sides.head.map(({ id }) => id)) };
  const isCut = isIncomparable(pair, rendered);
  const touched = {
    base: sides.base.filter(({ id }) => isCut || !known.head.has(id)),
    head: sides.head.filter(({ id }) => isCut || !known.base.has(id)),
  };
  const parts = touched.head.length > 0 ? touched.head : touched.base;
  if (parts.length === 0) return [];
  const found = unrendered(pair, levels, outside(pair, parts.map(outsidePart)));
  return touchesHead(rendered) ? found : found.map((finding) => ({ ...finding, isOfBase: true }));
}

/**
 * RS024 for changed sources that nothing in a rendering uses, but that its missing parts may use. None if the change affects
 * these parts: then `notFetched` reports them.
 */
export function unknownUses(
  pair: Step,
  rendered: Renderings,
  unused: () => readonly SourceName[],
  levels: Levels,
): readonly PlanFinding[] {
  const missing = leftOutOf(rendered.head);
  if (missing.length === 0 || notFetched(pair, rendered, levels).length > 0) return [];
  const sources = unused();
  if (sources.length === 0) return [];
  const params = { application: pair.application.name, sources, parts: missing.map(outsidePart) };
  return unrendered(pair, levels, { id: "RS024", cause: "unknownUses", params });
}

function outsidePart({ is, name, problem }: OutsidePart): OutsidePart {
  return { is, name, ...(problem === undefined ? {} : { problem }) };
}

function outside(pair: Step, parts: readonly OutsidePart[]): Finding<"RS024"> {
  const { application, base, head } = pair;
  const [object] = (head ?? base)?.application.objects ?? [];
  const change = changeOf(pair);
  return {
    id: "RS024",
    cause: "notFetched",
    params: {
      application: application.name,
      object: object && { kind: object.kind, namespace: object.namespace, name: object.name },
      change,
      changed: change === "changed" ? changedIn(base?.application.objects ?? [], head?.application.objects ?? []) : [],
      parts,
    },
  };
}

/** Whether the head lacks something that the base has, or something of its own changed. */
function touchesHead({ base, head }: Renderings): boolean {
  if ("text" in head && (head.isCut === true || isNothing(head))) return true;
  const known = new Set(leftOutOf(base).map(({ id, ownId = id }) => ownId));
  return leftOutOf(head).some(({ id, ownId = id }) => !known.has(ownId));
}

/** RS024 for an application that several objects define. */
export function definedTwice({ path, name = path }: NotFound): Finding<"RS024"> {
  const parts = [{ is: "duplicate", name } as const];
  const params = { application: name, object: undefined, change: "changed", changed: [], parts } as const;
  return { id: "RS024", cause: "notFetched", params };
}

/**
 * RS024 for a chart that no object names, or that such a chart creates, and that the base can't render because whoever installs it
 * gives it values, which are outside of the repository. Undefined for any other failure, also of the head.
 */
export function needsValues(pair: AppPair, rendered: Renderings, levels: Levels): readonly PlanFinding[] | undefined {
  const { base, head } = rendered;
  const isWithoutValues = pair.base?.application.foundBy === "Chart" || pair.shownByChart !== undefined;
  if (!isWithoutValues || !("error" in base) || base.error.needsValues === undefined) return undefined;
  if ("error" in head && head.error.needsValues !== base.error.needsValues) return undefined;
  const { name, path } = pair.application;
  const params = { application: name, path, problem: failureOf(base.error).message, ...shownBy(pair) };
  const found = unrendered(pair, levels, { id: "RS024", cause: "needsValues", params });
  return "error" in head ? found : found.map((finding) => ({ ...finding, isOfBase: true }));
}

/** The chart whose values decide, for a finding. */
export function shownBy({ shownByChart }: AppPair): { readonly shownBy?: string } {
  return shownByChart === undefined ? {} : { shownBy: shownByChart };
}

/**
 * RS024 for a Flux Kustomization whose variables come from an object that the change removes, or that does not exist and
 * replaces one that did: Flux reports an error and applies nothing of the Kustomization.
 */
export function lostVariables(pair: AppPair, levels: Levels): readonly PlanFinding[] | undefined {
  const { base, head } = pair;
  const [before, after] = [variablesFrom(base), variablesFrom(head)];
  const absent = absentIn(base);
  const known = new Set(before.filter((object) => !absent.has(object)));
  const isReplaced = before.length === after.length && [...known].some((object) => !after.includes(object));
  const lost = [...absentIn(head)].filter(
    (object) => known.has(object) || (isReplaced && after.includes(object) && !before.includes(object)),
  );
  if (lost.length === 0) return undefined;
  return unrendered(
    pair,
    levels,
    outside(
      pair,
      lost.map((name) => ({ is: "data", name })),
    ),
  );
}

function variablesFrom(side: AppPair["base"]): readonly string[] {
  const render = side?.application.render;
  return render?.by === "kustomize" && render.flux !== undefined ? variableObjects(render.flux) : [];
}

function absentIn(side: AppPair["base"]): ReadonlySet<string> {
  const { unknownValues = [] } = side?.renderable.is === "steps" ? side.renderable : {};
  return new Set(unknownValues.flatMap(({ object, isAbsent }) => (isAbsent === true ? [object] : [])));
}

function changeOf({ base, head, unreadable, replaced }: Step): "added" | "changed" | "removed" {
  if (unreadable !== undefined || replaced !== undefined) return "changed";
  return base === undefined ? "added" : head === undefined ? "removed" : "changed";
}

/** The finding of an application with the configured level; none if its object ignores the rule. */
export function unrendered(
  { application, base, head }: AppPair,
  levels: Levels,
  finding: Finding<"RS024">,
): readonly PlanFinding[] {
  const [object] = (head ?? base)?.application.objects ?? [];
  if (object?.ignored?.includes("RS024") === true) return [];
  return atLevel([finding], levels).map((leveled) => ({ ...leveled, application: application.name }));
}

/** Findings with the configured level. */
export function atLevel(findings: readonly Finding<"RS024">[], levels: Levels): readonly PlanFinding[] {
  const level = levels.get("RS024");
  if (level === "off") return [];
  return findings.map((one) => ({ ...one, ...(level === undefined ? {} : { severityOverride: level }) }));
}

/** The fields in which the objects that define an application differ. */
function changedIn(before: readonly DefiningObject[], after: readonly DefiningObject[]): readonly string[] {
  const old = new Map(before.map((object) => [objectKey(object), object]));
  return after.flatMap((object, i) => {
    const was = i === 0 ? before[0] : old.get(objectKey(object));
    if (was === undefined) return [];
    const valueIn = (one: DefiningObject) => (field: string) => valueAt({ spec: one.spec }, field.split("."));
    const paths = changedPaths(controllerFields(object), valueIn(was), valueIn(object));
    return i === 0 ? paths : paths.map((path) => `${object.kind} ${object.name}: ${path}`);
  });
}
