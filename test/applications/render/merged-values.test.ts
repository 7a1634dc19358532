import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { RollstampError } from "../../../src/base/errors.ts";
import { DEFAULT_LIMITS } from "../../../src/base/limits.ts";
import {
  mergedValues,
  valuesText,
  wholeNumbers,
  type GivenValues,
} from "../../../src/applications/render/merged-values.ts";
import { countingItems, setValues, type Values } from "../../../src/applications/render/set-values.ts";

/** The result of `path=value` as JSON, or the message of its error. */
function set(text: string, isText = false): string {
  const values: Values = new Map();
  try {
    setValues(values, text, isText, countingItems());
    return valuesText(values);
  } catch (cause) {
    assert.ok(cause instanceof RollstampError);
    return cause.message;
  }
}

// test/hosts/flux-values.test.ts compares this with the library of Flux.
describe("a value at a path", () => {
  it("is parsed like --set of helm", () => {
    const rows: readonly (readonly [string, string])[] = [
      ["a.b=x", '{"a":{"b":"x"}}'],
      [String.raw`a\.b=x`, '{"a.b":"x"}'],
      ["a[1].b=x", '{"a":[null,{"b":"x"}]}'],
      ["a=1,b=TRUE,c=null,d=007,e=0", '{"a":1,"b":true,"c":null,"d":"007","e":0}'],
      ["a={1,x}", '{"a":[1,"x"]}'],
      ["a=", '{"a":""}'],
      ["a={1", "a list is not closed"],
      ["a", "a name has no value"],
      ["a=1,a.b=2", "a name needs a mapping"],
      ["a=1,a[0]=2", "an index needs a list"],
      ["a[70000]=1", "an index is not between 0 and 65536"],
      [`${"a.".repeat(31)}b=1`, "a path has more than 30 names"],
      ["a[9999]=1,b[0]=1", "indexes make lists of more than 10000 items"],
      [`a${"[0]".repeat(501)}=1`, "a path has more than 500 indexes"],
      [`a${"[0].b".repeat(501)}=1`, "a path has more than 500 indexes"],
    ];
    for (const [text, made] of rows) assert.equal(set(text), made, text);
    const hundreds = Array.from({ length: 1000 }, (_, i) => `a[${i % 500}][0]=1`).join(",");
    assert.equal(set(hundreds), `{"a":[${Array.from({ length: 500 }, () => "[1]").join(",")}]}`);
    assert.equal(set("a=1,b=true", true), '{"a":"1","b":"true"}');
  });
});

describe("values of a HelmRelease", () => {
  const document = (text: string): GivenValues => ({ is: "document", text, shown: "the ConfigMap a" });
  const givenAt = (path: string, text: string, isLiteral = false): GivenValues => ({
    is: "path",
    path,
    text,
    isLiteral,
    shown: "the Secret s",
  });
  const made = (given: readonly GivenValues[], own?: { [key: string]: string }): Values =>
    mergedValues(given, own, DEFAULT_LIMITS);

  it("come from the later object, and the release takes precedence", () => {
    const given = [document("a: 1\nb: {c: 1, d: on}\n"), document("b: {c: 2}\n"), document("")];
    assert.equal(valuesText(made(given, { a: "own" })), '{"a":"own","b":{"c":2,"d":true}}');
  });

  it("have a value at a path verbatim where it is a literal, as text where it is in quotes", () => {
    assert.equal(valuesText(made([givenAt("a", "x,b={1}", true)])), '{"a":"x,b={1}"}');
    assert.equal(valuesText(made([givenAt("a", "'5'")])), '{"a":"5"}');
  });

  it("have a bounded number of items in lists, over all objects", () => {
    assert.throws(
      () => made([givenAt("a[6000]", "1"), givenAt("b[6000]", "1")]),
      /targetPath b\[6000\]: in it indexes make lists of more than 10000 items/u,
    );
  });

  it("mark whole numbers for --set, which a file can't express", () => {
    assert.deepEqual(wholeNumbers(made([givenAt(String.raw`a.b\.c[1].d`, "5432000"), document("x: 7\n")])), [
      [String.raw`a.b\.c[1].d`, "5432000"],
    ]);
  });

  it("are rejected without revealing the invalid value", () => {
    assert.throws(
      () => made([givenAt("a", "{hunter2")]),
      (cause) => {
        assert.ok(cause instanceof RollstampError);
        assert.equal(cause.message, "the Secret s can't be put at its targetPath a: in it a list is not closed");
        return true;
      },
    );
    assert.throws(() => made([document("- a\n")]), /the values of the ConfigMap a must be a mapping/u);
  });
});
