import assert from "node:assert/strict";
import { describe, it } from "node:test";
import type { Json } from "../../src/yaml/read/node.ts";
import { plainText } from "../../src/output/document/document.ts";
import { shownCauses } from "../../src/output/plan-document.ts";
import { findingGroups } from "../../src/output/plan-findings.ts";
import { labelOf, SAFETY_LABELS, toneOf } from "../../src/output/plan-levels.ts";
import { isSingle, planRows } from "../../src/output/plan-rows.ts";
import { reasonWords } from "../../src/output/plan-words.ts";
import { shownReasons } from "../../src/output/plan-workload-rows.ts";
import type { Reason } from "../../src/reports/plan/plan-reasons.ts";
import type { PlanFinding, PlannedWorkload } from "../../src/reports/plan/plan-report.ts";
import { configMap, deployment } from "../support/manifests.ts";
import { planned } from "../reports/plan/planned.ts";
import { changed, noPod, reportOf, workload } from "./plan-workloads.ts";

const warning = noPod("a");
const error: PlanFinding = { ...warning, severityOverride: "error" };
const image = (path: string, from: string, to: string): PlannedWorkload["reasons"] => [
  { type: "Template", path, from, to },
];

describe("the rows of a plan", () => {
  it("are single for workloads that need attention, and groups for all others", () => {
    const rows: [Partial<PlannedWorkload>, boolean][] = [
      [{ action: "Fail", safety: "Unknown" }, true],
      [{ safety: "Outage" }, true],
      [{ safety: "MayStick" }, true],
      [{ safety: "Waits" }, true],
      [{ safety: "Reduced" }, true],
      [{ safety: "Unknown" }, true],
      [{ action: "Delete", safety: "Reduced" }, true],
      [{ action: "NoEffect" }, true],
      [{ findings: [error] }, true],
      [{ findings: [{ ...error, before: true }] }, false],
      [{ findings: [warning] }, false],
      [{ safety: "Safe" }, false],
      [{ action: "Delete" }, false],
      [{ action: "Create" }, false],
      [{ action: "NextRun" }, false],
      [{ action: "Reload" }, false],
      [{ action: "None" }, false],
    ];
    for (const [given, expected] of rows) assert.equal(isSingle(workload("a", given)), expected, JSON.stringify(given));
  });
  it("keeps the order of the plan", () => {
    const workloads = [
      workload("f", { action: "Fail" }),
      workload("o", { safety: "Outage" }),
      workload("a", {}),
      workload("n", { action: "NoEffect" }),
      workload("b", {}),
    ];
    const { single, groups } = planRows({ workloads });
    assert.deepEqual(
      single.map(({ name }) => name),
      ["f", "o", "n"],
    );
    assert.deepEqual(
      groups.map((group) => group.workloads.map(({ name }) => name)),
      [["a", "b"]],
    );
  });
  it("what rolls safely is one row for each set of causes, the most expensive first", () => {
    const names = ["a", "b", "c", "d"];
    const base = [configMap("env", "1"), configMap("more", "1"), ...names.map((name) => deployment(name, "env"))];
    const with2 = base.map((text) =>
      text.includes("name: d\n")
        ? text.replace("env\n", "env\n            - configMapRef:\n                name: more\n")
        : text,
    );
    const head = with2.join("---\n").replaceAll('"1"', '"2"').replace("image: app:1", "image: app:2");
    const { single, groups } = planRows(planned(with2.join("---\n"), head));
    assert.deepEqual(single, []);
    assert.deepEqual(
      groups.map((group) => [group.workloads.map(({ name }) => name), group.pods, group.causes.length]),
      [
        [["b", "c"], 2, 1],
        [["a"], 1, 2],
        [["d"], 1, 2],
      ],
    );
    assert.deepEqual(groups[0]?.causes, [
      { source: { kind: "ConfigMap", namespace: "default", name: "env" }, workloads: 2, pods: 2 },
    ]);
  });
  it("shows a reason once for all workloads that share it, the most frequent first", () => {
    const path = "spec.containers[name=app].image";
    const workloads = [
      workload("a", { reasons: image(path, "x:1", "x:2") }),
      workload("b", { reasons: image(path, "y:1", "y:2") }),
      workload("c", { reasons: image(path, "y:1", "y:2") }),
    ];
    const [group, ...more] = planRows({ workloads }).groups;
    assert.deepEqual(more, []);
    assert.deepEqual(
      group?.reasons.map(({ reason, namespace, workloads: n }) => [n, plainText(reasonWords(reason, namespace))]),
      [
        [2, `${path}: y:1 → y:2`],
        [1, `${path}: x:1 → x:2`],
      ],
    );
  });
  it("what has a different message or fix is a separate row", () => {
    const reasons = image("spec.x", "1", "2");
    const { groups } = planRows({
      workloads: [
        workload("a", { action: "NextRun", because: { id: "rollout", text: "at its next run" }, reasons }),
        workload("b", { action: "NextRun", because: { id: "rollout", text: "it is suspended" }, reasons }),
        workload("c", { reasons, next: { id: "lower-partition" } }),
        workload("d", { reasons }),
        workload("e", { action: "Create" }),
        workload("f", { action: "Create" }),
      ],
    });
    assert.deepEqual(
      groups.map(({ action, because, next, workloads }) => [
        action,
        because?.id === "rollout" ? because.text : (next?.id ?? ""),
        workloads.length,
      ]),
      [
        ["Roll", "", 1],
        ["Roll", "lower-partition", 1],
        ["NextRun", "at its next run", 1],
        ["NextRun", "it is suspended", 1],
        ["Create", "", 2],
      ],
    );
  });
  it("counts caveats by their ids", () => {
    const caveats: PlannedWorkload["caveats"] = [{ id: "nodes", params: {} }];
    const [group] = planRows({
      workloads: [workload("a", { caveats }), workload("b", {}), workload("c", { caveats })],
    }).groups;
    assert.deepEqual(group?.caveats, [{ caveat: caveats[0], workloads: 2 }]);
  });
  it("adds up the pods, with as many as autoscalers may make", () => {
    const [group] = planRows({
      workloads: [workload("a", { pods: 2, podsAtMost: 9 }), workload("b", { pods: 3 })],
    }).groups;
    assert.deepEqual([group?.pods, group?.podsAtMost], [5, 12]);
  });
});

