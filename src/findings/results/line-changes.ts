/** A part of one text that replaces a part of another: line numbers from 0, the end exclusive. */
export interface LineChange {
  readonly oldFrom: number;
  readonly oldTo: number;
  readonly newFrom: number;
  readonly newTo: number;
}

/** How many equal lines end a difference. */
const AGREEING = 3;
/** How many lines are searched for them. */
const WINDOW = 200;

/**
 * The differences between two texts with small edits, in time proportional to their length, unlike a shortest diff.
 * Undefined if they differ for longer.
 */
export function lineChanges(before: readonly string[], after: readonly string[]): LineChange[] | undefined {
  const changes: LineChange[] = [];
  let i = 0;
  let j = 0;
  while (i < before.length || j < after.length) {
    if (i < before.length && before[i] === after[j]) {
      i += 1;
      j += 1;
      continue;
    }
    const found = nextAgreement(before, after, i, j);
    if (found === undefined) return undefined;
    changes.push({ oldFrom: i, oldTo: found.i, newFrom: j, newTo: found.j });
    ({ i, j } = found);
  }
  return changes;
}

function nextAgreement(
  before: readonly string[],
  after: readonly string[],
  i: number,
  j: number,
): { i: number; j: number } | undefined {
  for (let distance = 1; distance <= WINDOW; distance++) {
    // Lines are added more often than removed.
    for (let gone = 0; gone <= distance; gone++) {
      if (agree(before, after, i + gone, j + distance - gone)) return { i: i + gone, j: j + distance - gone };
    }
  }
  return undefined;
}

function agree(before: readonly string[], after: readonly string[], i: number, j: number): boolean {
  if (i > before.length || j > after.length) return false;
  for (let k = 0; k < AGREEING; k++) {
    if (i + k === before.length && j + k === after.length) return true;
    if (before[i + k] === undefined || before[i + k] !== after[j + k]) return false;
  }
  return true;
}
