import assert from "node:assert/strict";
import { describe, it } from "node:test";
import type { PlanFinding } from "../../../src/reports/plan/planned-workload.ts";
import { joinedFindings } from "../../../src/reports/plan/rows/joined-findings.ts";

describe("findings with one cause", () => {
  const unknown = (name: string, problem = "it failed"): PlanFinding => ({
    id: "unrendered-application",
    cause: "unknownUses",
    params: { sources: [{ kind: "Secret", namespace: "shop", name }], applications: ["web", "api"], problem, alike: 2 },
    application: name,
  });
  const ROWS: readonly (readonly [what: string, findings: readonly PlanFinding[], together: readonly number[]])[] = [
    ["are one for all sources", [unknown("a"), unknown("b"), unknown("c")], [3]],
    ["are several for several problems", [unknown("a"), unknown("b", "another one"), unknown("c")], [2, 1]],
    ["are alone", [unknown("a")], [1]],
  ];
  for (const [what, findings, together] of ROWS)
    it(what, () => {
      const joined = joinedFindings(findings, ({ id }) => id);
      assert.deepEqual(
        joined.map(({ says, all }) => [
          says.id === "unrendered-application" && says.cause === "unknownUses" ? says.params.sources.length : 0,
          all.length,
        ]),
        together.map((count) => [count, count]),
      );
    });
});
