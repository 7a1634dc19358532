import assert from "node:assert/strict";
import { describe, it } from "node:test";
import fc from "fast-check";
import { inPathOrder, isInFolder, pathsIn } from "../../../src/applications/discover/paths.ts";

describe("the paths in a folder", () => {
  const part = fc.string({ unit: fc.constantFrom("a", "b", ".", "-", "~", "\u0001"), minLength: 1, maxLength: 2 });
  const path = fc.array(part, { minLength: 1, maxLength: 3 }).map((parts) => parts.join("/"));

  it("are those that begin with it, in their order", () =>
    fc.assert(
      fc.property(fc.uniqueArray(path, { maxLength: 40 }), fc.oneof(path, fc.constant(".")), (paths, folder) => {
        const ordered = inPathOrder(paths, (one) => one);
        assert.deepEqual(
          pathsIn(folder, ordered),
          ordered.filter((one) => isInFolder(folder, one)),
        );
      }),
      { seed: 20261126, numRuns: 2000 },
    ));

  it("are found without a look at each path", () => {
    let looked = 0;
    const all = Array.from({ length: 20_000 }, (_, i) => `d${String(i).padStart(5, "0")}/a.yaml`);
    const ordered = new Proxy(all, {
      get: (target, key, receiver) => {
        looked += 1;
        return Reflect.get(target, key, receiver) as unknown;
      },
    });
    assert.deepEqual(pathsIn("d12345", ordered), ["d12345/a.yaml"]);
    assert.ok(looked < 200, String(looked));
  });
});
