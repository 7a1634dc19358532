import assert from "node:assert/strict";
import { describe, it } from "node:test";
import type { ConfigHashOptions } from "../../../src/base/config-hash-options.ts";
import { stamp } from "../../../src/main/index.ts";

// The labels with a version that `versionLabels: Remove` keeps, by what uses them. Each row is one object next to a
// Deployment with all three.

const LABELS = ["helm.sh/chart", "chart", "app.kubernetes.io/version"];
const POD = `    metadata: {labels: {app: web, helm.sh/chart: web-1, chart: web-1, app.kubernetes.io/version: "1"}}
    spec: {containers: [{name: app, image: a, envFrom: [{configMapRef: {name: env}}]}]}
`;
const ENV = "---\napiVersion: v1\nkind: ConfigMap\nmetadata: {name: env}\ndata: {a: b}\n";
const web = (apiVersion: string, kind: string, more = ""): string =>
  `---\napiVersion: ${apiVersion}\nkind: ${kind}\nmetadata: {name: web, labels: {helm.sh/chart: web-1}}\nspec:\n${more}  template:\n${POD}`;

function kept(text: string, options: ConfigHashOptions = {}): string[] {
  const { text: stamped } = stamp(text, { versionLabels: "Remove", ...options });
  const template = /template:\n {4}metadata: (?<metadata>\{.*\})\n/u.exec(stamped)?.groups?.["metadata"] ?? "";
  return LABELS.filter((label) => template.includes(` ${label}: `));
}

const other = (apiVersion: string, kind: string, spec: string): string =>
  `---\napiVersion: ${apiVersion}\nkind: ${kind}\nmetadata: {name: other, labels: {helm.sh/chart: web-1, chart: web-1}, annotations: {description: "asks for app.kubernetes.io/version"}}\nspec: ${spec}\n`;

