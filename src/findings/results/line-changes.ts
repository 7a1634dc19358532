/** A part of one text that stands where another part of the other stands: line numbers from 0, the end exclusive. */
export interface LineChange {
  readonly oldFrom: number;
  readonly oldTo: number;
  readonly newFrom: number;
  readonly newTo: number;
}

/** So many lines have to agree before two texts are taken to go on together. */
const AGREEING = 3;
/** So many lines are looked ahead for that. */
const WINDOW = 200;

/**
 * Where two texts differ, if they differ in small places, as a text and its edits do: in time that grows
 * with the texts, which a shortest diff's does not. Undefined where they go apart for longer.
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
    // Lines come in more often than they go.
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
