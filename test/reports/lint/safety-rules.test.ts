import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { severityOf } from "../../../src/findings/catalogue/finding.ts";
import { lintText } from "./linted.ts";
import { deployment, testRules, workload, type Case } from "./rule-cases.ts";

// The rules about rollouts that are not as safe, or not as needed, as they look.

const claim = (modes: string, name = "data"): string =>
  `\n---\n{apiVersion: v1, kind: PersistentVolumeClaim, metadata: {name: ${name}}, spec: {accessModes: [${modes}]}}\n`;
const WITH_CLAIM =
  "containers: [{name: app, image: 'web:1'}], volumes: [{name: data, persistentVolumeClaim: {claimName: data}}]";
const deploymentOfPod = (pod: string, strategy = "replicas: 1"): string => workload("Deployment", strategy, { pod });
const HOST_PORT = "containers: [{name: app, ports: [{containerPort: 80, hostPort: 8080}]}]";
const apart = (selector: string): string =>
  `containers: [{name: app}], affinity: {podAntiAffinity: {requiredDuringSchedulingIgnoredDuringExecution: [{topologyKey: kubernetes.io/hostname, ${selector}}]}}`;
const labelled = (pod: string, spec = "replicas: 1", kind = "Deployment"): string =>
  workload(kind, spec, { pod, template: "labels: {app: web}" });
const budget = (spec: string, apiVersion = "policy/v1"): string =>
  `\n---\n{apiVersion: ${apiVersion}, kind: PodDisruptionBudget, metadata: {name: web}, spec: {${spec}, selector: {matchLabels: {app: web}}}}\n`;
const APP = "containers: [{name: app, image: 'web:1'}]";
const service = (more = "", selector = "{app: web}"): string =>
  `\n---\n{apiVersion: v1, kind: Service, metadata: {name: web}, spec: {selector: ${selector}${more}}}\n`;
const scaler = (most: number): string =>
  `\n---\n{apiVersion: autoscaling/v2, kind: HorizontalPodAutoscaler, metadata: {name: web}, spec: {scaleTargetRef: {apiVersion: apps/v1, kind: Deployment, name: web}, minReplicas: 2, maxReplicas: ${most}}}\n`;
const hook = (preStop: string, grace = ""): string =>
  deployment({ pod: `${grace}containers: [{name: app, lifecycle: {preStop: {${preStop}}}}]` });
const script = (text: string): string => `exec: {command: [/bin/sh, -c, ${JSON.stringify(text)}]}`;
const configMap = (data: string, more = ""): string =>
  `\n---\n{apiVersion: v1, kind: ConfigMap, metadata: {name: env}, data: {${data}}${more}}\n`;
const MOUNTED =
  "containers: [{name: app, volumeMounts: [{name: v, mountPath: /etc/a}]}], volumes: [{name: v, configMap: {name: env}}]";
const rollout = (strategy: string, pod = MOUNTED): string =>
  workload("Rollout", `strategy: {${strategy}}`, { pod, apiVersion: "argoproj.io/v1alpha1" });
const CANARY = "canary: {steps: [{setWeight: 20}]}";
const WATCHES = "args: [--volume-dir=/etc/a], volumeMounts: [{name: v, mountPath: /etc/a}]";
const beside = (image: string, reload = WATCHES, app = "", more = ""): string =>
  deployment({
    pod: `containers: [{name: app, volumeMounts: [{name: v, mountPath: /etc/a}]${app}}, {name: reload, image: '${image}', ${reload}}]${more}, volumes: [{name: v, configMap: {name: env}}]`,
  });
const beforeIt = (image: string, more = ""): string =>
  `, initContainers: [{name: first, image: '${image}', ${WATCHES}${more}}]`;
const users = (count: number, env: string): string =>
  Array.from(
    { length: count },
    (_, i) =>
      `\n---\n{apiVersion: apps/v1, kind: Deployment, metadata: {name: web-${i}}, spec: {template: {spec: {containers: [{name: app, ${env}}]}}}}\n`,
  ).join("");
