import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { severityOf } from "../../../src/findings/catalogue/finding.ts";
import { type ConfigHashSpec, readOverride } from "../../../src/stamping/function/config-hash.ts";
import type { Json } from "../../../src/yaml/read/node.ts";
import { found, lintText } from "./linted.ts";
import {
  CONFIG_MAP,
  deployment,
  ENV_FROM,
  secret,
  SECRET_FROM,
  STALE,
  testRules,
  workload,
  type Case,
} from "./rule-cases.ts";

// What the rules report and ignore beyond the examples of their pages. Each case is a whole input, and
// the result: `line: message` for each finding of the rule, shortened to a part of the message.

const CREATES = `{apiVersion: rbac.authorization.k8s.io/v1, kind: Role, metadata: {name: gen}, rules: [{apiGroups: [""], resources: [secrets], verbs: [create]}]}
---
{apiVersion: rbac.authorization.k8s.io/v1, kind: RoleBinding, metadata: {name: gen}, roleRef: {kind: Role, name: gen}, subjects: [{kind: ServiceAccount, name: gen}]}`;

/** The digest of CONFIG_MAP. */
const DIGEST = "h1-c28877122163d4db582ac47021e2185e9e7dc4a9";
/** The copy of CONFIG_MAP, and a pod that names it. */
const COPY =
  "\n---\n{apiVersion: v1, kind: ConfigMap, metadata: {name: env-c288771221, labels: {rollstamp.dev/version-of: env}}, immutable: true, data: {A: a}}\n";
const COPY_FROM = ENV_FROM.replace("{name: env}", "{name: env-c288771221}");
const VERSIONED = { spec: { layout: "Versioned" } } as const;
const SERVING = "containers: [{name: app, image: 'web:1', ports: [{containerPort: 80}]}]";

/** A Deployment that is stamped, and waits. */
function waits(waiting: string, stamp: string = STALE): string {
  const template = `annotations: {configmap.rollstamp.dev/env: ${stamp}}`;
  const metadata = `annotations: {rollstamp.dev/waiting: "${waiting}"}`;
  return `${deployment({ pod: ENV_FROM, template, metadata })}${CONFIG_MAP}`;
}

