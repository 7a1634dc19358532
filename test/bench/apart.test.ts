import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { pathToFileURL } from "node:url";
import { inRoot } from "../support/paths.ts";

interface Apart {
  readonly figure: number;
  readonly low: number;
  readonly high: number;
}

interface Bench {
  readonly apart: (series: readonly (readonly number[])[]) => Apart;
  readonly isWithin: (measured: Apart, limit: number) => boolean | null;
}

const { apart, isWithin } = (await import(pathToFileURL(inRoot("bench", "apart.mjs")).href)) as Bench;

const LIMIT = 5;
const TURNS = 60;

/** Numbers from 0 to 1, the same ones for a seed. */
function chance(seed: number): () => number {
  let state = seed;
  return () => {
    state = (state * 1_103_515_245 + 12_345) % 2 ** 31;
    return state / 2 ** 31;
  };
}

/** Starts of three places as a machine has them: it is slow for a while, and each run is late by chance. */
function starts(seed: number, noise: number, own: readonly number[]): number[][] {
  const random = chance(seed);
  const series = own.map((): number[] => []);
  for (let turn = 0; turn < TURNS; turn++) {
    const wave = 100 + 40 * Math.sin(turn / 9);
    for (const [i, times] of series.entries()) times.push(wave + (own[i] ?? 0) + noise * random() ** 3);
  }
  return series;
}

const SEEDS = Array.from({ length: 50 }, (_, i) => i * 7 + 1);
const verdicts = (noise: number, own: readonly number[]): (boolean | null)[] =>
  SEEDS.map((seed) => isWithin(apart(starts(seed, noise, own)), LIMIT));

describe("differences between starts", () => {
  it("are decided on a quiet machine", () => {
    assert.deepEqual(new Set(verdicts(4, [0, 0, 0])), new Set([true]));
    assert.deepEqual(new Set(verdicts(4, [0, 8, 0])), new Set([false]));
    assert.deepEqual(new Set(verdicts(4, [0, 0, -8])), new Set([false]));
  });

  it("are never decided wrongly on a busy machine", () => {
    assert.ok(!verdicts(60, [0, 0, 0]).includes(false));
    assert.ok(!verdicts(60, [0, 8, 0]).includes(true));
  });

  it("show a much slower copy, busy or not", () => {
    assert.deepEqual(new Set(verdicts(60, [0, 40, 0])), new Set([false]));
  });

  it("are not decided by a few turns", () => {
    assert.equal(isWithin(apart([[100], [100]]), LIMIT), null);
    assert.equal(
      isWithin(
        apart([
          [100, 100, 100],
          [150, 150, 150],
        ]),
        LIMIT,
      ),
      null,
    );
  });
});
