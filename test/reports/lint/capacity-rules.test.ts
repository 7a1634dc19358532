import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { planned } from "../plan/planned.ts";
import { testRules, workload, type Case } from "./rule-cases.ts";

const service = (selector: string, more = ""): string =>
  `\n---\n{apiVersion: v1, kind: Service, metadata: {name: web}, spec: {selector: ${selector}${more}}}\n`;
const labelled = (labels: string, kind = "Deployment", apiVersion = "apps/v1"): string =>
  workload(kind, "replicas: 2", { template: `labels: ${labels}`, apiVersion });
const BASE = labelled("{app: web}") + service("{app: web}");
const ported = (name: string, more = ""): string =>
  workload("Deployment", "replicas: 2", {
    template: "labels: {app: web}",
    pod: `containers: [{name: app, ports: [{name: ${name}, containerPort: 8080${more}}]}]`,
  });
const sending = (target: string, name = ""): string =>
  service("{app: web}", `, ports: [{${name}port: 80, targetPort: ${target}}]`);
const quota = (hard: string, more = ""): string =>
  `\n---\n{apiVersion: v1, kind: ResourceQuota, metadata: {name: q}, spec: {hard: {${hard}}${more}}}\n`;
const range = (limit: string): string =>
  `\n---\n{apiVersion: v1, kind: LimitRange, metadata: {name: r}, spec: {limits: [{type: Container, ${limit}}]}}\n`;
const resources = (text: string, more = ""): string => `containers: [{name: app, resources: {${text}}}]${more}`;
const ONE = resources("requests: {cpu: 500m, memory: 1Gi}");
const four = (
  pod: string,
  spec = "replicas: 4\n  strategy: {rollingUpdate: {maxSurge: 1}}",
  kind = "Deployment",
): string => workload(kind, spec, { pod });
const over = (resource: string, allowed: number, needed: number): string =>
  `atRest: quota ResourceQuota q, resource ${resource}, allowed ${allowed}, needed ${needed}`;
const unset = (resource: string, kind = "Deployment"): string =>
  `unset: quota ResourceQuota q, resource ${resource}, workloads [${kind} web]`;
const rollout = (resource: string, allowed: number, needed: number, added: number): string =>
  `rollout: quota ResourceQuota q, resource ${resource}, allowed ${allowed}, needed ${needed}, workload Deployment web, added ${added}`;
const limited = (kind: string, container: string, resource: string, bound: string, ...amounts: number[]): string =>
  `${kind === "Job" ? 9 : 10}: limitRange: workload ${kind} web, container ${container}, range LimitRange r, resource ${resource}, bound ${bound}, allowed ${amounts[0] ?? ""}, set ${amounts[1] ?? ""}`;

/** A case of a container and a LimitRange; the amounts are in Gi. */
const refuses = (
  what: string,
  container: string,
  limit: string,
  [resource, bound, allowed, set]: readonly [string, string, number, number],
): Case => ({
  what,
  text: four(resources(container)) + range(limit),
  finds: [limited("Deployment", "app", resource, bound, allowed * 1024 ** 3, set * 1024 ** 3)],
});

/** A case of a pod with two such containers and a LimitRange for pods. */
const inAll = (
  what: string,
  container: string,
  limit: string,
  found?: readonly [resource: string, bound: string, allowed: number, set: number | null],
): Case => ({
  what,
  text:
    four(resources(container).replace("}]", `}, {name: b, resources: {${container}}}]`)) +
    range(limit).replace("type: Container", "type: Pod"),
  finds:
    found === undefined
      ? []
      : [
          `10: limitRange: workload Deployment web, container null, range LimitRange r, resource ${found[0]}, bound ${found[1]}, allowed ${found[2]}, set ${found[3]}`,
        ],
});

/** A case in which the line does not matter: the quota is always the second document. */
const finds = (what: string, text: string, ...found: readonly string[]): Case => {
  const line = text.split("\n").findIndex((one) => one.includes("kind: ResourceQuota")) + 1;
  return { what, text, finds: found.map((one) => `${line}: ${one}`) };
};

