import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { readManifests } from "../../../src/yaml/read/items.ts";
import { effectOf, neverTakes, type TemplateChange } from "../../../src/kubernetes/rollout/effect.ts";
import { restartFieldOf, restartFieldValue } from "../../../src/kubernetes/rollout/restart-fields.ts";
import { rollsOf } from "../../../src/kubernetes/rollout/rolls.ts";
import { surroundingsOf } from "../../../src/kubernetes/rollout/surroundings.ts";
import type { Rollout } from "../../../src/kubernetes/rollout/rollout-types.ts";
import { findWorkloads } from "../../../src/kubernetes/workloads/find-workloads.ts";
import type { Workload } from "../../../src/kubernetes/workloads/types.ts";
import { WORKLOAD_KINDS } from "../../../src/kubernetes/workloads/workload-kinds.ts";
import { readTree } from "../../support/trees.ts";

// The effect of a change of an object, by its kind and its written fields.

interface Read {
  readonly workload: Workload;
  readonly rollout: Rollout;
}

const TEMPLATE = 'template: {metadata: {}, spec: {containers: [{name: app, image: "app:1"}]}}';

/** The workload `web` among manifests, each in flow style. */
function read(...manifests: readonly string[]): Read {
  const { items } = readManifests(readTree(manifests.join("\n---\n"), "input.yaml"));
  const workloads = findWorkloads(items, { defaultNamespace: "default", kinds: WORKLOAD_KINDS });
  const workload = workloads.find(({ item }) => item.name === "web");
  assert.ok(workload !== undefined);
  return { workload, rollout: rollsOf(workload, surroundingsOf(items, workloads, "default")) };
}

const object = (apiVersion: string, kind: string, spec = "", metadata = ""): string =>
  `{apiVersion: ${apiVersion}, kind: ${kind}, metadata: {name: web${metadata}}, spec: {${spec === "" ? "" : `${spec}, `}${TEMPLATE}}}`;
const job = (annotations: string, kind = "Job"): string =>
  object("batch/v1", kind, "", `, annotations: {${annotations}}`);
const pod = "{apiVersion: v1, kind: Pod, metadata: {name: web}, spec: {containers: [{name: app, image: app}]}}";
const revision = (name: string): string =>
  `{apiVersion: serving.knative.dev/v1, kind: Service, metadata: {name: web}, spec: {template: {metadata: {${name}}, spec: {containers: [{image: app}]}}}}`;

