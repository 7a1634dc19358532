import type { Json } from "../../yaml/read/node.ts";

// Quantities as apimachinery's pkg/api/resource reads and writes them.

/** A quantity: its value in billionths, and the family of suffixes in which it is written back. */
export interface Quantity {
  readonly nano: bigint;
  readonly family: "decimal" | "binary" | "exponent";
}

const FORM = /^([+-]?)(\d*)(?:\.(\d*))?(?:(Ki|Mi|Gi|Ti|Pi|Ei|[numkMGTPE])|[eE]([+-]?\d{1,3}))?$/u;

const DECIMAL: Readonly<Record<string, number>> = { n: -9, u: -6, m: -3, k: 3, M: 6, G: 9, T: 12, P: 15, E: 18 };
const BINARY: Readonly<Record<string, number>> = { Ki: 10, Mi: 20, Gi: 30, Ti: 40, Pi: 50, Ei: 60 };

const NANO_DIGITS = 9;

/** Parses a quantity; undefined for other texts. */
export function parseQuantity(text: string): Quantity | undefined {
  const match = FORM.exec(text.trim());
  if (match === null) return undefined;
  const [, sign = "", whole = "", fraction = "", suffix = "", exponent] = match;
  if (whole === "" && fraction === "") return undefined;
  const binary = BINARY[suffix];
  const power = exponent === undefined ? (DECIMAL[suffix] ?? 0) : Number(exponent);
  const digits = BigInt(whole + fraction) << BigInt(binary ?? 0);
  const scale = power - fraction.length + NANO_DIGITS;
  const nano = scale >= 0 ? digits * 10n ** BigInt(scale) : roundUp(digits, 10n ** BigInt(-scale));
  const family = binary !== undefined ? "binary" : exponent === undefined ? "decimal" : "exponent";
  return { nano: sign === "-" ? -nano : nano, family };
}

/** The amount in a manifest, in billionths; undefined for what is no quantity. */
export function amountOf(value: Json | undefined): bigint | undefined {
  return typeof value === "string" || typeof value === "number" ? parseQuantity(String(value))?.nano : undefined;
}

/** Rounds up to a multiple of a unit: "if you want some resources, you get some". */
function roundUp(value: bigint, unit: bigint): bigint {
  return (value + unit - 1n) / unit;
}

const MILLI = 1_000_000n;
const UNIT = 1_000_000_000n;

/** How exactly two quantities are compared. */
export interface Precision {
  /** A list of resources (cpu, memory) is rounded up to thousandths. */
  readonly milli: boolean;
  /** By the text in which they are written back: 1Gi differs from 1073741824. */
  readonly byText: boolean;
}

/** A string that is equal for equal quantities. */
export function quantityKey(text: string, { milli, byText }: Precision): string {
  const quantity = parseQuantity(text);
  if (quantity === undefined) return `invalid ${text}`;
  const sign = quantity.nano < 0n ? -1n : 1n;
  const nano = milli ? sign * roundUp(sign * quantity.nano, MILLI) * MILLI : quantity.nano;
  return byText ? `${nano}${writtenFamily(nano, quantity.family)}` : String(nano);
}

/** The family shows in the text only if a suffix is needed (Quantity.CanonicalizeBytes). */
function writtenFamily(nano: bigint, family: Quantity["family"]): string {
  if (nano === 0n || family === "decimal") return "";
  if (family === "binary") return nano > -1024n * UNIT && nano < 1024n * UNIT ? "" : " binary";
  return nano % UNIT === 0n && nano % (1000n * UNIT) !== 0n ? "" : " exponent";
}
