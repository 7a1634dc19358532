import { isObject, type Json } from "../manifest/node.ts";
import { type Change } from "../rollout/compare.ts";

/** What stands in place of a value that could be a secret. */
export const HIDDEN = "(hidden)";

// People write passwords into these: plain environment variables, command lines, headers of probes.
// Custom kinds have fields of the same names, and some that say what they hold.
const HIDDEN_FIELD = /^(?:value|command|args|env)$|password|passwd|secret|token|credential|private|api-?key/iu;
/** Fields that name a Secret, or a place in one, and hold none of it. */
const NAMING_FIELD = /(?:name|names|ref|refs|path|file|key)$/iu;

/** The two values of a change as they may be shown. */
export interface ShownValues {
  readonly from?: Json;
  readonly to?: Json;
  readonly hidden?: true;
}

/** Leaves out of a change what could be a secret, unless values were asked for. */
export function shownValues(change: Change, showValues: boolean): ShownValues {
  const { from, to, path } = change;
  if (showValues || change.order === true) return { from, to };
  // compare names an element by its place only in a list of objects: a text there is no field that anybody knows
  // (`env: ["PASSWORD=…"]`).
  if (/\[\d+\]$/u.test(path) && (couldBeSecret(from) || couldBeSecret(to))) return { hidden: true };
  const field = lastField(path);
  const isToleration = /(?:^|\.)tolerations\[\d+\]\.value$/u.test(path);
  if (field !== undefined && !isToleration && (isHidden(field, from) || isHidden(field, to))) return { hidden: true };
  const shown = { from: withoutValues(from), to: withoutValues(to) };
  return JSON.stringify(shown.from) === JSON.stringify(shown.to) ? { hidden: true } : shown;
}

/** The name of the field that a path leads to; undefined for the element of a list. */
function lastField(path: string): string | undefined {
  const bracket = path.endsWith('"]') ? path.indexOf('["') : -1;
  const inBrackets = bracket < 0 ? undefined : path.slice(bracket + 2, -2);
  return inBrackets ?? /(?:^|\.)([\w-]+)$/u.exec(path)?.[1];
}

function isHidden(field: string, value: Json): boolean {
  return couldBeSecret(value) && HIDDEN_FIELD.test(field) && !NAMING_FIELD.test(field);
}

/** A text, or a list that holds more than objects, whose fields are looked at one by one. */
function couldBeSecret(value: Json): boolean {
  return typeof value === "string" || (Array.isArray(value) && !value.every(isObject));
}

function withoutValues(value: Json): Json {
  if (Array.isArray(value)) return value.map(withoutValues);
  if (!isObject(value)) return value;
  return Object.fromEntries(
    Object.entries(value).map(([key, inner]) => [key, isHidden(key, inner) ? HIDDEN : withoutValues(inner)]),
  );
}
