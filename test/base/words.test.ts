import assert from "node:assert/strict";
import { it } from "node:test";
import { counted, cutInMiddle, containsPath, pluralize, shortened } from "../../src/base/words.ts";

it("words are plural after every number except 1", () => {
  assert.deepEqual(
    [0, 1, 2, 11, 21].map((n) => counted(n, "workload")),
    ["0 workloads", "1 workload", "2 workloads", "11 workloads", "21 workloads"],
  );
  assert.deepEqual(
    [1, 2].map((n) => counted(n, "is new", "are new")),
    ["1 is new", "2 are new"],
  );
  assert.deepEqual(
    [1, 2].map((n) => pluralize(n, "key")),
    ["key", "keys"],
  );
});

it("the path of an application is shown once", () => {
  assert.deepEqual(
    [
      ["apps/web", "apps/web"],
      ["web@apps/web", "apps/web"],
      ["web", "apps/web"],
      ["web@prod", "apps/web"],
      ["my-apps/web", "apps/web"],
    ].map(([name = "", path = ""]) => containsPath(name, path)),
    [true, true, false, false, false],
  );
});

it("long strings are cut between characters", () => {
  assert.equal(cutInMiddle("abcdefgh", 5), "ab…gh");
  assert.deepEqual([cutInMiddle("a😀cdef😀h", 5), cutInMiddle("😀cdef😀", 5)], ["a…h", "😀…😀"]);
  assert.deepEqual([shortened("a😀", 2), shortened("a😀b", 3)], ["a…", "a😀…"]);
});
