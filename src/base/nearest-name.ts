import leven from "leven";

/** `, did you mean 'x'?` if a known name is similar, else "". */
export function suggestion(name: string, known: readonly string[]): string {
  const near = nearest(name, known);
  return near === undefined ? "" : `, did you mean '${near}'?`;
}

/** The known name that is most similar to a misspelt one, if one is similar enough: `most` letters may differ. */
export function nearest(name: string, known: readonly string[], most?: number): string | undefined {
  const lower = name.slice(0, 64).toLowerCase();
  const ranked = known
    .map((candidate) => ({ candidate, distance: leven(lower, candidate.toLowerCase()) }))
    .sort((a, b) => a.distance - b.distance);
  const best = ranked[0];
  return best !== undefined && best.distance <= (most ?? Math.max(2, Math.floor(best.candidate.length / 3)))
    ? best.candidate
    : undefined;
}
