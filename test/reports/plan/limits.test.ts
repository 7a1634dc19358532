import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { planStatus } from "../../../src/reports/plan/limits.ts";
import type { PlanReport } from "../../../src/reports/plan/plan-report.ts";
import type { ApplicationStatus, Held } from "../../../src/reports/plan/planned-application.ts";
import { configMap, deployment } from "../../support/manifests.ts";
import { planned, type PlanSetup } from "./planned.ts";

const BASE = [
  configMap("env", "a"),
  ...["a", "b"].map((name) => deployment(name, "env").replace("spec:\n", "spec:\n  replicas: 2\n")),
].join("---\n");
const HEAD = BASE.replace('"a"', '"b"');
const exceeded = (setup: PlanSetup, base = BASE, head = HEAD): PlanReport["exceeded"] =>
  planned(base, head, setup).exceeded;

describe("the limits of a plan", () => {
  it("are none unless they are set", () => {
    assert.deepEqual(exceeded({}), []);
    assert.equal(planStatus(planned(BASE, HEAD)), 0);
  });
  it("allow as many as they say, and not one more", () => {
    assert.deepEqual(exceeded({ maxWorkloads: 2, maxPods: 4 }), []);
    assert.deepEqual(exceeded({ maxWorkloads: 1 }), [{ limit: "maxWorkloads", actual: 2, allowed: 1 }]);
    assert.deepEqual(exceeded({ maxPods: 3 }), [{ limit: "maxPods", actual: 4, allowed: 3 }]);
    assert.equal(planStatus(planned(BASE, HEAD, { maxPods: 3 })), 1);
  });
  it("may be zero", () => {
    const reduced = (text: string): string =>
      text.replace(/---\n(?:(?!---\n)[\s\S])*$/u, "").replace("replicas: 2", "replicas: 1");
    assert.deepEqual(exceeded({ maxWorkloads: 0, maxPods: 0 }, reduced(BASE), reduced(HEAD)), [
      { limit: "maxWorkloads", actual: 1, allowed: 0 },
      { limit: "maxPods", actual: 1, allowed: 0 },
    ]);
    assert.deepEqual(exceeded({ maxWorkloads: 0, maxPods: 0 }, BASE, BASE), []);
  });
  it("count the findings of a rule, of workloads and of everything else", () => {
    const wrong = "replicas: 2\n  strategy: {type: Recreate}";
    const [base, head] = [BASE, HEAD].map((text) => text.replace("replicas: 2", wrong));
    assert.deepEqual(exceeded({ failOn: ["RS004", "RS011"] }, base, head), [
      { limit: "failOn", rule: "RS004", findings: 1 },
    ]);
    const frozen = (text: string): string => `${configMap("other", text)}immutable: true\n---\n${BASE}`;
    assert.deepEqual(exceeded({ failOn: ["RS006"] }, frozen("a"), frozen("b")), [
      { limit: "failOn", rule: "RS006", findings: 1 },
    ]);
    assert.equal(planStatus(planned(frozen("a"), frozen("b"))), 1, "an error");
  });
  it("make no difference to what fails, or only warns", () => {
    const unknown = BASE.replace("replicas: 2", "replicas: 2\n  strategy: {type: Sometimes}");
    assert.equal(planStatus(planned(BASE, unknown)), 1);
    const recreate = (text: string): string => text.replace("replicas: 2", "strategy: {type: Recreate}");
    assert.equal(planStatus(planned(recreate(BASE), recreate(HEAD))), 0, "a warning");
  });
  it("make no difference to an application that can't be rendered: it is not a success", () => {
    const application = { name: "web", path: "web", kind: "Kustomize", stampedBy: "Nothing" } as const;
    const status = (...of: readonly ApplicationStatus[]): number =>
      planStatus({ ...planned(BASE, HEAD), applications: of.map((each) => ({ ...application, status: each })) });
    assert.equal(status("Changed", "Unchanged", "NotAffected"), 0);
    assert.equal(status("Changed", "Failed"), 1);
    const whileHeld = (why: Held): number =>
      planStatus({ ...planned(BASE, HEAD), applications: [{ ...application, status: "Failed", held: why }] });
    assert.deepEqual([whileHeld("Manual"), whileHeld("Suspended"), whileHeld("ChartVersion")], [1, 0, 0]);
    assert.equal(status(), 0);
  });
  it("are the same whatever else is listed", () => {
    const missing = deployment("c", "absent");
    assert.deepEqual(exceeded({ all: true, failOn: ["RS001"] }, missing, missing), []);
  });
});
