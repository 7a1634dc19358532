import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { becauseOf, planned } from "./planned.ts";

// Which added workload seems to be which removed one, and what a plan counts.

interface Made {
  readonly name: string;
  readonly namespace?: string;
  readonly image?: string;
  readonly container?: string;
  readonly kind?: string;
  readonly containers?: string;
}

function made({
  name,
  namespace = "default",
  image = "a",
  container = "app",
  kind = "Deployment",
  containers,
}: Made): string {
  const list = containers ?? `[{name: ${container}, image: ${image}}]`;
  return `apiVersion: apps/v1\nkind: ${kind}\nmetadata: {name: ${name}, namespace: ${namespace}}\nspec: {template: {spec: {containers: ${list}}}}\n`;
}

/** `old → new`, as both rows show it. */
function renames(gone: readonly Made[], come: readonly Made[]): string[] {
  const { workloads } = planned(gone.map(made).join("---\n"), come.map(made).join("---\n"));
  const from = workloads.flatMap(({ action, name, renamedFrom }) =>
    action === "Create" && renamedFrom !== undefined ? [`${renamedFrom} → ${name}`] : [],
  );
  const to = workloads.flatMap(({ action, name, renamedTo }) =>
    action === "Delete" && renamedTo !== undefined ? [`${name} → ${renamedTo}`] : [],
  );
  for (const row of workloads) assert.ok(!("renamedFrom" in row && "renamedTo" in row), "one way or the other");
  assert.equal(from.length, to.length);
  return from.sort();
}

describe("what seems to be renamed", () => {
  const ROWS: readonly (readonly [string, readonly Made[], readonly Made[], readonly string[]])[] = [
    ["is the only one of its look, whatever it is called", [{ name: "a" }], [{ name: "b" }], ["a → b"]],
    ["has the same image", [{ name: "a" }], [{ name: "b", image: "x" }], []],
    ["has a container of that name", [{ name: "a" }], [{ name: "b", container: "x" }], []],
    ["is of that kind", [{ name: "a" }], [{ name: "b", kind: "StatefulSet" }], []],
    [
      "has all the containers",
      [{ name: "a", containers: "[{name: x, image: x}, {name: z, image: z}]" }],
      [{ name: "b", containers: "[{name: x, image: x}]" }],
      [],
    ],
    ["has containers", [{ name: "a", containers: "[]" }], [{ name: "b", containers: "[]" }], []],
    [
      "has, of several that look alike, a name that holds the other",
      [{ name: "web" }, { name: "api" }],
      [{ name: "prod-api" }, { name: "prod-web" }],
      ["api → prod-api", "web → prod-web"],
    ],
    [
      "may have lost a part of its name",
      [{ name: "web-v1" }, { name: "x" }],
      [{ name: "web" }, { name: "z" }],
      ["web-v1 → web"],
    ],
    ["is not reported for two that look alike where one is added", [{ name: "a" }, { name: "b" }], [{ name: "c" }], []],
    [
      "is not reported for one that is removed where two that look alike are added",
      [{ name: "a" }],
      [{ name: "x" }, { name: "z" }],
      [],
    ],
    [
      "is not reported where two new names contain the old one",
      [{ name: "a" }],
      [{ name: "a-1" }, { name: "a-2" }],
      [],
    ],
    ["is one for each", [{ name: "web" }, { name: "web-x" }], [{ name: "my-web" }], ["web → my-web"]],
  ];
  for (const [name, gone, come, expected] of ROWS) it(name, () => assert.deepEqual(renames(gone, come), expected));

  it("is shown with its namespace where the namespace changes", () => {
    const { workloads } = planned(made({ name: "web", namespace: "old" }), made({ name: "web", namespace: "new" }));
    assert.deepEqual(
      workloads.map(({ action, renamedFrom, renamedTo }) => [action, renamedFrom, renamedTo]),
      [
        ["Delete", undefined, "new/web"],
        ["Create", "old/web", undefined],
      ],
    );
  });
  it("is nothing that stays", () => {
    const { workloads } = planned(made({ name: "web" }), made({ name: "web", image: "b" }));
    assert.ok(workloads.every((row) => !("renamedFrom" in row) && !("renamedTo" in row)));
  });
});

