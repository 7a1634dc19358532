import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { readManifests } from "../../../src/yaml/read/items.ts";
import { readTree } from "../../../src/yaml/read/tree.ts";
import { DEFAULT_LIMITS } from "../../../src/base/limits.ts";
import { isSynced } from "../../../src/applications/render/argo-hooks.ts";

/** Annotations of an object, and whether Argo CD applies or runs it. */
const ROWS: readonly (readonly [string, boolean])[] = [
  ["{}", true],
  ["{helm.sh/hook: test}", false],
  ["{helm.sh/hook: test-success}", false],
  ["{helm.sh/hook: pre-delete}", false],
  ["{helm.sh/hook: pre-rollback}", false],
  ['{helm.sh/hook: "test, post-upgrade"}', true],
  ["{helm.sh/hook: pre-install}", true],
  ["{helm.sh/hook: crd-install}", true],
  ["{argocd.argoproj.io/hook: Skip}", false],
  ['{argocd.argoproj.io/hook: "Skip,Sync"}', true],
  ["{argocd.argoproj.io/hook: PreSync}", true],
  ["{argocd.argoproj.io/hook: PostDelete}", false],
  // A hook of Argo CD takes precedence over a hook of Helm.
  ["{argocd.argoproj.io/hook: Skip, helm.sh/hook: pre-install}", false],
  ["{argocd.argoproj.io/hook: PostSync, helm.sh/hook: test}", true],
  ["{argocd.argoproj.io/hook: other, helm.sh/hook: post-install}", true],
  ["{argocd.argoproj.io/hook: other, helm.sh/hook: crd-install}", false],
];

describe("a sync of Argo CD", () => {
  for (const [annotations, expected] of ROWS) {
    it(annotations, () => {
      const text = `apiVersion: v1\nkind: Pod\nmetadata: {name: a, annotations: ${annotations}}\n`;
      const [item] = readManifests(readTree(text, "a.yaml", DEFAULT_LIMITS)).items;
      assert.ok(item);
      assert.equal(isSynced(item), expected);
    });
  }
});
