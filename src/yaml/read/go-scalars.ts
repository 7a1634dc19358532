import { decodeBase64 } from "../../base/digest/hash-v1.ts";

/** The value that kubectl reads. Whole numbers are bigints, fractions are numbers. */
type KubectlValue = string | boolean | number | bigint | null;

/**
 * The value that kubectl reads for a plain scalar without a tag. It uses sigs.k8s.io/yaml, which is go-yaml v2: YAML
 * 1.1 with differences (resolve.go). Dates and sexagesimal numbers are strings, a sign may be before every prefix, and
 * underscores may be anywhere after the first character. A number that does not fit into 64 bits or is not finite is a
 * string.
 */
export function kubectlValue(text: string): KubectlValue {
  const word = WORDS.get(text);
  if (word !== undefined) return word;
  if (text.startsWith(".")) return DOTTED.test(text) ? finite(text.replaceAll("_", ""), text) : text;
  if (!/^[-+0-9]/u.test(text)) return text;
  const plain = text.replaceAll("_", "");
  const whole = wholeNumber(plain);
  if (whole !== undefined) return whole;
  return FLOAT.test(plain) ? finite(plain, text) : text;
}

/** Whether kubectl reads a plain scalar without a tag as a string. */
export function isTextToKubectl(text: string): boolean {
  return typeof kubectlValue(text) === "string";
}

/**
 * Whether kustomize writes a plain scalar without a tag as another text: a date or time (go-yaml v3, resolve.go,
 * allowedTimestampFormats), which it prints as RFC 3339.
 */
export function isRewrittenDate(text: string): boolean {
  if (text.charAt(4) !== "-") return false;
  const [, year, month, day] = DATE.exec(text) ?? [];
  if (year === undefined || RFC_3339.test(text)) return false;
  const date = new Date(Date.UTC(Number(year), Number(month) - 1, Number(day)));
  return date.getUTCMonth() === Number(month) - 1 && date.getUTCDate() === Number(day);
}

const TIME = String.raw`(?:[01]?\d|2[0-3]):[0-5]?\d:[0-5]?\d(?:[.,]\d+)?`;
const DATE = new RegExp(String.raw`^(\d{4})-(\d\d?)-(\d\d?)(?: ${TIME}|[Tt]${TIME}(?:Z|[+-]\d\d:\d\d))?$`, "u");
const RFC_3339 = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(?:\.\d{0,8}[1-9])?(?:Z|[+-](?!00:00)\d\d:\d\d)$/u;

/**
 * The value that kubectl reads for a scalar with one of YAML's own tags, such as `!!bool yes`; undefined if kubectl
 * rejects it, as go-yaml v3 does. Other tags are ignored: the scalar is a string.
 */
export function taggedValue(tag: string, text: string): KubectlValue | undefined {
  const type = TAGS.get(tag);
  if (type === undefined) return text;
  const value = kubectlValue(text);
  // !!float 3 is still a fraction.
  return type(value) ? value : undefined;
}

const isNumber = (value: KubectlValue): boolean => typeof value === "number" || typeof value === "bigint";

const TAGS: ReadonlyMap<string, (value: KubectlValue) => boolean> = new Map([
  ["bool", (value: KubectlValue) => typeof value === "boolean"],
  ["int", (value: KubectlValue) => typeof value === "bigint"],
  ["float", isNumber],
  ["null", (value: KubectlValue) => value === null],
]);

/** The key that kubectl makes from a value, as keys of JSON are strings. Undefined for null, which it rejects. */
export function kubectlKey(value: KubectlValue): string | undefined {
  if (value === null) return undefined;
  return typeof value === "number" ? keyOfFraction(value) : String(value);
}

const WORDS: ReadonlyMap<string, KubectlValue> = new Map<string, KubectlValue>([
  ...["y", "Y", "yes", "Yes", "YES", "on", "On", "ON", "true", "True", "TRUE"].map((word) => [word, true] as const),
  ...["n", "N", "no", "No", "NO", "off", "Off", "OFF", "false", "False", "FALSE"].map((word) => [word, false] as const),
  ...["", "~", "null", "Null", "NULL"].map((word) => [word, null] as const),
  ...[".nan", ".NaN", ".NAN"].map((word) => [word, Number.NaN] as const),
  ...[".inf", ".Inf", ".INF"].flatMap((word) => [
    [word, Number.POSITIVE_INFINITY] as const,
    [`+${word}`, Number.POSITIVE_INFINITY] as const,
    [`-${word}`, Number.NEGATIVE_INFINITY] as const,
  ]),
]);

/** A float that begins with its point. Here, Go's ParseFloat also sees the underscores. */
const DOTTED = /^\.\d+(?:_\d+)*(?:[eE][-+]?\d+(?:_\d+)*)?$/u;

const FLOAT = /^[-+]?(?:\.\d+|\d+(?:\.\d*)?)(?:[eE][-+]?\d+)?$/u;

function finite(plain: string, text: string): number | string {
  const value = Number(plain);
  return Number.isFinite(value) ? value : text;
}

/** Whole numbers with or without a prefix, with at most the digits of 64 bits. After a zero, they are octal. */
const WHOLE: readonly (readonly [form: RegExp, prefix: string])[] = [
  [/^([-+]?)0[xX]0*([\da-fA-F]{1,16})$/u, "0x"],
  [/^([-+]?)0[oO]?0*([0-7]{1,22})$/u, "0o"],
  [/^([-+]?)0[bB]0*([01]{1,64})$/u, "0b"],
  [/^([-+]?)((?:[1-9]\d{0,19}|0))$/u, ""],
];

