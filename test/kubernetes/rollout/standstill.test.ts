import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { indexClaims } from "../../../src/kubernetes/rollout/claims.ts";
import { rolloutOf } from "../../../src/kubernetes/rollout/mechanics.ts";
import type { Rollout } from "../../../src/kubernetes/rollout/rollout-types.ts";
import { standstillOf, unknownClaim } from "../../../src/kubernetes/rollout/standstill.ts";
import { deployment, object } from "./input.ts";

// What prevents a new pod from starting beside an old one, and the place in the pod template.

const POD = "spec.template.spec";
const claim = (mode: string, metadata = "name: data"): string =>
  object("PersistentVolumeClaim", `accessModes: [${mode}]`, metadata);
const volumes = (...claims: readonly string[]): string =>
  `containers: [{name: app}], volumes: [{name: tmp, emptyDir: {}}, ${claims.map((name) => `{name: ${name}, persistentVolumeClaim: {claimName: ${name}}}`).join(", ")}]`;
const ports = (port: string, more = ""): string =>
  `${more}containers: [{name: side, ports: [{containerPort: 9}]}, {name: app, ports: [{containerPort: 1}, {${port}}]}]`;
const term = (selector: string, more = ""): string =>
  `{topologyKey: zone, ${selector === "" ? "" : `labelSelector: {${selector}}`}${more}}`;
const apart = (...terms: readonly string[]): string =>
  `containers: [{name: app}], affinity: {podAntiAffinity: {requiredDuringSchedulingIgnoredDuringExecution: [${terms.join(", ")}]}}`;
const WEB = "matchLabels: {app: web}";
const REQUIRED = `${POD}.affinity.podAntiAffinity.requiredDuringSchedulingIgnoredDuringExecution`;

const rolloutIn = (kind: string, replicas: number | undefined, maxUnavailable = 0): Rollout => {
  const found = rolloutOf({
    apiVersion: "apps/v1",
    kind,
    rollsBy: "template",
    replicas,
    strategy: { maxSurge: 1, maxUnavailable },
  });
  return found;
};
const BESIDE = (): Rollout => rolloutIn("Deployment", 3);
const ALONE = (): Rollout => rolloutIn("Deployment", 1);
const A_NODE_EACH = (): Rollout => rolloutIn("DaemonSet", undefined);

interface Row {
  readonly pod: string;
  readonly more?: readonly string[];
  readonly rollout?: () => Rollout;
  /** `cause field`, and the parameters of the finding other than the workload. */
  readonly hangs?: string;
  readonly params?: object;
}

