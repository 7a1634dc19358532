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

interface Sides {
  readonly ours: string;
  readonly theirs: string;
  /** The lines of the opening markers. */
  readonly lines: readonly number[];
}

/** Resolves conflicts that contain only our entries: both sides parse, and they are equal without these entries. */
export function resolveOwn(text: string, limits: Limits, isVersioned: boolean): Resolved {
  const marker = text.includes("<<<<<<<") || text.includes(">>>>>>>") ? MARKER.exec(text) : null;
  if (marker === null) return { is: "none" };
  const sides = sidesOf(text);
  // An incomplete conflict, edited by a person.
  if (sides === undefined) return { is: "conflict", line: text.slice(0, marker.index).split("\n").length };
  const line = sides.lines[0] ?? 1;
  const isCopy = copyNames([sides.ours, sides.theirs], { limits, isVersioned });
  const copies = {
    ours: withoutCopies(sides.ours, limits, isCopy),
    theirs: withoutCopies(sides.theirs, limits, isCopy),
  };
  const ours = read(copies.ours?.text ?? sides.ours, limits);
  const theirs = read(copies.theirs?.text ?? sides.theirs, limits);
  if (ours === undefined || theirs === undefined) return { is: "conflict", line };
  const rest = stripped(ours);
  if (rest !== stripped(theirs)) return { is: "conflict", line: firstOther(text, limits) ?? line };
  const wanted = chosen(undefined, ours.entries, theirs.entries);
  const stamped = wanted === undefined ? undefined : withAgain(rest, wanted, limits);
  const resolved = stamped === undefined ? undefined : withCopiesOf(stamped.tree.text, copies, limits);
  return resolved === undefined ? { is: "conflict", line } : { is: "resolved", text: resolved };
}

const HUNK = /^<{7,}(?: [^\n]*)?\n([^]*?)(?:^\|{7,}[^\n]*\n[^]*?)?^={7,}\r?\n([^]*?)^>{7,}[^\n]*(?:\n|$)/gmu;
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
  const hunks = [...text.matchAll(HUNK)].map(({ 0: all, 1: ours = "", 2: theirs = "", index }) => ({
    all,
    index,
    ours,
    theirs,
    both: union(ours, theirs),
  }));
  if (hunks.length !== conflicts) return merged;
  const filled = (choose: (hunk: (typeof hunks)[number]) => string): string => {
    let end = 0;
    const parts = hunks.flatMap((hunk) => {
      const before = text.slice(end, hunk.index);
      end = hunk.index + hunk.all.length;
      return [before, choose(hunk)];
    });
    return [...parts, text.slice(end)].join("");
  };
  const ours = read(
    filled((hunk) => hunk.ours),
    limits,
  );
  if (ours === undefined) return merged;
  const rest = stripped(ours);
  const ownHunks = new Set(
    hunks.filter((hunk) => {
      if (hunk.both === undefined) return false;
      const other = read(
        filled((one) => (one === hunk ? hunk.theirs : one.ours)),
        limits,
      );
      return other !== undefined && stripped(other) === rest;
    }),
  );
  return {
    text: filled((hunk) => (ownHunks.has(hunk) ? (hunk.both ?? hunk.all) : hunk.all)),
    conflicts: conflicts - ownHunks.size,
  };
}

/** The entries of ours in both sides of a conflict; undefined if it has other lines. */
function union(ours: string, theirs: string): string | undefined {
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
function firstOther(text: string, limits: Limits): number | undefined {
  const { lines = [], ours = "" } = sidesOf(text) ?? {};
  const before = read(ours, limits);
  if (before === undefined) return lines[0];
  const rest = stripped(before);
  let [own, other] = [-1, lines.length - 1];
  while (other - own > 1) {
    const middle = Math.floor((own + other) / 2);
    const side = read(sidesOf(text, middle)?.theirs ?? "", limits);
    if (side !== undefined && stripped(side) === rest) own = middle;
    else other = middle;
  }
  return lines[other];
}

const START = /^(<{7,})(?: |$)/u;

/** A marker at the beginning of a line, where manifests have no text. */
const MARKER = /^(?:<{7,}|>{7,})(?: |\r?$)/mu;

/**
 * Both sides of the text with conflict markers; undefined if the markers are incomplete. With `last`, the second side
 * takes only the hunks up to that conflict.
 */
function sidesOf(text: string, last?: number): Sides | undefined {
  const ours: string[] = [];
  const theirs: string[] = [];
  const lines: number[] = [];
  let marker = "";
  let part: "both" | "ours" | "base" | "theirs" = "both";
  const all = text.match(/[^\n]*\n|[^\n]+$/gu) ?? [];
  for (const [i, line] of all.entries()) {
    const bare = line.replace(/\r?\n$/u, "");
    const isMark = (sign: string): boolean =>
      bare === sign.repeat(marker.length) || bare.startsWith(`${sign.repeat(marker.length)} `);
    const start = part === "both" ? START.exec(bare)?.[1] : undefined;
    if (start !== undefined) {
      marker = start;
      part = "ours";
      lines.push(i + 1);
    } else if (part === "ours" && isMark("|")) part = "base";
    else if ((part === "ours" || part === "base") && isMark("=")) part = "theirs";
    else if (part === "theirs" && isMark(">")) part = "both";
    else {
      const takesTheirs = last === undefined || lines.length - 1 <= last;
      if (part === "both" || part === "ours") ours.push(line);
      if (part === "both" || (takesTheirs ? part === "theirs" : part === "ours")) theirs.push(line);
    }
  }
  return lines.length === 0 || part !== "both" ? undefined : { ours: ours.join(""), theirs: theirs.join(""), lines };
}