const CASES: Readonly<Record<string, readonly Case[]>> = {
  RS026: [
    {
      what: "labels of a template that change",
      text: labelled("{app: api}") + service("{app: web}"),
      options: { base: BASE },
      finds: [`12: noMatch: service Service web, workloads [Deployment web], labels [app=web]`],
    },
    {
      what: "a selector that changes",
      text: labelled("{app: web}") + service("{app: web, team: store}"),
      options: { base: BASE },
      finds: [`12: noMatch: service Service web, workloads [Deployment web], labels [app=web, team=store]`],
    },
    {
      what: "a selector that is removed",
      text: labelled("{app: web}") + service("{}"),
      options: { base: BASE },
      finds: [`12: noMatch: service Service web, workloads [Deployment web]`],
    },
    {
      what: "a workload that is deleted",
      text: service("{app: web}"),
      options: { base: BASE },
      finds: [`3: workloadDeleted: service Service web, workloads [Deployment web]`],
    },
    {
      what: "not a Service that selects other pods",
      text: labelled("{app: api}") + service("{app: api}"),
      options: { base: BASE },
    },
    {
      what: "not a Service that selected none",
      text: labelled("{app: web}") + service("{app: b}"),
      options: { base: labelled("{app: web}") + service("{app: a}") },
    },
    { what: "not a Service that is new", text: service("{app: web}"), options: { base: labelled("{app: web}") } },
    {
      what: "not a Service of another name",
      text: labelled("{app: web}") + service("{}", ", type: ExternalName, externalName: a.b"),
      options: { base: BASE },
    },
    {
      what: "not a Service with addresses of its own",
      text: `${labelled("{app: web}")}${service("{}")}---\n{apiVersion: discovery.k8s.io/v1, kind: EndpointSlice, metadata: {name: a, labels: {kubernetes.io/service-name: web}}}\n`,
      options: { base: BASE },
    },
    {
      what: "not pods that an unknown kind has",
      text: `${service("{app: web}")}---\n{apiVersion: example.com/v1, kind: Site, metadata: {name: a}, spec: {podLabels: {app: web}}}\n`,
      options: { base: BASE },
    },
    ...[
      "monitoring.coreos.com/v1, kind: ServiceMonitor, metadata: {name: a}, spec: {selector: {matchLabels: {app: web}}}",
      "security.istio.io/v1, kind: AuthorizationPolicy, metadata: {name: a}, spec: {selector: {matchLabels: {app: web}}}",
      "networking.istio.io/v1, kind: DestinationRule, metadata: {name: a}, spec: {subsets: [{name: a, labels: {app: web}}]}",
      "example.com/v1, kind: Policy, metadata: {name: a}, spec: {from: [{matchLabels: {app: web}}], podSelector: {labels: {app: web}}}",
      "cert-manager.io/v1, kind: Certificate, metadata: {name: a}, spec: {secretTemplate: {labels: {app: web}}}",
    ].map((object) => ({
      what: `labels that select pods: ${object.slice(0, 40)}`,
      text: `${service("{app: web}")}---\n{apiVersion: ${object}}\n`,
      options: { base: BASE },
      finds: ["3: workloadDeleted: service Service web, workloads [Deployment web]"],
    })),
    {
      what: "a port of the containers that gets another name",
      text: ported("web") + sending("http"),
      options: { base: ported("http") + sending("http") },
      finds: ["12: noPort: service Service web, workloads [Deployment web], port http"],
    },
    {
      what: "a name of a port that no container has",
      text: ported("http") + sending("htpp"),
      options: { base: ported("http") + sending("8080") },
      finds: ["12: noPort: service Service web, workloads [Deployment web], port htpp"],
    },
    {
      what: "a port of another protocol",
      text: ported("http", ", protocol: UDP") + sending("http"),
      options: { base: ported("http") + sending("http") },
      finds: ["12: noPort: service Service web, workloads [Deployment web], port http"],
    },
    {
      what: "not a port that gets the same new name on both sides",
      text: `${ported("web")}${sending("web")}`,
      options: { base: ported("http") + sending("http") },
    },
    {
      what: "not a port that a sidecar has",
      text:
        ported("a").replace(
          "containers:",
          "initContainers: [{name: b, restartPolicy: Always, ports: [{name: http, containerPort: 80}]}], containers:",
        ) + sending("http"),
      options: { base: ported("http") + sending("http") },
    },
    {
      what: "not a port that never had the name, a new one, or one that is only scraped",
      text: `${ported("web")}${sending("http")}${sending("metrics", "name: metrics, ").replace("name: web", "name: b")}`,
      options: {
        base: `${ported("web")}${sending("http")}${sending("web", "name: metrics, ").replace("name: web", "name: b")}`,
      },
    },
    {
      what: "not a headless Service",
      text: ported("web") + sending("http").replace("spec: {", "spec: {clusterIP: None, "),
      options: { base: ported("http") + sending("http").replace("spec: {", "spec: {clusterIP: None, ") },
    },
    { what: "not without a base", text: labelled("{app: api}") + service("{app: web}") },
  ],
  RS027: [
    finds("pods that need too much", four(ONE) + quota("requests.cpu: 1500m"), over("requests.cpu", 1.5, 2)),
    finds("a rollout that needs too much", four(ONE) + quota("requests.cpu: 2"), rollout("requests.cpu", 2, 2, 0.5)),
    finds(
      "the short names of requests",
      four(ONE) + quota("cpu: 1, memory: 1Gi"),
      over("cpu", 1, 2),
      over("memory", 1024 ** 3, 4 * 1024 ** 3),
    ),
    finds(
      "the number of pods",
      four(ONE) + quota("pods: 4, count/pods: 3"),
      rollout("pods", 4, 4, 1),
      over("count/pods", 3, 4),
    ),
    finds(
      "limits, which are requests too",
      four(resources("limits: {cpu: 1}")) + quota("limits.cpu: 3, requests.cpu: 3"),
      over("limits.cpu", 3, 4),
      over("requests.cpu", 3, 4),
    ),
    finds(
      "extended resources",
      four(resources("requests: {example.com/gpu: 1}")) + quota("requests.example.com/gpu: 3"),
      over("requests.example.com/gpu", 3, 4),
    ),
    finds(
      "an init container that needs more than all containers",
      four(`initContainers: [{name: i, resources: {requests: {cpu: 2}}}], ${ONE}`) + quota("requests.cpu: 7"),
      over("requests.cpu", 7, 8),
    ),
    finds(
      "a sidecar beside all containers",
      four(`initContainers: [{name: i, restartPolicy: Always, resources: {requests: {cpu: 2}}}], ${ONE}`) +
        quota("requests.cpu: 9"),
      over("requests.cpu", 9, 10),
    ),
    finds(
      "a sidecar beside the init containers that start later",
      four(
        `initContainers: [{name: s, restartPolicy: Always, resources: {requests: {cpu: 1}}}, {name: i, resources: {requests: {cpu: 2}}}], ${ONE}`,
      ) + quota("requests.cpu: 11"),
      over("requests.cpu", 11, 12),
    ),
    finds(
      "the overhead of a pod",
      four(`${ONE}, overhead: {cpu: 500m}`) + quota("requests.cpu: 3"),
      over("requests.cpu", 3, 4),
    ),
    finds(
      "the resources of a whole pod",
      four(`${ONE}, resources: {requests: {cpu: 1}}`) + quota("requests.cpu: 3"),
      over("requests.cpu", 3, 4),
    ),
    finds(
      "what a LimitRange requests",
      four("containers: [{name: app}]") + quota("requests.cpu: 3") + range("defaultRequest: {cpu: 1}"),
      over("requests.cpu", 3, 4),
    ),
    finds(
      "what a LimitRange limits",
      four("containers: [{name: app}]") + quota("limits.cpu: 3, requests.cpu: 3") + range("max: {cpu: 1}"),
      over("limits.cpu", 3, 4),
      over("requests.cpu", 3, 4),
    ),
    finds(
      "a container that sets more than a LimitRange",
      four(ONE) + quota("requests.cpu: 1") + range("default: {cpu: 2}"),
      over("requests.cpu", 1, 2),
    ),
    finds(
      "a bare Pod",
      `{apiVersion: v1, kind: Pod, metadata: {name: web}, spec: {${ONE}}}${quota("requests.cpu: 100m")}`,
      over("requests.cpu", 0.1, 0.5),
    ),
    finds(
      "a StatefulSet, which adds no pod",
      four(ONE, "replicas: 4", "StatefulSet") + quota("requests.cpu: 1"),
      over("requests.cpu", 1, 2),
    ),
    { what: "not a StatefulSet that fits", text: four(ONE, "replicas: 4", "StatefulSet") + quota("requests.cpu: 2") },
    { what: "not what fits", text: four(ONE) + quota("requests.cpu: 2500m, requests.memory: 5Gi, pods: 5") },
    {
      what: "not a rollout that stops an old pod first",
      text: four(ONE, "replicas: 4\n  strategy: {type: Recreate}") + quota("requests.cpu: 2"),
    },
    { what: "not pods of nodes", text: four(ONE, "minReadySeconds: 1", "DaemonSet") + quota("pods: 0") },
    {
      what: "not runs of Jobs",
      text: four(ONE, "parallelism: 4", "Job").replace("apps/v1", "batch/v1") + quota("pods: 0"),
    },
    {
      what: "not another namespace",
      text: four(ONE) + quota("pods: 0").replace("name: q", "name: q, namespace: other"),
    },
    finds("containers that do not set what it counts", four(ONE) + quota("limits.cpu: 9, cpu: 9"), unset("limits.cpu")),
    finds(
      "an init container of a Job that sets nothing",
      four(`initContainers: [{name: i}], ${ONE}`, "parallelism: 1", "Job").replace("apps/v1", "batch/v1") +
        quota("requests.memory: 9Gi"),
      unset("requests.memory", "Job"),
    ),
    {
      what: "not containers for which the pod or a LimitRange sets it, or that set it later",
      text:
        four("containers: [{name: app, resources: {limits: {cpu: '${cpu}'}}}], resources: {requests: {memory: 1Gi}}") +
        quota("requests.memory: 9Gi, cpu: 9, limits.memory: 9Gi") +
        range("default: {memory: 1Gi}"),
    },
    {
      what: "not other resources that containers do not set",
      text: four(ONE) + quota("requests.ephemeral-storage: 1Gi, requests.example.com/gpu: 1"),
    },
    { what: "not other entries of a quota", text: four(ONE) + quota("count/secrets: 0, requests.storage: 0") },
    refuses("a limit above the max", "limits: {memory: 2Gi}", "max: {memory: 1Gi}", ["limits.memory", "max", 1, 2]),
    refuses("a request above the max", "requests: {memory: 2Gi}", "max: {memory: 1Gi}", [
      "requests.memory",
      "max",
      1,
      2,
    ]),
    refuses("a request below the min", "requests: {memory: 1Gi}, limits: {memory: 3Gi}", "min: {memory: 2Gi}", [
      "requests.memory",
      "min",
      2,
      1,
    ]),
    refuses("a limit below the min", "limits: {memory: 1Gi}", "min: {memory: 2Gi}", ["limits.memory", "min", 2, 1]),
    refuses(
      "the strictest of several bounds",
      "limits: {memory: 4Gi}",
      "max: {memory: 3Gi}}, {type: Container, max: {memory: 2Gi}}, {type: Container, max: {memory: 3Gi}",
      ["limits.memory", "max", 2, 4],
    ),
    {
      what: "an init container and a run of a Job",
      text:
        workload("Job", "parallelism: 1", {
          pod: `initContainers: [{name: i, resources: {limits: {cpu: 2}}}], ${ONE}`,
        }).replace("apps/v1", "batch/v1") + range("max: {cpu: 1}"),
      finds: [limited("Job", "i", "limits.cpu", "max", 1, 2)],
    },
    inAll("a pod with a higher limit than the max", "limits: {cpu: 2}", "max: {cpu: 3}", ["limits.cpu", "max", 3, 4]),
    inAll("a pod with a lower request than the min", "limits: {cpu: 2}", "min: {cpu: 5}", [
      "requests.cpu",
      "min",
      5,
      4,
    ]),
    inAll("a pod without a limit", "requests: {cpu: 2}", "max: {cpu: 5}", ["limits.cpu", "max", 5, null]),
    inAll("a pod without a request", "limits: {memory: 1}", "min: {cpu: 5}", ["requests.cpu", "min", 5, null]),
    inAll("no pod within the bounds", "limits: {cpu: 2}", "max: {cpu: 4}, min: {cpu: 4}"),
    inAll("no pod with the defaults of containers", "", "max: {cpu: 4}}, {type: Container, max: {cpu: 2}"),
    inAll("no limit that is filled in later", "limits: {cpu: '${CPU}'}", "max: {cpu: 1}"),
    {
      what: "not containers within the bounds, or that set nothing, or of which a LimitRange says nothing",
      text:
        four(`${ONE.slice(0, -1)}, {name: b}, {name: c, resources: {limits: {cpu: 1}}}]`) +
        range(
          "max: {cpu: 1, memory: 1Gi}, min: {cpu: 500m, memory: 1Gi}}, {type: PersistentVolumeClaim, max: {cpu: 1m}",
        ),
    },
    {
      what: "not a LimitRange of another namespace",
      text: four(ONE) + range("max: {cpu: 1m}").replace("name: r", "name: r, namespace: b"),
    },
    {
      what: "not a kind of which an operator sets resources",
      text: four(ONE, "replicas: 4", "Widget") + range("max: {cpu: 1m}"),
    },
    finds(
      "a quota with scopes, as a note",
      four(ONE) + quota("pods: 0", ", scopes: [BestEffort]"),
      "scoped: quota ResourceQuota q",
    ),
    finds(
      "the least that an autoscaler allows",
      `${four(ONE)}${quota("requests.cpu: 900m")}---\n{apiVersion: autoscaling/v2, kind: HorizontalPodAutoscaler, metadata: {name: h}, spec: {minReplicas: 2, maxReplicas: 9, scaleTargetRef: {apiVersion: apps/v1, kind: Deployment, name: web}}}`,
      over("requests.cpu", 0.9, 1),
    ),
  ],
};
testRules(CASES);

