import { createHash } from "node:crypto";
import { type Json } from "../../yaml/read/node.ts";
import { isMapping } from "../../yaml/read/json.ts";
import { quietly } from "../../base/errors.ts";
import { withoutPlaceholders } from "../../base/placeholders.ts";
import { isTextToKubectl } from "../../yaml/read/go-scalars.ts";
import { HIDDEN, type ShownValues } from "./hidden-values.ts";
import type { PlanPart } from "./parts.ts";
import type { Reason, SourceReason } from "./plan-reasons.ts";
import type { Side } from "./side.ts";

// Values of a Secret may be repeated in other fields, such as a token in the address of an image. Values that are known to
// come from a Secret are hidden in all reasons, whatever options there are (contract, section 8). Unknown values only
// differ.

/** Shorter values are common words of manifests, such as `web` and `info`: they are hidden only where they are a whole text. */
const SHORTEST = 5;
/** The beginning of a longer value stands for it. */
const LONGEST = 64;

/** A part of a plan without the values of fields that contain one of these texts, and without placeholders. */
export function withoutSecretTexts(part: PlanPart, secrets: () => Secrets): PlanPart {
  const rows = part.rows.map((row) => {
    // Most workloads stay as they are.
    if (row.planned.reasons.length === 0) return row;
    return { ...row, planned: { ...row.planned, reasons: reasonsWithout(secrets, row.planned.reasons) } };
  });
  const objects = part.objects.map((object) => ({
    ...object,
    fields: object.fields.map((field) => withoutValues(field, secrets)),
  }));
  return { ...part, rows, objects };
}

/** Reasons without values that contain one of these texts. */
export function reasonsWithout(secrets: () => Secrets, reasons: readonly Reason[]): readonly Reason[] {
  return reasons.map((reason) => hiddenIn(reason, secrets));
}

/** Prose, such as the subject of a commit, without the words that contain one of these texts. */
export function proseWithout(secrets: Secrets, prose: string): string {
  const shown = prose.replace(/\S+/gu, (word) => (holdsWithin(word, secrets) ? HIDDEN : word));
  return holdsWithin(shown, secrets) ? HIDDEN : shown;
}

/** How charts make a digest of a value (`{{ .Values.password | sha256sum }}`): whoever sees one can guess the value. */
const DIGESTS = ["md5", "sha1", "sha256", "sha512"];
/** Charts cut digests (`trunc 8`), for example for labels. */
const CUT_DIGEST = 8;

/** What is behind the name of a password, as in `{"password": "a"}` or `Server=db;Password=a;`. */
const PASSWORD =
  /(?:pass|pwd|secret|token|key|auth|credential)[\w.-]{0,40}["']?[ \t]{0,9}[:=][ \t]{0,9}(?:"([^"\n]+)"|'([^'\n]+)'|([^\s"'&;,}]+))/giu;

