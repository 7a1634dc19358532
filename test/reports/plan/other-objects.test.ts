import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { joinParts, namedPart, NOTHING_PLANNED, type PlanPart } from "../../../src/reports/plan/parts.ts";
import type { ChangedField } from "../../../src/reports/plan/plan-reasons.ts";
import type { PlannedObject } from "../../../src/reports/plan/planned-workload.ts";
import { secretsOf, withoutSecretTexts } from "../../../src/reports/plan/secret-texts.ts";
import { verdictOf } from "../../../src/reports/plan/verdict.ts";
import { planned, type PlanSetup } from "./planned.ts";

const object = (kind: string, body: string, apiVersion = "v1", metadata = "name: web"): string =>
  `{apiVersion: ${apiVersion}, kind: ${kind}, metadata: {${metadata}}, ${body}}\n`;
const stream = (...objects: readonly string[]): string => objects.join("---\n");
const deployment = (body = "", image = "web:1", metadata = "name: web"): string =>
  object(
    "Deployment",
    `spec: {${body}template: {metadata: {labels: {app: web}}, spec: {containers: [{name: app, image: "${image}", envFrom: [{configMapRef: {name: env, optional: true}}]}]}}}`,
    "apps/v1",
    metadata,
  );

const objectsOf = (base: string, head: string, setup?: PlanSetup): readonly PlannedObject[] =>
  planned(base, head, setup).objects;
const changes = (base: string, head: string): string[] =>
  objectsOf(base, head).map(({ change, kind, namespace, name }) => `${change} ${kind} ${namespace}/${name}`);

/** The changed fields of one object. */
function fields(base: string, head: string): readonly ChangedField[] {
  const [only = assert.fail("nothing changed"), ...others] = objectsOf(base, head);
  assert.deepEqual(others, []);
  return only.fields;
}

