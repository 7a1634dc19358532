/** The missing spaces: the positions, in order, and how many. */
export interface MissingSpaces {
  readonly offsets: readonly number[];
  readonly counts: readonly number[];
  /** The positions of tabs to replace, outside of scalars. */
  readonly tabs: readonly number[];
}

/** Adding spaces may make the text this many times as long. Text that needs more was made to be slow. */
const GROWTH = 4;
const GROWTH_OF_ANY = 1 << 16;

/**
 * Finds the spaces that YAML 1.2 requires and Go's readers do not; undefined if none are missing, or if this is
 * unknown. It scans lines without a grammar, so callers must verify the result.
 */
export function missingSpaces(text: string): MissingSpaces | undefined {
  const room = GROWTH * text.length + GROWTH_OF_ANY;
  // A byte order mark is not part of the text.
  const start = text.startsWith("\uFEFF") ? 1 : 0;
  const scan: Scan = { text, at: start, column: -1, spaces: [], counts: [], tabs: [], room };
  while (scan.at < text.length) if (!scanLine(scan)) return undefined;
  const { spaces, counts, tabs } = scan;
  return spaces.length === 0 && tabs.length === 0 ? undefined : { offsets: spaces, counts, tabs };
}

interface Scan {
  readonly text: string;
  at: number;
  /** The column of the key or dash to which the next node belongs; -1 for a document. */
  column: number;
  readonly spaces: number[];
  readonly counts: number[];
  readonly tabs: number[];
  /** How many spaces may still be added. */
  room: number;
}

/** Scans a line of block context, and everything that it begins. False if that does not end. */
function scanLine(scan: Scan): boolean {
  const { text } = scan;
  const lineStart = scan.at;
  const isMarker = isMarkerAt(text, lineStart);
  if (isMarker) scan.at += MARKER_LENGTH;
  if (isMarker || text[lineStart] === "%") scan.column = -1;
  if (text[lineStart] === "%") return toNextLine(scan);
  for (;;) {
    const from = scan.at;
    skipBlanks(scan);
    const start = scan.at;
    const column = start - lineStart;
    // Go's readers accept no tab after a dash and at the beginning of a line.
    if (text[from - 1] !== "-" && from > lineStart) noteTabs(scan, from);
    const first = text[start];
    if (first === undefined || isBreak(first) || first === "#") return toNextLine(scan);
    if ((first === "-" || first === "?" || first === ":") && isEnd(text[start + 1])) {
      if (first !== ":") scan.column = column;
      scan.at += 1;
    } else if (first === "&" || first === "!" || first === "*") {
      skipWord(scan);
    } else if (first === "|" || first === ">") {
      toNextLine(scan);
      return skipDeeper(scan);
    } else if (first === '"' || first === "'" || first === "[" || first === "{") {
      const isClosed = first === '"' || first === "'" ? scanQuoted(scan, first) : scanFlow(scan);
      if (!isClosed) return false;
      noteComment(scan);
      if (!isBeforeColon(scan)) return toNextLine(scan);
      scan.column = column;
    } else {
      const isKey = scanPlain(scan);
      if (!isKey) {
        toNextLine(scan);
        return skipDeeper(scan);
      }
      scan.column = column;
    }
  }
}

const MARKER_LENGTH = 3;

function isMarkerAt(text: string, at: number): boolean {
  return (text.startsWith("---", at) || text.startsWith("...", at)) && isEnd(text[at + MARKER_LENGTH]);
}

const isBreak = (character: string | undefined): boolean => character === "\n" || character === "\r";
const isBlank = (character: string | undefined): boolean => character === " " || character === "\t";
const isEnd = (character: string | undefined): boolean =>
  character === undefined || isBlank(character) || isBreak(character);

function skipBlanks(scan: Scan): void {
  while (isBlank(scan.text[scan.at])) scan.at += 1;
}

function skipWord(scan: Scan): void {
  while (!isEnd(scan.text[scan.at])) scan.at += 1;
}

/** True before the colon of a key. */
function isBeforeColon(scan: Scan): boolean {
  skipBlanks(scan);
  return scan.text[scan.at] === ":" && isEnd(scan.text[scan.at + 1]);
}

function toNextLine(scan: Scan): true {
  const { text } = scan;
  while (scan.at < text.length && !isBreak(text[scan.at])) scan.at += 1;
  skipBreak(scan);
  return true;
}

