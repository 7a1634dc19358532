import { countBelow } from "../../base/sorted.ts";
import { COLLECTION_STYLE, EVENT_ID, parseEvents, SCALAR_STYLE, YAMLException, type Event } from "js-yaml";
import { missingSpaces, type MissingSpaces } from "./missing-spaces.ts";

// Go's readers accept what YAML 1.2 does not: a quoted scalar or a flow collection that continues at or left of the
// column of its key (kyaml prints the closing quote of a long string at column 0), and a comment directly after a value
// (go-yaml, scannerc.go, does not check this). js-yaml rejects both, and flow collections after a tab in their line.

/**
 * js-yaml's events of the text, including what only Go's readers accept. The offsets are those of the text, and the
 * values are those that Go's readers read. Throws js-yaml's YAMLException. If js-yaml rejects the text, it gets it
 * again with more spaces: before continuation lines that are too far left, before comments that are too close, and
 * instead of tabs. Spaces have no meaning there, so the result is right if all of them are in such places. The events
 * show whether they are, because the state of a parser depends only on the text before.
 */
export function parseLenient(text: string, maxDepth: number): Event[] {
  try {
    return parseEvents(text, { maxDepth });
  } catch (cause) {
    if (!(cause instanceof YAMLException)) throw cause;
    const spaces = missingSpaces(text);
    if (spaces === undefined) throw cause;
    const events = parseSpaced(spacedOut(text, spaces), maxDepth);
    if (events === undefined || !areInside(text, events, spaces)) throw cause;
    return movedBack(events, spaces);
  }
}

function parseSpaced(text: string, maxDepth: number): Event[] | undefined {
  try {
    return parseEvents(text, { maxDepth });
  } catch (cause) {
    if (cause instanceof YAMLException) return undefined;
    throw cause;
  }
}

function spacedOut(given: string, { offsets, counts, tabs }: MissingSpaces): string {
  const text = tabs.length === 0 ? given : withSpaces(given, tabs);
  const parts: string[] = [];
  let from = 0;
  for (const [i, offset] of offsets.entries()) {
    parts.push(text.slice(from, offset), " ".repeat(counts[i] ?? 0));
    from = offset;
  }
  parts.push(text.slice(from));
  return parts.join("");
}

function withSpaces(text: string, tabs: readonly number[]): string {
  const parts: string[] = [];
  let from = 0;
  for (const tab of tabs) {
    parts.push(text.slice(from, tab));
    from = tab + 1;
  }
  parts.push(text.slice(from));
  return parts.join(" ");
}

/** The offsets of the added spaces in the new text. */
function offsetsIn({ offsets, counts }: MissingSpaces): number[] {
  let before = 0;
  return offsets.map((offset, i) => {
    const moved = offset + before;
    before += counts[i] ?? 0;
    return moved;
  });
}

/** The offsets of the tabs in the new text. */
function tabsIn({ offsets, counts, tabs }: MissingSpaces): number[] {
  let next = 0;
  let before = 0;
  return tabs.map((tab) => {
    for (; next < offsets.length && (offsets[next] ?? 0) <= tab; next++) before += counts[next] ?? 0;
    return tab + before;
  });
}

/**
 * Whether all spaces are in quoted scalars and flow collections, or before comments after them, by the events of the
 * new text.
 */
function areInside(text: string, events: readonly Event[], spaces: MissingSpaces): boolean {
  const offsets = offsetsIn(spaces);
  const tabs = tabsIn(spaces);
  let next = 0;
  let nextTab = 0;
  // Collects the ends of scalars, and of flow collections by their last content.
  let flowDepth = 0;
  const depths: boolean[] = [];
  const isSafe = (i: number): boolean => {
    const offset = spaces.offsets[i] ?? 0;
    // In block context, a closing bracket or a comma is an error, and a comment may be anywhere.
    return /^[ \t]*[\]},#]/u.test(text.slice(offset, offset + LOOK));
  };
  for (const event of events) {
    if (event.type === EVENT_ID.POP) {
      if (depths.pop() === true) flowDepth -= 1;
      continue;
    }
    if (event.type === EVENT_ID.DOCUMENT) {
      depths.push(false);
      continue;
    }
    const start =
      event.type === EVENT_ID.SCALAR
        ? event.valueStart
        : event.type === EVENT_ID.ALIAS
          ? event.anchorStart
          : event.start;
    if (start >= 0) {
      for (; next < offsets.length && (offsets[next] ?? 0) < start; next++)
        if (flowDepth === 0 && !isSafe(next)) return false;
    }
    if (event.type === EVENT_ID.SCALAR) {
      const isQuoted = event.style === SCALAR_STYLE.SINGLE_QUOTED || event.style === SCALAR_STYLE.DOUBLE_QUOTED;
      for (; next < offsets.length && (offsets[next] ?? 0) <= event.valueEnd; next++) {
        const isPlainInFlow =
          event.style === SCALAR_STYLE.PLAIN && flowDepth > 0 && (offsets[next] ?? 0) < event.valueEnd;
        if (!isQuoted && !isPlainInFlow) return false;
      }
      // In a scalar, a tab is part of the value.
      while (nextTab < tabs.length && (tabs[nextTab] ?? 0) < event.valueStart) nextTab += 1;
      if ((tabs[nextTab] ?? Number.POSITIVE_INFINITY) < event.valueEnd) return false;
    } else if (event.type === EVENT_ID.MAPPING || event.type === EVENT_ID.SEQUENCE) {
      const isFlow = event.style === COLLECTION_STYLE.FLOW;
      depths.push(isFlow);
      if (isFlow) flowDepth += 1;
    }
  }
  for (; next < offsets.length; next++) if (!isSafe(next)) return false;
  return true;
}

const LOOK = 1024;

/** Events with their offsets in the original text. */
function movedBack(events: Event[], spaces: MissingSpaces): Event[] {
  const offsets = offsetsIn(spaces);
  const ends = [0];
  for (const count of spaces.counts) ends.push((ends.at(-1) ?? 0) + count);
  const back = (offset: number): number => {
    if (offset < 0) return offset;
    const before = countBelow(offsets, offset);
    return Math.max(offset - (ends[before] ?? 0), spaces.offsets[before - 1] ?? 0);
  };
  return events.map((event): Event => {
    if (event.type === EVENT_ID.POP || event.type === EVENT_ID.DOCUMENT) return event;
    const anchor = { anchorStart: back(event.anchorStart), anchorEnd: back(event.anchorEnd) };
    if (event.type === EVENT_ID.ALIAS) return { ...event, ...anchor };
    const marks = { ...anchor, tagStart: back(event.tagStart), tagEnd: back(event.tagEnd) };
    if (event.type === EVENT_ID.SCALAR)
      return { ...event, ...marks, valueStart: back(event.valueStart), valueEnd: back(event.valueEnd) };
    return { ...event, ...marks, start: back(event.start) };
  });
}
