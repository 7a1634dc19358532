/** Spaces that are missing in a text: where, in the order of the text, and how many. */
export interface MissingSpaces {
  readonly at: readonly number[];
  readonly counts: readonly number[];
  /** Where tabs stand in their place, between what is no text. */
  readonly tabs: readonly number[];
}

/** Spaces may make a text this many times as long: what needs more was made to be slow. */
const GROWTH = 4;
const GROWTH_OF_ANY = 1 << 16;

/**
 * Where a text lacks spaces by YAML 1.2 that Go's readers don't ask for; undefined where it lacks none, and
 * where that can't be told. It follows the lines of a text, not its grammar: whoever uses the answer
 * has to look whether it was right.
 */
export function missingSpaces(text: string): MissingSpaces | undefined {
  const room = GROWTH * text.length + GROWTH_OF_ANY;
  // A byte order mark is no text.
  const start = text.startsWith("\uFEFF") ? 1 : 0;
  const scan: Scan = { text, at: start, column: -1, spaces: [], counts: [], tabs: [], room };
  while (scan.at < text.length) if (!scanLine(scan)) return undefined;
  const { spaces, counts, tabs } = scan;
  return spaces.length === 0 && tabs.length === 0 ? undefined : { at: spaces, counts, tabs };
}

interface Scan {
  readonly text: string;
  at: number;
  /** The column of the key or the dash that what comes next belongs to; -1 for a document. */
  column: number;
  readonly spaces: number[];
  readonly counts: number[];
  readonly tabs: number[];
  /** How many spaces may still be put in. */
  room: number;
}

/** Goes over a line of block context, and over all that it begins. False where that has no end. */
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
    // Behind a dash, and where a line begins, Go's readers take no tab.
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

/** True where the colon of a key comes next. */
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

/** Skips the lines of a block scalar, or what a plain one goes on with: deeper ones, and empty ones. */
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

/** Goes behind a plain scalar's end on its line; true where it is a key. */
function scanPlain(scan: Scan): boolean {
  const { text } = scan;
  for (; scan.at < text.length && !isBreak(text[scan.at]); scan.at += 1) {
    if (text[scan.at] === ":" && isEnd(text[scan.at + 1])) return true;
    if (text[scan.at] === "#" && isBlank(text[scan.at - 1])) return false;
  }
  return false;
}

/** Goes behind a quoted scalar; false where it doesn't end. */
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

/** Goes behind a flow collection; false where it doesn't end. */
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

/** True for what parts texts in a flow collection. */
function isAround(character: string | undefined): boolean {
  return character === undefined || isBreak(character) || "[]{},:#\"'".includes(character);
}

function noteTabs(scan: Scan, from: number): void {
  for (let at = from; at < scan.at; at++) if (scan.text[at] === "\t") scan.tabs.push(at);
}

/** A quote begins a scalar only where one may begin: elsewhere it is a plain one's, as in `it's`. */
function isBeforeToken(text: string, at: number): boolean {
  const before = text[at - 1];
  return isEnd(before) || (before !== undefined && "[{,:".includes(before));
}

/** Goes to the next line of what goes on there; notes the spaces that it lacks. False for what Go refuses. */
function continueLine(scan: Scan): boolean {
  skipBreak(scan);
  const { text, at, column } = scan;
  if (isMarkerAt(text, at)) return false;
  let first = at;
  while (text[first] === " ") first += 1;
  // Of an empty line, a last one too, no column is looked at.
  if (first - at > column || first === text.length || isBreak(text[first])) return true;
  return note(scan, at, column + 1);
}

/** Notes the space that is missing before a comment which stands right behind what it follows. */
function noteComment(scan: Scan): void {
  if (scan.text[scan.at] === "#") note(scan, scan.at, 1);
}

function note(scan: Scan, at: number, count: number): boolean {
  scan.spaces.push(at);
  scan.counts.push(count);
  scan.room -= count;
  return scan.room >= 0;
}