/** The object, and the labels that are kept because of it. */
const ROWS: readonly (readonly [string, string, readonly string[]])[] = [
  // Selectors.
  ["v1 Service", "{selector: {app: web, helm.sh/chart: web-1}}", ["helm.sh/chart"]],
  ["v1 Service", "{selector: {app: other, helm.sh/chart: other-1}}", ["helm.sh/chart"]],
  ["policy/v1 PodDisruptionBudget", "{selector: {matchLabels: {chart: web-1}}}", ["chart"]],
  [
    "policy/v1 PodDisruptionBudget",
    "{selector: {matchExpressions: [{key: app.kubernetes.io/version, operator: Exists}]}}",
    ["app.kubernetes.io/version"],
  ],
  ["monitoring.coreos.com/v1 PodMonitor", "{selector: {matchLabels: {helm.sh/chart: web-1}}}", ["helm.sh/chart"]],
  [
    "monitoring.coreos.com/v1 PodMonitor",
    "{jobLabel: chart, podTargetLabels: [app.kubernetes.io/version], selector: {matchLabels: {app: web}}}",
    ["chart", "app.kubernetes.io/version"],
  ],
  [
    "networking.istio.io/v1alpha3 EnvoyFilter",
    "{workloadSelector: {labels: {app.kubernetes.io/version: '1'}}}",
    ["app.kubernetes.io/version"],
  ],
  ["networking.istio.io/v1 DestinationRule", "{subsets: [{name: one, labels: {chart: web-1}}]}", ["chart"]],
  [
    "cilium.io/v2 CiliumNetworkPolicy",
    "{endpointSelector: {matchLabels: {'any:helm.sh/chart': web-1}}}",
    ["helm.sh/chart"],
  ],
  [
    "cilium.io/v2 CiliumNetworkPolicy",
    "{endpointSelector: {matchExpressions: [{key: 'any:chart', operator: In, values: [web-1]}]}}",
    ["chart"],
  ],
  ["cilium.io/v2 CiliumNetworkPolicy", "{endpointSelector: {matchLabels: {'k8s:chart': web-1}}}", ["chart"]],
  ["chaos-mesh.org/v1alpha1 PodChaos", "{selector: {labelSelectors: {helm.sh/chart: web-1}}}", ["helm.sh/chart"]],
  ["v1 PersistentVolume", "{nodeAffinity: {required: {nodeSelectorTerms: []}}, nodeSelector: {chart: a}}", []],
  // Policies, which may reject a pod without the label. Texts for people count, too.
  [
    "kyverno.io/v1 ClusterPolicy",
    "{rules: [{validate: {message: 'a chart is named', pattern: {metadata: {labels: {app.kubernetes.io/version: '?*'}}}}}]}",
    ["app.kubernetes.io/version"],
  ],
  [
    "kyverno.io/v1 ClusterPolicy",
    "{rules: [{validate: {anyPattern: [{metadata: {labels: {=(helm.sh/chart): '?*'}}}, {metadata: {labels: {chart: '?*'}}}]}}]}",
    ["helm.sh/chart", "chart"],
  ],
  [
    "kyverno.io/v1 Policy",
    "{rules: [{validate: {deny: {conditions: {any: [{key: \"{{ request.object.metadata.labels.\\\"helm.sh/chart\\\" || '' }}\", operator: Equals, value: ''}]}}}}]}",
    ["helm.sh/chart"],
  ],
  ["kyverno.io/v1 ClusterPolicy", '{rules: [{validate: {message: "no helm.sh/chart"}}]}', ["helm.sh/chart"]],
  [
    "admissionregistration.k8s.io/v1 ValidatingAdmissionPolicy",
    "{validations: [{expression: \"'helm.sh/chart' in object.metadata.labels\"}]}",
    ["helm.sh/chart"],
  ],
  [
    "admissionregistration.k8s.io/v1 ValidatingAdmissionPolicy",
    '{validations: [{expression: has(object.metadata.labels.chart), message: "charts, helm.sh/charts"}]}',
    ["chart"],
  ],
  [
    "constraints.gatekeeper.sh/v1beta1 K8sRequiredLabels",
    "{parameters: {labels: [{key: helm.sh/chart}, {key: app}]}}",
    ["helm.sh/chart"],
  ],
  ["constraints.gatekeeper.sh/v1beta1 K8sRequiredLabels", "{parameters: {labels: [chart]}}", ["chart"]],
  [
    "templates.gatekeeper.sh/v1 ConstraintTemplate",
    '{targets: [{rego: "not input.review.object.metadata.labels[\\"app.kubernetes.io/version\\"]"}]}',
    ["app.kubernetes.io/version"],
  ],
  // Other groups: their form says nothing about labels.
  ["example.com/v1 Report", "{pattern: {metadata: {labels: {helm.sh/chart: web-1}}}, text: helm.sh/chart}", []],
];

describe("labels with a version are kept if something uses them", () => {
  for (const [what, spec, labels] of ROWS) {
    it(`${what}: ${spec}`, () => {
      const [apiVersion = "", kind = ""] = what.split(" ");
      assert.deepEqual(kept(ENV + web("apps/v1", "Deployment") + other(apiVersion, kind, spec)), labels);
    });
  }

  it("says that a policy may reject pods", () => {
    const policy = other(
      "kyverno.io/v1",
      "ClusterPolicy",
      "{rules: [{validate: {pattern: {metadata: {labels: {chart: '?*'}}}}}]}",
    );
    const { results } = stamp(ENV + web("apps/v1", "Deployment") + policy, { versionLabels: "Remove" });
    const messages = results.flatMap(({ message, tags }) => (tags?.["rule"] === "chart-label" ? message : []));
    assert.equal(messages.length, 1);
    assert.match(messages[0] ?? "", /keeps the label 'chart': ClusterPolicy other names it and may reject pods/u);
  });

  it("are kept on Jobs, whose templates are immutable, unless Jobs are stamped", () => {
    const job = ENV + web("batch/v1", "Job");
    assert.deepEqual(kept(job), LABELS);
    assert.deepEqual(kept(job, { jobs: "Stamp" }), []);
    assert.match(stamp(job, { versionLabels: "Remove", jobs: "Stamp" }).text, /labels: \{helm\.sh\/chart: web-1\}/u);
  });
});
