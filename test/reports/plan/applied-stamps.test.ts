import assert from "node:assert/strict";
import { describe, it } from "node:test";
import type { SideStamps } from "../../../src/reports/plan/side.ts";
import { planMarkdown } from "../../support/plan-reports.ts";
import { actions, planned, workload, type PlanSetup } from "./planned.ts";
import type { PlanReport } from "../../../src/reports/plan/plan-report.ts";

// Sides as they are applied: with the stamps that they have, and no others.

const STAMPS = new Map([
  ["a", "h1-1c3e2bf085c989311d37cb1ecb2c805e6f8894ae"],
  ["b", "h1-72362ea47beb64a209018b32a1dc19b6a614d926"],
]);

interface Given {
  readonly value?: string;
  /** The stamp of this content. */
  readonly stamp?: string;
  readonly image?: string;
  readonly pod?: string;
  readonly spec?: string;
  readonly kind?: string;
  readonly metadata?: string;
  readonly without?: true;
}

const ENV = "containers: [{name: app, image: IMAGE, envFrom: [{configMapRef: {name: env}}]}]";

const OPTIONAL = "containers: [{name: app, image: IMAGE, envFrom: [{configMapRef: {name: env, optional: true}}]}]";

function side({
  value = "a",
  stamp,
  image = "web:1",
  pod = ENV,
  spec = "replicas: 2",
  kind = "Deployment",
  metadata = "",
  without,
}: Given): string {
  const annotations =
    stamp === undefined ? "" : `, annotations: {configmap.rollstamp.dev/env: ${STAMPS.get(stamp) ?? stamp}}`;
  const template = `{metadata: {labels: {app: web}${annotations}}, spec: {${pod.replace("IMAGE", image)}}}`;
  const workloadText =
    kind === "CronJob"
      ? `{apiVersion: batch/v1, kind: CronJob, metadata: {name: web}, spec: {jobTemplate: {spec: {template: ${template}}}}}`
      : kind === "Job"
        ? `{apiVersion: batch/v1, kind: Job, metadata: {name: web${metadata}}, spec: {template: ${template}}}`
        : `{apiVersion: apps/v1, kind: ${kind}, metadata: {name: web${metadata}}, spec: {${spec}, selector: {matchLabels: {app: web}}, template: ${template}}}`;
  const config = `{apiVersion: v1, kind: ConfigMap, metadata: {name: env}, data: {settings: ${value}, other: x}}`;
  return [...(without === true ? [] : [config]), workloadText].join("\n---\n");
}

const HOOK = ", annotations: {argocd.argoproj.io/hook: PostSync}";

const plan = (base: Given, head: Given, stamps: SideStamps = "Standing"): PlanReport =>
  planned(side(base), side(head), { stamps, all: true });

const brief = (report: PlanReport): unknown => {
  const { action, pods, reasons, findings } = workload(report, "web");
  return [
    action,
    pods,
    reasons.map((reason) =>
      reason.type === "Source" ? [reason.type, reason.keys.changed, reason.seenBy] : [reason.type],
    ),
    findings.map(({ id, cause }) => `${id} ${cause}`),
  ];
};

const STALE = (seenBy: string): unknown => ["Stale", 2, [["Source", ["settings"], seenBy]], ["RS025 unstamped"]];
const volume = (mount: string, more = ""): string =>
  `containers: [{name: app, image: IMAGE${more}, volumeMounts: [{name: v, mountPath: /etc/a${mount}}]}], volumes: [{name: v, configMap: {name: env}}]`;

