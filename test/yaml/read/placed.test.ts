import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { DEFAULT_LIMITS } from "../../../src/base/limits.ts";
import { readManifests, type Manifests } from "../../../src/yaml/read/items.ts";
import { placedIn } from "../../../src/yaml/read/placed.ts";
import { readTree } from "../../../src/yaml/read/tree.ts";

const object = (apiVersion: string, kind: string, more = ""): string =>
  `apiVersion: ${apiVersion}\nkind: ${kind}\nmetadata: {name: one${more}}\n`;

const placed = (namespace: string, ...texts: readonly string[]): string[] => {
  const read: Manifests = readManifests(readTree(texts.join("---\n"), "m.yaml", DEFAULT_LIMITS));
  return placedIn(namespace, read).items.map((item) => `${item.kind} ${item.namespace}`);
};

describe("manifests that are applied into a namespace", () => {
  it("are there where they name none, but for those of the cluster", () => {
    assert.deepEqual(
      placed(
        "shop",
        object("apps/v1", "Deployment"),
        object("apps/v1", "DaemonSet", ", namespace: other"),
        object("rbac.authorization.k8s.io/v1", "ClusterRole"),
        object("rbac.authorization.k8s.io/v1", "Role"),
        object("v1", "Namespace"),
      ),
      ["Deployment shop", "DaemonSet other", "ClusterRole ", "Role shop", "Namespace "],
    );
  });

  it("are of the cluster where a definition beside them says so, or their kind's name", () => {
    const definition = (kind: string, scope: string): string =>
      `${object("apiextensions.k8s.io/v1", "CustomResourceDefinition")}spec: {group: example.com, scope: ${scope}, names: {kind: ${kind}}}\n`;
    assert.deepEqual(
      placed(
        "shop",
        definition("Pool", "Cluster"),
        definition("App", "Namespaced"),
        object("example.com/v1", "Pool"),
        object("example.com/v1", "App"),
        object("example.com/v1", "Cluster"),
        object("example.com/v1", "ClusterIssuer"),
        object("other.example.com/v1", "Pool"),
        object("other.example.com/v1", "Node"),
      ),
      [
        "CustomResourceDefinition ",
        "CustomResourceDefinition ",
        "Pool ",
        "App shop",
        "Cluster shop",
        "ClusterIssuer ",
        "Pool shop",
        "Node shop",
      ],
    );
  });

  it("stay as they are where no namespace is known", () => {
    assert.deepEqual(placed("", object("apps/v1", "Deployment")), ["Deployment "]);
  });
});
