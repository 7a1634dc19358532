import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { parseSelector } from "../../../src/base/selector.ts";
import { planned, reasons, workload } from "./planned.ts";

// What of a pod template counts as changed, by kind: where a custom kind keeps it, what reaches its pods,
// and what two renderings of one text may differ in.

const CONFIG = "apiVersion: v1\nkind: ConfigMap\nmetadata: {name: env}\ndata: {a: one}\n";
const stream = (...documents: readonly string[]): string => documents.join("---\n");
const changes = (base: string, head: string): string[] =>
  planned(base, head).workloads.flatMap(({ name }) => reasons(planned(base, head), name));

const custom =
  (apiVersion: string, kind: string) =>
  (spec: string): string =>
    `apiVersion: ${apiVersion}\nkind: ${kind}\nmetadata: {name: web}\nspec: ${spec}\n`;
const deployment = custom("apps/v1", "Deployment");
const prometheus = custom("monitoring.coreos.com/v1", "Prometheus");
const postgres = custom("acid.zalan.do/v1", "postgresql");
const cnpg = custom("postgresql.cnpg.io/v1", "Cluster");

describe("a pod template is compared as kubectl reads it", () => {
  const volume = (mode: string): string => deployment(`{template: {spec: {volumes: [{configMap: {name: a${mode}}}]}}}`);
  const ROWS: readonly (readonly [string, string, string, readonly string[]])[] = [
    ["the default mode as an octal number", volume(""), volume(", defaultMode: 0644"), []],
    ["one mode, written in two ways", volume(", defaultMode: 0600"), volume(", defaultMode: 384"), []],
    [
      "another mode, in decimals as the cluster has it",
      volume(", defaultMode: 0600"),
      volume(", defaultMode: 0644"),
      ["spec.volumes[0].configMap.defaultMode: 384 → 420"],
    ],
    [
      "a boolean of YAML 1.1",
      deployment("{template: {spec: {hostNetwork: yes}}}"),
      deployment("{template: {spec: {hostNetwork: true}}}"),
      [],
    ],
    [
      "a key that is null, which kubectl rejects",
      deployment("{template: {metadata: {labels: {~: a}}}}"),
      deployment("{template: {metadata: {labels: {~: b}}}}"),
      ['metadata.labels["~"]: a → b'],
    ],
  ];
  for (const [name, base, head, expected] of ROWS) it(name, () => assert.deepEqual(changes(base, head), expected));
  it("and so is the number of its pods", () =>
    assert.equal(
      workload(
        planned(
          deployment("{replicas: 010, template: {metadata: {labels: {a: b}}}}"),
          deployment("{replicas: 010, template: {metadata: {labels: {a: c}}}}"),
        ),
        "web",
      ).pods,
      8,
    ));
});

describe("the pod template of a kind that keeps it in one mapping", () => {
  const template = (text: string): string => deployment(`{template: ${text}}`);
  const ROWS: readonly (readonly [string, string, string, readonly string[]])[] = [
    [
      "labels",
      "{metadata: {labels: {a: b}}, spec: {containers: []}}",
      "{metadata: {labels: {a: c}}, spec: {containers: []}}",
      ["metadata.labels.a: b → c"],
    ],
    [
      "labels that come",
      "{spec: {containers: []}}",
      "{metadata: {labels: {a: c}}, spec: {containers: []}}",
      ["metadata.labels.a: c added"],
    ],
    [
      "finalizers, and all else of its metadata",
      "{metadata: {}, spec: {containers: []}}",
      "{metadata: {finalizers: [x]}, spec: {containers: []}}",
      ["metadata.finalizers changed (its values are not shown)"],
    ],
    [
      "its spec before its metadata",
      "{metadata: {labels: {a: b}}, spec: {hostNetwork: false, containers: []}}",
      "{metadata: {labels: {a: c}}, spec: {hostNetwork: true, containers: []}}",
      ["spec.hostNetwork: true added", "metadata.labels.a: b → c"],
    ],
    [
      "fields of its spec that stand beside the pods elsewhere",
      "{spec: {replicas: 1, paused: true}}",
      "{spec: {replicas: 2, paused: false}}",
      ["spec.paused: true → false", "spec.replicas: 1 → 2"],
    ],
  ];
  for (const [name, base, head, expected] of ROWS) {
    it(`differs by ${name}`, () => assert.deepEqual(changes(template(base), template(head)), expected));
  }
  it("without a spec on one side differs", () => {
    assert.deepEqual(changes(template("{metadata: {}}"), template("{spec: {hostNetwork: true}}")), [
      "spec.hostNetwork: true added",
    ]);
    assert.deepEqual(changes(template("{spec: {hostNetwork: true}}"), template("{metadata: {}}")), [
      "spec.hostNetwork: true removed",
    ]);
  });
});

