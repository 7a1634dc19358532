import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { toJson, type Json } from "../../../src/yaml/read/node.ts";
import { NONE } from "../../../src/yaml/read/tree.ts";
import { compare } from "../../../src/kubernetes/rollout/compare.ts";
import { pullPolicy } from "../../../src/kubernetes/rollout/pod-defaults.ts";
import { POD_TEMPLATE } from "../../../src/kubernetes/rollout/pod-types.ts";
import { parseQuantity, quantityKey } from "../../../src/kubernetes/rollout/quantity.ts";
import { readTree } from "../../support/trees.ts";

// What rolls and what doesn't was seen on a real control plane (docs/reference/plan.md); the types and
// defaults are Kubernetes' own.

function json(yaml: string): Json {
  const tree = readTree(yaml, "template.yaml");
  return toJson(tree, tree.documents[0] ?? NONE);
}

/** A pod template with one container, `app`, of image web:1; the texts are YAML in flow style. */
function template(container: string, more = "", metadata = ""): Json {
  const fields = container === "" ? "" : `, ${container}`;
  return json(
    `{metadata: {${metadata}}, spec: {containers: [{name: app, image: "web:1"${fields}}]${more === "" ? "" : `, ${more}`}}}`,
  );
}

function changes(a: Json, b: Json, quantitiesByText = false): string[] {
  return compare(POD_TEMPLATE, a, b, { quantitiesByText }).map(({ path }) => path);
}

describe("pod templates that are equal after defaulting", () => {
  const SAME: readonly (readonly [name: string, a: Json, b: Json])[] = [
    ["cpu 1000m and 1", template("resources: {limits: {cpu: 1000m}}"), template('resources: {limits: {cpu: "1"}}')],
    ["cpu 1 as a number", template("resources: {limits: {cpu: 1}}"), template('resources: {limits: {cpu: "1"}}')],
    [
      "memory 1Gi and 1024Mi",
      template("resources: {limits: {memory: 1Gi}}"),
      template("resources: {limits: {memory: 1024Mi}}"),
    ],
    [
      "memory 1Gi and its bytes",
      template("resources: {limits: {memory: 1Gi}}"),
      template('resources: {limits: {memory: "1073741824"}}'),
    ],
    [
      "0.1m, rounded up to thousandths",
      template("resources: {limits: {cpu: 100u}}"),
      template("resources: {limits: {cpu: 1m}}"),
    ],
    ["an explicit imagePullPolicy", template(""), template("imagePullPolicy: IfNotPresent")],
    [
      "terminationMessagePath",
      template(""),
      template("terminationMessagePath: /dev/termination-log, terminationMessagePolicy: File"),
    ],
    ["env: [] added", template(""), template("env: []")],
    ["empty resources", template(""), template("resources: {limits: {}, requests: null}")],
    ["an empty value of env", template("env: [{name: A}]"), template('env: [{name: A, value: ""}]')],
    [
      "a port's protocol",
      template("ports: [{containerPort: 80}]"),
      template("ports: [{containerPort: 80, protocol: TCP}]"),
    ],
    [
      "a probe's figures",
      template("livenessProbe: {httpGet: {port: 80}}"),
      template(
        "livenessProbe: {httpGet: {port: 80, path: /, scheme: HTTP}, periodSeconds: 10, timeoutSeconds: 1, successThreshold: 1, failureThreshold: 3, initialDelaySeconds: 0}",
      ),
    ],
    [
      "a zero that the default replaces",
      template("livenessProbe: {tcpSocket: {port: 80}}"),
      template("livenessProbe: {tcpSocket: {port: 80}, timeoutSeconds: 0}"),
    ],
    ["tty: false", template(""), template("tty: false, stdin: false")],
    [
      "the pod's defaults",
      template(""),
      template(
        "",
        "restartPolicy: Always, dnsPolicy: ClusterFirst, schedulerName: default-scheduler, securityContext: {}, terminationGracePeriodSeconds: 30, hostNetwork: false, nodeSelector: {}",
      ),
    ],
    [
      "the old name of serviceAccountName",
      template("", "serviceAccount: web"),
      template("", "serviceAccountName: web, serviceAccount: web"),
    ],
    [
      "a volume's mode",
      template("", "volumes: [{name: a, configMap: {name: web}}]"),
      template("", "volumes: [{name: a, configMap: {name: web, defaultMode: 420}}]"),
    ],
    [
      "a volume without a source",
      template("", "volumes: [{name: a}]"),
      template("", "volumes: [{name: a, emptyDir: {}}]"),
    ],
    [
      "a projected token",
      template("", "volumes: [{name: a, projected: {sources: [{serviceAccountToken: {path: t}}]}}]"),
      template(
        "",
        "volumes: [{name: a, projected: {defaultMode: 420, sources: [{serviceAccountToken: {path: t, expirationSeconds: 3600}}]}}]",
      ),
    ],
    ["map order", template("", "", "labels: {a: x, b: y}"), template("", "", "labels: {b: y, a: x}")],
    ["creationTimestamp: null", template(""), template("", "", "creationTimestamp: null")],
    ["null fields", template(""), template("env: null, livenessProbe: null", "volumes: null")],
    [
      "a field of the downward API",
      template("env: [{name: A, valueFrom: {fieldRef: {fieldPath: metadata.name}}}]"),
      template("env: [{name: A, valueFrom: {fieldRef: {apiVersion: v1, fieldPath: metadata.name}}}]"),
    ],
  ];
  for (const [name, a, b] of SAME) {
    it(name, () => {
      assert.deepEqual(changes(a, b), []);
      assert.deepEqual(changes(b, a), []);
    });
  }
});