describe("content that changes under pods that nothing stamps", () => {
  const ROWS: readonly (readonly [name: string, base: Given, head: Given, expected: unknown])[] = [
    ["is stale for environment variables", {}, { value: "b" }, STALE("env")],
    ["is stale for a mounted file", { pod: volume("") }, { value: "b", pod: volume("") }, STALE("volume")],
    [
      "is stale for a file with subPath, which never changes",
      { pod: volume(", subPath: settings") },
      { value: "b", pod: volume(", subPath: settings") },
      STALE("env"),
    ],
    [
      "is stale for both",
      { pod: volume("", ", envFrom: [{configMapRef: {name: env}}]") },
      { value: "b", pod: volume("", ", envFrom: [{configMapRef: {name: env}}]") },
      STALE("both"),
    ],
    [
      "is nothing if the pods do not see the key",
      { pod: volume(", subPath: other") },
      { value: "b", pod: volume(", subPath: other") },
      ["None", 0, [], []],
    ],
    [
      "rolls for another reason, and the new pods see it",
      {},
      { value: "b", image: "web:2" },
      ["Roll", 2, [["Template"]], []],
    ],
    [
      "is at the next run of a CronJob",
      { kind: "CronJob" },
      { kind: "CronJob", value: "b" },
      ["NextRun", 0, [["Source", ["settings"], undefined]], []],
    ],
    [
      "is at the next run of a hook, which is a new Job",
      { kind: "Job", metadata: HOOK },
      { kind: "Job", metadata: HOOK, value: "b" },
      ["NextRun", 0, [["Source", ["settings"], undefined]], []],
    ],
    ["is nothing for a Job that has run", { kind: "Job" }, { kind: "Job", value: "b" }, ["None", 0, [], []]],
    ["is nothing without pods", { spec: "replicas: 0" }, { spec: "replicas: 0", value: "b" }, ["None", 0, [], []]],
    ["is nothing if it is the same", {}, {}, ["None", 0, [], []]],
  ];
  for (const [name, base, head, expected] of ROWS) it(name, () => assert.deepEqual(brief(plan(base, head)), expected));

  it("counts apart from what rolls, and in what would roll if it were stamped", () => {
    const { summary, ifStamped, verdict, as, causes } = plan({}, { value: "b" });
    assert.deepEqual([summary.stale, summary.rolls, summary.pods, ifStamped], [1, 0, 0, { workloads: 1, pods: 2 }]);
    assert.deepEqual([verdict?.level, as], ["attention", "applied"]);
    assert.deepEqual(causes, [
      { source: { kind: "ConfigMap", namespace: "default", name: "env" }, workloads: 1, pods: 0 },
    ]);
  });
  it("leaves mounted files as they are if the source is gone, unless it is optional", () => {
    const maker =
      "{apiVersion: batch/v1, kind: Job, metadata: {name: maker}, spec: {template: {spec: {containers: [{name: a, image: a, args: [create, configmap, env]}]}}}}";
    const seenIn = (pod: string): unknown => {
      const report = planned(side({ pod }), `${side({ pod, without: true })}\n---\n${maker}`, { stamps: "Standing" });
      return workload(report, "web").reasons.map((reason) => reason.type === "Source" && reason.seenBy);
    };
    assert.deepEqual(seenIn(volume("")), ["env"]);
    assert.deepEqual(seenIn(volume("").replace("name: env", "name: env, optional: true")), ["volume"]);
  });
  it("never changes a volume that a driver has mounted with a Secret", () => {
    const pod =
      "containers: [{name: app, image: IMAGE, volumeMounts: [{name: v, mountPath: /m}]}], volumes: [{name: v, azureFile: {secretName: account, shareName: a}}]";
    const withKey = (key: string): string =>
      `${side({ pod })}\n---\n{apiVersion: v1, kind: Secret, metadata: {name: account}, stringData: {key: ${key}}}`;
    const { action, reasons } = workload(planned(withKey("a"), withKey("b"), { stamps: "Standing" }), "web");
    assert.deepEqual([action, reasons.map((reason) => reason.type === "Source" && reason.seenBy)], ["Stale", ["env"]]);
  });
  it("would not roll with stamps where nothing replaces pods", () => {
    for (const workloadSpec of [
      { spec: "replicas: 2, paused: true" },
      { spec: "replicas: 2, updateStrategy: {type: OnDelete}", kind: "StatefulSet" },
    ]) {
      const report = plan(workloadSpec, { ...workloadSpec, value: "b" });
      assert.deepEqual([actions(report), report.ifStamped], [["Stale web"], { workloads: 0, pods: 0 }]);
      assert.doesNotMatch(planMarkdown(report), /With stamps/u);
    }
    assert.match(planMarkdown(plan({}, { value: "b" })), /With stamps it rolls, 2 pods/u);
  });
  it("is no finding for a workload that gives a reason, and stays stale", () => {
    const metadata = ', annotations: {ignore.rollstamp.dev/RS025: "it reads its settings each minute"}';
    const report = plan({ metadata }, { metadata, value: "b" });
    const { action, findings, accepted = [] } = workload(report, "web");
    assert.deepEqual(
      [action, findings, accepted.map(({ id }) => id), report.verdict?.level],
      ["Stale", [], ["RS025"], "ok"],
    );
  });
  it("is a note for a workload that opted out, and for a source that its stamps exclude", () => {
    for (const [annotation, cause] of [
      ['rollstamp.dev/stamp: "false"', "optedOut"],
      ["rollstamp.dev/exclude: configmap/env", "excluded"],
    ] as const) {
      const metadata = `, annotations: {${annotation}}`;
      const report = plan({ metadata }, { metadata, value: "b" });
      assert.deepEqual([actions(report), report.verdict?.level], [["None web"], "ok"]);
      assert.deepEqual(
        report.findings.map(({ id, cause: found }) => [id, found]),
        [["RS025", cause]],
      );
    }
  });
  it("is a note for a source that a reloader in the pod watches, unless the configuration says to stamp it", () => {
    const mount = "volumeMounts: [{name: v, mountPath: /etc/a}]";
    const reloader = `{name: reload, image: "jimmidyson/configmap-reload:v0.9", args: [--volume-dir=/etc/a], ${mount}}`;
    const watched = volume("").replace("}]}]", `}]}, ${reloader}]`);
    for (const reloads of ["Warn", "Skip", "Stamp"] as const) {
      const texts = [side({ pod: watched }), side({ pod: watched, value: "b" })] as const;
      const report = planned(...texts, { stamps: "Standing", all: true, spec: { reloads } });
      const { action, findings } = workload(report, "web");
      assert.deepEqual(
        [action, [...report.findings, ...findings].map(({ cause }) => cause), report.verdict?.level],
        reloads === "Stamp"
          ? ["Stale", ["unstamped"], "attention"]
          : [reloads === "Skip" ? "Reload" : "None", reloads === "Skip" ? [] : ["reloads"], "ok"],
      );
    }
  });
  const WATCHED: readonly (readonly [annotations: string, kind: string, level: string, causes: readonly string[]])[] = [
    ['reloader.stakater.com/auto: "true"', "Deployment", "ok", ["watched"]],
    ["configmap.reloader.stakater.com/reload: env", "StatefulSet", "ok", ["watched"]],
    ['wave.pusher.com/update-on-config-change: "true"', "Deployment", "ok", ["watched"]],
    // What it does not watch, or does not restart, keeps the old content.
    ["configmap.reloader.stakater.com/reload: other", "Deployment", "attention", ["unstamped"]],
    ['reloader.stakater.com/auto: "false"', "Deployment", "attention", ["unstamped"]],
    [
      'reloader.stakater.com/auto: "true", configmaps.exclude.reloader.stakater.com/reload: env',
      "Deployment",
      "attention",
      ["unstamped"],
    ],
  ];
  for (const [annotations, kind, level, causes] of WATCHED)
    it(`is a note for a ${kind} that a controller restarts: ${annotations}`, () => {
      const metadata = `, annotations: {${annotations}}`;
      const { verdict, findings, workloads } = plan({ metadata, kind }, { metadata, kind, value: "b" });
      const all = [...findings, ...workloads.flatMap((one) => one.findings)];
      assert.deepEqual(
        [verdict?.level, all.filter(({ id }) => id === "RS025").map(({ cause }) => cause)],
        [level, causes],
      );
    });
  const TOO_LATE: readonly (readonly [name: string, annotations: string, base: Given, actions: readonly string[]])[] = [
    ["Reloader, for a source that is new", 'reloader.stakater.com/auto: "true"', { without: true }, ["Stale web"]],
    [
      "Wave, for a source that is new",
      'wave.pusher.com/update-on-config-change: "true"',
      { without: true },
      ["None web"],
    ],
    [
      "Reloader, for a workload that opts in now",
      'reloader.stakater.com/auto: "true"',
      { metadata: "" },
      ["Stale web"],
    ],
    [
      "Wave, for a workload that opts in now",
      'wave.pusher.com/update-on-config-change: "true"',
      { metadata: "" },
      ["None web"],
    ],
  ];
  for (const [name, annotations, base, expected] of TOO_LATE)
    it(`knows what restarts the pods: ${name}`, () => {
      const head = { metadata: `, annotations: {${annotations}}`, pod: OPTIONAL, value: "b" };
      assert.deepEqual(actions(plan({ ...head, value: "a", ...base }, head)), expected);
    });
  it("is stale if stamps take the place of the controller, and someone forgot them", () => {
    const metadata = ', annotations: {reloader.stakater.com/auto: "true"}';
    const setup = { stamps: "Standing", spec: { compat: ["Reloader"] } } as const;
    assert.deepEqual(
      actions(planned(side({ metadata, stamp: "a" }), side({ metadata, stamp: "a", value: "b" }), setup)),
      ["Stale web"],
    );
  });
  it("is stale for a workload that nobody opted in", () => {
    const setup = { stamps: "Standing", spec: { selection: "Annotated" } } as const;
    assert.deepEqual(actions(planned(side({}), side({ value: "b" }), setup)), ["Stale web"]);
  });
});