describe("the effect of a change", () => {
  const does = (manifest: string, change: TemplateChange): unknown[] => {
    const { workload, rollout } = read(manifest);
    const { effect, because, field } = effectOf(workload, rollout, change);
    return [effect, because, field];
  };
  const image: TemplateChange = { paths: ["spec.containers[name=app].image"] };
  const annotation: TemplateChange = { paths: ["metadata.annotations.a"] };
  const env: TemplateChange = { paths: ["spec.containers[name=app].image", "spec.containers[name=app].env"] };

  it("of a bare Pod: an image restarts its container, an annotation has no effect, the rest is rejected", () => {
    const restarts = "a bare Pod is not replaced, but its container restarts with the new image";
    assert.deepEqual(does(pod, image), ["NoEffect", restarts, undefined]);
    assert.deepEqual(does(pod, { paths: [...annotation.paths, ...image.paths] }), ["NoEffect", restarts, undefined]);
    const stays = ["NoEffect", "no controller replaces its pods", undefined];
    assert.deepEqual(does(pod, annotation), stays);
    assert.deepEqual(does(pod, { paths: ["spec.tolerations[0]"] }), stays);
    assert.deepEqual(does(pod, { paths: ["spec.activeDeadlineSeconds"] }), stays);
    const refused = "spec.containers[name=app].env";
    assert.deepEqual(does(pod, env), ["Fail", `${refused} of a Pod is immutable`, refused]);
  });
  it("of a Pod of another group is not special", () => {
    const { workload, rollout } = read(pod);
    const other: Workload = { ...workload, item: { ...workload.item, group: "example.com" } };
    assert.deepEqual(effectOf(other, rollout, env), rollout);
  });
  it("of a ReplicationController reaches no pod and is not rejected", () => {
    for (const change of [image, annotation, env])
      assert.deepEqual(does(object("v1", "ReplicationController"), change).slice(0, 2), [
        "NoEffect",
        "no controller replaces its pods",
      ]);
  });
  it("of a Deployment is always a rollout", () => {
    for (const change of [image, annotation, env])
      assert.deepEqual(does(object("apps/v1", "Deployment"), change), ["Roll", undefined, undefined]);
  });
  it("of a CloneSet with in-place updates: an image reaches its pods, an annotation does not", () => {
    const manifest = object("apps.kruise.io/v1alpha1", "CloneSet", "updateStrategy: {type: InPlaceOnly}");
    assert.deepEqual(does(manifest, image), ["Roll", undefined, undefined]);
    assert.deepEqual(does(manifest, annotation), [
      "NoEffect",
      "it updates its pods in place, and an annotation alone restarts no container",
      "spec.updateStrategy.type",
    ]);
    assert.deepEqual(does(object("apps.kruise.io/v1alpha1", "CloneSet"), annotation)[0], "Roll");
  });
  it("of a named revision is rejected unless the name changes", () => {
    const field = "spec.template.metadata.name";
    const because = `${field} must change together with the pod template`;
    assert.deepEqual(does(revision("name: web-1"), image), ["Fail", because, field]);
    assert.equal(does(revision("name: web-1"), { ...image, renamed: true })[0], "Roll");
    for (const name of ["", 'name: ""', "name: 1"]) assert.equal(does(revision(name), image)[0], "Roll", name);
  });
  it("of the restart field of a kind is what the kind does", () => {
    const change: TemplateChange = { paths: [], byRestartField: true };
    const evicts = /^Argo Rollouts evicts the pods/u;
    const rollout = object("argoproj.io/v1alpha1", "Rollout", "strategy: {canary: {}}");
    assert.match(String(does(rollout, change)[1]), evicts);
    assert.equal(does(rollout, annotation)[1], undefined);
    assert.equal(does(object("apps/v1", "Deployment"), change)[1], undefined);
  });
});

describe("workloads that never restart through their template", () => {
  const ROWS: readonly (readonly [string, string, string | undefined])[] = [
    ["a Job", object("batch/v1", "Job"), "its pod template is immutable, so the apply would be rejected"],
    ["a Job that Helm makes again", job("helm.sh/hook: pre-install"), undefined],
    ["a ReplicaSet", object("apps/v1", "ReplicaSet"), "no controller replaces its pods"],
    ["a named revision", revision("name: a"), "'spec.template.metadata.name' is set, so the apply would be rejected"],
    ["another revision", revision(""), undefined],
    ["a Deployment", object("apps/v1", "Deployment"), undefined],
    ["a paused Deployment", object("apps/v1", "Deployment", "paused: true"), undefined],
    ["a refused Deployment", object("apps/v1", "Deployment", "replicas: -1"), undefined],
  ];
  for (const [name, manifest, why] of ROWS) {
    it(`${name}: ${why ?? "not so"}`, () => {
      const { workload, rollout } = read(manifest);
      assert.equal(neverTakes(workload, rollout), why);
    });
  }
});

