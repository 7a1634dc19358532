import {
  CHOMPING_MODE,
  COLLECTION_STYLE,
  EVENT_ID,
  SCALAR_STYLE,
  type AliasEvent,
  type Event,
  type MappingEvent,
  type ScalarEvent,
  type SequenceEvent,
} from "js-yaml";

/**
 * js-yaml's events as arrays of numbers. As objects, they are several times as large as the text, and the garbage
 * collector has to visit them. Here, each takes twelve bytes.
 */
export interface EventTable {
  /** The type of an event, packed with its style, chomping, fast flag and indentation. */
  readonly heads: Int32Array;
  /** Where the value of a scalar or a collection begins. */
  readonly starts: Int32Array;
  /** Where the value of a scalar ends. */
  readonly ends: Int32Array;
  /** The events with an anchor or a tag, and the aliases. They are few, so they stay objects. */
  readonly marked: ReadonlyMap<number, MarkedEvent>;
}

export type MarkedEvent = ScalarEvent | MappingEvent | SequenceEvent | AliasEvent;

// From its lowest bit, a head has 3 bits for the type, 3 for the style, 2 for the chomping, 1 for fast, and then the
// indentation plus one (-1 is none).
const STYLE_AT = 3;
const CHOMPING_AT = 6;
const FAST_AT = 8;
const INDENT_AT = 9;
const THREE_BITS = 7;
const TWO_BITS = 3;

const NO_OFFSET = -1;

/** The type of an event: one of EVENT_ID; 0 if there is no event. */
export function typeAt(table: EventTable, index: number): number {
  // Reading outside of the array is slow, and V8 deoptimizes the code of all callers.
  return index < 0 ? 0 : (table.heads[index] ?? 0) & THREE_BITS;
}

/** The style of a scalar or collection: one of SCALAR_STYLE or COLLECTION_STYLE. */
export function styleAt(table: EventTable, index: number): number {
  return ((table.heads[index] ?? 0) >> STYLE_AT) & THREE_BITS;
}

/** True for a document that begins with `---`. */
export function hasMarker(table: EventTable, document: number): boolean {
  return styleAt(table, document) === 1;
}

/** True for a scalar whose text needs no decoding. */
export function isFast(table: EventTable, index: number): boolean {
  return (((table.heads[index] ?? 0) >> FAST_AT) & 1) === 1;
}

/** An event as js-yaml returned it; undefined if there is none, and for documents and ends. */
export function eventAt(table: EventTable, index: number): MarkedEvent | undefined {
  const marked = table.marked.get(index);
  if (marked !== undefined) return marked;
  switch (typeAt(table, index)) {
    case EVENT_ID.SCALAR:
      return scalarAt(table, index);
    case EVENT_ID.MAPPING:
      return { type: EVENT_ID.MAPPING, ...collectionAt(table, index) };
    case EVENT_ID.SEQUENCE:
      return { type: EVENT_ID.SEQUENCE, ...collectionAt(table, index) };
    default:
      return undefined;
  }
}

const UNMARKED = { anchorStart: NO_OFFSET, anchorEnd: NO_OFFSET, tagStart: NO_OFFSET, tagEnd: NO_OFFSET } as const;
const SCALAR_STYLES = Object.values(SCALAR_STYLE);
const COLLECTION_STYLES = Object.values(COLLECTION_STYLE);
const CHOMPING_MODES = Object.values(CHOMPING_MODE);

function scalarAt(table: EventTable, index: number): ScalarEvent {
  const head = table.heads[index] ?? 0;
  return {
    type: EVENT_ID.SCALAR,
    valueStart: table.starts[index] ?? NO_OFFSET,
    valueEnd: table.ends[index] ?? NO_OFFSET,
    style: member(SCALAR_STYLES, styleAt(table, index)) ?? SCALAR_STYLE.PLAIN,
    chomping: member(CHOMPING_MODES, (head >> CHOMPING_AT) & TWO_BITS) ?? CHOMPING_MODE.CLIP,
    indent: (head >> INDENT_AT) - 1,
    fast: isFast(table, index),
    ...UNMARKED,
  };
}

function collectionAt(table: EventTable, index: number): Omit<MappingEvent | SequenceEvent, "type"> {
  return {
    start: table.starts[index] ?? NO_OFFSET,
    style: member(COLLECTION_STYLES, styleAt(table, index)) ?? COLLECTION_STYLE.BLOCK,
    ...UNMARKED,
  };
}

/** Converts a number to the enumeration. */
function member<T extends number>(of: readonly T[], value: number): T | undefined {
  return of.find((known) => known === value);
}

export interface TableBuilder {
  /** Adds an event; `shift` is added to its offsets. Only the type of documents and ends is kept. */
  readonly add: (event: Event, shift: number) => void;
  /** The table after all events are added, and their number. */
  readonly done: () => CountedTable;
}

