import assert from "node:assert/strict";
import { writeFileSync } from "node:fs";
import { describe, it } from "node:test";
import type { PlanJson } from "../../../src/output/plan-json.ts";
import { judgedOf } from "../../../src/reports/plan/judged.ts";
import type { Landscape } from "../../../src/reports/plan/last-workloads.ts";
import { joinParts, namedPart, NOTHING_PLANNED, type PlanPart } from "../../../src/reports/plan/parts.ts";
import type { RolloutPlan } from "../../../src/reports/plan/plan-report.ts";
import type { PlannedObject, PlannedWorkload } from "../../../src/reports/plan/planned-workload.ts";
import { workload } from "../../output/plan-workloads.ts";
import { cli } from "../../support/cli.ts";
import { deployment } from "../../support/manifests.ts";
import { planned } from "./planned.ts";
import { inRepository, type Repository } from "./repository.ts";

type Given = Partial<PlannedWorkload>;
const gone = (name: string, namespace: string, given: Given = {}): PlannedWorkload =>
  workload(name, { action: "Delete", pods: 0, namespace, ...given });
const come = (name: string, namespace: string, given: Given = {}): PlannedWorkload =>
  gone(name, namespace, { action: "Create", ...given });

interface Application {
  readonly rows?: readonly PlannedWorkload[];
  readonly keeps?: readonly string[];
  readonly objects?: readonly PlannedObject[];
}

function joined(
  applications: Readonly<Record<string, Application>>,
  landscape: Partial<Landscape> = {},
  acceptDeletes: readonly string[] = [],
): RolloutPlan {
  const parts = Object.entries(applications).map(([name, { rows = [], keeps = [], objects = [] }]) => {
    const part: PlanPart = {
      ...NOTHING_PLANNED,
      rows: rows.map((row) => ({ isListed: true, planned: row })),
      keeps,
      objects,
    };
    return name === "" ? part : namedPart(part, () => name, name);
  });
  const limits = { maxWorkloads: undefined, maxPods: undefined, failOn: [], acceptDeletes };
  return joinParts(parts, limits, "applied", { applications: [], kept: [], ...landscape });
}

const changed = (name: string, cluster?: string): Landscape["applications"][number] => ({
  name,
  status: "Changed",
  ...(cluster === undefined ? {} : { cluster }),
});
const idle = (name: string, cluster?: string): Landscape["applications"][number] => ({
  ...changed(name, cluster),
  status: "NotAffected",
});

describe("a workload that stays in the cluster when it leaves its application", () => {
  const left = gone("web", "a", { leaves: true });
  const found = (row: PlannedWorkload, landscape: Partial<Landscape> = {}): unknown[] => {
    const plan = joined({ one: { rows: [left] }, two: { rows: [row] } }, landscape);
    return judgedOf(plan).flatMap(({ label, level }) => (label === "warning" ? [level] : []));
  };

  it("is not created where another application has it now: that needs a review", () =>
    assert.deepEqual(found(come("web", "a")), ["attention"]));
  it("is another one than that of another name, namespace or cluster", () => {
    const clusters = { applications: [changed("one", "east"), changed("two", "west")] };
    for (const answer of [found(come("api", "a")), found(come("web", "b")), found(come("web", "a"), clusters)])
      assert.deepEqual(answer, []);
  });
});