function wholeNumber(plain: string): bigint | undefined {
  // A sign is allowed after the lower-case prefix of binary numbers only.
  const [, inner] = /^0b([-+][01]+)$/u.exec(plain) ?? [];
  const text = inner === undefined ? plain : `${inner.slice(0, 1)}0b${inner.slice(1)}`;
  for (const [form, prefix] of WHOLE) {
    const [, sign, digits] = form.exec(text) ?? [];
    if (digits === undefined) continue;
    const magnitude = BigInt(prefix + digits);
    if (magnitude <= (MOST[sign ?? ""] ?? 0n)) return sign === "-" ? -magnitude : magnitude;
  }
  return undefined;
}

/** The largest magnitude after each sign: of int64, and of uint64 without a sign. */
const MOST: Readonly<Record<string, bigint>> = { "": 2n ** 64n - 1n, "+": 2n ** 63n - 1n, "-": 2n ** 63n };

/**
 * A fraction as a key: sigs.k8s.io/yaml writes it with strconv.FormatFloat(value, 'g', -1, 32), that is, with the
 * fewest digits that identify it among 32-bit floats, and with a two-digit exponent below -4 or above 5.
 */
function keyOfFraction(value: number): string {
  if (Number.isNaN(value)) return ".nan";
  const single = Math.fround(value);
  if (!Number.isFinite(single)) return single < 0 ? "-.inf" : ".inf";
  let digits = 0;
  while (digits < MOST_DIGITS && Math.fround(Number(single.toExponential(digits))) !== single) digits += 1;
  const shortest = single.toExponential(digits);
  const [mantissa = "", exponent = ""] = shortest.split("e");
  const power = Number(exponent);
  if (power >= LEAST_FIXED && power <= MOST_FIXED) return Object.is(single, -0) ? "-0" : String(Number(shortest));
  return `${mantissa}e${power < 0 ? "-" : "+"}${String(Math.abs(power)).padStart(2, "0")}`;
}

/** The number of digits after the first that a 32-bit float may need. */
const MOST_DIGITS = 8;
const LEAST_FIXED = -4;
const MOST_FIXED = 5;

// YAML's own tags, as go-yaml v2 reads them (decode.go, scalar): the value must match its tag, quoted or not, and
// `!!binary` encodes a string.

const FULL = "!<tag:yaml.org,2002:";

/** The name of one of YAML's own tags, `bool` for `!!bool`; undefined for any other tag, and for none. */
export function yamlTag(tag: string): string | undefined {
  if (tag.startsWith("!!")) return tag.slice(2);
  return tag.startsWith(FULL) ? tag.slice(FULL.length, -1) : undefined;
}

/** Why a scalar does not match its tag; undefined if it does. */
export function tagProblem(tag: string, text: string): string | undefined {
  const name = yamlTag(tag);
  if (name === "binary") return decodeBase64(text) === undefined ? "not base64" : undefined;
  return name === undefined || taggedValue(name, text) !== undefined ? undefined : "not of that type";
}

/** The string that `!!binary` encodes. Go writes U+FFFD for each byte that is not UTF-8. */
export function binaryText(encoded: string): string {
  const bytes = decodeBase64(encoded) ?? Buffer.alloc(0);
  const text = bytes.toString("utf8");
  return text.includes("\uFFFD") ? goText(bytes) : text;
}

/**
 * Decodes bytes as Go's encoding/json does: for a truncated character, it writes one U+FFFD per byte instead of one.
 */
function goText(bytes: Buffer): string {
  const parts: string[] = [];
  let from = 0;
  for (let offset = 0; offset < bytes.length;) {
    const length = lengthAt(bytes, offset);
    if (length === 0) {
      parts.push(bytes.toString("utf8", from, offset), "\uFFFD");
      from = offset + 1;
    }
    offset += length || 1;
  }
  parts.push(bytes.toString("utf8", from));
  return parts.join("");
}

/**
 * Well-formed UTF-8 (Unicode, table 3-7): the last first byte of a row, the length, and the range of the second byte.
 */
const SEQUENCES: readonly (readonly [upTo: number, length: number, from: number, to: number])[] = [
  [0x7f, 1, 0, 0],
  [0xc1, 0, 0, 0],
  [0xdf, 2, 0x80, 0xbf],
  [0xe0, 3, 0xa0, 0xbf],
  [0xec, 3, 0x80, 0xbf],
  [0xed, 3, 0x80, 0x9f],
  [0xef, 3, 0x80, 0xbf],
  [0xf0, 4, 0x90, 0xbf],
  [0xf3, 4, 0x80, 0xbf],
  [0xf4, 4, 0x80, 0x8f],
];

/** The number of bytes of the character at an offset; 0 if there is none. */
function lengthAt(bytes: Buffer, at: number): number {
  const first = bytes[at] ?? 0;
  const [, length = 0, from = 0, to = 0] = SEQUENCES.find(([upTo]) => first <= upTo) ?? [];
  for (let i = 1; i < length; i++) {
    const byte = bytes[at + i] ?? 0;
    if (byte < (i === 1 ? from : 0x80) || byte > (i === 1 ? to : 0xbf)) return 0;
  }
  return length;
}
