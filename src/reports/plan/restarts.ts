import { parseTime } from "../../base/times.ts";
import { HIDDEN } from "./hidden-values.ts";
import type { Item } from "../../yaml/read/items.ts";
import type { Reason, RestartReason } from "./plan-reasons.ts";
import { RESTART_KEYS, restartFieldOf, restartFieldValue } from "../../kubernetes/rollout/restart-fields.ts";

/** The restarts that a template newly requests. */
export function restartReasons(from: ReadonlyMap<string, string>, to: ReadonlyMap<string, string>): RestartReason[] {
  return RESTART_KEYS.filter((key) => from.get(key) !== to.get(key)).map((key) => ({
    type: "Restart",
    from: shownMoment(from.get(key)),
    to: shownMoment(to.get(key)),
    field: key,
  }));
}

/** A time, or a number of restarts; anything else is hidden. */
function shownMoment(value: string | number | undefined): string | null {
  if (value === undefined) return null;
  const text = String(value);
  return parseTime(text) !== undefined || /^\d{1,19}$/u.test(text) ? text : HIDDEN;
}

/** The restart that a field of a custom kind requests. */
export function fieldRestarts(from: Item, to: Item): RestartReason[] {
  const row = restartFieldOf(to);
  if (row === undefined) return [];
  const before = restartFieldValue(from, row);
  const after = restartFieldValue(to, row);
  if (before === after) return [];
  return [{ type: "Restart", from: shownMoment(before), to: shownMoment(after), field: row.field }];
}

/** True if only such a field changes: pods are then not replaced as for a changed template. */
export function isFieldRestart(item: Item, reasons: readonly Reason[]): boolean {
  const row = restartFieldOf(item);
  if (row === undefined || reasons.length === 0) return false;
  return reasons.every((reason) => reason.type === "Restart" && reason.field === row.field);
}
