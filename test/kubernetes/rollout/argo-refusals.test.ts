import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { rollsOf } from "../../../src/kubernetes/rollout/rolls.ts";
import type { Rollout } from "../../../src/kubernetes/rollout/rollout-types.ts";
import { surroundingsOf } from "../../../src/kubernetes/rollout/surroundings.ts";
import { object, webOf } from "./input.ts";

// What the controller of Argo Rollouts rejects; test/e2e/situations.test.ts compares this with the real one.

const rollout = (spec: string): Rollout => {
  const template = "template: {spec: {containers: [{name: app, image: app}]}}";
  const manifest = object("Rollout", `${spec}, ${template}`, "name: web", "argoproj.io/v1alpha1");
  const { workload, items, workloads } = webOf(manifest);
  return rollsOf(workload, surroundingsOf(items, workloads, "default"));
};
const because = (strategy: string): string | undefined => {
  const { effect, refused } = rollout(`replicas: 2, strategy: ${strategy}`);
  assert.equal(effect, refused === undefined ? "Roll" : "Fail");
  assert.equal(refused?.by, refused === undefined ? undefined : "Argo Rollouts");
  return refused === undefined ? undefined : `${refused.path} ${refused.problem}`;
};

const canary = (fields: string): string => `{canary: {${fields}}}`;
const routed = (fields: string, router = "plugins: {}"): string => canary(`trafficRouting: {${router}}, ${fields}`);
const steps = (step: string): string => canary(`steps: [{setWeight: 10}, ${step}]`);
const STEP = "spec.strategy.canary.steps[1]";

describe("Argo Rollouts rejects", () => {
  const ROWS: readonly (readonly [string, string | undefined])[] = [
    ["{}", "spec.strategy must have canary or blueGreen"],
    ["null", undefined],
    ["{canary: null, blueGreen: null}", "spec.strategy must have canary or blueGreen"],
    ["{canary: {}, blueGreen: {}}", "spec.strategy must not have both canary and blueGreen"],
    ["{canary: {}, blueGreen: null}", undefined],
    [
      "{blueGreen: {activeService: a, previewService: a}}",
      "spec.strategy.blueGreen.previewService must differ from activeService",
    ],
    ["{blueGreen: {activeService: a, previewService: b}}", undefined],
    ["{blueGreen: {}}", undefined],
    [canary("maxSurge: 0, maxUnavailable: 0%"), "spec.strategy.canary.maxSurge must not be 0 if maxUnavailable is 0"],
    [canary("maxSurge: 0"), undefined],
    [canary("maxUnavailable: 0"), undefined],
    ["{blueGreen: {maxUnavailable: 0}}", undefined],
    [canary("canaryService: a, stableService: a"), "spec.strategy.canary.canaryService must differ from stableService"],
    [canary("canaryService: a, stableService: b"), undefined],
    [canary('canaryService: "", stableService: ""'), undefined],
    [
      routed("canaryService: a", "nginx: {}"),
      "spec.strategy.canary.trafficRouting needs canaryService and stableService",
    ],
    [
      routed("stableService: a", "smi: {}"),
      "spec.strategy.canary.trafficRouting needs canaryService and stableService",
    ],
    [routed("canaryService: a, stableService: b", "nginx: {}"), undefined],
    [routed("maxSurge: 1"), undefined],
    [canary("scaleDownDelaySeconds: 0"), "spec.strategy.canary.scaleDownDelaySeconds needs trafficRouting"],
    [canary("scaleDownDelaySeconds: null"), undefined],
    [routed("scaleDownDelaySeconds: 9"), undefined],
    ["{blueGreen: {scaleDownDelaySeconds: 1}}", undefined],
    [canary("dynamicStableScale: true"), "spec.strategy.canary.dynamicStableScale needs trafficRouting"],
    [canary("dynamicStableScale: false"), undefined],
    [routed("dynamicStableScale: true"), undefined],
    [routed("dynamicStableScale: false, scaleDownDelaySeconds: 1"), undefined],
    [
      routed("dynamicStableScale: true, scaleDownDelaySeconds: 1"),
      "spec.strategy.canary.dynamicStableScale is not allowed with scaleDownDelaySeconds",
    ],
    [steps("{}"), `${STEP} must be a step that Argo Rollouts knows`],
    [steps("{pause: null}"), `${STEP} must be a step that Argo Rollouts knows`],
    [steps("{later: 1}"), `${STEP} must be a step that Argo Rollouts knows`],
    [steps("{pause: {}}"), undefined],
    [steps("{plugin: {name: a}}"), undefined],
    [steps("{setWeight: 20, pause: {}}"), `${STEP} must be only one step`],
    [steps("{analysis: {}, experiment: {}}"), `${STEP} must be only one step`],
    [steps("{setWeight: 101}"), `${STEP}.setWeight must be from 0 to 100`],
    [steps("{setWeight: -1}"), `${STEP}.setWeight must be from 0 to 100`],
    [steps("{setWeight: 0}"), undefined],
    [steps("{setWeight: 100}"), undefined],
    [routed("steps: [{setWeight: 1000}]", "plugins: {}, maxTrafficWeight: 1000"), undefined],
    [steps("{setCanaryScale: {replicas: 1}}"), `${STEP}.setCanaryScale needs trafficRouting`],
    [steps("{setHeaderRoute: {name: a}}"), `${STEP}.setHeaderRoute needs trafficRouting`],
    [steps("{setMirrorRoute: {name: a}}"), `${STEP}.setMirrorRoute needs trafficRouting`],
    [routed("steps: [{setCanaryScale: {replicas: 1}}]"), undefined],
  ];
  for (const [strategy, expected] of ROWS) {
    it(`${strategy}: ${expected ?? "no"}`, () => assert.equal(because(strategy), expected));
  }

  it("a deadline that ends before a pod counts as available", () => {
    const reason = (spec: string): string | undefined => rollout(`${spec}, strategy: {canary: {}}`).because;
    const late = "spec.minReadySeconds must be less than progressDeadlineSeconds";
    assert.equal(reason("minReadySeconds: 600"), `${late} (600): Argo Rollouts rejects it`);
    assert.equal(reason("minReadySeconds: 5, progressDeadlineSeconds: 5"), `${late} (5): Argo Rollouts rejects it`);
    assert.equal(reason("minReadySeconds: 5, progressDeadlineSeconds: 6"), undefined);
  });
});
