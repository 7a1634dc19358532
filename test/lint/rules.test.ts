import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { severityOf } from "../../src/findings/finding.ts";
import { found, lintText, type LintedText } from "./linted.ts";

// What the rules find and leave alone beside the examples of their pages. Each case is a whole input, and
// what comes of it: `line: message` for each finding of the rule, shortened to a part of the message.

interface Case {
  readonly what: string;
  readonly text: string;
  /** A part of each message, in order; none where nothing is to be found. */
  readonly finds?: readonly (string | RegExp)[];
  readonly options?: LintedText;
}

const workload = (
  kind: string,
  spec: string,
  more: { template?: string; pod?: string; metadata?: string; apiVersion?: string } = {},
): string => `
apiVersion: ${more.apiVersion ?? "apps/v1"}
kind: ${kind}
metadata: {name: web, ${more.metadata ?? ""}}
spec:
  ${spec}
  template:
    metadata: {${more.template ?? ""}}
    spec: {${more.pod ?? "containers: [{name: app, image: 'web:1'}]"}}
`;
const deployment = (more: Parameters<typeof workload>[2] = {}): string => workload("Deployment", "replicas: 3", more);
const ENV_FROM = "containers: [{name: app, image: 'web:1', envFrom: [{configMapRef: {name: env}}]}]";
const SECRET_FROM = "containers: [{name: app, image: 'web:1', envFrom: [{secretRef: {name: pw}}]}]";
const CONFIG_MAP = "\n---\n{apiVersion: v1, kind: ConfigMap, metadata: {name: env}, data: {A: a}}\n";
const secret = (data: string, more = ""): string =>
  `\n---\n{apiVersion: v1, kind: Secret, metadata: {name: pw}, stringData: {${data}}${more}}\n`;
const STALE = "h1-0123456789abcdef0123456789abcdef01234567";

