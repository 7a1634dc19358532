import assert from "node:assert/strict";
import { describe, it } from "node:test";
import type { ApplicationStatus, PlanReport } from "../../../src/reports/plan/plan-report.ts";
import { verdictOf } from "../../../src/reports/plan/verdict.ts";
import { actions, planned, workload, type PlanSetup } from "./planned.ts";

interface Made {
  readonly name: string;
  readonly spec?: string;
  readonly metadata?: string;
  readonly kind?: string;
  readonly apiVersion?: string;
}

/** The plan of some workloads whose image changes. */
function rolling(rows: readonly Made[], setup?: PlanSetup, more: readonly [string, string] = ["", ""]): PlanReport {
  const side = (image: string, other: string): string =>
    [
      ...rows.map(
        ({ name, spec = "", metadata = "", kind = "Deployment", apiVersion = "apps/v1" }) =>
          `{apiVersion: ${apiVersion}, kind: ${kind}, metadata: {name: ${name}${metadata}}, spec: {${spec === "" ? "" : `${spec}, `}selector: {matchLabels: {app: ${name}}}, template: {metadata: {labels: {app: ${name}}}, spec: {containers: [{name: app, image: "${image}", envFrom: [{configMapRef: {name: env, optional: true}}]}]}}}}\n`,
      ),
      ...(other === "" ? [] : [other]),
    ].join("---\n");
  return planned(side("web:1", more[0]), side("web:2", more[1]), setup);
}

const FAILS: Made = { name: "a-fails", spec: "minReadySeconds: 600" };
const OUT: Made = { name: "b-out", spec: "strategy: {type: Recreate}" };
const WAITS: Made = {
  name: "d-waits",
  kind: "Rollout",
  apiVersion: "argoproj.io/v1alpha1",
  spec: "strategy: {canary: {steps: [{pause: {}}]}}",
};
const REDUCED: Made = { name: "e-reduced", spec: "replicas: 4" };
const UNKNOWN: Made = { name: "f-unknown", kind: "DaemonSet", spec: "minReadySeconds: 1" };
const SAFE: Made = { name: "g-safe", spec: "replicas: 1" };

