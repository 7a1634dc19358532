/** How often a property is tried, and from which seed. */
export function long(numRuns: number): { readonly numRuns: number; readonly seed: number } {
  return { numRuns: Number(process.env["FC_RUNS"] ?? numRuns), seed: Number(process.env["FC_SEED"] ?? 20261122) };
}