describe("the other objects of a plan", () => {
  const service = object("Service", "spec: {ports: [{port: 80}]}");
  const CASES: readonly (readonly [string, string, string, readonly string[]])[] = [
    ["nothing that is the same", service, service, []],
    ["what is created", deployment(), stream(deployment(), service), ["Create Service default/web"]],
    ["what is deleted", stream(deployment(), service), deployment(), ["Delete Service default/web"]],
    ["what changes", service, service.replace("80", "81"), ["Change Service default/web"]],
    [
      "nothing that only tools read",
      "",
      stream(
        deployment(),
        ...[
          "rollstamp.dev/v1alpha1, kind: ConfigHash",
          "kpt.dev/v1, kind: Kptfile",
          "kustomize.config.k8s.io/v1beta1, kind: Kustomization",
        ].map((what) => `{apiVersion: ${what}, metadata: {name: a}}\n`),
        service.replace("name: web", "name: web, annotations: {config.kubernetes.io/local-config: 'true'}"),
      ),
      [],
    ],
    ["no other order and quotes", service, service.replace("name: web", "name: 'web'"), []],
    [
      "a namespace that is written out",
      service,
      service.replace("name: web", "name: web, namespace: default"),
      ["Change Service default/web"],
    ],
    [
      "no workload that is listed",
      stream(deployment(), service),
      stream(deployment("paused: false, ", "web:2"), service),
      [],
    ],
    [
      "a workload that changes outside of its template",
      deployment(),
      deployment("", "web:1", "name: web, labels: {a: b}"),
      ["Change Deployment default/web"],
    ],
    [
      "no default that a template writes out",
      deployment(),
      deployment().replace("name: app,", "name: app, imagePullPolicy: IfNotPresent,"),
      [],
    ],
    ["no stamps", deployment(), deployment("", "web:1", "name: web, annotations: {configmap.rollstamp.dev/a: x}"), []],
    [
      "one object of two API versions",
      object("Ingress", "spec: {}", "extensions/v1beta1"),
      object("Ingress", "spec: {}", "networking.k8s.io/v1"),
      ["Change Ingress default/web"],
    ],
    [
      "objects of the cluster",
      "",
      object("ClusterRole", "rules: []", "rbac.authorization.k8s.io/v1"),
      ["Create ClusterRole /web"],
    ],
  ];
  for (const [what, base, head, expected] of CASES)
    it(`has ${what}`, () => assert.deepEqual(changes(base, head), expected));

  it("has the sources of causes, marked", () => {
    const env = (value: string, name = "env"): string =>
      object("ConfigMap", `data: {A: ${value}}`, "v1", `name: ${name}`);
    const side = (value: string): string => stream(deployment(), env(value), env(value, "other"));
    assert.deepEqual(
      objectsOf(side("a"), side("b")).map(({ name, isCause = false }) => [name, isCause]),
      [
        ["env", true],
        ["other", false],
      ],
    );
  });
  it("has both names of a generated source, marked", () => {
    // Names that kustomize's configMapGenerator gives to these contents.
    const side = (name: string, value: string): string =>
      stream(
        deployment().replace("name: env,", `name: ${name},`),
        object("ConfigMap", `data: {A: ${value}}`, "v1", `name: ${name}`),
      );
    const found = objectsOf(side("env-9ttchm9m9g", "a"), side("env-8hb4gd59b4", "b"));
    assert.deepEqual(
      found.map(({ change, isCause = false }) => [change, isCause]),
      [
        ["Delete", true],
        ["Create", true],
      ],
    );
  });
  it("has the object that makes a source of a cause", () => {
    const sealed = (value: string): string =>
      object("SealedSecret", `spec: {encryptedData: {A: ${value}}}`, "bitnami.com/v1alpha1", "name: db");
    const side = (value: string): string =>
      stream(deployment().replace("configMapRef: {name: env", "secretRef: {name: db"), sealed(value));
    assert.deepEqual(
      objectsOf(side("AgA"), side("AgB")).map(({ kind, isCause = false, fields: changed }) => [kind, isCause, changed]),
      [["SealedSecret", true, [{ path: "spec.encryptedData.A", hidden: true }]]],
    );
  });
  it("has nothing of a cluster, whose objects have fields that no manifest sets", () => {
    const report = planned(service, service.replace("80", "81"), { isLive: true });
    assert.deepEqual([report.objects, report.summary.otherObjects], [[], 0]);
  });
  it("has the most important ones first, and counts all", () => {
    const configMap = (i: number, value: string): string =>
      object("ConfigMap", `data: {A: ${value}}`, "v1", `name: c${i}`);
    const many = (value: string): string[] => Array.from({ length: 250 }, (_, i) => configMap(i, value));
    const gone = [
      object("Role", "rules: []", "rbac.authorization.k8s.io/v1"),
      object("Service", "spec: {}"),
      object("PersistentVolumeClaim", "spec: {}"),
    ];
    const base = stream(...many("a"), ...gone);
    const head = stream(object("Role", "rules: []", "rbac.authorization.k8s.io/v1", "name: new"), ...many("b"));
    const { objects, summary } = planned(base, head);
    assert.deepEqual(
      objects.slice(0, 4).map(({ change, kind, name }) => `${change} ${kind} ${name}`),
      ["Delete PersistentVolumeClaim web", "Delete Service web", "Delete Role web", "Change ConfigMap c0"],
    );
    assert.deepEqual([objects.length, summary.otherObjects], [200, 254]);
    assert.equal(
      objects.some(({ change }) => change === "Create"),
      false,
    );
  });
});

