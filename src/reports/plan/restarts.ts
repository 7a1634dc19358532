import { parseTime } from "../../base/times.ts";
import { HIDDEN } from "./hidden-values.ts";
import type { Item } from "../../yaml/read/items.ts";
import type { Reason, RestartReason } from "./plan-reasons.ts";
import { RESTART_KEYS, restartFieldOf, restartFieldValue } from "../../kubernetes/rollout/restart-fields.ts";

/** The restarts that a template asks for and did not ask for before. */
export function restartReasons(from: ReadonlyMap<string, string>, to: ReadonlyMap<string, string>): RestartReason[] {
  return RESTART_KEYS.filter((key) => from.get(key) !== to.get(key)).map((key) => ({
    type: "Restart",
    from: shownMoment(from.get(key)),
    to: shownMoment(to.get(key)),
    field: key,
  }));
}

/** A moment, or a count of restarts; what is neither could be anything. */
function shownMoment(value: string | number | undefined): string | null {
  if (value === undefined) return null;
  const text = String(value);
  return parseTime(text) !== undefined || /^\d{1,19}$/u.test(text) ? text : HIDDEN;
}

/** The restart that a custom kind's own field asks for. */
export function fieldRestarts(from: Item, to: Item): RestartReason[] {
  const row = restartFieldOf(to);
  if (row === undefined) return [];
  const before = restartFieldValue(from, row);
  const after = restartFieldValue(to, row);
  if (before === after) return [];
  return [{ type: "Restart", from: shownMoment(before), to: shownMoment(after), field: row.field }];
}

/** True where such a field changes and nothing else: its pods are then not replaced as for a changed template. */
export function isFieldRestart(item: Item, reasons: readonly Reason[]): boolean {
  const row = restartFieldOf(item);
  if (row === undefined || reasons.length === 0) return false;
  return reasons.every((reason) => reason.type === "Restart" && reason.field === row.field);
}
