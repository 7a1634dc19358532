/** Changes of objects, each as it is applied first and then, and the field for which the API server refuses it. */

export interface RefusedChange {
  /** Empty if the object is created. */
  readonly base: string;
  readonly head: string;
  /** Undefined if the server accepts the change. */
  readonly refused?: string;
}

const ROLE = "roleRef: {apiGroup: rbac.authorization.k8s.io, kind: ClusterRole, name: view}";
const PORTS = "ports: [{port: 80}]";
const CLAIM = "accessModes: [ReadWriteOnce], resources: {requests: {storage: 2Gi}}";
const VOLUME = "capacity: {storage: 1Gi}, accessModes: [ReadWriteOnce]";

const object =
  (apiVersion: string, kind: string) =>
  (body: string): string =>
    `{apiVersion: ${apiVersion}, kind: ${kind}, metadata: {name: NAME}, ${body}}\n`;
const roleBinding = object("rbac.authorization.k8s.io/v1", "RoleBinding");
const clusterRoleBinding = object("rbac.authorization.k8s.io/v1", "ClusterRoleBinding");
const service = object("v1", "Service");
const claim = object("v1", "PersistentVolumeClaim");
const volume = object("v1", "PersistentVolume");
const storageClass = object("storage.k8s.io/v1", "StorageClass");
const ingressClass = object("networking.k8s.io/v1", "IngressClass");
const priorityClass = object("scheduling.k8s.io/v1", "PriorityClass");
const runtimeClass = object("node.k8s.io/v1", "RuntimeClass");
const csiDriver = object("storage.k8s.io/v1", "CSIDriver");
const quota = object("v1", "ResourceQuota");
const slice = object("discovery.k8s.io/v1", "EndpointSlice");

const deviceTemplate = object("resource.k8s.io/v1", "ResourceClaimTemplate");
const deviceClaim = object("resource.k8s.io/v1", "ResourceClaim");
const gpus = (count: number): string =>
  `{devices: {requests: [{name: gpu, exactly: {deviceClassName: gpu.example.com, count: ${count}}}]}}`;

const scaler = (numbers: string): string =>
  object(
    "autoscaling/v2",
    "HorizontalPodAutoscaler",
  )(`spec: {scaleTargetRef: {apiVersion: apps/v1, kind: Deployment, name: a}, ${numbers}}`);
const budget = (numbers: string): string =>
  object("policy/v1", "PodDisruptionBudget")(`spec: {selector: {matchLabels: {a: b}}, ${numbers}}`);
const definition = (scope: string, kind: string): string =>
  object(
    "apiextensions.k8s.io/v1",
    "CustomResourceDefinition",
  )(
    `spec: {group: example.com, scope: ${scope}, names: {plural: NAME, kind: ${kind}}, versions: [{name: v1, served: true, storage: true, schema: {openAPIV3Schema: {type: object}}}]}`,
  ).replace("{name: NAME}", "{name: NAME.example.com}");

const ingress = (path: string): string =>
  object("networking.k8s.io/v1", "Ingress")(`spec: {rules: [{http: {paths: [${path}]}}]}`);
const policy = (spec: string): string =>
  object("networking.k8s.io/v1", "NetworkPolicy")(`spec: {podSelector: {}, ${spec}}`);

/** What objects of a kind have beside their name. */
const BODIES: Readonly<Record<string, string>> = {
  NetworkPolicy: "spec: {podSelector: {}}",
  PodDisruptionBudget: "spec: {minAvailable: 1, selector: {matchLabels: {a: b}}}",
  Service: `spec: {${PORTS}}`,
};

type Row = readonly [name: string, base: string, head: string, refused?: string | undefined];