const CASES: Readonly<Record<string, readonly Case[]>> = {
  RS001: [
    {
      what: "a Secret of an init container",
      text: deployment({ pod: "initContainers: [{name: i, envFrom: [{secretRef: {name: pw}}]}]" }),
      finds: ["Secret default/pw"],
    },
    {
      what: "a bare Pod, which is never stamped",
      text: `apiVersion: v1\nkind: Pod\nmetadata: {name: web}\nspec: {${ENV_FROM}}`,
      finds: ["Pod web uses ConfigMap default/env"],
    },
    {
      what: "a Job, though jobs are not stamped",
      text: workload("Job", "parallelism: 1", { apiVersion: "batch/v1", pod: ENV_FROM }),
      finds: ["Job web"],
    },
    {
      what: "a workload that opted out",
      text: deployment({ pod: ENV_FROM, metadata: 'annotations: {rollstamp.dev/stamp: "false"}' }),
      finds: ["ConfigMap default/env"],
    },
    {
      what: "a workload that did not opt in",
      text: deployment({ pod: ENV_FROM }),
      options: { spec: { selection: "Annotated" } },
      finds: ["ConfigMap default/env"],
    },
    {
      what: "a source that rollstamp.dev/sources names",
      text: deployment({ metadata: "annotations: {rollstamp.dev/sources: secret/other/pw}" }),
      finds: ["Secret other/pw"],
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
      what: "one in another namespace",
      text: `${deployment({ pod: ENV_FROM, metadata: "namespace: prod" })}${CONFIG_MAP}`,
      finds: ["ConfigMap prod/env"],
    },
  ],
  RS002: [
    {
      what: "a key of a volume's items",
      text: `${deployment({ pod: "volumes: [{name: v, configMap: {name: env, items: [{key: B, path: b}]}}]" })}${CONFIG_MAP}`,
      finds: ["the key 'B' of ConfigMap default/env"],
    },
    {
      what: "a key once, however often it is named",
      text: `${deployment({ pod: "containers: [{name: a, env: [{name: X, valueFrom: {configMapKeyRef: {name: env, key: B}}}, {name: Y, valueFrom: {configMapKeyRef: {name: env, key: B}}}]}]" })}${CONFIG_MAP}`,
      finds: ["'B'"],
    },
    {
      what: "not an optional one",
      text: `${deployment({ pod: "containers: [{name: a, env: [{name: X, valueFrom: {configMapKeyRef: {name: env, key: B, optional: true}}}]}]" })}${CONFIG_MAP}`,
    },
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
      finds: ["container app runs the image 'reg.example:5000/web' with imagePullPolicy Never"],
    },
    {
      what: "containers of every sort, and image volumes",
      text: deployment({
        pod: "initContainers: [{name: i, image: a, imagePullPolicy: IfNotPresent}], containers: [{name: c, image: 'a:latest', imagePullPolicy: IfNotPresent}], volumes: [{name: v, image: {reference: a, pullPolicy: IfNotPresent}}]",
      }),
      finds: ["container i", "container c", "volume v"],
    },
    {
      what: "the template of a CronJob",
      text: "apiVersion: batch/v1\nkind: CronJob\nmetadata: {name: c}\nspec: {jobTemplate: {spec: {template: {spec: {containers: [{name: a, image: a, imagePullPolicy: IfNotPresent}]}}}}}",
      finds: ["CronJob c"],
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
      text: workload("StatefulSet", "replicas: 1"),
      finds: ["RollingUpdate with 1 replica, maxUnavailable 1"],
    },
    {
      what: "extensions/v1beta1 with one replica",
      text: workload("Deployment", "replicas: 1", { apiVersion: "extensions/v1beta1" }),
      finds: ["RollingUpdate with 1 replica"],
    },
    {
      what: "all nodes of a DaemonSet at once",
      text: workload("DaemonSet", "updateStrategy: {rollingUpdate: {maxUnavailable: 100%}}"),
      finds: ["one pod a node, maxUnavailable 100%"],
    },
    {
      what: "the least that an autoscaler allows",
      text: `${workload("Deployment", "strategy: {rollingUpdate: {maxUnavailable: 2}}")}---\n{apiVersion: autoscaling/v2, kind: HorizontalPodAutoscaler, metadata: {name: h}, spec: {minReplicas: 2, scaleTargetRef: {apiVersion: apps/v1, kind: Deployment, name: web}}}`,
      finds: ["with 2 replicas, maxUnavailable 2"],
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
      finds: ["the stamp of Deployment web has no effect: it is paused"],
    },
    {
      what: "a bare Pod with a stamp",
      text: `apiVersion: v1\nkind: Pod\nmetadata: {name: p, annotations: {configmap.rollstamp.dev/env: ${STALE}}}\nspec: {}`,
      finds: ["no controller replaces its pods"],
    },
    {
      what: "kubectl's restart of a Job",
      text: workload("Job", "parallelism: 1", {
        apiVersion: "batch/v1",
        template: "annotations: {kubectl.kubernetes.io/restartedAt: '2026-01-01T00:00:00Z'}",
      }),
      finds: ["immutable"],
    },
    {
      what: "a Job that opted in",
      text: workload("Job", "parallelism: 1", {
        apiVersion: "batch/v1",
        metadata: 'annotations: {rollstamp.dev/stamp: "true"}',
      }),
      finds: ["the annotation rollstamp.dev/stamp of Job web"],
    },
    {
      what: "a schedule on OnDelete",
      text: workload("StatefulSet", "updateStrategy: {type: OnDelete}", {
        metadata: 'annotations: {rollstamp.dev/restart-schedule: "@daily"}',
      }),
      finds: ["rollstamp.dev/restart-schedule of StatefulSet web has no effect: OnDelete"],
    },
    {
      what: "an update in place",
      text: `${workload("CloneSet", "updateStrategy: {type: InPlaceIfPossible}", { apiVersion: "apps.kruise.io/v1alpha1", pod: ENV_FROM })}${CONFIG_MAP}`,
      finds: ["in place"],
    },
    {
      what: "a DeploymentConfig without triggers",
      text: `${workload("DeploymentConfig", "triggers: []", { apiVersion: "apps.openshift.io/v1", pod: ENV_FROM })}${CONFIG_MAP}`,
      finds: ["triggers is empty"],
    },
    { what: "not a paused Deployment without a stamp", text: workload("Deployment", "paused: true") },
    {
      what: "not a Job that gets no stamp",
      text: `${workload("Job", "parallelism: 1", { apiVersion: "batch/v1", pod: ENV_FROM })}${CONFIG_MAP}`,
    },
    {
      what: "not a CloneSet that makes its pods anew",
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
      finds: [/immutable, and its content changes: 'a' differs, 'c' is new, 'b' is gone$/u],
    },
    {
      what: "what is to be mutable again",
      text: secret("a: x").slice(4),
      options: { base: secret("a: x", ", immutable: true").slice(4) },
      finds: ["can't become mutable again"],
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
      what: "Reloader's list on the pod template",
      text: `${deployment({ pod: ENV_FROM, template: "annotations: {configmap.reloader.stakater.com/reload: env}" })}${CONFIG_MAP}`,
      finds: ["by Reloader as well, by its annotation 'configmap.reloader.stakater.com/reload'"],
    },
    {
      what: "Wave",
      text: `${deployment({ pod: ENV_FROM, metadata: 'annotations: {wave.pusher.com/update-on-config-change: "true"}' })}${CONFIG_MAP}`,
      finds: ["by Wave as well"],
    },
    {
      what: "Infisical",
      text: `${deployment({ pod: ENV_FROM, metadata: 'annotations: {secrets.infisical.com/auto-reload: "true"}' })}${CONFIG_MAP}`,
      finds: ["the Infisical operator"],
    },
    {
      what: "1Password, on the item",
      text: `${deployment({ pod: SECRET_FROM })}---\n{apiVersion: onepassword.com/v1, kind: OnePasswordItem, metadata: {name: pw, annotations: {operator.1password.io/auto-restart: "true"}}, spec: {itemPath: a}}`,
      finds: ["by the annotation 'operator.1password.io/auto-restart' of OnePasswordItem pw"],
    },
    {
      what: "Vault's targets",
      text: `${deployment({ pod: ENV_FROM })}${CONFIG_MAP}---\n{apiVersion: secrets.hashicorp.com/v1beta1, kind: VaultDynamicSecret, metadata: {name: v}, spec: {rolloutRestartTargets: [{kind: StatefulSet, name: web}, {kind: Deployment, name: web}]}}`,
      finds: ["VaultDynamicSecret v names it"],
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
      finds: ["plain digest of Secret default/pw"],
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
      finds: ["default/pw, default/p2"],
    },
  ],
  RS009: [
    {
      what: "a hand-edited stamp and a hand-edited time",
      text: `${deployment({ pod: ENV_FROM, template: "annotations: {configmap.rollstamp.dev/env: abc, rollstamp.dev/restartedAt: yesterday}" })}${CONFIG_MAP}`,
      finds: [
        "'configmap.rollstamp.dev/env' of Deployment web is edited by hand",
        "'rollstamp.dev/restartedAt' of Deployment web is edited by hand",
      ],
    },
    {
      what: "a stamp of what opted out",
      text: `${deployment({ pod: ENV_FROM, template: `annotations: {configmap.rollstamp.dev/env: ${STALE}}`, metadata: 'annotations: {rollstamp.dev/stamp: "false"}' })}${CONFIG_MAP}`,
      finds: ["left behind: opted out by rollstamp.dev/stamp"],
    },
    {
      what: "the stamp of another layout, and what is missing then",
      text: `${deployment({ pod: ENV_FROM, template: `annotations: {configmap.rollstamp.dev/env: ${STALE}}` })}${CONFIG_MAP}`,
      options: { spec: { layout: "Combined" } },
      finds: ["'rollstamp.dev/config-hash' of Deployment web is missing beside its others", "(layout: Combined)"],
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
      finds: ["stale"],
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
      finds: ["Deployment web sets replicas, and HorizontalPodAutoscaler h scales it"],
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
      finds: ["apps/v1beta1, which Kubernetes serves no more since 1.16: it is apps/v1 now"],
    },
    {
      what: "apps/v1beta2",
      text: workload("ReplicaSet", "replicas: 2", { apiVersion: "apps/v1beta2" }),
      finds: ["1.16"],
    },
    {
      what: "CronJobs of batch/v1beta1",
      text: "apiVersion: batch/v1beta1\nkind: CronJob\nmetadata: {name: c}\nspec: {}",
      finds: ["since 1.25: it is batch/v1 now"],
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
      text: "{apiVersion: secrets-store.csi.x-k8s.io/v1, kind: SecretProviderClass, metadata: {name: s}, spec: {provider: a, secretObjects: [{secretName: x}, {secretName: y}]}}",
      finds: ["SecretProviderClass s is used by no pod template"],
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
      finds: ["ConfigMap env is in only one of two renderings", "ConfigMap env2 is in only one"],
    },
    {
      what: "not another order",
      text: secret("a: x, b: y").slice(4),
      options: { again: secret("b: y, a: x").slice(4) },
    },
    {
      what: "not a workload that differs",
      text: deployment(),
      options: { again: deployment({ template: "labels: {a: b}" }) },
    },
    { what: "not without a second rendering", text: secret("a: x").slice(4) },
  ],
};

for (const [rule, cases] of Object.entries(CASES)) {
  describe(`${rule} finds`, () => {
    for (const { what, text, finds = [], options = {} } of cases) {
      it(what, () => {
        const messages = found(rule, text, options);
        assert.equal(messages.length, finds.length, messages.join("\n") || "nothing is found");
        finds.forEach((part, i) => {
          const message = messages[i] ?? "";
          assert.ok(typeof part === "string" ? message.includes(part) : part.test(message), message);
        });
      });
    }
  });
}

describe("a note in place of a warning", () => {
  it("is what RS007 is where the configuration reads the peer's annotations", () => {
    const text = `${deployment({ pod: ENV_FROM, metadata: 'annotations: {reloader.stakater.com/auto: "true"}' })}${CONFIG_MAP}`;
    const findings = lintText(text, { spec: { compat: ["Reloader"] } }).filter(({ id }) => id === "RS007");
    assert.deepEqual(findings.map(severityOf), ["info"]);
  });
});
