// Writes plain data as YAML in the styles that hosts and authors use. The corpora need control over
// key order, sequence indentation and quoting, so that what is measured looks like what hosts send;
// a library's printer decides those by itself.

/** @typedef {{ wide: boolean, quote: '"' | "'" }} Style `wide`: sequences are indented below their key. */

/** Text that keeps its meaning and its form without quotes. */
const PLAIN = /^[A-Za-z./][A-Za-z0-9 ./@_-]*(?::[A-Za-z0-9./@_-]+)*$/;
const RESERVED = /^(?:true|false|null|yes|no|on|off|y|n|\.inf|\.nan)$/i;

/** @type {Style} */
export const COMPACT = { wide: false, quote: '"' };
/** @type {Style} */
export const WIDE = { wide: true, quote: '"' };

/**
 * A scalar on one line.
 * @param {unknown} value
 * @param {Style} style
 * @returns {string}
 */
function scalar(value, style) {
  if (typeof value !== "string") return String(value);
  if (PLAIN.test(value) && !RESERVED.test(value) && !value.endsWith(" ")) return value;
  if (style.quote === "'" && !value.includes("'")) return `'${value}'`;
  return JSON.stringify(value);
}

/**
 * @param {string} text
 * @param {string} pad
 * @returns {string}
 */
function literal(text, pad) {
  const body = text.endsWith("\n") ? text.slice(0, -1) : text;
  const indented = body.replace(/^(?=.)/gm, pad);
  return `${text.endsWith("\n") ? "|" : "|-"}\n${indented}\n`;
}

/**
 * The value after `key:` or `-`, with the line break that ends it.
 * @param {unknown} value
 * @param {number} indent columns of the key that owns the value
 * @param {Style} style
 * @returns {string}
 */
function owned(value, indent, style) {
  if (typeof value === "string" && value.includes("\n")) {
    return ` ${literal(value, " ".repeat(indent + 2))}`;
  }
  if (typeof value !== "object" || value === null) return ` ${scalar(value, style)}\n`;
  if (Array.isArray(value)) {
    if (value.length === 0) return " []\n";
    return `\n${print(value, style.wide ? indent + 2 : indent, style)}`;
  }
  if (Object.keys(value).length === 0) return " {}\n";
  return `\n${print(value, indent + 2, style)}`;
}

/**
 * A mapping or a sequence as block-style YAML; every line is indented by `indent` columns.
 * @param {object} value
 * @param {number} indent
 * @param {Style} style
 * @returns {string}
 */
export function print(value, indent, style) {
  const pad = " ".repeat(indent);
  if (!Array.isArray(value)) {
    let text = "";
    for (const [key, child] of Object.entries(value)) {
      text += `${pad}${scalar(key, style)}:${owned(child, indent, style)}`;
    }
    return text;
  }
  let text = "";
  for (const item of value) {
    const nested = typeof item === "object" && item !== null && Object.keys(item).length > 0;
    text += nested
      ? `${pad}- ${print(item, indent + 2, style).slice(indent + 2)}`
      : `${pad}-${owned(item, indent, style)}`;
  }
  return text;
}

/**
 * The same data with the keys of every mapping in order, as kustomize reserialises them.
 * @param {unknown} value
 * @returns {unknown}
 */
export function sortKeys(value) {
  if (Array.isArray(value)) return value.map(sortKeys);
  if (typeof value !== "object" || value === null) return value;
  return Object.fromEntries(
    Object.entries(value)
      .sort(([a], [b]) => (a < b ? -1 : 1))
      .map(([key, child]) => [key, sortKeys(child)]),
  );
}
