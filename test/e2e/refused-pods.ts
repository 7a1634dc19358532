/** Pod specs, and the field for which the API server refuses them. */

/** Pod specs in flow YAML. */
const POD = "containers: [{name: a, image: a}]";
/** The start of one whose container has more. */
const A = "containers: [{name: a, image: a";
/** A workload with a pod spec. */
const workload =
  (apiVersion: string, kind: string, more: string) =>
  (pod: string): string =>
    `{apiVersion: ${apiVersion}, kind: ${kind}, metadata: {name: NAME}, spec: {${more}, selector: {matchLabels: {a: b}}, template: {metadata: {labels: {a: b}}, spec: {${pod}}}}}\n`;
const deployment = workload("apps/v1", "Deployment", "replicas: 1");
const statefulSet = workload("apps/v1", "StatefulSet", "serviceName: a");
const daemonSet = workload("apps/v1", "DaemonSet", "minReadySeconds: 0");
const replicaSet = workload("apps/v1", "ReplicaSet", "replicas: 1");
const finite = (pod: string): string =>
  pod.replaceAll(/\[.*?\]/gu, "").includes("restartPolicy") ? pod : `restartPolicy: Never, ${pod}`;
const job = (pod: string): string =>
  `{apiVersion: batch/v1, kind: Job, metadata: {name: NAME}, spec: {template: {spec: {${finite(pod)}}}}}\n`;
const cronJob = (pod: string): string =>
  `{apiVersion: batch/v1, kind: CronJob, metadata: {name: NAME}, spec: {schedule: "@daily", jobTemplate: {spec: {template: {spec: {${finite(pod)}}}}}}}\n`;
const barePod = (pod: string): string => `{apiVersion: v1, kind: Pod, metadata: {name: NAME}, spec: {${pod}}}\n`;
type PodKind = "Deployment" | "StatefulSet" | "DaemonSet" | "ReplicaSet" | "Job" | "CronJob" | "Pod";

/** Each kind with a pod spec. */
export const POD_KINDS: Readonly<Record<PodKind, (pod: string) => string>> = {
  Deployment: deployment,
  StatefulSet: statefulSet,
  DaemonSet: daemonSet,
  ReplicaSet: replicaSet,
  Job: job,
  CronJob: cronJob,
  Pod: barePod,
};

const REPLICATED: readonly PodKind[] = ["Deployment", "StatefulSet", "DaemonSet", "ReplicaSet"];

