// Runs every scenario of fixtures/hosts/kpt, and compares with kpt's own output.
import assert from "node:assert/strict";
import { before, describe, test } from "node:test";
import { assertOnlyStampsInserted } from "./inserted-lines.ts";
import { filesOf, kpt, kptFn, objectsIn, type Files } from "./kpt.ts";
import { allPodTemplates, allStamps, differing, withoutStamps } from "./manifests.ts";
import { unlessFound } from "./programs.ts";
import { applyEdit, copyTree, scenariosOf, type Scenario } from "./scenario.ts";
import { copyOf, type Tree } from "./trees.ts";
import { identity, rollstamp, type Wiring } from "./wiring.ts";

describe("kpt", { skip: unlessFound(kpt) }, () => {
  for (const scenario of scenariosOf("kpt")) {
    describe(scenario.name, () => checkScenario(scenario));
  }
});

function checkScenario(scenario: Scenario): void {
  let stampedTree: Tree;
  let stamped: Files = {};
  let plain: Files = {};
  before(() => {
    stampedTree = runOnCopy(scenario, rollstamp);
    stamped = filesOf(stampedTree);
    plain = filesOf(runOnCopy(scenario, identity));
  });

  test("the pod templates have the digests of the sources that they see", () => {
    assert.deepEqual(allStamps(objectsIn(stamped)), scenario.stamps);
  });

  test("nothing else differs from kpt's own output", () => {
    assert.deepEqual(withoutStamps(objectsIn(stamped)), withoutStamps(objectsIn(plain)));
    assert.deepEqual(Object.keys(stamped), Object.keys(plain));
    for (const [path, text] of Object.entries(stamped)) {
      assertOnlyStampsInserted(plain[path] ?? "", text, path);
    }
  });

  test("a second run changes no byte", () => {
    const tree = copyOf(stampedTree);
    kptFn(tree, scenario.kpt, rollstamp);
    assert.deepEqual(filesOf(tree), stamped);
  });

  for (const edit of scenario.edits) {
    test(`edit: ${edit.what}`, () => {
      const tree = copyOf(stampedTree);
      applyEdit(tree, edit);
      kptFn(tree, scenario.kpt, rollstamp);
      const [first, second] = [objectsIn(stamped), objectsIn(filesOf(tree))];
      assert.deepEqual(differing(allStamps(first), allStamps(second)), edit.restamped);
      assert.deepEqual(differing(allPodTemplates(first), allPodTemplates(second)), edit.rolled);
    });
  }
}

function runOnCopy(scenario: Scenario, wiring: Wiring): Tree {
  const tree = copyTree(scenario);
  kptFn(tree, scenario.kpt, wiring);
  return tree;
}