describe("a LimitRange, in a plan", () => {
  const pods = (memory: string): string => four(resources(`limits: {memory: ${memory}}`));
  const found = (base: string, head: string): unknown => {
    const { findings, verdict, workloads } = planned(base, head);
    const all = [...findings, ...workloads.flatMap((one) => one.findings)];
    return [
      verdict?.level,
      all
        .filter(({ before, accepted }) => before !== true && accepted === undefined)
        .map(({ id, cause }) => `${id} ${cause}`),
    ];
  };
  it("that refuses pods is a review, if the change makes it so", () => {
    const refused = ["attention", ["RS027 limitRange"]];
    assert.deepEqual(
      found(pods("1Gi") + range("max: {memory: 1Gi}"), pods("2Gi") + range("max: {memory: 1Gi}")),
      refused,
    );
    assert.deepEqual(
      found(pods("2Gi") + range("max: {memory: 2Gi}"), pods("2Gi") + range("max: {memory: 1Gi}")),
      refused,
    );
    const same = pods("2Gi") + range("max: {memory: 1Gi}");
    assert.deepEqual(found(same, same.replace("image: web:1", "image: web:2")), ["ok", []]);
  });
  it("is ignored on the workload or the LimitRange", () => {
    const head = pods("2Gi") + range("max: {memory: 1Gi}");
    const note = 'annotations: {ignore.rollstamp.dev/RS027: "a webhook sets it"}, ';
    for (const name of ["kind: LimitRange, metadata: {", "metadata: {"])
      assert.deepEqual(found(pods("1Gi"), head.replace(name, name + note)), ["ok", []]);
  });
});

