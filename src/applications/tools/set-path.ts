import { RollstampError } from "../../base/errors.ts";
import { shortened } from "../../base/words.ts";

// Paths into the values of a chart for `helm --set` (pkg/strvals). In helm's parser, `=` begins a value and a comma the next
// assignment, and --set-file opens files. So texts of an Application are parsed and escaped here.

/** Characters with a meaning in helm's parser. */
const SPECIAL = /[.,=[\]{}\\]/gu;

/** Escapes a key as one name of a path. */
export function escapedName(name: string): string {
  return name.replace(SPECIAL, String.raw`\$&`);
}

/** The limit for items of lists in one call. */
const MOST_ITEMS = 10_000;

/** Counts the items that helm creates before an index: `a[60000]` creates sixty thousand. Throws for too many. */
export type CountItems = (index: number, parameter: string) => void;

/** Counts over all paths of a call. */
export function countingItems(): CountItems {
  let items = 0;
  return (index, parameter) => {
    items += index + 1;
    if (items <= MOST_ITEMS) return;
    throw new RollstampError(
      "usage",
      `with the plugin parameter '${parameter}' the indexes of paths make lists of more than ${MOST_ITEMS} items`,
      { remedy: "Helm creates all items before an index. Use helm-values for long lists." },
    );
  };
}

/** Escapes a path of an Application. Throws a RollstampError if it is more than a path; `parameter` contains it. */
export function escapedPath(path: string, parameter: string, countItems: CountItems): string {
  const refuse = (message: string): RollstampError =>
    new RollstampError("usage", `the plugin parameter '${parameter}' has the path '${shown(path)}', ${message}`, {
      remedy: String.raw`A path consists of names separated by dots, and [0] for items of lists. Dots, commas and equals signs in a name are written \. \, \=`,
    });
  let written = "";
  let name = "";
  for (let position = 0; position < path.length; position += 1) {
    const character = path.charAt(position);
    if (character === "\\") {
      position += 1;
      if (position === path.length) throw refuse("which ends in a backslash");
      name += path.charAt(position);
    } else if (character === "." || character === "[") {
      written += escapedName(name);
      name = "";
      if (character === ".") written += ".";
      else {
        const [index] = /^\[\d{1,5}\](?=$|[.[])/u.exec(path.slice(position)) ?? [];
        if (index === undefined) throw refuse("in which a bracket holds no number");
        countItems(Number(index.slice(1, -1)), parameter);
        written += index;
        position += index.length - 1;
      }
    } else if ("=,]".includes(character)) throw refuse(`in which '${character}' is not escaped`);
    else name += character;
  }
  if (written === "" && name === "") throw refuse("which names nothing");
  return written + escapedName(name);
}

/**
 * Escapes a value of --set: a comma begins the next assignment, unless it is escaped or in a list in braces. Nothing can follow
 * a list.
 */
export function escapedValue(value: string): string {
  if (isOneList(value)) return value;
  let written = "";
  for (let position = 0; position < value.length; position += 1) {
    const character = value.charAt(position);
    if (character === "\\" && position + 1 < value.length) {
      written += character + value.charAt(position + 1);
      position += 1;
    } else written += character === "," ? "\\," : character;
  }
  // Helm would read an opening brace as the beginning of a list that is never closed.
  return written.startsWith("{") ? `\\${written}` : written;
}

/** Whether a value is `{a,b}`, with the closing brace at the end. */
function isOneList(value: string): boolean {
  if (!value.startsWith("{") || !value.endsWith("}") || value.length < 2) return false;
  for (let position = 1; position < value.length; position += 1) {
    const character = value.charAt(position);
    if (character === "\\") position += 1;
    else if (character === "}") return position === value.length - 1;
  }
  return false;
}

function shown(path: string): string {
  return shortened(path, 60);
}