describe("the changed fields of an object", () => {
  const hpa = (spec: string): string => object("HorizontalPodAutoscaler", `spec: {${spec}}`, "autoscaling/v2");
  const CASES: readonly (readonly [string, string, string, readonly ChangedField[]])[] = [
    [
      "numbers and names of known kinds",
      hpa("minReplicas: 1, maxReplicas: 3"),
      hpa("minReplicas: 2, maxReplicas: 3, behavior: {scaleDown: {stabilizationWindowSeconds: 60}}"),
      [
        { path: "spec.behavior.scaleDown.stabilizationWindowSeconds", from: null, to: 60 },
        { path: "spec.minReplicas", from: 1, to: 2 },
      ],
    ],
    [
      "elements of lists by their names",
      object("Service", "spec: {selector: {app: web}, ports: [{name: a, port: 80}, {name: b, port: 81}]}"),
      object("Service", "spec: {selector: {app: api}, ports: [{name: a, port: 90}, {name: c, port: 82}]}"),
      [
        { path: "spec.ports[name=a].port", from: 80, to: 90 },
        { path: "spec.ports[name=b]", from: { name: "b", port: 81 }, to: null },
        { path: "spec.ports[name=c]", from: null, to: { name: "c", port: 82 } },
        { path: "spec.selector.app", from: "web", to: "api" },
      ],
    ],
    [
      "elements of lists without names by their places",
      object("Service", "spec: {ports: [{port: 80}]}"),
      object("Service", "spec: {ports: [{port: 81}]}"),
      [{ path: "spec.ports[0].port", from: 80, to: 81 }],
    ],
    [
      "lists of other lengths as a whole",
      object("Ingress", "spec: {tls: [{hosts: [a]}]}", "networking.k8s.io/v1"),
      object("Ingress", "spec: {tls: [{hosts: [a, b]}]}", "networking.k8s.io/v1"),
      [{ path: "spec.tls[0].hosts", from: ["a"], to: ["a", "b"] }],
    ],
    [
      "another order without its elements",
      object("Service", "spec: {ports: [{name: a}, {name: b}]}"),
      object("Service", "spec: {ports: [{name: b}, {name: a}]}"),
      [{ path: "spec.ports", hidden: true }],
    ],
    [
      "labels, but no annotations and no digests in labels",
      object(
        "Service",
        "spec: {}",
        "v1",
        `name: web, labels: {tier: a, hash: "${"0".repeat(32)}"}, annotations: {a: b}`,
      ),
      object(
        "Service",
        "spec: {}",
        "v1",
        `name: web, labels: {tier: b, hash: "${"1".repeat(32)}"}, annotations: {a: c}`,
      ),
      [
        { path: "metadata.annotations.a", hidden: true },
        { path: "metadata.labels.hash", hidden: true },
        { path: "metadata.labels.tier", from: "a", to: "b" },
      ],
    ],
    [
      "keys of a ConfigMap, and no values",
      object("ConfigMap", "data: {A: a, B: b}"),
      object("ConfigMap", "data: {A: x, C: c}, immutable: true"),
      [
        { path: "data.A", hidden: true },
        { path: "data.B", hidden: true },
        { path: "data.C", hidden: true },
        { path: "immutable", hidden: true },
      ],
    ],
    [
      "keys of a Secret, and nothing else",
      object("Secret", "stringData: {A: hunter2}, type: Opaque", "v1", "name: web, labels: {a: hunter2}"),
      object("Secret", "stringData: {A: hunter3}, type: other", "v1", "name: web, labels: {a: hunter3}"),
      [
        { path: "metadata.labels.a", hidden: true },
        { path: "stringData.A", hidden: true },
        { path: "type", hidden: true },
      ],
    ],
    [
      "hidden fields of custom kinds",
      object("Database", "spec: {user: a, size: 1, on: true}", "example.com/v1"),
      object("Database", "spec: {user: b, size: 2, on: false}", "example.com/v1"),
      [
        { path: "spec.on", hidden: true },
        { path: "spec.size", hidden: true },
        { path: "spec.user", hidden: true },
      ],
    ],
    [
      "fields of a workload outside of its template",
      deployment("minReadySeconds: 1, strategy: {type: RollingUpdate}, "),
      deployment("minReadySeconds: 2, strategy: {type: Recreate}, "),
      [
        { path: "spec.minReadySeconds", from: 1, to: 2 },
        { path: "spec.strategy.type", from: "RollingUpdate", to: "Recreate" },
      ],
    ],
    [
      "values that are as long as no name",
      object("Service", `spec: {type: ${"a".repeat(600)}}`),
      object("Service", "spec: {type: a}"),
      [{ path: "spec.type", hidden: true }],
    ],
  ];
  for (const [what, base, head, expected] of CASES)
    it(`are ${what}`, () => assert.deepEqual(JSON.parse(JSON.stringify(fields(base, head))), expected));

  it("are cut, and counted", () => {
    const data = (value: string): string =>
      object("ConfigMap", `data: {${Array.from({ length: 30 }, (_, i) => `K${i}: ${value}`).join(", ")}}`);
    const [only] = objectsOf(data("a"), data("b"));
    assert.deepEqual([only?.fields.length, only?.moreFields], [20, 10]);
  });
  it("are shown with no option", () => {
    const [only] = objectsOf(object("ConfigMap", "data: {A: a}"), object("ConfigMap", "data: {A: b}"), {
      showValues: true,
    });
    assert.deepEqual(only?.fields, [{ path: "data.A", hidden: true }]);
  });
  it("have no texts that are known to be of a Secret", () => {
    const [only] = objectsOf(object("Service", "spec: {type: hunter2}"), object("Service", "spec: {type: other}"));
    const part: PlanPart = { ...NOTHING_PLANNED, objects: only === undefined ? [] : [only] };
    assert.deepEqual(withoutSecretTexts(part, () => secretsOf(["hunter2"])).objects[0]?.fields, [
      { path: "spec.type", hidden: true },
    ]);
  });
});

