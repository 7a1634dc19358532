import assert from "node:assert/strict";
import { describe, it } from "node:test";
import type { Json } from "../../src/yaml/read/node.ts";
import type { Reason } from "../../src/reports/plan/plan-reasons.ts";
import type { PlanFinding, PlannedWorkload } from "../../src/reports/plan/plan-report.ts";
import { findingGroups } from "../../src/output/plan-finding-groups.ts";
import { rowWord, SAFETY_WORDS, toneOf } from "../../src/output/plan-levels.ts";
import { shownCauses, shownReasons } from "../../src/output/plan-row-words.ts";
import { isOwn, planRows } from "../../src/output/plan-rows.ts";
import { plainWords, reasonWords } from "../../src/output/plan-words.ts";
import { configMap, deployment } from "../support/manifests.ts";
import { planned } from "../reports/plan/planned.ts";
import { changed, reportOf, workload } from "./plan-workloads.ts";

const warning: PlanFinding = { id: "RS004", severity: "warning", message: "m", remedy: "r" };
const image = (path: string, from: string, to: string): PlannedWorkload["reasons"] => [
  { type: "Template", path, from, to },
];

describe("the rows of a plan", () => {
  it("what a person has to look at stands by itself, all else together", () => {
    const rows: [Partial<PlannedWorkload>, boolean][] = [
      [{ action: "Fail", safety: "Unknown" }, true],
      [{ safety: "Outage" }, true],
      [{ safety: "MayStick" }, true],
      [{ safety: "Waits" }, true],
      [{ safety: "Reduced" }, true],
      [{ safety: "Unknown" }, true],
      [{ action: "Delete", safety: "Reduced" }, true],
      [{ action: "NoEffect" }, true],
      [{ findings: [{ ...warning, severity: "error" }] }, true],
      [{ findings: [{ ...warning, severity: "error", before: true }] }, false],
      [{ findings: [warning] }, false],
      [{ safety: "Safe" }, false],
      [{ action: "Delete" }, false],
      [{ action: "Create" }, false],
      [{ action: "NextRun" }, false],
      [{ action: "Reload" }, false],
      [{ action: "None" }, false],
    ];
    for (const [given, expected] of rows) assert.equal(isOwn(workload("a", given)), expected, JSON.stringify(given));
  });
  it("keeps the order of the plan", () => {
    const workloads = [
      workload("f", { action: "Fail" }),
      workload("o", { safety: "Outage" }),
      workload("a", {}),
      workload("n", { action: "NoEffect" }),
      workload("b", {}),
    ];
    const { own, groups } = planRows({ workloads });
    assert.deepEqual(
      own.map(({ name }) => name),
      ["f", "o", "n"],
    );
    assert.deepEqual(
      groups.map((group) => group.workloads.map(({ name }) => name)),
      [["a", "b"]],
    );
  });
  it("what rolls safely is one row for each set of causes, the dearest first", () => {
    const names = ["a", "b", "c", "d"];
    const base = [configMap("env", "1"), configMap("more", "1"), ...names.map((name) => deployment(name, "env"))];
    const with2 = base.map((text) =>
      text.includes("name: d\n")
        ? text.replace("env\n", "env\n            - configMapRef:\n                name: more\n")
        : text,
    );
    const head = with2.join("---\n").replaceAll('"1"', '"2"').replace("image: app:1", "image: app:2");
    const { own, groups } = planRows(planned(with2.join("---\n"), head));
    assert.deepEqual(own, []);
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
  it("tells reasons once for all that read alike, first what the most have", () => {
    const path = "spec.containers[name=app].image";
    const workloads = [
      workload("a", { reasons: image(path, "x:1", "x:2") }),
      workload("b", { reasons: image(path, "y:1", "y:2") }),
      workload("c", { reasons: image(path, "y:1", "y:2") }),
    ];
    const [group, ...more] = planRows({ workloads }).groups;
    assert.deepEqual(more, []);
    assert.deepEqual(
      group?.reasons.map(({ reason, namespace, workloads: n }) => [n, plainWords(reasonWords(reason, namespace))]),
      [
        [2, `${path}: y:1 → y:2`],
        [1, `${path}: x:1 → x:2`],
      ],
    );
  });
  it("what says another thing, or asks for another one, is another row", () => {
    const reasons = image("spec.x", "1", "2");
    const { groups } = planRows({
      workloads: [
        workload("a", { action: "NextRun", because: "its next run takes the change", reasons }),
        workload("b", { action: "NextRun", because: "it is suspended", reasons }),
        workload("c", { reasons, next: "Lower the partition." }),
        workload("d", { reasons }),
        workload("e", { action: "Create" }),
        workload("f", { action: "Create" }),
      ],
    });
    assert.deepEqual(
      groups.map(({ action, because, next, workloads }) => [action, because ?? next ?? "", workloads.length]),
      [
        ["Roll", "", 1],
        ["Roll", "Lower the partition.", 1],
        ["NextRun", "it is suspended", 1],
        ["NextRun", "its next run takes the change", 1],
        ["Create", "", 2],
      ],
    );
  });
  it("counts caveats by their ids", () => {
    const caveats = [{ id: "RS016", message: "m" }];
    const [group] = planRows({
      workloads: [workload("a", { caveats }), workload("b", {}), workload("c", { caveats })],
    }).groups;
    assert.deepEqual(group?.caveats, [{ id: "RS016", message: "m", workloads: 2 }]);
  });
  it("adds up the pods, with as many as autoscalers may make", () => {
    const [group] = planRows({
      workloads: [workload("a", { pods: 2, podsAtMost: 9 }), workload("b", { pods: 3 })],
    }).groups;
    assert.deepEqual([group?.pods, group?.podsAtMost], [5, 12]);
  });
});

describe("words of levels", () => {
  it("a row begins with its safety if it rolls, else with what becomes of it", () => {
    assert.equal(rowWord({ action: "Roll", safety: "MayStick" }), "may stick");
    assert.equal(rowWord({ action: "Delete", safety: "Reduced" }), "deleted");
  });
  it("no two are the same", () => assert.equal(new Set(Object.values(SAFETY_WORDS)).size, 6));
  it("an error makes a row as loud as an outage", () => {
    assert.equal(toneOf(workload("a", { findings: [{ ...warning, severity: "error" }] })), "bad");
    assert.equal(toneOf(workload("a", { safety: "Reduced" })), "look");
    assert.equal(toneOf(workload("a", { action: "NextRun" })), "quiet");
  });
});

describe("findings of a plan", () => {
  it("are one group where the same is to be done", () => {
    const groups = findingGroups([
      warning,
      { ...warning, message: "n" },
      { ...warning, remedy: "other" },
      warning,
      { ...warning, before: true },
      { ...warning, id: "RS020", severity: "error" },
    ]);
    assert.deepEqual(
      groups.map(({ id, before, remedy, messages, findings }) => [id, before, remedy, messages.join(), findings]),
      [
        ["RS020", false, "r", "m", 1],
        ["RS004", false, "r", "m,n", 3],
        ["RS004", false, "other", "m", 1],
        ["RS004", true, "r", "m", 1],
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
        plainWords(reasonWords(reason, "default")).split(/[ :]/u, 2).join(" "),
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
    assert.deepEqual(causes(1), { causes: [], more: [] });
    assert.deepEqual([causes(3).causes.length, causes(3).more], [2, ["and 2 more causes"]]);
    assert.deepEqual([causes(9).causes.length, causes(9).more], [1, ["and 9 causes of one workload each"]]);
  });
  it("is an element without the key that its path names, with its image whole and first", () => {
    const words = (path: string, to: Json): string =>
      plainWords(reasonWords({ type: "Template", path, from: null, to }, "default"));
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
