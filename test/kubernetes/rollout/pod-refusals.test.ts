import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { POD_CASES, POD_KINDS } from "../../e2e/refused-pods.ts";
import { CRON_JOB_NAMES, cronJobOf, SCHEDULES } from "../../e2e/refused-schedules.ts";
import type { PlannedWorkload } from "../../../src/reports/plan/planned-workload.ts";
import { planned } from "../../reports/plan/planned.ts";

// test/e2e/refused-changes.test.ts has a real API server do the same.

/** The refused field of the only workload, below its pod spec. */
function refusedIn(workloads: readonly PlannedWorkload[]): string | undefined {
  const [only, ...others] = workloads;
  assert.deepEqual(others, []);
  const [path] = (only?.reasons ?? []).flatMap((reason) => (reason.type === "Invalid" ? [reason.path] : []));
  assert.equal(path === undefined || only?.action === "Fail", true);
  return path?.replace(/^spec\.(?:jobTemplate\.spec\.)?(?:template\.spec\.)?/u, "");
}

describe("the API server rejects in a pod spec", () => {
  for (const { name, base = "", head, refused } of POD_CASES)
    it(`${name}: ${refused ?? "accepted"}`, () => {
      assert.equal(refusedIn(planned(base, head).workloads), refused);
    });

  const twice = POD_KINDS.Deployment("containers: [{name: a, image: a}, {name: a, image: b}]");
  it("nothing of a workload that the change does not touch", () => {
    assert.deepEqual(planned(twice, twice).workloads, []);
  });
  it("a number in the annotations of the pods, unless the base has it", () => {
    const marked = twice.replace("labels: {a: b}}, spec", "labels: {a: b}, annotations: {example.com/port: 80}}, spec");
    const apart = marked.replace("name: a, image: b", "name: b, image: b");
    assert.equal(refusedIn(planned("", apart).workloads), 'template.metadata.annotations["example.com/port"]');
    assert.equal(refusedIn(planned(apart, apart.replace("replicas: 1", "replicas: 2")).workloads), undefined);
  });
  it("nothing that a container before it moves", () => {
    const wrong = POD_KINDS.Deployment("containers: [{name: a, image: a, args: [1]}]");
    const moved = POD_KINDS.Deployment("containers: [{name: b, image: b}, {name: a, image: a, args: [1]}]");
    assert.equal(refusedIn(planned("", wrong).workloads), "containers[0].args[0]");
    assert.equal(refusedIn(planned(wrong, moved).workloads), undefined);
  });
  it("two sources in one element, which it names without the second one", () => {
    const sources = "{configMap: {name: a}, secret: {name: b}}";
    for (const [pod, refused] of [
      ["envFrom: [{configMapRef: {name: a}, secretRef: {name: a}}]}]", "containers[0].envFrom[0].secretRef"],
      [`}], volumes: [{name: v, projected: {sources: [${sources}]}}]`, "volumes[0].projected.sources[0].secret"],
    ] as const)
      assert.equal(
        refusedIn(planned("", POD_KINDS.Deployment(`containers: [{name: a, image: a, ${pod}`)).workloads),
        refused,
      );
  });
  it("nothing that is replaced before it is applied", () => {
    const pod = "containers: [{name: a, image: a, args: $ARGS, ports: [{containerPort: '$PORT'}]}]";
    assert.equal(refusedIn(planned("", POD_KINDS.Deployment(pod)).workloads), undefined);
    for (const variable of [
      "name: '${NAME:=a}', value: b",
      "name: A, valueFrom: {fieldRef: {fieldPath: '${FIELD}'}}",
      "name: A, valueFrom: {fieldRef: {fieldPath: \"metadata.labels['${KEY}']\"}}",
      "name: A, valueFrom: {resourceFieldRef: {resource: '{{ resource }}'}}",
    ])
      assert.equal(
        refusedIn(
          planned("", POD_KINDS.Deployment(`containers: [{name: a, image: a, env: [{${variable}}]}]`)).workloads,
        ),
        undefined,
      );
  });
  it("the name of a workload that is created, unless it may be replaced", () => {
    const named = (name: string): string =>
      POD_KINDS.Deployment("containers: [{name: a, image: a}]").replace("NAME", name);
    for (const [name, refused] of [
      ["a_b", "metadata.name"],
      ["a.b", undefined],
      ["'${NAME}_b'", undefined],
      ["APP_NAME", undefined],
      ["__name__", undefined],
    ] as const)
      assert.equal(refusedIn(planned("", named(name)).workloads), refused);
    const existing = named("a_b");
    assert.equal(refusedIn(planned(existing, existing.replace("image: a", "image: b")).workloads), undefined);
    const set = POD_KINDS.StatefulSet("containers: [{name: a, image: a}]").replace("NAME", "a.b");
    assert.equal(refusedIn(planned("", set).workloads), "metadata.name");
  });
  it("nothing of a custom kind", () => {
    const rollout = twice.replace("apps/v1, kind: Deployment", "argoproj.io/v1alpha1, kind: Rollout");
    assert.equal(refusedIn(planned("", rollout).workloads), undefined);
  });
  it("nothing that a file leaves to what completes it", () => {
    const pods = ["containers: [{name: a}]", "containers: [{image: a}]", "volumes: []"];
    for (const pod of pods) {
      const part = POD_KINDS.Deployment(pod);
      assert.equal(refusedIn(planned("", part).workloads), undefined);
      assert.equal(refusedIn(planned(part, part.replace("replicas: 1", "replicas: 2")).workloads), undefined);
    }
  });
});

describe("the API server rejects in a CronJob", () => {
  for (const [spec, refused] of SCHEDULES)
    it(`${spec}: ${refused ?? "accepted"}`, () => {
      assert.equal(refusedIn(planned("", cronJobOf(spec)).workloads), refused?.slice("spec.".length));
    });
  for (const [name, refused] of CRON_JOB_NAMES)
    it(`with a name of ${name.length} characters: ${refused ?? "accepted"}`, () => {
      const created = cronJobOf('schedule: "@daily"', name);
      assert.equal(refusedIn(planned("", created).workloads), refused);
      // It exists, so the API server had accepted it.
      assert.equal(refusedIn(planned(created, created.replace("daily", "hourly")).workloads), undefined);
    });
  it("no name that is filled in later", () => {
    const name = "${ENVIRONMENT}-".padEnd(60, "a");
    assert.equal(refusedIn(planned("", cronJobOf('schedule: "@daily"', `'${name}'`)).workloads), undefined);
  });
  it("nothing that is filled in later", () => {
    const spec = "schedule: '${SCHEDULE}', timeZone: '{{ zone }}'";
    assert.equal(refusedIn(planned("", cronJobOf(spec)).workloads), undefined);
  });
  it("nothing of a CronJob that the change does not touch", () => {
    const wrong = cronJobOf("schedule: daily");
    assert.deepEqual(planned(wrong, wrong).workloads, []);
  });
  it("no time zone in a schedule that had one", () => {
    const [from, to] = ["0 0", "1 0"].map((at) => cronJobOf(`schedule: "TZ=UTC ${at} * * *"`));
    assert.equal(refusedIn(planned(from ?? "", to ?? "").workloads), undefined);
  });
});
