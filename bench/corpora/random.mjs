// A small seeded generator: the same seed gives the same corpus on every machine, so that two runs
// of the bench, months apart, measure the same bytes.

/**
 * @typedef {{
 *   int: (below: number) => number,
 *   pick: <T>(list: readonly T[]) => T,
 *   chance: (probability: number) => boolean,
 *   base64: (bytes: number) => string,
 * }} Random
 */

/**
 * Mulberry32 (Tommy Ettinger, public domain).
 * @param {number} seed
 * @returns {Random}
 */
export function random(seed) {
  let state = seed >>> 0;
  const next = () => {
    state = (state + 0x6d2b79f5) >>> 0;
    let t = Math.imul(state ^ (state >>> 15), state | 1);
    t = (t + Math.imul(t ^ (t >>> 7), t | 61)) ^ t;
    return ((t ^ (t >>> 14)) >>> 0) / 4_294_967_296;
  };
  const int = (/** @type {number} */ below) => Math.floor(next() * below);
  return {
    int,
    pick: (list) => list[int(list.length)],
    chance: (probability) => next() < probability,
    base64: (bytes) => Buffer.from(Array.from({ length: bytes }, () => int(256))).toString("base64"),
  };
}
