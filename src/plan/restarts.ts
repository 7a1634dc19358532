import type { Item } from "../manifest/items.ts";
import type { Reason, RestartReason } from "./plan-report.ts";
import { RESTART_KEYS, restartFieldOf, restartFieldValue } from "../rollout/restart-fields.ts";

/** True for the annotations of a pod template that are there to restart it. */
export function isRestartKey(key: string): boolean {
  return RESTART_KEYS.includes(key);
}

/** The restarts that a template asks for and did not ask for before. */
export function restartReasons(from: ReadonlyMap<string, string>, to: ReadonlyMap<string, string>): RestartReason[] {
  return RESTART_KEYS.filter((key) => from.get(key) !== to.get(key)).map((key) => ({
    type: "Restart",
    from: from.get(key) ?? null,
    to: to.get(key) ?? null,
    field: key,
  }));
}

/** The restart that a custom kind's own field asks for. */
export function fieldRestarts(from: Item, to: Item): RestartReason[] {
  const row = restartFieldOf(to);
  if (row === undefined) return [];
  const before = restartFieldValue(from, row);
  const after = restartFieldValue(to, row);
  const text = (value: string | number | undefined): string | null => (value === undefined ? null : String(value));
  return before === after ? [] : [{ type: "Restart", from: text(before), to: text(after), field: row.field }];
}

/** True where nothing but such a field changes: its pods are then not replaced as for a changed template. */
export function isFieldRestart(item: Item, reasons: readonly Reason[]): boolean {
  const row = restartFieldOf(item);
  return row !== undefined && reasons.every((reason) => reason.type === "Restart" && reason.field === row.field);
}