const ALL = "envFrom: [{configMapRef: {name: env}}]";
const A = "env: [{name: A, valueFrom: {configMapKeyRef: {name: env, key: A}}}]";

const CASES: Readonly<Record<string, readonly Case[]>> = {
  RS015: [
    {
      what: "a claim of one pod, by what the defaults come to",
      text: `${deploymentOfPod(WITH_CLAIM)}${claim("ReadWriteOncePod")}`,
      finds: ["9: volume: workload Deployment web, claim data, mode ReadWriteOncePod"],
    },
    {
      what: "a claim of one node",
      text: `${deploymentOfPod(WITH_CLAIM)}${claim("ReadWriteOnce")}`,
      finds: ["9: volume: workload Deployment web, claim data, mode ReadWriteOnce"],
    },
    {
      what: "not one that several nodes can mount",
      text: `${deploymentOfPod(WITH_CLAIM)}${claim("ReadWriteOnce, ReadWriteMany")}`,
    },
    { what: "not one that is not in the input", text: deploymentOfPod(WITH_CLAIM) },
    {
      what: "not one of another namespace",
      text: `${deploymentOfPod(WITH_CLAIM)}${claim("ReadWriteOnce").replace("name: data", "name: data, namespace: b")}`,
    },
    {
      what: "not a generic ephemeral volume",
      text: deploymentOfPod(
        "containers: [{name: app}], volumes: [{name: data, ephemeral: {volumeClaimTemplate: {spec: {accessModes: [ReadWriteOnce]}}}}]",
      ),
    },
    {
      what: "not under Recreate",
      text: `${deploymentOfPod(WITH_CLAIM, "strategy: {type: Recreate}")}${claim("ReadWriteOnce")}`,
    },
    {
      what: "not where an old pod may go first",
      text: `${deploymentOfPod(WITH_CLAIM, "strategy: {rollingUpdate: {maxUnavailable: 1, maxSurge: 0}}")}${claim("ReadWriteOnce")}`,
    },
    { what: "not without pods", text: `${deploymentOfPod(WITH_CLAIM, "replicas: 0")}${claim("ReadWriteOnce")}` },
    {
      what: "not on one node, but for a claim of one pod",
      text: `${deploymentOfPod(`nodeSelector: {kubernetes.io/hostname: a}, ${WITH_CLAIM}`)}${claim("ReadWriteOnce")}`,
    },
    {
      what: "a claim of one pod on one node all the same",
      text: `${deploymentOfPod(`nodeName: a, ${WITH_CLAIM}`)}${claim("ReadWriteOncePod")}`,
      finds: ["9: volume: workload Deployment web, claim data, mode ReadWriteOncePod"],
    },
    {
      what: "a port of the node",
      text: deploymentOfPod(HOST_PORT, "replicas: 3"),
      finds: ["9: hostPort: workload Deployment web, port 8080"],
    },
    {
      what: "a port of the node of the only pod, as a matter of one more node",
      text: deploymentOfPod(HOST_PORT),
      finds: ["9: singlePodHostPort: workload Deployment web, port 8080"],
    },
    {
      what: "a port of the node that the only pod is pinned to",
      text: deploymentOfPod(`nodeSelector: {kubernetes.io/hostname: a}, ${HOST_PORT}`),
      finds: ["9: hostPort: workload Deployment web, port 8080"],
    },
    {
      what: "a port by the node's network",
      text: deploymentOfPod("hostNetwork: true, containers: [{name: app, ports: [{containerPort: 9100}]}]"),
      finds: ["9: singlePodHostPort: workload Deployment web, port 9100"],
    },
    { what: "not a port of the pod", text: deploymentOfPod("containers: [{name: app, ports: [{containerPort: 80}]}]") },
    {
      what: "not a StatefulSet, whose pods go one after another",
      text: workload("StatefulSet", "replicas: 3", { pod: HOST_PORT }),
    },
    {
      what: "a DaemonSet that surges",
      text: workload("DaemonSet", "updateStrategy: {rollingUpdate: {maxSurge: 1, maxUnavailable: 0}}", {
        pod: HOST_PORT,
      }),
      finds: ["9: surgingHostPort: workload DaemonSet web, port 8080"],
    },
    { what: "not one that does not", text: workload("DaemonSet", "minReadySeconds: 1", { pod: HOST_PORT }) },
    {
      what: "a blue-green Rollout",
      text: workload("Rollout", "strategy: {blueGreen: {activeService: a}}", {
        pod: HOST_PORT,
        apiVersion: "argoproj.io/v1alpha1",
      }),
      finds: ["9: singlePodHostPort: workload Rollout web, port 8080"],
    },
    {
      what: "anti-affinity by the pods' own labels",
      text: labelled(apart("labelSelector: {matchLabels: {app: web}}"), "replicas: 3"),
      finds: ["9: antiAffinity: workload Deployment web, topologyKey kubernetes.io/hostname"],
    },
    {
      what: "anti-affinity by an expression",
      text: labelled(apart("labelSelector: {matchExpressions: [{key: app, operator: In, values: [web]}]}")),
      finds: ["9: singlePodAntiAffinity: workload Deployment web, topologyKey kubernetes.io/hostname"],
    },
    { what: "not by others' labels", text: labelled(apart("labelSelector: {matchLabels: {app: db}}")) },
    {
      what: "not by a selector that is none",
      text: labelled(apart("labelSelector: {matchExpressions: [{key: app, operator: Near}]}")),
    },
    {
      what: "not within one revision",
      text: labelled(apart("labelSelector: {matchLabels: {app: web}}, matchLabelKeys: [pod-template-hash]")),
    },
    {
      what: "not where enough replicas remain without one pod",
      text: labelled(apart("labelSelector: {matchLabels: {app: web}}"), "replicas: 4"),
    },
  ],
  RS016: [
    {
      what: "pods behind a Service",
      text: `${labelled(APP)}${service()}`,
      finds: ["9: noProbe: workload Deployment web, services [web]"],
    },
    { what: "not without a Service", text: labelled(APP) },
    {
      what: "not behind one of another namespace",
      text: `${labelled(APP)}${service().replace("name: web", "name: web, namespace: b")}`,
    },
    { what: "not behind one of other pods", text: `${labelled(APP)}${service("", "{app: web, tier: a}")}` },
    { what: "not behind one that selects nothing by itself", text: `${labelled(APP)}${service("", "{}")}` },
    {
      what: "not behind one that doesn't wait",
      text: `${labelled(APP)}${service(", publishNotReadyAddresses: true")}`,
    },
    {
      what: "not behind one that is only scraped",
      text: `${labelled(APP)}${service(", ports: [{name: http-metrics, port: 80}]")}`,
    },
    {
      what: "not behind one whose ports a ServiceMonitor scrapes",
      text: `${labelled(APP)}${service(", ports: [{name: web, port: 80}]").replace("name: web}", "name: web, labels: {app: web}}")}---\n{apiVersion: monitoring.coreos.com/v1, kind: ServiceMonitor, metadata: {name: web}, spec: {selector: {matchLabels: {app: web}}, endpoints: [{port: web}]}}`,
    },
    {
      what: "pods behind one that has another port as well",
      text: `${labelled(APP)}${service(", ports: [{name: http-metrics, port: 80}, {name: http, port: 81}]")}`,
      finds: ["9: noProbe: workload Deployment web, services [web]"],
    },
    { what: "not behind a name", text: `${labelled(APP)}${service(", type: ExternalName")}` },
    {
      what: "not with a startup probe",
      text: `${labelled("containers: [{name: app, startupProbe: {exec: {command: [a]}}}]")}${service()}`,
    },
    {
      what: "not with a probe of one of the containers",
      text: `${labelled("containers: [{name: a}, {name: b, readinessProbe: {exec: {command: [a]}}}]")}${service()}`,
    },
    {
      what: "not with a readiness gate",
      text: `${labelled(`readinessGates: [{conditionType: a}], ${APP}`)}${service()}`,
    },
    {
      what: "not a liveness probe for one",
      text: `${labelled("containers: [{name: app, livenessProbe: {exec: {command: [a]}}}]")}${service()}`,
      finds: ["9: noProbe: workload Deployment web, services [web]"],
    },
    {
      what: "not a Job",
      text: `${workload("Job", "parallelism: 1", { apiVersion: "batch/v1", template: "labels: {app: web}" })}${service()}`,
    },
    {
      what: "several Services in one finding",
      text: `${labelled(APP)}${service()}${service().replace("name: web", "name: admin")}`,
      finds: ["9: noProbe: workload Deployment web, services [web, admin]"],
    },
  ],
  RS018: [
    {
      what: "no pod at all",
      text: budget("maxUnavailable: 0").slice(5),
      finds: ["1: fixedNumber: budget PodDisruptionBudget web, field maxUnavailable, value 0"],
    },
    {
      what: "no pod at all, as a share",
      text: budget('maxUnavailable: "0%"').slice(5),
      finds: ["1: fixedNumber: budget PodDisruptionBudget web, field maxUnavailable, value 0%"],
    },
    {
      what: "all pods, whatever they are",
      text: budget('minAvailable: "100%"').slice(5),
      finds: ["1: fixedNumber: budget PodDisruptionBudget web, field minAvailable, value 100%"],
    },
    {
      what: "the only pod",
      text: `${labelled(APP)}${budget("minAvailable: 1")}`,
      finds: ["12: allPods: budget PodDisruptionBudget web, value 1, pods 1, workloads [Deployment web]"],
    },
    {
      what: "a share that rounds up to all",
      text: `${labelled(APP, "replicas: 3")}${budget('minAvailable: "70%"')}`,
      finds: ["12: allPods: budget PodDisruptionBudget web, value 70%, pods 3, workloads [Deployment web]"],
    },
    {
      what: "not the only pod beside those of a kind that is not known",
      text: `${labelled(APP)}${budget("minAvailable: 1")}---\napiVersion: example.com/v1\nkind: Farm\nmetadata: {name: web}\nspec: {parts: [{template: {metadata: {labels: {app: web, part: b}}}}]}\n`,
    },
    {
      what: "the only pod beside others' of such a kind",
      text: `${labelled(APP)}${budget("minAvailable: 1")}---\napiVersion: example.com/v1\nkind: Farm\nmetadata: {name: web, labels: {app: web}}\nspec: {parts: [{template: {metadata: {labels: {app: other}}}}]}\n`,
      finds: ["12: allPods: budget PodDisruptionBudget web, value 1, pods 1, workloads [Deployment web]"],
    },
    { what: "not one less", text: `${labelled(APP, "replicas: 3")}${budget("minAvailable: 2")}` },
    {
      what: "pods with a second budget",
      text: `${labelled(APP, "replicas: 3")}${budget("minAvailable: 1")}${budget("maxUnavailable: 1").replace("name: web", "name: b")}`,
      finds: ["15: doubled: budget PodDisruptionBudget b, other PodDisruptionBudget web, workloads [Deployment web]"],
    },
    {
      what: "not a second budget of other pods",
      text: `${labelled(APP, "replicas: 3")}${budget("minAvailable: 1")}${budget("maxUnavailable: 1").replace("app: web", "app: api")}`,
    },
    { what: "not a share that leaves one", text: `${labelled(APP, "replicas: 4")}${budget('minAvailable: "75%"')}` },
    {
      what: "not of others' pods",
      text: `${labelled(APP).replace("app: web", "app: db")}${budget("minAvailable: 1")}`,
    },
    { what: "not what an autoscaler makes more of", text: `${labelled(APP)}${scaler(5)}${budget("minAvailable: 2")}` },
    {
      what: "what an autoscaler makes no more of",
      text: `${labelled(APP)}${scaler(2)}${budget("minAvailable: 2")}`,
      finds: ["15: allPods: budget PodDisruptionBudget web, value 2, pods 2, workloads [Deployment web]"],
    },
    {
      what: "not what KEDA scales",
      text: `${labelled(APP)}\n---\n{apiVersion: keda.sh/v1alpha1, kind: ScaledObject, metadata: {name: web}, spec: {scaleTargetRef: {name: web}}}${budget("minAvailable: 1")}`,
    },
    {
      what: "not a DaemonSet, whose pods Git doesn't count",
      text: `${labelled(APP, "minReadySeconds: 1", "DaemonSet")}${budget("minAvailable: 1")}`,
    },
    { what: "not no pods", text: `${labelled(APP, "replicas: 0")}${budget("minAvailable: 1")}` },
    {
      what: "the pods of several workloads together",
      text: `${labelled(APP)}${labelled(APP).replace("name: web", "name: api").replace(/^/u, "---")}${budget("minAvailable: 2")}`,
      finds: [
        "21: allPods: budget PodDisruptionBudget web, value 2, pods 2, workloads [Deployment web, Deployment api]",
      ],
    },
    {
      what: "not an empty selector of the old version",
      text: `${labelled(APP)}${budget("minAvailable: 1", "policy/v1beta1").replace("{matchLabels: {app: web}}", "{}")}`,
    },
    {
      what: "an empty selector, which takes all of the namespace",
      text: `${labelled(APP)}${budget("minAvailable: 1").replace("{matchLabels: {app: web}}", "{}")}`,
      finds: ["12: allPods: budget PodDisruptionBudget web, value 1, pods 1, workloads [Deployment web]"],
    },
  ],
  RS019: [
    {
      what: "a sleep of the grace period's length",
      text: hook("sleep: {seconds: 30}"),
      finds: ["9: noTimeLeft: workload Deployment web, container app, seconds 30, grace 30"],
    },
    {
      what: "one that is longer, which is refused",
      text: hook("sleep: {seconds: 31}"),
      finds: ["9: rejected: workload Deployment web, container app, seconds 31, grace 30"],
    },
    { what: "not one that leaves a second", text: hook("sleep: {seconds: 29}") },
    {
      what: "a command that sleeps",
      text: hook("exec: {command: [sleep, '45']}"),
      finds: ["9: noTimeLeft: workload Deployment web, container app, seconds 45, grace 30"],
    },
    {
      what: "minutes",
      text: hook("exec: {command: [/bin/sleep, 1m]}"),
      finds: ["9: noTimeLeft: workload Deployment web, container app, seconds 60, grace 30"],
    },
    {
      what: "a shell's sleeps in a row",
      text: hook(script("sleep 20; /app/drain && sleep 15")),
      finds: ["9: noTimeLeft: workload Deployment web, container app, seconds 35, grace 30"],
    },
    { what: "not what a loop sleeps", text: hook(script("while curl -f localhost; do sleep 40; done")) },
    { what: "not what may not be run", text: hook(script("drained || sleep 60")) },
    { what: "not what goes on beside it", text: hook(script("sleep 60 & drain")) },
    { what: "not an argument of another program", text: hook(script("drain --sleep 60")) },
    {
      what: "not with a longer grace period",
      text: hook("exec: {command: [sleep, '45']}", "terminationGracePeriodSeconds: 90, "),
    },
    {
      what: "a shorter grace period",
      text: hook("exec: {command: [sleep, '10']}", "terminationGracePeriodSeconds: 5, "),
      finds: ["9: noTimeLeft: workload Deployment web, container app, seconds 10, grace 5"],
    },
    { what: "not a hook over HTTP", text: hook("httpGet: {path: /drain, port: 80}") },
  ],
  RS020: [
    {
      what: "a wait of the default deadline",
      text: workload("Deployment", "minReadySeconds: 600"),
      finds: ["6: deadline: workload Deployment web, minReadySeconds 600, progressDeadlineSeconds 600"],
    },
    {
      what: "a shorter deadline",
      text: workload("Deployment", "minReadySeconds: 60\n  progressDeadlineSeconds: 30"),
      finds: ["6: deadline: workload Deployment web, minReadySeconds 60, progressDeadlineSeconds 30"],
    },
    {
      what: "a deadline of nothing",
      text: workload("Deployment", "progressDeadlineSeconds: 0"),
      finds: ["6: deadline: workload Deployment web, minReadySeconds 0, progressDeadlineSeconds 0"],
    },
    { what: "not one second less", text: workload("Deployment", "minReadySeconds: 599") },
    {
      what: "not a version without a deadline",
      text: workload("Deployment", "minReadySeconds: 900", { apiVersion: "extensions/v1beta1" }),
    },
    { what: "not a StatefulSet", text: workload("StatefulSet", "minReadySeconds: 900") },
  ],
  RS021: [
    {
      what: "a canary",
      text: `${rollout(CANARY)}${configMap("A: a")}`,
      finds: ["9: mounted: workload Rollout web, strategy canary, sources [ConfigMap default/env]"],
    },
    {
      what: "a blue-green one",
      text: `${rollout("blueGreen: {activeService: a}")}${configMap("A: a")}`,
      finds: ["9: mounted: workload Rollout web, strategy blue-green, sources [ConfigMap default/env]"],
    },
    {
      what: "one that runs a Deployment's template",
      text: `${deployment({ pod: MOUNTED })}---\n{apiVersion: argoproj.io/v1alpha1, kind: Rollout, metadata: {name: web}, spec: {workloadRef: {apiVersion: apps/v1, kind: Deployment, name: web}, strategy: {${CANARY}}}}${configMap("A: a")}`,
      finds: ["9: mounted: workload Deployment web, strategy canary, sources [ConfigMap default/env]"],
    },
    { what: "not a canary without steps", text: `${rollout("canary: {}")}${configMap("A: a")}` },
    { what: "not a Deployment", text: `${deployment({ pod: MOUNTED })}${configMap("A: a")}` },
    { what: "not what can't change", text: `${rollout(CANARY)}${configMap("A: a", ", immutable: true")}` },
    {
      what: "not what is read by env",
      text: `${rollout(CANARY, `containers: [{name: app, ${ALL}}]`)}${configMap("A: a")}`,
    },
    {
      what: "not what is mounted with subPath",
      text: `${rollout(CANARY, MOUNTED.replace("mountPath: /etc/a", "mountPath: /etc/a/A, subPath: A"))}${configMap("A: a")}`,
    },
    {
      what: "not what kustomize renames",
      text: `${rollout(CANARY)}${configMap("A: a").replace("name: env", "name: env, annotations: {internal.config.kubernetes.io/needsHashSuffix: enabled}")}`,
    },
    {
      what: "not what kustomize has renamed",
      text: `${rollout(CANARY)}${configMap("A: a")}`.replaceAll("name: env}", "name: env-cd7b9c545f}"),
    },
    {
      what: "what only looks renamed",
      text: `${rollout(CANARY)}${configMap("A: a")}`.replaceAll("name: env}", "name: env-6ct58987ht}"),
      finds: ["9: mounted: workload Rollout web, strategy canary, sources [ConfigMap default/env-6ct58987ht]"],
    },
  ],
  RS022: [
    {
      what: "a reloader on the volume",
      text: `${beside("ghcr.io/jimmidyson/configmap-reload:v0.15.0")}${configMap("A: a")}`,
      finds: ["9: reloads: workload Deployment web, source ConfigMap default/env, reloader reload"],
    },
    {
      what: "Prometheus' own",
      text: `${beside("quay.io/prometheus-operator/prometheus-config-reloader@sha256:ab")}${configMap("A: a")}`,
      finds: ["9: reloads: workload Deployment web, source ConfigMap default/env, reloader reload"],
    },
    { what: "not another program", text: `${beside("example/configmap-reload-docs:1")}${configMap("A: a")}` },
    {
      what: "not on another volume",
      text: `${beside("jimmidyson/configmap-reload:v1", "args: [--volume-dir=/etc/a], volumeMounts: []")}${configMap("A: a")}`,
    },
    {
      what: "not what is read by env too",
      text: `${beside("jimmidyson/configmap-reload:v1", undefined, `, ${ALL}`)}${configMap("A: a")}`,
    },
    {
      what: "not with subPath",
      text: `${beside("jimmidyson/configmap-reload:v1").replace("mountPath: /etc/a", "mountPath: /etc/a/A, subPath: A")}${configMap("A: a")}`,
    },
    {
      what: "a path below it, and one of two arguments",
      text: `${beside("jimmidyson/configmap-reload:v1", WATCHES.replace("=/etc/a", ", /etc/a/A.yaml"))}${configMap("A: a")}`,
      finds: ["9: reloads: workload Deployment web, source ConfigMap default/env, reloader reload"],
    },
    {
      what: "not a folder that it does not watch",
      text: `${beside("jimmidyson/configmap-reload:v1", WATCHES.replace("=/etc/a", "=/etc/a-b"))}${configMap("A: a")}`,
    },
    {
      what: "one that is an init container and stays",
      text: `${beside("example/app:1", "volumeMounts: []", "", beforeIt("jimmidyson/configmap-reload:v1", ", restartPolicy: Always"))}${configMap("A: a")}`,
      finds: ["9: reloads: workload Deployment web, source ConfigMap default/env, reloader first"],
    },
    {
      what: "not one that runs once",
      text: `${beside("example/app:1", "volumeMounts: []", "", beforeIt("jimmidyson/configmap-reload:v1"))}${configMap("A: a")}`,
    },
    {
      what: "one with its like before it",
      text: `${beside("jimmidyson/configmap-reload:v1", undefined, "", beforeIt("jimmidyson/configmap-reload:v1"))}${configMap("A: a")}`,
      finds: ["9: reloads: workload Deployment web, source ConfigMap default/env, reloader reload"],
    },
    {
      what: "not where another reads it before",
      text: `${beside("jimmidyson/configmap-reload:v1", undefined, "", beforeIt("example/render:1"))}${configMap("A: a")}`,
    },
    {
      what: "not where two processes read it and only one is notified",
      text: `${beside("jimmidyson/configmap-reload:v1", undefined, "", beforeIt("example/app:1", ", restartPolicy: Always"))}${configMap("A: a")}`,
    },
    { what: "not what isn't in the input", text: beside("jimmidyson/configmap-reload:v1") },
  ],
  RS023: [
    {
      what: "Flux's, with a default",
      text: `${users(1, ALL)}${configMap('A: "${DOMAIN:=example.com}"')}`,
      finds: ["6: content: source ConfigMap env, keys [A]"],
    },
    {
      what: "argocd-vault-plugin's, in a file too",
      text: `${users(1, ALL)}${configMap('A: "a: 1\\nb: <path:secret/data/db#password>\\n"')}`,
      finds: ["6: content: source ConfigMap env, keys [A]"],
    },
    {
      what: "one of a name",
      text: users(1, "envFrom: [{secretRef: {name: '${NAME}-db'}}]"),
      finds: ["3: name: workload Deployment web-0, source Secret default/${NAME}-db"],
    },
    { what: "not a shell's, in a file", text: `${users(1, ALL)}${configMap('A: "#!/bin/sh\\necho ${HOME}\\n"')}` },
    { what: "not a program's own", text: `${users(1, ALL)}${configMap('A: "%{time} ${remote_addr}"')}` },
    { what: "not a key that nobody sees", text: `${users(1, A)}${configMap('A: a, B: "${DOMAIN}"')}` },
    { what: "not a source that nobody stamps", text: configMap('A: "${DOMAIN}"').slice(5) },
    {
      what: "a declaration's",
      text: `${users(1, "envFrom: [{secretRef: {name: db}}]")}\n---\n{apiVersion: external-secrets.io/v1, kind: ExternalSecret, metadata: {name: db}, spec: {dataFrom: [{extract: {key: "\${CLUSTER}/db"}}]}}`,
      finds: ["6: content: source ExternalSecret db, keys []"],
    },
  ],
};

