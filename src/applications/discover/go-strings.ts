import { booleanArg, intArg, stringArg } from "./go-arguments.ts";
import { writeYaml } from "./go-formats.ts";
import { invalid, jsonOf, sanitizedName, type Value } from "./go-values.ts";

// The functions of templates that make strings, within a limit.

const LONGEST = 1 << 16;

export function refuseLonger(length: number): void {
  if (length > LONGEST) throw invalid("makes a string of more than 64 KiB");
}

export function replaced(value: string, old: string, by: string): string {
  // Before the work, not after it: an empty `old` matches between all characters.
  if ((value.length + 1) * (by.length + 1) > LONGEST * 16) throw invalid("makes a string of more than 64 KiB");
  return value.replaceAll(old, () => by);
}

export function trimmed(value: string, set: string): string {
  const removed = new Set(set);
  const characters = [...value];
  const from = characters.findIndex((one) => !removed.has(one));
  const to = characters.findLastIndex((one) => !removed.has(one));
  return from < 0 ? "" : characters.slice(from, to + 1).join("");
}

export function yamlText(value: Value): string {
  const parts: string[] = [];
  let length = 0;
  writeYaml((part) => {
    length += part.length;
    refuseLonger(length);
    parts.push(part);
  }, jsonOf(value));
  return parts.join("");
}

export function indented(count: number, value: string): string {
  const indent = " ".repeat(Math.min(Math.max(0, count), 1000));
  return indent + replaced(value, "\n", `\n${indent}`);
}

/** Argo CD's SlugifyName (gosimple/slug). Arguments: the maximum length, whether words stay whole, the string. */
export function slug(values: readonly Value[]): string {
  const name = stringArg(values.at(-1) ?? "");
  const longest = values.length > 1 ? intArg(values[0]) : 50;
  const keepsWords = values.length > 2 ? booleanArg(values[1]) : true;
  let made = sanitizedName(name);
  if (!keepsWords && made.length >= longest) {
    if (longest < 0) throw invalid("passes a negative length to slugify");
    made = made.slice(0, longest);
  }
  made = made
    .replace(/[^a-z0-9_-]/gu, "-")
    .replace(/-+/gu, "-")
    .replace(/^-|-$/gu, "");
  if (longest <= 0 || !keepsWords || made.length <= longest) return made;
  const end = made.lastIndexOf("-", longest);
  return made.slice(0, end < 0 ? longest : end);
}