export interface CountedTable {
  readonly table: EventTable;
  readonly length: number;
  /** As long as the table, and still empty: where the subtree of each event ends. */
  readonly next: Int32Array;
}

/** Begins a table for about `expected` events. */
export function buildTable(expected: number): TableBuilder {
  const capacity = Math.max(expected, 1);
  return new GrowingTable(new Int32Array(capacity), new Int32Array(capacity), new Int32Array(capacity));
}

/** The table of all events of a file. */
export function tableOf(events: readonly Event[]): CountedTable {
  // A repository has thousands of small texts: one buffer for each is faster to allocate and free than four.
  const { length } = events;
  const memory = new ArrayBuffer(4 * length * BYTES);
  const field = (i: number): Int32Array<ArrayBuffer> => new Int32Array(memory, i * length * BYTES, length);
  const table = new GrowingTable(field(0), field(1), field(2), field(3));
  for (const event of events) table.add(event, 0);
  return table.done();
}

const BYTES = Int32Array.BYTES_PER_ELEMENT;

// Most texts have neither anchors nor tags.
const NONE_MARKED: ReadonlyMap<number, MarkedEvent> = new Map();

class GrowingTable implements TableBuilder {
  #heads: Int32Array;
  #starts: Int32Array;
  #ends: Int32Array;
  #marked: Map<number, MarkedEvent> | undefined = undefined;
  #length = 0;
  readonly #next: Int32Array | undefined;

  constructor(heads: Int32Array, starts: Int32Array, ends: Int32Array, next?: Int32Array) {
    this.#heads = heads;
    this.#starts = starts;
    this.#ends = ends;
    this.#next = next;
  }

  add(event: Event, shift: number): void {
    const index = this.#length;
    if (index === this.#heads.length) this.#grow();
    this.#length = index + 1;
    switch (event.type) {
      case EVENT_ID.SCALAR:
        this.#heads[index] = headOfScalar(event);
        this.#starts[index] = moved(event.valueStart, shift);
        this.#ends[index] = moved(event.valueEnd, shift);
        if (hasMarks(event)) this.#mark(index, movedScalar(event, shift));
        break;
      case EVENT_ID.MAPPING:
      case EVENT_ID.SEQUENCE:
        this.#heads[index] = event.type | (event.style << STYLE_AT);
        this.#starts[index] = event.start + shift;
        if (hasMarks(event)) this.#mark(index, { ...event, start: event.start + shift, ...movedMarks(event, shift) });
        break;
      case EVENT_ID.ALIAS: {
        const { type, anchorStart, anchorEnd } = event;
        this.#heads[index] = type;
        this.#mark(index, { type, anchorStart: anchorStart + shift, anchorEnd: anchorEnd + shift });
        break;
      }
      case EVENT_ID.DOCUMENT:
        this.#heads[index] = event.type | ((event.explicitStart ? 1 : 0) << STYLE_AT);
        break;
      default:
        this.#heads[index] = event.type;
    }
  }

  done(): CountedTable {
    const [heads, starts, ends] = [this.#heads, this.#starts, this.#ends];
    const table = { heads, starts, ends, marked: this.#marked ?? NONE_MARKED };
    return { table, length: this.#length, next: this.#next ?? new Int32Array(this.#length) };
  }

  #mark(at: number, event: MarkedEvent): void {
    this.#marked ??= new Map();
    this.#marked.set(at, event);
  }

  #grow(): void {
    const capacity = this.#heads.length + Math.max(this.#heads.length >> 1, 16);
    this.#heads = larger(this.#heads, capacity);
    this.#starts = larger(this.#starts, capacity);
    this.#ends = larger(this.#ends, capacity);
  }
}

function larger(array: Int32Array, capacity: number): Int32Array<ArrayBuffer> {
  const grown = new Int32Array(capacity);
  grown.set(array);
  return grown;
}

function headOfScalar(event: ScalarEvent): number {
  const flags = (event.style << STYLE_AT) | (event.chomping << CHOMPING_AT) | (event.fast ? 1 << FAST_AT : 0);
  return event.type | flags | ((event.indent + 1) << INDENT_AT);
}

const hasMarks = (event: Marks): boolean => event.anchorStart >= 0 || event.tagStart >= 0;

const moved = (offset: number, shift: number): number => (offset < 0 ? offset : offset + shift);

type Marks = Pick<ScalarEvent, "anchorStart" | "anchorEnd" | "tagStart" | "tagEnd">;

function movedMarks(event: Marks, shift: number): Marks {
  return {
    anchorStart: moved(event.anchorStart, shift),
    anchorEnd: moved(event.anchorEnd, shift),
    tagStart: moved(event.tagStart, shift),
    tagEnd: moved(event.tagEnd, shift),
  };
}

function movedScalar(event: ScalarEvent, shift: number): ScalarEvent {
  const value = { valueStart: moved(event.valueStart, shift), valueEnd: moved(event.valueEnd, shift) };
  return { ...event, ...value, ...movedMarks(event, shift) };
}
