import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { mayHoldBuiltIn, mergedBy, type Merged } from "../../../src/applications/render/stage/built-in-schema.ts";
import type { Json } from "../../../src/yaml/read/node.ts";

const RELEASE: Json = { apiVersion: "helm.toolkit.fluxcd.io/v2", kind: "HelmRelease", spec: { suspend: true } };
const DEPLOYMENT: Json = { apiVersion: "apps/v1", kind: "Deployment", spec: { replicas: 2 } };

/** The fields of a target, the patch, and what merging it looks up. */
const PATCHES: readonly (readonly [target: Json, patch: Json, merged: Merged])[] = [
  [null, RELEASE, "custom"],
  [null, DEPLOYMENT, "builtIn"],
  [null, { ...RELEASE, apiVersion: "storage.k8s.io/v1" }, "builtIn"],
  [null, { ...RELEASE, apiVersion: "cluster.x-k8s.io/v1" }, "custom"],
  [null, { kind: "HelmRelease" }, "builtIn"],
  [{ kind: "HelmRelease" }, { kind: "HelmRelease" }, "custom"],
  [{ kind: "HelmRelease.*" }, RELEASE, "builtIn"],
  [{ kind: "Ingress" }, RELEASE, "builtIn"],
  [{ group: "external-secrets.io" }, RELEASE, "custom"],
  [{ group: "networking.k8s.io" }, RELEASE, "builtIn"],
  [{ group: "networking.k.s.io" }, RELEASE, "builtIn"],
  [{ group: "networking....io" }, RELEASE, "builtIn"],
  [{ group: "apps" }, RELEASE, "builtIn"],
  [{ group: "a.ps" }, RELEASE, "builtIn"],
  [{ labelSelector: "a=b" }, RELEASE, "builtIn"],
  [{ kind: "HelmRelease" }, DEPLOYMENT, "builtIn"],
  [{ kind: "HelmRelease" }, { spec: { values: { a: { ...DEPLOYMENT, spec: { list: [] } } } } }, "builtIn"],
  [{ kind: "Deployment" }, [{ op: "remove", path: "/spec/replicas" }], "nothing"],
];

describe("what kustomize looks up in its schema", () => {
  it("depends on the kinds that patches select", () => {
    for (const [target, patch, merged] of PATCHES) {
      const content = { patches: [{ path: "p.yaml", ...(target === null ? {} : { target }) }] };
      assert.equal(
        mergedBy(content, () => [patch]),
        merged,
        JSON.stringify([target, patch]),
      );
    }
  });

  it("is unknown for plugins, other schemas, options and patches that can't be read", () => {
    const target = { kind: "HelmRelease" };
    for (const content of [
      { transformers: ["t.yaml"] },
      { openapi: { path: "s.json" } },
      { patches: [{ path: "p.yaml", target, options: { allowKindChange: true } }] },
    ])
      assert.equal(
        mergedBy(content, () => [RELEASE]),
        "builtIn",
      );
    assert.equal(
      mergedBy({ patches: [{ path: "p.yaml", target }] }, () => undefined),
      "builtIn",
    );
  });

  it("includes lists in objects of Kubernetes that other objects contain", () => {
    const values = (apiVersion: string, inner: Json): Json => ({ spec: { a: { apiVersion, kind: "K", inner } } });
    const rows: readonly (readonly [object: Json, mayHold: boolean])[] = [
      [values("apps/v1", [1]), true],
      [values("v1", { list: [] }), true],
      [values("v1", { name: "x" }), false],
      [values("example.com/v1", [1]), false],
      [{ spec: { list: [values("v1", [1])] } }, false],
      [DEPLOYMENT, false],
    ];
    for (const [object, mayHold] of rows)
      assert.equal(
        mayHoldBuiltIn(JSON.stringify(object, null, 1), () => [object]),
        mayHold,
        JSON.stringify(object),
      );
    assert.ok(mayHoldBuiltIn("a: # {$ref: '#/definitions/x'}\n", () => []));
    assert.ok(mayHoldBuiltIn("a:\n  apiVersion: v1\n", () => undefined));
  });
});
