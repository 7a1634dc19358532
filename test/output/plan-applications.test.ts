import assert from "node:assert/strict";
import { describe, it } from "node:test";
import type { PlannedApplication, PlanReport } from "../../src/reports/plan/plan-report.ts";
import { changed, immutable, reportOf, unused, workload } from "./plan-workloads.ts";
import { planHtml, planMarkdown, planText } from "../support/plan-reports.ts";

const application = (name: string, more: Partial<PlannedApplication> = {}): PlannedApplication => ({
  name,
  path: name,
  kind: "Kustomize",
  stampedBy: "Nothing",
  status: "Changed",
  ...more,
});
const text = (report: PlanReport, all = false): Promise<string> => planText(report, { all });
const markdown = (report: PlanReport): string => planMarkdown(report);

describe("the applications of a plan", () => {
  const failed = ["a", "b", "c"].map((name) =>
    application(name, { status: "Failed", message: "kustomize is not on PATH" }),
  );
  const other = application("d", { status: "Failed", message: "no such file" });

  it("that fail for the same reason are shown once, with their names", async () => {
    const report = { ...reportOf([]), applications: [...failed, other] };
    const printed = await text(report);
    assert.equal(printed.split("kustomize is not on PATH").length, 2, printed);
    assert.match(printed, /^FAILED {6}3 applications\n +kustomize is not on PATH\n +a, b, c$/mu);
    assert.match(printed, /^FAILED {6}Kustomize d\n +no such file$/mu);
    assert.equal(markdown(report).split("kustomize is not on PATH").length, 2);
    const page = planHtml(report);
    assert.equal(page.split("kustomize is not on PATH").length, 2);
    assert.match(page, /a, b, c/u);
  });

  it("that failed in the base too say so, behind those that the change breaks", async () => {
    const before = application("old", { status: "Failed", message: "no such file", failedBefore: true });
    const report = { ...reportOf([]), applications: [before, other] };
    const printed = await text(report);
    assert.match(printed, /^FAILED {6}Kustomize old \(failed in both revisions\)\n +no such file$/mu);
    assert.match(printed, /^FAILED {6}Kustomize d\n +no such file$/mu);
    assert.ok(printed.indexOf("Kustomize d") < printed.indexOf("Kustomize old"));
    assert.match(
      markdown(report),
      /Kustomize old \(failed in both revisions\)<\/b><\/summary>\n<ul>\n<li>no such file/u,
    );
    assert.match(planHtml(report), /Kustomize old \(failed in both revisions\)<\/span>/u);
  });

  it("that need different charts are grouped as one failure", async () => {
    const needing = ["x 1.0.0", "y 1.0.0"].map((missing) =>
      application(missing, { status: "Failed", message: `its chart is not in the repository: ${missing}.`, missing }),
    );
    const printed = await text({ ...reportOf([]), applications: needing });
    assert.match(
      printed,
      /^FAILED {6}2 applications\n +its chart is not in the repository: x 1\.0\.0, y 1\.0\.0\.\n/mu,
    );
  });

  it("are named by findings outside any row, and by what several have in common", async () => {
    const findings = [
      { ...unused("one"), application: "a" },
      { ...unused("one"), application: "b" },
      { ...unused("two"), application: "." },
      { ...immutable("worst"), application: "c" },
    ];
    const report = { ...reportOf([]), findings, applications: [application("a"), application("b")] };
    assert.match(
      await text(report),
      /^ +[^\n]*ConfigMap default\/one[^\n]* \(in a, b\)\n +[^\n]*ConfigMap default\/two[^\n(]*$/mu,
    );
    assert.match(await text(report), /^ERROR {7}RS006: ConfigMap default\/worst .* \(in c\)$/mu);
    assert.match(markdown(report), /default\/one.* \(in a, b\)/u);
    assert.match(markdown(report), /RS006: ConfigMap default\/worst .* \(in c\)/u);
    const page = planHtml(report);
    assert.match(page, /default\/one.* \(in a, b\)/u);
    assert.match(page, /default\/worst .* \(in c\)/u);
  });

  it("are rows where a workload changes in them, and a count where none does", async () => {
    const rows = [workload("web", { reasons: [changed("env")], application: "shop" })];
    const report = { ...reportOf(rows), applications: [application("shop"), application("volumes")] };
    assert.match(await text(report), /^ +1 +1 {2}shop$/mu);
    assert.doesNotMatch(await text(report), /^ +0 +0 {2}volumes$/mu);
    assert.match(await text(report), /2 applications: 2 changed \(1 of them in no workload\)/u);
    assert.match(await text(report, true), /^ +0 +0 {2}volumes$/mu);
    assert.doesNotMatch(markdown(report), /volumes/u);
  });

  it("that differ in no workload are counted", async () => {
    const report = {
      ...reportOf([]),
      applications: [application("volumes"), application("shop", { status: "Unchanged" })],
    };
    assert.match(await text(report), /2 applications: 1 changed \(1 of them in no workload\), 1 unchanged/u);
  });
});
