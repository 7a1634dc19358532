import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { describeCaveat } from "../../../src/kubernetes/rollout/caveats.ts";
import { evicted } from "../../../src/kubernetes/rollout/mechanics.ts";
import { riskOf, type Risk, type RollingWorkload } from "../../../src/kubernetes/rollout/risk.ts";
import { rollsOf } from "../../../src/kubernetes/rollout/rolls.ts";
import { surroundingsOf } from "../../../src/kubernetes/rollout/surroundings.ts";
import { object, webOf } from "./input.ts";

// The caveats of a rollout, their order and content. safety.test.ts tests the same through a plan.

const ARGO = "argoproj.io/v1alpha1";
const APP = "containers: [{name: app}]";
const web = (kind: string, spec = "", pod = APP, apiVersion = kind === "Rollout" ? ARGO : "apps/v1"): string =>
  object(
    kind,
    `${spec === "" ? "" : `${spec}, `}template: {metadata: {labels: {app: web}}, spec: {${pod}}}`,
    "name: web",
    apiVersion,
  );
const canary = (fields: string): string => `replicas: 4, strategy: {canary: {${fields}}}`;
const blueGreen = (fields: string): string => `replicas: 4, strategy: {blueGreen: {${fields}}}`;
const budget = (spec: string, name = "b"): string =>
  object("PodDisruptionBudget", `${spec}, selector: {matchLabels: {app: web}}`, `name: ${name}`, "policy/v1");
const service = (name: string): string => object("Service", "selector: {app: web}", `name: ${name}`);
const hpa = (min: number, max: number, kind = "Deployment", apiVersion = "apps/v1"): string =>
  object(
    "HorizontalPodAutoscaler",
    `minReplicas: ${min}, maxReplicas: ${max}, scaleTargetRef: {apiVersion: ${apiVersion}, kind: ${kind}, name: web}`,
    "name: h",
    "autoscaling/v2",
  );
const HELD = `${APP}, volumes: [{name: data, persistentVolumeClaim: {claimName: data}}]`;
const CLAIM = object("PersistentVolumeClaim", "accessModes: [ReadWriteOncePod]", "name: data");
const AHEAD = "replicas: 4, strategy: {rollingUpdate: {maxSurge: 1, maxUnavailable: 0}}";
const SLEEPS = "{preStop: {sleep: {seconds: 30}}}";

const riskIn = (objects: readonly string[], more: Partial<RollingWorkload> = {}): Risk => {
  const { items, workloads, workload, template } = webOf(...objects);
  const surroundings = surroundingsOf(items, workloads, "default");
  const rolls = rollsOf(workload, surroundings);
  const isEvicted = more.isEvicted === true;
  return riskOf(
    {
      workload,
      template,
      rollout: isEvicted ? evicted(rolls) : rolls,
      isEvicted,
      isAccepted: () => false,
      ...more,
    },
    surroundings,
  );
};
/** `Safe: nodes, RS016`. */
const summary = ({ safety, caveats }: Risk): string => `${safety}: ${caveats.map(({ id }) => id).join(", ")}`;

