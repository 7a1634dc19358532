/** A value as a double-quoted scalar that YAML 1.1, YAML 1.2 and JSON read alike. */
export function quote(value: string): string {
  // JSON leaves these characters raw, which YAML forbids or takes for line breaks.
  return JSON.stringify(value).replace(
    /[\u007f-\u009f\u2028\u2029\ufeff]/gu,
    (c) => `\\u${c.charCodeAt(0).toString(16).padStart(4, "0")}`,
  );
}

/** What an entry can be given: a text, or the number of a field that is no annotation. */
export type ScalarValue = string | number;

/** One or more values under a key, nested where the mapping for them is still to be made. */
export type NewEntry = readonly [key: string, value: ScalarValue | readonly NewEntry[]];

/** A value as a scalar: texts in quotes, numbers as they are. */
export function renderScalar(value: ScalarValue): string {
  return typeof value === "number" ? String(value) : quote(value);
}

// The words among those of three letters and more that a reader of YAML 1.1 or 1.2 takes for something else.
const NO_TEXT = /^(?:true|false|null|yes|off)$/iu;

/** A key: plain where every YAML reader takes it for text, else double-quoted. */
export function renderKey(key: string): string {
  const isPath = /^[A-Za-z][A-Za-z0-9._/-]*$/u.test(key) && key.includes("/");
  const isWord = /^[A-Za-z]{3,}(?:-[A-Za-z]+)*$/u.test(key) && !NO_TEXT.test(key);
  return isPath || isWord ? key : quote(key);
}

/** Entries as block lines, each with its indentation and without a line break at the end. */
export function blockLines(entries: readonly NewEntry[], column: number, step: number): string[] {
  const lines: string[] = [];
  const indent = " ".repeat(column);
  for (const [key, value] of entries) {
    if (typeof value !== "object") lines.push(`${indent}${renderKey(key)}: ${renderScalar(value)}`);
    else lines.push(`${indent}${renderKey(key)}:`, ...blockLines(value, column + step, step));
  }
  return lines;
}

/** How a flow mapping is written around the place where entries come in. */
export interface FlowStyle {
  readonly quoteKeys: boolean;
  /** `: ` or, as compact JSON has it, `:`. */
  readonly colon: string;
  /** `, ` or `,`; without use where each entry has its own line. */
  readonly comma: string;
  /** The indentation of an entry and the step of a level, where each entry has its own line. */
  readonly lines: { readonly indent: string; readonly step: string; readonly eol: string } | undefined;
}

/** What stands between two entries. */
export function flowSeparator(style: FlowStyle): string {
  return style.lines === undefined ? style.comma : `,${style.lines.eol}${style.lines.indent}`;
}

/** Entries in flow style, without braces around them. */
export function flowEntries(entries: readonly NewEntry[], style: FlowStyle): string {
  return entries
    .map(([key, value]) => `${style.quoteKeys ? quote(key) : renderKey(key)}${style.colon}${flowValue(value, style)}`)
    .join(flowSeparator(style));
}

/** A value in flow style: a string, or a mapping with its braces. */
export function flowValue(value: ScalarValue | readonly NewEntry[], style: FlowStyle): string {
  if (typeof value !== "object") return renderScalar(value);
  if (style.lines === undefined) return `{${flowEntries(value, style)}}`;
  const { indent, step, eol } = style.lines;
  const inner: FlowStyle = { ...style, lines: { indent: indent + step, step, eol } };
  return `{${eol}${indent}${step}${flowEntries(value, inner)}${eol}${indent}}`;
}