describe("the summary", () => {
  const cronJob = (image: string): string =>
    `apiVersion: batch/v1\nkind: CronJob\nmetadata: {name: cron}\nspec: {schedule: "@daily", jobTemplate: {spec: {template: {spec: {containers: [{name: app, image: ${image}}]}}}}}\n`;
  const paused = (image: string): string => made({ name: "held", image }).replace("spec: {", "spec: {paused: true, ");
  const refused = (image: string): string =>
    `apiVersion: batch/v1\nkind: Job\nmetadata: {name: once}\nspec: {template: {spec: {containers: [{name: app, image: ${image}}]}}}\n`;
  it("counts each action", () => {
    const base = [
      cronJob("a"),
      paused("a"),
      refused("a"),
      made({ name: "web" }),
      made({ name: "gone" }),
      made({ name: "same" }),
    ];
    const head = [
      cronJob("b"),
      paused("b"),
      refused("b"),
      made({ name: "web", image: "b" }),
      made({ name: "come", image: "x" }),
      made({ name: "more", image: "z" }),
      made({ name: "same" }),
    ];
    assert.deepEqual(planned(base.join("---\n"), head.join("---\n")).summary, {
      workloads: 8,
      rolls: 1,
      nextRuns: 1,
      noEffects: 1,
      stale: 0,
      scales: 0,
      lost: 0,
      reloads: 0,
      fails: 1,
      creates: 2,
      deletes: 1,
      pods: 1,
      podsAtMost: 1,
      held: { workloads: 0, pods: 0 },
      otherObjects: 0,
    });
  });
  it("is in the order of namespace, kind and name", () => {
    const rows = [
      { name: "b", namespace: "x" },
      { name: "a", namespace: "z" },
      { name: "a", namespace: "x", kind: "StatefulSet" },
      { name: "a", namespace: "x" },
    ];
    assert.deepEqual(
      planned("", rows.map(made).join("---\n")).workloads.map(
        ({ namespace, kind, name }) => `${namespace} ${kind} ${name}`,
      ),
      ["x Deployment a", "x Deployment b", "x StatefulSet a", "z Deployment a"],
    );
  });
});

describe("a workload that is added", () => {
  it("fails where the API server refuses it, with the reason", () => {
    const wrong = made({ name: "web" }).replace("spec: {", "spec: {strategy: {type: Sometimes}, ");
    const [row] = planned("", wrong).workloads;
    assert.equal(row?.action, "Fail");
    assert.ok(row !== undefined && becauseOf(row).length > 0);
    const [right] = planned("", made({ name: "web" })).workloads;
    assert.deepEqual([right?.action, right?.because, right?.reasons], ["Create", undefined, []]);
  });
});

describe("an object with a generated name", () => {
  const job = (image: string): string =>
    `apiVersion: batch/v1\nkind: Job\nmetadata: {generateName: once-}\nspec: {template: {spec: {containers: [{name: app, image: ${image}}]}}}\n`;
  it("is identified by its place", () => {
    const report = planned([job("a"), job("b"), job("c")].join("---\n"), [job("a"), job("x"), job("c")].join("---\n"), {
      all: true,
    });
    assert.equal(report.summary.workloads, 3);
    assert.equal(report.workloads.filter(({ action }) => action === "None").length, 2);
  });
});

describe("a Knative revision with an explicit name", () => {
  const service = (name: string, image: string): string =>
    `apiVersion: serving.knative.dev/v1\nkind: Service\nmetadata: {name: web}\nspec: {template: {metadata: {name: ${name}}, spec: {containers: [{name: app, image: ${image}}]}}}\n`;
  it("refuses a change under the same name", () => {
    const [same] = planned(service("web-1", "a"), service("web-1", "b")).workloads;
    assert.equal(same?.action, "Fail");
    assert.match(same === undefined ? "" : becauseOf(same), /^spec\.template\.metadata\.name /u);
    const [other] = planned(service("web-1", "a"), service("web-2", "b")).workloads;
    assert.equal(other?.action, "Roll");
  });
});

describe("a restart by a field of the kind", () => {
  const rollout = (more: string, image = "a"): string =>
    `apiVersion: argoproj.io/v1alpha1\nkind: Rollout\nmetadata: {name: web}\nspec: {replicas: 2, strategy: {canary: {}}, ${more}template: {spec: {containers: [{name: app, image: ${image}}]}}}\n`;
  const restartAt = (time: string): string => `restartAt: "2026-01-0${time}T00:00:00Z", `;
  it("is shown with the previous value", () => {
    const [row] = planned(rollout(restartAt("1")), rollout(restartAt("2"))).workloads;
    assert.deepEqual(row?.reasons, [
      { type: "Restart", from: "2026-01-01T00:00:00Z", to: "2026-01-02T00:00:00Z", field: "spec.restartAt" },
    ]);
    assert.match(row === undefined ? "" : becauseOf(row), /evicts/u);
  });
  it("is none where the field stays", () => {
    const [row] = planned(rollout(restartAt("1")), rollout(restartAt("1"), "b")).workloads;
    assert.deepEqual(
      row?.reasons.map(({ type }) => type),
      ["Template"],
    );
  });
  it("is a rollout like any other where the template changes, too", () => {
    const [row] = planned(rollout(restartAt("1")), rollout(restartAt("2"), "b")).workloads;
    assert.deepEqual([row?.action, row?.because], ["Roll", undefined]);
  });
  it("is a rollout like any other where an annotation of the template asks for it", () => {
    const annotated = rollout("").replace(
      "template: {",
      'template: {metadata: {annotations: {rollstamp.dev/restartedAt: "2026-01-01T00:00:00Z"}}, ',
    );
    const [row] = planned(rollout(""), annotated).workloads;
    assert.deepEqual([row?.action, row?.because], ["Roll", undefined]);
  });
});