describe("where a deleted workload moves", () => {
  const moved = (applications: Readonly<Record<string, Application>>, landscape: Partial<Landscape> = {}): unknown[] =>
    joined(applications, landscape).workloads.flatMap(({ action, namespace, movedTo }) =>
      action === "Delete" ? [[namespace, movedTo]] : [],
    );
  const ROWS: readonly (readonly [string, unknown[], unknown[]])[] = [
    ["another namespace", moved({ "": { rows: [gone("web", "a"), come("web", "b")] } }), [["a", { namespace: "b" }]]],
    [
      "nowhere, if another name is created",
      moved({ "": { rows: [gone("web", "a"), come("api", "b")] } }),
      [["a", undefined]],
    ],
    [
      "nowhere, if another kind is created",
      moved({ "": { rows: [gone("web", "a"), come("web", "b", { kind: "StatefulSet" })] } }),
      [["a", undefined]],
    ],
    [
      "one of two places that is unknown",
      moved({ "": { rows: [gone("web", "a"), come("web", "b"), come("web", "c")] } }),
      [["a", undefined]],
    ],
    [
      "another application",
      moved({ one: { rows: [gone("web", "a")] }, two: { rows: [come("web", "a")] } }),
      [["a", { namespace: "a", application: "two" }]],
    ],
    [
      "the namespace of its own application first",
      moved({
        one: { rows: [gone("web", "a"), come("web", "b")] },
        two: { rows: [gone("web", "c"), come("web", "d")] },
      }),
      [
        ["a", { namespace: "b" }],
        ["c", { namespace: "d" }],
      ],
    ],
    [
      "another namespace of another application",
      moved({ one: { rows: [gone("web", "a")] }, two: { rows: [come("web", "b")] } }),
      [["a", { namespace: "b", application: "two" }]],
    ],
    [
      "nowhere, if it is created in another cluster",
      moved(
        { one: { rows: [gone("web", "a")] }, two: { rows: [come("web", "a")] } },
        { applications: [changed("one", "east"), changed("two", "west")] },
      ),
      [["a", undefined]],
    ],
    [
      "nowhere, if it stays in the cluster",
      moved({ "": { rows: [gone("web", "a", { leaves: true }), come("web", "b")] } }),
      [["a", undefined]],
    ],
    [
      "nowhere, if nothing is applied",
      moved({ "": { rows: [gone("web", "a"), come("web", "b", { orphan: true })] } }),
      [["a", undefined]],
    ],
  ];
  for (const [what, found, expected] of ROWS) it(`is ${what}`, () => assert.deepEqual(found, expected));
});

describe("the volumes of a deleted StatefulSet", () => {
  const release = { by: "name", from: "a", to: "b" } as const;
  const set = (given: Given = {}): PlannedWorkload =>
    gone("db", "a", {
      kind: "StatefulSet",
      findings: [
        {
          id: "deleted-volumes",
          cause: "deleted",
          params: { workload: { apiVersion: "apps/v1", kind: "StatefulSet", namespace: "a", name: "db" } },
        },
      ],
      ...given,
    });
  const created = (namespace: string): PlannedWorkload => come("db", namespace, { kind: "StatefulSet" });
  const ROWS: readonly (readonly [string, Readonly<Record<string, Application>>, boolean])[] = [
    ["are deleted with it", { one: { rows: [set()] } }, true],
    ["are deleted if it moves to another namespace", { one: { rows: [set(), created("b")] } }, true],
    [
      "are deleted if Flux installs another release",
      { one: { rows: [set({ movedTo: { namespace: "a", release } })] } },
      true,
    ],
    ["stay if it stays", { one: { rows: [set({ leaves: true })] } }, false],
    ["stay if another application takes it over", { one: { rows: [set()] }, two: { rows: [created("a")] } }, false],
  ];
  for (const [what, applications, areDeleted] of ROWS)
    it(what, () => {
      const plan = joined(applications);
      const found = plan.workloads.flatMap(({ findings }) => findings.map(({ id }) => id));
      assert.deepEqual(found, areDeleted ? ["deleted-volumes"] : []);
      const levels = judgedOf(plan).flatMap(({ label, level }) => (label === "warning" ? [level] : []));
      assert.deepEqual(levels, areDeleted ? ["danger"] : []);
    });
});

