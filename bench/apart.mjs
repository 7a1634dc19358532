// Whether commands take equally long. The load of a machine comes in waves, so times are compared within a turn; the confidence of the
// median of the differences depends on their spread.
import { median } from "./measure.mjs";

/** @typedef {{ figure: number, low: number, high: number }} Apart the measured difference and its interval */

// The 99 % interval of the median by order statistics: no distribution is assumed.
const SURE = 2.576 / 2;

/**
 * The largest difference between commands that ran in the same turns.
 * @param {readonly (readonly number[])[]} series the times of each command, turn by turn
 * @returns {Apart}
 */
export function apart(series) {
  const pairs = series.flatMap((a, i) => series.slice(i + 1).map((b) => between(a, b)));
  return {
    figure: Math.max(...pairs.map(({ figure }) => figure)),
    low: Math.max(...pairs.map(({ low }) => low)),
    high: Math.max(...pairs.map(({ high }) => high)),
  };
}

/**
 * @param {readonly number[]} a
 * @param {readonly number[]} b
 * @returns {Apart}
 */
function between(a, b) {
  const differences = a.map((time, turn) => time - b[turn]).sort((x, y) => x - y);
  const outside = Math.floor(differences.length / 2 - SURE * Math.sqrt(differences.length));
  const [from, to] =
    outside < 0
      ? [Number.NEGATIVE_INFINITY, Number.POSITIVE_INFINITY]
      : [differences[outside], differences[differences.length - 1 - outside]];
  return {
    figure: Math.abs(median(differences)),
    low: from > 0 ? from : to < 0 ? -to : 0,
    high: Math.max(Math.abs(from), Math.abs(to)),
  };
}

/**
 * Whether the difference is within the limit; null if it is undecided.
 * @param {Apart} measured
 * @param {number} limit
 */
export function isWithin({ low, high }, limit) {
  if (high <= limit) return true;
  return low > limit ? false : null;
}