describe("a Job that a tool recreates", () => {
  const again = (tool: string, key: string): string => `${tool} deletes and recreates the Job (${key})`;
  const ROWS: readonly (readonly [string, string | undefined])[] = [
    ["helm.sh/hook: post-install", again("Helm", "helm.sh/hook")],
    ["argocd.argoproj.io/hook: Sync", again("Argo CD", "argocd.argoproj.io/hook")],
    ['argocd.argoproj.io/sync-options: "Replace=true,Force=true"', again("Argo CD", "argocd.argoproj.io/sync-options")],
    ["kustomize.toolkit.fluxcd.io/force: Enabled", again("Flux", "kustomize.toolkit.fluxcd.io/force")],
    ["kustomize.toolkit.fluxcd.io/force: disabled", undefined],
    ["argocd.argoproj.io/sync-options: Force=truely", undefined],
    ['helm.sh/hook: ""', undefined],
  ];
  for (const [annotation, because] of ROWS) {
    it(annotation, () => {
      const { rollout } = read(job(annotation));
      assert.deepEqual(
        [rollout.effect, rollout.because],
        because === undefined ? ["Fail", "its pod template is immutable"] : ["NextRun", because],
      );
    });
  }
  it("or a Pod that is a hook", () => {
    const hooked = (annotation: string): unknown[] => {
      const { rollout } = read(pod.replace("name: web}", `name: web, annotations: {${annotation}}}`));
      return [rollout.effect, rollout.because, rollout.next];
    };
    assert.deepEqual(hooked("helm.sh/hook: test"), [
      "NextRun",
      "Helm deletes and recreates the Pod (helm.sh/hook)",
      undefined,
    ]);
    assert.equal(hooked("argocd.argoproj.io/hook: PostSync")[0], "NextRun");
    const { workload, rollout } = read(pod.replace("name: web}", "name: web, annotations: {helm.sh/hook: test}}"));
    const renamed = { paths: ["spec.containers[name=app].name"] };
    assert.equal(effectOf(workload, rollout, renamed).effect, "NextRun");
    assert.equal(hooked("kustomize.toolkit.fluxcd.io/force: enabled")[0], "NoEffect");
  });
  it("must be a Job of Kubernetes itself", () => {
    const hooked = (apiVersion: string, kind: string): unknown[] => {
      const { rollout } = read(object(apiVersion, kind, "", ", annotations: {helm.sh/hook: a}"));
      return [rollout.effect, rollout.because];
    };
    assert.deepEqual(hooked("apps/v1", "Deployment"), ["Roll", undefined]);
    assert.deepEqual(hooked("batch/v1", "CronJob"), ["NextRun", "the next run uses the change"]);
    const volcano = `{apiVersion: batch.volcano.sh/v1alpha1, kind: Job, metadata: {name: web, annotations: {helm.sh/hook: a}}, spec: {tasks: [{name: a, ${TEMPLATE}}]}}`;
    assert.equal(read(volcano).rollout.effect, "Fail");
  });
});

describe("the pods of an autoscaler", () => {
  const scaled = (apiVersion: string, kind: string, spec: string): unknown =>
    read(
      object("apps/v1", "Deployment", "replicas: 2"),
      `{apiVersion: ${apiVersion}, kind: ${kind}, metadata: {name: h}, spec: {${spec}}}`,
    ).rollout.strategy?.replicas;
  const HPA = "HorizontalPodAutoscaler";
  const to = (target: string): string => `minReplicas: 5, scaleTargetRef: {${target}}`;
  const TARGET = "scaleTargetRef: {apiVersion: apps/v1, kind: Deployment, name: web}";
  const WEB = `minReplicas: 5, ${TARGET}`;
  const ROWS: readonly (readonly [string, string, string, string, number])[] = [
    ["count", "autoscaling/v2", HPA, WEB, 5],
    ["count in every version", "autoscaling/v1", HPA, WEB, 5],
    ["are one where it says nothing", "autoscaling/v2", HPA, TARGET, 1],
    ["are one where it says no number", "autoscaling/v2", HPA, `minReplicas: x, ${TARGET}`, 1],
    [
      "count by the old group of one Deployment",
      "autoscaling/v2",
      HPA,
      to("apiVersion: extensions/v1beta1, kind: Deployment, name: web"),
      5,
    ],
    ["do not count of another kind", "example.com/v1", HPA, WEB, 2],
    ["do not count of another autoscaler", "autoscaling/v2", "VerticalPodAutoscaler", WEB, 2],
    ["do not count of another name", "autoscaling/v2", HPA, to("kind: Deployment, name: a"), 2],
    ["do not count without a name", "autoscaling/v2", HPA, to("apiVersion: apps/v1, kind: Deployment"), 2],
    ["do not count without a group", "autoscaling/v2", HPA, to("apiVersion: apps1, kind: Deployment, name: web"), 2],
    ["do not count without a kind", "autoscaling/v2", HPA, to("apiVersion: apps/v1, name: web"), 2],
  ];
  for (const [name, apiVersion, kind, spec, expected] of ROWS)
    it(name, () => assert.equal(scaled(apiVersion, kind, spec), expected));

  it("do not count without a name, even if a Deployment is called `undefined`", () => {
    const items = readManifests(
      readTree(
        `${object("apps/v1", "Deployment", "replicas: 2").replace("name: web", "name: undefined")}
---
{apiVersion: autoscaling/v2, kind: ${HPA}, metadata: {name: h}, spec: {${to("apiVersion: apps/v1, kind: Deployment")}}}
`,
        "input.yaml",
      ),
    ).items;
    const [workload] = findWorkloads(items, { defaultNamespace: "default", kinds: WORKLOAD_KINDS });
    assert.ok(workload !== undefined);
    assert.equal(rollsOf(workload, surroundingsOf(items, [workload], "default")).strategy?.replicas, 2);
  });
  it("count for a kind without a group", () => {
    const { rollout } = read(
      object("v1", "ReplicationController", "replicas: 2"),
      `{apiVersion: autoscaling/v2, kind: ${HPA}, metadata: {name: h}, spec: {${to("kind: ReplicationController, name: web")}}}`,
    );
    assert.equal(rollout.strategy?.replicas, 5);
  });
});

