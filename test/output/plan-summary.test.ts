import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { describe, it } from "node:test";
import { Ajv2020 } from "ajv/dist/2020.js";
import { BAD, DONE, FOUND, type ExitStatus } from "../../src/base/errors.ts";
import { planSummary, type PlanSummaryJson } from "../../src/output/plan-summary.ts";
import type { Level, PlanReport } from "../../src/reports/plan/plan-report.ts";
import { inRoot } from "../support/paths.ts";
import { EXAMPLES } from "./plan-examples.ts";

const ajv = new Ajv2020({ strict: false });
ajv.addSchema(JSON.parse(readFileSync(inRoot("schemas", "plan.json"), "utf8")));
const meetsSchema = ajv.compile(JSON.parse(readFileSync(inRoot("schemas", "plan-summary.json"), "utf8")));

function summaryOf(report: PlanReport, status: ExitStatus = DONE, error?: string): PlanSummaryJson {
  const line = planSummary(report, { status, error });
  assert.match(line, /^[^\n]+\n$/u);
  const shape = JSON.parse(line) as PlanSummaryJson;
  assert.ok(meetsSchema(shape), JSON.stringify(meetsSchema.errors));
  return shape;
}

const [[, first]] = EXAMPLES as readonly [(typeof EXAMPLES)[number]];

/** The first example with another level and other counts. */
function reportWith(level: Level, counts: Partial<PlanReport["summary"]>): PlanReport {
  const report = first();
  assert.ok(report.verdict !== null);
  const none = { rolls: 0, creates: 0, scales: 0, nextRuns: 0, deletes: 0 };
  return { ...report, verdict: { ...report.verdict, level }, summary: { ...report.summary, ...none, ...counts } };
}

describe("plan -o summary", () => {
  it("has the verdict, the counts and the revisions of each plan", () => {
    for (const [what, example] of EXAMPLES) {
      const report = example();
      const { verdict, summary, repository, base } = summaryOf(report, report.verdict === null ? BAD : DONE, "why");
      assert.equal(verdict?.level, report.verdict?.level, what);
      if (verdict !== null) assert.deepEqual(summary, report.summary, what);
      assert.deepEqual([repository, base], [report.compared?.repository, report.compared?.base], what);
    }
  });

  it("has a label by what rolls and by the level", () => {
    const labels = (level: Level, counts: Partial<PlanReport["summary"]>, status?: ExitStatus): readonly string[] =>
      summaryOf(reportWith(level, counts), status).labels;
    assert.deepEqual(labels("ok", {}), ["rolls:none"]);
    assert.deepEqual(labels("ok", { nextRuns: 1 }), ["rolls:none"]);
    assert.deepEqual(labels("ok", { rolls: 1 }), ["rolls:safe"]);
    assert.deepEqual(labels("ok", { creates: 1 }), ["rolls:safe"]);
    assert.deepEqual(labels("ok", { scales: 1 }), ["rolls:safe"]);
    assert.deepEqual(labels("ok", { rolls: 1 }, FOUND), ["rolls:risky"]);
    for (const level of ["attention", "danger", "refused"] as const)
      assert.deepEqual(labels(level, {}), ["rolls:risky"]);
  });

  it("has no verdict, no counts and no label if nothing was examined", () => {
    const { summary, ...line } = summaryOf({ ...first(), verdict: null }, BAD, "nothing was examined");
    assert.equal(summary, undefined);
    assert.deepEqual([line.verdict, line.status, line.error], [null, BAD, "nothing was examined"]);
    assert.deepEqual(line.labels, []);
  });
});
