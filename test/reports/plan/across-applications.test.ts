import assert from "node:assert/strict";
import { describe, it } from "node:test";
import type { SourceName } from "../../../src/base/names.ts";
import { unseenChanges, usesInCluster, type OtherApplication } from "../../../src/reports/plan/across-applications.ts";

describe("changes that other applications see", () => {
  it("read what each other application has once, not for each application that changes", () => {
    let reads = 0;
    const counted = (name: string): SourceName => ({
      kind: "ConfigMap",
      namespace: "a",
      get name() {
        reads += 1;
        return name;
      },
    });
    const workload = { apiVersion: "apps/v1", kind: "Deployment", namespace: "a", name: "w" };
    const others = Array.from({ length: 100 }, (_, i): OtherApplication => ({
      application: `app${i}`,
      has: [counted(`h${i}`), counted(`i${i}`)],
      lacks: [{ workload, source: counted("env"), keys: "*", isOptional: false }],
    }));
    const uses = usesInCluster(others);
    const keys = { added: [], removed: ["a"], changed: [] };
    const asked = (name: string): unknown =>
      unseenChanges(
        [{ source: { kind: "ConfigMap", namespace: "a", name }, keys, isGone: true, isUnused: true }],
        "app7",
        uses,
      ).map(({ params }) => params.applications.length);
    // One of them changes it.
    assert.deepEqual(asked("env"), [99]);
    const once = reads;
    for (let again = 0; again < 100; again++) assert.deepEqual(asked("env"), [99]);
    assert.deepEqual([asked("h7"), asked("other")], [[], []]);
    assert.equal(reads, once);
  });
});
