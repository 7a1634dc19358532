// The properties of any input: invalid input is a RollstampError that quotes no value; the output has the same values except
// annotations, and a second run does not change it.
import { deepStrictEqual } from "node:assert/strict";
import { isUtf8 } from "node:buffer";
import { parseAllDocuments } from "yaml";
import { RollstampError, stamp } from "../../src/main/index.ts";

// Longer texts only make the fuzzer slow.
const LONGEST = 1 << 16;

/** The text of UTF-8 bytes: other input is refused earlier. */
export function decoded(bytes: Buffer): string | undefined {
  return bytes.length <= LONGEST && isUtf8(bytes) ? bytes.toString("utf8") : undefined;
}

/** Stamps manifests twice and compares. Only a RollstampError of the first run is allowed. */
export function stampTwice(text: string): void {
  let once: string;
  try {
    once = stamp(text).text;
  } catch (cause) {
    if (!(cause instanceof RollstampError)) throw cause;
    if (cause.message.includes("planted-by-the-fuzzer")) throw new Error("a value is in a message", { cause });
    return;
  }
  if (stamp(once).text !== once) throw new Error("stamping twice is not stamping once");
  if (once === text) return;
  const [before, after] = [withoutAnnotations(text), withoutAnnotations(once)];
  // This parser cannot judge documents that it refuses, such as a replaced stamp that only Go's parser accepts.
  if (before === undefined || after === undefined) return;
  deepStrictEqual(after, before, "more than annotations changed");
}

/** The values that an independent parser reads, without `results`, annotations and mappings that are empty without them. */
function withoutAnnotations(text: string): unknown {
  const documents = parseAllDocuments(text, { merge: true, uniqueKeys: false, logLevel: "silent" });
  const readable = Array.isArray(documents) ? documents : [];
  if (readable.some(({ errors }) => errors.length > 0)) return undefined;
  return readable.map((document) => strip(document.toJS({ maxAliasCount: 1000 })));
}

function strip(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(strip);
  if (value === null || typeof value !== "object") return value;
  const kept = Object.entries(value)
    .filter(([key]) => key !== "annotations" && key !== "results")
    .map(([key, inner]): [string, unknown] => [key, strip(inner)])
    .filter(([key, inner]) => key !== "metadata" || !isEmpty(inner));
  return Object.fromEntries(kept);
}

function isEmpty(value: unknown): boolean {
  return value === null || value === undefined || (typeof value === "object" && Object.keys(value).length === 0);
}
