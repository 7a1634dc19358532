import assert from "node:assert/strict";
import { describe, it } from "node:test";
import type { Json } from "../../src/manifest/node.ts";
import { liveBase } from "../../src/plan/live-base.ts";

const object = (
  template: Json,
  annotations: { [key: string]: Json } = {},
  more: { [key: string]: Json } = {},
): Json => ({
  kind: "Deployment",
  metadata: { name: "web", annotations },
  spec: { template, ...more },
});

const applied = (last: Json): { [key: string]: Json } => ({
  "kubectl.kubernetes.io/last-applied-configuration": JSON.stringify(last),
});

const template = (base: Json): unknown => {
  const spec: Json | undefined =
    base !== null && typeof base === "object" && !Array.isArray(base) ? base["spec"] : null;
  return spec !== null && typeof spec === "object" && !Array.isArray(spec) ? spec["template"] : undefined;
};

describe("what of a live object an apply would change", () => {
  const ours = {
    containers: [
      { name: "a", image: "a:1" },
      { name: "b", image: "b:1" },
    ],
  };

  it("is not what others have written", () => {
    const live = {
      restartPolicy: "Always",
      containers: [
        { name: "injected", image: "i:1" },
        { name: "b", image: "b:9", stdin: false },
        { name: "a", image: "a:1" },
      ],
    };
    const base = liveBase(object(live, applied(object(ours)), { replicas: 7 }), object(ours));
    assert.deepEqual(template(base), {
      containers: [
        { name: "b", image: "b:9" },
        { name: "a", image: "a:1" },
      ],
    });
  });

  it("is what was applied before and is not there any more", () => {
    const head = object({ containers: [] });
    assert.deepEqual(template(liveBase(object(ours, applied(object(ours))), head)), ours);
  });

  it("is all but a restart by kubectl where nobody knows what was applied", () => {
    const live = { metadata: { annotations: { "kubectl.kubernetes.io/restartedAt": "2026-01-01T00:00:00Z", a: "b" } } };
    for (const annotations of [{}, { "kubectl.kubernetes.io/last-applied-configuration": "{" }]) {
      assert.deepEqual(template(liveBase(object(live, annotations), object({}))), {
        metadata: { annotations: { a: "b" } },
      });
    }
  });

  it("keeps the namespace, which a rendering may leave out", () => {
    const base = liveBase(
      { kind: "Deployment", metadata: { name: "web", namespace: "shop", annotations: applied(object(ours)) } },
      object(ours),
    );
    assert.match(JSON.stringify(base), /"namespace":"shop"/u);
  });
});
