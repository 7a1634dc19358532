import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { describe, it } from "node:test";
import fg from "fast-glob";
import { RollstampError } from "../../../src/base/errors.ts";
import { readManifests, type Item } from "../../../src/yaml/read/items.ts";
import { toJson, type Json } from "../../../src/yaml/read/node.ts";
import { liveManifests, asWritten, asTemplate } from "../../../src/reports/status/live-objects.ts";
import { findWorkloads } from "../../../src/kubernetes/workloads/find-workloads.ts";
import { templateAnnotations } from "../../../src/kubernetes/workloads/template-annotations.ts";
import { WORKLOAD_KINDS } from "../../../src/kubernetes/workloads/workload-kinds.ts";
import { LONG } from "../../support/long.ts";
import { inRoot, ROOT } from "../../support/paths.ts";
import { readTree } from "../../support/trees.ts";
import { DEFAULT_LIMITS } from "../../../src/base/limits.ts";

const KEPT_SHORT = /^(?:apps\/v1 (?:Deployment|StatefulSet|DaemonSet)|batch\/v1 (?:Job|CronJob))$/u;

/** All workloads of the fixtures that status keeps in short: an output has its input's, with stamps. */
const all = fg
  .sync(`fixtures/**/${LONG ? "{input,output}" : "output"}.yaml`, { cwd: ROOT })
  .sort()
  .flatMap((path) => itemsIn(path))
  .filter(({ apiVersion, kind }) => KEPT_SHORT.test(`${apiVersion} ${kind}`));

function itemsIn(path: string): readonly Item[] {
  try {
    return readManifests(readTree(readFileSync(inRoot(path), "utf8"), path)).items;
  } catch (cause) {
    // Fixtures of bad input.
    if (cause instanceof RollstampError) return [];
    throw cause;
  }
}

/** What a template names, without the places that its keys and indices have. */
function references(object: Json): unknown {
  const items = liveManifests([object], "live", DEFAULT_LIMITS)?.items ?? [];
  return findWorkloads(items, { defaultNamespace: "default", kinds: WORKLOAD_KINDS }).map(({ templates }) =>
    templates.map((template) => ({
      annotations: templateAnnotations(template),
      references: template.references.map(
        ({ kind, namespace, name, keys, requiredKeys, via, optional, containers, variable }) => ({
          kind,
          namespace,
          name,
          keys,
          requiredKeys,
          via,
          optional,
          containers,
          variable,
        }),
      ),
    })),
  );
}

describe("what status keeps of a workload", () => {
  it("has every reference of its template", () => {
    const kinds = new Set<string>();
    let named = 0;
    for (const item of all) {
      const object = toJson(item.tree, item.node);
      const whole = references(asWritten(object, item));
      assert.deepEqual(references(asTemplate(object, item)), whole, item.tree.file);
      kinds.add(item.kind);
      named += JSON.stringify(whole).includes('"via"') ? 1 : 0;
    }
    assert.equal(kinds.size, 5, [...kinds].join(" "));
    assert.ok(named > 100, `${named} that name a source`);
  });

  it("is nothing of what its containers run", () => {
    const container = { name: "app", image: "a", args: ["long"], env: [{ name: "PLAIN", value: "hunter2" }] };
    const deployment = {
      metadata: { name: "web" },
      spec: { template: { spec: { containers: [container], affinity: {} } } },
    };
    assert.deepEqual(asTemplate(deployment, { apiVersion: "apps/v1", kind: "Deployment" }), {
      apiVersion: "apps/v1",
      kind: "Deployment",
      metadata: { name: "web", annotations: {} },
      spec: { template: { spec: { containers: [{ name: "app" }] } } },
    });
  });
});
