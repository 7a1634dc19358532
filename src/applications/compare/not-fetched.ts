import { objectKey } from "../../base/identity.ts";
import { changedPaths, controllerFields } from "../../reports/lint/rules/controller-fields.ts";
import type { Levels } from "../../reports/lint/lint.ts";
import { planFinding } from "../../reports/plan/plan-findings.ts";
import type { PlanFinding } from "../../reports/plan/plan-report.ts";
import { valueAt } from "../../yaml/read/json.ts";
import type { DefiningObject } from "../discover/objects.ts";
import type { AppPair } from "./application-pairs.ts";
import { leftOutOf } from "./left-out.ts";
import type { Rendered } from "./rendering.ts";

/** Both renderings of an application. */
export type Renderings = Readonly<Record<"base" | "head", Rendered>>;

/**
 * Whether the renderings of an application tell nothing about its change: one of them lacks a part that the other one
 * may have, or the rest of one can't be rendered.
 */
export function isIncomparable({ base, head }: Pick<AppPair, "base" | "head">, rendered: Renderings): boolean {
  if (base === undefined || head === undefined || base.key === head.key) return false;
  const sides = [rendered.base, rendered.head];
  if (sides.some((side) => "text" in side && side.isCut === true)) return true;
  return leftOutOf(rendered.base).length > 0 !== leftOutOf(rendered.head).length > 0;
}

/** RS024 if the change touches what an application is rendered without. */
export function notFetched(
  { application, base, head }: AppPair,
  rendered: Renderings,
  levels: Levels,
): readonly PlanFinding[] {
  const level = levels.get("RS024");
  const sides = { base: leftOutOf(rendered.base), head: leftOutOf(rendered.head) };
  const known = { base: new Set(sides.base.map(({ id }) => id)), head: new Set(sides.head.map(({ id }) => id)) };
  const isCut = isIncomparable({ base, head }, rendered);
  const touched = {
    base: sides.base.filter(({ id }) => isCut || !known.head.has(id)),
    head: sides.head.filter(({ id }) => isCut || !known.base.has(id)),
  };
  const parts = touched.head.length > 0 ? touched.head : touched.base;
  const [object] = (head ?? base)?.application.objects ?? [];
  const isIgnored = object?.ignored?.includes("RS024") === true;
  if (parts.length === 0 || level === "off" || isIgnored) return [];
  const change = base === undefined ? "added" : head === undefined ? "removed" : "changed";
  const finding = planFinding({
    id: "RS024",
    cause: "notFetched",
    params: {
      application: application.name,
      object: object && { kind: object.kind, namespace: object.namespace, name: object.name },
      change,
      changed: change === "changed" ? changedIn(base?.application.objects ?? [], head?.application.objects ?? []) : [],
      parts: parts.map(({ is, name, problem }) => ({ is, name, ...(problem === undefined ? {} : { problem }) })),
    },
    ...(level === undefined ? {} : { severityOverride: level }),
  });
  return [{ ...finding, application: application.name }];
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
