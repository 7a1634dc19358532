import assert from "node:assert/strict";
import { describe, it } from "node:test";
import type { Json } from "../../../src/yaml/read/node.ts";
import { applied } from "../../../src/reports/plan/applied.ts";
import { elements, listForm, ownersOf } from "../../../src/reports/plan/managed-fields.ts";

// `metadata.managedFields` as the API server writes it: who is taken to apply, and whose fields are whose.

type Fields = { readonly [key: string]: Json };

const entry = (manager: Json, operation: string, fieldsV1: Json, more: Fields = {}): Json => ({
  manager,
  operation,
  fieldsV1,
  ...more,
});
const live = (...managedFields: readonly Json[]): Json => ({ metadata: { managedFields: [...managedFields] } });
const A: Json = { "f:a": {} };
const B: Json = { "f:b": {} };
const AB: Json = { "f:a": {}, "f:b": {} };
const DEEP: Json = { "f:a": { "f:x": {}, "f:y": {} } };

describe("who is taken to apply", () => {
  const ROWS: readonly (readonly [string, Json, Json, ours: Json | undefined, others: readonly Json[]])[] = [
    ["nobody, where nobody has applied", live(entry("kubectl-edit", "Update", A)), { a: 1 }, undefined, [A]],
    ["who has applied", live(entry("x", "Update", A), entry("flux", "Apply", B)), { a: 1 }, B, [A]],
    [
      "of two the one with more of the manifest",
      live(entry("a", "Apply", B), entry("b", "Apply", A)),
      { a: 1 },
      A,
      [B],
    ],
    ["the other way round", live(entry("a", "Apply", A), entry("b", "Apply", B)), { a: 1 }, A, [B]],
    ["with more fields of it", live(entry("a", "Apply", A), entry("b", "Apply", AB)), { a: 1, b: 2 }, AB, [A]],
    ["at any depth", live(entry("a", "Apply", AB), entry("b", "Apply", DEEP)), { a: { x: 1, y: 2 }, b: 1 }, DEEP, [AB]],
    ["of equals the first by name", live(entry("b", "Apply", A), entry("a", "Apply", AB)), { a: 1 }, AB, [A]],
    ["of equals, in either order", live(entry("a", "Apply", AB), entry("b", "Apply", A)), { a: 1 }, AB, [A]],
    ["Helm, which applies by updates", live(entry("kubectl", "Update", B), entry("helm", "Update", A)), {}, A, [B]],
    ["an apply before Helm", live(entry("helm", "Update", AB), entry("z", "Apply", A)), { a: 1, b: 1 }, A, [AB]],
    ["not who has applied the status", live(entry("a", "Apply", A, { subresource: "status" })), {}, undefined, [A]],
    ["an apply of no subresource", live(entry("a", "Apply", A, { subresource: "" })), {}, A, []],
    ["one without a name", live(entry(1, "Apply", A)), {}, A, []],
    ["before others, one without a name", live(entry("M", "Apply", AB), entry(1, "Apply", A)), { a: 1 }, A, [AB]],
    ["of one under two versions the first", live(entry("a", "Apply", A), entry("a", "Apply", AB)), { a: 1 }, A, [AB]],
    ["nobody where the list is none", { metadata: { managedFields: "x" } }, {}, undefined, []],
    [
      "no entry that is none",
      live("x", null, { manager: "a", operation: "Apply" }, entry("b", "Apply", 1)),
      {},
      undefined,
      [],
    ],
    ["nobody without the field", { metadata: {} }, {}, undefined, []],
    ["nobody without metadata", {}, {}, undefined, []],
    ["nobody of what is no object", "x", {}, undefined, []],
  ];
  for (const [name, object, next, ours, others] of ROWS)
    it(name, () => assert.deepEqual(ownersOf(object, next), { ours, others }));
});

describe("the elements that a set of fields names", () => {
  it("are those by key and by value, not fields, nor what is not a set", () => {
    const fields: Fields = {
      ".": {},
      "f:a": {},
      'k:{"port":80,"name":"a"}': { "f:x": {} },
      'v:"one"': {},
      "v:2": {},
      'k:{"name":"b"}': "x",
    };
    assert.deepEqual(
      [...elements(fields)],
      [
        ['{"name":"a","port":80}', { "f:x": {} }],
        ['"one"', {}],
        ["2", {}],
      ],
    );
    assert.equal(elements(undefined).size, 0);
    assert.equal(elements({ "f:7": {}, "k:garbage": {}, "v:": {} }).size, 0);
  });
  const FORMS: readonly (readonly [string, readonly (Fields | undefined)[], unknown])[] = [
    ["by keys", [{ ".": {}, 'k:{"port":80,"protocol":"TCP"}': {} }], ["port", "protocol"]],
    ["by value", [undefined, { ".": {} }, { 'v:"a"': {} }], "set"],
    ["as one", [{}, undefined], "atomic"],
    ["as one, of fields that look alike", [{ "f:k:": {}, "f:v:": {}, "i:0": {} }], "atomic"],
    ["as one, of a field that is called as a key", [{ 'f:{"a":1}': {} }], "atomic"],
    ["as one, of a key that is none", [{ 'k:"x"': {} }], "atomic"],
  ];
  for (const [name, sets, form] of FORMS) it(`tell ${name}`, () => assert.deepEqual(listForm(sets), form));
});