describe("the caveats of a rollout", () => {
  const ROWS: Readonly<Record<string, readonly [string, string, ...(readonly string[])]>> = {
    "none of a Deployment": ["Safe: ", web("Deployment")],
    "none of what replaces no pod": [
      "Safe: ",
      web("Deployment", "replicas: 0", HELD),
      service("a"),
      budget("minAvailable: 1"),
    ],
    "a hold": ["MayStick: RS015", web("Deployment", AHEAD, HELD), CLAIM],
    "all of a DaemonSet": [
      "Unknown: nodes, RS016, RS019",
      web("DaemonSet", "", `containers: [{name: app, lifecycle: ${SLEEPS}}]`),
      service("a"),
      budget("maxUnavailable: 1"),
    ],
    "an operator's": [
      "Unknown: operator",
      web("CloneSet", "replicas: 2", APP, "apps.kruise.io/v1alpha1"),
      service("a"),
    ],
    "a scaler's": ["Reduced: autoscaled", web("Deployment"), hpa(2, 9)],
    "none of a scaler of one number": ["Safe: ", web("Deployment"), hpa(2, 2)],

    "none of a set that goes one by one": ["Reduced: ", web("StatefulSet", "replicas: 3")],
    "a feature gate's": [
      "Reduced: feature-gate",
      web("StatefulSet", "replicas: 3, updateStrategy: {rollingUpdate: {maxUnavailable: 2}}"),
    ],
    "none of one at a time": [
      "Reduced: ",
      web("StatefulSet", "replicas: 3, updateStrategy: {rollingUpdate: {maxUnavailable: 1}}"),
    ],
    "a feature gate's, by the most pods that there are": [
      "Reduced: autoscaled, feature-gate",
      web("StatefulSet", "updateStrategy: {rollingUpdate: {maxUnavailable: 30%}}"),
      hpa(3, 9, "StatefulSet"),
    ],
    "none of a Deployment of several at a time": [
      "Reduced: ",
      web("Deployment", "replicas: 9, strategy: {rollingUpdate: {maxUnavailable: 2}}"),
    ],

    "none of a canary": ["Reduced: ", web("Rollout", canary("steps: [{setWeight: 20}]"))],
    "none of a traffic router": ["Safe: ", web("Rollout", canary("trafficRouting: {}"))],
    "a traffic router's that takes the old pods away": [
      "Unknown: traffic-router",
      web("Rollout", canary("trafficRouting: {}, dynamicStableScale: true")),
    ],
    "an analysis'": ["Reduced: analysis", web("Rollout", canary("analysis: {templates: []}"))],
    "none of an analysis that is nothing": ["Reduced: ", web("Rollout", canary("analysis: null"))],
    "a step's analysis": ["Reduced: analysis", web("Rollout", canary("steps: [{setWeight: 1}, {analysis: {}}]"))],
    "a step's experiment": ["Reduced: analysis", web("Rollout", canary("steps: [{experiment: {}}]"))],
    "an analysis' before the promotion": ["Safe: analysis", web("Rollout", blueGreen("prePromotionAnalysis: {}"))],
    "an analysis' after the promotion": ["Safe: analysis", web("Rollout", blueGreen("postPromotionAnalysis: {}"))],
    "none of a Deployment with the fields of a Rollout": [
      "Reduced: ",
      web(
        "Deployment",
        "replicas: 4, strategy: {canary: {analysis: {}}, blueGreen: {autoPromotionEnabled: false, autoPromotionSeconds: 1}}",
      ),
    ],
    "none of blue and green": ["Safe: ", web("Rollout", blueGreen("activeService: a"))],
    "a late promotion's": [
      "Waits: auto-promotion",
      web("Rollout", blueGreen("autoPromotionEnabled: false, autoPromotionSeconds: 1")),
    ],
    "none of a promotion by hand": [
      "Waits: ",
      web("Rollout", blueGreen("autoPromotionEnabled: false, autoPromotionSeconds: 0")),
    ],
    "none of a promotion by hand without seconds": [
      "Waits: ",
      web("Rollout", blueGreen("autoPromotionEnabled: false")),
    ],
    "none of a promotion by itself": [
      "Safe: ",
      web("Rollout", blueGreen("autoPromotionEnabled: true, autoPromotionSeconds: 1")),
    ],
    "none of a promotion that says only its seconds": ["Safe: ", web("Rollout", blueGreen("autoPromotionSeconds: 1"))],

    "a claim that the input doesn't have": ["Safe: claim", web("Deployment", AHEAD, HELD)],
    "a Service's": ["Safe: RS016", web("Deployment"), service("a")],
    "none of a Service of pods with a probe": [
      "Safe: ",
      web("Deployment", "", "containers: [{name: app, readinessProbe: {exec: {command: [a]}}}]"),
      service("a"),
    ],
    "one hook's of two": [
      "Safe: RS019",
      web("Deployment", "", `containers: [{name: app, lifecycle: ${SLEEPS}}, {name: b, lifecycle: ${SLEEPS}}]`),
    ],
    "a budget's": ["Reduced: budget", web("Deployment", "replicas: 4"), budget("minAvailable: 4")],
    "none of a budget that the rollout meets": [
      "Reduced: ",
      web("Deployment", "replicas: 4"),
      budget("minAvailable: 3"),
    ],
    "a budget's, by the fewest pods that there are": [
      "Reduced: autoscaled, budget",
      web("Deployment", "strategy: {rollingUpdate: {maxSurge: 1, maxUnavailable: 1}}"),
      hpa(2, 9),
      budget("maxUnavailable: 0"),
    ],
  };
  for (const [what, [expected, ...objects]] of Object.entries(ROWS))
    it(`are ${what}: ${expected}`, () => assert.equal(summary(riskIn(objects)), expected));
});