const CASES: Readonly<Record<string, readonly Case[]>> = {
  RS001: [
    {
      what: "a copy that is missing, although its source is there",
      text: `${deployment({ pod: COPY_FROM })}${CONFIG_MAP}`,
      options: VERSIONED,
      finds: ["9: missing: workload Deployment web, source ConfigMap default/env-c288771221"],
    },
    { what: "not a copy", text: `${deployment({ pod: COPY_FROM })}${CONFIG_MAP}${COPY}`, options: VERSIONED },
    {
      what: "a Secret of an init container",
      text: deployment({ pod: "initContainers: [{name: i, envFrom: [{secretRef: {name: pw}}]}]" }),
      finds: ["9: missing: workload Deployment web, source Secret default/pw"],
    },
    {
      what: "a bare Pod, which is never stamped",
      text: `apiVersion: v1\nkind: Pod\nmetadata: {name: web}\nspec: {${ENV_FROM}}`,
      finds: ["4: missing: workload Pod web, source ConfigMap default/env"],
    },
    {
      what: "a Job, though jobs are not stamped",
      text: workload("Job", "parallelism: 1", { apiVersion: "batch/v1", pod: ENV_FROM }),
      finds: ["9: missing: workload Job web, source ConfigMap default/env"],
    },
    {
      what: "a workload that opted out",
      text: deployment({ pod: ENV_FROM, metadata: 'annotations: {rollstamp.dev/stamp: "false"}' }),
      finds: ["9: missing: workload Deployment web, source ConfigMap default/env"],
    },
    {
      what: "a workload that did not opt in",
      text: deployment({ pod: ENV_FROM }),
      options: { spec: { selection: "Annotated" } },
      finds: ["9: missing: workload Deployment web, source ConfigMap default/env"],
    },
    {
      what: "a source that rollstamp.dev/sources names",
      text: deployment({ metadata: "annotations: {rollstamp.dev/sources: secret/other/pw}" }),
      finds: ["4: missing: workload Deployment web, source Secret other/pw"],
    },
    {
      what: "not an optional one",
      text: deployment({ pod: "containers: [{name: a, envFrom: [{configMapRef: {name: env, optional: true}}]}]" }),
    },
    {
      what: "not one that is excluded",
      text: deployment({ pod: ENV_FROM, metadata: "annotations: {rollstamp.dev/exclude: configmap/e*}" }),
    },
    {
      what: "not one that a SealedSecret makes",
      text: `${deployment({ pod: SECRET_FROM })}---\n{apiVersion: bitnami.com/v1alpha1, kind: SealedSecret, metadata: {name: pw}, spec: {encryptedData: {a: AgB}}}`,
    },
    {
      what: "one in another namespace, and where",
      text: `${deployment({ pod: ENV_FROM, metadata: "namespace: prod" })}${CONFIG_MAP.replace("name: env", "name: env, namespace: test")}`,
      finds: ["9: wrongNamespace: workload Deployment prod/web, source ConfigMap prod/env, other ConfigMap test/env"],
    },
    {
      what: "not one that names no namespace, beside a workload that names the only one",
      text: `${deployment({ pod: ENV_FROM, metadata: "namespace: prod" })}${CONFIG_MAP}`,
    },
    {
      what: "one that names none, where somebody said which that is",
      text: `${deployment({ pod: ENV_FROM, metadata: "namespace: prod" })}${CONFIG_MAP}`,
      options: { spec: { defaultNamespace: "shop" } },
      finds: ["9: wrongNamespace: workload Deployment prod/web, source ConfigMap prod/env, other ConfigMap env"],
    },
    {
      what: "one of several users, once",
      text: ["a", "b", "c", "d", "e", "f", "g"]
        .map((name) => deployment({ pod: ENV_FROM }).replace("name: web", `name: ${name}`))
        .join("---"),
      finds: [
        "9: missing: workload Deployment a, source ConfigMap default/env, others [Deployment b, Deployment c, Deployment d, Deployment e, Deployment f, Deployment g]",
      ],
    },
    {
      what: "one, for those who do not ignore it",
      text: ["a", "b", "c"]
        .map((name) =>
          deployment({
            pod: ENV_FROM,
            metadata: name === "b" ? "" : 'annotations: {ignore.rollstamp.dev/RS001: "made by hand"}',
          }).replace("name: web", `name: ${name}`),
        )
        .join("---"),
      finds: ["18: missing: workload Deployment b, source ConfigMap default/env"],
    },
    {
      what: "a user once, however many of its containers name it",
      text: deployment({
        pod: "containers: [{name: a, envFrom: [{configMapRef: {name: env}}]}, {name: b, envFrom: [{configMapRef: {name: env}}]}]",
      }),
      finds: ["9: missing: workload Deployment web, source ConfigMap default/env"],
    },
    {
      what: "one that a Job may make, by the Job",
      text: `${deployment({ pod: SECRET_FROM })}---\n{apiVersion: batch/v1, kind: Job, metadata: {name: gen}, spec: {template: {spec: {containers: [{name: a, args: [create, --secret-name=pw]}]}}}}`,
      finds: ["9: mayBeCreated: workload Deployment web, source Secret default/pw, maker Job gen"],
    },
    {
      what: "one that a Job may make, by its permissions",
      text: `${deployment({ pod: SECRET_FROM })}---\n{apiVersion: batch/v1, kind: Job, metadata: {name: certgen}, spec: {template: {spec: {serviceAccountName: gen, containers: [{name: a}]}}}}\n---\n{apiVersion: rbac.authorization.k8s.io/v1, kind: Role, metadata: {name: gen}, rules: [{apiGroups: [""], resources: [secrets], verbs: [create]}]}\n---\n{apiVersion: rbac.authorization.k8s.io/v1, kind: RoleBinding, metadata: {name: gen}, roleRef: {kind: Role, name: gen}, subjects: [{kind: ServiceAccount, name: gen}]}`,
      finds: ["9: mayBeCreated: workload Deployment web, source Secret default/pw, maker Job certgen"],
    },
    {
      what: "one that a Job with another account can't make",
      text: `${deployment({ pod: SECRET_FROM })}---\n{apiVersion: batch/v1, kind: Job, metadata: {name: certgen}, spec: {template: {spec: {containers: [{name: a}]}}}}\n---\n{apiVersion: rbac.authorization.k8s.io/v1, kind: Role, metadata: {name: gen}, rules: [{apiGroups: [""], resources: [secrets], verbs: [create]}]}\n---\n{apiVersion: rbac.authorization.k8s.io/v1, kind: RoleBinding, metadata: {name: gen}, roleRef: {kind: Role, name: gen}, subjects: [{kind: ServiceAccount, name: gen}]}`,
      finds: ["9: missing: workload Deployment web, source Secret default/pw"],
    },
    ...[
      ["one that a Role only lets something read", "get", "missing: workload Deployment web, source Secret default/pw"],
      [
        "one that a Role lets something write",
        "patch",
        "mayBeCreated: workload Deployment web, source Secret default/pw, maker Role r",
      ],
    ].map(([what = "", verb = "", data = ""]) => ({
      what,
      text: `${deployment({ pod: SECRET_FROM })}---\n{apiVersion: rbac.authorization.k8s.io/v1, kind: Role, metadata: {name: r}, rules: [{apiGroups: [""], resources: [secrets], resourceNames: [pw], verbs: [${verb}]}]}`,
      finds: [`9: ${data}`],
    })),
    ...[
      ["a Deployment whose command names it", "containers: [{name: a, command: [gen, pw]}]", ""],
      [
        "a Deployment whose script names it",
        "containers: [{name: a}], volumes: [{name: s, configMap: {name: script}}]",
        "---\n{apiVersion: v1, kind: ConfigMap, metadata: {name: script}, data: {run.sh: kubectl create secret generic pw}}\n",
      ],
    ].map(([by = "", pod = "", more = ""]) => ({
      what: `one that ${by} may make, by its permissions`,
      text: `${deployment({ pod: SECRET_FROM })}${more}---\n{apiVersion: apps/v1, kind: Deployment, metadata: {name: maker}, spec: {template: {spec: {serviceAccountName: gen, ${pod}}}}}\n---\n${CREATES}`,
      finds: ["9: mayBeCreated: workload Deployment web, source Secret default/pw, maker Deployment maker"],
    })),
    ...["args: ['shop:pw']", "args: ['http://pw:8080']", "env: [{name: IMAGE, value: 'registry/pw:1.2'}]"].map(
      (field) => ({
        what: `one whose name is part of another word of a Deployment that may make it: ${field}`,
        text: `${deployment({ pod: SECRET_FROM })}---\n{apiVersion: apps/v1, kind: Deployment, metadata: {name: maker}, spec: {template: {spec: {serviceAccountName: gen, containers: [{name: a, ${field}}]}}}}\n---\n${CREATES}`,
        finds: ["9: missing: workload Deployment web, source Secret default/pw"],
      }),
    ),
    {
      what: "one that a Deployment of its release may make only as it may make any",
      text: `${deployment({ pod: SECRET_FROM, metadata: "labels: {release: a}" })}---\n{apiVersion: apps/v1, kind: Deployment, metadata: {name: maker, labels: {release: a}}, spec: {template: {spec: {serviceAccountName: gen, containers: [{name: a}]}}}}\n---\n${CREATES}`,
      finds: ["9: missing: workload Deployment web, source Secret default/pw"],
    },
    {
      what: "one that a Job makes which needs another that is missing",
      text: `${deployment({ pod: SECRET_FROM })}---\n{apiVersion: batch/v1, kind: Job, metadata: {name: gen}, spec: {template: {spec: {containers: [{name: a, args: [create, pw], envFrom: [{secretRef: {name: lost}}]}]}}}}`,
      finds: [
        "9: mayBeCreated: workload Deployment web, source Secret default/pw, maker Job gen",
        "11: missing: workload Job gen, source Secret default/lost",
      ],
    },
    {
      what: "one that a Deployment names which may make none",
      text: `${deployment({ pod: SECRET_FROM })}---\n{apiVersion: apps/v1, kind: Deployment, metadata: {name: maker}, spec: {template: {spec: {containers: [{name: a, command: [gen, pw]}]}}}}`,
      finds: ["9: missing: workload Deployment web, source Secret default/pw"],
    },
    {
      what: "one whose maker writes its namespace, as its user does not",
      text: `${deployment({ pod: SECRET_FROM })}---\n{apiVersion: cert-manager.io/v1, kind: Certificate, metadata: {name: c, namespace: shop}, spec: {secretName: pw}}\n---\n{apiVersion: v1, kind: ConfigMap, metadata: {name: c, namespace: kube-system}}`,
      finds: ["9: mayBeCreated: workload Deployment web, source Secret default/pw, maker Certificate shop/c"],
    },
    {
      what: "one that is made in another namespace",
      text: `${deployment({ pod: SECRET_FROM }).replace("name: web", "name: web, namespace: a")}---\n{apiVersion: cert-manager.io/v1, kind: Certificate, metadata: {name: c, namespace: shop}, spec: {secretName: pw}}`,
      finds: ["9: wrongNamespace: workload Deployment a/web, source Secret a/pw, other Certificate shop/c"],
    },
    {
      what: "one of a volume that no container mounts, by itself",
      text: `${deployment({ pod: "containers: [{name: a}], volumes: [{name: v, secret: {secretName: pw}}]" })}---\n{apiVersion: apps/v1, kind: Deployment, metadata: {name: second}, spec: {template: {spec: {containers: [{name: a, volumeMounts: [{name: v, mountPath: /v}]}], volumes: [{name: v, secret: {secretName: pw}}]}}}}`,
      finds: [
        "9: unmounted: workload Deployment web, source Secret default/pw",
        "11: missing: workload Deployment second, source Secret default/pw",
      ],
    },
    {
      what: "one whose name is a placeholder, as such",
      text: deployment({ pod: SECRET_FROM.replaceAll("pw", "'${APP}-pw'") }),
      finds: ["9: placeholder: workload Deployment web, source Secret default/${APP}-pw"],
    },
    {
      what: "one that only a Job after the release could make",
      text: `${deployment({ pod: SECRET_FROM })}---\n{apiVersion: batch/v1, kind: Job, metadata: {name: gen, annotations: {helm.sh/hook: "post-delete,test"}}, spec: {template: {spec: {containers: [{name: a, args: [create, pw]}]}}}}`,
      finds: ["9: missing: workload Deployment web, source Secret default/pw"],
    },
    {
      what: "one of such a volume and of a variable",
      text: deployment({
        pod: "containers: [{name: a, env: [{name: A, valueFrom: {secretKeyRef: {name: pw, key: a}}}]}], volumes: [{name: v, secret: {secretName: pw}}]",
      }),
      finds: ["9: missing: workload Deployment web, source Secret default/pw"],
    },
    {
      what: "not by a Job that uses it as well",
      text: `${workload("Job", "parallelism: 1", { apiVersion: "batch/v1", pod: "containers: [{name: a, env: [{name: A, valueFrom: {secretKeyRef: {name: pw, key: a}}}]}]" })}`,
      finds: ["9: missing: workload Job web, source Secret default/pw"],
    },
    {
      what: "one that somebody may write, by the Role",
      text: `${deployment({ pod: SECRET_FROM })}---\n{apiVersion: rbac.authorization.k8s.io/v1, kind: Role, metadata: {name: writer}, rules: [{apiGroups: [""], resources: [secrets], resourceNames: [pw], verbs: [update]}]}`,
      finds: ["9: mayBeCreated: workload Deployment web, source Secret default/pw, maker Role writer"],
    },
    ...[
      [
        "by a Certificate",
        "{apiVersion: cert-manager.io/v1, kind: Certificate, metadata: {name: x}, spec: {secretName: pw}}",
      ],
      [
        "for an annotated Ingress",
        "{apiVersion: networking.k8s.io/v1, kind: Ingress, metadata: {name: x, annotations: {cert-manager.io/cluster-issuer: a}}, spec: {tls: [{secretName: pw}]}}",
      ],
      [
        "for an annotated Gateway",
        "{apiVersion: gateway.networking.k8s.io/v1, kind: Gateway, metadata: {name: x, annotations: {cert-manager.io/issuer: a}}, spec: {listeners: [{tls: {certificateRefs: [{name: pw}]}}]}}",
      ],
      [
        "for OpenShift's Service",
        "{apiVersion: v1, kind: Service, metadata: {name: x, annotations: {service.beta.openshift.io/serving-cert-secret-name: pw}}}",
      ],
      [
        "by Crossplane",
        "{apiVersion: x.example/v1, kind: Bucket, metadata: {name: x}, spec: {writeConnectionSecretToRef: {name: pw, namespace: default}}}",
      ],
      [
        "in another namespace, and copied",
        "{apiVersion: v1, kind: Secret, metadata: {name: pw, namespace: b, annotations: {replicator.v1.mittwald.de/replicate-to: default}}}",
        "namespace: default",
      ],
      [
        "in another namespace, and may be copied",
        "{apiVersion: v1, kind: Secret, metadata: {name: pw, namespace: b, annotations: {reflector.v1.k8s.emberstack.com/reflection-allowed: 'true'}}}",
        "namespace: default",
      ],
      [
        "by a policy",
        "{apiVersion: kyverno.io/v1, kind: ClusterPolicy, metadata: {name: x}, spec: {rules: [{generate: {kind: Secret, name: pw, namespace: '{{request.object.metadata.name}}'}}]}}",
      ],
    ].map(([how = "", maker = "", metadata = ""]) => ({
      what: `not what is made ${how}`,
      text: `${deployment({ pod: SECRET_FROM, metadata })}---\n${maker}`,
    })),
    {
      what: "not what a database's operator makes",
      text: `${deployment({ pod: "containers: [{name: a, envFrom: [{secretRef: {name: db-app}}, {secretRef: {name: db-other}}]}]" })}---\n{apiVersion: postgresql.cnpg.io/v1, kind: Cluster, metadata: {name: db}, spec: {instances: 1}}`,
      finds: ["9: missing: workload Deployment web, source Secret default/db-other"],
    },
    {
      what: "an Ingress' that nobody makes",
      text: `${deployment({ pod: SECRET_FROM })}---\n{apiVersion: networking.k8s.io/v1, kind: Ingress, metadata: {name: x}, spec: {tls: [{secretName: pw}]}}`,
      finds: ["9: missing: workload Deployment web, source Secret default/pw"],
    },
    {
      what: "an Ingress' that has its annotation off",
      text: `${deployment({ pod: SECRET_FROM })}---\n{apiVersion: networking.k8s.io/v1, kind: Ingress, metadata: {name: x, annotations: {kubernetes.io/tls-acme: 'false'}}, spec: {tls: [{secretName: pw}]}}`,
      finds: ["9: missing: workload Deployment web, source Secret default/pw"],
    },
    {
      what: "one of another namespace that may not be copied",
      text: `${deployment({ pod: SECRET_FROM, metadata: "namespace: default" })}---\n{apiVersion: v1, kind: Secret, metadata: {name: pw, namespace: b, annotations: {reflector.v1.k8s.emberstack.com/reflection-allowed: 'false'}}}`,
      finds: ["9: wrongNamespace: workload Deployment default/web, source Secret default/pw, other Secret b/pw"],
    },
    {
      what: "not what every namespace has",
      text: deployment({ pod: "containers: [{name: a}], volumes: [{name: v, configMap: {name: kube-root-ca.crt}}]" }),
    },
    {
      what: "a made one's name in another namespace",
      text: `${deployment({ pod: SECRET_FROM })}---\n{apiVersion: cert-manager.io/v1, kind: Certificate, metadata: {name: x, namespace: b}, spec: {secretName: pw}}`,
      finds: ["9: mayBeCreated: workload Deployment web, source Secret default/pw, maker Certificate b/x"],
    },
  ],
  RS002: [
    {
      what: "a key of a volume's items",
      text: `${deployment({ pod: "containers: [{name: a, volumeMounts: [{name: v, mountPath: /v}]}], volumes: [{name: v, configMap: {name: env, items: [{key: B, path: b}]}}]" })}${CONFIG_MAP}`,
      finds: ["9: missing: workload Deployment web, source ConfigMap default/env, key B"],
    },
    {
      what: "a key of a volume that no container mounts, as a note",
      text: `${deployment({ pod: "containers: [{name: a}], volumes: [{name: v, configMap: {name: env, items: [{key: B, path: b}]}}]" })}${CONFIG_MAP}`,
      finds: ["9: unmounted: workload Deployment web, source ConfigMap default/env, key B"],
    },
    {
      what: "a key of such a volume and of a variable",
      text: `${deployment({ pod: "containers: [{name: a, env: [{name: X, valueFrom: {configMapKeyRef: {name: env, key: B}}}]}], volumes: [{name: v, configMap: {name: env, items: [{key: B, path: b}]}}]" })}${CONFIG_MAP}`,
      finds: ["9: missing: workload Deployment web, source ConfigMap default/env, key B"],
    },
    {
      what: "a key once, however often it is named",
      text: `${deployment({ pod: "containers: [{name: a, env: [{name: X, valueFrom: {configMapKeyRef: {name: env, key: B}}}, {name: Y, valueFrom: {configMapKeyRef: {name: env, key: B}}}]}]" })}${CONFIG_MAP}`,
      finds: ["9: missing: workload Deployment web, source ConfigMap default/env, key B"],
    },
    {
      what: "not an optional one",
      text: `${deployment({ pod: "containers: [{name: a, env: [{name: X, valueFrom: {configMapKeyRef: {name: env, key: B, optional: true}}}]}]" })}${CONFIG_MAP}`,
    },
    ...[
      "metadata: {name: env, labels: {config.openshift.io/inject-trusted-cabundle: 'true'}}",
      "metadata: {name: env, annotations: {service.beta.openshift.io/inject-cabundle: 'true'}}",
    ].map((metadata) => ({
      what: `not what a controller fills: ${metadata}`,
      text: `${deployment({ pod: "containers: [{name: a, env: [{name: X, valueFrom: {configMapKeyRef: {name: env, key: B}}}, {name: Y, valueFrom: {secretKeyRef: {name: t, key: token}}}]}]" })}---\n{apiVersion: v1, kind: ConfigMap, ${metadata}}\n---\n{apiVersion: v1, kind: Secret, type: kubernetes.io/service-account-token, metadata: {name: t}}`,
    })),
    {
      what: "not a key of binaryData",
      text: `${deployment({ pod: "containers: [{name: a, env: [{name: X, valueFrom: {configMapKeyRef: {name: env, key: B}}}]}]" })}\n---\n{apiVersion: v1, kind: ConfigMap, metadata: {name: env}, binaryData: {B: YQ==}}`,
    },
    {
      what: "not a key of what a declaration makes",
      text: `${deployment({ pod: "containers: [{name: a, env: [{name: X, valueFrom: {secretKeyRef: {name: pw, key: B}}}]}]" })}---\n{apiVersion: external-secrets.io/v1, kind: ExternalSecret, metadata: {name: pw}, spec: {dataFrom: [{extract: {key: a}}]}}`,
    },
  ],
  RS003: [
    {
      what: "no tag, behind a registry's port",
      text: deployment({ pod: "containers: [{name: app, image: 'reg.example:5000/web', imagePullPolicy: Never}]" }),
      finds: ["9: neverPulled: workload Deployment web, user container app, image reg.example:5000/web, policy Never"],
    },
    {
      what: "containers of every sort, and image volumes",
      text: deployment({
        pod: "initContainers: [{name: i, image: a, imagePullPolicy: IfNotPresent}], containers: [{name: c, image: 'a:latest', imagePullPolicy: IfNotPresent}], volumes: [{name: v, image: {reference: a, pullPolicy: IfNotPresent}}]",
      }),
      finds: [
        "9: initContainer: workload Deployment web, user container i, image a, policy IfNotPresent",
        "9: notPulled: workload Deployment web, user container c, image a:latest, policy IfNotPresent",
        "9: bareName: workload Deployment web, user volume v, image a, policy IfNotPresent",
      ],
    },
    {
      what: "an init container, for which it is a note",
      text: deployment({
        pod: "initContainers: [{name: i, image: r.example/a, imagePullPolicy: IfNotPresent}], containers: [{name: c, image: 'a:1'}]",
      }),
      finds: ["9: initContainer: workload Deployment web, user container i, image r.example/a, policy IfNotPresent"],
    },
    {
      what: "a bare name, which a tool may replace",
      text: deployment({ pod: "containers: [{name: app, image: web, imagePullPolicy: IfNotPresent}]" }),
      finds: ["9: bareName: workload Deployment web, user container app, image web, policy IfNotPresent"],
    },
    {
      what: "the template of a CronJob",
      text: "apiVersion: batch/v1\nkind: CronJob\nmetadata: {name: c}\nspec: {jobTemplate: {spec: {template: {spec: {containers: [{name: a, image: a, imagePullPolicy: IfNotPresent}]}}}}}",
      finds: ["4: bareName: workload CronJob c, user container a, image a, policy IfNotPresent"],
    },
    {
      what: "not a digest",
      text: deployment({ pod: "containers: [{name: app, image: 'web@sha256:abc', imagePullPolicy: IfNotPresent}]" }),
    },
    {
      what: "not Always, and not no policy",
      text: deployment({ pod: "containers: [{name: a, image: web, imagePullPolicy: Always}, {name: b, image: web}]" }),
    },
    {
      what: "not another tag",
      text: deployment({ pod: "containers: [{name: a, image: 'web:latest-1', imagePullPolicy: IfNotPresent}]" }),
    },
  ],
  RS004: [
    {
      what: "a StatefulSet with one replica",
      text: workload("StatefulSet", "replicas: 1", { pod: SERVING }),
      finds: [
        "6: singlePod: workload StatefulSet web, strategy type RollingUpdate, replicas 1, maxUnavailable 1, maxSurge 0",
      ],
    },
    {
      what: "extensions/v1beta1 with one replica",
      text: workload("Deployment", "replicas: 1", { apiVersion: "extensions/v1beta1", pod: SERVING }),
      finds: [
        "6: strategy: workload Deployment web, strategy type RollingUpdate, replicas 1, maxUnavailable 1, maxSurge 1",
      ],
    },
    {
      what: "all nodes of a DaemonSet at once",
      text: workload("DaemonSet", "updateStrategy: {rollingUpdate: {maxUnavailable: 100%}}", { pod: SERVING }),
      finds: [
        "6: allNodes: workload DaemonSet web, strategy type RollingUpdate, replicas null, maxUnavailable 100%, maxSurge 0",
      ],
    },
    {
      what: "the least that an autoscaler allows",
      text: `${workload("Deployment", "strategy: {rollingUpdate: {maxUnavailable: 2}}", { pod: SERVING })}---\n{apiVersion: autoscaling/v2, kind: HorizontalPodAutoscaler, metadata: {name: h}, spec: {minReplicas: 2, scaleTargetRef: {apiVersion: apps/v1, kind: Deployment, name: web}}}`,
      finds: [
        "6: allAtOnce: workload Deployment web, strategy type RollingUpdate, replicas 2, maxUnavailable 2, maxSurge 1",
      ],
    },
    { what: "not one replica with the defaults of apps/v1", text: workload("Deployment", "replicas: 1") },
    { what: "not no replicas at all", text: workload("StatefulSet", "replicas: 0") },
    {
      what: "not a paused Deployment: it doesn't roll",
      text: workload("Deployment", "paused: true\n  strategy: {type: Recreate}"),
    },
  ],
  RS005: [
    {
      what: "a paused Deployment that is to get a stamp",
      text: `${workload("Deployment", "paused: true", { pod: ENV_FROM })}${CONFIG_MAP}`,
      finds: ["6: noEffect: workload Deployment web, trigger stamp, because it is paused"],
    },
    {
      what: "a bare Pod with a stamp",
      text: `apiVersion: v1\nkind: Pod\nmetadata: {name: p, annotations: {configmap.rollstamp.dev/env: ${STALE}}}\nspec: {}`,
      finds: ["1: noEffect: workload Pod p, trigger stamp, because no controller replaces its pods"],
    },
    {
      what: "kubectl's restart of a Job",
      text: workload("Job", "parallelism: 1", {
        apiVersion: "batch/v1",
        template: "annotations: {kubectl.kubernetes.io/restartedAt: '2026-01-01T00:00:00Z'}",
      }),
      finds: [
        "2: noEffect: workload Job web, trigger restart, because its pod template is immutable, so an apply that changes it is rejected",
      ],
    },
    {
      what: "a Job that opted in",
      text: workload("Job", "parallelism: 1", {
        apiVersion: "batch/v1",
        metadata: 'annotations: {rollstamp.dev/stamp: "true"}',
      }),
      finds: [
        "2: noEffect: workload Job web, trigger annotation rollstamp.dev/stamp, because its pod template is immutable, so an apply that changes it is rejected",
      ],
    },
    {
      what: "a schedule on OnDelete",
      text: workload("StatefulSet", "updateStrategy: {type: OnDelete}", {
        metadata: 'annotations: {rollstamp.dev/restart-schedule: "@daily"}',
      }),
      finds: [
        "6: noEffect: workload StatefulSet web, trigger annotation rollstamp.dev/restart-schedule, because its update strategy is OnDelete",
      ],
    },
    {
      what: "an update in place",
      text: `${workload("CloneSet", "updateStrategy: {type: InPlaceIfPossible}", { apiVersion: "apps.kruise.io/v1alpha1", pod: ENV_FROM })}${CONFIG_MAP}`,
      finds: [
        "6: noEffect: workload CloneSet web, trigger stamp, because it updates its pods in place, and an annotation alone restarts no container",
      ],
    },
    {
      what: "a DeploymentConfig without triggers",
      text: `${workload("DeploymentConfig", "triggers: []", { apiVersion: "apps.openshift.io/v1", pod: ENV_FROM })}${CONFIG_MAP}`,
      finds: [
        "6: noEffect: workload DeploymentConfig web, trigger stamp, because its list of triggers is empty, so someone has to start each rollout",
      ],
    },
    { what: "not a paused Deployment without a stamp", text: workload("Deployment", "paused: true") },
    {
      what: "not a Job that gets no stamp",
      text: `${workload("Job", "parallelism: 1", { apiVersion: "batch/v1", pod: ENV_FROM })}${CONFIG_MAP}`,
    },
    {
      what: "not a CloneSet that recreates its pods",
      text: `${workload("CloneSet", "updateStrategy: {type: ReCreate}", { apiVersion: "apps.kruise.io/v1alpha1", pod: ENV_FROM })}${CONFIG_MAP}`,
    },
    {
      what: "not a CronJob: its next run has it",
      text: `apiVersion: batch/v1\nkind: CronJob\nmetadata: {name: c}\nspec: {jobTemplate: {spec: {template: {spec: {${ENV_FROM}}}}}}${CONFIG_MAP}`,
    },
  ],
  RS006: [
    {
      what: "the keys that changed, of a Secret too",
      text: secret("a: x1, c: y").slice(4),
      options: { base: secret("a: x, b: y", ", immutable: true").slice(4) },
      finds: ["2: content: source Secret pw, keys added [c], removed [b], changed [a]"],
    },
    {
      what: "what is to be mutable again",
      text: secret("a: x").slice(4),
      options: { base: secret("a: x", ", immutable: true").slice(4) },
      finds: ["2: mutable: source Secret pw"],
    },
    {
      what: "not the same bytes, written otherwise",
      text: "{apiVersion: v1, kind: Secret, metadata: {name: pw}, immutable: true, data: {a: eA==}}",
      options: { base: secret("a: x", ", immutable: true").slice(4) },
    },
    {
      what: "not what becomes immutable with the change",
      text: secret("a: y", ", immutable: true").slice(4),
      options: { base: secret("a: x").slice(4) },
    },
    { what: "not without a base", text: secret("a: y", ", immutable: true").slice(4) },
  ],
  RS007: [
    {
      what: "Reloader's list, with copies",
      text: `${deployment({ pod: COPY_FROM, metadata: "annotations: {configmap.reloader.stakater.com/reload: env}" })}${CONFIG_MAP}${COPY}`,
      options: VERSIONED,
      finds: [
        "4: annotation: workload Deployment web, writer Reloader, annotation configmap.reloader.stakater.com/reload",
      ],
    },
    {
      what: "not Reloader's auto and search, if the pod template names only copies",
      text: `${deployment({ pod: COPY_FROM, metadata: 'annotations: {reloader.stakater.com/auto: "true", reloader.stakater.com/search: "true"}' })}${CONFIG_MAP}${COPY}`,
      options: VERSIONED,
    },
    {
      what: "Reloader's auto, if another source has a stamp",
      text: `${deployment({ pod: COPY_FROM.replace("envFrom: [", "envFrom: [{secretRef: {name: pw}}, "), metadata: 'annotations: {reloader.stakater.com/auto: "true"}' })}${CONFIG_MAP}${COPY}${secret("a: x")}`,
      options: VERSIONED,
      finds: ["4: annotation: workload Deployment web, writer Reloader, annotation reloader.stakater.com/auto"],
    },
    {
      what: "Reloader's list on the pod template",
      text: `${deployment({ pod: ENV_FROM, template: "annotations: {configmap.reloader.stakater.com/reload: env}" })}${CONFIG_MAP}`,
      finds: [
        "8: annotation: workload Deployment web, writer Reloader, annotation configmap.reloader.stakater.com/reload",
      ],
    },
    {
      what: "Wave",
      text: `${deployment({ pod: ENV_FROM, metadata: 'annotations: {wave.pusher.com/update-on-config-change: "true"}' })}${CONFIG_MAP}`,
      finds: [
        "4: annotation: workload Deployment web, writer Wave, annotation wave.pusher.com/update-on-config-change",
      ],
    },
    {
      what: "Infisical",
      text: `${deployment({ pod: ENV_FROM, metadata: 'annotations: {secrets.infisical.com/auto-reload: "true"}' })}${CONFIG_MAP}`,
      finds: [
        "4: annotation: workload Deployment web, writer the Infisical operator, annotation secrets.infisical.com/auto-reload",
      ],
    },
    {
      what: "1Password, on the item",
      text: `${deployment({ pod: SECRET_FROM })}---\n{apiVersion: onepassword.com/v1, kind: OnePasswordItem, metadata: {name: pw, annotations: {operator.1password.io/auto-restart: "true"}}, spec: {itemPath: a}}`,
      finds: [
        "11: onePassword: workload Deployment web, annotation operator.1password.io/auto-restart, maker OnePasswordItem pw",
      ],
    },
    {
      what: "Vault's targets",
      text: `${deployment({ pod: ENV_FROM })}${CONFIG_MAP}---\n{apiVersion: secrets.hashicorp.com/v1beta1, kind: VaultDynamicSecret, metadata: {name: v}, spec: {rolloutRestartTargets: [{kind: StatefulSet, name: web}, {kind: Deployment, name: web}]}}`,
      finds: ["14: vaultSecretsOperator: workload Deployment web, maker VaultDynamicSecret v"],
    },
    {
      what: "not auto: false",
      text: `${deployment({ pod: ENV_FROM, metadata: 'annotations: {reloader.stakater.com/auto: "false"}' })}${CONFIG_MAP}`,
    },
    {
      what: "not a workload that we don't stamp",
      text: deployment({ metadata: 'annotations: {reloader.stakater.com/auto: "true"}' }),
    },
    {
      what: "not one that opted out",
      text: `${deployment({ pod: ENV_FROM, metadata: 'annotations: {reloader.stakater.com/auto: "true", rollstamp.dev/stamp: "false"}' })}${CONFIG_MAP}`,
    },
  ],
  RS008: [
    {
      what: "a PIN beside a long key that the pod can't see",
      text: `${deployment({ pod: "containers: [{name: a, env: [{name: X, valueFrom: {secretKeyRef: {name: pw, key: pin}}}]}]" })}${secret('pin: "1234", token: 0123456789abcdef0123456789abcdef')}`,
      finds: ["9: guessable: workload Deployment web, secrets [Secret default/pw]"],
    },
    {
      what: "not both together",
      text: `${deployment({ pod: SECRET_FROM })}${secret('pin: "1234", token: 0123456789abcdef0123456789abcdef')}`,
    },
    {
      what: "not with the whole object digested",
      text: `${deployment({ pod: "containers: [{name: a, env: [{name: X, valueFrom: {secretKeyRef: {name: pw, key: pin}}}]}]" })}${secret('pin: "1234", token: 0123456789abcdef0123456789abcdef')}`,
      options: { spec: { granularity: "Object" } },
    },
    {
      what: "not a keyed digest",
      text: `${deployment({ pod: SECRET_FROM })}${secret('pin: "1234"')}`,
      options: { spec: { secrets: "Keyed" }, hmacKey: () => Buffer.from("key") },
    },
    {
      what: "not Secrets that are ignored",
      text: `${deployment({ pod: SECRET_FROM })}${secret('pin: "1234"')}`,
      options: { spec: { secrets: "Ignore" } },
    },
    {
      what: "not an encrypted one",
      text: `${deployment({ pod: SECRET_FROM })}\n---\n{apiVersion: v1, kind: Secret, metadata: {name: pw}, stringData: {pin: "ENC[AES256]"}, sops: {mac: a}}`,
    },
    { what: "not an empty one", text: `${deployment({ pod: SECRET_FROM })}${secret('pin: ""')}` },
    {
      what: "not where nothing is stamped",
      text: `${deployment({ pod: SECRET_FROM, metadata: 'annotations: {rollstamp.dev/stamp: "false"}' })}${secret('pin: "1234"')}`,
    },
    {
      what: "two short ones under one combined digest",
      text: `${deployment({ pod: "containers: [{name: a, envFrom: [{secretRef: {name: pw}}, {secretRef: {name: p2}}]}]" })}${secret('pin: "1234"')}${secret('pin: "1234"').replace("pw", "p2")}`,
      options: { spec: { layout: "Combined" } },
      finds: ["9: guessable: workload Deployment web, secrets [Secret default/pw, Secret default/p2]"],
    },
  ],
  RS009: [
    {
      what: "a copy of older content",
      text: `${deployment({ pod: COPY_FROM })}${CONFIG_MAP.replace("A: a", "A: b")}${COPY}`,
      options: VERSIONED,
      finds: ["9: copy: workload Deployment web, copy env-c288771221, why content"],
    },
    {
      what: "a copy in another layout",
      text: `${deployment({ pod: COPY_FROM })}${CONFIG_MAP}${COPY}`,
      finds: ["9: copy: workload Deployment web, copy env-c288771221, why layout"],
    },
    { what: "not a copy", text: `${deployment({ pod: COPY_FROM })}${CONFIG_MAP}${COPY}`, options: VERSIONED },
    {
      what: "a hand-edited stamp and a hand-edited time",
      text: `${deployment({ pod: ENV_FROM, template: "annotations: {configmap.rollstamp.dev/env: abc, rollstamp.dev/restartedAt: yesterday}" })}${CONFIG_MAP}`,
      finds: [
        "8: invalidDigest: workload Deployment web, stamp configmap.rollstamp.dev/env",
        "8: invalidTime: workload Deployment web, stamp rollstamp.dev/restartedAt",
      ],
    },
    {
      what: "a stamp of what opted out",
      text: `${deployment({ pod: ENV_FROM, template: `annotations: {configmap.rollstamp.dev/env: ${STALE}}`, metadata: 'annotations: {rollstamp.dev/stamp: "false"}' })}${CONFIG_MAP}`,
      finds: [
        "8: notSelected: workload Deployment web, stamp configmap.rollstamp.dev/env, rule opted out by rollstamp.dev/stamp",
      ],
    },
    {
      what: "the stamp of another layout, and what is missing then",
      text: `${deployment({ pod: ENV_FROM, template: `annotations: {configmap.rollstamp.dev/env: ${STALE}}` })}${CONFIG_MAP}`,
      options: { spec: { layout: "Combined" } },
      finds: [
        "8: missing: workload Deployment web, stamp rollstamp.dev/config-hash",
        "8: leftover: workload Deployment web, stamp configmap.rollstamp.dev/env, why combined",
      ],
    },
    {
      what: "not a stale stamp that waits for what stamping would write",
      text: waits(`configmap.rollstamp.dev/env=${DIGEST}`),
    },
    {
      what: "not a first stamp that waits",
      text: `${deployment({ pod: ENV_FROM, metadata: `annotations: {rollstamp.dev/waiting: "configmap.rollstamp.dev/env=${DIGEST}"}` })}${CONFIG_MAP}`,
    },
    {
      what: "one that waits for another digest",
      text: waits(`configmap.rollstamp.dev/env=${STALE}`),
      finds: [
        "4: staleWaiting: workload Deployment web, stamps [configmap.rollstamp.dev/env]",
        "8: stale: workload Deployment web, stamp configmap.rollstamp.dev/env",
      ],
    },
    {
      what: "one that waits for more than there is",
      text: waits(`configmap.rollstamp.dev/env=${DIGEST}, configmap.rollstamp.dev/other=none`),
      finds: [
        "4: staleWaiting: workload Deployment web, stamps [configmap.rollstamp.dev/other]",
        "8: stale: workload Deployment web, stamp configmap.rollstamp.dev/env",
      ],
    },
    {
      what: "not one that waits for it in other words",
      text: waits(`  configmap.rollstamp.dev/env = ${DIGEST} `),
    },
    {
      what: "one edited by hand",
      text: waits("later"),
      finds: [
        "4: invalidWaiting: workload Deployment web",
        "8: stale: workload Deployment web, stamp configmap.rollstamp.dev/env",
      ],
    },
    {
      what: "one that is forgotten",
      text: waits(`configmap.rollstamp.dev/env=${DIGEST}`, DIGEST),
      finds: ["4: nothingToWaitFor: workload Deployment web"],
    },
    {
      what: "one of a bare Pod, which is never stamped",
      text: `apiVersion: v1\nkind: Pod\nmetadata: {name: p, annotations: {rollstamp.dev/waiting: "configmap.rollstamp.dev/env=${DIGEST}"}}\nspec: {${ENV_FROM}}\n---${CONFIG_MAP}`,
      finds: ["3: neverStamped: workload Pod p, rule a Pod's pods do not get a changed template"],
    },
    {
      what: "one of a workload that the selector leaves out",
      text: waits(`configmap.rollstamp.dev/env=${DIGEST}`),
      options: { spec: { selector: [{ key: "stamp", operator: "Exists", values: [] }] } },
      finds: ["4: neverStamped: workload Deployment web, rule not matched by the configuration's selector"],
    },
    {
      what: "not a keyed one without the key, but with it",
      text: waits(`configmap.rollstamp.dev/env=${STALE.replace("h1", "k1")}`),
      options: { spec: { secrets: "Keyed" } },
    },
    {
      what: "windows that are never open together",
      text: `${deployment({ pod: ENV_FROM, metadata: 'annotations: {rollstamp.dev/rollout-window: "0 2 * * SUN; 4h"}' })}${CONFIG_MAP.replace("name: env", 'name: env, annotations: {rollstamp.dev/rollout-window: "0 2 * * MON; 4h"}')}`,
      finds: ["2: disjointWindows: workload Deployment web"],
    },
    {
      what: "not windows that are open together now and then",
      text: `${deployment({ pod: ENV_FROM, metadata: 'annotations: {rollstamp.dev/rollout-window: "0 2 * * SUN; 4h"}' })}${CONFIG_MAP.replace("name: env", 'name: env, annotations: {rollstamp.dev/rollout-window: "0 3 1 * *; 4h"}')}`,
    },
    {
      what: "not a stamp whose source is not in the input",
      text: deployment({ pod: ENV_FROM, template: `annotations: {configmap.rollstamp.dev/env: ${STALE}}` }),
    },
    { what: "not a template without stamps", text: `${deployment({ pod: ENV_FROM })}${CONFIG_MAP}` },
    {
      what: "not a keyed digest where there is no key",
      text: `${deployment({ pod: SECRET_FROM, template: `annotations: {secret.rollstamp.dev/pw: ${STALE.replace("h1", "k1")}}` })}${secret("a: b")}`,
      options: { spec: { secrets: "Keyed" } },
    },
    {
      what: "a keyed digest where the key is given",
      text: `${deployment({ pod: SECRET_FROM, template: `annotations: {secret.rollstamp.dev/pw: ${STALE.replace("h1", "k1")}}` })}${secret("a: b")}`,
      options: { spec: { secrets: "Keyed" }, hmacKey: () => Buffer.from("key") },
      finds: ["8: stale: workload Deployment web, stamp secret.rollstamp.dev/pw"],
    },
    {
      what: "not a restart in any form of RFC 3339",
      text: deployment({ template: "annotations: {rollstamp.dev/restartedAt: '2026-11-21T01:02:03.5+02:00'}" }),
    },
  ],
  RS010: [
    {
      what: "the other group of one Deployment",
      text: `${deployment()}---\n{apiVersion: autoscaling/v1, kind: HorizontalPodAutoscaler, metadata: {name: h}, spec: {scaleTargetRef: {apiVersion: extensions/v1beta1, kind: Deployment, name: web}}}`,
      finds: ["6: autoscaled: workload Deployment web, scaler HorizontalPodAutoscaler h"],
    },
    {
      what: "not another namespace",
      text: `${deployment()}---\n{apiVersion: autoscaling/v2, kind: HorizontalPodAutoscaler, metadata: {name: h, namespace: other}, spec: {scaleTargetRef: {apiVersion: apps/v1, kind: Deployment, name: web}}}`,
    },
    {
      what: "not another kind of one name",
      text: `${deployment()}---\n{apiVersion: autoscaling/v2, kind: HorizontalPodAutoscaler, metadata: {name: h}, spec: {scaleTargetRef: {apiVersion: apps/v1, kind: StatefulSet, name: web}}}`,
    },
    {
      what: "not replicas that are null",
      text: `${workload("Deployment", "replicas: null")}---\n{apiVersion: autoscaling/v2, kind: HorizontalPodAutoscaler, metadata: {name: h}, spec: {scaleTargetRef: {apiVersion: apps/v1, kind: Deployment, name: web}}}`,
    },
  ],
  RS011: [
    {
      what: "apps/v1beta1",
      text: workload("StatefulSet", "replicas: 2", { apiVersion: "apps/v1beta1" }),
      finds: ["2: removed: workload StatefulSet web, apiVersion apps/v1beta1, removedIn 1.16, instead apps/v1"],
    },
    {
      what: "apps/v1beta2",
      text: workload("ReplicaSet", "replicas: 2", { apiVersion: "apps/v1beta2" }),
      finds: ["2: removed: workload ReplicaSet web, apiVersion apps/v1beta2, removedIn 1.16, instead apps/v1"],
    },
    {
      what: "CronJobs of batch/v1beta1",
      text: "apiVersion: batch/v1beta1\nkind: CronJob\nmetadata: {name: c}\nspec: {}",
      finds: ["1: removed: workload CronJob c, apiVersion batch/v1beta1, removedIn 1.25, instead batch/v1"],
    },
    {
      what: "not an Ingress, which is no workload",
      text: "apiVersion: extensions/v1beta1\nkind: Ingress\nmetadata: {name: c}\nspec: {}",
    },
    {
      what: "not another group's apps/v1beta1-like version",
      text: "apiVersion: apps.kruise.io/v1beta1\nkind: StatefulSet\nmetadata: {name: c}\nspec: {}",
    },
  ],
  RS012: [
    {
      what: "a declared source, once, whatever it makes",
      text: "{apiVersion: apps/v1, kind: Deployment, metadata: {name: web}, spec: {template: {spec: {containers: [{name: app}]}}}}\n---\n{apiVersion: secrets-store.csi.x-k8s.io/v1, kind: SecretProviderClass, metadata: {name: s}, spec: {provider: a, secretObjects: [{secretName: x}, {secretName: y}]}}",
      finds: ["3: unused: source SecretProviderClass s"],
    },
    {
      what: "not what a Job or a bare Pod uses",
      text: `apiVersion: v1\nkind: Pod\nmetadata: {name: web}\nspec: {${ENV_FROM}}${CONFIG_MAP}`,
    },
    {
      what: "not what is used and excluded from the stamps",
      text: `${deployment({ pod: ENV_FROM, metadata: "annotations: {rollstamp.dev/exclude: configmap/env}" })}${CONFIG_MAP}`,
    },
    {
      what: "not a Secret by which images are pulled",
      text: `${deployment({ pod: "imagePullSecrets: [{name: pw}]" })}${secret("a: b")}`,
    },
    { what: "not a Secret that an Ingress reads", text: secret("a: b", ", type: kubernetes.io/tls").slice(4) },
    ...[
      [
        "an Ingress",
        "{apiVersion: networking.k8s.io/v1, kind: Ingress, metadata: {name: x}, spec: {tls: [{secretName: env}]}}",
      ],
      [
        "a ServiceAccount",
        "{apiVersion: v1, kind: ServiceAccount, metadata: {name: x}, imagePullSecrets: [{name: env}]}",
      ],
      [
        "a custom resource",
        "{apiVersion: x.example/v1, kind: Store, metadata: {name: x}, spec: {auth: {from: {secret: env}}}}",
      ],
      [
        "a Role",
        "{apiVersion: rbac.authorization.k8s.io/v1, kind: Role, metadata: {name: x}, rules: [{resourceNames: [env]}]}",
      ],
      [
        "an annotation",
        "{apiVersion: v1, kind: Service, metadata: {name: x, annotations: {example.com/ca: default/env}}}",
      ],
      [
        "another ConfigMap",
        "{apiVersion: v1, kind: ConfigMap, metadata: {name: x}, data: {a: 'read: configmap/env, x'}}\n---\n{apiVersion: v1, kind: Role, metadata: {name: x}, rules: [{resourceNames: [x]}]}",
      ],
    ].map(([by = "", text = ""]) => ({
      what: `not what ${by} names`,
      text: `${deployment()}---\n${text}${CONFIG_MAP}`,
    })),
    {
      what: "not what an argument names",
      text: `${deployment({ pod: "containers: [{name: a, args: ['--config=default/env:0']}]" })}${CONFIG_MAP}`,
    },
    {
      what: "what others are only called, or select by",
      text: `{apiVersion: v1, kind: Service, metadata: {name: env, labels: {app: env}}, spec: {selector: {app: env}}}\n---${deployment()}${CONFIG_MAP}`,
      finds: ["13: unused: source ConfigMap env"],
    },
    {
      what: "what only names itself",
      text: `${deployment()}---\n{apiVersion: v1, kind: ConfigMap, metadata: {name: env}, data: {a: env}}`,
      finds: ["11: unused: source ConfigMap env"],
    },
    { what: "not where no workload is: it may be used from elsewhere", text: CONFIG_MAP.slice(5) },
    {
      what: "not where no workload of its namespace is",
      text: `${deployment()}${CONFIG_MAP.replace("name: env", "name: env, namespace: b")}`,
    },
    {
      what: "not what something may read without naming it",
      text: `${deployment()}${CONFIG_MAP}---\n{apiVersion: rbac.authorization.k8s.io/v1, kind: Role, metadata: {name: x}, rules: [{apiGroups: [""], resources: [configmaps], verbs: [list]}]}`,
    },
    {
      what: "not what a role of every cluster lets something read",
      text: `${deployment()}${CONFIG_MAP}---\n{apiVersion: rbac.authorization.k8s.io/v1, kind: RoleBinding, metadata: {name: x}, roleRef: {kind: ClusterRole, name: view}}`,
    },
    {
      what: "what only a role of another namespace lets something read",
      text: `${deployment()}${CONFIG_MAP}---\n{apiVersion: rbac.authorization.k8s.io/v1, kind: Role, metadata: {name: x, namespace: other}, rules: [{apiGroups: [""], resources: [configmaps], verbs: [list]}]}`,
      finds: ["12: unused: source ConfigMap env"],
    },
    {
      what: "what a ClusterRole lets something read that is bound in another namespace",
      text: `${deployment()}${CONFIG_MAP}---\n{apiVersion: rbac.authorization.k8s.io/v1, kind: ClusterRole, metadata: {name: x}, rules: [{apiGroups: [""], resources: [configmaps], verbs: [list]}]}\n---\n{apiVersion: rbac.authorization.k8s.io/v1, kind: RoleBinding, metadata: {name: x, namespace: other}, roleRef: {kind: ClusterRole, name: x}}`,
      finds: ["12: unused: source ConfigMap env"],
    },
    {
      what: "not what a ClusterRole lets something read, bound here, everywhere or out of sight",
      text: `${deployment()}${CONFIG_MAP}---\n{apiVersion: rbac.authorization.k8s.io/v1, kind: ClusterRole, metadata: {name: x}, rules: [{apiGroups: [""], resources: [configmaps], verbs: [list]}]}`,
    },
    {
      what: "what only a field or a word of another object is spelt like",
      text: `${deployment({ pod: "containers: [{name: a, env: [{name: A, value: myenv}], envFrom: []}]" })}${CONFIG_MAP}`,
      finds: ["12: unused: source ConfigMap env"],
    },
    {
      what: "not what is a key of another kind's map",
      text: `${deployment()}---\n{apiVersion: x.example/v1, kind: Store, metadata: {name: x}, spec: {configMaps: {env: {}}}}${CONFIG_MAP}`,
    },
    {
      what: "what may only be read by another name",
      text: `${deployment()}${CONFIG_MAP}---\n{apiVersion: rbac.authorization.k8s.io/v1, kind: Role, metadata: {name: x}, rules: [{apiGroups: [""], resources: [configmaps], resourceNames: [other], verbs: [get]}]}`,
      finds: ["12: unused: source ConfigMap env"],
    },
    {
      what: "not beside what renders elsewhere",
      text: `{apiVersion: helm.toolkit.fluxcd.io/v2, kind: HelmRelease, metadata: {name: x}, spec: {}}\n---${deployment()}${CONFIG_MAP}`,
    },
    {
      what: "not what is found by a label",
      text: `${deployment()}${CONFIG_MAP.replace("name: env", 'name: env, labels: {grafana_dashboard: "1"}')}`,
    },
    {
      what: "not what never reaches a cluster",
      text: '{apiVersion: v1, kind: ConfigMap, metadata: {name: a, annotations: {config.kubernetes.io/local-config: "true"}}}',
    },
    {
      what: "not what goes into an ExternalSecret's template",
      text: `${deployment({ pod: SECRET_FROM })}---\n{apiVersion: external-secrets.io/v1, kind: ExternalSecret, metadata: {name: pw}, spec: {dataFrom: [{extract: {key: a}}], target: {template: {templateFrom: [{configMap: {name: env, items: [{key: A}]}}]}}}}${CONFIG_MAP}`,
    },
  ],
  RS013: [
    {
      what: "a name that is made at random",
      text: CONFIG_MAP.slice(5),
      options: { again: CONFIG_MAP.slice(5).replace("name: env", "name: env2") },
      finds: ["1: onlyOnce: source ConfigMap env", "1: onlyOnce: source ConfigMap env2"],
    },
    {
      what: "not another order",
      text: secret("a: x, b: y").slice(4),
      options: { again: secret("b: y, a: x").slice(4) },
    },
    {
      what: "a pod template that differs, by its fields",
      text: deployment({ template: "annotations: {rollme: a}, labels: {a: b}" }),
      options: { again: deployment({ template: "annotations: {rollme: b}, labels: {a: c}" }) },
      finds: ["8: template: workload Deployment web, paths [metadata.annotations.rollme, metadata.labels.a]"],
    },
    {
      what: "a pod template that differs by nothing but annotations",
      text: deployment({ template: "annotations: {checksum/config: a, rollme: c}" }),
      options: { again: deployment({ template: "annotations: {checksum/config: b, rollme: d}" }) },
      finds: ["8: annotations: workload Deployment web, annotations [checksum/config, rollme]"],
    },
    {
      what: "not what stamping takes",
      text: deployment({ template: "annotations: {checksum/config: a, rollme: c}" }),
      options: {
        again: deployment({ template: "annotations: {checksum/config: b, rollme: d}" }),
        spec: { checksums: "Remove", checksumAnnotations: ["rollme", "checksum/*"] },
      },
    },
    {
      what: "a source that is excluded somewhere only",
      text: `${secret("a: x").slice(4)}---\n${deployment({ pod: SECRET_FROM })}---\n${deployment({ pod: SECRET_FROM, metadata: "annotations: {rollstamp.dev/exclude: secret/*}" }).replace("name: web", "name: other")}`,
      options: { again: secret("a: y").slice(4) },
      finds: ["2: content: source Secret pw, keys changed [a], seen Secret default/pw"],
    },
    {
      what: "not a source that is excluded wherever it is used",
      text: `${secret("a: x").slice(4)}---\n${deployment({ pod: SECRET_FROM, metadata: "annotations: {rollstamp.dev/exclude: secret/*}" })}`,
      options: { again: secret("a: y").slice(4) },
    },
    {
      what: "not one that says the same in other words",
      text: deployment({ pod: "containers: [{name: a, resources: {limits: {cpu: 1000m}}}]" }),
      options: { again: deployment({ pod: "containers: [{name: a, resources: {limits: {cpu: '1'}}}]" }) },
    },
    {
      what: "not a workload that differs beside its template",
      text: deployment(),
      options: { again: deployment({ metadata: "labels: {a: b}" }) },
    },
    {
      what: "not the stamps that follow from a source",
      text: `${deployment({ pod: ENV_FROM, template: `annotations: {configmap.rollstamp.dev/env: ${STALE}}` })}`,
      options: { again: deployment({ pod: ENV_FROM }) },
    },
    { what: "not without a second rendering", text: secret("a: x").slice(4) },
  ],
};