describe("a server-side apply of a custom kind, whose lists and maps only the owners' fields tell", () => {
  const custom = (spec: Json, managedFields: readonly Json[] = []): Json => ({
    apiVersion: "example.com/v1",
    kind: "Canary",
    metadata: { managedFields: [...managedFields] },
    spec,
  });
  const ROWS: readonly {
    readonly what: string;
    readonly ours: Json;
    readonly theirs?: Json;
    readonly live: Json;
    readonly next: Json;
    readonly gives: Json;
  }[] = [
    {
      what: "a map that is named without its keys is one value",
      ours: { "f:m": {} },
      live: { m: { a: 1, b: 2 } },
      next: { m: { a: 1 } },
      gives: { m: { a: 1 } },
    },
    {
      what: "a map of which somebody owns a key is merged",
      ours: { "f:m": {} },
      theirs: { "f:m": { "f:b": {} } },
      live: { m: { a: 1, b: 2 } },
      next: { m: { a: 3 } },
      gives: { m: { a: 3, b: 2 } },
    },
    {
      what: "a map that nobody owns is merged",
      ours: { "f:x": {} },
      live: { m: { b: 2 } },
      next: { m: { a: 1 } },
      gives: { m: { a: 1, b: 2 } },
    },
    {
      what: "a list by its elements' keys",
      ours: { "f:l": { 'k:{"id":1}': { ".": {}, "f:id": {} }, 'k:{"id":2}': { ".": {}, "f:id": {} } } },
      theirs: { "f:l": { 'k:{"id":9}': { ".": {}, "f:id": {} } } },
      live: { l: [{ id: 1 }, { id: 2 }, { id: 9 }] },
      next: { l: [{ id: 1, x: true }, { id: 3 }] },
      gives: { l: [{ id: 1, x: true }, { id: 9 }, { id: 3 }] },
    },
    {
      what: "a set",
      ours: { "f:l": { 'v:"a"': {}, 'v:"b"': {} } },
      theirs: { "f:l": { 'v:"theirs"': {} } },
      live: { l: ["a", "b", "theirs"] },
      next: { l: ["c", "a"] },
      gives: { l: ["c", "a", "theirs"] },
    },
    {
      what: "a map that somebody names as one and another by its keys is merged",
      ours: { "f:m": { "f:a": {} } },
      theirs: { "f:m": {} },
      live: { m: { a: 1, b: 2 } },
      next: { m: { a: 3 } },
      gives: { m: { a: 3, b: 2 } },
    },
    {
      what: "a list as one value",
      ours: { "f:l": {} },
      live: { l: [1, 2] },
      next: { l: [3] },
      gives: { l: [3] },
    },
    {
      what: "a list that becomes something else",
      ours: { "f:l": {} },
      live: { l: [1, 2], m: { a: 1 }, s: "x" },
      next: { l: { a: 1 }, m: "x", s: [1] },
      gives: { l: { a: 1 }, m: "x", s: [1] },
    },
    {
      what: "all that it had set goes, and what it leaves empty",
      ours: { "f:m": { "f:a": {} }, "f:s": {} },
      live: { m: { a: 1 }, s: "x", theirs: 1 },
      next: {},
      gives: { theirs: 1 },
    },
    {
      what: "of a map that others share only their part stays",
      ours: { "f:m": { "f:a": {} } },
      theirs: { "f:m": { "f:b": {} } },
      live: { m: { a: 1, b: 2 } },
      next: {},
      gives: { m: { b: 2 } },
    },
  ];
  for (const { what, ours, theirs, live: before, next, gives } of ROWS) {
    it(what, () => {
      const owners = [entry("flux", "Apply", { "f:spec": ours })];
      if (theirs !== undefined) owners.push(entry("other", "Update", { "f:spec": theirs }));
      const merged = applied(custom(before, owners), custom(next));
      assert.deepEqual(JSON.parse(JSON.stringify(merged)).spec, gives);
    });
  }
});
