import { parse } from "yaml";
import type { Value } from "./yaml-insert.ts";
import { TEMPLATES } from "./templates.js";

// Templates are files in templates/. A placeholder is `__NAME__`. Alone on a line it becomes any number of lines with the
// same indentation, and as an item of a list any number of items.

/** The first line of a file that `init` made: `init` keeps such a file up to date. */
export const MADE_BY = "# Made by: rollstamp init";

/** What the placeholders of a template become, by their names. */
export type Fillings = Readonly<Record<string, string | number | readonly string[]>>;

/** A template as text, with its placeholders filled in. */
export function filledText(path: string, fillings: Fillings): string {
  return fillText(textOf(path), fillings);
}

/** A template as lines. */
export function filledLines(path: string, fillings: Fillings = {}): string[] {
  return filledText(path, fillings).trimEnd().split("\n");
}

/**
 * A YAML template as data, with its placeholders filled in: for a file of the user, whose style the printed lines follow.
 * It is parsed before it is filled in, so that no path of the repository is taken for YAML.
 */
export function filledData(path: string, fillings: Fillings): Value {
  const data: Value = parse(textOf(path));
  return fillData(data, fillings);
}

function textOf(path: string): string {
  const text = TEMPLATES[path];
  if (text === undefined) throw new Error(`templates/${path} does not exist`);
  return text;
}

function fillText(text: string, fillings: Fillings): string {
  return text.replace(
    /^([ \t]*)__([A-Z_]+)__\n|__([A-Z]+(?:_[A-Z]+)*)__/gmu,
    (_match, indent: string, alone: string | undefined, name: string) => {
      if (alone === undefined) return String(fillingOf(name, fillings));
      const lines = [fillingOf(alone, fillings)].flat().map(String);
      return lines.map((line) => (line === "" ? "\n" : `${indent}${line}\n`)).join("");
    },
  );
}

function fillData(value: Value, fillings: Fillings): Value {
  if (typeof value === "string") {
    const [, name] = /^__([A-Z_]+)__$/u.exec(value) ?? [];
    return name === undefined ? fillText(value, fillings) : fillingOf(name, fillings);
  }
  if (Array.isArray(value)) return value.flatMap((item: Value) => fillData(item, fillings));
  if (typeof value !== "object") return value;
  return Object.fromEntries(Object.entries(value).map(([key, inner]) => [key, fillData(inner, fillings)]));
}

function fillingOf(name: string, fillings: Fillings): Fillings[string] {
  const filling = fillings[name];
  if (filling === undefined) throw new Error(`nothing to fill in for __${name}__`);
  return filling;
}
