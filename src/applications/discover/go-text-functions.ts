import { int, limited, list, repeated, strings, text, type Functions } from "./go-arguments.ts";
import { formatted } from "./go-printf.ts";
import { inside, sanitizedName, wrong, type Value } from "./go-values.ts";

const given = (values: readonly Value[]): Value[] => values.filter((value) => value !== undefined && value !== null);

/** Of text/template, sprig and Argo CD: what makes texts of texts. */
export const TEXT_FUNCTIONS: Functions = {
  // Between two that are both no texts is a space.
  print: (...values) =>
    values
      .map((value, i) =>
        i > 0 && typeof value !== "string" && typeof values[i - 1] !== "string" ? ` ${inside(value)}` : inside(value),
      )
      .join(""),
  println: (...values) => `${values.map(inside).join(" ")}\n`,
  printf: (format, ...values) => limited(formatted(text(format), values)),
  lower: (value) => text(value).toLowerCase(),
  upper: (value) => text(value).toUpperCase(),
  title: (value) =>
    text(value).replace(/(^|\s)(\S)/gu, (_, before: string, letter: string) => before + letter.toUpperCase()),
  untitle: (value) =>
    text(value).replace(/(^|\s)(\S)/gu, (_, before: string, letter: string) => before + letter.toLowerCase()),
  trim: (value) => text(value).trim(),
  trimAll: (set, value) => trimmed(text(value), text(set)),
  trimall: (set, value) => trimmed(text(value), text(set)),
  trimPrefix: (prefix, value) =>
    text(value).startsWith(text(prefix)) ? text(value).slice(text(prefix).length) : text(value),
  trimSuffix: (suffix, value) =>
    text(suffix) !== "" && text(value).endsWith(text(suffix))
      ? text(value).slice(0, -text(suffix).length)
      : text(value),
  nospace: (value) => text(value).replace(/\s/gu, ""),
  replace: (old, by, value) => limited(text(value).replaceAll(text(old), () => text(by))),
  contains: (part, value) => text(value).includes(text(part)),
  hasPrefix: (prefix, value) => text(value).startsWith(text(prefix)),
  hasSuffix: (suffix, value) => text(value).endsWith(text(suffix)),
  quote: (...values) =>
    given(values)
      .map((value) => JSON.stringify(inside(value)))
      .join(" "),
  squote: (...values) =>
    given(values)
      .map((value) => `'${inside(value)}'`)
      .join(" "),
  cat: (...values) => given(values).map(inside).join(" "),
  repeat: (count, value) => repeated(int(count), text(value)),
  trunc: (count, value) => (int(count) < 0 ? text(value).slice(int(count)) : text(value).slice(0, int(count))),
  substr: (from, to, value) => {
    const [start, end] = [int(from), int(to)];
    if (start < 0) return text(value).slice(0, end);
    return text(value).slice(start, end < 0 ? undefined : end);
  },
  indent: (count, value) => limited(indented(int(count), text(value))),
  nindent: (count, value) => limited(`\n${indented(int(count), text(value))}`),
  splitList: (separator, value) => text(value).split(text(separator)),
  split: (separator, value) =>
    Object.fromEntries(
      text(value)
        .split(text(separator))
        .map((part, i) => [`_${i}`, part]),
    ),
  join: (separator, value) => limited(strings(value).join(text(separator))),
  toString: (value: Value) => inside(value),
  toStrings: (value) => list(value).map(inside),
  sortAlpha: (value) => strings(value).sort(),
  b64enc: (value) => Buffer.from(text(value), "utf8").toString("base64"),
  b64dec: (value) => Buffer.from(text(value), "base64").toString("utf8"),
  normalize: (value) => sanitizedName(text(value)),
  slugify: (...values) => slug(values),
};

/** Argo CD's SlugifyName over gosimple/slug: the longest there may be, whether only whole words stay, the text. */
function slug(values: readonly Value[]): string {
  const name = text(values.at(-1) ?? "");
  const longest = values.length > 1 ? int(values[0]) : 50;
  const wholeWords = values.length > 2 ? values[1] : true;
  if (typeof wholeWords !== "boolean") throw wrong("gives slugify something else than true or false");
  let made = sanitizedName(name);
  if (!wholeWords && made.length >= longest) {
    if (longest < 0) throw wrong("gives slugify a length below 0");
    made = made.slice(0, longest);
  }
  made = made
    .replace(/[^a-z0-9_-]/gu, "-")
    .replace(/-+/gu, "-")
    .replace(/^-|-$/gu, "");
  if (longest <= 0 || !wholeWords || made.length <= longest) return made;
  const end = made.lastIndexOf("-", longest);
  return made.slice(0, end < 0 ? longest : end);
}

function trimmed(value: string, set: string): string {
  let from = 0;
  let to = value.length;
  while (from < to && set.includes(value[from] ?? "")) from += 1;
  while (to > from && set.includes(value[to - 1] ?? "")) to -= 1;
  return value.slice(from, to);
}

function indented(count: number, value: string): string {
  const before = " ".repeat(Math.min(Math.max(0, count), 1000));
  return before + value.replaceAll("\n", () => `\n${before}`);
}
