import { plainText } from "./blocks.ts";
import picocolors from "picocolors";
import { escapedUnits, printable } from "../../findings/results/terminal.ts";
import { type Tone, type Words } from "./document.ts";

// Text in styles: broken into lines, guarded against what runners take for commands, and painted.

/** Narrower than this, every word would be a line. */
const FEWEST_COLUMNS = 40;

/** A stretch of text in one style. */
export interface Run {
  readonly text: string;
  readonly isStrong: boolean;
  readonly tone: Tone | undefined;
}

export interface Line {
  readonly indent: number;
  /** Where the line continues if it is broken. */
  readonly hanging: number;
  readonly runs: readonly Run[];
  /** What follows a colon: a line of its own if it has no room behind, and is not broken then. */
  readonly rest?: Rest;
  /** Whether only a terminal breaks it. */
  readonly isWhole?: boolean;
}

interface Rest {
  readonly words: Words;
  /** Whether it begins with a capital letter on a line of its own. */
  readonly isSentence: boolean;
}

export type Measure = (text: string) => number;

export function plain(text: string): Run {
  return { text, isStrong: false, tone: undefined };
}

export function runsOf(words: Words): readonly Run[] {
  return styled(words, plain(""));
}

function styled(words: Words, style: Run): readonly Run[] {
  return words.flatMap((part): readonly Run[] => {
    if (typeof part === "string") return [{ ...style, text: printable(part) }];
    if ("code" in part) return [{ ...style, text: printable(part.code) }];
    if ("strong" in part) return styled(part.strong, { ...style, isStrong: true });
    return styled(part.words, "tone" in part ? { ...style, tone: part.tone } : style);
  });
}

/** A line broken at its spaces where it is longer than the terminal is wide. A longer word stays whole: people copy it. */
export function broken(given: Line, columns: number | undefined, measure: Measure): Run[][] {
  const width = columns === undefined ? Infinity : Math.max(columns, FEWEST_COLUMNS);
  const widthOf = (runs: readonly Run[]): number => measure(runs.map((run) => run.text).join(""));
  const { rest } = given;
  const indent = Math.min(given.indent, Math.floor(width / 2));
  // At least half of a line is for the text.
  const next = Math.min(given.hanging, Math.floor(width / 2));
  const whole = rest === undefined ? given.runs : [...given.runs, plain(": "), ...runsOf(rest.words)];
  if (given.indent + widthOf(whole) <= width) return [guarded([...spaces(given.indent), ...whole])];
  if (rest !== undefined) {
    const alone = runsOf(rest.isSentence ? sentence(rest.words) : rest.words);
    const head = { indent: given.indent, hanging: given.hanging, runs: given.runs };
    if (next + widthOf(alone) <= width)
      return [...broken(head, columns, measure), guarded([...spaces(next), ...alone])];
  }
  const lines: Run[][] = [];
  let current: Run[] = spaces(indent);
  let used = indent;
  let isEmpty = true;
  for (const word of wordsOf(whole)) {
    const length = widthOf(word);
    const isSpace = word.every((run) => run.text.trim() === "");
    if (!isEmpty && !isSpace && used + length > width) {
      lines.push(current);
      current = spaces(next);
      used = next;
    } else if (isSpace && lines.length > 0 && used === next) continue;
    current.push(...word);
    used += length;
    isEmpty = isEmpty && isSpace;
  }
  return [...lines, current].map(guarded);
}

function spaces(n: number): Run[] {
  return n === 0 ? [] : [plain(" ".repeat(n))];
}

/** Words that begin with a capital letter, unless they begin with a name. */
export function sentence(words: Words): Words {
  const [first, ...others] = words;
  return typeof first === "string" ? [`${first.slice(0, 1).toUpperCase()}${first.slice(1)}`, ...others] : words;
}

/** A label as the beginning of a sentence. */
export function capital(label: string): string {
  return plainText(sentence([label]));
}

/** Runs at the spaces between words: each element is a word or a stretch of spaces, in the styles that it has. */
function wordsOf(runs: readonly Run[]): Run[][] {
  const words: Run[][] = [];
  let wasSpace: boolean | undefined;
  for (const run of runs) {
    for (const text of run.text.match(/ +|[^ ]+/gu) ?? []) {
      const isSpace = text.startsWith(" ");
      const piece = { ...run, text };
      if (isSpace === wasSpace) words.at(-1)?.push(piece);
      else words.push([piece]);
      wasSpace = isSpace;
    }
  }
  return words;
}

/**
 * GitHub's runner takes a line that begins with `::`, indented or not, for a command
 * (actions/runner, ActionCommand.cs), and what `withoutCommands` escapes wherever it is. `printable` sees each run separately.
 */
function guarded(runs: readonly Run[]): Run[] {
  let before = "";
  const ended = runs.findLastIndex(({ text }) => text.trim() !== "");
  return runs.slice(0, ended + 1).map((run, i) => {
    let { text } = run;
    if (i === ended) text = text.trimEnd();
    if (before.endsWith("##") && /^(?:vso)?\[/iu.test(text)) text = escapedUnits(text.charAt(0)) + text.slice(1);
    else if (before.endsWith("#") && /^#(?:vso)?\[/iu.test(text)) text = `\\u0023${text.slice(1)}`;
    const colon = before.trim() === "" ? /^\s*:(?=:)/u.exec(text) : null;
    if (colon !== null) text = `${text.slice(0, colon[0].length - 1)}\\u003a${text.slice(colon[0].length)}`;
    else if (before.trim() === ":" && text.startsWith(":")) text = `\\u003a${text.slice(1)}`;
    before += run.text;
    return { ...run, text };
  });
}

export function painter(color: boolean): (runs: readonly Run[]) => string {
  const colors = picocolors.createColors(color);
  const tones = { danger: colors.red, attention: colors.yellow, ok: colors.green, muted: colors.dim };
  return (runs) =>
    runs
      .map(({ text: given, isStrong, tone }) => {
        // It has kept words in one line.
        const text = given.replaceAll("\u00a0", " ");
        if (text.trim() === "") return text;
        const painted = tone === undefined ? text : tones[tone](text);
        return isStrong ? colors.bold(painted) : painted;
      })
      .join("");
}
