import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { placeholderWith, UNKNOWN, withoutPlaceholders } from "../../src/base/placeholders.ts";

const ONE = placeholderWith("7b1e8b6f3f0123456789");
const OTHER = placeholderWith("1eaa428e33abcdef0123");

describe("placeholders for unknown values in what is printed", () => {
  // Templates put a value between any other text: `E_${NAME}`, `${NAME}abc`, `${A}${B}`, `${NAME^^}`.
  for (const before of ["", " ", "/", "x", "E_", "0", "é", OTHER])
    for (const after of ["", " ", "/", "abc", "0", "_x", "é", OTHER])
      for (const change of [String, (text: string) => text.toUpperCase(), (text: string) => `U${text.slice(1)}`])
        it(`are one word in ${JSON.stringify(`${before}${change(ONE)}${after}`)}`, () => {
          const shown = (text: string): string => (text === OTHER ? UNKNOWN : text);
          const printed = withoutPlaceholders(`${before}${change(ONE)}${after}`);
          assert.equal(printed, `${shown(before)}${UNKNOWN}${shown(after)}`);
        });

  it("are nothing else that begins like one", () => {
    for (const text of ["unknown-host", "unknown1234", "unknown7b1e8b6f3f01", "unknown-7b1e8b6f3f012"])
      assert.equal(withoutPlaceholders(text), text);
  });

  it("are valid as a value in the data of a Secret", () => {
    assert.equal(Buffer.from(ONE, "base64").toString("base64"), ONE);
  });
});