describe("pod templates that differ", () => {
  const DIFFERENT: readonly (readonly [name: string, path: string, a: Json, b: Json])[] = [
    [
      "an image",
      "spec.containers[name=app].image",
      template(""),
      json('{spec: {containers: [{name: app, image: "web:2"}]}}'),
    ],
    [
      "an annotation",
      'metadata.annotations["example.com/a"]',
      template(""),
      template("", "", "annotations: {example.com/a: b}"),
    ],
    ["an empty annotation", "metadata.annotations.a", template(""), template("", "", 'annotations: {a: ""}')],
    [
      "optional: false, a pointer",
      "spec.containers[name=app].envFrom[0].configMapRef.optional",
      template("envFrom: [{configMapRef: {name: a}}]"),
      template("envFrom: [{configMapRef: {name: a, optional: false}}]"),
    ],
    [
      "securityContext: {} of a container, a pointer",
      "spec.containers[name=app].securityContext",
      template(""),
      template("securityContext: {}"),
    ],
    [
      "terminationGracePeriodSeconds: 0, a pointer",
      "spec.terminationGracePeriodSeconds",
      template(""),
      template("", "terminationGracePeriodSeconds: 0"),
    ],
    ["an order of args", "spec.containers[name=app].args", template("args: [a, b]"), template("args: [b, a]")],
    [
      "an order of env",
      "spec.containers[name=app].env",
      template("env: [{name: A, value: a}, {name: B, value: b}]"),
      template("env: [{name: B, value: b}, {name: A, value: a}]"),
    ],
    [
      "a variable that is added",
      "spec.containers[name=app].env[name=B]",
      template("env: [{name: A, value: a}]"),
      template("env: [{name: A, value: a}, {name: B, value: b}]"),
    ],
    [
      "a port by number and by name",
      "spec.containers[name=app].livenessProbe.tcpSocket.port",
      template("livenessProbe: {tcpSocket: {port: 80}}"),
      template('livenessProbe: {tcpSocket: {port: "80"}}'),
    ],
    [
      "cpu 1 and 1001m",
      "spec.containers[name=app].resources.limits.cpu",
      template("resources: {limits: {cpu: 1}}"),
      template("resources: {limits: {cpu: 1001m}}"),
    ],
    [
      "a limit of 0",
      "spec.containers[name=app].resources.limits.cpu",
      template(""),
      template("resources: {limits: {cpu: 0}}"),
    ],
    ["a field that Kubernetes doesn't know", "spec.containers[name=app].colour", template(""), template("colour: red")],
    [
      "a volume's kind",
      "spec.volumes[name=a].secret",
      template("", "volumes: [{name: a}]"),
      template("", "volumes: [{name: a, secret: {secretName: web}}]"),
    ],
    [
      "one of two elements of a list without names",
      "spec.tolerations[1].key",
      template("", "tolerations: [{key: a}, {key: b}]"),
      template("", "tolerations: [{key: a}, {key: c}]"),
    ],
  ];
  for (const [name, path, a, b] of DIFFERENT) {
    it(name, () => {
      assert.ok(changes(a, b).includes(path), `${changes(a, b).join(", ")} lacks ${path}`);
      assert.equal(changes(b, a).length, changes(a, b).length);
    });
  }

  it("an image change that also changes the default imagePullPolicy is reported once", () => {
    const latest = json('{spec: {containers: [{name: app, image: "web:latest"}]}}');
    assert.deepEqual(changes(template(""), latest), ["spec.containers[name=app].image"]);
  });

  it("a default that is replaced by a value is shown with that value", () => {
    const [change] = compare(POD_TEMPLATE, template(""), template("imagePullPolicy: Always"), {
      quantitiesByText: false,
    });
    assert.deepEqual(
      [change?.path, change?.from, change?.to],
      ["spec.containers[name=app].imagePullPolicy", "IfNotPresent", "Always"],
    );
  });

  it("a StatefulSet or DaemonSet rolls for another suffix of one quantity, a Deployment does not", () => {
    const a = template("resources: {limits: {memory: 1Gi}}");
    const b = template('resources: {limits: {memory: "1073741824"}}');
    assert.deepEqual(changes(a, b, true), ["spec.containers[name=app].resources.limits.memory"]);
    assert.deepEqual(changes(a, template("resources: {limits: {memory: 1024Mi}}"), true), []);
  });
});

