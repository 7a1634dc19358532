import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { nextText } from "../../../src/output/plan-words.ts";
import { actions, planned, workload as rowOf } from "./planned.ts";

// Which fields of a workload the API server lets no one change, and what it takes for the same: the
// functions Validate…Update in pkg/apis/{apps,batch}/validation of Kubernetes 1.34.

interface Written {
  readonly apiVersion?: string;
  readonly spec?: string;
  readonly labels?: string;
}

const workload =
  (kind: string, group: string) =>
  ({ apiVersion = group, spec = "", labels = "{app: web}" }: Written): string =>
    `apiVersion: ${apiVersion}\nkind: ${kind}\nmetadata: {name: web}\nspec: {${spec === "" ? "" : `${spec}, `}template: {metadata: {labels: ${labels}}, spec: {containers: [{name: app, image: a}]}}}\n`;
const deployment = workload("Deployment", "apps/v1");
const statefulSet = workload("StatefulSet", "apps/v1");
const job = workload("Job", "batch/v1");
const SELECTOR = "selector: {matchLabels: {app: web}}";
const claim = (text: string): string => `volumeClaimTemplates: [${text}]`;
const DATA = "{metadata: {name: data}, spec: {storageClassName: fast}}";

/** The changes of immutable fields, as `path: from → to`. */
function immutable(base: string, head: string): string[] {
  return planned(base, head).workloads.flatMap(({ reasons }) =>
    reasons.flatMap((reason) =>
      reason.type === "Immutable"
        ? [`${reason.path}: ${JSON.stringify(reason.from)} → ${JSON.stringify(reason.to)}`]
        : [],
    ),
  );
}

describe("a refused Job", () => {
  const next = (spec: string): string => {
    const [base, head] = ["image: a", "image: b"].map((image) => job({ spec }).replace("image: a", image));
    return nextText(rowOf(planned(base ?? "", head ?? ""), "web").next ?? assert.fail());
  };

  it("is gone once its time to live has passed", () => {
    assert.match(next("ttlSecondsAfterFinished: 600"), /^Wait until the Job is gone, 600 seconds after it finishes/u);
    assert.match(next("backoffLimit: 1"), /^Delete the object/u);
  });
});

