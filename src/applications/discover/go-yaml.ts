import { isTextToKubectl } from "../../yaml/read/go-scalars.ts";
import { type Json } from "../../yaml/read/node.ts";
import { isMapping } from "../../yaml/read/json.ts";
import { goNumber, unknown } from "./go-values.ts";

// YAML as sigs.k8s.io/yaml writes it (go-yaml v2: encode.go, emitterc.go): sorted keys, lists not indented in
// mappings, folded at 80 columns.

/** Without the line break at its end. */
export function goYaml(value: Json): string {
  return root(value).slice(1).replace(/\n$/u, "");
}

function root(value: Json): string {
  // A text alone has its other lines where those of a mapping would be.
  return node(value, typeof value === "object" ? "" : "  ", 0);
}

/** What stands behind a key's colon or a list's dash, with the space or the line break before it. */
function node(value: Json, indent: string, column: number): string {
  if (Array.isArray(value)) {
    if (value.length === 0) return " []\n";
    return `\n${value.map((one) => `${indent}-${compact(one, `${indent}  `)}`).join("")}`;
  }
  if (isMapping(value)) {
    const keys = Object.keys(value).sort(byName);
    if (keys.length === 0) return " {}\n";
    return `\n${keys.map((key) => indent + entry(key, value[key] ?? null, indent)).join("")}`;
  }
  return ` ${scalar(value, { indent, column })}\n`;
}

/** In a list: a mapping or list begins behind the dash. */
function compact(value: Json, indent: string): string {
  const written = node(value, indent, indent.length);
  return written.startsWith("\n") ? ` ${written.slice(1 + indent.length)}` : written;
}

function entry(key: string, value: Json, indent: string): string {
  const isSimple = Buffer.byteLength(key) <= 128 && !/[\n\r]/u.test(key);
  const below = `${indent}  `;
  const name = scalar(key, isSimple ? undefined : { indent: below, column: below.length });
  const inner = Array.isArray(value) && isSimple ? indent : below;
  if (isSimple) return `${name}:${node(value, inner, indent.length + [...name].length + 2)}`;
  return `? ${name}\n${indent}:${compact(value, inner)}`;
}

/** Where a scalar begins, and where its other lines do; a key has no others. */
interface Place {
  readonly indent: string;
  readonly column: number;
}

function scalar(value: null | boolean | number | string, place: Place | undefined): string {
  if (value === null) return "null";
  if (typeof value === "number") return number(value);
  if (typeof value === "boolean") return String(value);
  if (/[\u0085\u2028\u2029]/u.test(value)) throw unknown("writes a text with a line break of Unicode's as YAML");
  const isSpecial = SPECIAL.test(value) || value.includes(" \n");
  if (value.includes("\n")) {
    const isLiteral = place !== undefined && !isSpecial && !value.endsWith(" ");
    return isLiteral ? literal(value, place.indent) : folded(value, '"', place);
  }
  if (isSpecial || !isPlain(value)) return folded(value, '"', place);
  return folded(value, isBarePossible(value) ? "" : "'", place);
}

const WIDTH = 80;

/** In quotes or without, with a line break for a space behind the last column (yaml_emitter_write_…_scalar). */
function folded(value: string, quote: '"' | "'" | "", place: Place | undefined): string {
  const characters = [...value];
  let made: string = quote;
  let column = place === undefined ? -Infinity : place.column + quote.length;
  let isBehindSpace = false;
  for (const [i, character] of characters.entries()) {
    const isSpace = character === " ";
    const isNextSpace = characters[i + 1] === " ";
    const isWithin = quote === "" || (i > 0 && i < characters.length - 1);
    if (
      place !== undefined &&
      isSpace &&
      !isBehindSpace &&
      column > WIDTH &&
      isWithin &&
      (quote === '"' || !isNextSpace)
    ) {
      const more = isNextSpace ? "\\" : "";
      made += `\n${place.indent}${more}`;
      column = place.indent.length + more.length;
    } else {
      const piece = quote === '"' ? escaped(character) : quote === "'" && character === "'" ? "''" : character;
      made += piece;
      column += piece.length > 1 ? piece.length : 1;
    }
    isBehindSpace = isSpace;
  }
  return made + quote;
}

/** As JSON, read again, gives it: a whole number of 64 bits stays one. */
function number(value: number): string {
  if (!Number.isInteger(value) || Math.abs(value) >= 2 ** 64 || value < -(2 ** 63)) return goNumber(value);
  return String(Object.is(value, -0) ? 0 : BigInt(JSON.stringify(value)));
}