describe("a caveat names", () => {
  const message = (...objects: readonly string[]): string =>
    riskIn(objects)
      .caveats.map((one) => describeCaveat(one))
      .join("\n");
  it("the Services, in the order of the input", () =>
    assert.match(message(web("Deployment"), service("b"), service("a")), /\bb, a\b/u));
  it("the first budget that is not met, and its number", () =>
    assert.match(
      message(
        web("Deployment", "replicas: 4"),
        budget("minAvailable: 3", "met"),
        budget("maxUnavailable: 0", "first"),
        budget("minAvailable: 4", "second"),
      ),
      /^PodDisruptionBudget first requires 4 available pods/u,
    ));
  it("the claim", () => assert.match(message(web("Deployment", AHEAD, HELD)), /PersistentVolumeClaim 'data'/u));
  it("the kind with an operator", () =>
    assert.match(message(web("CloneSet", "replicas: 2", APP, "apps.kruise.io/v1alpha1")), /the operator of CloneSet/u));
  it("the numbers of a scaler", () =>
    assert.match(message(web("Deployment"), hpa(2, 9)), /^HorizontalPodAutoscaler h runs 2 to 9 pods/u));
  it("the number that needs a feature gate", () =>
    assert.match(
      message(web("StatefulSet", "replicas: 3, updateStrategy: {rollingUpdate: {maxUnavailable: 2}}")),
      /^maxUnavailable 2 needs/u,
    ));
  it("the port, as the rule does", () =>
    assert.match(
      message(web("Deployment", AHEAD, "containers: [{name: app, ports: [{containerPort: 1, hostPort: 8080}]}]")),
      /host port 8080/u,
    ));
  it("the container with the hook, as the rule does", () =>
    assert.match(message(web("Deployment", "", `containers: [{name: app, lifecycle: ${SLEEPS}}]`)), /\bapp\b.*30 s/u));
});

describe("a standstill", () => {
  const objects = [web("Deployment", AHEAD, HELD), CLAIM];
  it("is only a caveat if someone has accepted it", () => {
    assert.equal(summary(riskIn(objects, { isAccepted: ({ claim }) => claim?.name === "data" })), "Safe: RS015");
    assert.equal(summary(riskIn(objects, { isAccepted: ({ claim }) => claim === undefined })), "MayStick: RS015");
  });
  it("is unknown without a pod template, like everything else that the template shows", () =>
    assert.equal(
      summary(riskIn([...objects, service("a"), budget("minAvailable: 5")], { template: undefined })),
      "Safe: ",
    ));
});

describe("a restart through evictions", () => {
  const evictions = (objects: readonly string[]): readonly [string, string] => {
    const risk = riskIn(objects, { isEvicted: true });
    return [summary(risk), risk.caveats[0] === undefined ? "" : describeCaveat(risk.caveats[0])];
  };
  const plain = web("Rollout", canary("maxUnavailable: 1, steps: [{analysis: {}}]"));
  it("has no caveat about an analysis, a promotion, traffic routing or a claim", () => {
    const none = "its pods are evicted and recreated unchanged";
    assert.deepEqual(evictions([plain]), ["Reduced: evictions", none]);
    assert.deepEqual(evictions([web("Rollout", canary("trafficRouting: {}, dynamicStableScale: true"))]), [
      "Reduced: evictions",
      none,
    ]);
    assert.deepEqual(
      evictions([web("Rollout", blueGreen("autoPromotionEnabled: false, autoPromotionSeconds: 1"), HELD)]),
      ["Reduced: evictions", none],
    );
    assert.deepEqual(evictions([web("Rollout", canary("maxUnavailable: 0"), HELD), CLAIM])[0], "Reduced: evictions");
  });
  it("has caveats about readiness and hooks", () =>
    assert.equal(
      evictions([web("Rollout", canary(""), `containers: [{name: app, lifecycle: ${SLEEPS}}]`), service("a")])[0],
      "Reduced: evictions, RS016, RS019",
    ));
  const ROWS: readonly (readonly [string, string, boolean])[] = [
    ["minAvailable: 3", "allows", false],
    ["minAvailable: 4", "allows, which is never", true],
    ["maxUnavailable: 1", "allows", false],
    ["maxUnavailable: 0", "allows, which is never", true],
  ];
  for (const [spec, words, isNever] of ROWS) {
    it(`${isNever ? "gets stuck" : "continues"} with a budget of ${spec}`, () =>
      assert.deepEqual(evictions([plain, budget(spec)]), [
        `${isNever ? "MayStick" : "Reduced"}: evictions`,
        `its pods are evicted as PodDisruptionBudget b ${words}`,
      ]));
  }
  it("gets stuck because of one of two budgets", () =>
    assert.deepEqual(evictions([plain, budget("maxUnavailable: 1", "a"), budget("maxUnavailable: 0", "b")]), [
      "MayStick: evictions",
      "its pods are evicted as PodDisruptionBudget a and PodDisruptionBudget b allow, which is never",
    ]));
});