describe("a strategy as manifests write it", () => {
  const bounds = (manifest: string): string => {
    const { effect, strategy } = read(manifest).rollout;
    return `${effect} ${strategy?.type} ${strategy?.minAvailable} to ${strategy?.maxTotal}`;
  };
  const ARGO = "argoproj.io/v1alpha1";
  const ROWS: readonly (readonly [string, string, string, string])[] = [
    [ARGO, "Rollout", "replicas: 4", "Roll Canary 3 to 5"],
    [ARGO, "Rollout", "replicas: 4, strategy: {}", "Fail Canary 3 to 5"],
    [ARGO, "Rollout", "replicas: 4, strategy: {canary: {}}", "Roll Canary 3 to 5"],
    [ARGO, "Rollout", "replicas: 4, strategy: {canary: {maxSurge: 2, maxUnavailable: 0}}", "Roll Canary 4 to 6"],
    [ARGO, "Rollout", 'replicas: 4, strategy: {canary: {maxSurge: 0, maxUnavailable: "50%"}}', "Roll Canary 2 to 4"],
    [ARGO, "Rollout", "replicas: 4, strategy: {canary: {trafficRouting: {}}}", "Roll Canary 4 to 8"],
    [
      ARGO,
      "Rollout",
      "replicas: 4, strategy: {canary: {trafficRouting: {}, dynamicStableScale: true}}",
      "Roll Canary null to null",
    ],
    [
      ARGO,
      "Rollout",
      "replicas: 4, strategy: {canary: {trafficRouting: {}, minPodsPerReplicaSet: 5}}",
      "Roll Canary 4 to 9",
    ],
    [
      ARGO,
      "Rollout",
      "replicas: 4, strategy: {canary: {trafficRouting: {}, steps: [{setCanaryScale: {replicas: 7}}, {setCanaryScale: {weight: 130}}]}}",
      "Roll Canary 4 to 11",
    ],
    [ARGO, "Rollout", "replicas: 4, strategy: {canary: {trafficRouting: null}}", "Roll Canary 3 to 5"],
    [ARGO, "Rollout", "replicas: 4, strategy: {blueGreen: {}}", "Roll BlueGreen 4 to 8"],
    ["apps/v1", "Deployment", "replicas: 4, strategy: {type: Recreate, rollingUpdate: {}}", "Fail Recreate 0 to 4"],
    ["apps/v1", "Deployment", "replicas: 4, strategy: {type: Recreate, rollingUpdate: null}", "Roll Recreate 0 to 4"],
    ["apps/v1", "Deployment", 'replicas: 4, strategy: {type: ""}', "Roll RollingUpdate 3 to 5"],
    ["apps/v1", "Deployment", "replicas: many", "Roll RollingUpdate 1 to 2"],
    ["apps.kruise.io/v1alpha1", "CloneSet", "updateStrategy: {type: ReCreate}", "Roll ReCreate null to null"],
    ["apps.kruise.io/v1alpha1", "CloneSet", "", "Roll Operator null to null"],
  ];
  for (const [apiVersion, kind, spec, expected] of ROWS)
    it(`${kind} {${spec}}: ${expected}`, () => assert.equal(bounds(object(apiVersion, kind, spec)), expected));

  it("has minReadySeconds checked against its deadline or the default of 600", () => {
    const refused = (kind: string, spec: string): unknown => read(object("apps/v1", kind, spec)).rollout.refused;
    const late = (minReadySeconds: number, progressDeadlineSeconds: number): unknown => ({
      path: "spec.minReadySeconds",
      problem: `must be less than progressDeadlineSeconds (${progressDeadlineSeconds})`,
      readyTooLate: { minReadySeconds, progressDeadlineSeconds },
    });
    assert.deepEqual(refused("Deployment", "minReadySeconds: 60, progressDeadlineSeconds: 60"), late(60, 60));
    assert.equal(refused("Deployment", "minReadySeconds: 60, progressDeadlineSeconds: 61"), undefined);
    assert.deepEqual(refused("Deployment", "minReadySeconds: 600"), late(600, 600));
    assert.equal(refused("Deployment", "minReadySeconds: 599"), undefined);
    // The API server drops this field of a StatefulSet, which has no deadline.
    assert.equal(refused("StatefulSet", "minReadySeconds: 60, progressDeadlineSeconds: 60"), undefined);
    assert.equal(refused("StatefulSet", "minReadySeconds: 601"), undefined);
  });
  it("can be paused with an operator that supports it", () => {
    const kafka = (paused: boolean): Rollout =>
      read(object("serving.knative.dev/v1", "Configuration", `paused: ${paused}`)).rollout;
    assert.deepEqual([kafka(true).effect, kafka(true).field], ["NoEffect", "spec.paused"]);
    assert.equal(kafka(false).effect, "Roll");
  });
  it("of a DeploymentConfig is value back only without triggers", () => {
    const config = (triggers: string): string =>
      read(object("apps.openshift.io/v1", "DeploymentConfig", triggers)).rollout.effect;
    assert.deepEqual(["triggers: []", "triggers: [{type: ConfigChange}]", "triggers: null", ""].map(config), [
      "NoEffect",
      "Roll",
      "Roll",
      "Roll",
    ]);
  });
});

