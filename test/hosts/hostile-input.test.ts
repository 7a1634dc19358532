// Runs the shipped program with hostile input, each shape in one size and in twice that size: time and memory must not grow faster than
// the input.
import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { SHAPES } from "./hostile-shapes.ts";
import { measure, MOST_SECONDS } from "./measured.ts";
import { COMMAND_PRODUCTS } from "./products-of-commands.ts";
import { PRODUCTS } from "./product-shapes.ts";
import { CHART_PRODUCTS } from "./products-of-charts.ts";

/** Twice the input may take so much more: twice, and what a busy machine adds. */
const GROWTH = 2.8;
/** Less than this is start-up, in seconds and in MiB. */
const SHORT = 1;
const SMALL = 180;

describe("hostile input", () => {
  for (const [name, shape] of Object.entries({ ...SHAPES, ...PRODUCTS, ...COMMAND_PRODUCTS, ...CHART_PRODUCTS })) {
    test(name, (t) => {
      const { n, status = 0, says = /^$/u } = shape;
      const once = measure(shape, n);
      assert.equal(once.status, status, once.stderr.slice(0, 1000));
      assert.match(once.stderr.slice(0, 1_000_000), says);
      assert.doesNotMatch(once.stderr.slice(0, 100_000), /internal error/u);
      if (shape.args === undefined) assert.equal(once.stdout === "", status === 2);
      assert.ok(once.seconds < MOST_SECONDS, `${once.seconds} s`);
      if (n === 1) return;
      const twice = measure(shape, 2 * n);
      t.diagnostic(
        `${once.seconds.toFixed(2)} s, ${once.peak.toFixed(0)} MiB; twice: ${twice.seconds.toFixed(2)} s, ${twice.peak.toFixed(0)} MiB`,
      );
      // A busy machine takes more of one of the two: what grows does so again.
      const grows = (few: number, many: number): boolean => many >= Math.max(GROWTH * few, SHORT);
      const seconds: [few: number, many: number] = [once.seconds, twice.seconds];
      for (let more = 0; more < 2 && grows(...seconds); more++) {
        seconds[0] = measure(shape, n).seconds;
        seconds[1] = Math.min(seconds[1], measure(shape, 2 * n).seconds);
      }
      assert.ok(!grows(...seconds), `${seconds[0]} s, and ${seconds[1]} s for twice as much`);
      assert.ok(
        twice.peak < Math.max(GROWTH * once.peak, SMALL),
        `${once.peak} MiB, and ${twice.peak} MiB for twice as much`,
      );
      const said = ({ stdout, stderr }: typeof once): number => stdout.length + stderr.length;
      assert.ok(
        said(twice) < GROWTH * said(once) + 10_000,
        `${said(once)} characters come of it, and ${said(twice)} of twice as much`,
      );
    });
  }
});