describe("the label of a row", () => {
  it("is how safe a rollout is, or what else happens", () => {
    assert.equal(labelOf({ action: "Roll", safety: "MayStick" }), "may stick");
    assert.equal(labelOf({ action: "Delete", safety: "Reduced" }), "deleted");
  });
  it("differs for each safety", () => assert.equal(new Set(Object.values(SAFETY_LABELS)).size, 6));
  it("is red for an error as for an outage", () => {
    assert.equal(toneOf(workload("a", { findings: [error] })), "danger");
    assert.equal(toneOf(workload("a", { safety: "Reduced" })), "attention");
    assert.equal(toneOf(workload("a", { action: "NextRun" })), "ok");
  });
});

describe("findings of a plan", () => {
  it("are one group if they need the same fix", () => {
    const workloadRef = { apiVersion: "apps/v1", kind: "DaemonSet", name: "a" };
    const other: PlanFinding = { id: "RS004", cause: "restart", params: { workload: workloadRef } };
    const findings: PlanFinding[] = [warning, noPod("b"), other, warning, { ...warning, before: true }, error];
    const groups = findingGroups({ findings }, { single: [], groups: [] }, []);
    assert.deepEqual(
      groups.map(({ first, messages, findings: n }) => [
        first.severityOverride ?? "warning",
        first.cause,
        first.before === true,
        messages.length,
        n,
      ]),
      [
        ["error", "recreate", false, 1, 1],
        ["warning", "recreate", false, 2, 3],
        ["warning", "restart", false, 1, 1],
        ["warning", "recreate", true, 1, 1],
      ],
    );
  });
});

describe("what a row can't say all of", () => {
  const template = (path: string): Reason => ({ type: "Template", path, from: "a", to: "b" });
  it("are its first reasons, but for what decides, and for images", () => {
    const reasons: readonly Reason[] = [
      changed("one"),
      changed("two"),
      template("spec.containers[name=app].args"),
      template("metadata.labels.version"),
      template("spec.containers[name=app].image"),
      { type: "Restart", from: null, to: "2026-01-01T00:00:00Z", field: "rollstamp.dev/restartedAt" },
      { type: "Immutable", path: "spec.selector", hidden: true },
    ];
    const shown = (most: number): string[] =>
      shownReasons(reasons, (reason) => reason, most).map((reason) =>
        plainText(reasonWords(reason, "default")).split(/[ :]/u, 2).join(" "),
      );
    assert.equal(shown(7).length, 7);
    assert.deepEqual(shown(1), ["spec.selector is"]);
    assert.deepEqual(shown(4), ["ConfigMap one", "spec.containers[name=app].image ", "restart ", "spec.selector is"]);
    assert.ok(!shown(6).includes("metadata.labels.version "));
  });
  it("are causes of one workload, unless there are few", () => {
    const causes = (n: number): ReturnType<typeof shownCauses> =>
      shownCauses(
        reportOf(
          Array.from({ length: n }, (_, i) => workload(`w-${i}`, { reasons: [changed("env"), changed(`own-${i}`)] })),
        ),
        2,
      );
    assert.deepEqual(causes(1), { causes: [], more: 0, single: 0 });
    assert.deepEqual([causes(3).causes.length, causes(3).more, causes(3).single], [2, 2, 0]);
    assert.deepEqual([causes(9).causes.length, causes(9).more, causes(9).single], [1, 0, 9]);
  });
  it("is an element without the key that its path names, with its image whole and first", () => {
    const words = (path: string, to: Json): string =>
      plainText(reasonWords({ type: "Template", path, from: null, to }, "default"));
    const long = `registry.example/${"x".repeat(80)}:1`;
    assert.equal(
      words("spec.volumes[name=a]", { name: "a", emptyDir: {} }),
      'spec.volumes[name=a] added: {"emptyDir":{}}',
    );
    assert.equal(words("spec.volumes[name=a]", { name: "a" }), "spec.volumes[name=a] added");
    assert.equal(
      words("spec.containers[name=a]", { name: "a", args: ["b"], image: long }),
      `spec.containers[name=a] added: {"image":"${long}"…`,
    );
    assert.equal(words("spec.image", long), `spec.image added: ${long}`);
  });
});
