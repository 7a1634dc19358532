// The checks of every scenario of kustomize, for each way to call the function.
import assert from "node:assert/strict";
import { before, describe, test } from "node:test";
import { build, declareFunction, KUBECTL, removeTransformers, type KustomizeHost } from "./kustomize.ts";
import { allPodTemplates, allStamps, contentOf, differing, find, identityOf } from "./manifests.ts";
import { objectsOf, sourcesNamedBy, withoutStamps, type Mapping } from "./manifests.ts";
import { unlessFound } from "./programs.ts";
import { applyEdit, copyTree, scenariosOf, type Scenario } from "./scenario.ts";
import type { Tree } from "./trees.ts";
import { identity, rollstamp } from "./wiring.ts";

/** Runs every scenario of fixtures/hosts/kustomize in one way of calling the function. */
export function checkScenarios(host: KustomizeHost): void {
  describe(host.name, { skip: unlessFound(host.program) }, () => {
    for (const scenario of scenariosOf("kustomize")) {
      describe(scenario.name, () => checkScenario(host, scenario));
    }
  });
}

function checkScenario(host: KustomizeHost, scenario: Scenario): void {
  let rendered: readonly Mapping[] = [];
  before(() => {
    rendered = objectsOf(build(host, treeFor(host, scenario), rollstamp));
  });

  test("the pod templates have the digests of the sources that they see", () => {
    assert.deepEqual(allStamps(rendered), scenario.stamps);
  });

  test("nothing else differs from the rendering without a function", () => {
    const tree = treeFor(host, scenario);
    removeTransformers(tree);
    const without = objectsOf(build(host, tree, identity));
    assert.deepEqual(withoutStamps(rendered), withoutStamps(without));
  });

  test("the stamps name the rendered sources", () => {
    for (const [workload, sources] of Object.entries(scenario.contents)) {
      const named = sourcesNamedBy(find(rendered, workload))
        .map((name) => rendered.find((object) => identityOf(object) === name))
        .filter((object) => object !== undefined)
        .map((object) => ({
          kind: String(object["kind"]).toLowerCase(),
          content: contentOf(object),
        }));
      for (const [source, content] of Object.entries(sources)) {
        if (scenario.notNamed.includes(source)) continue;
        const kind = source.split("/")[0];
        const seen = named.some((candidate) => candidate.kind === kind && holds(candidate.content, content));
        assert.ok(seen, `${workload} names no ${source} with ${Object.keys(content).join(", ")}`);
      }
    }
  });

  // Both kustomizes hand a legacy plugin the same stream: what edits do to it is seen with one of them.
  const edits = host === KUBECTL || host.declaresExec ? scenario.edits : [];
  for (const edit of edits) {
    test(`edit: ${edit.what}`, () => {
      const tree = treeFor(host, scenario);
      applyEdit(tree, edit);
      const edited = objectsOf(build(host, tree, rollstamp));
      assert.deepEqual(differing(allStamps(rendered), allStamps(edited)), edit.restamped);
      assert.deepEqual(differing(allPodTemplates(rendered), allPodTemplates(edited)), edit.rolled);
    });
  }
}

function treeFor(host: KustomizeHost, scenario: Scenario): Tree {
  const tree = copyTree(scenario);
  declareFunction(tree, host);
  return tree;
}

function holds(content: Readonly<Record<string, string>>, part: Readonly<Record<string, string>>): boolean {
  return Object.entries(part).every(([key, value]) => content[key] === value);
}
