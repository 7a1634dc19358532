import type { Item } from "../manifest/items.ts";
import type { RestartReason } from "./plan-report.ts";
import { RESTART_KEYS, restartFieldOf, restartFieldValue } from "../restart/restart-fields.ts";

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

/** How pods are replaced where nothing but such a field changes: not as a changed template would. */
export function howFieldRestarts(item: Item, fields: readonly string[]): string | undefined {
  const row = restartFieldOf(item);
  return row !== undefined && fields.every((field) => field === row.field) ? row.how : undefined;
}