const ROWS: readonly Row[] = [
  ["a ConfigMap with a space in a key", "", object("v1", "ConfigMap")("data: {a b: c}"), "data"],
  [
    "a ConfigMap that gets two dots as a key",
    object("v1", "ConfigMap")("data: {a: c}"),
    object("v1", "ConfigMap")("data: {a: c, ..b: c}"),
    "data",
  ],
  [
    "a ConfigMap that gets binary data with a slash",
    object("v1", "ConfigMap")("data: {a: c}"),
    object("v1", "ConfigMap")("data: {a: c}, binaryData: {a/b: YQ==}"),
    "binaryData",
  ],
  ["a ConfigMap with unusual keys", "", object("v1", "ConfigMap")("data: {.a: c, a..b: c, _-: c}")],
  [
    "a Secret with a line of a private key as its key",
    "",
    object("v1", "Secret")('stringData: {"MIIE+/x": ""}'),
    "stringData",
  ],
  ["a Secret with a long key", "", object("v1", "Secret")(`data: {${"a".repeat(254)}: YQ==}`), "data"],
  ["another role", roleBinding(ROLE), roleBinding(ROLE.replace("view", "edit")), "roleRef.name"],
  ["another cluster role", clusterRoleBinding(ROLE), clusterRoleBinding(ROLE.replace("view", "edit")), "roleRef.name"],
  ["a role's default group", roleBinding(ROLE), roleBinding("roleRef: {kind: ClusterRole, name: view}")],
  [
    "another subject of a role",
    roleBinding(ROLE),
    roleBinding(`${ROLE}, subjects: [{kind: ServiceAccount, name: a, namespace: b}]`),
  ],

  [
    "a new binding of an account in any namespace",
    "",
    clusterRoleBinding(`${ROLE}, subjects: [{kind: ServiceAccount, name: a}]`),
    "subjects",
  ],
  [
    "a binding of one more account in any namespace",
    clusterRoleBinding(`${ROLE}, subjects: [{kind: ServiceAccount, name: a, namespace: b}]`),
    clusterRoleBinding(
      `${ROLE}, subjects: [{kind: ServiceAccount, name: a, namespace: b}, {kind: ServiceAccount, name: c}]`,
    ),
    "subjects",
  ],
  [
    "a new binding of accounts and others",
    "",
    clusterRoleBinding(
      `${ROLE}, subjects: [{kind: ServiceAccount, name: a, namespace: b}, {kind: Group, apiGroup: rbac.authorization.k8s.io, name: c}]`,
    ),
  ],
  [
    "a new binding of an account of its namespace",
    "",
    roleBinding(`${ROLE}, subjects: [{kind: ServiceAccount, name: a}]`),
  ],

  [
    "a Service that becomes headless",
    service(`spec: {${PORTS}}`),
    service(`spec: {clusterIP: None, ${PORTS}}`),
    "spec.clusterIP",
  ],
  [
    "a Service with another address",
    service(`spec: {clusterIP: 10.0.0.41, ${PORTS}}`),
    service(`spec: {clusterIP: 10.0.0.42, ${PORTS}}`),
    "spec.clusterIP",
  ],
  [
    "a headless Service with an address",
    service(`spec: {clusterIP: None, ${PORTS}}`),
    service(`spec: {clusterIP: 10.0.0.43, ${PORTS}}`),
    "spec.clusterIP",
  ],
  [
    "an address that is no longer written",
    service(`spec: {clusterIP: 10.0.0.44, ${PORTS}}`),
    service(`spec: {${PORTS}}`),
  ],
  [
    "a Service that is no longer written as headless",
    service(`spec: {clusterIP: None, ${PORTS}}`),
    service(`spec: {${PORTS}}`),
  ],
  ["a Service with other ports", service(`spec: {${PORTS}}`), service("spec: {ports: [{port: 81}]}")],
  [
    "a headless Service that becomes an external name",
    service(`spec: {clusterIP: None, ${PORTS}}`),
    service("spec: {type: ExternalName, externalName: a.example}"),
  ],
  [
    "an external name that becomes headless",
    service("spec: {type: ExternalName, externalName: a.example}"),
    service(`spec: {clusterIP: None, ${PORTS}}`),
  ],
  [
    "another family",
    service(`spec: {ipFamilies: [IPv4], ${PORTS}}`),
    service(`spec: {ipFamilies: [IPv6], ${PORTS}}`),
    "spec.ipFamilies",
  ],
  [
    "another load balancer",
    service(`spec: {type: LoadBalancer, loadBalancerClass: a.example/one, ${PORTS}}`),
    service(`spec: {type: LoadBalancer, loadBalancerClass: a.example/two, ${PORTS}}`),
    "spec.loadBalancerClass",
  ],
  [
    "a load balancer that is no longer written",
    service(`spec: {type: LoadBalancer, loadBalancerClass: a.example/one, ${PORTS}}`),
    service(`spec: {type: LoadBalancer, ${PORTS}}`),
    "spec.loadBalancerClass",
  ],
  [
    "a Service that is no longer a load balancer",
    service(`spec: {type: LoadBalancer, loadBalancerClass: a.example/one, ${PORTS}}`),
    service(`spec: {${PORTS}}`),
  ],

  [
    "a claim that grows",
    claim(`spec: {storageClassName: grows, ${CLAIM}}`),
    claim(`spec: {storageClassName: grows, ${CLAIM.replace("2Gi", "3Gi")}}`),
  ],
  [
    "a claim that shrinks",
    claim(`spec: {${CLAIM}}`),
    claim(`spec: {${CLAIM.replace("2Gi", "1Gi")}}`),
    "spec.resources.requests.storage",
  ],
  ["a claim's size in other words", claim(`spec: {${CLAIM}}`), claim(`spec: {${CLAIM.replace("2Gi", "2048Mi")}}`)],
  [
    "a claim of another class",
    claim(`spec: {storageClassName: a, ${CLAIM}}`),
    claim(`spec: {storageClassName: b, ${CLAIM}}`),
    "spec.storageClassName",
  ],
  [
    "a claim whose class goes",
    claim(`spec: {storageClassName: a, ${CLAIM}}`),
    claim(`spec: {${CLAIM}}`),
    "spec.storageClassName",
  ],
  ["a claim that gets a class", claim(`spec: {${CLAIM}}`), claim(`spec: {storageClassName: a, ${CLAIM}}`)],
  [
    "a claim with other access modes",
    claim(`spec: {${CLAIM}}`),
    claim(`spec: {${CLAIM.replace("Once", "Many")}}`),
    "spec.accessModes",
  ],
  ["a claim's default mode", claim(`spec: {${CLAIM}}`), claim(`spec: {volumeMode: Filesystem, ${CLAIM}}`)],
  [
    "a claim of another mode",
    claim(`spec: {${CLAIM}}`),
    claim(`spec: {volumeMode: Block, ${CLAIM}}`),
    "spec.volumeMode",
  ],
  ["a claim that names its volume", claim(`spec: {${CLAIM}}`), claim(`spec: {volumeName: a, ${CLAIM}}`)],
  [
    "a claim of another volume",
    claim(`spec: {volumeName: a, ${CLAIM}}`),
    claim(`spec: {volumeName: b, ${CLAIM}}`),
    "spec.volumeName",
  ],
  ["a claim whose volume goes", claim(`spec: {volumeName: a, ${CLAIM}}`), claim(`spec: {${CLAIM}}`), "spec.volumeName"],
  [
    "a claim with another selector",
    claim(`spec: {selector: {matchLabels: {a: b}}, ${CLAIM}}`),
    claim(`spec: {selector: {matchLabels: {a: c}}, ${CLAIM}}`),
    "spec.selector",
  ],
  [
    "a claim that gets a selector",
    claim(`spec: {${CLAIM}}`),
    claim(`spec: {selector: {matchLabels: {a: c}}, ${CLAIM}}`),
    "spec.selector",
  ],
  [
    "a claim of another source",
    claim(`spec: {dataSource: {kind: PersistentVolumeClaim, name: a}, ${CLAIM}}`),
    claim(`spec: {dataSource: {kind: PersistentVolumeClaim, name: b}, ${CLAIM}}`),
    "spec.dataSource",
  ],
  [
    "a claim's labels",
    claim(`spec: {${CLAIM}}`),
    claim(`spec: {${CLAIM}}`).replace("name: NAME", "name: NAME, labels: {a: b}"),
  ],

  [
    "a volume at another place",
    volume(`spec: {${VOLUME}, nfs: {server: a, path: /a}}`),
    volume(`spec: {${VOLUME}, nfs: {server: a, path: /b}}`),
    "spec.nfs",
  ],
  [
    "a volume of another kind",
    volume(`spec: {${VOLUME}, nfs: {server: a, path: /a}}`),
    volume(`spec: {${VOLUME}, hostPath: {path: /b}}`),
    "spec.hostPath",
  ],
  [
    "a volume of another mode",
    volume(`spec: {${VOLUME}, nfs: {server: a, path: /a}}`),
    volume(`spec: {${VOLUME}, volumeMode: Block, nfs: {server: a, path: /a}}`),
    "spec.volumeMode",
  ],
  [
    "a larger volume",
    volume(`spec: {${VOLUME}, nfs: {server: a, path: /a}}`),
    volume(`spec: {${VOLUME.replace("1Gi", "2Gi")}, nfs: {server: a, path: /a}}`),
  ],
  [
    "a volume that stays",
    volume(`spec: {${VOLUME}, nfs: {server: a, path: /a}}`),
    volume(`spec: {${VOLUME}, persistentVolumeReclaimPolicy: Retain, mountOptions: [a], nfs: {server: a, path: /a}}`),
  ],
  [
    "a volume's written default",
    volume(`spec: {${VOLUME}, nfs: {server: a, path: /a}}`),
    volume(`spec: {${VOLUME}, nfs: {server: a, path: /a, readOnly: false}}`),
  ],
  [
    "a CSI volume with another handle",
    volume(`spec: {${VOLUME}, csi: {driver: a, volumeHandle: b}}`),
    volume(`spec: {${VOLUME}, csi: {driver: a, volumeHandle: c}}`),
    "spec.csi",
  ],
  [
    "a CSI volume that gets a Secret to grow",
    volume(`spec: {${VOLUME}, csi: {driver: a, volumeHandle: b}}`),
    volume(`spec: {${VOLUME}, csi: {driver: a, volumeHandle: b, controllerExpandSecretRef: {name: a, namespace: b}}}`),
  ],

  [
    "a storage class's parameters",
    storageClass("provisioner: a.example, parameters: {a: b}"),
    storageClass("provisioner: a.example, parameters: {a: c}"),
    "parameters",
  ],
  [
    "a storage class's new parameters",
    storageClass("provisioner: a.example"),
    storageClass("provisioner: a.example, parameters: {a: c}"),
    "parameters",
  ],
  [
    "a storage class of another provisioner",
    storageClass("provisioner: a.example"),
    storageClass("provisioner: b.example"),
    "provisioner",
  ],
  [
    "a storage class that retains",
    storageClass("provisioner: a.example"),
    storageClass("provisioner: a.example, reclaimPolicy: Retain"),
    "reclaimPolicy",
  ],
  [
    "a storage class's default policy",
    storageClass("provisioner: a.example"),
    storageClass("provisioner: a.example, reclaimPolicy: Delete, volumeBindingMode: Immediate"),
  ],
  [
    "a storage class that binds later",
    storageClass("provisioner: a.example"),
    storageClass("provisioner: a.example, volumeBindingMode: WaitForFirstConsumer"),
    "volumeBindingMode",
  ],
  [
    "a storage class that lets volumes grow",
    storageClass("provisioner: a.example"),
    storageClass("provisioner: a.example, allowVolumeExpansion: true, mountOptions: [a]"),
  ],
  [
    "a storage class of some zones",
    storageClass("provisioner: a.example"),
    storageClass("provisioner: a.example, allowedTopologies: [{matchLabelExpressions: [{key: zone, values: [a]}]}]"),
  ],
  [
    "an ingress class of another controller",
    ingressClass("spec: {controller: a.example/a}"),
    ingressClass("spec: {controller: a.example/b}"),
    "spec.controller",
  ],
  ["another value of a priority", priorityClass("value: 1"), priorityClass("value: 2"), "value"],
  [
    "a priority that never preempts",
    priorityClass("value: 1"),
    priorityClass("value: 1, preemptionPolicy: Never"),
    "preemptionPolicy",
  ],
  [
    "a priority's default policy",
    priorityClass("value: 1"),
    priorityClass("value: 1, preemptionPolicy: PreemptLowerPriority, description: a"),
  ],
  ["another handler of a runtime", runtimeClass("handler: a"), runtimeClass("handler: b"), "handler"],
  [
    "a driver that attaches nothing",
    csiDriver("spec: {podInfoOnMount: true}"),
    csiDriver("spec: {podInfoOnMount: true, attachRequired: false}"),
    "spec.attachRequired",
  ],
  [
    "a driver's defaults",
    csiDriver("spec: {podInfoOnMount: true}"),
    csiDriver("spec: {podInfoOnMount: false, attachRequired: true, volumeLifecycleModes: [Persistent]}"),
  ],
  [
    "a driver's lifecycle modes",
    csiDriver("spec: {podInfoOnMount: true}"),
    csiDriver("spec: {podInfoOnMount: true, volumeLifecycleModes: [Ephemeral]}"),
    "spec.volumeLifecycleModes",
  ],
  [
    "a driver's policy for groups",
    csiDriver("spec: {fsGroupPolicy: None}"),
    csiDriver("spec: {fsGroupPolicy: File, storageCapacity: true}"),
  ],
  [
    "a quota's scopes",
    quota("spec: {hard: {pods: 1}, scopes: [BestEffort]}"),
    quota("spec: {hard: {pods: 1}, scopes: [NotBestEffort]}"),
    "spec.scopes",
  ],
  ["a quota's numbers", quota("spec: {hard: {pods: 1}}"), quota("spec: {hard: {pods: 2}}")],
  [
    "a slice's type",
    slice("addressType: IPv4, endpoints: []"),
    slice("addressType: IPv6, endpoints: []"),
    "addressType",
  ],
  [
    "a template for devices",
    deviceTemplate(`spec: {spec: ${gpus(1)}}`),
    deviceTemplate(`spec: {spec: ${gpus(2)}}`),
    "spec",
  ],
  ["a claim of devices", deviceClaim(`spec: ${gpus(1)}`), deviceClaim(`spec: ${gpus(2)}`), "spec"],
  ["the scope of a kind", definition("Namespaced", "Scoped"), definition("Cluster", "Scoped"), "spec.scope"],
  ["the name of a kind", definition("Namespaced", "First"), definition("Namespaced", "Second"), "spec.names.kind"],
  ["the short names of a kind", definition("Namespaced", "Short"), definition("Namespaced", "Short, shortNames: [sh]")],
  [
    "an autoscaler with a maximum below its minimum",
    scaler("minReplicas: 2, maxReplicas: 3"),
    scaler("minReplicas: 4, maxReplicas: 3"),
    "spec.maxReplicas",
  ],
  [
    "an autoscaler with a minimum of 0",
    scaler("minReplicas: 2, maxReplicas: 3"),
    scaler("minReplicas: 0, maxReplicas: 3"),
    "spec.minReplicas",
  ],
  [
    "a new autoscaler with a maximum below its minimum",
    "",
    scaler("minReplicas: 4, maxReplicas: 3"),
    "spec.maxReplicas",
  ],
  ["a new autoscaler with a minimum of 0", "", scaler("minReplicas: 0, maxReplicas: 3"), "spec.minReplicas"],
  ["a new budget with both numbers", "", budget("minAvailable: 1, maxUnavailable: 1"), "spec"],
  ["a new claim", "", claim(`spec: {storageClassName: a, ${CLAIM}}`)],
  ["a budget with both numbers", budget("minAvailable: 1"), budget("minAvailable: 1, maxUnavailable: 1"), "spec"],
  ["a budget with the other number", budget("minAvailable: 1"), budget("maxUnavailable: 1")],
  [
    "a definition without its stored version",
    definition("Namespaced", "Stored"),
    definition("Namespaced", "Stored").replace("name: v1", "name: v2"),
    "spec.versions",
  ],
  [
    "a definition that stores another version",
    definition("Namespaced", "Restored"),
    definition("Namespaced", "Restored").replace(
      "[{name: v1, served: true, storage: true,",
      "[{name: v2, served: true, storage: true, schema: {openAPIV3Schema: {type: object}}}, {name: v1, served: true, storage: false,",
    ),
  ],
  [
    "a port without a name beside another one",
    service(`spec: {${PORTS}}`),
    service("spec: {ports: [{name: a, port: 80}, {port: 81}]}"),
    "spec.ports",
  ],
  [
    "a port with a name beside another one",
    service(`spec: {${PORTS}}`),
    service("spec: {ports: [{name: a, port: 80}, {name: b, port: 81}]}"),
  ],
  ["ports of one number", "", service("spec: {ports: [{name: a, port: 80}, {name: b, port: 80}]}"), "spec.ports"],
  [
    "ports of one number with two protocols",
    "",
    service("spec: {ports: [{name: a, port: 80}, {name: b, port: 80, protocol: UDP}]}"),
  ],
  [
    "a misspelt field of a Service",
    service(`spec: {${PORTS}}`),
    service("spec: {ports: [{port: 80, targetport: 81}]}"),
    "spec.ports[0].targetport",
  ],
  [
    "a target port in quotes",
    service(`spec: {${PORTS}}`),
    service("spec: {ports: [{port: 80, targetPort: '81'}]}"),
    "spec.ports[0].targetPort",
  ],
  ["a type in lower case", service(`spec: {${PORTS}}`), service(`spec: {type: nodePort, ${PORTS}}`), "spec.type"],
  [
    "a selector as in a Deployment",
    service(`spec: {${PORTS}}`),
    service(`spec: {selector: {matchLabels: {a: b}}, ${PORTS}}`),
    "spec.selector.matchLabels",
  ],
  [
    "a selector with a space",
    service(`spec: {${PORTS}}`),
    service(`spec: {selector: {a: b c}, ${PORTS}}`),
    "spec.selector.a",
  ],
  [
    "a label with a +",
    service(`spec: {${PORTS}}`),
    service(`spec: {${PORTS}}`).replace("name: NAME", "name: NAME, labels: {version: 1.2.3+4}"),
    "metadata.labels.version",
  ],
  [
    "an unknown unit of a claim",
    "",
    claim(`spec: {${CLAIM.replace("2Gi", "2GB")}}`),
    "spec.resources.requests.storage",
  ],
  [
    "a path without a type",
    "",
    ingress("{path: /, backend: {service: {name: a, port: {number: 80}}}}"),
    "spec.rules[0].http.paths[0].pathType",
  ],
  [
    "a type of a path in lower case",
    "",
    ingress("{path: /, pathType: prefix, backend: {service: {name: a, port: {number: 80}}}}"),
    "spec.rules[0].http.paths[0].pathType",
  ],
  [
    "a backend of an old version",
    "",
    ingress("{path: /, pathType: Prefix, backend: {serviceName: a, servicePort: 80}}"),
    "spec.rules[0].http.paths[0].backend.serviceName",
  ],
  ["a path", "", ingress("{path: /, pathType: Prefix, backend: {service: {name: a, port: {number: 80}}}}")],
  [
    "a policy for an address without a prefix",
    "",
    policy("egress: [{to: [{ipBlock: {cidr: 10.0.0.0}}]}]"),
    "spec.egress[0].to[0].ipBlock.cidr",
  ],
  ["a type of a policy in lower case", "", policy("policyTypes: [ingress]"), "spec.policyTypes[0]"],
  [
    "a policy",
    "",
    policy("policyTypes: [Ingress], egress: [{to: [{ipBlock: {cidr: 10.0.0.0/8}}], ports: [{port: http}]}]"),
  ],
  [
    "a rule without verbs",
    "",
    object("rbac.authorization.k8s.io/v1", "Role")("rules: [{apiGroups: [''], resources: [pods]}]"),
    "rules[0].verbs",
  ],
  ...(
    [
      ["v1", "ConfigMap", "a_b", true],
      ["v1", "Secret", "appSecret", true],
      ["v1", "ServiceAccount", "a.b-0"],
      ["v1", "ServiceAccount", "-a", true],
      ["v1", "Service", "a.b", true],
      ["networking.k8s.io/v1", "NetworkPolicy", "a..b", true],
      ["rbac.authorization.k8s.io/v1", "Role", "a_b:C"],
      ["policy/v1", "PodDisruptionBudget", "a_b"],
    ] as const
  ).map(([apiVersion, kind, name, isRefused]): Row => [
    `a ${kind} with the name ${name}`,
    "",
    object(apiVersion, kind)(BODIES[kind] ?? "").replace("NAME", name),
    isRefused && "metadata.name",
  ]),
  ...(
    [
      ["labels", "my team", true],
      ["labels", "a/b/c", true],
      ["labels", "Example.com/a", true],
      ["labels", "a:b", true],
      ["labels", "a".repeat(64), true],
      ["labels", "example.com/A_b.c"],
      ["annotations", "a b", true],
      ["annotations", "/a", true],
      ["annotations", "Example.com/a"],
    ] as const
  ).map(([field, key, isRefused]): Row => [
    `${field} with the key ${key}`,
    service(`spec: {${PORTS}}`),
    service(`spec: {${PORTS}}`).replace("name: NAME", `name: NAME, ${field}: {"${key}": c}`),
    isRefused && `metadata.${field}`,
  ]),
  [
    "a Service of an external name without the name",
    service(`spec: {${PORTS}}`),
    service(`spec: {type: ExternalName, ${PORTS}}`),
    "spec.externalName",
  ],
  ["a Service of an external name", "", service("spec: {type: ExternalName, externalName: a.example.com}")],
  ["a target port of 0", "", service("spec: {ports: [{port: 80, targetPort: 0}]}")],
  ["a new autoscaler without a maximum", "", scaler("minReplicas: 2"), "spec.maxReplicas"],
  ["a maximum that goes", scaler("maxReplicas: 3"), scaler("minReplicas: 1"), "spec.maxReplicas"],
  ["a maximum of 0", scaler("maxReplicas: 3"), scaler("maxReplicas: 0"), "spec.maxReplicas"],
  [
    "a metric of the first version",
    scaler("maxReplicas: 3"),
    scaler("maxReplicas: 3, targetCPUUtilizationPercentage: 80"),
    "spec.targetCPUUtilizationPercentage",
  ],
  ["a budget above 100 %", budget("minAvailable: 50%"), budget("minAvailable: 101%"), "spec.minAvailable"],
  ["a budget in quotes", "", budget("maxUnavailable: '1'"), "spec.maxUnavailable"],
  ["a budget of 90 %", budget("minAvailable: 50%"), budget("minAvailable: 90%")],
  [
    "a relative path",
    "",
    ingress("{path: a, pathType: Prefix, backend: {service: {name: a, port: {number: 80}}}}"),
    "spec.rules[0].http.paths[0].path",
  ],
  [
    "a path with an expression",
    "",
    ingress("{path: /a(/|$)(.*), pathType: ImplementationSpecific, backend: {service: {name: a, port: {number: 80}}}}"),
  ],
  [
    "a host with a scheme",
    "",
    object("networking.k8s.io/v1", "Ingress")("spec: {rules: [{host: 'https://a.example.com'}]}"),
    "spec.rules[0].host",
  ],
  [
    "a host with a port",
    "",
    object("networking.k8s.io/v1", "Ingress")("spec: {rules: [{host: 'a.example.com:8080'}]}"),
    "spec.rules[0].host",
  ],
  [
    "a host that is an address",
    "",
    object("networking.k8s.io/v1", "Ingress")("spec: {rules: [{host: 10.0.0.1}]}"),
    "spec.rules[0].host",
  ],
  [
    "a host that is too long",
    "",
    object("networking.k8s.io/v1", "Ingress")(`spec: {rules: [{host: ${"a.".repeat(127)}example}]}`),
    "spec.rules[0].host",
  ],
  ["any host below a name", "", object("networking.k8s.io/v1", "Ingress")("spec: {rules: [{host: '*.example.com'}]}")],
  ["an autoscaler with one number", scaler("maxReplicas: 3"), scaler("minReplicas: 3, maxReplicas: 3")],
];

/** By name; `NAME` is the name of the object. */
export const REFUSED_CHANGES: Readonly<Record<string, RefusedChange>> = Object.fromEntries(
  ROWS.map(([name, base, head, refused]) => [name, { base, head, ...(refused === undefined ? {} : { refused }) }]),
);