describe("the API server refuses a change of", () => {
  const ROWS: readonly (readonly [string, string, string, readonly string[]])[] = [
    ...(["Deployment", "DaemonSet", "ReplicaSet", "StatefulSet"] as const).map(
      (kind) =>
        [
          `the selector of a ${kind}`,
          workload(kind, "apps/v1")({ spec: SELECTOR }),
          workload(kind, "apps/v1")({ spec: "selector: {matchLabels: {app: api}}" }),
          ['spec.selector.matchLabels.app: "web" → "api"'],
        ] as const,
    ),
    [
      "a selector that comes",
      deployment({}),
      deployment({ spec: SELECTOR }),
      ['spec.selector: null → {"matchLabels":{"app":"web"}}'],
    ],
    [
      "several fields, each",
      statefulSet({ spec: "serviceName: a, podManagementPolicy: Parallel" }),
      statefulSet({ spec: "serviceName: b" }),
      ['spec.serviceName: "a" → "b"', 'spec.podManagementPolicy: "Parallel" → "OrderedReady"'],
    ],
    [
      "the class of a claim",
      statefulSet({ spec: claim(DATA) }),
      statefulSet({ spec: claim(DATA.replace("fast", "slow")) }),
      ['spec.volumeClaimTemplates[name=data].spec.storageClassName: "fast" → "slow"'],
    ],
    [
      "the labels of a claim",
      statefulSet({ spec: claim(DATA) }),
      statefulSet({ spec: claim(DATA.replace("name: data", "name: data, labels: {a: b}")) }),
      ['spec.volumeClaimTemplates[name=data].metadata.labels.a: null → "b"'],
    ],
    [
      "a Job's completions",
      job({ spec: "completions: 2" }),
      job({ spec: "completions: 3" }),
      ["spec.completions: 2 → 3"],
    ],
    [
      "a Job's completions, 1 where neither is written",
      job({}),
      job({ spec: "completions: 3" }),
      ["spec.completions: 1 → 3"],
    ],
    [
      "a Job's completions that go with a parallelism there: a queue of work",
      job({ spec: "completions: 1, parallelism: 2" }),
      job({ spec: "parallelism: 2" }),
      ["spec.completions: 1 → null"],
    ],
    [
      "a Job's completions that are filled in again without a parallelism",
      job({ spec: "parallelism: 2" }),
      job({}),
      ["spec.completions: null → 1"],
    ],
    [
      "a Job's completionMode",
      job({}),
      job({ spec: "completionMode: Indexed" }),
      ['spec.completionMode: "NonIndexed" → "Indexed"'],
    ],
    [
      "a Job's selector",
      job({ spec: SELECTOR }),
      job({ spec: "selector: {matchLabels: {app: api}}" }),
      ['spec.selector.matchLabels.app: "web" → "api"'],
    ],
    [
      "a Job's backoffLimitPerIndex",
      job({ spec: "backoffLimitPerIndex: 1" }),
      job({ spec: "backoffLimitPerIndex: 2" }),
      ["spec.backoffLimitPerIndex: 1 → 2"],
    ],
    [
      "a Job's managedBy",
      job({}),
      job({ spec: "managedBy: example.com/x" }),
      ['spec.managedBy: null → "example.com/x"'],
    ],
    [
      "a Job's podFailurePolicy",
      job({ spec: "podFailurePolicy: {rules: [{action: Ignore}]}" }),
      job({ spec: "podFailurePolicy: {rules: [{action: Count}]}" }),
      ['spec.podFailurePolicy: {"rules":[{"action":"Ignore"}]} → {"rules":[{"action":"Count"}]}'],
    ],
    [
      "a Job's successPolicy",
      job({ spec: "successPolicy: {rules: [{succeededCount: 1}]}" }),
      job({ spec: "successPolicy: {rules: [{succeededCount: 2}]}" }),
      ['spec.successPolicy: {"rules":[{"succeededCount":1}]} → {"rules":[{"succeededCount":2}]}'],
    ],
    [
      "an Indexed Job's completions alone",
      job({ spec: "completionMode: Indexed, completions: 2, parallelism: 2" }),
      job({ spec: "completionMode: Indexed, completions: 3, parallelism: 2" }),
      ["spec.completions: 2 → 3"],
    ],
    [
      "an Indexed Job's completions that were another number than its parallelism",
      job({ spec: "completionMode: Indexed, completions: 2, parallelism: 1" }),
      job({ spec: "completionMode: Indexed, completions: 3, parallelism: 3" }),
      ["spec.completions: 2 → 3"],
    ],
    [
      "the completions of a Job that is not Indexed, with its parallelism",
      job({ spec: "completions: 2, parallelism: 2" }),
      job({ spec: "completions: 3, parallelism: 3" }),
      ["spec.completions: 2 → 3"],
    ],
    [
      "the selector that the labels gave, in a version that is gone",
      deployment({ apiVersion: "apps/v1beta1" }),
      deployment({ apiVersion: "apps/v1beta1", labels: "{app: api}" }),
      ['spec.selector.matchLabels.app: "web" → "api"'],
    ],
  ];
  for (const [name, base, head, expected] of ROWS) {
    it(name, () => {
      assert.deepEqual(immutable(base, head), expected);
      assert.deepEqual(actions(planned(base, head)), ["Fail web"]);
    });
  }
});

describe("the API server takes", () => {
  const ROWS: readonly (readonly [string, string, string])[] = [
    // The completions that it has filled in stay.
    ["a Job's parallelism", job({}), job({ spec: "parallelism: 2" })],
    [
      "an Indexed Job's completions with its parallelism",
      job({ spec: "completionMode: Indexed, completions: 2, parallelism: 2" }),
      job({ spec: "completionMode: Indexed, completions: 3, parallelism: 3" }),
    ],
    ["a Job's default completionMode", job({}), job({ spec: "completionMode: NonIndexed" })],
    ["a Job's default completions", job({ spec: "completions: null" }), job({ spec: "completions: 1" })],
    [
      "a selector that is written out as the labels gave it, in a version that is gone",
      deployment({ apiVersion: "extensions/v1beta1" }),
      deployment({ apiVersion: "extensions/v1beta1", spec: SELECTOR }),
    ],
    [
      "a selector that is empty on one side and null on the other",
      deployment({ spec: "selector: null" }),
      deployment({}),
    ],
    [
      "the status of a claim, and its kind",
      statefulSet({ spec: claim(DATA) }),
      statefulSet({
        spec: claim(DATA.replace("{metadata", "{kind: PersistentVolumeClaim, status: {phase: Pending}, metadata")),
      }),
    ],
    [
      "a size of a claim that is written another way",
      statefulSet({ spec: claim("{metadata: {name: a}, spec: {resources: {requests: {storage: 1Ki}}}}") }),
      statefulSet({ spec: claim("{metadata: {name: a}, spec: {resources: {requests: {storage: 1024}}}}") }),
    ],
  ];
  for (const [name, base, head] of ROWS) it(name, () => assert.deepEqual(immutable(base, head), []));

  it("a field of the same name in a kind of another group", () => {
    const deploymentOf = (spec: string): string => deployment({ apiVersion: "example.com/v1", spec });
    const template = { annotations: "spec.template.metadata.annotations", anchor: "spec.template" };
    const kind = { group: "example.com", kind: "Deployment", templates: [template], rollsBy: "template" } as const;
    const report = planned(deploymentOf(SELECTOR), deploymentOf("selector: {}"), {
      all: true,
      spec: { workloads: [kind] },
    });
    assert.deepEqual(actions(report), ["None web"]);
  });
});

