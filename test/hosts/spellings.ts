// Prints manifests in every style that Go's YAML parsers accept: more than test/properties/styles.ts, which is limited to YAML 1.2. The
// same seed gives the same text.
import type { Data, Style } from "../properties/styles.ts";

/** Prints objects as a stream: as YAML, as JSON values in a row, or some of them each way. */
export function spell(documents: readonly Data[], style: Style): string {
  if (style.pick(25) === 0)
    return documents.map((document) => json(document, style)).join(pickOne(style, "\n", " ", "", "\n\n"));
  const printer = new Printer(style);
  const bodies = documents.map((document) => printer.document(document));
  const separators = ["---\n", "--- \n", "--- # next\n", "...\n---\n", "# end\n---\n\n"];
  let text = pickOne(style, "", "---\n", "# first\n---\n", "\n") + bodies.join(pickOne(style, ...separators));
  if (style.pick(10) === 0) text += pickOne(style, "...\n", "---\n", "# end", "\n\n", "---\n# nothing\n");
  const breaks = style.pick(40);
  if (breaks < 6) text = text.replaceAll("\n", "\r\n");
  else if (breaks === 6 && !text.includes("---")) text = text.replaceAll("\n", "\r");
  else if (breaks === 7 && !/[|>]|---/u.test(text)) text = text.replaceAll("\n", "\u0085");
  return style.pick(20) === 0 ? `\uFEFF${text}` : text;
}

/** What JSON.parse gave, as data to print. */
export function plainData(value: unknown): Data {
  if (Array.isArray(value)) return value.map(plainData);
  if (value !== null && typeof value === "object")
    return Object.fromEntries(Object.entries(value).map(([key, inner]) => [key, plainData(inner)]));
  if (value === null || typeof value === "string" || typeof value === "number" || typeof value === "boolean")
    return value;
  throw new Error(`${typeof value} is not in JSON`);
}