testRules(CASES);

describe("RS005 by the configuration", () => {
  const job = workload("Job", "parallelism: 1", { apiVersion: "batch/v1" });
  const spec = (override: Json): Partial<ConfigHashSpec> => ({ overrides: [readOverride(override, 0)] });

  it("an override counts as the annotation does, and is named", () => {
    assert.deepEqual(found("RS005", job), []);
    for (const [override, by] of [
      [{ target: { name: "web" }, stamp: true }, "stamp"],
      [{ target: { kind: "Job" }, sources: ["configmap/env"] }, "sources"],
    ] satisfies [Json, string][]) {
      const [message = ""] = found("RS005", job, { spec: spec(override) });
      assert.match(message, new RegExp(`workload Job web, trigger override spec\\.overrides\\[0\\]\\.${by},`, "u"));
    }
  });
  it("one for other workloads, or that opts out, asks for nothing", () => {
    for (const override of [
      { target: { name: "other" }, stamp: true },
      { target: { name: "web" }, stamp: false },
    ])
      assert.deepEqual(found("RS005", job, { spec: spec(override) }), []);
  });
});

describe("a note in place of a warning", () => {
  it("is what RS007 is where the configuration reads the peer's annotations", () => {
    const text = `${deployment({ pod: ENV_FROM, metadata: 'annotations: {reloader.stakater.com/auto: "true"}' })}${CONFIG_MAP}`;
    const findings = lintText(text, { spec: { compat: ["Reloader"] } }).filter(({ id }) => id === "RS007");
    assert.deepEqual(findings.map(severityOf), ["info"]);
  });
});