describe("a rollout can get stuck", () => {
  const ROWS: Readonly<Record<string, Row>> = {
    "not without a reason": { pod: "containers: [{name: app}]" },
    "not where an old pod goes first": {
      pod: volumes("data"),
      more: [claim("ReadWriteOncePod")],
      rollout: () => rolloutIn("Deployment", 3, 1),
    },

    "by a claim of one pod": {
      pod: volumes("data"),
      more: [claim("ReadWriteOncePod")],
      hangs: `volume ${POD}.volumes[1]`,
      params: { claim: "data", mode: "ReadWriteOncePod" },
    },
    "by a claim of one node": {
      pod: volumes("data"),
      more: [claim("ReadWriteOnce")],
      hangs: `volume ${POD}.volumes[1]`,
      params: { claim: "data", mode: "ReadWriteOnce" },
    },
    "by the second claim": {
      pod: volumes("missing", "shared", "data"),
      more: [claim("ReadWriteMany", "name: shared"), claim("ReadWriteOnce")],
      hangs: `volume ${POD}.volumes[3]`,
      params: { claim: "data", mode: "ReadWriteOnce" },
    },
    "not by a claim of several nodes": { pod: volumes("data"), more: [claim("ReadWriteMany")] },
    "not by one of another namespace": {
      pod: volumes("data"),
      more: [claim("ReadWriteOncePod", "name: data, namespace: other")],
    },
    "not by one of a node that all pods are on": {
      pod: `nodeName: a, ${volumes("data")}`,
      more: [claim("ReadWriteOnce")],
    },
    "not by one of a node that all pods ask for": {
      pod: `nodeSelector: {kubernetes.io/hostname: a}, ${volumes("data")}`,
      more: [claim("ReadWriteOnce")],
    },
    "by one of a node where pods ask for several nodes": {
      pod: `nodeSelector: {kubernetes.io/os: linux}, ${volumes("data")}`,
      more: [claim("ReadWriteOnce")],
      hangs: `volume ${POD}.volumes[1]`,
    },
    "by one of one pod, on one node too": {
      pod: `nodeName: a, ${volumes("data")}`,
      more: [claim("ReadWriteOncePod")],
      hangs: `volume ${POD}.volumes[1]`,
    },
    "not by a claim where there is one pod a node": {
      pod: volumes("data"),
      more: [claim("ReadWriteOncePod")],
      rollout: A_NODE_EACH,
    },
    "by a claim rather than a port": {
      pod: `hostNetwork: true, ${volumes("data").replace("{name: app}", "{name: app, ports: [{containerPort: 80}]}")}`,
      more: [claim("ReadWriteOncePod")],
      hangs: `volume ${POD}.volumes[1]`,
    },

    "by a port of the node": {
      pod: ports("containerPort: 80, hostPort: 8080"),
      hangs: `hostPort ${POD}.containers[1].ports[1]`,
      params: { port: 8080 },
    },
    "by the only pod's port": {
      pod: ports("containerPort: 80, hostPort: 8080"),
      rollout: ALONE,
      hangs: `singlePodHostPort ${POD}.containers[1].ports[1]`,
      params: { port: 8080 },
    },
    "by the only pod's port on its only node": {
      pod: ports("containerPort: 80, hostPort: 8080", "nodeName: a, "),
      rollout: ALONE,
      hangs: `hostPort ${POD}.containers[1].ports[1]`,
    },
    "by a port of each node": {
      pod: ports("containerPort: 80, hostPort: 8080"),
      rollout: A_NODE_EACH,
      hangs: `surgingHostPort ${POD}.containers[1].ports[1]`,
      params: { port: 8080 },
    },
    "not by a port of the pod": { pod: ports("containerPort: 80") },
    "not by no port": { pod: ports("containerPort: 80, hostPort: 0") },
    "by any port in the node's network": {
      pod: ports("containerPort: 80, hostPort: 8080", "hostNetwork: true, "),
      hangs: `hostPort ${POD}.containers[0].ports[0]`,
      params: { port: 9 },
    },
    "not by any port outside of it": { pod: ports("containerPort: 80", "hostNetwork: false, ") },
    "not by a port of an init container, which is gone": {
      pod: "initContainers: [{name: first, ports: [{containerPort: 80, hostPort: 80}]}], containers: [{name: app}]",
    },
    "by a port of a sidecar, which is not": {
      pod: "initContainers: [{name: side, restartPolicy: Always, ports: [{containerPort: 80, hostPort: 80}]}], containers: [{name: app}]",
      hangs: `hostPort ${POD}.initContainers[0].ports[0]`,
      params: { port: 80 },
    },
    "by a port rather than by anti-affinity": {
      pod: `hostNetwork: true, ${apart(term(WEB)).replace("{name: app}", "{name: app, ports: [{containerPort: 80}]}")}`,
      hangs: `hostPort ${POD}.containers[0].ports[0]`,
    },

    "by anti-affinity to its own pods": {
      pod: apart(term(WEB)),
      hangs: `antiAffinity ${REQUIRED}[0]`,
      params: { topologyKey: "zone" },
    },
    "by the second term of it": {
      pod: apart(term("matchLabels: {app: db}"), term(WEB)),
      hangs: `antiAffinity ${REQUIRED}[1]`,
    },
    "by anti-affinity to all pods": { pod: apart(term("matchLabels: {}")), hangs: `antiAffinity ${REQUIRED}[0]` },
    "not by anti-affinity to no pods": { pod: apart(term("")) },
    "not by anti-affinity without a topology": { pod: apart(`{labelSelector: {${WEB}}}`) },
    "not by anti-affinity to others": { pod: apart(term("matchLabels: {app: db}")) },
    "not by a selector that is none": { pod: apart(term("matchExpressions: [{key: app, operator: Near}]")) },
    "not by anti-affinity to pods of another namespace": { pod: apart(term(WEB, ", namespaces: [other]")) },
    "by anti-affinity to pods of several namespaces, its own among them": {
      pod: apart(term(WEB, ", namespaces: [other, default]")),
      hangs: `antiAffinity ${REQUIRED}[0]`,
    },
    "by anti-affinity to pods of namespaces that labels tell": {
      pod: apart(term(WEB, ", namespaces: [other], namespaceSelector: {}")),
      hangs: `antiAffinity ${REQUIRED}[0]`,
    },
    "not by anti-affinity within a revision": { pod: apart(term(WEB, ", matchLabelKeys: [pod-template-hash]")) },
    "by anti-affinity with no such labels": {
      pod: apart(term(WEB, ", matchLabelKeys: []")),
      hangs: `antiAffinity ${REQUIRED}[0]`,
    },
    "by the only pod's anti-affinity": {
      pod: apart(`{topologyKey: kubernetes.io/hostname, labelSelector: {${WEB}}}`),
      rollout: ALONE,
      hangs: `singlePodAntiAffinity ${REQUIRED}[0]`,
      params: { topologyKey: "kubernetes.io/hostname" },
    },
    "by the only pod's anti-affinity on its only node": {
      pod: `nodeName: a, ${apart(`{topologyKey: kubernetes.io/hostname, labelSelector: {${WEB}}}`)}`,
      rollout: ALONE,
      hangs: `antiAffinity ${REQUIRED}[0]`,
    },
    "by the only pod's anti-affinity of zones": {
      pod: apart(term(WEB)),
      rollout: ALONE,
      hangs: `antiAffinity ${REQUIRED}[0]`,
    },
    "not by anti-affinity where there is one pod a node": { pod: apart(term(WEB)), rollout: A_NODE_EACH },
  };
  for (const [what, { pod, more = [], rollout = BESIDE, hangs, params }] of Object.entries(ROWS)) {
    it(what, () => {
      const { items, workload, template } = deployment(pod, { more });
      const found = standstillOf({ workload, template, rollout: rollout() }, () => indexClaims(items, "default"));
      assert.equal(found === undefined ? undefined : `${found.data.cause} ${found.field}`, hangs);
      // For a single pod, another node is enough.
      assert.equal(found?.isFreeElsewhere, hangs?.startsWith("singlePod") === true ? true : undefined);
      assert.equal(found?.claim?.name, hangs?.startsWith("volume") === true ? "data" : undefined);
      if (params !== undefined)
        assert.deepEqual(found?.data, {
          id: "RS015",
          cause: hangs?.split(" ")[0],
          params: { workload: { apiVersion: "apps/v1", kind: "Deployment", name: "web" }, ...params },
        });
    });
  }
});

