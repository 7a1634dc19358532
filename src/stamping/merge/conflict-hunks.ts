import { RESTARTED_AT } from "../../base/keys.ts";
import type { Limits } from "../../base/limits.ts";
import { chosen } from "./chosen.ts";
import { read, stripped, withAgain, type Merged } from "./merge-texts.ts";
import { isOwnKey } from "./own-entries.ts";
import { copyNames, hasCopies, withCopiesAgain, withoutCopies, type WithoutCopies } from "./own-copies.ts";

/** The result of resolving git's conflict markers. */
export type Resolved =
  | { readonly is: "none" }
  /** Only our entries were in conflict. */
  | { readonly is: "resolved"; readonly text: string }
  /** Other conflicts remain: the line of the first marker, from 1. */
  | { readonly is: "conflict"; readonly line: number };

/** A conflict as git marks it. */
interface Hunk {
  readonly ours: string;
  readonly theirs: string;
  /** With its markers. */
  readonly all: string;
  /** The line of the opening marker, from 1. */
  readonly line: number;
}

/** Resolves conflicts that contain only our entries: both sides parse, and they are equal without these entries. */
export function resolveOwn(text: string, limits: Limits, isVersioned: boolean): Resolved {
  const marker = text.includes("<<<<<<<") || text.includes(">>>>>>>") ? MARKER.exec(text) : null;
  if (marker === null) return { is: "none" };
  const pieces = piecesOf(text);
  // An incomplete conflict, edited by a person.
  if (pieces === undefined) return { is: "conflict", line: text.slice(0, marker.index).split("\n").length };
  const hunks = hunksOf(pieces);
  const line = hunks[0]?.line ?? 1;
  const sides = { ours: filled(pieces, (hunk) => hunk.ours), theirs: filled(pieces, (hunk) => hunk.theirs) };
  const isCopy = copyNames([sides.ours, sides.theirs], { limits, isVersioned });
  const copies = {
    ours: withoutCopies(sides.ours, limits, isCopy),
    theirs: withoutCopies(sides.theirs, limits, isCopy),
  };
  const ours = read(copies.ours?.text ?? sides.ours, limits);
  const theirs = read(copies.theirs?.text ?? sides.theirs, limits);
  if (ours === undefined || theirs === undefined) return { is: "conflict", line };
  const rest = stripped(ours);
  if (rest !== stripped(theirs)) return { is: "conflict", line: firstOther(pieces, limits) ?? line };
  const wanted = chosen(undefined, ours.entries, theirs.entries);
  const stamped = wanted === undefined ? undefined : withAgain(rest, wanted, limits);
  const resolved = stamped === undefined ? undefined : withCopiesOf(stamped.tree.text, copies, limits);
  return resolved === undefined ? { is: "conflict", line } : { is: "resolved", text: resolved };
}