describe("a template that another object runs", () => {
  const deployment = (spec: string): string => object("apps/v1", "Deployment", spec);
  const runner = (name: string, more = ""): string =>
    `{apiVersion: argoproj.io/v1alpha1, kind: Rollout, metadata: {name: ${name}}, spec: {workloadRef: {apiVersion: apps/v1, kind: Deployment, name: web}, strategy: {canary: {}}${more}}}`;
  const PAUSED = ", paused: true";
  const ROWS: readonly (readonly [string, readonly string[], string, string | undefined])[] = [
    ["none of its own", [deployment("replicas: 0"), runner("a")], "Roll", "Rollout a runs its pod template"],
    [
      "a runner that is paused",
      [deployment("replicas: 0"), runner("a", PAUSED)],
      "NoEffect",
      "Rollout a runs its pod template: it is paused",
    ],
    [
      "two runners, the first paused",
      [deployment("replicas: 0"), runner("a", PAUSED), runner("b")],
      "Roll",
      "Rollout b runs its pod template",
    ],
    ["pods of its own", [deployment("replicas: 1"), runner("a", PAUSED)], "Roll", undefined],
    [
      "paused itself",
      [deployment("replicas: 1, paused: true"), runner("a")],
      "Roll",
      "Rollout a runs its pod template",
    ],
    [
      "refused itself",
      [deployment("replicas: 0, strategy: {type: x}"), runner("a")],
      "Fail",
      "spec.strategy.type must be RollingUpdate or Recreate",
    ],
  ];
  for (const [name, manifests, effect, because] of ROWS) {
    it(`${name}: ${effect}`, () => {
      const { rollout, workload } = read(...manifests);
      assert.deepEqual([rollout.effect, rollout.because], [effect, because]);
      assert.equal(rollout.runBy?.length, manifests.length - 1);
      // A template that another object runs can be restarted there.
      assert.equal(neverTakes(workload, rollout), undefined);
    });
  }
});

it("a ReplicaSet whose template a Rollout runs restarts there", () => {
  const { rollout, workload } = read(
    object("apps/v1", "ReplicaSet", "replicas: 0"),
    "{apiVersion: argoproj.io/v1alpha1, kind: Rollout, metadata: {name: a}, spec: {workloadRef: {apiVersion: apps/v1, kind: ReplicaSet, name: web}, strategy: {canary: {}}}}",
  );
  assert.deepEqual([rollout.effect, rollout.because], ["Roll", "Rollout a runs its pod template"]);
  assert.equal(neverTakes(workload, rollout), undefined);
});

