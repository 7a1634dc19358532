import { formatPlace, type RollstampError } from "./errors.ts";
import { withRemedy } from "./words.ts";

// Equal failures are reported once: seventy releases may need the same missing chart.

/** Why something failed, in the words of the program that failed. */
export interface Failure {
  readonly message: string;
  /** The part of the message that names what is missing: a chart, a remote base. Failures that differ only here are alike. */
  readonly missing?: string;
}

/** An error as a failure, with its place and what to do. */
export function failureOf({ place, message, remedy, missing }: RollstampError): Failure {
  const where = place === undefined ? undefined : formatPlace(place);
  if (missing === undefined)
    return { message: withRemedy(where === undefined ? message : `${where}: ${message}`, remedy) };
  // The place belongs to what is missing: otherwise each folder would be reported separately.
  const named = where === undefined || where === "." ? missing : `${missing} (${where})`;
  return {
    message: withRemedy(
      message.replace(missing, () => named),
      remedy,
    ),
    missing: named,
  };
}

/** Things that failed for one reason. */
export interface AlikeGroup<T> {
  readonly all: readonly [T, ...T[]];
  /** The reason, with the first missing names. */
  readonly message: string;
  /** The reason line by line, as tools print it. */
  readonly lines: readonly string[];
}

/** How many missing names a message has. */
const MOST_MISSING = 3;

/** Groups things that failed by reason, in the order of their first. */
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
      for (const name of listOf(missing)) known.missing.add(name);
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
