/**
 * Whether kubectl takes a plain scalar without a tag for text. It reads YAML with sigs.k8s.io/yaml, which is
 * go-yaml v2: YAML 1.1 but for what that reader does in its own way (resolve.go). Dates and sexagesimal
 * numbers stay text; signs stand before every prefix; underscores may stand anywhere behind the first
 * character; what fits in no number of 64 bits, or in no finite one, is text.
 */
export function isTextToKubectl(text: string): boolean {
  if (WORDS.has(text)) return false;
  if (text.startsWith(".")) return !DOTTED.test(text);
  if (!/^[-+0-9]/u.test(text)) return true;
  const plain = text.replaceAll("_", "");
  return !(FLOAT.test(plain) && Number.isFinite(Number(plain))) && !isPrefixed(plain);
}

const WORDS: ReadonlySet<string> = new Set(
  [
    ["y", "Y", "yes", "Yes", "YES", "n", "N", "no", "No", "NO"],
    ["on", "On", "ON", "off", "Off", "OFF", "true", "True", "TRUE", "false", "False", "FALSE"],
    ["", "~", "null", "Null", "NULL"],
    [".nan", ".NaN", ".NAN"],
    ["", "+", "-"].flatMap((sign) => [`${sign}.inf`, `${sign}.Inf`, `${sign}.INF`]),
  ].flat(),
);

/** A float that begins with its point: here Go's ParseFloat reads it with its underscores. */
const DOTTED = /^\.\d+(?:_\d+)*(?:[eE][-+]?\d+(?:_\d+)*)?$/u;

/** Whole numbers in decimals match too, and those with leading zeros: they are some number in any case. */
const FLOAT = /^[-+]?(?:\.\d+|\d+(?:\.\d*)?)(?:[eE][-+]?\d+)?$/u;

/** Whole numbers with a prefix; digits are as many as 64 bits can have. */
const PREFIXED: readonly RegExp[] = [
  /^([-+]?)(0[xX])0*([\da-fA-F]{1,16})$/u,
  /^([-+]?)(0[oO])0*([0-7]{1,22})$/u,
  /^([-+]?)(0[bB])0*([01]{1,64})$/u,
];

function isPrefixed(plain: string): boolean {
  // Behind the lower-case prefix of binary numbers, and only there, a sign is taken.
  const [, inner] = /^0b([-+][01]+)$/u.exec(plain) ?? [];
  const text = inner === undefined ? plain : `${inner.slice(0, 1)}0b${inner.slice(1)}`;
  return PREFIXED.some((form) => {
    const [, sign, prefix = "", digits = ""] = form.exec(text) ?? [];
    return digits !== "" && BigInt(prefix.toLowerCase() + digits) <= (MOST[sign ?? ""] ?? 0n);
  });
}

/** The largest magnitude behind each sign: of int64, and without a sign of uint64. */
const MOST: Readonly<Record<string, bigint>> = { "": 2n ** 64n - 1n, "+": 2n ** 63n - 1n, "-": 2n ** 63n };
