import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { decodeBase64 } from "../../../src/base/digest/hash-v1.ts";

// RFC 4648, section 4, with padding, and line breaks as Go's decoder skips them: docs/reference/hash-v1.md.

const TAKEN: readonly (readonly [text: string, bytes: string])[] = [
  ["", ""],
  ["Zg==", "f"],
  ["Zm8=", "fo"],
  ["Zm9v", "foo"],
  ["Zm9vYg==", "foob"],
  ["+/+/", "fbffbf"],
  ["Zm9v\nYmFy\n", "foobar"],
  ["Zm9v\r\nYg=\r\n=", "foob"],
  ["\n", ""],
  ["\r\n\r\n", ""],
];

const REFUSED: readonly string[] = [
  "Zg",
  "Zg=",
  "Zm8",
  "Zm9vY",
  "Zg===",
  "Zm9v=",
  "Zm9v====",
  "=",
  "==",
  "====",
  "Z===",
  "=Zg=",
  "Z=g=",
  "Zg==Zg==",
  "Zm9-",
  "Zm_v",
  "-m9v",
  "Zm9-Yg==",
  "Zm9v-g==",
  "Zm9vY-==",
  "Zm9vYm-=",
  "Zm 9",
  "Zm9v ",
  " Zm9v",
  "Zm\t9",
  "Zm\u00e99",
];

describe("base64", () => {
  for (const [text, bytes] of TAKEN) {
    it(`takes ${JSON.stringify(text)}`, () =>
      assert.equal(decodeBase64(text)?.toString(text === "+/+/" ? "hex" : "latin1"), bytes));
  }
  for (const text of REFUSED) {
    it(`refuses ${JSON.stringify(text)}`, () => assert.equal(decodeBase64(text), undefined));
  }
});
