import { RollstampError } from "../../base/errors.ts";

// Paths into a chart's values, as `helm --set` takes them (pkg/strvals). Helm's parser reads beyond the end of a name:
// after `=` comes a value, after a comma the next assignment, for which --set-file opens a file. So no text of an
// Application is passed on unchanged: it is parsed here and written again.

/** Special characters of helm's parser. */
const SPECIAL = /[.,=[\]{}\\]/gu;

/** Escapes a key as one name of a path. */
export function escapedName(name: string): string {
  return name.replace(SPECIAL, String.raw`\$&`);
}

/** The most items of lists that the paths of one call may create. */
const MOST_ITEMS = 10_000;

/** Counts the items that helm creates for an index: `a[60000]` creates sixty thousand. Throws if there are too many. */
export type CountItems = (index: number, parameter: string) => void;

export function countingItems(): CountItems {
  let items = 0;
  return (index, parameter) => {
    items += index + 1;
    if (items <= MOST_ITEMS) return;
    throw new RollstampError(
      "usage",
      `with the plugin parameter '${parameter}' the indexes of paths make lists of more than ${MOST_ITEMS} items`,
      { remedy: "Helm makes all items before that of an index: give long lists by helm-values." },
    );
  };
}

/**
 * Escapes all special characters in the names of a path. Throws a RollstampError for anything that is more than a path;
 * `parameter` is where it comes from.
 */
export function escapedPath(path: string, parameter: string, countItems: CountItems): string {
  const refuse = (message: string): RollstampError =>
    new RollstampError("usage", `the plugin parameter '${parameter}' has the path '${shown(path)}', ${message}`, {
      remedy: String.raw`A path is names with dots between them, and [0] for items of lists; a dot, a comma or an equals sign in a name is written \. \, \=`,
    });
  let written = "";
  let name = "";
  for (let at = 0; at < path.length; at += 1) {
    const character = path.charAt(at);
    if (character === "\\") {
      at += 1;
      if (at === path.length) throw refuse("which ends in a backslash");
      name += path.charAt(at);
    } else if (character === "." || character === "[") {
      written += escapedName(name);
      name = "";
      if (character === ".") written += ".";
      else {
        const [index] = /^\[\d{1,5}\](?=$|[.[])/u.exec(path.slice(at)) ?? [];
        if (index === undefined) throw refuse("in which a bracket holds no number");
        countItems(Number(index.slice(1, -1)), parameter);
        written += index;
        at += index.length - 1;
      }
    } else if ("=,]".includes(character)) throw refuse(`in which '${character}' is not escaped`);
    else name += character;
  }
  if (written === "" && name === "") throw refuse("which names nothing");
  return written + escapedName(name);
}

/**
 * Escapes a value of --set. A comma begins the next assignment, unless a backslash precedes it or the value is a list
 * in braces. A list must end with the value: nothing may follow its brace.
 */
export function escapedValue(value: string): string {
  if (isOneList(value)) return value;
  let written = "";
  for (let at = 0; at < value.length; at += 1) {
    const character = value.charAt(at);
    if (character === "\\" && at + 1 < value.length) {
      written += character + value.charAt(at + 1);
      at += 1;
    } else written += character === "," ? "\\," : character;
  }
  // Helm would read an opening brace as the start of a list that is never closed.
  return written.startsWith("{") ? `\\${written}` : written;
}

/** Whether a value is one list, such as `{a,b}`. */
function isOneList(value: string): boolean {
  if (!value.startsWith("{") || !value.endsWith("}") || value.length < 2) return false;
  for (let at = 1; at < value.length; at += 1) {
    const character = value.charAt(at);
    if (character === "\\") at += 1;
    else if (character === "}") return at === value.length - 1;
  }
  return false;
}

function shown(path: string): string {
  return path.length > 60 ? `${path.slice(0, 60)}…` : path;
}
