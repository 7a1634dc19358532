import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { contextForLibrary } from "../../../src/node/environment.ts";
import { run } from "../../support/run.ts";

// The release's namespace, in the variable from which Helm takes it as well: objects that name none are in it.

const INPUT = `apiVersion: v1
kind: ConfigMap
metadata: {name: env, namespace: shop}
data: {a: b}
---
apiVersion: v1
kind: ConfigMap
metadata: {name: env, namespace: other}
data: {a: c}
---
apiVersion: apps/v1
kind: Deployment
metadata: {name: web}
spec: {template: {spec: {containers: [{name: app, image: a, envFrom: [{configMapRef: {name: env}}]}]}}}
`;
const CONFIG = "apiVersion: rollstamp.dev/v1alpha1\nkind: ConfigHash\nspec: {defaultNamespace: other}\n";

function stamp(release: string | undefined, config?: string): string | undefined {
  const variable = (name: string): string | undefined => (name === "HELM_NAMESPACE" ? release : undefined);
  return /"(h1-[0-9a-f]{40})"/u.exec(run(INPUT, config, { ...contextForLibrary(undefined), variable }).text)?.[1];
}

describe("the namespace of the release", () => {
  it("is that of objects that name none", () => {
    const [shop, other] = [stamp("shop"), stamp("other")];
    assert.ok(shop !== undefined && other !== undefined);
    assert.notEqual(shop, other);
    assert.equal(stamp(undefined), undefined, "there is no env in default");
  });
  it("gives way to the configuration's", () => assert.equal(stamp("shop", CONFIG), stamp("other")));
  it("is rejected if it is not a valid name", () => {
    for (const text of ["", "Shop", "-shop", "shop-", "a/b", "a".repeat(64)])
      assert.equal(stamp(text), undefined, text);
  });
});