function skipBreak(scan: Scan): void {
  if (scan.text[scan.at] === "\r" && scan.text[scan.at + 1] === "\n") scan.at += 1;
  if (scan.at < scan.text.length) scan.at += 1;
}

/** Skips the lines of a block scalar, or the continuation of a plain one: deeper lines and empty lines. */
function skipDeeper(scan: Scan): true {
  const { text, column } = scan;
  while (scan.at < text.length) {
    let first = scan.at;
    while (text[first] === " ") first += 1;
    if (first < text.length && !isBreak(text[first]) && (first - scan.at <= column || isMarkerAt(text, scan.at))) break;
    toNextLine(scan);
  }
  return true;
}

/** Skips to the end of a plain scalar in its line; true if it is a key. */
function scanPlain(scan: Scan): boolean {
  const { text } = scan;
  for (; scan.at < text.length && !isBreak(text[scan.at]); scan.at += 1) {
    if (text[scan.at] === ":" && isEnd(text[scan.at + 1])) return true;
    if (text[scan.at] === "#" && isBlank(text[scan.at - 1])) return false;
  }
  return false;
}

/** Skips a quoted scalar; false if it does not end. */
function scanQuoted(scan: Scan, quote: string): boolean {
  const { text } = scan;
  for (scan.at += 1; scan.at < text.length;) {
    const character = text[scan.at];
    if (character === quote) {
      scan.at += 1;
      if (quote === '"' || text[scan.at] !== quote) return true;
      scan.at += 1;
    } else if (character === "\\" && quote === '"' && !isBreak(text[scan.at + 1])) scan.at += 2;
    else if (isBreak(character)) {
      if (!continueLine(scan)) return false;
    } else scan.at += 1;
  }
  return false;
}

/** Skips a flow collection; false if it does not end. */
function scanFlow(scan: Scan): boolean {
  const { text } = scan;
  let depth = 0;
  while (scan.at < text.length) {
    const character = text[scan.at];
    if ((character === '"' || character === "'") && isBeforeToken(text, scan.at)) {
      if (!scanQuoted(scan, character)) return false;
      noteComment(scan);
      continue;
    }
    if (isBreak(character)) {
      if (!continueLine(scan)) return false;
      continue;
    }
    if (isBlank(character)) {
      const from = scan.at;
      skipBlanks(scan);
      if (isAround(text[from - 1]) || isAround(text[scan.at])) noteTabs(scan, from);
      continue;
    }
    if (character === "#" && isEnd(text[scan.at - 1])) {
      while (scan.at < text.length && !isBreak(text[scan.at])) scan.at += 1;
      continue;
    }
    scan.at += 1;
    if (character === "[" || character === "{") depth += 1;
    else if (character === "]" || character === "}") depth -= 1;
    if (depth === 0) return true;
    if (character !== undefined && "[]{},".includes(character)) noteComment(scan);
  }
  return false;
}

/** True for a separator in a flow collection. */
function isAround(character: string | undefined): boolean {
  return character === undefined || isBreak(character) || "[]{},:#\"'".includes(character);
}

function noteTabs(scan: Scan, from: number): void {
  for (let i = from; i < scan.at; i++) if (scan.text[i] === "\t") scan.tabs.push(i);
}

/** A quote begins a scalar only where one may begin. In `it's`, it is part of a plain scalar. */
function isBeforeToken(text: string, at: number): boolean {
  const before = text[at - 1];
  return isEnd(before) || (before !== undefined && "[{,:".includes(before));
}

/** Continues with the next line and records the spaces that are missing in it. False if Go's readers reject it. */
function continueLine(scan: Scan): boolean {
  skipBreak(scan);
  const { text, at, column } = scan;
  if (isMarkerAt(text, at)) return false;
  let first = at;
  while (text[first] === " ") first += 1;
  // The column of an empty line does not matter, also at the end.
  if (first - at > column || first === text.length || isBreak(text[first])) return true;
  return note(scan, at, column + 1);
}

/** Records the space that is missing before a comment. */
function noteComment(scan: Scan): void {
  if (scan.text[scan.at] === "#") note(scan, scan.at, 1);
}

function note(scan: Scan, at: number, count: number): boolean {
  scan.spaces.push(at);
  scan.counts.push(count);
  scan.room -= count;
  return scan.room >= 0;
}
