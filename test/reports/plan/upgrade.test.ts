import assert from "node:assert/strict";
import { describe, it } from "node:test";
import type { ChartOptions } from "../../../src/reports/plan/chart-only.ts";
import type { ChartUpgrade, RolloutPlan } from "../../../src/reports/plan/plan-report.ts";
import type { PlannedWorkload } from "../../../src/reports/plan/planned-workload.ts";
import { plannedUpgrade } from "../../../src/reports/plan/upgrade.ts";
import { workload } from "../../output/plan-workloads.ts";
import { planned } from "./planned.ts";

const CHART: ChartUpgrade = { chart: "web", from: "1.0.0", to: "2.0.0" };
const KEEP: ChartOptions = { checksums: "Keep", versionLabels: "Keep" };
const REMOVE: ChartOptions = { checksums: "Remove", versionLabels: "Remove" };

const template = (path: string): PlannedWorkload["reasons"][number] => ({ type: "Template", path, from: "a", to: "b" });
const LABEL = template('metadata.labels["helm.sh/chart"]');
const SUM = template('metadata.annotations["checksum/config"]');
const IMAGE = template("spec.containers[name=app].image");

const plan = (...workloads: readonly PlannedWorkload[]): RolloutPlan => ({ ...planned("", ""), workloads });
const because = { id: "chart-only", labels: [], annotations: [] } as const;
const byLabel = workload("label", { reasons: [LABEL], pods: 2, because });
const bySum = workload("sum", { reasons: [SUM], pods: 3, because });
const byBoth = workload("both", { reasons: [LABEL, SUM], pods: 4, because });
const needed = workload("needed", { reasons: [IMAGE, LABEL], pods: 5 });

describe("the avoidable rollouts of an upgrade", () => {
  it("are counted by the options that avoid them, and those that no option avoids", () => {
    const asked: ChartOptions[] = [];
    const upgrade = plannedUpgrade(CHART, plan(byLabel, bySum, byBoth, needed), KEEP, (options) => {
      asked.push(options);
      // A selector uses the label of one of them.
      return plan({ ...byLabel, reasons: [LABEL] }, { ...bySum, action: "None" }, needed);
    });
    assert.deepEqual(asked, [REMOVE]);
    assert.deepEqual(upgrade, {
      ...CHART,
      avoidable: {
        workloads: 3,
        pods: 9,
        saves: [
          { options: ["checksums: Remove"], workloads: 1, pods: 3 },
          { options: ["versionLabels: Remove", "checksums: Remove"], workloads: 1, pods: 4 },
        ],
        stays: { workloads: 1, pods: 2 },
      },
      saved: { workloads: 0, pods: 0 },
    });
  });

  it("has what the configuration already saves, and plans only the options it needs", () => {
    const asked: ChartOptions[] = [];
    const upgrade = plannedUpgrade(CHART, plan(needed, { ...bySum, action: "None" }), REMOVE, (options) => {
      asked.push(options);
      return plan(needed, bySum, byLabel);
    });
    assert.deepEqual(asked, [KEEP]);
    assert.deepEqual(upgrade.saved, { workloads: 2, pods: 5 });
    assert.deepEqual(upgrade.avoidable, { workloads: 0, pods: 0, saves: [], stays: { workloads: 0, pods: 0 } });
  });

  it("plans the other option where one is set", () => {
    const asked: ChartOptions[] = [];
    plannedUpgrade(CHART, plan(bySum), { checksums: "Keep", versionLabels: "Remove" }, (options) => {
      asked.push(options);
      return plan();
    });
    assert.deepEqual(asked, [REMOVE, KEEP]);
    plannedUpgrade(CHART, plan(bySum), REMOVE, () => plan(bySum));
  });
});