describe("the pods of a kind whose pod spec is its own", () => {
  const ROWS: readonly (readonly [string, string, string, readonly string[]])[] = [
    [
      "are other ones by an annotation",
      prometheus("{podMetadata: {annotations: {a: b}}}"),
      prometheus("{podMetadata: {annotations: {a: c}}}"),
      ["metadata.annotations.a changed (its values are not shown)"],
    ],
    [
      "are other ones by a label",
      prometheus("{podMetadata: {labels: {a: b}}}"),
      prometheus("{podMetadata: {labels: {a: c}}}"),
      ["metadata.labels.a: b → c"],
    ],
    [
      "are other ones by a field of the spec",
      prometheus("{podMetadata: {}, image: a}"),
      prometheus("{podMetadata: {}, image: b}"),
      ["spec.image: a → b"],
    ],
    [
      "are the same whatever the name of their metadata",
      prometheus("{podMetadata: {name: a}, image: a}"),
      prometheus("{podMetadata: {name: b}, image: a}"),
      [],
    ],
    [
      "are the same when it scales, is paused or suspended",
      prometheus("{image: a, replicas: 1, shards: 1, paused: false, suspend: false}"),
      prometheus("{image: a, replicas: 2, shards: 3, paused: true, suspend: true}"),
      [],
    ],
    [
      "have no labels from a mapping of annotations alone",
      postgres("{podAnnotations: {labels: a}}"),
      postgres("{podAnnotations: {labels: a}, other: {labels: {a: b}}}"),
      [],
    ],
    [
      "are other ones by a mapping of annotations alone",
      postgres("{podAnnotations: {a: b}}"),
      postgres("{podAnnotations: {a: c}}"),
      ["metadata.annotations.a changed (its values are not shown)"],
    ],
    [
      "are other ones by labels that they inherit",
      cnpg("{inheritedMetadata: {labels: {a: b}}}"),
      cnpg("{inheritedMetadata: {labels: {a: c}}}"),
      ["metadata.labels.a: b → c"],
    ],
  ];
  for (const [name, base, head, expected] of ROWS) it(name, () => assert.deepEqual(changes(base, head), expected));
});

describe("a bare Pod", () => {
  const pod = (metadata: string, spec: string): string =>
    `apiVersion: v1\nkind: Pod\nmetadata: {name: web${metadata}}\nspec: ${spec}\n`;
  it("is its own template: its scaling fields are ordinary fields", () => {
    assert.deepEqual(changes(pod("", "{replicas: 1, metadata: a}"), pod("", "{replicas: 2, metadata: b}")), [
      "spec.metadata changed (its values are not shown)",
      "spec.replicas: 1 → 2",
    ]);
  });
  it("has the labels of its metadata, and nothing else of it", () => {
    assert.deepEqual(
      changes(pod(", labels: {a: b}, uid: x", "{}"), pod(", labels: {a: c}, uid: y", "{}")).filter((row) =>
        row.startsWith("metadata.labels"),
      ),
      ["metadata.labels.a: b → c"],
    );
  });
});

describe("a quantity that is written another way", () => {
  const withMemory = (kind: string, memory: string): string =>
    custom(
      "apps/v1",
      kind,
    )(`{template: {spec: {containers: [{name: app, image: a, resources: {limits: {memory: ${memory}}}}]}}}`);
  for (const [kind, expected] of [
    ["Deployment", []],
    ["StatefulSet", ["spec.containers[name=app].resources.limits.memory: 1Ki → 1024"]],
    ["DaemonSet", ["spec.containers[name=app].resources.limits.memory: 1Ki → 1024"]],
  ] as const) {
    it(`${expected.length === 0 ? "rolls no" : "rolls a"} ${kind}`, () =>
      assert.deepEqual(changes(withMemory(kind, "1Ki"), withMemory(kind, "1024")), expected));
  }
});

