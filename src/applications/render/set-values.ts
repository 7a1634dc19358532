import { RollstampError } from "../../base/errors.ts";

// Parses `path=value` like --set and --set-string of helm (helm.sh/helm/v4, pkg/strvals/parser.go), because Flux sets values at a
// `targetPath` in this way. A comma in a value begins the next assignment.

/** Values of a chart. Whole numbers from --set have another type in templates. */
export type Value = null | boolean | number | bigint | string | Value[] | Values;
export type Values = Map<string, Value>;

const MOST_INDEX = 65_536;
const DEEPEST = 30;
/** Helm has no limit for indexes in indexes. */
const DEEPEST_INDEX = 500;
/** The items that the indexes of a release make: `a[60000]` makes sixty thousand. */
const MOST_ITEMS = 10_000;
const LARGEST = 2n ** 63n;

/** Counts the items that indexes add to lists. Throws for too many. */
export type CountItems = (added: number) => void;

/** Counts over all texts of a release. */
export function countingItems(): CountItems {
  let items = 0;
  return (added) => {
    items += added;
    if (items > MOST_ITEMS) throw wrong(`indexes make lists of more than ${MOST_ITEMS} items`);
  };
}

/** Applies assignments to values, in place. Throws a RollstampError for text that helm rejects, or that costs too much. */
export function setValues(values: Values, text: string, isText: boolean, count: CountItems): void {
  const assignments = new Assignments(text, isText, count);
  while (assignments.next(values) === "more");
}

/** Whether more text may follow. */
type Read = "more" | "end";

class Assignments {
  readonly #characters: readonly string[];
  readonly #isText: boolean;
  #at = 0;
  #indexes = 0;
  readonly #count: CountItems;

  constructor(text: string, isText: boolean, count: CountItems) {
    this.#characters = [...text];
    this.#isText = isText;
    this.#count = count;
  }

  /** Applies the next assignment. */
  next(values: Values): Read {
    this.#indexes = 0;
    return this.#key(values, 0);
  }

  #key(into: Values, depth: number): Read {
    const { text: name, stop } = this.#until("=[,.");
    switch (stop) {
      case undefined:
        if (name === "") return "end";
        throw wrong("a name has no value");
      case "[": {
        const index = this.#index();
        if (index === undefined) return "end";
        const list = into.has(name) ? into.get(name) : [];
        if (!Array.isArray(list)) throw wrong("an index needs a list");
        const { list: made, read } = this.#item(list, index, depth);
        put(into, name, made);
        return read;
      }
      case "=": {
        const { value, read } = this.#value();
        put(into, name, value);
        return read;
      }
      case ".": {
        if (depth + 1 > DEEPEST) throw wrong(`a path has more than ${DEEPEST} names`);
        const inner = into.has(name) ? into.get(name) : new Map<string, Value>();
        if (!(inner instanceof Map)) throw wrong("a name needs a mapping");
        const read = this.#key(inner, depth + 1);
        if (read === "more" && inner.size === 0) throw wrong("a name has no value");
        if (inner.size > 0) put(into, name, inner);
        return read;
      }
      default:
        throw wrong("a name has no value");
    }
  }

  #item(list: Value[], index: number, depth: number): { readonly list: Value[]; readonly read: Read } {
    const { text, stop } = this.#until("[.=");
    if (text !== "") throw wrong("unexpected text after an index");
    this.#indexes += 1;
    if (this.#indexes > DEEPEST_INDEX) throw wrong(`a path has more than ${DEEPEST_INDEX} indexes`);
    this.#count(Math.max(index + 1 - list.length, 0));
    switch (stop) {
      case undefined:
        return { list, read: "end" };
      case "=": {
        const { value } = this.#value();
        return { list: withItem(list, index, value), read: "more" };
      }
      case "[": {
        const next = this.#index();
        if (next === undefined) return { list, read: "end" };
        const there = list[index] ?? [];
        if (!Array.isArray(there)) throw wrong("an index needs a list");
        const inner = this.#item(there, next, depth);
        // If the text ends with the index, helm does not change the list.
        return inner.read === "end" ? { list, read: "end" } : { list: withItem(list, index, inner.list), read: "more" };
      }
      default: {
        const there = list[index];
        const inner = there instanceof Map ? there : new Map<string, Value>();
        if (index < list.length) list[index] = inner;
        return this.#key(inner, depth) === "end"
          ? { list, read: "end" }
          : { list: withItem(list, index, inner), read: "more" };
      }
    }
  }

  /** Undefined if the text ends before the closing bracket, which helm accepts. */
  #index(): number | undefined {
    const { text, stop } = this.#until("]");
    if (stop === undefined) return undefined;
    if (!/^[+-]?\d+$/u.test(text)) throw wrong("an index must be a number");
    const index = Number(text);
    if (index < 0 || index > MOST_INDEX) throw wrong(`an index is not between 0 and ${MOST_INDEX}`);
    return index;
  }

  #value(): { readonly value: Value; readonly read: Read } {
    if (this.#at >= this.#characters.length) return { value: "", read: "end" };
    if (this.#characters[this.#at] !== "{") return { value: this.#typed(this.#until(",").text), read: "more" };
    this.#at += 1;
    const list: Value[] = [];
    for (;;) {
      const { text, stop } = this.#until(",}");
      if (stop === undefined) throw wrong("a list is not closed");
      list.push(this.#typed(text));
      if (stop !== "}") continue;
      if (this.#characters[this.#at] === ",") this.#at += 1;
      return { value: list, read: "more" };
    }
  }

  /** The text before one of some characters; a backslash escapes the next character. */
  #until(stops: string): { readonly text: string; readonly stop: string | undefined } {
    let text = "";
    for (;;) {
      const character = this.#character();
      if (character === undefined) return { text, stop: undefined };
      if (stops.includes(character)) return { text, stop: character };
      text += character === "\\" ? (this.#character() ?? "") : character;
    }
  }

  #character(): string | undefined {
    const character = this.#characters[this.#at];
    this.#at += 1;
    return character;
  }

  #typed(text: string): Value {
    if (this.#isText) return text;
    if (/^true$/iu.test(text)) return true;
    if (/^false$/iu.test(text)) return false;
    if (/^null$/iu.test(text)) return null;
    if (text !== "0" && !/^(?!0)[+-]?\d+$/u.test(text)) return text;
    const number = BigInt(text.replace(/^\+/u, ""));
    return number >= -LARGEST && number < LARGEST ? number : text;
  }
}

/** Empty names are ignored. */
function put(into: Values, name: string, value: Value): void {
  if (name !== "") into.set(name, value);
}

/** Sets an item of a list, in place if the list is long enough: as in helm, other references see the change. */
function withItem(list: Value[], index: number, value: Value): Value[] {
  const longer = list.length > index ? list : Array.from({ length: index + 1 }, (_, at) => list[at] ?? null);
  longer[index] = value;
  return longer;
}

function wrong(message: string): RollstampError {
  return new RollstampError("input", message);
}