describe("stamps in files", () => {
  const ROWS: readonly (readonly [
    name: string,
    base: Given,
    head: Given,
    stamps: SideStamps,
    expected: readonly string[],
  ])[] = [
    [
      "roll with the content that they cover",
      { stamp: "a" },
      { stamp: "b", value: "b" },
      "Standing",
      ["Roll", "Source"],
    ],
    [
      "that were forgotten leave the pods stale",
      { stamp: "a" },
      { stamp: "a", value: "b" },
      "Standing",
      ["Stale", "Source"],
    ],
    [
      "that come for the first time roll, though no content changes",
      {},
      { stamp: "a" },
      "Standing",
      ["Roll", "FirstStamp"],
    ],
    [
      "that come with changed content say both",
      {},
      { stamp: "b", value: "b" },
      "Standing",
      ["Roll", "FirstStamp", "Source"],
    ],
    ["that change without content roll", { stamp: "a" }, { stamp: "b" }, "Standing", ["Roll", "Stamp"]],
    ["that go roll", { stamp: "a" }, {}, "Standing", ["Roll", "Stamp"]],
    ["that a function makes roll with the content", {}, { value: "b" }, "ByFunction", ["Roll", "Source"]],
  ];
  for (const [name, base, head, stamps, expected] of ROWS)
    it(name, () => {
      const { action, reasons } = workload(plan(base, head, stamps), "web");
      assert.deepEqual([action, ...reasons.map(({ type }) => type)], expected);
    });
});