testRules(CASES);

describe("refused changes are more severe", () => {
  it("as a hook that sleeps longer than its pod may live", () => {
    const found = (seconds: number): string[] =>
      lintText(hook(`sleep: {seconds: ${seconds}}`))
        .filter(({ id }) => id === "RS019")
        .map(severityOf);
    assert.deepEqual([found(30), found(31)], [["warning"], ["error"]]);
  });
});

describe("a budget of one pod", () => {
  it("is found with the number of its pods", () => {
    const pods = (replicas: number): unknown[] =>
      lintText(`${labelled(APP, `replicas: ${replicas}`)}${budget(`minAvailable: ${replicas}`)}`)
        .filter(({ id }) => id === "RS018")
        .map((finding) => [finding.cause, "pods" in finding.params && finding.params.pods]);
    assert.deepEqual([pods(1), pods(3)], [[["allPods", 1]], [["allPods", 3]]]);
  });
});

describe("a container that Istio puts its gateway in the place of", () => {
  it("has a readiness probe", () => {
    const gateway = "---\napiVersion: v1\nkind: Service\nmetadata: {name: s}\nspec: {selector: {app: web}}\n";
    const found = (image: string): number =>
      lintText(`${labelled(`containers: [{name: app, image: ${image}}]`)}${gateway}`).filter(({ id }) => id === "RS016")
        .length;
    assert.deepEqual([found("auto"), found("other")], [0, 1]);
  });
});