/** An entry of ours in a line of its own, without a comment. */
const ENTRY = /^[ \t]*["']?([a-z]*\.?rollstamp\.dev\/[^"':\s]+)["']?[ \t]*:([^#\n]*)\n?$/u;
/** Each conflict is parsed. */
const MOST_HUNKS = 200;

/**
 * Git's result, in which conflicts of nothing but our entries are resolved: both sides' entries, and the later of two restarts.
 * Other conflicts remain, also those in text that only looks like our entries.
 */
export function withoutOwnHunks(merged: Merged, limits: Limits): Merged {
  const { text, conflicts } = merged;
  // Markers in the content are not searched for their ends.
  if (conflicts === 0 || conflicts > MOST_HUNKS || text.match(/^<{7}/gmu)?.length !== conflicts) return merged;
  const pieces = piecesOf(text) ?? [];
  const hunks = hunksOf(pieces);
  if (hunks.length !== conflicts) return merged;
  const ours = readWith(pieces, (hunk) => hunk.ours, limits);
  if (ours === undefined) return merged;
  const rest = stripped(ours);
  const resolved = new Map<Hunk, string>();
  for (const hunk of hunks) {
    const both = union(hunk);
    if (both === undefined) continue;
    const other = readWith(pieces, (one) => (one === hunk ? hunk.theirs : one.ours), limits);
    if (other !== undefined && stripped(other) === rest) resolved.set(hunk, both);
  }
  return { text: filled(pieces, (hunk) => resolved.get(hunk) ?? hunk.all), conflicts: conflicts - resolved.size };
}

/** The entries of ours in both sides of a conflict; undefined if it has other lines. */
function union({ ours, theirs }: Hunk): string | undefined {
  const lines = new Map<string, { readonly line: string; readonly value: string }>();
  for (const line of [ours, theirs].flatMap((side) => side.match(/[^\n]*\n/gu) ?? [])) {
    const [, key = "", value = ""] = ENTRY.exec(line) ?? [];
    if (!isOwnKey(key)) return undefined;
    const known = lines.get(key);
    if (known === undefined || (key === RESTARTED_AT && value > known.value)) lines.set(key, { line, value });
  }
  return [...lines]
    .sort(([a], [b]) => (a < b ? -1 : 1))
    .map(([, { line }]) => line)
    .join("");
}

function withCopiesOf(
  text: string,
  { ours, theirs }: Readonly<Record<"ours" | "theirs", WithoutCopies | undefined>>,
  limits: Limits,
): string | undefined {
  if (ours === undefined || theirs === undefined) return text;
  return hasCopies(ours) || hasCopies(theirs) ? withCopiesAgain(text, { base: undefined, ours, theirs }, limits) : text;
}

/**
 * The line of the first conflict that is not only about our entries. A binary search finds it with few parses: up to
 * the conflict before it, the text with the other side's hunks equals ours, apart from our entries.
 */
function firstOther(pieces: Pieces, limits: Limits): number | undefined {
  const lines = hunksOf(pieces).map(({ line }) => line);
  const before = readWith(pieces, (hunk) => hunk.ours, limits);
  if (before === undefined) return lines[0];
  const rest = stripped(before);
  let [own, other] = [-1, lines.length - 1];
  while (other - own > 1) {
    const middle = Math.floor((own + other) / 2);
    const last = lines[middle] ?? 0;
    const side = readWith(pieces, (hunk) => (hunk.line <= last ? hunk.theirs : hunk.ours), limits);
    if (side !== undefined && stripped(side) === rest) own = middle;
    else other = middle;
  }
  return lines[other];
}

/** The lines of the text, and its conflicts between them. */
type Pieces = readonly (string | Hunk)[];

function hunksOf(pieces: Pieces): readonly Hunk[] {
  return pieces.filter((piece) => typeof piece !== "string");
}

/** The text with something in place of each conflict. */
function filled(pieces: Pieces, choose: (hunk: Hunk) => string): string {
  return pieces.map((piece) => (typeof piece === "string" ? piece : choose(piece))).join("");
}

function readWith(pieces: Pieces, choose: (hunk: Hunk) => string, limits: Limits): ReturnType<typeof read> {
  return read(filled(pieces, choose), limits);
}

const START = /^(<{7,})(?: |$)/u;

/** A marker at the beginning of a line, where manifests have no text. */
const MARKER = /^(?:<{7,}|>{7,})(?: |\r?$)/mu;

/** Undefined if the text has no conflict, or if the markers of one are incomplete. */
function piecesOf(text: string): Pieces | undefined {
  const pieces: (string | Hunk)[] = [];
  let marker = "";
  let part: "both" | "ours" | "base" | "theirs" = "both";
  let open = { ours: "", theirs: "", all: "", line: 0 };
  const all = text.match(/[^\n]*\n|[^\n]+$/gu) ?? [];
  for (const [i, line] of all.entries()) {
    const bare = line.replace(/\r?\n$/u, "");
    const isMark = (sign: string): boolean =>
      bare === sign.repeat(marker.length) || bare.startsWith(`${sign.repeat(marker.length)} `);
    const start = part === "both" ? START.exec(bare)?.[1] : undefined;
    if (start !== undefined) {
      marker = start;
      part = "ours";
      open = { ours: "", theirs: "", all: "", line: i + 1 };
    }
    if (part === "both") {
      pieces.push(line);
      continue;
    }
    open.all += line;
    if (start !== undefined) continue;
    if (part === "ours" && isMark("|")) part = "base";
    else if (part !== "theirs" && isMark("=")) part = "theirs";
    else if (part === "theirs" && isMark(">")) {
      part = "both";
      pieces.push(open);
    } else if (part !== "base") open[part] += line;
  }
  return marker === "" || part !== "both" ? undefined : pieces;
}
