import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { planText } from "../../src/output/plan-text.ts";
import { planMarkdown } from "../../src/output/plan-markdown.ts";
import { planHtml } from "../../src/output/html/plan-page.ts";
import type { PlanFinding, PlannedApplication, PlanReport } from "../../src/reports/plan/plan-report.ts";
import { changed, reportOf, workload } from "./plan-workloads.ts";

const application = (name: string, more: Partial<PlannedApplication> = {}): PlannedApplication => ({
  name,
  path: name,
  kind: "Kustomize",
  status: "Changed",
  ...more,
});
const text = (report: PlanReport, all = false): string => planText(report, { color: false, all });
const markdown = (report: PlanReport): string => planMarkdown(report, { title: "Rollout plan" });

describe("the applications of a plan", () => {
  const failed = ["a", "b", "c"].map((name) =>
    application(name, { status: "Failed", message: "kustomize is not on PATH" }),
  );
  const other = application("d", { status: "Failed", message: "no such file" });

  it("that fail alike are told once, with their names", () => {
    const report = { ...reportOf([]), applications: [...failed, other] };
    const told = text(report);
    assert.equal(told.split("kustomize is not on PATH").length, 2, told);
    assert.match(told, /^FAILED {6}3 applications\n +kustomize is not on PATH\n +a, b, c$/mu);
    assert.match(told, /^FAILED {6}Kustomize d\n +no such file$/mu);
    assert.equal(markdown(report).split("kustomize is not on PATH").length, 2);
    const page = planHtml(report, { title: "Rollout plan" });
    assert.equal(page.split("kustomize is not on PATH").length, 2);
    assert.match(page, /a, b, c/u);
    assert.match(page, /<span class="total">4<\/span>/u);
  });

  it("that failed in the base too say so, behind those that the change breaks", () => {
    const before = application("old", { status: "Failed", message: "no such file", failedBefore: true });
    const report = { ...reportOf([]), applications: [before, other] };
    const told = text(report);
    assert.match(told, /^FAILED {6}Kustomize old\n +failed in both revisions\n +no such file$/mu);
    assert.match(told, /^FAILED {6}Kustomize d\n +no such file$/mu);
    assert.ok(told.indexOf("Kustomize d") < told.indexOf("Kustomize old"));
    assert.match(markdown(report), /Kustomize old \(failed in both revisions\): no such file/u);
    assert.match(planHtml(report, { title: "Rollout plan" }), /Kustomize old<\/span> \(failed in both revisions\)/u);
  });

  it("that need other charts fail alike", () => {
    const needing = ["x 1.0.0", "y 1.0.0"].map((missing) =>
      application(missing, { status: "Failed", message: `its chart is not in the repository: ${missing}.`, missing }),
    );
    const told = text({ ...reportOf([]), applications: needing });
    assert.match(told, /^FAILED {6}2 applications\n +its chart is not in the repository: x 1\.0\.0, y 1\.0\.0\.\n/mu);
  });

  it("are named by findings that stand in no row, and by what several have alike", () => {
    const found = (of: string, message: string, severity: "error" | "warning"): PlanFinding => ({
      id: "RS018",
      severity,
      message,
      application: of,
    });
    const findings = [
      found("a", "a budget", "warning"),
      found("b", "a budget", "warning"),
      found(".", "another", "warning"),
      found("c", "the worst", "error"),
    ];
    const report = { ...reportOf([]), findings, applications: [application("a"), application("b")] };
    assert.match(text(report), /^ {2}a budget \(in a, b\)\n {2}another$/mu);
    assert.match(text(report), /^ERROR {7}RS018: the worst \(in c\)$/mu);
    assert.match(markdown(report), /a budget \(in a, b\)/u);
    assert.match(markdown(report), /RS018: the worst \(in c\)/u);
    const page = planHtml(report, { title: "Rollout plan" });
    assert.match(page, /a budget \(in b\)/u);
    assert.match(page, /the worst \(in c\)/u);
  });

  it("are rows where a workload changes in them, and a count where none does", () => {
    const rows = [workload("web", { reasons: [changed("env")], application: "shop" })];
    const report = { ...reportOf(rows), applications: [application("shop"), application("volumes")] };
    assert.match(text(report), /^ +1 +1 {2}shop$/mu);
    assert.doesNotMatch(text(report), /^ +0 +0 {2}volumes$/mu);
    assert.match(text(report), /2 applications: 2 changed \(1 of them in no workload\)/u);
    assert.match(text(report, true), /^ +0 +0 {2}volumes$/mu);
    assert.doesNotMatch(markdown(report), /volumes/u);
  });

  it("that differ in no workload are not said to differ in nothing", () => {
    const report = {
      ...reportOf([]),
      applications: [application("volumes"), application("shop", { status: "Unchanged" })],
    };
    assert.match(text(report), /No workload changes in the 1 application that differs/u);
    assert.doesNotMatch(text(report), /Nothing differs/u);
  });
});
