/** Reads fields of parsed JSON and YAML, whose types nobody promises. */

function isRecord(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

/** Reads a field of something parsed; undefined where there is none. */
export function fieldAt(value: unknown, ...path: readonly string[]): unknown {
  let found = value;
  for (const name of path) {
    if (!isRecord(found)) return undefined;
    found = found[name];
  }
  return found;
}

/** The text at a path; the empty text where there is none. */
export function textAt(value: unknown, ...path: readonly string[]): string {
  const found = fieldAt(value, ...path);
  return typeof found === "string" ? found : "";
}

/** The number at a path; 0 where there is none, as the API leaves it out. */
export function numberAt(value: unknown, ...path: readonly string[]): number {
  const found = fieldAt(value, ...path);
  return typeof found === "number" ? found : 0;
}

/** The list at a path; empty where there is none. */
export function listAt(value: unknown, ...path: readonly string[]): readonly unknown[] {
  const found = fieldAt(value, ...path);
  return Array.isArray(found) ? found : [];
}

/** The map of texts at a path. */
export function textsAt(value: unknown, ...path: readonly string[]): Readonly<Record<string, string>> {
  const found = fieldAt(value, ...path);
  if (!isRecord(found)) return {};
  return Object.fromEntries(
    Object.entries(found).filter((entry): entry is [string, string] => typeof entry[1] === "string"),
  );
}