const FLUX = "kustomize.toolkit.fluxcd.io";
const marked = (text: string, metadata: string): string => text.replace("{name: web}", `{name: web, ${metadata}}`);

describe("what is deleted and created again", () => {
  const MARKS = [
    'annotations: {argocd.argoproj.io/sync-options: "Replace=true,Force=true"}',
    `annotations: {${FLUX}/force: Enabled}`,
    `labels: {${FLUX}/force: enabled}`,
  ];
  const OTHER = "selector: {matchLabels: {app: api}}";
  for (const mark of MARKS)
    it(`has no pod in between: ${mark}`, () => {
      for (const spec of ["replicas: 3", "replicas: 3, paused: true", "replicas: 3, strategy: {type: Recreate}"]) {
        const [base, head] = [SELECTOR, OTHER].map((selector) =>
          marked(deployment({ spec: `${selector}, ${spec}` }), mark),
        );
        const { action, safety, pods, strategy } = rowOf(planned(base ?? "", head ?? ""), "web");
        assert.deepEqual([action, safety, pods, strategy?.minAvailable], ["Roll", "Outage", 3, 0], spec);
      }
    });

  it("is replaced by each change of the pod template with both options of Argo CD, and only then", () => {
    const OF_ARGO_CD: readonly (readonly [options: string, safety: string])[] = [
      ["Force=true,Replace=true", "Outage"],
      ["Prune=false, Replace=true, Force=true", "Outage"],
      ["Force=true", "Safe"],
      ["Replace=true", "Safe"],
    ];
    for (const [options, safety] of OF_ARGO_CD) {
      const made = (image: string): string =>
        marked(
          deployment({ spec: "replicas: 3" }).replace("image: a", `image: "${image}"`),
          `annotations: {argocd.argoproj.io/sync-options: "${options}"}`,
        );
      const row = rowOf(planned(made("a:1"), made("a:2")), "web");
      assert.deepEqual([row.action, row.safety], ["Roll", safety], options);
    }
  });

  it("is on all nodes at once", () => {
    const [base, head] = [SELECTOR, OTHER].map((spec) =>
      marked(workload("DaemonSet", "apps/v1")({ spec }), MARKS[0] ?? ""),
    );
    const { action, safety } = rowOf(planned(base ?? "", head ?? ""), "web");
    assert.deepEqual([action, safety], ["Roll", "Outage"]);
  });

  it("is a Job that runs again", () => {
    const [base, head] = ["completions: 2", "completions: 3"].map((spec) => marked(job({ spec }), MARKS[1] ?? ""));
    assert.deepEqual(actions(planned(base ?? "", head ?? "")), ["NextRun web"]);
  });

  it("is an immutable ConfigMap", () => {
    const [base, head] = ["a", "b"].map((value) =>
      marked(
        `apiVersion: v1\nkind: ConfigMap\nmetadata: {name: web}\nimmutable: true\ndata: {a: ${value}}\n`,
        MARKS[1] ?? "",
      ),
    );
    assert.deepEqual(planned(base ?? "", head ?? "").findings, []);
  });

  it("changes like others if the API server accepts the change", () => {
    const [base, head] = ["a", "b"].map((image) =>
      marked(deployment({ spec: "replicas: 3" }), MARKS[1] ?? "").replace("image: a", `image: ${image}`),
    );
    const { action, safety } = rowOf(planned(base ?? "", head ?? ""), "web");
    assert.deepEqual([action, safety], ["Roll", "Safe"]);
  });
});

describe("what Flux leaves in the cluster as it is", () => {
  const ROWS: readonly (readonly [string, string, string])[] = [
    ["an image", deployment({}), deployment({}).replace("image: a", "image: b")],
    ["a selector", deployment({ spec: SELECTOR }), deployment({})],
    ["a Job", job({}), job({}).replace("image: a", "image: b")],
    ["a number of pods", deployment({ spec: "replicas: 2" }), deployment({ spec: "replicas: 0" })],
    ["an invalid number", deployment({}), deployment({ spec: 'replicas: "1"' }).replace("image: a", "image: b")],
  ];
  for (const mark of ["ssa: Ignore", "ssa: IfNotPresent", "reconcile: disabled"])
    it(mark, () => {
      for (const [name, base, head] of ROWS) {
        const [from, to] = [base, head].map((text) => marked(text, `annotations: {${FLUX}/${mark}}`));
        const report = planned(from ?? "", to ?? "");
        assert.deepEqual([...actions(report), report.verdict?.level], ["NoEffect web", "attention"], name);
      }
    });
});
