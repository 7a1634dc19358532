import assert from "node:assert/strict";
import { describe, it } from "node:test";
import type { PlanReport } from "../../../src/reports/plan/plan-report.ts";
import type { ApplicationStatus } from "../../../src/reports/plan/planned-application.ts";
import { verdictOf } from "../../../src/reports/plan/verdict.ts";
import { actions, planned, workload, type PlanSetup } from "./planned.ts";

interface Made {
  readonly name: string;
  readonly spec?: string;
  readonly metadata?: string;
  readonly kind?: string;
  readonly apiVersion?: string;
}

const NO_OTHERS = ["", ""] as const;

/** The plan of some workloads whose image changes. */
function rolling(rows: readonly Made[], setup?: PlanSetup, more: readonly [string, string] = NO_OTHERS): PlanReport {
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
const SERVICE = "{apiVersion: v1, kind: Service, metadata: {name: out}, spec: {selector: {app: b-out}}}";
const WAITS: Made = {
  name: "d-waits",
  kind: "Rollout",
  apiVersion: "argoproj.io/v1alpha1",
  spec: "strategy: {canary: {steps: [{pause: {}}]}}",
};
const REDUCED: Made = { name: "e-reduced", spec: "replicas: 4, strategy: {rollingUpdate: {maxUnavailable: 2}}" };
const UNKNOWN: Made = {
  name: "f-unknown",
  kind: "DaemonSet",
  spec: "updateStrategy: {rollingUpdate: {maxUnavailable: 10%}}",
};
const SAFE: Made = { name: "g-safe", spec: "replicas: 1" };

/** What decides a verdict. */
function decides({ verdict }: Pick<PlanReport, "verdict">): string {
  if (verdict === null) return "nothing";
  const { level, because } = verdict;
  const named =
    because.id === "row" && because.row.subject.is === "workload" ? [because.row.subject.workload.name] : [];
  const what = because.id === "row" ? [because.row.label, ...named].join(" ") : because.id;
  return `${level}: ${what}`;
}

describe("the verdict", () => {
  const CASES: readonly (readonly [string, readonly Made[], string, PlanSetup?, string?])[] = [
    ["nothing", [], "attention: no-workload"],
    ["a safe rollout", [SAFE], "ok: rolls g-safe"],
    ["an outage of what a Service selects", [SAFE, OUT], "danger: outage b-out", {}, SERVICE],
    ["an outage of what nothing sends traffic to", [SAFE, OUT], "attention: outage b-out"],
    ["one that waits", [SAFE, WAITS], "attention: waits d-waits"],
    ["fewer pods", [SAFE, REDUCED], "attention: reduced e-reduced"],
    ["what Git can't know", [SAFE, UNKNOWN], "attention: unknown f-unknown"],
    ["what is refused, before all others", [OUT, FAILS], "refused: refused a-fails"],
    ["a limit", [SAFE], "danger: limit", { maxPods: 0 }],
  ];
  for (const [what, rows, expected, setup, other = ""] of CASES)
    it(`of ${what} is ${expected}`, () => assert.equal(decides(rolling(rows, setup, [other, other])), expected));

  it("of what is only created or unchanged is ok, and of what is deleted is not", () => {
    const text = `{apiVersion: apps/v1, kind: Deployment, metadata: {name: web}, spec: {template: {spec: {containers: [{name: a}]}}}}`;
    assert.equal(decides(planned("", text)), "ok: no-rollouts");
    assert.equal(decides(planned(text, text)), "ok: no-rollouts");
    assert.equal(decides(planned(text, text.replace("web", "api"))), "attention: deleted web");
    assert.equal(decides(planned(text, "")), "danger: deleted web");
  });

  it("counts objects that change without changing a pod", () => {
    const web = (replicas: number, more = ""): string =>
      `{apiVersion: apps/v1, kind: Deployment, metadata: {name: web${more}}, spec: {replicas: ${replicas}, template: {spec: {containers: [{name: a, image: a:1}]}}}}`;
    const service = "\n---\n{apiVersion: v1, kind: Service, metadata: {name: web}}\n";
    const count = (base: string, head: string): number => planned(base, head).summary.otherObjects;
    assert.equal(count(web(1), web(4)), 0, "a row of its own");
    assert.equal(count(web(1), web(1, ", labels: {a: b}")), 1);
    assert.equal(count(web(1), web(4) + service), 1);
    assert.equal(count(web(1) + service, web(1)), 1);
    // Another order, other quotes, a stamp that was missing: the objects are the same.
    const stamp = ", annotations: {configmap.rollstamp.dev/a: x}";
    assert.equal(count(service + "---\n" + web(1), web(1).replace("name: web", "name: 'web'") + service), 0);
    assert.equal(count(web(1, ", annotations: {}"), web(1, stamp)), 0);
    // What a cluster adds is in no manifest.
    assert.equal(planned(web(1), web(4), { isLive: true }).summary.otherObjects, 0);
    const { summary } = planned(web(1), web(4).replace("a:1", "a:2") + service);
    assert.deepEqual([summary.rolls, summary.otherObjects], [1, 1]);
  });

  it("of applications that can't be rendered is danger, whatever the others do", () => {
    const judged = (report: PlanReport, ...statuses: readonly ApplicationStatus[]): string =>
      decides({
        verdict: verdictOf({
          ...report,
          applications: statuses.map((status, i) => ({
            name: `app${i}`,
            path: `app${i}`,
            kind: "Helm",
            stampedBy: "Nothing",
            status,
          })),
        }),
      });
    assert.equal(judged(rolling([SAFE]), "Changed", "Failed"), "danger: failed");
    assert.equal(judged(rolling([FAILS]), "Failed", "Failed"), "refused: refused a-fails");
    assert.equal(judged(rolling([SAFE]), "Changed", "NotAffected"), "ok: rolls g-safe");
    assert.equal(judged(rolling([]), "NotAffected"), "ok: no-rollouts");
  });

  it("of a refused source is refused, although no workload names it", () => {
    const source = (value: string): string =>
      `{apiVersion: v1, kind: ConfigMap, metadata: {name: alone}, immutable: true, data: {A: ${value}}}`;
    assert.equal(decides(rolling([SAFE], {}, [source("a"), source("b")])), "refused: refused");
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
    assert.equal(decides(stuck("")), "danger: may-stick web");
  });
  it("is absent for one pod, which can run on any other node; that stays a caveat", () => {
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
  it("is absent where a reason is given, and the caveat stays", () => {
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
  it("are shown once, with their total cost, most pods first", () => {
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
    assert.deepEqual(exceeded, [{ limit: "maxPods", actual: 7, allowed: 6 }]);
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
  it("is shown with its keys, and replaces no pods", () => {
    const report = planned(side("a"), side("b"), { spec: { reloads: "Skip" } });
    const { safety, pods, reasons, because } = workload(report, "web");
    assert.deepEqual([safety, pods, report.summary.reloads, report.verdict?.level], ["Safe", 0, 1, "ok"]);
    assert.deepEqual(because, { id: "reloaded" });
    assert.deepEqual(reasons, [
      {
        type: "Source",
        source: { kind: "ConfigMap", namespace: "default", name: "conf" },
        keys: { added: [], removed: [], changed: ["A"] },
      },
    ]);
  });
});