describe("the last workload of a namespace", () => {
  const last = (applications: Readonly<Record<string, Application>>, landscape: Partial<Landscape> = {}): string[] =>
    joined(applications, landscape)
      .workloads.filter(({ isLast }) => isLast === true)
      .map(({ namespace, name }) => `${namespace}/${name}`);
  const single = { one: { rows: [gone("web", "a")] } };
  const ROWS: readonly (readonly [string, string[], readonly string[]])[] = [
    ["is the only one", last(single), ["a/web"]],
    ["is each of several", last({ one: { rows: [gone("api", "a"), gone("web", "a")] } }), ["a/api", "a/web"]],
    [
      "is each, also a CronJob",
      last({ one: { rows: [gone("job", "a", { kind: "CronJob" }), gone("web", "a")] } }),
      ["a/job", "a/web"],
    ],
    ["is no CronJob alone", last({ one: { rows: [gone("job", "a", { kind: "CronJob" })] } }), []],
    ["is not, if its application has others", last({ one: { rows: [gone("web", "a")], keeps: ["a"] } }), []],
    [
      "is, if its application has others elsewhere",
      last({ one: { rows: [gone("web", "a")], keeps: ["b"] } }),
      ["a/web"],
    ],
    ["is not, if another application has others", last({ ...single, two: { keeps: ["a"] } }), []],
    [
      "is, if another cluster has others",
      last({ ...single, two: { keeps: ["a"] } }, { applications: [changed("one", "east"), changed("two", "west")] }),
      ["a/web"],
    ],
    [
      "is not, if an unknown cluster has others",
      last({ ...single, two: { keeps: ["a"] } }, { applications: [changed("one", "east"), changed("two")] }),
      [],
    ],
    [
      "is not, if nobody looked at another application",
      last(single, { applications: [changed("one"), idle("two")] }),
      [],
    ],
    [
      "is, if nobody looked at an application of another cluster",
      last(single, { applications: [changed("one", "east"), idle("two", "west")] }),
      ["a/web"],
    ],
    [
      "is, if nothing applies the other application",
      last(single, { applications: [changed("one"), { ...idle("two"), orphan: true }] }),
      ["a/web"],
    ],
    [
      "is, if someone looked at the other application",
      last(single, { applications: [changed("one"), idle("two")], kept: [{ application: "two", namespaces: ["b"] }] }),
      ["a/web"],
    ],
    [
      "is not, if someone saw only a part of the other application",
      last(single, {
        applications: [changed("one"), idle("two")],
        kept: [{ application: "two", namespaces: ["b"], isPartial: true }],
      }),
      [],
    ],
    [
      "is not, if someone found others there",
      last(single, { applications: [changed("one"), idle("two")], kept: [{ application: "two", namespaces: ["a"] }] }),
      [],
    ],
    [
      "is not, if another one stays in the cluster",
      last({ one: { rows: [gone("web", "a"), gone("api", "a", { leaves: true })] } }),
      [],
    ],
    [
      "is not, if another one is held",
      last({ one: { rows: [gone("web", "a"), gone("api", "a", { held: "Suspended" })] } }),
      [],
    ],
    [
      "is, if another one was never applied",
      last({ one: { rows: [gone("web", "a"), gone("api", "a", { orphan: true })] } }),
      ["a/web"],
    ],
  ];
  for (const [what, found, expected] of ROWS) it(what, () => assert.deepEqual(found, expected));

  it("is not, if another kind replaces it", () => {
    const rollout = deployment("web", "none")
      .replace("apps/v1", "argoproj.io/v1alpha1")
      .replace("kind: Deployment", "kind: Rollout");
    const lasts = (head: string): unknown[] =>
      planned(deployment("web", "none"), head).workloads.map(({ kind, isLast }) => [kind, isLast]);
    assert.deepEqual(lasts(rollout), [
      ["Deployment", undefined],
      ["Rollout", undefined],
    ]);
    assert.deepEqual(lasts(""), [["Deployment", true]]);
  });
});