describe("a number of replicas", () => {
  const SCALER =
    "\n---\n{apiVersion: autoscaling/v2, kind: HorizontalPodAutoscaler, metadata: {name: h}, spec: {minReplicas: 2, maxReplicas: 4, scaleTargetRef: {apiVersion: apps/v1, kind: Deployment, name: web}}}";
  const scaled = (from: string, to: string, more = ""): unknown => {
    const report = planned(side({ spec: from }) + more, side({ spec: to }) + more, { stamps: "Standing", all: true });
    const { action, replicas } = workload(report, "web");
    return [action, replicas, report.verdict?.level, report.summary.scales];
  };
  it("that changes alone is a scaling, and to 0 wants attention", () => {
    assert.deepEqual(scaled("replicas: 2", "replicas: 3"), ["Scale", { from: 2, to: 3 }, "ok", 1]);
    assert.deepEqual(scaled("paused: false", "replicas: 3"), ["Scale", { from: 1, to: 3 }, "ok", 1]);
    assert.deepEqual(scaled("replicas: 2", "replicas: 0"), ["Scale", { from: 2, to: 0 }, "attention", 1]);
  });
  it("to 0 names the Services that send to it", () => {
    const service = "\n---\n{apiVersion: v1, kind: Service, metadata: {name: front}, spec: {selector: {app: web}}}";
    const [base, head] = ["replicas: 2", "replicas: 0"].map((spec) => side({ spec }) + service);
    const { traffic } = workload(planned(base ?? "", head ?? "", { stamps: "Standing", all: true }), "web");
    assert.deepEqual(traffic?.services, ["front"]);
  });
  it("that an autoscaler decides is no scaling, except to 0", () => {
    assert.deepEqual(scaled("replicas: 2", "replicas: 3", SCALER)?.toString().startsWith("None"), true);
    assert.deepEqual(scaled("replicas: 2", "replicas: 0", SCALER)?.toString().startsWith("Scale"), true);
  });
  it("that a ScaledObject fixes at 0 is a scaling to 0", () => {
    const scaler = (annotations: string): string =>
      `\n---\n{apiVersion: keda.sh/v1alpha1, kind: ScaledObject, metadata: {name: k, annotations: {${annotations}}}, spec: {scaleTargetRef: {name: web}, minReplicaCount: 2}}`;
    const actionOf = (spec: string, annotations: string): unknown => {
      const report = planned(side({ spec }) + scaler(""), side({ spec }) + scaler(annotations), { all: true });
      const { action, replicas } = workload(report, "web");
      return [action, replicas, report.verdict?.level];
    };
    const stopped = ["Scale", { from: 2, to: 0 }, "attention"];
    const paused = 'autoscaling.keda.sh/paused-replicas: "0"';
    for (const spec of ["replicas: 3", "paused: false"]) assert.deepEqual(actionOf(spec, paused), stopped);
    for (const other of ['autoscaling.keda.sh/paused: "true"', 'autoscaling.keda.sh/paused-replicas: "2"'])
      assert.deepEqual(actionOf("replicas: 3", other), ["None", undefined, "ok"]);
  });
});