/** Pod specs, and the field that all kinds refuse, or some; and what the pod spec was before. */
const POD_SPECS: readonly (readonly [
  name: string,
  pod: string,
  refused?: string | undefined,
  before?: string | undefined,
  kinds?: readonly string[],
])[] = [
  ["no containers", "containers: []", "containers", POD],
  ["two containers of one name", "containers: [{name: a, image: a}, {name: a, image: b}]", "containers[1].name"],
  [
    "two init containers of one name",
    `initContainers: [{name: b, image: a}, {name: b, image: b}], ${POD}`,
    "initContainers[1].name",
  ],
  [
    "an init container with the name of a container",
    `initContainers: [{name: a, image: a}], ${POD}`,
    "initContainers[0].name",
  ],
  ["a probe without a handler", `${A}, livenessProbe: {periodSeconds: 5}}]`, "containers[0].livenessProbe"],
  ["a probe of gRPC", `${A}, livenessProbe: {grpc: {port: 80}}}]`],
  [
    "a liveness probe that succeeds twice",
    `${A}, livenessProbe: {successThreshold: 2, exec: {command: [a]}}}]`,
    "containers[0].livenessProbe.successThreshold",
  ],
  ["a readiness probe that succeeds twice", `${A}, readinessProbe: {successThreshold: 2, exec: {command: [a]}}}]`],
  [
    "a probe of an init container",
    `initContainers: [{name: b, image: b, readinessProbe: {exec: {command: [a]}}}], ${POD}`,
    "initContainers[0].readinessProbe",
  ],
  [
    "a probe of a sidecar",
    `initContainers: [{name: b, image: b, restartPolicy: Always, readinessProbe: {exec: {command: [a]}}}], ${POD}`,
  ],
  [
    "a privileged container that may not escalate",
    `${A}, securityContext: {privileged: true, allowPrivilegeEscalation: false}}]`,
    "containers[0].securityContext",
  ],
  [
    "a privileged container that may escalate",
    `${A}, securityContext: {privileged: true, allowPrivilegeEscalation: true}}]`,
  ],
  [
    "an absolute subPath",
    `volumes: [{name: v, emptyDir: {}}], ${A}, volumeMounts: [{name: v, mountPath: /a, subPath: /b}]}]`,
    "containers[0].volumeMounts.subPath",
  ],
  [
    "a subPath that leads out",
    `volumes: [{name: v, emptyDir: {}}], ${A}, volumeMounts: [{name: v, mountPath: /a, subPath: b/../../c}]}]`,
    "containers[0].volumeMounts.subPath",
  ],
  ["a subPath", `volumes: [{name: v, emptyDir: {}}], ${A}, volumeMounts: [{name: v, mountPath: /a, subPath: b/c}]}]`],
  ["a device without a limit", `${A}, resources: {requests: {nvidia.com/gpu: 1}}}]`, "containers[0].resources.limits"],
  [
    "fewer devices than the limit",
    `${A}, resources: {requests: {nvidia.com/gpu: 1}, limits: {nvidia.com/gpu: 2}}}]`,
    "containers[0].resources.requests",
  ],
  ["a device with only a limit", `${A}, resources: {limits: {nvidia.com/gpu: 1}}}]`],
  ["storage without a limit", `${A}, resources: {requests: {ephemeral-storage: 1Gi}}}]`],
  [
    "a toleration of any value with a value",
    `tolerations: [{key: a, operator: Exists, value: b}], ${POD}`,
    "tolerations[0].operator",
  ],
  ["a toleration", `tolerations: [{key: a, operator: Exists}, {key: b, value: c}], ${POD}`],
  [
    "a topology spread that does not say what else",
    `topologySpreadConstraints: [{maxSkew: 1, topologyKey: zone}], ${POD}`,
    "topologySpreadConstraints[0].whenUnsatisfiable",
  ],
  [
    "a topology spread without a key",
    `topologySpreadConstraints: [{maxSkew: 1, whenUnsatisfiable: DoNotSchedule}], ${POD}`,
    "topologySpreadConstraints[0].topologyKey",
  ],
  [
    "a topology spread",
    `topologySpreadConstraints: [{maxSkew: 1, topologyKey: zone, whenUnsatisfiable: DoNotSchedule, labelSelector: {matchLabels: {a: b}}}], ${POD}`,
  ],
  ["containers that go", "volumes: []", "containers", POD],
  ["a name that goes", "containers: [{image: a}]", "containers[0].name", POD],
  ["an image that goes", "containers: [{name: a}]", "containers[0].image", POD],
  ["an empty image", "containers: [{name: a, image: ''}]", "containers[0].image"],
  [
    "an image of an init container that goes",
    `initContainers: [{name: b}], ${POD}`,
    "initContainers[0].image",
    `initContainers: [{name: b, image: a}], ${POD}`,
  ],
  [
    "mounts at one path in two containers",
    "volumes: [{name: v, emptyDir: {}}], containers: [{name: a, image: a, volumeMounts: [{name: v, mountPath: /a}]}, {name: b, image: a, volumeMounts: [{name: v, mountPath: /a}]}]",
  ],
  ["a container with an empty name", "containers: [{name: '', image: a}]", "containers[0].name"],
  ["two volumes of one name", `volumes: [{name: a, emptyDir: {}}, {name: a, emptyDir: {}}], ${POD}`, "volumes[1].name"],
  [
    "two mounts at one path",
    "volumes: [{name: v, emptyDir: {}}], containers: [{name: a, image: a, volumeMounts: [{name: v, mountPath: /a}, {name: v, mountPath: /a}]}]",
    "containers[0].volumeMounts[1].mountPath",
  ],
  [
    "two ports of one name",
    "containers: [{name: a, image: a, ports: [{name: p, containerPort: 80}, {name: p, containerPort: 81}]}]",
    "containers[0].ports[1].name",
  ],
  [
    "ports of one name in two containers",
    "containers: [{name: a, image: a, ports: [{name: p, containerPort: 80}]}, {name: b, image: a, ports: [{name: p, containerPort: 81}]}]",
  ],
  [
    "a request above its limit",
    "containers: [{name: a, image: a, resources: {requests: {memory: 2Gi, cpu: 1}, limits: {memory: 1024Mi, cpu: 1}}}]",
    "containers[0].resources.requests",
  ],
  [
    "a request above its limit in an init container",
    `initContainers: [{name: b, image: a, resources: {requests: {cpu: 1.5}, limits: {cpu: 1400m}}}], ${POD}`,
    "initContainers[0].resources.requests",
  ],
  [
    "a request that is its limit",
    "containers: [{name: a, image: a, resources: {requests: {memory: 1Gi, cpu: 1}, limits: {memory: 1024Mi, cpu: 1000m}}}]",
  ],
  ["two ports of one number", "containers: [{name: a, image: a, ports: [{containerPort: 80}, {containerPort: 80}]}]"],
  ["pods that never start again", `restartPolicy: Never, ${POD}`, "restartPolicy", undefined, REPLICATED],
  ["pods that start again after a failure", `restartPolicy: OnFailure, ${POD}`, "restartPolicy", undefined, REPLICATED],
  ["pods that always start again", `restartPolicy: Always, ${POD}`, "restartPolicy", undefined, ["Job", "CronJob"]],
  ["an unknown policy", `restartPolicy: always, ${POD}`, "restartPolicy"],
  [
    "a variable without quotes",
    "containers: [{name: a, image: a, env: [{name: A, value: 1}]}]",
    "containers[0].env[0].value",
  ],
  ["a word for true without quotes", "containers: [{name: a, image: a, args: [a, yes]}]", "containers[0].args[1]"],
  ["a label without quotes", `nodeSelector: {example.com/ssd: true}, ${POD}`, 'nodeSelector["example.com/ssd"]'],
  [
    "a port in quotes",
    "containers: [{name: a, image: a, ports: [{containerPort: '80'}]}]",
    "containers[0].ports[0].containerPort",
  ],
  ["a switch in quotes", `hostNetwork: 'false', ${POD}`, "hostNetwork"],
  [
    "a command without brackets, in no quotes",
    "containers: [{name: a, image: a, command: run}]",
    "containers[0].command",
  ],
  [
    "numbers, and texts that may be either",
    "containers: [{name: a, image: a, resources: {requests: {cpu: 1, memory: '1Gi'}}, livenessProbe: {httpGet: {port: 80}, periodSeconds: 5}}]",
  ],
  ["text in place of a list", "containers: [{name: a, image: a, command: sh -c run}]", "containers[0].command"],
  ["fields in place of a list", "containers: [{name: a, image: a, env: {A: b}}]", "containers[0].env"],
  [
    "text in place of fields",
    "containers: [{name: a, image: a, envFrom: [{configMapRef: a}]}]",
    "containers[0].envFrom[0].configMapRef",
  ],
  [
    "a fraction of a number",
    "containers: [{name: a, image: a, livenessProbe: {tcpSocket: {port: 80}, periodSeconds: 1.5}}]",
    "containers[0].livenessProbe.periodSeconds",
  ],
  ["a misspelt field", "containers: [{name: a, image: a, resourses: {}}]", "containers[0].resourses"],
  ["a field of containers", `livenessProbe: {tcpSocket: {port: 80}}, ${POD}`, "livenessProbe"],
  ["a field of containers that is null", `livenessProbe: null, ${POD}`],
  [
    "an unknown unit",
    "containers: [{name: a, image: a, resources: {limits: {memory: 512MB}}}]",
    "containers[0].resources.limits.memory",
  ],
  [
    "an unknown unit of processors",
    "containers: [{name: a, image: a, resources: {limits: {cpu: 100mi}}}]",
    "containers[0].resources.limits.cpu",
  ],
  ["spaces around an amount", "containers: [{name: a, image: a, resources: {limits: {cpu: ' 1 '}}}]"],
  [
    "an unknown resource",
    "containers: [{name: a, image: a, resources: {limits: {mem: 1Gi}}}]",
    "containers[0].resources.limits",
  ],
  [
    "resources of devices",
    "containers: [{name: a, image: a, resources: {limits: {example.com/gpu: 1, ephemeral-storage: 1Gi, hugepages-2Mi: 2Mi, memory: 1Gi}}}]",
  ],
  [
    "a policy in lower case",
    "containers: [{name: a, image: a, imagePullPolicy: always}]",
    "containers[0].imagePullPolicy",
  ],
  [
    "a protocol in lower case",
    "containers: [{name: a, image: a, ports: [{containerPort: 80, protocol: tcp}]}]",
    "containers[0].ports[0].protocol",
  ],
  [
    "an unknown effect",
    `tolerations: [{key: a, operator: Exists, effect: NoScheduling}], ${POD}`,
    "tolerations[0].effect",
  ],
  [
    "an operator in lower case",
    `affinity: {nodeAffinity: {requiredDuringSchedulingIgnoredDuringExecution: {nodeSelectorTerms: [{matchExpressions: [{key: a, operator: in, values: [b]}]}]}}}, ${POD}`,
    "affinity.nodeAffinity.requiredDuringSchedulingIgnoredDuringExecution.nodeSelectorTerms[0].matchExpressions[0].operator",
  ],
  [
    "a name of a port with more than 15 characters",
    "containers: [{name: a, image: a, ports: [{containerPort: 80, name: a-very-long-name}]}]",
    "containers[0].ports[0].name",
  ],
  ["a name of a container in capitals", "containers: [{name: Web, image: a}]", "containers[0].name"],
  ["a name of a volume with _", `volumes: [{name: a_b, emptyDir: {}}], ${POD}`, "volumes[0].name"],
  [
    "a number that is no port",
    "containers: [{name: a, image: a, ports: [{containerPort: 80800}]}]",
    "containers[0].ports[0].containerPort",
  ],
  [
    "a port of a probe in quotes",
    "containers: [{name: a, image: a, readinessProbe: {httpGet: {port: '80'}}}]",
    "containers[0].readinessProbe.httpGet.port",
  ],
  [
    "two actions of a probe",
    "containers: [{name: a, image: a, readinessProbe: {httpGet: {port: 80}, tcpSocket: {port: 80}}}]",
    "containers[0].readinessProbe.tcpSocket",
  ],
  [
    "an action of a probe that is null",
    "containers: [{name: a, image: a, readinessProbe: {httpGet: {port: 80}, tcpSocket: null}}]",
  ],
  [
    "a variable with a value and a source",
    "containers: [{name: a, image: a, env: [{name: A, value: b, valueFrom: {fieldRef: {fieldPath: metadata.name}}}]}]",
    "containers[0].env[0].valueFrom",
  ],
  [
    "a variable with an empty value and a source",
    "containers: [{name: a, image: a, env: [{name: A, value: '', valueFrom: {fieldRef: {fieldPath: metadata.name}}}]}]",
  ],
  ["a volume of two kinds", `volumes: [{name: a, emptyDir: {}, configMap: {name: a}}], ${POD}`, "volumes[0].configMap"],
  ["a variable without a name", "containers: [{name: a, image: a, env: [{value: b}]}]", "containers[0].env[0].name"],
  [
    "a mount without a path",
    "volumes: [{name: v, emptyDir: {}}], containers: [{name: a, image: a, volumeMounts: [{name: v}]}]",
    "containers[0].volumeMounts[0].mountPath",
  ],
  [
    "a mount of an unknown volume",
    "containers: [{name: a, image: a, volumeMounts: [{name: v, mountPath: /v}]}]",
    "containers[0].volumeMounts[0].name",
  ],
  ["no server of names", `dnsPolicy: None, ${POD}`, "dnsConfig"],
  ["a server of names", `dnsPolicy: None, dnsConfig: {nameservers: [10.0.0.2]}, ${POD}`],
  ["an alias of a name", `hostAliases: [{ip: db.example, hostnames: [a]}], ${POD}`, "hostAliases[0].ip"],
  ["aliases", `hostAliases: [{ip: 10.0.0.2, hostnames: [a]}, {ip: 'fd00::2', hostnames: [b]}], ${POD}`],
  [
    "a toleration that ends, of another effect",
    `tolerations: [{key: a, effect: NoSchedule, tolerationSeconds: 5}], ${POD}`,
    "tolerations[0].effect",
  ],
  [
    "a toleration that ends, of any effect",
    `tolerations: [{key: a, operator: Exists, tolerationSeconds: 5}], ${POD}`,
    "tolerations[0].effect",
  ],
  ["a toleration that ends", `tolerations: [{key: a, effect: NoExecute, tolerationSeconds: 5}], ${POD}`],
  [
    "an affinity without a key",
    `affinity: {podAntiAffinity: {requiredDuringSchedulingIgnoredDuringExecution: [{labelSelector: {matchLabels: {a: b}}}]}}, ${POD}`,
    "affinity.podAntiAffinity.requiredDuringSchedulingIgnoredDuringExecution[0].topologyKey",
  ],
  [
    "an affinity of too much weight",
    `affinity: {podAntiAffinity: {preferredDuringSchedulingIgnoredDuringExecution: [{weight: 101, podAffinityTerm: {topologyKey: a}}]}}, ${POD}`,
    "affinity.podAntiAffinity.preferredDuringSchedulingIgnoredDuringExecution[0].weight",
  ],
  [
    "a mode in digits that are not octal",
    `volumes: [{name: v, configMap: {name: a, defaultMode: 644}}], ${POD}`,
    "volumes[0].configMap.defaultMode",
  ],
  ["a mode in octal digits", `volumes: [{name: v, secret: {secretName: a, defaultMode: 0777}}], ${POD}`],
  [
    "an absolute path of a key",
    `volumes: [{name: v, configMap: {name: a, items: [{key: a, path: /b}]}}], ${POD}`,
    "volumes[0].configMap.items[0].path",
  ],
  [
    "a key without a path",
    `volumes: [{name: v, configMap: {name: a, items: [{key: a}]}}], ${POD}`,
    "volumes[0].configMap.items[0].path",
  ],
  ...[
    ["fieldRef: {fieldPath: status.hostIp}", "fieldRef.fieldPath"],
    ["fieldRef: {fieldPath: metadata.labels}", "fieldRef.fieldPath"],
    ["fieldRef: {fieldPath: podIP}", "fieldRef.fieldPath"],
    ["fieldRef: {fieldPath: 'metadata.labels[\"app\"]'}", "fieldRef.fieldPath"],
    ["fieldRef: {fieldPath: \"spec.containers['a']\"}", "fieldRef.fieldPath"],
    ["fieldRef: {apiVersion: v1, fieldPath: status.hostIPs}"],
    ["fieldRef: {fieldPath: spec.host}"],
    ["fieldRef: {fieldPath: \"metadata.labels['example.com/app']\"}"],
    ["fieldRef: {fieldPath: \"metadata.annotations['Example.com/app']\"}"],
    ["resourceFieldRef: {resource: limits.cpus}", "resourceFieldRef.resource"],
    ["resourceFieldRef: {resource: limits.example.com/gpu}", "resourceFieldRef.resource"],
    ["resourceFieldRef: {resource: requests.ephemeral-storage}"],
    ["resourceFieldRef: {resource: limits.hugepages-2Mi}"],
  ].map(
    ([source = "", refused]) =>
      [
        `a variable from ${source}`,
        `${A}, env: [{name: A, valueFrom: {${source}}}]}]`,
        refused && `containers[0].env[0].valueFrom.${refused}`,
      ] as const,
  ),
  ...[
    ["fieldRef: {fieldPath: metadata.lables}", "fieldRef.fieldPath"],
    ["fieldRef: {fieldPath: spec.nodeName}", "fieldRef.fieldPath"],
    ["fieldRef: {fieldPath: metadata.labels}"],
    ["fieldRef: {fieldPath: \"metadata.labels['app']\"}"],
    ["resourceFieldRef: {containerName: a, resource: memory}", "resourceFieldRef.resource"],
    ["resourceFieldRef: {containerName: a, resource: requests.memory}"],
  ].map(
    ([source = "", refused]) =>
      [
        `a file from ${source}`,
        `volumes: [{name: v, downwardAPI: {items: [{path: a, ${source}}]}}], ${POD}`,
        refused && `volumes[0].downwardAPI.items[0].${refused}`,
      ] as const,
  ),
  ["a name of a variable with =", `${A}, env: [{name: A=b, value: c}]}]`, "containers[0].env[0].name"],
  ["a name of a variable with other characters", `${A}, env: [{name: a.b-c, value: c}]}]`],
  ...["failureThreshold", "initialDelaySeconds", "periodSeconds", "successThreshold", "timeoutSeconds"].flatMap(
    (field) =>
      [-1, 0].map(
        (value) =>
          [
            `a probe with ${field}: ${value}`,
            `${A}, readinessProbe: {tcpSocket: {port: 80}, ${field}: ${value}}}]`,
            value < 0 ? `containers[0].readinessProbe.${field}` : undefined,
          ] as const,
      ),
  ),
  ["a name of a label with a space", `nodeSelector: {a b: c}, ${POD}`, "nodeSelector"],
  ["a deadline of pods", `activeDeadlineSeconds: 60, ${POD}`, "activeDeadlineSeconds", undefined, REPLICATED],
];

interface PodCase {
  readonly name: string;
  readonly base: string | undefined;
  readonly head: string;
  readonly refused: string | undefined;
}

/** Each pod spec in each kind. */
export const POD_CASES: readonly PodCase[] = Object.entries(POD_KINDS).flatMap(([kind, of]) =>
  POD_SPECS.map(([name, pod, refused, before, kinds]) => ({
    name: `${kind} with ${name}`,
    base: before === undefined ? undefined : of(before),
    head: of(pod),
    refused: kinds?.includes(kind) === false ? undefined : refused,
  })),
);
