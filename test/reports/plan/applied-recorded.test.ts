import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { isMapping } from "../../../src/yaml/read/json.ts";
import { applied } from "../../../src/reports/plan/applied.ts";
import { readApplies } from "./applies.ts";

// Applies that test/e2e/apply.test.ts has seen kubectl and an API server make; it holds the record against them.

describe("an apply as a real control plane made it", () => {
  for (const [name, { live, next, gives }] of Object.entries(readApplies())) {
    it(name, () => {
      const merged = applied(live, next);
      assert.deepEqual(isMapping(merged) && merged["spec"], gives);
    });
  }
});
