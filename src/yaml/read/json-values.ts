import { YAMLException, type Event } from "js-yaml";
import { buildTable, type CountedTable } from "./event-table.ts";
import { parseLenient } from "./lenient.ts";

// `jq '.items[]'` prints a sequence of JSON values, which kubectl accepts (k8s.io/apimachinery, YAMLOrJSONDecoder: a
// text that begins with a brace). YAML does not, without `---` between them.

/** The events of a sequence of JSON objects, each as a document; undefined for any other text. */
export function readJsonValues(text: string, maxDepth: number): CountedTable | undefined {
  const ends = jsonObjects(text);
  if (ends === undefined) return undefined;
  const table = buildTable(0);
  let from = 0;
  for (const to of ends) {
    const events = parsed(text.slice(from, to), maxDepth);
    if (events === undefined) return undefined;
    for (const event of events) table.add("explicitStart" in event ? { ...event, explicitStart: true } : event, from);
    from = to;
  }
  return table.done();
}

function parsed(text: string, maxDepth: number): Event[] | undefined {
  try {
    return parseLenient(text, maxDepth);
  } catch (cause) {
    if (cause instanceof YAMLException) return undefined;
    throw cause;
  }
}

/** True if the text is JSON: one value, or a sequence of objects. */
export function isJsonText(text: string): boolean {
  return (
    /^\uFEFF?[ \t\r\n]*[[{]/u.test(text) && (isJson(text.replace(/^\uFEFF/u, "")) || jsonObjects(text) !== undefined)
  );
}

/** Where each object of a sequence of JSON objects ends; undefined for any other text. */
function jsonObjects(text: string): number[] | undefined {
  const ends: number[] = [];
  const gap = /[ \t\r\n]*/uy;
  for (let offset = text.startsWith("\uFEFF") ? 1 : 0; ;) {
    gap.lastIndex = offset;
    gap.exec(text);
    const start = gap.lastIndex;
    if (start === text.length) return ends.length === 0 ? undefined : ends;
    if (text[start] !== "{") return undefined;
    const end = endOfObject(text, start);
    if (end === undefined || !isJson(text.slice(start, end))) return undefined;
    ends.push(end);
    offset = end;
  }
}

/** The offset after the brace that closes the one at an offset. */
function endOfObject(text: string, start: number): number | undefined {
  let depth = 0;
  for (let i = start; i < text.length; i++) {
    const character = text[i];
    if (character === "{") depth += 1;
    else if (character === "}") {
      depth -= 1;
      if (depth === 0) return i + 1;
    } else if (character === '"') {
      i = closingQuote(text, i);
      if (i < 0) return undefined;
    }
  }
  return undefined;
}

function closingQuote(text: string, start: number): number {
  let quote = text.indexOf('"', start + 1);
  for (; quote >= 0; quote = text.indexOf('"', quote + 1)) {
    let before = quote;
    while (text[before - 1] === "\\") before -= 1;
    if ((quote - before) % 2 === 0) return quote;
  }
  return quote;
}

function isJson(text: string): boolean {
  try {
    JSON.parse(text);
    return true;
  } catch (cause) {
    if (cause instanceof SyntaxError || cause instanceof RangeError) return false;
    throw cause;
  }
}
