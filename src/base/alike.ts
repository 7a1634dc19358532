import { formatPlace, type RollstampError } from "./errors.ts";
import { withRemedy } from "./words.ts";

// What fails alike is told once: a chart that is not there may be that of seventy releases.

/** Why something can't be done, in the words of whoever could not. */
export interface Failure {
  readonly message: string;
  /** What of the message is not there: a chart, a remote base. Failures that differ in nothing else are alike. */
  readonly missing?: string;
}

/** An error as a failure: what it says, where, and what to do. */
export function failureOf({ place, message, remedy, missing }: RollstampError): Failure {
  const at = place === undefined ? undefined : formatPlace(place);
  if (missing === undefined) return { message: withRemedy(at === undefined ? message : `${at}: ${message}`, remedy) };
  // Where it is named belongs to what is missing: else the same would be told once for each folder.
  const named = at === undefined || at === "." ? missing : `${missing} (${at})`;
  return {
    message: withRemedy(
      message.replace(missing, () => named),
      remedy,
    ),
    missing: named,
  };
}

/** What failed for one reason. */
export interface AlikeGroup<T> {
  readonly all: readonly [T, ...T[]];
  /** The reason, with the first of what is missing and how much more. */
  readonly message: string;
  /** The same line by line, as tools print it. */
  readonly lines: readonly string[];
}

/** How much of what is missing a message names. */
const MOST_MISSING = 3;

/** Things that failed, those for one reason together, in the order of the first of each. */
export function alikeGroups<T>(
  things: readonly T[],
  failureFor: (thing: T) => Failure & { readonly apart?: string },
): readonly AlikeGroup<T>[] {
  const groups = new Map<
    string,
    { readonly all: [T, ...T[]]; readonly first: Failure; readonly missing: Set<string> }
  >();
  for (const thing of things) {
    const { apart = "", ...failure } = failureFor(thing);
    const { message, missing } = failure;
    const key = JSON.stringify([
      apart,
      missing === undefined ? message : message.replace(missing, ""),
      missing === undefined,
    ]);
    const known = groups.get(key);
    if (known === undefined) groups.set(key, { all: [thing], first: failure, missing: new Set(listOf(missing)) });
    else {
      known.all.push(thing);
      for (const one of listOf(missing)) known.missing.add(one);
    }
  }
  return [...groups.values()].map(({ all, first, missing }) => {
    const message = messageOf(first, [...missing]);
    return { all, message, lines: message.split("\n") };
  });
}

function listOf(missing: string | undefined): readonly string[] {
  return missing === undefined ? [] : [missing];
}

function messageOf({ message, missing }: Failure, all: readonly string[]): string {
  if (missing === undefined || all.length < 2) return message;
  const more = all.length - MOST_MISSING;
  const named = all.slice(0, MOST_MISSING).join(", ");
  return message.replace(missing, () => (more > 0 ? `${named} and ${more} more` : named));
}