describe("the verdict", () => {
  const CASES: readonly (readonly [string, readonly Made[], string, RegExp, PlanSetup?])[] = [
    ["nothing", [], "attention", /^Look at it first: there is no workload to compare$/u],
    ["a safe roll", [SAFE], "ok", /^Ship it: 1 workload rolls, and none has fewer pods meanwhile$/u],
    ["an outage", [SAFE, OUT], "danger", /^Don't ship it as it is: 1 workload has no pod for a while$/u],
    ["one that waits", [SAFE, WAITS], "attention", /^Look at it first: 1 rollout waits for a person$/u],
    ["fewer pods", [SAFE, REDUCED], "attention", /1 workload has fewer pods for a while/u],
    ["what Git can't tell", [SAFE, UNKNOWN], "attention", /in a way that Git can't tell/u],
    [
      "what is refused, before all others",
      [OUT, FAILS],
      "refused",
      /^Don't ship it: 1 workload fails to apply, 1 workload has no pod/u,
    ],
    ["a limit", [SAFE], "danger", /1 limit is exceeded/u, { maxPods: 0 }],
  ];
  for (const [what, rows, level, text, setup] of CASES) {
    it(`of ${what} is ${level}`, () => {
      const { verdict } = rolling(rows, setup);
      assert.equal(verdict.level, level);
      assert.match(verdict.text, text);
    });
  }

  it("of what is only created says so", () => {
    const text = `{apiVersion: apps/v1, kind: Deployment, metadata: {name: web}, spec: {template: {spec: {containers: [{name: a}]}}}}`;
    assert.deepEqual(planned("", text).verdict, {
      level: "ok",
      text: "Ship it: 1 workload changes, and no pod is replaced",
    });
    assert.equal(planned(text, text).verdict.text, "Nothing changes");
    assert.match(planned(text, "").verdict.text, /^Look at it first: 1 workload is deleted$/u);
  });

  it("counts objects that differ where no pod does: nothing rolls, and something changes", () => {
    const web = (replicas: number, more = ""): string =>
      `{apiVersion: apps/v1, kind: Deployment, metadata: {name: web${more}}, spec: {replicas: ${replicas}, template: {spec: {containers: [{name: a, image: a:1}]}}}}`;
    const service = "\n---\n{apiVersion: v1, kind: Service, metadata: {name: web}}\n";
    const text = (base: string, head: string): string => planned(base, head).verdict.text;
    assert.equal(text(web(1), web(4)), "Ship it: 1 object changes, and no pod is replaced");
    assert.equal(text(web(1), web(4) + service), "Ship it: 2 objects change, and no pod is replaced");
    assert.equal(text(web(1) + service, web(1)), "Ship it: 1 object changes, and no pod is replaced");
    // Another order, other quotes, a stamp that only was not there yet: the objects are the same.
    const stamp = ", annotations: {configmap.rollstamp.dev/a: x}";
    assert.equal(
      text(service + "---\n" + web(1), web(1).replace("name: web", "name: 'web'") + service),
      "Nothing changes",
    );
    assert.equal(text(web(1, ", annotations: {}"), web(1, stamp)), "Nothing changes");
    // What a cluster has nobody wrote.
    assert.equal(planned(web(1), web(4), { isLive: true }).verdict.text, "Nothing changes");
    const { summary } = planned(web(1), web(4).replace("a:1", "a:2") + service);
    assert.deepEqual([summary.rolls, summary.otherObjects], [1, 1]);
  });

  it("of applications that can't be rendered is danger, whatever the others do", () => {
    const judged = (report: PlanReport, ...of: readonly ApplicationStatus[]): PlanReport["verdict"] =>
      verdictOf({
        ...report,
        applications: of.map((status, i) => ({ name: `app${i}`, path: `app${i}`, kind: "Helm", status })),
      });
    assert.deepEqual(judged(rolling([SAFE]), "Changed", "Failed"), {
      level: "danger",
      text: "Don't ship it as it is: 1 application can't be rendered",
    });
    assert.match(
      judged(rolling([FAILS]), "Failed", "Failed").text,
      /^Don't ship it: .*, 2 applications can't be rendered/u,
    );
    assert.equal(judged(rolling([SAFE]), "Changed", "NotAffected").level, "ok");
    assert.deepEqual(judged(rolling([]), "NotAffected"), { level: "ok", text: "Nothing changes" });
  });

  it("says of what was not examined that it is none of it", () => {
    const notExamined = [{ path: "app.yaml", kind: "HelmRelease", reason: "it renders elsewhere" }] as const;
    assert.equal(
      verdictOf({ ...rolling([SAFE]), notExamined }).text,
      "Ship it: 1 workload rolls in what was examined, and none has fewer pods meanwhile",
    );
  });

  it("of a refused source is refused, though no workload names it", () => {
    const source = (value: string): string =>
      `{apiVersion: v1, kind: ConfigMap, metadata: {name: alone}, immutable: true, data: {A: ${value}}}`;
    assert.equal(rolling([SAFE], {}, [source("a"), source("b")]).verdict.level, "refused");
  });
});

describe("the order of a plan", () => {
  it("is what fails, the riskiest, and the identity", () => {
    const rows = [SAFE, UNKNOWN, REDUCED, WAITS, OUT, FAILS, { ...SAFE, name: "a-safe" }];
    assert.deepEqual(actions(rolling(rows)), [
      "Fail a-fails",
      "Roll b-out",
      "Roll d-waits",
      "Roll e-reduced",
      "Roll f-unknown",
      "Roll a-safe",
      "Roll g-safe",
    ]);
  });
  it("has what doesn't change at its end", () => {
    const same = `{apiVersion: apps/v1, kind: Deployment, metadata: {name: a-same}, spec: {template: {spec: {containers: [{name: a}]}}}}`;
    assert.deepEqual(actions(rolling([SAFE], { all: true }, [same, same])), ["Roll g-safe", "None a-same"]);
  });
});

describe("a rollout that can hang", () => {
  const stuck = (metadata: string, setup?: PlanSetup): PlanReport => {
    const side = (image: string): string =>
      `{apiVersion: apps/v1, kind: Deployment, metadata: {name: web${metadata}}, spec: {replicas: 2, template: {spec: {containers: [{name: app, image: "${image}", ports: [{containerPort: 80, hostPort: 80}]}]}}}}`;
    return planned(side("web:1"), side("web:2"), setup);
  };
  it("is danger", () => {
    assert.equal(workload(stuck(""), "web").safety, "MayStick");
    assert.match(stuck("").verdict.text, /^Don't ship it as it is: 1 rollout can hang half-way$/u);
  });
  it("is none for one pod, which any other node can take; that stays a caveat", () => {
    const side = (pod: string): string =>
      `{apiVersion: apps/v1, kind: Deployment, metadata: {name: web}, spec: {template: {metadata: {labels: {a: b}}, spec: {${pod}}}}}`;
    const port = (image: string): string =>
      `containers: [{name: app, image: "${image}", ports: [{containerPort: 80, hostPort: 80}]}]`;
    const apart = (image: string): string =>
      `containers: [{name: app, image: "${image}"}], affinity: {podAntiAffinity: {requiredDuringSchedulingIgnoredDuringExecution: [{topologyKey: kubernetes.io/hostname, labelSelector: {matchLabels: {a: b}}}]}}`;
    for (const pod of [port, apart]) {
      const { safety, caveats } = workload(planned(side(pod("web:1")), side(pod("web:2"))), "web");
      assert.deepEqual([safety, caveats.map(({ id }) => id)], ["Safe", ["RS015"]]);
      const pinned = (image: string): string => side(`nodeName: a, ${pod(image)}`);
      assert.equal(workload(planned(pinned("web:1"), pinned("web:2")), "web").safety, "MayStick");
    }
  });
  it("is none where somebody has said why, and the caveat stays", () => {
    const accepted = workload(stuck(', annotations: {ignore.rollstamp.dev/RS015: "a node is always free"}'), "web");
    assert.equal(accepted.safety, "Safe");
    assert.deepEqual(
      accepted.caveats.map(({ id }) => id),
      ["RS015"],
    );
    assert.equal(workload(stuck("", { levels: new Map([["RS015", "off"]]) }), "web").safety, "Safe");
  });
});

describe("the causes of a plan", () => {
  it("are told once, with what all of them cost, the most pods first", () => {
    const config = (value: string): string =>
      `{apiVersion: v1, kind: ConfigMap, metadata: {name: env}, data: {A: ${value}}}`;
    const report = rolling([REDUCED, SAFE, { name: "web", spec: "replicas: 2" }], {}, [config("a"), config("b")]);
    assert.deepEqual(report.causes, [
      { path: "spec.containers[name=app].image", workloads: 3, pods: 7 },
      { source: { kind: "ConfigMap", namespace: "default", name: "env" }, workloads: 3, pods: 7 },
    ]);
  });
});

describe("--max-pods", () => {
  it("counts as many pods as an autoscaler may make", () => {
    const scaler =
      "{apiVersion: autoscaling/v2, kind: HorizontalPodAutoscaler, metadata: {name: h}, spec: {minReplicas: 1, maxReplicas: 7, scaleTargetRef: {apiVersion: apps/v1, kind: Deployment, name: g-safe}}}";
    assert.deepEqual(rolling([SAFE], { maxPods: 7 }, [scaler, scaler]).exceeded, []);
    const { exceeded, summary } = rolling([SAFE], { maxPods: 6 }, [scaler, scaler]);
    assert.deepEqual([summary.pods, summary.podsAtMost], [1, 7]);
    assert.deepEqual(exceeded, ["7 pods are replaced, and at most 6 may be (--max-pods)"]);
  });
});

describe("a source that a reloader takes", () => {
  const side = (value: string, image = "web:1"): string =>
    `{apiVersion: v1, kind: ConfigMap, metadata: {name: conf}, data: {A: ${value}}}\n---\n` +
    `{apiVersion: apps/v1, kind: Deployment, metadata: {name: web}, spec: {template: {spec: {containers: [{name: app, image: "${image}", volumeMounts: [{name: v, mountPath: /etc/a}]}, {name: reload, image: "jimmidyson/configmap-reload:v0.9", args: [--volume-dir=/etc/a], volumeMounts: [{name: v, mountPath: /etc/a}]}], volumes: [{name: v, configMap: {name: conf}}]}}}}\n`;
  const action = (base: string, head: string, reloads: "Warn" | "Skip"): string =>
    planned(base, head, { spec: { reloads }, all: true })
      .workloads.map((row) => row.action)
      .join();

  it("reloads with reloads: Skip, and rolls with Warn", () => {
    assert.equal(action(side("a"), side("b"), "Skip"), "Reload");
    assert.equal(action(side("a"), side("b"), "Warn"), "Roll");
    assert.equal(action(side("a"), side("a"), "Skip"), "None");
    assert.equal(action(side("a"), side("b", "web:2"), "Skip"), "Roll");
  });
  it("is told with its keys, and no pod is replaced", () => {
    const report = planned(side("a"), side("b"), { spec: { reloads: "Skip" } });
    const { safety, pods, reasons, because } = workload(report, "web");
    assert.deepEqual([safety, pods, report.summary.reloads, report.verdict.level], ["Safe", 0, 1, "ok"]);
    assert.match(because ?? "", /a reloader beside the process takes it/u);
    assert.deepEqual(reasons, [
      {
        type: "Source",
        source: { kind: "ConfigMap", namespace: "default", name: "conf" },
        keys: { added: [], removed: [], changed: ["A"] },
      },
    ]);
  });
});
