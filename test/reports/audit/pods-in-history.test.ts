import assert from "node:assert/strict";
import { describe, it } from "node:test";
import type { ChangedWorkload } from "../../../src/reports/audit/commit-changes.ts";
import { podsInHistory } from "../../../src/reports/audit/pods-in-history.ts";

const COMMIT = { commit: "a", date: "2026-03-01T10:00:00Z" };
const LATER = { commit: "b", date: "2026-03-02T10:00:00Z" };

/** A change of the keys of a ConfigMap, each from one digest to another. */
function changed(
  application: string,
  keys: Readonly<Record<string, readonly [from: string, to: string]>>,
): ChangedWorkload {
  const contents = Object.entries(keys).map(([key, [from, to]]) => ({ key, from, to }));
  return {
    application,
    workload: { apiVersion: "apps/v1", kind: "Deployment", namespace: "shop", name: "web" },
    action: "Stale",
    pods: 1,
    safety: "Unknown",
    reasons: [],
    content: [
      {
        type: "Source",
        source: { kind: "ConfigMap", namespace: "shop", name: "conf" },
        keys: { added: [], removed: [], changed: Object.keys(keys) },
        contents,
      },
    ],
  };
}

function rolled(application: string): ChangedWorkload {
  return { ...changed(application, {}), action: "Roll", content: [] };
}

describe("what pods run with", () => {
  it("is followed into applications that exchange their names, and into the next one of a row", () => {
    for (const renamed of [
      [
        ["a", "b"],
        ["b", "a"],
      ],
      [
        ["a", "b"],
        ["b", "c"],
      ],
      [
        ["b", "c"],
        ["a", "b"],
      ],
    ] as const) {
      const pods = podsInHistory();
      const [first, second] = ["a", "b"].map(
        (name) => pods.follow(changed(name, { LEVEL: ["1", "2"] }), COMMIT).change,
      );
      pods.rename(renamed);
      pods.follow(rolled("b"), LATER);
      assert.deepEqual([first?.until?.commit, second?.until?.commit], [LATER.commit, undefined]);
      pods.follow(rolled(renamed.find(([from]) => from === "b")?.[1] ?? ""), LATER);
      assert.equal(second?.until?.commit, LATER.commit);
    }
  });

  it("is what they have, also if one key gets its old content back while another changes", () => {
    const pods = podsInHistory();
    const first = pods.follow(changed("a", { LEVEL: ["1", "2"] }), COMMIT);
    const second = pods.follow(changed("a", { LEVEL: ["2", "1"], OTHER: ["1", "2"] }), COMMIT);
    assert.deepEqual([first.change?.until?.reasons, second.effect], [[{ type: "Revert" }], "stale"]);
    assert.equal(pods.follow(changed("a", { OTHER: ["2", "1"] }), LATER).effect, "other");
    assert.equal(second.change?.until?.commit, LATER.commit);
    assert.equal(pods.follow(changed("a", { LEVEL: ["1", "2"] }), LATER).effect, "stale");
  });
});
