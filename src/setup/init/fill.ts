import { TEMPLATES } from "./templates.js";

// Templates are files in templates/. A placeholder is `__NAME__`. Alone on a line it becomes any number of lines with the
// same indentation.

/** The first line of a file that `init` made: `init` keeps such a file up to date. */
export const MADE_BY = "# Made by: rollstamp init";

/** What the placeholders of a template become, by their names. */
export type Fillings = Readonly<Record<string, string | readonly string[]>>;

/** A template with its placeholders filled in. */
export function filledText(path: string, fillings: Fillings = {}): string {
  const template = TEMPLATES[path];
  if (template === undefined) throw new Error(`templates/${path} does not exist`);
  const fillingOf = (name: string): string | readonly string[] => {
    const filling = fillings[name];
    if (filling === undefined) throw new Error(`nothing to fill in for __${name}__`);
    return filling;
  };
  return template.replace(
    /^([ \t]*)__([A-Z_]+)__\n|__([A-Z]+(?:_[A-Z]+)*)__/gmu,
    (_match, indent: string, alone: string | undefined, name: string) => {
      if (alone === undefined) return String(fillingOf(name));
      const lines = [fillingOf(alone)].flat();
      return lines.map((line) => (line === "" ? "\n" : `${indent}${line}\n`)).join("");
    },
  );
}

/** A template as lines. */
export function filledLines(path: string, fillings: Fillings = {}): string[] {
  return filledText(path, fillings).trimEnd().split("\n");
}
