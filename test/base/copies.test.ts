import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { HELM_PROTECTION, PROTECTION, protectsCopy } from "../../src/base/copies.ts";
import { VERSION_OF } from "../../src/base/keys.ts";
import { shorten } from "../../src/base/stamp-keys.ts";

// Contract, section 10.

describe("copies of sources", () => {
  it("are protected from every engine, and by Helm's annotation only in Helm", () => {
    assert.deepEqual(PROTECTION, {
      "argocd.argoproj.io/sync-options": "Prune=false",
      "argocd.argoproj.io/compare-options": "IgnoreExtraneous",
      "kustomize.toolkit.fluxcd.io/prune": "disabled",
      "fluxcd.controlplane.io/prune": "disabled",
      "client.lifecycle.config.k8s.io/deletion": "detach",
    });
    assert.deepEqual(HELM_PROTECTION, { "helm.sh/resource-policy": "keep" });
  });

  it("are protected if all of these are there, perhaps with more options", () => {
    const protectedBy = (more: Readonly<Record<string, string | undefined>>): boolean =>
      protectsCopy((key) => ({ ...PROTECTION, ...more })[key]);
    assert.ok(protectedBy({}));
    assert.ok(protectedBy({ "argocd.argoproj.io/sync-options": "ServerSideApply=true, Prune=false" }));
    for (const key of Object.keys(PROTECTION)) {
      assert.ok(!protectedBy({ [key]: undefined }), key);
      assert.ok(!protectedBy({ [key]: "Other" }), key);
    }
  });

  it("name their source in a label, whose value is at most 63 characters long", () => {
    assert.equal(VERSION_OF, "rollstamp.dev/version-of");
    assert.equal(shorten("a".repeat(63)), "a".repeat(63));
    assert.match(shorten("a".repeat(64)), /^a{46}-[0-9a-f]{16}$/u);
  });
});