function json(data: Data, style: Style): string {
  const text = JSON.stringify(data, null, pickOne<string | number>(style, 0, 1, 2, 4, "\t"));
  return style.pick(4) === 0 ? text.replaceAll(/(?<!rollstamp\.dev)\//gu, String.raw`\/`) : text;
}

function pickOne<T>(style: Style, ...ways: readonly T[]): T {
  const way = ways[style.pick(ways.length)];
  if (way === undefined) throw new Error("nothing to pick from");
  return way;
}

const isMapping = (data: Data): data is { readonly [key: string]: Data } =>
  data !== null && typeof data === "object" && !Array.isArray(data);
const isList = (data: Data): data is readonly Data[] => Array.isArray(data);

class Printer {
  readonly #style: Style;
  /** Texts of this document that an alias may stand for: by their JSON. */
  #anchors = new Map<string, string>();
  #step = 2;
  #hasAliases = false;
  /** The last value keeps the empty lines that come behind it. */
  #keeps = false;

  constructor(style: Style) {
    this.#style = style;
  }

  document(data: Data): string {
    this.#anchors = new Map();
    this.#step = 1 + this.#style.pick(4);
    this.#hasAliases = this.#style.pick(8) === 0;
    if (this.#style.pick(12) === 0) return `${this.#flow(data, 0)}${this.#rest()}`;
    const text = isMapping(data) ? this.#mapping(data, 0) : `${this.#flow(data, 0)}\n`;
    const end = this.#keeps ? "# kept\n" : "";
    this.#keeps = false;
    return text + end;
  }

  #pick(n: number): number {
    return this.#style.pick(n);
  }

  /** What may stand between a value and its line's end. */
  #rest(): string {
    return pickOne(this.#style, "\n", "\n", "\n", "\n", " \n", "\t\n", " # why\n", "  #: {x}\n");
  }

  #ownLine(indent: number): string {
    const way = this.#pick(24);
    if (this.#keeps && way > 1) return "";
    this.#keeps = false;
    if (way === 0) return `${" ".repeat(indent)}# about: "this\n`;
    if (way === 1) return "# 'left\n";
    return way === 2 ? "\n" : way === 3 ? " \n" : "";
  }

  #mapping(data: { readonly [key: string]: Data }, indent: number): string {
    return Object.entries(data)
      .map(([key, value]) => {
        const start = this.#ownLine(indent) + " ".repeat(indent);
        // An explicit key, as printers write long ones; behind its colon no tab is taken.
        if (this.#pick(40) === 0) {
          const rest = this.#value(value, indent).replace(/^\t+/u, " ");
          return `${start}? ${this.#key(key)}\n${" ".repeat(indent)}:${rest}`;
        }
        const gap = this.#pick(30) === 0 ? " " : "";
        return `${start}${this.#key(key)}${gap}:${this.#value(value, indent)}`;
      })
      .join("");
  }

  /** What follows a colon, with its line's end. */
  #value(value: Data, indent: number): string {
    const known = this.#alias(value);
    if (known !== undefined) return ` ${known}${this.#rest()}`;
    const mark = this.#mark(value);
    const head = mark === "" ? "" : ` ${mark}`;
    if (isMapping(value) && Object.keys(value).length > 0 && this.#pick(6) > 0)
      return `${head}${this.#rest()}${this.#mapping(value, indent + this.#step)}`;
    if (isList(value) && value.length > 0 && this.#pick(6) > 0)
      return `${head}${this.#rest()}${this.#list(value, indent + (this.#pick(2) === 0 ? 0 : this.#step))}`;
    if (typeof value === "string") {
      const block = this.#pick(3) === 0 ? this.#block(value, indent) : undefined;
      if (block !== undefined) return `${head} ${block}`;
    }
    const flow = this.#flow(value, indent);
    const gap = pickOne(this.#style, " ", " ", " ", "  ", "\t");
    // A comment may stand right behind a quote and a bracket.
    const rest = /["'\]}]$/u.test(flow) && this.#pick(20) === 0 ? "# glued\n" : this.#rest();
    if (this.#pick(25) === 0 && flow !== "") return `${head}\n${" ".repeat(indent + 1 + this.#pick(3))}${flow}${rest}`;
    return `${head}${flow === "" ? "" : gap}${flow}${rest}`;
  }

  #list(items: readonly Data[], indent: number): string {
    return items
      .map((item) => {
        const dash = `${this.#ownLine(indent)}${" ".repeat(indent)}-`;
        if (isMapping(item) && Object.keys(item).length > 0 && this.#alias(item) === undefined && this.#pick(5) > 0) {
          const gap = 1 + this.#pick(3);
          const body = this.#mapping(item, indent + 1 + gap);
          return /^ +[^ #\n]/u.test(body) && !body.startsWith("\n")
            ? `${dash}${" ".repeat(gap)}${body.trimStart()}`
            : `${dash}\n${body}`;
        }
        if (isList(item) && item.length > 0 && this.#pick(2) === 0)
          return `${dash} ${this.#list(item, indent + 2).replace(/^(?:[^-].*\n|\n)*? *(?=-)/u, "")}`;
        return `${dash}${this.#value(item, indent).replace(/^\t+/u, " ")}`;
      })
      .join("");
  }

  /** An alias for what stood before, where this document has such. */
  #alias(value: Data): string | undefined {
    if (!this.#hasAliases || value === null || value === "") return undefined;
    const anchor = this.#anchors.get(JSON.stringify(value));
    return anchor !== undefined && this.#pick(2) === 0 ? `*${anchor}` : undefined;
  }

  /** A tag or an anchor that changes nothing. */
  #mark(value: Data): string {
    const marks: string[] = [];
    if (this.#pick(60) === 0) {
      if (isMapping(value)) marks.push("!!map");
      else if (isList(value)) marks.push("!!seq");
      else if (typeof value === "string" && value !== "") marks.push(pickOne(this.#style, "!!str", "!"));
    }
    if (
      this.#hasAliases &&
      value !== null &&
      value !== "" &&
      !this.#anchors.has(JSON.stringify(value)) &&
      this.#pick(4) === 0
    ) {
      const anchor = `${pickOne(this.#style, "a", "b-", "x_")}${this.#anchors.size}`;
      // What is within it may not have its alias: it is known behind it only, so only scalars take part.
      if (!isMapping(value) && !isList(value)) {
        this.#anchors.set(JSON.stringify(value), anchor);
        marks.push(`&${anchor}`);
      }
    }
    return (this.#pick(2) === 0 ? marks : marks.toReversed()).join(" ");
  }

  #key(key: string): string {
    const way = this.#pick(8);
    if (way === 0) return this.#double(key, undefined);
    if (way === 1 && isPrintable(key)) return this.#single(key, undefined);
    return isPlain(key) ? key : this.#double(key, undefined);
  }

  /** A value on its line, or on more of them at any column. */
  #flow(value: Data, indent: number): string {
    if (isList(value))
      return this.#brackets(
        "[",
        value.map((item) => this.#flow(item, indent)),
        "]",
      );
    if (isMapping(value)) {
      const entries = Object.entries(value).map(([key, item]) => {
        const name = this.#key(key);
        const colon = name.endsWith('"') && this.#pick(3) === 0 ? ":" : ": ";
        return `${name}${colon}${this.#flow(item, indent) || "null"}`;
      });
      return this.#brackets("{", entries, "}");
    }
    if (value === null) return pickOne(this.#style, "null", "~", "Null", "NULL");
    if (typeof value === "boolean")
      return value ? pickOne(this.#style, "true", "True", "TRUE") : pickOne(this.#style, "false", "False");
    if (typeof value === "number") return this.#number(value);
    const way = this.#pick(4);
    if (way === 0 && isPrintable(value)) return this.#single(value, indent);
    if (way === 1 && isPlain(value)) return value;
    return this.#double(value, indent);
  }

  #number(value: number): string {
    const text = String(value);
    return /^[1-9]\d*$/u.test(text) ? pickOne(this.#style, text, text, `+${text}`, `0x${value.toString(16)}`) : text;
  }

  #brackets(open: string, parts: readonly string[], close: string): string {
    if (parts.length === 0) return open + close;
    const gap = (): string => {
      const way = this.#pick(10);
      // A line of it may begin anywhere, and have a comment.
      if (way === 0) return `\n${" ".repeat(this.#pick(6))}`;
      if (way === 1) return ` # in it\n${" ".repeat(this.#pick(6))}`;
      return way < 5 ? " " : "";
    };
    const comma = (): string => `,${gap() || " "}`;
    let text = open + gap();
    for (const [i, part] of parts.entries()) text += (i === 0 ? "" : comma()) + part;
    return `${text}${this.#pick(8) === 0 ? "," : ""}${gap()}${close}`;
  }

  #single(text: string, indent: number | undefined): string {
    return `'${this.#folded(text.replaceAll("'", "''"), indent)}'`;
  }

  #double(text: string, indent: number | undefined): string {
    let quoted = JSON.stringify(text).slice(1, -1);
    // Bare, these are line breaks to Go's readers, and two of them no characters of YAML.
    quoted = quoted.replace(
      /[\u007f-\u009f\u2028\u2029\ufeff\ufffe\uffff]/gu,
      (c) => `\\u${c.charCodeAt(0).toString(16).padStart(4, "0")}`,
    );
    if (this.#pick(10) === 0 && !quoted.includes("\\"))
      quoted = quoted.replace(/[a-z]/u, (c) => `\\x${c.charCodeAt(0).toString(16)}`);
    if (indent !== undefined && !quoted.includes(String.raw`\u`) && this.#pick(12) === 0)
      quoted = quoted.replace(/(?<=[a-z])(?=[a-z])/u, () => `\\\n${" ".repeat(this.#pick(6))}`);
    // Each empty line after an escaped line break is a line feed.
    if (indent !== undefined && this.#pick(4) === 0)
      quoted = quoted.replace(
        /(?<!\\)(?:\\\\)*\\n(?=[a-z])/u,
        (feed) => `${feed.slice(0, -2)}\\\n${pickOne(this.#style, "", " ", "\t")}\n${" ".repeat(this.#pick(6))}`,
      );
    const isCutAtItsEnd = indent !== undefined && /[^ \t]\n$/u.test(text) && this.#pick(3) === 0;
    // Like kyaml for a string that ends in a line break: the closing quote is at column 0.
    if (isCutAtItsEnd) return `"${this.#folded(quoted.slice(0, -2), indent)}\n\n${" ".repeat(this.#pick(3))}"`;
    return `"${this.#folded(quoted, indent)}"`;
  }

  /** Breaks lines at single blanks, whatever the column of what follows: there it is read as a blank. */
  #folded(text: string, indent: number | undefined): string {
    if (indent === undefined || this.#pick(5) > 0) return text;
    return text.replace(/(?<=[a-z,;.:]) (?=[a-z0-9#])/gu, () =>
      this.#pick(4) === 0 ? `${pickOne(this.#style, "", " ", "\t")}\n${" ".repeat(this.#pick(8))}` : " ",
    );
  }

  /** As a block scalar; undefined where it can't be one. */
  #block(text: string, indent: number): string | undefined {
    if (text === "" || !/^[\n\t -~\u00a0-\u2027\u202a-\ud7ff]*$/u.test(text) || /^\n*$/u.test(text)) return undefined;
    const step = 1 + this.#pick(4);
    const lines = text.split("\n");
    const endsWithBreak = text.endsWith("\n");
    const chomping = !endsWithBreak ? "-" : text.endsWith("\n\n") ? "+" : pickOne(this.#style, "", "", "+");
    this.#keeps = chomping === "+";
    if (endsWithBreak) lines.pop();
    // Without the number, the first line tells the indentation.
    const needsNumber = /^[\n]*[ \t]/u.test(text) || text.startsWith("\n");
    const number = needsNumber || this.#pick(8) === 0 ? String(step) : "";
    const header = this.#pick(2) === 0 ? number + chomping : chomping + number;
    // Folding what has neither blanks at its beginning nor two lines in a row keeps it with empty lines between.
    const canFold = lines.every((line) => /^[!-~]/u.test(line));
    const isFolded = canFold && this.#pick(3) === 0;
    const column = " ".repeat(indent + step);
    const body = lines.map((line) =>
      line === "" ? pickOne(this.#style, "\n", "\n", `${" ".repeat(Math.min(indent, 1))}\n`) : `${column}${line}\n`,
    );
    const comment = this.#pick(12) === 0 ? " # block" : "";
    return `${isFolded ? ">" : "|"}${header}${comment}\n${body.join(isFolded ? "\n" : "")}`;
  }
}

/** Texts that every reader takes for text without quotes. */
function isPlain(text: string): boolean {
  return /^[a-zA-Z/][a-zA-Z0-9._/-]*$/u.test(text) && !/^(?:y|n|yes|no|on|off|true|false|null|nan|inf)$/iu.test(text);
}

function isPrintable(text: string): boolean {
  return /^[ -~]*$/u.test(text);
}