it("the hold of a Deployment does not matter if a Rollout runs its template", () => {
  const { rollout } = read(
    object("apps/v1", "Deployment", "replicas: 0, paused: true"),
    "{apiVersion: argoproj.io/v1alpha1, kind: Rollout, metadata: {name: a}, spec: {workloadRef: {apiVersion: apps/v1, kind: Deployment, name: web}, strategy: {canary: {}}}}",
  );
  assert.deepEqual([rollout.effect, rollout.field, rollout.next], ["Roll", undefined, undefined]);
});

it("the rollout of a runner that is not among the workloads is unknown", () => {
  const { items } = readManifests(
    readTree(
      `${object("apps/v1", "Deployment", "replicas: 0")}
---
{apiVersion: argoproj.io/v1alpha1, kind: Rollout, metadata: {name: a}, spec: {workloadRef: {apiVersion: apps/v1, kind: Deployment, name: web}, strategy: {canary: {}}}}
`,
      "input.yaml",
    ),
  );
  const [workload] = findWorkloads(items, { defaultNamespace: "default", kinds: WORKLOAD_KINDS });
  assert.ok(workload !== undefined);
  const { effect, because, pods, runBy } = rollsOf(workload, surroundingsOf(items, [workload], "default"));
  assert.deepEqual([effect, because, pods], ["Roll", "Rollout a runs its pod template", 0]);
  assert.deepEqual(
    runBy?.map(({ item, rollout }) => [item.name, rollout]),
    [["a", undefined]],
  );
});

describe("the restart field of a kind", () => {
  const time = new Date("2026-11-22T01:02:03Z");
  const ROWS: readonly (readonly [string, string, string | undefined, string | number, string | number])[] = [
    ["argoproj.io/v1alpha1", "Rollout", "spec.restartAt", "2026-11-22T01:02:03Z", 1],
    ["flink.apache.org/v1beta1", "FlinkDeployment", "spec.restartNonce", 1_795_309_323, "x"],
    [
      "postgresql.cnpg.io/v1",
      "Cluster",
      "metadata.annotations[kubectl.kubernetes.io/restartedAt]",
      "2026-11-22T01:02:03Z",
      1,
    ],
  ];
  const itemOf = (text: string): ReturnType<typeof readManifests>["items"][number] => {
    const [item] = readManifests(readTree(text, "input.yaml")).items;
    assert.ok(item !== undefined);
    return item;
  };
  for (const [apiVersion, kind, field, value, none] of ROWS) {
    it(`${kind}: ${field}`, () => {
      const row = restartFieldOf(itemOf(`{apiVersion: ${apiVersion}, kind: ${kind}, metadata: {name: web}}`));
      assert.equal(row?.field, field);
      assert.equal(row?.write(time), value);
      assert.deepEqual(row?.read(value), time);
      assert.equal(row?.read(none), undefined);
    });
  }
  it("is absent for another kind or group", () => {
    for (const [apiVersion, kind] of [
      ["apps/v1", "Rollout"],
      ["argoproj.io/v1alpha1", "Workflow"],
      ["cluster.x-k8s.io/v1", "Cluster"],
    ])
      assert.equal(
        restartFieldOf(itemOf(`{apiVersion: ${apiVersion}, kind: ${kind}, metadata: {name: a}}`)),
        undefined,
      );
  });
  it("has the written value if it is a string or a number", () => {
    const restartValue = (fields: string): unknown => {
      const item = itemOf(
        `{apiVersion: flink.apache.org/v1beta1, kind: FlinkDeployment, metadata: {name: a}, spec: {${fields}}}`,
      );
      const row = restartFieldOf(item);
      return row && restartFieldValue(item, row);
    };
    assert.equal(restartValue("restartNonce: 5"), 5);
    assert.equal(restartValue('restartNonce: "5"'), "5");
    for (const fields of ["restartNonce: null", "restartNonce: true", "restartNonce: [1]", "a: 1"])
      assert.equal(restartValue(fields), undefined, fields);
  });
});