describe("quantities", () => {
  const value = (text: string): bigint | undefined => parseQuantity(text)?.nano;
  const unit = 1_000_000_000n;
  it("are read with every suffix", () => {
    const TABLE: Readonly<Record<string, bigint>> = {
      "1": unit,
      "+1": unit,
      "-1": -unit,
      "1.": unit,
      ".5": unit / 2n,
      "0.5": unit / 2n,
      "100m": unit / 10n,
      "1u": 1000n,
      "1n": 1n,
      "1k": unit * 1000n,
      "1M": unit * 10n ** 6n,
      "1G": unit * 10n ** 9n,
      "1T": unit * 10n ** 12n,
      "1P": unit * 10n ** 15n,
      "1E": unit * 10n ** 18n,
      "1Ki": unit * 1024n,
      "1Mi": unit << 20n,
      "1.5Gi": (unit * 3n) << 29n,
      "1Ti": unit << 40n,
      "1Pi": unit << 50n,
      "1Ei": unit << 60n,
      "1e3": unit * 1000n,
      "1E3": unit * 1000n,
      "5e-1": unit / 2n,
    };
    for (const [text, nano] of Object.entries(TABLE)) assert.equal(value(text), nano, text);
  });
  it("are rounded up where they are finer than a billionth", () => assert.equal(value("0.0000000001"), 1n));
  it("are none where they are none", () => {
    for (const text of ["", "1x", "a", "1 Gi", "--1", ".", "1KI"]) assert.equal(value(text), undefined, text);
  });
  it("that are invalid are equal only to themselves", () => {
    const exact = { milli: false, byText: false };
    assert.notEqual(quantityKey("1x", exact), quantityKey("1y", exact));
  });
});

describe("the default of imagePullPolicy", () => {
  const TABLE: Readonly<Record<string, string>> = {
    web: "Always",
    "web:latest": "Always",
    "web:1": "IfNotPresent",
    "": "IfNotPresent",
    "registry:5000/web": "Always",
    "registry:5000/web:1": "IfNotPresent",
    "web@sha256:abc": "IfNotPresent",
    "web:latest@sha256:abc": "IfNotPresent",
  };
  for (const [image, policy] of Object.entries(TABLE))
    it(`${image}: ${policy}`, () => assert.equal(pullPolicy(image), policy));
});
