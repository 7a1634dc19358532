// Whether commands that should take equally long do. Times of one machine come in waves, so each is set against
// those of its own turn; and how far the median of such differences is sure depends on how they scatter.
import { median } from "./measure.mjs";

/** @typedef {{ figure: number, low: number, high: number }} Apart what was seen, and between what it may lie */

// By order statistics of the median, for 99 of 100: no distribution has to be assumed.
const SURE = 2.576 / 2;

/**
 * How far commands are apart that ran in the same turns: the two that differ most.
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
 * Whether they are at most so far apart; null where that can't be told yet.
 * @param {Apart} measured
 * @param {number} limit
 */
export function isWithin({ low, high }, limit) {
  if (high <= limit) return true;
  return low > limit ? false : null;
}