/** The password of a URL, or a token in its place. */
const IN_URL = /:\/\/(?:[^\s/?#@:]{0,300}:)?([^\s/?#@]{1,300})@/gu;

/** The texts of the values in the Secrets of a side. */
export function secretTextsOf({ analysis: { sources } }: Side): readonly string[] {
  return sources.all.flatMap((source) => {
    if (source.item.kind !== "Secret" || source.declared !== undefined || source.coverage !== "content") return [];
    return [...(quietly(() => sources.entries(source)) ?? new Map<string, string>()).values()].flatMap(textsOfSecret);
  });
}

/** The texts that show a value of a Secret: itself, its digests, and of a file with settings also each value. */
export function textsOfSecret(value: string | Uint8Array): readonly string[] {
  const text = typeof value === "string" ? value : Buffer.from(value).toString("utf8");
  const lines = text.split("\n").flatMap((line) => [line, line.replace(/^(?:[\w. "'-]{1,100}[=:]|\s*- )/u, "")]);
  const digests = DIGESTS.map((algorithm) => createHash(algorithm).update(value).digest("hex"));
  const words = lines.map((line) => line.trim().replace(/^(["'])(.*)\1,?$/u, "$2"));
  const parts = [...text.matchAll(PASSWORD), ...text.matchAll(IN_URL)].flatMap(([, ...groups]) => groups);
  const base64 = Buffer.from(value).toString("base64");
  return [
    text,
    ...words,
    ...parts.filter((part) => part !== undefined),
    base64,
    ...(value.length === 0 ? [] : digests.flatMap((digest) => [digest, digest.slice(0, CUT_DIGEST)])),
  ];
}

/** Texts to look for, in lower case: names of hosts and images may have no other. */
export interface Secrets {
  readonly whole: ReadonlySet<string>;
  /** The lengths of those that are looked for within texts, by their first characters: few texts begin with the same ones. */
  readonly lengths: ReadonlyMap<string, ReadonlySet<number>>;
  /** Looks for more texts from now on. */
  readonly add: (texts: readonly string[]) => void;
}

/** Looks for all texts, or for those that count. */
export function secretsOf(texts: readonly string[], counts = (_text: string): boolean => true): Secrets {
  const whole = new Set<string>();
  const lengths = new Map<string, Set<number>>();
  const add = (more: readonly string[]): void => {
    for (const given of more) {
      const written = given.slice(0, LONGEST);
      const text = written.toLowerCase();
      // Flags are no secrets.
      if (text === "" || whole.has(text) || (!isTextToKubectl(text) && !/\d/u.test(text)) || !counts(written)) continue;
      whole.add(text);
      if (text.length < SHORTEST) continue;
      const beginning = text.slice(0, SHORTEST);
      const same = lengths.get(beginning);
      if (same === undefined) lengths.set(beginning, new Set([text.length]));
      else same.add(text.length);
    }
  };
  add(texts);
  return { whole, lengths, add };
}

/**
 * Whether the text of a Secret says something where another application has it. Short texts and words (`25m`, `postgres`) are
 * in many manifests: they do not show that they come from a Secret.
 */
export function isDistinctive(text: string): boolean {
  if (text.length < 8) return false;
  return text.length >= 20 || /\d/u.test(text) || (/[a-z]/u.test(text) && /[A-Z]/u.test(text));
}

function hiddenIn(reason: Reason, secrets: () => Secrets): Reason {
  if (reason.type === "Source") return withoutLines(reason, secrets);
  if (reason.type === "Template") return withoutValues(reason, secrets);
  return reason.type === "Immutable" ? withoutValues(reason, secrets) : reason;
}

/** Diffs without the lines that contain one of these texts: a Secret may be known only after the diff was made. */
function withoutLines(reason: SourceReason, secrets: () => Secrets): Reason {
  if (reason.diffs === undefined) return reason;
  const shown = (line: string): string => (holdsOne(line.slice(1), secrets()) ? line.charAt(0) + HIDDEN : line);
  return { ...reason, diffs: reason.diffs.map(({ key, lines }) => ({ key, lines: lines.map(shown) })) };
}

function withoutValues<T extends ShownValues & { readonly path: string }>(
  changed: T,
  secrets: () => Secrets,
): T | (Omit<T, "from" | "to"> & { readonly hidden: true }) {
  const { from = null, to = null, ...rest } = changed;
  if (from === null && to === null) return changed;
  const [before, after] = [known(from), known(to)];
  const isHidden =
    JSON.stringify(before) === JSON.stringify(after) ||
    [before, after].some((value) => holds(value, changed.path, secrets()));
  return isHidden ? { ...rest, hidden: true } : { ...changed, from: before, to: after };
}

/** A value with one word for what is unknown. */
function known(value: Json): Json {
  if (typeof value === "string") return withoutPlaceholders(value);
  if (Array.isArray(value)) return value.map(known);
  if (!isMapping(value)) return value;
  return Object.fromEntries(Object.entries(value).map(([key, inner]) => [key, known(inner)]));
}

function holds(value: Json, path: string, secrets: Secrets): boolean {
  if (typeof value === "string") return isImage(path) ? holdsInImage(value, secrets) : holdsOne(value, secrets);
  if (typeof value === "number") return holdsWithin(String(value), secrets);
  if (Array.isArray(value)) return value.some((one) => holds(one, path, secrets));
  return isMapping(value) && Object.entries(value).some(([key, one]) => holds(one, key, secrets));
}

function isImage(path: string): boolean {
  return /(?:^|\.)image$/u.test(path);
}

/** In the name of an image, words are no secrets: a database and its user often have the name of the image. */
function holdsInImage(image: string, secrets: Secrets): boolean {
  const name = image.slice(image.lastIndexOf("/") + 1);
  const end = name.search(/[:@]/u);
  const version = end < 0 ? "" : name.slice(end + 1);
  return holdsOne(version, secrets) || holdsWithin(image, secrets, (text) => !/^[a-z]{1,16}$/u.test(text));
}

export function holdsOne(text: string, secrets: Secrets): boolean {
  return (text.length < SHORTEST && secrets.whole.has(text.toLowerCase())) || holdsWithin(text, secrets);
}

function holdsWithin(text: string, { whole, lengths }: Secrets, counts = (_text: string): boolean => true): boolean {
  return readingsOf(text).some((written) => {
    const reading = written.toLowerCase();
    for (let start = 0; start + SHORTEST <= reading.length; start += 1) {
      for (const length of lengths.get(reading.slice(start, start + SHORTEST)) ?? []) {
        const found = reading.slice(start, start + length);
        if (whole.has(found) && counts(found)) return true;
      }
    }
    return false;
  });
}

/**
 * The text, and what it says to readers of URLs, of JSON and of base64, such as that of a user and a password. Fewer texts are
 * shown than there are values, so what is shown is decoded.
 */
function readingsOf(text: string): readonly string[] {
  const url = text.replace(/(?:%[0-9a-f]{2})+/giu, (bytes) => Buffer.from(bytes.replaceAll("%", ""), "hex").toString());
  const json = text.replace(/\\(?:u[0-9a-fA-F]{4}|["\\/bfnrt])/gu, (escaped) => String(JSON.parse(`"${escaped}"`)));
  // What precedes base64 may have only characters of base64, so it may begin at any of them.
  const base64 = (text.match(/[\w+/-]{6,}/gu) ?? []).flatMap((word) =>
    [0, 1, 2, 3].map((start) => Buffer.from(word.slice(start), "base64").toString()),
  );
  return [...new Set([text, url, json]), ...base64];
}