describe("an accepted deletion", () => {
  const claim: PlannedObject = {
    apiVersion: "v1",
    kind: "PersistentVolumeClaim",
    namespace: "shop",
    name: "data",
    change: "Delete",
    fields: [],
  };
  const definition: PlannedObject = {
    ...claim,
    apiVersion: "apiextensions.k8s.io/v1",
    kind: "CustomResourceDefinition",
    namespace: "",
    name: "a.b",
  };
  const accepted = (...patterns: readonly string[]): string[] => {
    const { workloads, objects } = joined(
      { "": { rows: [gone("web", "shop")], objects: [claim, definition] } },
      {},
      patterns,
    );
    return [...workloads, ...objects].filter(({ isAccepted }) => isAccepted === true).map(({ name }) => name);
  };
  const ROWS: readonly (readonly [readonly string[], readonly string[]])[] = [
    [[], []],
    [["Deployment/shop/web"], ["web"]],
    [["deployment/shop/web"], ["web"]],
    [["deployment.apps/shop/web"], ["web"]],
    [["Deployment/shop/*"], ["web"]],
    [["Deployment/*"], []],
    [["*/shop/*"], ["web", "data"]],
    [["{Deployment,PersistentVolumeClaim}/*/*"], ["web", "data"]],
    [["Deployment/other/*", "PersistentVolumeClaim/**"], ["data"]],
    [["CustomResourceDefinition/a.b"], ["a.b"]],
    [["CustomResourceDefinition//a.b"], ["a.b"]],
    [["CustomResourceDefinition/*/a.b"], ["a.b"]],
    [["*/*/*"], ["web", "a.b", "data"]],
    [["StatefulSet/shop/web"], []],
  ];
  for (const [patterns, expected] of ROWS)
    it(`of ${patterns.join(" ") || "no pattern"}: ${expected.join(" ") || "none"}`, () =>
      assert.deepEqual(accepted(...patterns), expected));
  it("needs a pattern of three parts", () => {
    for (const pattern of ["web", "Deployment/[", ""])
      assert.throws(() => accepted(pattern), /--accept-deletes .*: must be a pattern of KIND\/NAMESPACE\/NAME/u);
  });
});

describe("the last workload of a namespace, over applications", () => {
  const rows = ["a, cluster: prod", "b, cluster: prod", "c, cluster: test"].map(
    (row) => `{render: files, path: ${row}}`,
  );
  const files = {
    "rollstamp.yaml": `apiVersion: rollstamp.dev/v1alpha1\nkind: Applications\nmetadata: {name: all}\nspec: {applications: [${rows.join(", ")}]}\n`,
    "a/all.yaml": deployment("web", "none").replace("  name: web", "  name: web\n  namespace: shop"),
    "a/more.yaml": `apiVersion: v1\nkind: Service\nmetadata: {name: web}\n`,
    "b/all.yaml": deployment("api", "none").replace("  name: api", "  name: api\n  namespace: other"),
    "c/all.yaml": deployment("web", "none").replace("  name: web", "  name: web\n  namespace: shop"),
  };
  const without = { "a/all.yaml": "apiVersion: v1\nkind: Service\nmetadata: {name: more}\n" };
  async function lasts({ environment }: Repository, range: string, ...args: readonly string[]): Promise<unknown[]> {
    const { status, stdout, stderr } = await cli(["plan", "-o", "json", "--git", range, ...args], { environment });
    assert.notEqual(status, 2, stderr);
    return (JSON.parse(stdout) as PlanJson).workloads.map(({ name, isLast }) => [name, isLast]);
  }
  it("is known after a look at the other applications of the cluster", () =>
    inRepository(files, async (repository) => {
      repository.commit("gone", without);
      assert.deepEqual(await lasts(repository, "start..gone"), [["web", true]]);
      assert.deepEqual(await lasts(repository, "start..gone", "--all-apps"), [["web", true]]);
      repository.commit("more", { "b/all.yaml": files["b/all.yaml"].replace("namespace: other", "namespace: shop") });
      repository.commit("back", { "a/all.yaml": files["a/all.yaml"] });
      repository.commit("gone-again", without);
      assert.deepEqual(await lasts(repository, "back..gone-again"), [["web", undefined]]);
      assert.deepEqual(await lasts(repository, "back..gone-again", "--all-apps"), [["web", undefined]]);
      const merged = async (range: string): Promise<unknown[]> => {
        const shards = ["1", "2"].map((index) => ({ index, file: `${index}.json` }));
        for (const { index, file } of shards) {
          const { environment } = repository;
          const args = ["plan", "-o", "json", "--git", range, "--shard", `${index}/2`];
          writeFileSync(file, (await cli(args, { environment })).stdout);
        }
        const { stdout } = await cli(["plan", "-o", "json", "--merge", ...shards.map(({ file }) => file)]);
        return (JSON.parse(stdout) as PlanJson).workloads.map(({ name, isLast }) => [name, isLast]);
      };
      assert.deepEqual(await merged("start..gone"), [["web", true]]);
      assert.deepEqual(await merged("back..gone-again"), [["web", undefined]]);
    }));
});
