import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { digestText, isDigestText, isKeyedText } from "../../../src/base/digest/hash-v1.ts";

const BYTES = Buffer.from("0123456789abcdef".repeat(4), "hex");
const DIGITS = "0123456789abcdef".repeat(4).slice(0, 40);

describe("a digest's text form", () => {
  it("is its version and 40 digits, and is known again", () => {
    for (const [keyed, prefix] of [
      [false, "h1-"],
      [true, "k1-"],
    ] as const) {
      const text = digestText({ hex: BYTES.toString("hex"), keyed });
      assert.equal(text, `${prefix}${DIGITS}`);
      assert.equal(isDigestText(text), true);
      assert.equal(isKeyedText(text), keyed);
    }
  });
  it("is not any other text", () => {
    const others = [
      "",
      DIGITS,
      "h1-",
      `h2-${DIGITS}`,
      `h1-${DIGITS.slice(1)}`,
      `h1-${DIGITS}0`,
      `h1-${DIGITS.toUpperCase()}`,
      `h1-${DIGITS.slice(1)}g`,
      `xh1-${DIGITS}`,
      `h1-${DIGITS}\n`,
      `k1_${DIGITS}`,
    ];
    for (const text of others) assert.equal(isDigestText(text), false, text);
  });
  it("recognizes a keyed digest by its prefix alone", () => {
    assert.equal(isKeyedText("k1-edited"), true);
    assert.equal(isKeyedText("xk1-"), false);
  });
});
