import type { Entry } from "../read/node.ts";
import type { ScalarValue } from "./render.ts";

// Where entries of ours stand in a mapping: in one order, whatever the order in which they were asked for.

const byBytes = (a: string, b: string): number => (a < b ? -1 : a > b ? 1 : 0);

/** New lines stand in one order, whatever the order of the references: diffs stay small. */
export function sorted(entries: readonly (readonly [string, ScalarValue])[]): [string, ScalarValue][] {
  return entries.map(([key, value]): [string, ScalarValue] => [key, value]).sort((a, b) => byBytes(a[0], b[0]));
}

const OWN_DOMAIN = /^(?:[a-z]+\.)?rollstamp\.dev\//u;

/** Asks for the last of our own entries, as they stand, that sorts before a key of ours: looked up, as both may be many. */
export function ownOnes(kept: readonly Entry[]): (key: string) => Entry | undefined {
  const own = kept.flatMap((entry, at) => (OWN_DOMAIN.test(entry.key) ? [{ entry, at }] : []));
  own.sort((a, b) => byBytes(a.entry.key, b.entry.key));
  // Of each and those that sort before it the one that stands last.
  const last = own.map((one) => one);
  for (let i = 1; i < last.length; i++) {
    const [before, here] = [last[i - 1], last[i]];
    if (before !== undefined && here !== undefined && before.at > here.at) last[i] = before;
  }
  return (key) => {
    if (!OWN_DOMAIN.test(key)) return undefined;
    let [low, high] = [0, own.length];
    while (low < high) {
      const middle = (low + high) >> 1;
      if (byBytes(own[middle]?.entry.key ?? "", key) < 0) low = middle + 1;
      else high = middle;
    }
    return last[low - 1]?.entry;
  };
}