describe("why a rollout leaves no pod available", () => {
  const causes = (text: string): string[] =>
    lintText(text)
      .filter(({ id }) => id === "RS004")
      .map(({ cause }) => cause);
  const port = (pod: string): string => pod.replace("name: app", "name: app, ports: [{containerPort: 80}]");
  const POD = port(APP);
  const recreated = (pod: string): string => labelled(pod, "strategy: {type: Recreate}");
  for (const [what, text, expected] of [
    ["a volume of its own", deploymentOfPod(port(WITH_CLAIM), "strategy: {type: Recreate}"), "exclusiveVolume"],
    ["Recreate without need", recreated(POD), "recreate"],
    ["the only pod of a set", workload("StatefulSet", "replicas: 1", { pod: POD }), "singlePod"],
    [
      "all pods at once",
      deploymentOfPod(POD, 'replicas: 4\n  strategy: {rollingUpdate: {maxUnavailable: "100%"}}'),
      "allAtOnce",
    ],
    [
      "all nodes at once",
      workload("DaemonSet", 'updateStrategy: {rollingUpdate: {maxUnavailable: "100%"}}', { pod: POD }),
      "allNodes",
    ],
    [
      "the only pod, gone first",
      deploymentOfPod(POD, "replicas: 1\n  strategy: {rollingUpdate: {maxUnavailable: 1}}"),
      "strategy",
    ],
    // Who sends traffic to it: a Service; if none selects it, a probe or a port shows that it serves.
    ["nothing that sends traffic to it", recreated(APP), "noTraffic"],
    ["a Service that sends traffic to it", recreated(APP) + service(), "recreate"],
    ["a Service of other pods", recreated(APP) + service("", "{app: db}"), "noTraffic"],
    [
      "a Service also of pods that are not ready",
      recreated(APP) + service(", publishNotReadyAddresses: true"),
      "recreate",
    ],
    ["a Service of metrics", recreated(POD) + service(", ports: [{name: metrics, port: 80}]"), "noTraffic"],
    ["a probe", recreated(APP.replace("name: app", "name: app, livenessProbe: {exec: {}}")), "recreate"],
  ] as const) {
    it(what, () => {
      assert.deepEqual(causes(text), [expected]);
    });
  }
});

describe("what a reloader watches", () => {
  const text = `${beside("jimmidyson/configmap-reload:v1")}${configMap("A: a")}`;
  for (const [reloads, expected] of [
    ["Warn", ["RS022"]],
    ["Stamp", []],
    ["Skip", []],
  ] as const) {
    it(`is ${expected.length === 0 ? "not " : ""}reported with reloads: ${reloads}`, () =>
      assert.deepEqual(
        lintText(text, { spec: { reloads } })
          .map(({ id }) => id)
          .filter((id) => id === "RS022"),
        expected,
      ));
  }
  it("is looked at for keys that are missing all the same", () =>
    assert.deepEqual(
      lintText(text.replace("configMap: {name: env}", "configMap: {name: env, items: [{key: B, path: b}]}"), {
        spec: { reloads: "Skip" },
      }).filter(({ id }) => id === "RS002").length,
      1,
    ));
});
