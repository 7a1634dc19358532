import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { isUnprobed } from "../../../src/kubernetes/rollout/readiness.ts";
import { deployment } from "./input.ts";

const PROBE = "{tcpSocket: {port: 80}}";

describe("a pod reports readiness", () => {
  const ROWS: Readonly<Record<string, readonly [string, boolean]>> = {
    "not without a probe": ["containers: [{name: a, image: web}]", false],
    "not where none of several containers has one": ["containers: [{name: a}, {name: b}]", false],
    "not by a liveness probe": [`containers: [{name: a, livenessProbe: ${PROBE}}]`, false],
    "by a readiness probe": [`containers: [{name: a, readinessProbe: ${PROBE}}]`, true],
    "by a startup probe": [`containers: [{name: a, startupProbe: ${PROBE}}]`, true],
    "by one of several containers": [`containers: [{name: a}, {name: b, readinessProbe: ${PROBE}}]`, true],
    "by an init container that stays": [
      `initContainers: [{name: a, restartPolicy: Always, startupProbe: ${PROBE}}], containers: [{name: b}]`,
      true,
    ],
    "not by an ephemeral container": [
      `ephemeralContainers: [{name: a, readinessProbe: ${PROBE}}], containers: [{name: b}]`,
      false,
    ],
    "by a readiness gate": ["readinessGates: [{conditionType: a}], containers: [{name: a}]", true],
    "not by no readiness gate": ["readinessGates: [], containers: [{name: a}]", false],
    "by the gateway that Istio puts in the place of image auto": ["containers: [{name: a, image: auto}]", true],
    "not by another image": ["containers: [{name: a, image: automatic}]", false],
    "by what nobody knows where there is no container": ["nodeName: a", true],
  };
  for (const [what, [pod, isProbed]] of Object.entries(ROWS))
    it(what, () => assert.equal(isUnprobed(deployment(pod).template), !isProbed));
});