describe("a claim that is not in the input", () => {
  const ROWS: readonly (readonly [string, string, readonly string[], () => Rollout, string | undefined])[] = [
    ["is reported", volumes("data"), [], BESIDE, "data"],
    [
      "is the first of several",
      volumes("known", "data", "more"),
      [claim("ReadWriteOnce", "name: known")],
      BESIDE,
      "data",
    ],
    [
      "is one of another namespace",
      volumes("data"),
      [claim("ReadWriteOnce", "name: data, namespace: b")],
      BESIDE,
      "data",
    ],
    ["is none that it has", volumes("data"), [claim("ReadWriteMany")], BESIDE, undefined],
    [
      "is none without a claim",
      "containers: [{name: app}], volumes: [{name: tmp, emptyDir: {}}]",
      [],
      BESIDE,
      undefined,
    ],
    ["is no matter where an old pod goes first", volumes("data"), [], () => rolloutIn("Deployment", 3, 1), undefined],
    ["is no matter where there is one pod a node", volumes("data"), [], A_NODE_EACH, undefined],
  ];
  for (const [what, pod, more, rollout, expected] of ROWS) {
    it(what, () => {
      const { items, workload, template } = deployment(pod, { more });
      const found = unknownClaim({ workload, template, rollout: rollout() }, () => indexClaims(items, "default"));
      assert.equal(found, expected);
    });
  }
});
