import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { causeOfSource } from "../../../../src/reports/plan/rows/row-causes.ts";

describe("the cause of a source with a generated name", () => {
  const nameOf = (name: string, previousName?: string): string => {
    const source = {
      kind: "ConfigMap",
      namespace: "shop",
      name,
      ...(previousName === undefined ? {} : { previousName }),
    } as const;
    const keys = { added: ["a"], changed: [], removed: [] };
    const { cause } = causeOfSource({ type: "Source", source, keys });
    return cause.is === "reason" ? cause.name : "";
  };
  const ROWS: readonly (readonly [name: string, previous: string | undefined, shown: string])[] = [
    ["env-2kfkht98mk", "env-t24g2cc9db", "env"],
    ["env-2kfkht98mk", "env", "env"],
    ["env", "env-2kfkht98mk", "env"],
    ["env-2kfkht98mk", "other", "env-2kfkht98mk"],
    ["env-2kfkht98mk", undefined, "env-2kfkht98mk"],
    ["env", undefined, "env"],
  ];
  for (const [name, previous, shown] of ROWS)
    it(`${name}, before ${previous ?? "the same"}: ${shown}`, () => assert.equal(nameOf(name, previous), shown));
});