describe("the objects of several parts", () => {
  const part = (...objects: readonly PlannedObject[]): PlanPart => ({
    ...NOTHING_PLANNED,
    objects,
    otherObjects: objects.length,
  });
  const [service = assert.fail()] = objectsOf("", stream(deployment(), object("Service", "spec: {}")));
  it("have the names of their applications, and one order", () => {
    const gone: PlannedObject = { ...service, change: "Delete" };
    const parts = [namedPart(part(service), () => "b", "b"), namedPart(part(service, gone), () => "a", "a")];
    const plan = joinParts(parts, { maxWorkloads: undefined, maxPods: undefined, failOn: [] }, "stamped");
    assert.deepEqual(
      plan.objects.map(({ change, application }) => `${change} ${application}`),
      ["Delete a", "Create a", "Create b"],
    );
    assert.equal(plan.summary.otherObjects, 3);
  });
  it("are all judged where many are risky, and those that are not applied take no room", () => {
    const many = (kind: string, more: Partial<PlannedObject> = {}): readonly PlannedObject[] =>
      Array.from({ length: 210 }, (_, i) => ({ ...service, kind, name: `${kind}-${i}`, change: "Delete", ...more }));
    const gone: PlannedObject = { ...service, change: "Delete" };
    const refused: PlannedObject = { ...service, kind: "Secret", change: "Change", refused: "type" };
    const kindsOf = (...objects: readonly PlannedObject[]): readonly unknown[] => {
      const plan = joinParts(
        [part(...objects)],
        { maxWorkloads: undefined, maxPods: undefined, failOn: [] },
        "applied",
      );
      const { objects: shown } = plan;
      return [shown.length, shown[0]?.kind, shown.at(-1)?.kind, verdictOf(plan).level];
    };
    const claims = many("PersistentVolumeClaim");
    assert.deepEqual(kindsOf(...claims, gone, refused), [212, "Secret", "Service", "refused"]);
    assert.deepEqual(kindsOf(...claims, gone, ...many("Role")), [211, "PersistentVolumeClaim", "Service", "danger"]);
    const orphans = many("PersistentVolumeClaim", { orphan: true });
    assert.deepEqual(kindsOf(...orphans, gone), [200, "Service", "PersistentVolumeClaim", "attention"]);
    assert.equal(
      planned(stream(...Array.from({ length: 210 }, (_, i) => object("Service", "spec: {}", "v1", `name: a${i}`))), "")
        .objects.length,
      210,
    );
  });
});