describe("the order of a list", () => {
  const containers = (...names: readonly string[]): string =>
    deployment(`{template: {spec: {containers: [${names.map((name) => `{name: ${name}, image: a}`).join(", ")}]}}}`);
  it("is shown as a reordering where its elements have names", () => {
    const [reason] = workload(planned(containers("x", "z"), containers("z", "x")), "web").reasons;
    assert.deepEqual(reason, {
      type: "Template",
      path: "spec.containers",
      from: ["x", "z"],
      to: ["z", "x"],
      order: true,
    });
  });
  it("is not reported where an element is added", () => {
    for (const reason of workload(planned(containers("x"), containers("x", "z")), "web").reasons) {
      assert.ok(!("order" in reason), JSON.stringify(reason));
    }
  });
});

describe("a workload whose text is the same on both sides", () => {
  const user = (refs: string): string =>
    deployment(`{template: {spec: {containers: [{name: app, image: a, envFrom: [${refs}]}]}}}`);
  const ENV = "{configMapRef: {name: env}}";
  const other = CONFIG.replace("name: env", "name: other");

  it("rolls out for an added source, and for a removed one", () => {
    assert.deepEqual(changes(user(ENV), stream(CONFIG, user(ENV))), ["ConfigMap env: a added"]);
    assert.deepEqual(changes(stream(CONFIG, user(ENV)), user(ENV)), ["ConfigMap env: a removed"]);
  });
  it("rolls with one of several", () => {
    const both = user(`${ENV}, {configMapRef: {name: other}}`);
    assert.deepEqual(changes(stream(CONFIG, other, both), stream(CONFIG, other.replace("one", "two"), both)), [
      "ConfigMap other: a changed",
    ]);
    assert.deepEqual(changes(stream(CONFIG, both), stream(CONFIG, other, both)), ["ConfigMap other: a added"]);
  });
  it("rolls out where its stamping changes: its sources no longer count", () => {
    const off = CONFIG.replace("{name: env}", '{name: env, annotations: {rollstamp.dev/stamp: "false"}}');
    assert.deepEqual(changes(stream(CONFIG, user(ENV)), stream(off, user(ENV))), ["ConfigMap env: a removed"]);
    assert.deepEqual(changes(stream(off, user(ENV)), stream(CONFIG, user(ENV))), ["ConfigMap env: a added"]);
  });
});

describe("a kind with several pod templates", () => {
  const ray = custom("ray.io/v1", "RayCluster");
  const head = (image: string): string =>
    `headGroupSpec: {template: {spec: {containers: [{name: h, image: "${image}"}]}}}`;
  const worker = (image: string): string => `{template: {spec: {containers: [{name: w, image: "${image}"}]}}}`;
  const workers = (...images: readonly string[]): string => `workerGroupSpecs: [${images.map(worker).join(", ")}]`;
  const oneGroup = ray(`{${head("a")}, ${workers("b")}}`);
  const twoGroups = ray(`{${head("a")}, ${workers("b", "c")}}`);

  it("shows one that is added or removed as a whole", () => {
    const field = "spec.workerGroupSpecs[1].template";
    assert.deepEqual(workload(planned(oneGroup, twoGroups), "web").reasons, [
      { type: "Template", path: "", template: field, from: null, to: "a pod template" },
    ]);
    assert.deepEqual(workload(planned(twoGroups, oneGroup), "web").reasons, [
      { type: "Template", path: "", template: field, from: "a pod template", to: null },
    ]);
  });
  it("shows which of them differs", () => {
    const annotated = (value: string): string =>
      oneGroup.replace(
        "headGroupSpec: {template: {",
        `headGroupSpec: {template: {metadata: {annotations: {x: ${value}}}, `,
      );
    assert.deepEqual(workload(planned(annotated("a"), annotated("b")), "web").reasons, [
      {
        type: "Template",
        path: "metadata.annotations.x",
        template: "spec.headGroupSpec.template",
        hidden: true,
      },
    ]);
  });
  it("shows which of them has a stamp written by hand", () => {
    const stamped = (value: string): string =>
      oneGroup.replace(
        "headGroupSpec: {template: {",
        `headGroupSpec: {template: {metadata: {annotations: {configmap.rollstamp.dev/env: ${value}}}, `,
      );
    const spec = { selector: parseSelector("app=other") };
    assert.deepEqual(workload(planned(stamped("h1-a"), stamped("h1-b"), { spec }), "web").reasons, [
      {
        type: "Stamp",
        path: 'metadata.annotations["configmap.rollstamp.dev/env"]',
        template: "spec.headGroupSpec.template",
        hidden: true,
      },
    ]);
  });
});
