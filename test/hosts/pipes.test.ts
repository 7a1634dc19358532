// The function in a pipe: a plain stream from kustomize, a ResourceList from kpt.
import assert from "node:assert/strict";
import { join } from "node:path";
import { describe, test } from "node:test";
import { stampOf } from "./expected-digest.ts";
import { assertOnlyStampsInserted } from "./inserted-lines.ts";
import { filesOf, kpt, objectsIn } from "./kpt.ts";
import { build, KUBECTL, removeTransformers } from "./kustomize.ts";
import { allStamps, differing, objectsOf } from "./manifests.ts";
import { succeed, unlessFound, type Program } from "./programs.ts";
import { applyEdit, copyTree, scenariosOf, type Scenario } from "./scenario.ts";
import { temporaryFolder } from "./trees.ts";
import { identity, rollstamp } from "./wiring.ts";

const node: Program = { found: true, path: "rollstamp" };

describe("kubectl kustomize | rollstamp", { skip: unlessFound(KUBECTL.program) }, () => {
  for (const scenario of scenariosOf("kustomize")) {
    test(scenario.name, () => {
      const rendered = render(scenario);
      const stamped = pipe(rendered);
      assertOnlyStampsInserted(rendered, stamped, scenario.name);
      if (seesTheSame(scenario)) {
        assert.deepEqual(digests(allStamps(objectsOf(stamped))), digests(scenario.stamps));
      }
      assert.equal(pipe(stamped), stamped, "a second run changes no byte");
    });
  }

  test("names are those of the rendering", () => {
    const scenario = scenarioNamed("kustomize", "generators-without-hash-suffix");
    const stamps = allStamps(objectsOf(pipe(render(scenario))));
    assert.deepEqual(Object.keys(stamps), Object.keys(scenario.stamps));
    assert.equal(stamps["Deployment/prod-web"]?.["configmap.rollstamp.dev/prod-env"], stampOf({ LEVEL: "info" }));
  });

  for (const edit of scenarioNamed("kustomize", "generators-without-hash-suffix").edits) {
    test(`edit: ${edit.what}`, () => {
      const scenario = scenarioNamed("kustomize", "generators-without-hash-suffix");
      const before = allStamps(objectsOf(pipe(render(scenario))));
      const after = allStamps(objectsOf(pipe(render(scenario, edit))));
      assert.deepEqual(differing(before, after), edit.restamped);
    });
  }

  function render(scenario: Scenario, edit?: Scenario["edits"][number]): string {
    const tree = copyTree(scenario);
    if (edit) applyEdit(tree, edit);
    removeTransformers(tree);
    return build(KUBECTL, tree, identity);
  }
});

describe("kpt fn source | rollstamp | kpt fn sink", { skip: unlessFound(kpt) }, () => {
  for (const name of ["comments-quotes-and-list-styles", "sub-packages-with-the-same-paths"]) {
    test(name, () => {
      const scenario = scenarioNamed("kpt", name);
      const stamped = sink(pipe(source(scenario)));
      const plain = sink(source(scenario));
      assert.deepEqual(allStamps(objectsIn(stamped)), scenario.stamps);
      assert.deepEqual(Object.keys(stamped), Object.keys(plain));
      for (const [path, text] of Object.entries(stamped)) {
        assertOnlyStampsInserted(plain[path] ?? "", text, path);
      }
    });
  }

  function source(scenario: Scenario): string {
    const { build: cwd } = copyTree(scenario);
    return succeed(kpt, ["fn", "source", "."], { cwd, env: rollstamp.env });
  }

  function sink(input: string): ReturnType<typeof filesOf> {
    const folder = temporaryFolder();
    succeed(kpt, ["fn", "sink", "out"], { cwd: folder, env: rollstamp.env, input });
    return filesOf({ folder: join(folder, "out"), build: join(folder, "out") });
  }
});

/** Whether a pipe has all that a transformer has: no option to know, no source that isn't rendered. */
function seesTheSame(scenario: Scenario): boolean {
  const file = filesOf(copyTree(scenario))[join(scenario.build, "stamp.yaml")] ?? "";
  return !file.includes("spec:") && scenario.notNamed.length === 0;
}

/** Workload to digests: those of a pipe stand under rendered names. */
function digests(stamps: Scenario["stamps"]): Readonly<Record<string, readonly string[]>> {
  return Object.fromEntries(
    Object.entries(stamps).map(([workload, values]) => [workload, Object.values(values).sort()]),
  );
}

function pipe(input: string): string {
  const cwd = temporaryFolder();
  return succeed(node, [], { cwd, env: rollstamp.env, input });
}

function scenarioNamed(host: string, name: string): Scenario {
  const scenario = scenariosOf(host).find((candidate) => candidate.name === name);
  assert.ok(scenario, `fixtures/hosts/${host} has no ${name}`);
  return scenario;
}
