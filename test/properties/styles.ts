import fc from "fast-check";

/**
 * A printer of plain data as YAML in every style that manifests are written in: block and flow,
 * all quotes, block scalars, comments, odd spacing, any indentation. What it prints means the same
 * whatever the style, so properties can vary the style and nothing else.
 */
export interface Style {
  /** Draws a number from 0 to n-1. */
  readonly pick: (n: number) => number;
}

export type Data = null | boolean | number | string | readonly Data[] | { readonly [key: string]: Data };

/** A style from a seed: the same seed produces the same text. */
export function styleOf(seed: number): Style {
  let state = seed >>> 0;
  return {
    pick: (n) => {
      // Mulberry32: a short generator is enough, fast-check provides the seeds.
      state = (state + 0x6d2b79f5) >>> 0;
      let t = Math.imul(state ^ (state >>> 15), 1 | state);
      t = (t + Math.imul(t ^ (t >>> 7), 61 | t)) ^ t;
      return ((t ^ (t >>> 14)) >>> 0) % n;
    },
  };
}

/** Prints documents as one stream; line ends, a byte order mark and markers vary too. */
export function printStream(documents: readonly Data[], style: Style): string {
  const step = 2 + style.pick(3);
  const body = documents
    .map((document) => printDocument(document, style, step))
    .join(`---${style.pick(3) === 0 ? " # next" : ""}\n`);
  const start = ["", "---\n", "# first\n---\n", "\n"][style.pick(4)] ?? "";
  const end = ["", "...\n", "# end\n", "\n"][style.pick(4)] ?? "";
  let text = start + body + end;
  if (style.pick(4) === 0) text = text.replace(/\n$/u, "");
  if (style.pick(4) === 0) text = text.replaceAll("\n", "\r\n");
  return style.pick(8) === 0 ? `\uFEFF${text}` : text;
}

function printDocument(data: Data, style: Style, step: number): string {
  if (style.pick(6) === 0) return `${JSON.stringify(data, null, style.pick(5))}\n`;
  return blockMapping(isMapping(data) ? data : { value: data }, 0, style, step);
}

function isMapping(data: Data): data is { readonly [key: string]: Data } {
  return data !== null && typeof data === "object" && !Array.isArray(data);
}

function isList(data: Data): data is readonly Data[] {
  return Array.isArray(data);
}

function comment(style: Style): string {
  return style.pick(6) === 0 ? ` # ${["why", "'quoted'", "a: b", "{x}"][style.pick(4)] ?? ""}` : "";
}

function ownLine(indent: number, style: Style): string {
  return style.pick(8) === 0
    ? `${" ".repeat(style.pick(2) === 0 ? indent : 0)}# about: this\n`
    : style.pick(12) === 0
      ? "\n"
      : "";
}

function blockMapping(data: { readonly [key: string]: Data }, indent: number, style: Style, step: number): string {
  return Object.entries(data)
    .map(([key, value]) => {
      const head = `${ownLine(indent, style)}${" ".repeat(indent)}${printKey(key, style)}:`;
      return head + blockValue(value, indent, style, step);
    })
    .join("");
}

/** What follows a key's colon, with its line break. */
function blockValue(value: Data, indent: number, style: Style, step: number): string {
  if (isMapping(value) && Object.keys(value).length > 0 && style.pick(5) > 0) {
    return `${comment(style)}\n${blockMapping(value, indent + step, style, step)}`;
  }
  if (isList(value) && value.length > 0 && style.pick(5) > 0) {
    return `${comment(style)}\n${blockList(value, indent + (style.pick(2) === 0 ? 0 : step), style, step)}`;
  }
  if (typeof value === "string" && isBlockText(value) && style.pick(2) === 0) {
    const chomping = value.endsWith("\n\n") ? "+" : value.endsWith("\n") ? "" : "-";
    const lines = value.replace(/\n$/u, "").split("\n");
    const inner = " ".repeat(indent + step);
    return ` |${chomping}\n${lines.map((line) => (line === "" ? "\n" : `${inner}${line}\n`)).join("")}`;
  }
  return ` ${flowValue(value, style)}${comment(style)}\n`;
}

/** Texts that a literal block holds as they are, with the indentation found by its first line. */
function isBlockText(value: string): boolean {
  return /^[!-~][ -~]*(?:\n(?:[!-~][ -~]*)?)*$/u.test(value) && !value.endsWith("\n\n") && value.includes("\n");
}

function blockList(items: readonly Data[], indent: number, style: Style, step: number): string {
  return items
    .map((item) => {
      const dash = `${ownLine(indent, style)}${" ".repeat(indent)}-`;
      if (isMapping(item) && Object.keys(item).length > 0 && style.pick(4) > 0) {
        const body = blockMapping(item, indent + 2, style, step);
        // The first entry follows the dash unless a comment comes first.
        return body.startsWith(`${" ".repeat(indent + 2)}`) && !/^\s*#/u.test(body)
          ? `${dash} ${body.slice(indent + 2)}`
          : `${dash}\n${body}`;
      }
      return `${dash} ${flowValue(item, style)}${comment(style)}\n`;
    })
    .join("");
}

function flowValue(value: Data, style: Style): string {
  const pad = style.pick(2) === 0 ? " " : "";
  if (isList(value))
    return value.length === 0 ? "[]" : `[${pad}${value.map((item) => flowValue(item, style)).join(", ")}${pad}]`;
  if (isMapping(value)) {
    const entries = Object.entries(value).map(([key, item]) => `${printKey(key, style)}: ${flowValue(item, style)}`);
    return entries.length === 0
      ? "{}"
      : `{${pad}${entries.join(`,${style.pick(4) === 0 ? "  " : " "}`)}${style.pick(6) === 0 ? "," : ""}${pad}}`;
  }
  if (value === null) return ["null", "~", "Null"][style.pick(3)] ?? "null";
  return typeof value === "string" ? printText(value, style) : String(value);
}

function printKey(key: string, style: Style): string {
  const way = style.pick(6);
  if (way === 0) return JSON.stringify(key);
  return way === 1 && isSingleQuotable(key)
    ? `'${key.replaceAll("'", "''")}'`
    : isPlain(key)
      ? key
      : JSON.stringify(key);
}

function printText(text: string, style: Style): string {
  const way = style.pick(4);
  if (way === 0 && isSingleQuotable(text)) return `'${text.replaceAll("'", "''")}'`;
  return way === 1 && isPlain(text) ? text : JSON.stringify(text);
}

function isSingleQuotable(text: string): boolean {
  return /^[ -~]*$/u.test(text);
}

/** Texts that every reader takes for text without quotes, also in a flow. */
function isPlain(text: string): boolean {
  return /^[a-zA-Z][a-zA-Z0-9._/-]*$/u.test(text) && !/^(?:y|n|yes|no|on|off|true|false|null|nan|inf)$/iu.test(text);
}

export const seed: fc.Arbitrary<number> = fc.nat({ max: 0xffff_ffff });
