import type { Finding } from "./finding.ts";

/** How many similar findings are listed. Nobody reads thousands, and each repeats the name of its object. */
const MOST_ALIKE = 50;

/**
 * The findings, with only the first of those that are similar: by default those of one object and cause. The last of
 * them has the number of the others.
 */
export function capped<F extends Finding>(
  findings: readonly F[],
  alikeBy: (finding: F) => string = byObject,
): readonly F[] {
  if (findings.length <= MOST_ALIKE) return findings;
  const alike = new Map<string, { shown: number; last: number; more: number }>();
  const kept: F[] = [];
  for (const finding of findings) {
    const key = alikeBy(finding);
    const known = alike.get(key) ?? { shown: 0, last: -1, more: 0 };
    alike.set(key, known);
    if (known.shown === MOST_ALIKE) {
      known.more += 1;
      continue;
    }
    known.shown += 1;
    known.last = kept.push(finding) - 1;
  }
  for (const { last, more } of alike.values()) {
    const finding = kept[last];
    if (finding !== undefined && more > 0) kept[last] = { ...finding, more };
  }
  return kept;
}

function byObject({ id, cause, resource }: Finding): string {
  return JSON.stringify([id, cause, resource]);
}
