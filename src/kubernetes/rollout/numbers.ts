import type { Item } from "../../yaml/read/items.ts";
import { appliedJson } from "../../yaml/read/kubectl-view.ts";
import { get, getPath, kindOf, stringOf } from "../../yaml/read/node.ts";

/** A number of pods or a percentage, as written; undefined if absent. */
export function countAt(item: Item, mapping: number, key: string): IntOrPercent | undefined {
  const node = get(item.tree, mapping, key);
  return stringOf(item.tree, node) ?? numberOf(item, node);
}

/** The number at a path of an object; undefined if there is none. */
export function numberAt(item: Item, path: readonly string[], from: number = item.node): number | undefined {
  return numberOf(item, getPath(item.tree, from, path));
}

function numberOf(item: Item, node: number): number | undefined {
  const kind = kindOf(item.tree, node);
  if (kind === "mapping" || kind === "sequence") return undefined;
  const value = appliedJson(item.tree, node);
  return typeof value === "number" ? value : undefined;
}

/** A number of pods as in manifests: a number or a string such as "25%". */
export type IntOrPercent = number | string;

const PERCENT = /^(\d+)%$/u;

/** Why the API server rejects a count; undefined if it does not. */
export function countProblem(value: IntOrPercent, limit?: "100%"): string | undefined {
  if (typeof value === "number") return Number.isInteger(value) && value >= 0 ? undefined : "must be a whole number";
  const percent = percentOf(value);
  if (percent === undefined) return "must be a whole number or a percentage such as 25%";
  return limit !== undefined && percent > 100 ? "must not be more than 100%" : undefined;
}

/** Whether a count is zero as written. */
export function isZero(value: IntOrPercent): boolean {
  return (typeof value === "number" ? value : percentOf(value)) === 0;
}

/** The pods that a count means among `total` (apimachinery pkg/util/intstr, GetScaledValueFromIntOrPercent). */
export function scaled(value: IntOrPercent, total: number, rounding: "up" | "down"): number {
  if (typeof value === "number") return value;
  const exact = ((percentOf(value) ?? 0) * total) / 100;
  return rounding === "up" ? Math.ceil(exact) : Math.floor(exact);
}

function percentOf(value: string): number | undefined {
  const digits = PERCENT.exec(value)?.[1];
  return digits === undefined ? undefined : Number(digits);
}