const BASE_60 = /^[-+]?\d[\d_]*(?::[0-5]?\d)+(?:\.[\d_]*)?$/u;
const DATE = /^(\d{4})-(\d{1,2})-(\d{1,2})(?:$|[Tt ])/u;

/** True for what stays a text without quotes (resolve.go). */
function isPlain(value: string): boolean {
  return value !== "" && isTextToKubectl(value) && !BASE_60.test(value) && !DATE.test(value);
}

// What go-yaml doesn't print as it is (is_printable): nothing behind U+FFFF, no tabs.
const SPECIAL = /[^\n\u0020-\u007e\u00a0-\ud7ff\ue000-\ufefe\uff00-\ufffd]/u;

/** True where nothing in it means something to YAML (yaml_emitter_analyze_scalar). */
function isBarePossible(value: string): boolean {
  if (value.startsWith("---") || value.startsWith("...")) return false;
  if (/^[#,[\]{}&*!|>'"%@`]|^[?:-](?:\s|$)/u.test(value)) return false;
  if (/:(?:\s|$)|\s#/u.test(value)) return false;
  return !value.startsWith(" ") && !value.endsWith(" ");
}

function literal(value: string, indent: string): string {
  const hint = /^[ \n]/u.test(value) ? "2" : "";
  const chomping = !value.endsWith("\n") ? "-" : value === "\n" || value.endsWith("\n\n") ? "+" : "";
  const lines = value.split("\n").map((line) => (line === "" ? "" : indent + line));
  // Of the last line break, that of the node itself is left out.
  const body = lines.join("\n");
  return `|${hint}${chomping}\n${body.endsWith("\n") ? body.slice(0, -1) : body}`;
}

const ESCAPES: Readonly<Record<string, string>> = {
  "\0": "0",
  "\u0007": "a",
  "\b": "b",
  "\t": "t",
  "\n": "n",
  "\v": "v",
  "\f": "f",
  "\r": "r",
  "\u001b": "e",
  '"': '"',
  "\\": "\\",
};

function escaped(character: string): string {
  const named = ESCAPES[character];
  if (named !== undefined) return `\\${named}`;
  if (!SPECIAL.test(character)) return character;
  const code = (character.codePointAt(0) ?? 0).toString(16).toUpperCase();
  if (code.length <= 2) return `\\x${code.padStart(2, "0")}`;
  return code.length <= 4 ? `\\u${code.padStart(4, "0")}` : `\\U${code.padStart(8, "0")}`;
}

const LETTER = /^\p{L}$/u;
const DIGIT = /^\p{Nd}$/u;

/** go-yaml's order of keys (sorter.go): digits together as numbers, letters behind what is none. */
function byName(a: string, b: string): number {
  return a === b ? 0 : isBefore([...a], [...b]) ? -1 : 1;
}

function isBefore(a: readonly string[], b: readonly string[]): boolean {
  for (let i = 0; i < a.length && i < b.length; i++) {
    const [one = "", other = ""] = [a[i], b[i]];
    if (one === other) continue;
    const [isLetter, isOtherLetter] = [LETTER.test(one), LETTER.test(other)];
    if (isLetter && isOtherLetter) return (one.codePointAt(0) ?? 0) < (other.codePointAt(0) ?? 0);
    if (isLetter || isOtherLetter) return isOtherLetter;
    let leading = 0;
    if (one === "0" || other === "0")
      for (let j = i - 1; j >= 0 && DIGIT.test(a[j] ?? ""); j--)
        if (a[j] !== "0") {
          leading = 1;
          break;
        }
    const [x, xEnd] = numberAt(a, i, leading);
    const [y, yEnd] = numberAt(b, i, leading);
    if (x !== y) return x < y;
    if (xEnd !== yEnd) return xEnd < yEnd;
    return (one.codePointAt(0) ?? 0) < (other.codePointAt(0) ?? 0);
  }
  return a.length < b.length;
}

function numberAt(text: readonly string[], from: number, leading: number): [number: bigint, end: number] {
  let at = from;
  let value = BigInt(leading);
  for (; at < text.length && DIGIT.test(text[at] ?? ""); at++)
    value = BigInt.asIntN(64, value * 10n + BigInt((text[at]?.codePointAt(0) ?? 48) - 48));
  return [value, at];
}