describe("an object without which the API server refuses new pods", () => {
  const account = object("ServiceAccount", "secrets: []", "v1", "name: web");
  const pods = (spec: string): string => deployment().replace("spec: {containers", `spec: {${spec}, containers`);
  const level = (base: string, head: string, setup?: PlanSetup): unknown => planned(base, head, setup).verdict?.level;
  const CASES: readonly (readonly [what: string, object: string, spec: string, level: string])[] = [
    ["a ServiceAccount", account, "serviceAccountName: web", "danger"],
    ["by its older field", account, "serviceAccount: web", "danger"],
    ["that Kubernetes makes again", account.replace("name: web", "name: default"), "serviceAccountName: default", "ok"],
    ["that no pod names", account, "serviceAccountName: other", "ok"],
    ["of another namespace", account.replace("name: web", "name: web, namespace: b"), "serviceAccountName: web", "ok"],
    [
      "a PriorityClass",
      object("PriorityClass", "value: 1", "scheduling.k8s.io/v1"),
      "priorityClassName: web",
      "danger",
    ],
    ["a RuntimeClass", object("RuntimeClass", "handler: a", "node.k8s.io/v1"), "runtimeClassName: web", "danger"],
  ];
  for (const [what, gone, spec, expected] of CASES)
    it(`is missed if it is deleted: ${what}`, () => {
      assert.equal(level(stream(pods(spec), gone), pods(spec)), expected);
      // Pods of other applications may name a class.
      const unnamed = what.endsWith("Class") ? "attention" : "ok";
      assert.equal(level(stream(pods(spec), gone), pods("hostPID: false")), unnamed, "no pod of the head names it");
      assert.equal(
        level(stream(pods(spec), gone), pods(spec), { acceptDeletes: ["*/*/*", "*/web"] }),
        "ok",
        "accepted",
      );
    });
  it("is there if another application has it now", () => {
    const part = (name: string, change: "Create" | "Delete"): PlanPart =>
      namedPart(
        {
          ...NOTHING_PLANNED,
          objects: [
            {
              apiVersion: "v1",
              kind: "ServiceAccount",
              namespace: "default",
              name: "web",
              change,
              fields: [],
              ...(change === "Delete" ? { isNeeded: true as const } : {}),
            },
          ],
        },
        () => name,
        name,
      );
    const needed = (...parts: readonly PlanPart[]): unknown =>
      joinParts(parts, { maxWorkloads: undefined, maxPods: undefined, failOn: [] }, "applied").objects.map(
        ({ isNeeded }) => isNeeded,
      );
    assert.deepEqual(needed(part("a", "Delete")), [true]);
    assert.deepEqual(needed(part("a", "Delete"), part("b", "Create")), [undefined, undefined]);
  });
});