describe("a Service without pods, in a plan", () => {
  const levels = (head: string): string[] => {
    const { findings, verdict } = planned(BASE, head);
    return [verdict?.level ?? "", ...findings.map(({ id, cause }) => `${id} ${cause}`)];
  };
  it("is danger, and a review if its workload is deleted too", () => {
    assert.deepEqual(levels(labelled("{app: web}") + service("{app: api}")), ["danger", "RS026 noMatch"]);
    const other = labelled("{app: db}").replace("name: web", "name: db");
    assert.deepEqual(levels(other + service("{app: web}")), ["attention", "RS026 workloadDeleted"]);
    assert.deepEqual(levels(BASE), ["ok"]);
    const { verdict } = planned(ported("http") + sending("http"), ported("web") + sending("http"));
    assert.equal(verdict?.level, "danger");
  });
  it("whose pods are not here is a review if its selector changes", () => {
    const elsewhere = (selector: string): string => labelled("{app: web}") + service(selector);
    const found = (base: string, head: string): unknown => {
      const { findings, verdict } = planned(base, head);
      return [verdict?.level, findings.map(({ id }) => id)];
    };
    const db = elsewhere("{app: db, team: store}");
    const changed = elsewhere("{app: database}");
    assert.deepEqual(found(db, changed), ["attention", ["changed-selector"]]);
    assert.deepEqual(found(db, elsewhere("{team: store, app: db}")), ["ok", []]);
    assert.deepEqual(found(db, elsewhere("{}")), ["ok", []], "its addresses are not in the input");
    assert.deepEqual(found(db, elsewhere("{app: web}")), ["ok", ["RS016"]]);
    assert.deepEqual(found(db, labelled("{app: web}")), ["attention", []], "it is deleted");
    const accepted = changed.replace(
      "kind: Service, metadata: {",
      'kind: Service, metadata: {annotations: {ignore.rollstamp.dev/RS026: "an operator makes them"}, ',
    );
    assert.notEqual(accepted, changed);
    assert.deepEqual(found(db, accepted), ["ok", []]);
  });
});