describe("a source that is gone", () => {
  const lost = (
    base: Given,
    head: Given,
    more: readonly [string, string] = ["", ""],
    spec: PlanSetup["spec"] = {},
  ): unknown => {
    const report = planned(side(base) + more[0], side(head) + more[1], { stamps: "Standing", spec });
    return [
      report.workloads.map((row) => [
        row.action,
        row.safety,
        row.lost?.map(({ source, keys }) => `${source.name} ${keys.join()}`),
      ]),
      report.verdict?.level,
      report.summary.lost,
    ];
  };
  const oneKey = ENV.replace(
    "envFrom: [{configMapRef: {name: env}}]",
    "env: [{name: A, valueFrom: {configMapKeyRef: {name: env, key: KEY}}}]",
  );
  const key = (name: string): string => oneKey.replace("KEY", name);
  it("leaves the running pods, and the next one cannot start", () => {
    assert.deepEqual(lost({}, { without: true }), [[["None", "Safe", ["env "]]], "attention", 1]);
  });
  it("may stick where the workload rolls, is created or scaled up", () => {
    assert.deepEqual(lost({}, { without: true, image: "web:2" }), [[["Roll", "MayStick", ["env "]]], "danger", 1]);
    assert.deepEqual(lost({}, { without: true, spec: "replicas: 3" }), [
      [["Scale", "MayStick", ["env "]]],
      "danger",
      1,
    ]);
    assert.deepEqual(lost({}, { without: true, spec: "replicas: 1" }), [[["Scale", "Safe", ["env "]]], "attention", 1]);
  });
  it("is one key where only that is gone", () => {
    const config = (data: string): string =>
      `\n---\n{apiVersion: v1, kind: ConfigMap, metadata: {name: env}, data: {${data}}}`;
    assert.deepEqual(
      lost({ without: true, pod: key("x") }, { without: true, pod: key("x") }, [config("x: a, y: b"), config("y: b")]),
      [[["None", "Safe", ["env x"]]], "attention", 1],
    );
  });
  it("is one key that is mounted by subPath, unless something else in the volume may be there", () => {
    const config = (data: string): string =>
      `\n---\n{apiVersion: v1, kind: ConfigMap, metadata: {name: env}, data: {${data}}}`;
    const losing = (pod: string): unknown =>
      lost({ without: true, pod }, { without: true, pod, image: "web:2" }, [config("x: a, y: b"), config("y: b")]);
    const roll = [[["Roll", "MayStick", ["env x"]]], "danger", 1];
    assert.deepEqual(losing(volume(", subPath: x")), roll);
    const kept = [[["Roll", "Safe", undefined]], "ok", 0];
    for (const mount of ["", ", subPath: y", ", subPath: x/z", ", subPathExpr: $(X)"])
      assert.deepEqual(losing(volume(mount)), kept);
    const projected = volume(", subPath: x").replace(
      "configMap: {name: env}",
      "projected: {sources: [{configMap: {name: env}}]}",
    );
    assert.deepEqual(losing(projected), kept);
    assert.deepEqual(losing(volume(", subPath: x").replace("name: env}", "name: env, optional: true}")), kept);
  });
  it("may be one that a generator of kustomize named, whole or a key", () => {
    const named = (name: string, pod = ENV): Given => ({
      without: true,
      pod: pod.replace("name: env", `name: ${name}`),
    });
    const config = (name: string, data = "x: a, y: b"): string =>
      `\n---\n{apiVersion: v1, kind: ConfigMap, metadata: {name: ${name}}, data: {${data}}}`;
    const [old, current] = ["env-66h9ttchm9", "env-588t4bd59b"];
    const roll = (name: string): unknown => [[["Roll", "MayStick", [name]]], "danger", 1];
    const gone = [config(old), ""] as const;
    assert.deepEqual(lost(named(old), named("env"), gone), roll("env "));
    const less = [config(old), config(current, "y: b")] as const;
    assert.deepEqual(lost(named(old, key("x")), named(current, key("x")), less), roll(`${current} x`));
    assert.deepEqual(lost(named(old, key("y")), named(current, key("y")), less), [
      [["Roll", "Safe", undefined]],
      "ok",
      0,
    ]);
    const plain = [config(old), config("env", "y: b")] as const;
    assert.deepEqual(lost(named(old, key("x")), named("env", key("x")), plain), roll("env x"));
    // It never named the generated one.
    assert.deepEqual(lost(named("env"), named("env"), less), [[], "ok", 0]);
    const moved = [config(old), config(current)] as const;
    assert.deepEqual(lost(named(old), named("env"), moved), roll("env "));
  });
  it("is lost also where stamps leave it out", () => {
    const roll = (name: string): unknown => [[["Roll", "MayStick", [name]]], "danger", 1];
    const metadata = ", annotations: {rollstamp.dev/exclude: configmap/env}";
    const gone = { metadata, without: true, image: "web:2" } as const;
    assert.deepEqual(lost({ metadata }, gone), roll("env "));
    const { findings } = workload(plan({ metadata }, gone), "web");
    assert.deepEqual(
      findings.map(({ id, cause }) => `${id} ${cause}`),
      ["RS001 missing"],
    );
    const secret = (data: string): string =>
      `\n---\n{apiVersion: v1, kind: Secret, metadata: {name: db}, stringData: {${data}}}`;
    const pod = ENV.replace("configMapRef: {name: env", "secretRef: {name: db");
    const ignore = { secrets: "Ignore" } as const;
    assert.deepEqual(lost({ pod }, { pod, image: "web:2" }, [secret("x: a"), ""], ignore), roll("db "));
    const keyed = ENV.replace(
      "envFrom: [{configMapRef: {name: env}}]",
      "env: [{name: A, valueFrom: {secretKeyRef: {name: db, key: x}}}]",
    );
    const less = [secret("x: a, y: b"), secret("y: b")] as const;
    assert.deepEqual(lost({ pod: keyed }, { pod: keyed, image: "web:2" }, less, ignore), roll("db x"));
  });
  it("is lost for the next run of a CronJob, and may stick where a workload is created", () => {
    const job = (source: boolean): string =>
      `{apiVersion: batch/v1, kind: CronJob, metadata: {name: web}, spec: {jobTemplate: {spec: {template: {spec: {${ENV.replace("IMAGE", "web:1")}}}}}}}` +
      (source ? "\n---\n{apiVersion: v1, kind: ConfigMap, metadata: {name: env}, data: {x: a}}" : "");
    const lostOf = (base: string, head: string): unknown => {
      const { workloads, verdict, summary } = planned(base, head, { stamps: "Standing" });
      return [
        workloads.map((row) => [row.action, row.safety, row.lost?.map(({ source }) => source.name)]),
        verdict?.level,
        summary.lost,
      ];
    };
    assert.deepEqual(lostOf(job(true), job(false)), [[["None", "Safe", ["env"]]], "attention", 1]);
    const image = job(false).replace("web:1", "web:2");
    assert.notEqual(image, job(false));
    assert.deepEqual(lostOf(job(true), image), [[["NextRun", "Safe", ["env"]]], "attention", 1]);
    const source = "{apiVersion: v1, kind: ConfigMap, metadata: {name: env}, data: {x: a}}";
    assert.deepEqual(lostOf(source, side({ without: true })), [[["Create", "MayStick", ["env"]]], "danger", 1]);
  });
  const MAKERS: readonly (readonly [string, string, boolean])[] = [
    ["a SealedSecret", "bitnami.com/v1alpha1, kind: SealedSecret, METADATA, spec: {encryptedData: {x: AgB}}", true],
    [
      "one that does not own it",
      'bitnami.com/v1alpha1, kind: SealedSecret, METADATA, spec: {encryptedData: {x: AgB}, template: {metadata: {annotations: {sealedsecrets.bitnami.com/skip-set-owner-references: "true"}}}}',
      false,
    ],
    [
      "an ExternalSecret",
      "external-secrets.io/v1, kind: ExternalSecret, METADATA, spec: {dataFrom: [{extract: {key: db}}]}",
      true,
    ],
    [
      "one with creationPolicy Orphan",
      "external-secrets.io/v1, kind: ExternalSecret, METADATA, spec: {target: {creationPolicy: Orphan}, dataFrom: [{extract: {key: db}}]}",
      false,
    ],
    [
      "a ClusterExternalSecret",
      "external-secrets.io/v1, kind: ClusterExternalSecret, METADATA, spec: {externalSecretSpec: {dataFrom: [{extract: {key: db}}]}}",
      true,
    ],
    [
      "a VaultStaticSecret that creates it",
      "secrets.hashicorp.com/v1beta1, kind: VaultStaticSecret, METADATA, spec: {mount: kv, destination: {name: db, create: true}}",
      true,
    ],
    [
      "one that only writes it",
      "secrets.hashicorp.com/v1beta1, kind: VaultStaticSecret, METADATA, spec: {mount: kv, destination: {name: db}}",
      false,
    ],
    [
      "a VaultDynamicSecret that creates it",
      "secrets.hashicorp.com/v1beta1, kind: VaultDynamicSecret, METADATA, spec: {mount: db, destination: {name: db, create: true}}",
      true,
    ],
    ["a OnePasswordItem", "onepassword.com/v1, kind: OnePasswordItem, METADATA, spec: {itemPath: a}", true],
    [
      "an InfisicalSecret",
      "secrets.infisical.com/v1alpha1, kind: InfisicalSecret, METADATA, spec: {managedKubeSecretReferences: [{secretName: db}]}",
      false,
    ],
    [
      "one that owns it",
      "secrets.infisical.com/v1alpha1, kind: InfisicalSecret, METADATA, spec: {managedKubeSecretReferences: [{secretName: db, creationPolicy: Owner}]}",
      true,
    ],
    ["a Certificate", "cert-manager.io/v1, kind: Certificate, METADATA, spec: {secretName: db}", false],
    [
      "an operator that Git does not show",
      "objectbucket.io/v1alpha1, kind: ObjectBucketClaim, METADATA, spec: {bucketName: db}",
      false,
    ],
  ];
  for (const [what, maker, isGone] of MAKERS)
    it(`${isGone ? "goes" : "stays"} with what makes it: ${what}`, () => {
      const text = `\n---\n{apiVersion: ${maker.replace("METADATA", "metadata: {name: db}")}}`;
      const pod = ENV.replace("configMapRef: {name: env", "secretRef: {name: db");
      const expected = isGone ? [[["None", "Safe", ["db "]]], "attention", 1] : [[], "ok", 0];
      for (const spec of [{}, { declaredSources: false }, { optionalKinds: ["Certificate"] as const }]) {
        assert.deepEqual(lost({ pod }, { pod }, [text, ""], spec), expected);
        assert.deepEqual(
          lost({ pod }, { pod }, [text, text.replace("{x: AgB}", "{x: AgC}")], spec)
            ?.toString()
            .at(-1),
          "0",
        );
        const secret = "\n---\n{apiVersion: v1, kind: Secret, metadata: {name: db}}";
        assert.deepEqual(lost({ pod }, { pod }, [text, secret], spec)?.toString().at(-1), "0");
      }
    });
  it("is nothing if it is optional, if the base lacked it, or if something makes it", () => {
    const optional = ENV.replace("{name: env}", "{name: env, optional: true}");
    // Optional content that goes is content that changes.
    const stale = [[["Stale", "Safe", undefined]], "attention", 0];
    assert.deepEqual(lost({ pod: optional }, { pod: optional, without: true }), stale);
    assert.deepEqual(lost({ without: true }, { without: true }), [[], "ok", 0]);
  });
});