describe("a change after which others lack what the object gave them", () => {
  const service = (spec: string): string => stream(deployment(), object("Service", `spec: {${spec}}`));
  const scaler = (target: string): string =>
    stream(
      deployment(),
      object("HorizontalPodAutoscaler", `spec: {scaleTargetRef: {kind: Deployment, ${target}}}`, "autoscaling/v2"),
    );
  const scaled = (target: string): string =>
    stream(deployment(), object("ScaledObject", `spec: {scaleTargetRef: {${target}}}`, "keda.sh/v1alpha1"));
  const numbered = (start: string): string =>
    `{apiVersion: apps/v1, kind: StatefulSet, metadata: {name: web}, spec: {${start}replicas: 2, selector: {matchLabels: {app: web}}, template: {metadata: {labels: {app: web}}, spec: {containers: [{name: a, image: a}]}}}}\n`;
  const listing = (spec: string): string =>
    `{apiVersion: argoproj.io/v1alpha1, kind: AppProject, metadata: {name: a}, spec: {${spec}}}\n`;
  const project = (...namespaces: readonly string[]): string =>
    listing(`destinations: [${namespaces.map((one) => `{namespace: "${one}"}`).join(", ")}]`);
  const flux = (spec: string): string =>
    `{apiVersion: kustomize.toolkit.fluxcd.io/v1, kind: Kustomization, metadata: {name: a}, spec: {${spec}}}\n`;
  const argo = (kind: string, spec: string): string =>
    stream(deployment(), object(kind, `spec: {${spec}}`, "argoproj.io/v1alpha1"));
  const synced = (automated: string): string => argo("Application", `syncPolicy: {${automated}}`);
  const setOf = (automated: string): string => argo("ApplicationSet", `template: {spec: {syncPolicy: {${automated}}}}`);
  const cron = (spec: string): string =>
    stream(deployment(), object("CronJob", `spec: {schedule: "1 1 * * *", ${spec}}`, "batch/v1"));
  const custom = (spec: string): string =>
    stream(deployment(), object("Thing", `spec: {${spec}}`, "things.example/v1"));
  const task = (spec: string): string =>
    stream(deployment(), object("Task", `spec: {stepTemplate: {${spec}}}`, "tekton.dev/v1"));
  const searched = (spec: string): string =>
    stream(deployment(), object("ImageRepository", `spec: {${spec}}`, "image.toolkit.fluxcd.io/v1"));
  const claim = (spec: string): string => stream(deployment(), object("PersistentVolumeClaim", `spec: {${spec}}`));
  const crd = (versions: string): string =>
    stream(
      deployment(),
      object("CustomResourceDefinition", `spec: {versions: [${versions}]}`, "apiextensions.k8s.io/v1"),
    );
  const STORED = "{name: v1, served: true, storage: true}";
  const TWO = "ports: [{name: a, port: 80}, {name: b, port: 81}]";
  const ROWS: readonly (readonly [string, string, string, string | undefined])[] = [
    ["a port less", service(TWO), service("ports: [{name: a, port: 80}]"), "spec.ports"],
    ["a port with another number", service("ports: [{port: 80}]"), service("ports: [{port: 8080}]"), "spec.ports"],
    [
      "a port of another protocol",
      service("ports: [{port: 53}]"),
      service("ports: [{port: 53, protocol: UDP}]"),
      "spec.ports",
    ],
    [
      "a port with another name",
      service("ports: [{name: a, port: 80}]"),
      service("ports: [{name: b, port: 80, protocol: TCP}]"),
      undefined,
    ],
    [
      "a port more",
      service("ports: [{port: 80}]"),
      service("ports: [{name: a, port: 80}, {name: b, port: 81}]"),
      undefined,
    ],
    [
      "a scraped port less",
      service("ports: [{port: 80}, {name: http-metrics, port: 81}]"),
      service("ports: [{port: 80}]"),
      undefined,
    ],
    [
      "a port of a headless Service less",
      service(`clusterIP: None, ${TWO}`),
      service("clusterIP: None, ports: [{name: a, port: 80}]"),
      undefined,
    ],
    ["no load balancer", service("type: LoadBalancer"), service("ports: []"), "spec.type"],
    ["no load balancer, but ports of nodes", service("type: LoadBalancer"), service("type: NodePort"), "spec.type"],
    ["a load balancer", service("type: ClusterIP"), service("type: LoadBalancer"), undefined],
    [
      "another place",
      service("type: ClusterIP"),
      service("type: ExternalName, externalName: a.example"),
      "spec.externalName",
    ],
    [
      "pods in place of a name",
      service("type: ExternalName, externalName: a.example"),
      service("type: ClusterIP"),
      undefined,
    ],
    [
      "another name",
      service("type: ExternalName, externalName: a.example"),
      service("type: ExternalName, externalName: b.example"),
      undefined,
    ],
    ["another target", scaler("name: web"), scaler("name: api"), "spec.scaleTargetRef"],
    ["another target of KEDA", scaled("name: web"), scaled("name: api"), "spec.scaleTargetRef"],
    ["the kind that is KEDA's default", scaled("name: web"), scaled("kind: Deployment, name: web"), undefined],
    ["pods with other numbers", numbered(""), numbered("ordinals: {start: 2}, "), "spec.ordinals.start"],
    ["the number that is the default", numbered(""), numbered("ordinals: {start: 0}, "), undefined],
    ["a claim that gets a class", claim(""), claim("storageClassName: a"), "spec.storageClassName"],
    ["a claim that becomes larger", claim("resources: {}"), claim("resources: {requests: {storage: 2Gi}}"), undefined],
    ["a Kustomization that no longer decrypts", flux("decryption: {provider: sops}"), flux(""), "spec.decryption"],
    [
      "a version that is served no more",
      crd(`{name: v1beta1, served: true}, ${STORED}`),
      crd(`{name: v1beta1, served: false}, ${STORED}`),
      "spec.versions",
    ],
    ["a version that is gone", crd(`{name: v1beta1, served: true}, ${STORED}`), crd(STORED), "spec.versions"],
    ["a version that nobody was served", crd(`{name: v1beta1, served: false}, ${STORED}`), crd(STORED), undefined],
    ["a version more", crd(STORED), crd(`${STORED}, {name: v2, served: true}`), undefined],
    ["a project without a destination", project("a", "b"), project("a"), "spec.destinations"],
    [
      "an Application that prunes now",
      synced("automated: {}"),
      synced("automated: {prune: true}"),
      "spec.syncPolicy.automated.prune",
    ],
    ["one that prunes no more", synced("automated: {prune: true}"), synced("automated: {}"), undefined],
    [
      "one that is synced automatically now",
      synced(""),
      synced("automated: {prune: true}"),
      "spec.syncPolicy.automated",
    ],
    [
      "one whose automation is switched on",
      synced("automated: {enabled: false}"),
      synced("automated: {enabled: true}"),
      "spec.syncPolicy.automated",
    ],
    ["one that would prune", synced(""), synced("automated: {enabled: false, prune: true}"), undefined],
    [
      "an ApplicationSet whose Applications prune now",
      setOf("automated: {}"),
      setOf("automated: {prune: true}"),
      "spec.template.spec.syncPolicy.automated.prune",
    ],
    ["a CronJob that runs no more", cron("suspend: false"), cron("suspend: true"), "spec.suspend"],
    ["a CronJob that runs again", cron("suspend: true"), cron(""), undefined],
    ["another image of a custom kind", custom("image: {tag: a}"), custom("image: {tag: b}"), "spec.image"],
    ["an image below", custom("server: {image: a}"), custom("server: {image: b}, x: 1"), "spec.server.image"],
    ["images in a list", custom("steps: [{image: a}]"), custom("steps: [{image: b}]"), undefined],
    ["no other image", custom("image: a, x: 1"), custom("image: a, x: 2"), undefined],
    ["an image of the next runs", task("image: a"), task("image: b"), undefined],
    ["an image that is only looked for", searched("image: a"), searched("image: b"), undefined],
    ["a project without a repository", listing("sourceRepos: [a, b]"), listing("sourceRepos: [b]"), "spec.sourceRepos"],
    [
      "a project that permits fewer kinds of the cluster",
      listing("clusterResourceWhitelist: [{group: '*', kind: '*'}]"),
      listing("clusterResourceWhitelist: [{group: '', kind: Namespace}]"),
      "spec.clusterResourceWhitelist",
    ],
    [
      "a project that begins to list kinds",
      listing("description: a"),
      listing("namespaceResourceWhitelist: [{group: apps, kind: Deployment}]"),
      "spec.namespaceResourceWhitelist",
    ],
    [
      "a project that denies another kind",
      listing("namespaceResourceBlacklist: [{group: '', kind: Pod}]"),
      listing("namespaceResourceBlacklist: [{group: '', kind: Pod}, {group: '', kind: Secret}]"),
      "spec.namespaceResourceBlacklist",
    ],
    ["another version of the target", scaler("name: web"), scaler("name: web, apiVersion: apps/v1"), undefined],
  ];
  it("not a project that gets a destination, or what covers those that go", () => {
    const kind = (group: string): string => listing(`clusterResourceWhitelist: [{group: ${group}, kind: Role}]`);
    for (const [base, head] of [
      [project("a"), project("b", "a")],
      [project("a", "b"), project("*")],
      [kind("a"), kind("'*'")],
      [listing(""), listing("namespaceResourceWhitelist: [{group: '*', kind: '*'}]")],
    ] as const) {
      const { objects } = planned(base, head);
      assert.deepEqual(
        objects.map((one) => one.loses),
        [undefined],
      );
    }
  });

  for (const [name, base, head, loses] of ROWS)
    it(name, () => {
      const { objects, verdict } = planned(base, head);
      assert.deepEqual(
        [objects.map((one) => one.loses), verdict?.level],
        [[loses], loses === undefined ? "ok" : "attention"],
      );
    });
});
