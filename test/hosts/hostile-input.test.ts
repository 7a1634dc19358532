// Runs the shipped program with hostile input, each shape in one size and in a quarter of it: time and memory must not grow faster
// than the input.
import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { SHAPES } from "./hostile-shapes.ts";
import { measure, MOST_SECONDS } from "./measured.ts";
import { COMMAND_PRODUCTS } from "./products-of-commands.ts";
import { PRODUCTS } from "./product-shapes.ts";
import { CHART_PRODUCTS } from "./products-of-charts.ts";

/** Four times the input may take so much more: four times, and what a busy machine adds. A quadratic step takes sixteen times. */
const GROWTH = 4.5;
/** Of memory, a part of which is Node's own. */
const MEMORY_GROWTH = 2.8;
/** Less than this is start-up, in seconds and in MiB. */
const SHORT = 1;
const SMALL = 180;

describe("hostile input", () => {
  for (const [name, shape] of Object.entries({ ...SHAPES, ...PRODUCTS, ...COMMAND_PRODUCTS, ...CHART_PRODUCTS })) {
    test(name, (t) => {
      const { n, status = 0, says = /^$/u } = shape;
      const whole = measure(shape, n);
      assert.equal(whole.status, status, whole.stderr.slice(0, 1000));
      assert.match(whole.stderr.slice(0, 1_000_000), says);
      assert.doesNotMatch(whole.stderr.slice(0, 100_000), /internal error/u);
      if (shape.args === undefined) assert.equal(whole.stdout === "", status === 2);
      assert.ok(whole.seconds < MOST_SECONDS, `${whole.seconds} s`);
      if (n === 1) return;
      const quarter = measure(shape, n / 4);
      t.diagnostic(
        `${whole.seconds.toFixed(2)} s, ${whole.peak.toFixed(0)} MiB; a quarter: ${quarter.seconds.toFixed(2)} s, ${quarter.peak.toFixed(0)} MiB`,
      );
      // A busy machine takes more of one of the two: what grows does so again.
      const grows = (few: number, many: number): boolean => many >= Math.max(GROWTH * few, SHORT);
      const seconds: [few: number, many: number] = [quarter.seconds, whole.seconds];
      for (let more = 0; more < 2 && grows(...seconds); more++) {
        seconds[0] = measure(shape, n / 4).seconds;
        seconds[1] = Math.min(seconds[1], measure(shape, n).seconds);
      }
      assert.ok(!grows(...seconds), `${seconds[1]} s, and ${seconds[0]} s for a quarter`);
      assert.ok(
        whole.peak < Math.max(MEMORY_GROWTH * quarter.peak, SMALL),
        `${whole.peak} MiB, and ${quarter.peak} MiB for a quarter`,
      );
      const said = ({ stdout, stderr }: typeof whole): number => stdout.length + stderr.length;
      assert.ok(
        said(whole) < GROWTH * said(quarter) + 10_000,
        `${said(whole)} characters come of it, and ${said(quarter)} of a quarter`,
      );
    });
  }
});
