import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { indexClaims } from "../../../src/kubernetes/rollout/claims.ts";
import { itemsOf, object } from "./input.ts";

const claim = (modes: string, metadata = "name: data"): string => object("PersistentVolumeClaim", modes, metadata);

describe("a claim can be used by", () => {
  const ROWS: readonly (readonly [string, "ReadWriteOncePod" | "ReadWriteOnce" | undefined])[] = [
    ["accessModes: [ReadWriteOncePod]", "ReadWriteOncePod"],
    ["accessModes: [ReadWriteOnce]", "ReadWriteOnce"],
    ["accessModes: [ReadWriteOnce, ReadWriteOnce]", "ReadWriteOnce"],
    ["accessModes: [ReadWriteMany, ReadWriteOncePod]", "ReadWriteOncePod"],
    ["accessModes: [ReadWriteOnce, ReadWriteMany]", undefined],
    ["accessModes: [ReadWriteMany]", undefined],
    ["accessModes: [ReadOnlyMany]", undefined],
    ["accessModes: [ReadWriteOnce, {}]", "ReadWriteOnce"],
    ["accessModes: []", undefined],
    ["storageClassName: fast", undefined],
  ];
  for (const [modes, expected] of ROWS) {
    it(`${expected ?? "many"} with ${modes}`, () => {
      const found = indexClaims(itemsOf(claim(modes)), "default").get("default/data");
      assert.deepEqual([found?.item.name, found?.mode], ["data", expected]);
    });
  }
});

describe("the claims of an input", () => {
  it("are found by namespace and name, and have the core group", () => {
    const items = itemsOf(
      claim("accessModes: [ReadWriteOnce]"),
      claim("accessModes: [ReadWriteOnce]", "name: data, namespace: other"),
      object("PersistentVolume", "accessModes: [ReadWriteOnce]", "name: volume"),
      object("PersistentVolumeClaim", "accessModes: [ReadWriteOnce]", "name: foreign", "example.com/v1"),
    );
    assert.deepEqual([...indexClaims(items, "default").keys()], ["default/data", "other/data"]);
  });
});
