import leven from "leven";

/** `, did you mean 'x'?` if a known name is similar, else "". */
export function suggestion(name: string, known: readonly string[]): string {
  const near = nearest(name, known);
  return near === undefined ? "" : `, did you mean '${near}'?`;
}

/** The known name that is most similar to a misspelt one, if one is similar enough. */
export function nearest(name: string, known: readonly string[]): string | undefined {
  const lower = name.slice(0, 64).toLowerCase();
  const ranked = known
    .map((candidate) => ({ candidate, distance: leven(lower, candidate.toLowerCase()) }))
    .sort((a, b) => a.distance - b.distance);
  const best = ranked[0];
  return best !== undefined && best.distance <= Math.max(2, Math.floor(best.candidate.length / 3))
    ? best.candidate
    : undefined;
}

/** The first known name of which a name is probably a misspelling. Fast enough for thousands of names. */
export function misspeltName(name: string, known: Iterable<string>): string | undefined {
  let second: string | undefined;
  for (const candidate of known) {
    if (!isWithin(name, candidate, MOST_WRONG) || !areWordsSimilar(name, candidate)) continue;
    if (isWithin(name, candidate, 1)) return candidate;
    second ??= candidate;
  }
  return second;
}

/** How many letters of a misspelt name may be wrong. */
const MOST_WRONG = 2;

/** Short words with other letters are other words: `data-a` and `data-b`, `runc` and `crun`, `north` and `south`. */
function areWordsSimilar(name: string, candidate: string): boolean {
  const [own, others] = [name.split(/[-.]/u), candidate.split(/[-.]/u)];
  const isSplit = own.length === others.length;
  return (isSplit ? own : [name]).every((word, i) => {
    const other = isSplit ? (others[i] ?? "") : candidate;
    return isWithin(word, other, Math.min(MOST_WRONG, Math.floor(Math.min(word.length, other.length) / 3)));
  });
}

/** Whether at most some letters are added, missing or others, apart from what both names begin with. */
function isWithin(a: string, b: string, most: number, fromA = 0, fromB = 0): boolean {
  if (Math.abs(a.length - fromA - (b.length - fromB)) > most) return false;
  let same = 0;
  while (fromA + same < a.length && a[fromA + same] === b[fromB + same]) same += 1;
  const [i, j] = [fromA + same, fromB + same];
  if (i === a.length || j === b.length) return true;
  if (most === 0) return false;
  return (
    isWithin(a, b, most - 1, i + 1, j + 1) || isWithin(a, b, most - 1, i + 1, j) || isWithin(a, b, most - 1, i, j + 1)
  );
}
