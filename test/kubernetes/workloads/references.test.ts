import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { readManifests } from "../../../src/yaml/read/items.ts";
import { findWorkloads } from "../../../src/kubernetes/workloads/find-workloads.ts";
import type { Reference, Workload, WorkloadKind } from "../../../src/kubernetes/workloads/types.ts";
import { WORKLOAD_KINDS } from "../../../src/kubernetes/workloads/workload-kinds.ts";
import { readTree } from "../../support/trees.ts";

// The sources and keys that a pod template sees, and where: section 4 of the contract.

function workloads(objects: readonly object[], kinds: readonly WorkloadKind[] = WORKLOAD_KINDS): Workload[] {
  const text = JSON.stringify({ apiVersion: "v1", kind: "List", items: objects });
  return findWorkloads(readManifests(readTree(text, "input.yaml")).items, { defaultNamespace: "default", kinds });
}

const deployment = (spec: object): object => ({
  apiVersion: "apps/v1",
  kind: "Deployment",
  metadata: { name: "web" },
  spec: { template: { spec } },
});

const referencesOf = (spec: object): readonly Reference[] =>
  workloads([deployment(spec)])[0]?.templates[0]?.references ?? [];

const keysOf = ({ keys }: Reference): string => (keys === "*" ? "*" : [...keys].join(" "));

/** The references of a pod spec: what each sees, how, and its field. */
function seen(spec: object): string[] {
  return referencesOf(spec).map((reference) => {
    const { kind, name, via, containers, field, optional } = reference;
    const by = [via, ...containers].join(" ");
    const where = field.replace("spec.template.spec.", "");
    return `${kind}/${name} ${keysOf(reference)} (${by})${optional ? "?" : ""} ${where}`;
  });
}

const container = (fields: object): object => ({ containers: [{ name: "app", ...fields }] });
const env = (...valueFrom: object[]): object =>
  container({ env: valueFrom.map((from) => ({ name: "E", valueFrom: from })) });

describe("environments", () => {
  const CASES: readonly (readonly [spec: object, ...seen: string[]])[] = [
    [
      env({ configMapKeyRef: { name: "c", key: "k" } }, { secretKeyRef: { name: "s", key: "k", optional: true } }),
      "ConfigMap/c k (env app) containers[0].env[0].valueFrom.configMapKeyRef",
      "Secret/s k (env app)? containers[0].env[1].valueFrom.secretKeyRef",
    ],
    [
      env(
        { configMapKeyRef: { key: "k" } },
        { configMapKeyRef: { name: "", key: "k" } },
        { secretKeyRef: { name: "s" } },
      ),
    ],
    [env({ fieldRef: { fieldPath: "metadata.name" } })],
    [
      container({
        envFrom: [{ configMapRef: { name: "c" } }, { prefix: "P_", secretRef: { name: "s", optional: true } }],
      }),
      "ConfigMap/c * (envFrom app) containers[0].envFrom[0].configMapRef",
      "Secret/s * (envFrom app)? containers[0].envFrom[1].secretRef",
    ],
    [container({ envFrom: [{ configMapRef: {} }, { configMapRef: { name: "" } }, { secretRef: null }] })],
    [
      { initContainers: [{ envFrom: [{ configMapRef: { name: "c" } }] }] },
      "ConfigMap/c * (envFrom 0) initContainers[0].envFrom[0].configMapRef",
    ],
    [
      { ephemeralContainers: [{ name: "debug", envFrom: [{ configMapRef: { name: "c" } }] }] },
      "ConfigMap/c * (envFrom debug) ephemeralContainers[0].envFrom[0].configMapRef",
    ],
    [{ imagePullSecrets: [{ name: "registry" }] }],
  ];
  for (const [spec, ...expected] of CASES) it(JSON.stringify(spec), () => assert.deepEqual(seen(spec), expected));
  it("have the variable that gets the key", () => {
    const from = { configMapKeyRef: { name: "c", key: "k" } };
    assert.deepEqual(
      referencesOf(container({ env: [{ name: "E", valueFrom: from }, { valueFrom: from }] })).map((reference) => [
        reference.variable,
        "variable" in reference,
      ]),
      [
        ["E", true],
        [undefined, false],
      ],
    );
  });
});

describe("volumes", () => {
  const CASES: readonly (readonly [volume: object, ...seen: string[]])[] = [
    [{ configMap: { name: "c" } }, "ConfigMap/c * (volume) volumes[0].configMap"],
    [{ secret: { secretName: "s", optional: true } }, "Secret/s * (volume)? volumes[0].secret"],
    [{ secret: { name: "s" } }],
    [{ configMap: { name: "" } }],
    [{ configMap: {} }],
    [{ configMap: { name: "c", items: [] } }, "ConfigMap/c * (volume) volumes[0].configMap"],
    [{ configMap: { name: "c", items: null } }, "ConfigMap/c * (volume) volumes[0].configMap"],
    [
      { configMap: { name: "c", items: [{ key: "a", path: "b" }, { key: "c" }] } },
      "ConfigMap/c a c (volume) volumes[0].configMap",
    ],
    [
      {
        projected: {
          sources: [
            { configMap: { name: "c", items: [{ key: "k", path: "p" }] } },
            { secret: { name: "s" } },
            { secret: { name: "" } },
            { secret: {} },
            { serviceAccountToken: {} },
          ],
        },
      },
      "ConfigMap/c k (projected) volumes[0].projected.sources[0].configMap",
      "Secret/s * (projected) volumes[0].projected.sources[1].secret",
    ],
    [
      { csi: { driver: "secrets-store.csi.k8s.io", volumeAttributes: { secretProviderClass: "vault" } } },
      "SecretProviderClass/vault * (csi) volumes[0].csi.volumeAttributes.secretProviderClass",
    ],
    [{ csi: { driver: "secrets-store.csi.k8s.io", volumeAttributes: { secretProviderClass: "" } } }],
    [{ csi: { driver: "secrets-store.csi.k8s.io", volumeAttributes: {} } }],
    [{ csi: { driver: "other.example.com", volumeAttributes: { secretProviderClass: "vault" } } }],
    [
      { csi: { driver: "other.example.com", nodePublishSecretRef: { name: "s" } } },
      "Secret/s * (csi) volumes[0].csi.nodePublishSecretRef",
    ],
    ...["flexVolume", "cephfs", "cinder", "iscsi", "rbd", "scaleIO", "storageos"].map((driver): [object, string] => [
      { [driver]: { secretRef: { name: "s" } } },
      `Secret/s * (volume) volumes[0].${driver}.secretRef`,
    ]),
    [{ azureFile: { secretName: "s", shareName: "x" } }, "Secret/s * (volume) volumes[0].azureFile"],
    [{ azureFile: { secretName: "" } }],
    [{ rbd: { secretRef: { name: "" } } }],
    [{ rbd: { secretRef: {} } }],
    [{ rbd: "text" }],
    [{ emptyDir: {} }],
  ];
  for (const [volume, ...expected] of CASES) {
    it(JSON.stringify(volume), () => assert.deepEqual(seen({ volumes: [{ name: "v", ...volume }] }), expected));
  }
});

describe("the keys of a volume with only subPath mounts", () => {
  const mounted = (items: object | undefined, ...mounts: object[]): string[] =>
    referencesOf({
      ...container({ volumeMounts: mounts.map((mount) => ({ name: "v", mountPath: "/m", ...mount })) }),
      volumes: [{ name: "v", configMap: { name: "c", ...(items === undefined ? {} : { items }) } }],
    }).map(keysOf);
  const CASES: readonly (readonly [mounts: readonly object[], keys: string])[] = [
    [[], "*"],
    [[{}], "*"],
    [[{ subPath: "" }], "*"],
    [[{ subPath: "a" }], "a"],
    [[{ subPath: "a" }, { subPath: "b" }], "a b"],
    [[{ subPath: "a" }, {}], "*"],
    [[{ subPath: "./a" }], "a"],
    [[{ subPath: "a/" }], "a"],
    [[{ subPath: "x/../a" }], "a"],
    [[{ subPath: "." }], "*"],
    [[{ subPath: "./" }], "*"],
    [[{ subPath: "/" }], "*"],
    [[{ subPath: "a/.." }], "*"],
    [[{ subPath: "../a" }], "*"],
    [[{ subPath: "a.." }], "a.."],
    [[{ subPathExpr: "$(POD)" }], "*"],
    [[{ subPathExpr: "$(POD)" }, { subPath: "a" }], "*"],
    [[{ subPath: "a", name: "other" }], "*"],
  ];
  for (const [mounts, keys] of CASES) {
    it(JSON.stringify(mounts), () => assert.deepEqual(mounted(undefined, ...mounts), [keys]));
  }
  const ITEMS = [
    { key: "a", path: "a" },
    { key: "b", path: "etc/b" },
    { key: "c", path: "./etc/deep/c" },
    { key: "d", path: "etcetera" },
    { key: "e" },
  ];
  for (const [subPath, keys] of [
    ["a", "a"],
    ["etc", "b c"],
    ["etc/b", "b"],
    ["etc/deep/", "c"],
    ["etc/deep/c", "c"],
    ["./etc//deep", "c"],
    ["e", "e"],
    ["b", ""],
  ] as const) {
    it(`${subPath} of items`, () => assert.deepEqual(mounted(ITEMS, { subPath }), [keys]));
  }
  it("several paths of items show their keys", () =>
    assert.deepEqual(mounted(ITEMS, { subPath: "a" }, { subPath: "etc" }), ["a b c"]));
  it("a path outside items shows no key", () => assert.deepEqual(mounted(ITEMS), ["a b c d e"]));
});

describe("how containers see a volume", () => {
  it("is recorded: the container, the path and the subPath", () => {
    const volumes = ["configMap", "secret", "csi", "rbd"].map((type) => ({
      name: "v",
      [type]: {
        name: "x",
        secretName: "x",
        driver: "secrets-store.csi.k8s.io",
        volumeAttributes: { secretProviderClass: "x" },
        ...(type === "rbd" ? { secretRef: { name: "x" } } : {}),
      },
    }));
    const spec = {
      initContainers: [{ name: "init", volumeMounts: [{ name: "v" }] }],
      containers: [
        {
          name: "app",
          volumeMounts: [
            { name: "v", mountPath: "/a", subPath: "p" },
            { name: "w", mountPath: "/w" },
            { name: "v", mountPath: "/b", subPathExpr: "$(POD)" },
          ],
        },
      ],
      volumes,
    };
    const field = (list: string): string => `spec.template.spec.${list}[0]`;
    const found = referencesOf(spec);
    assert.equal(found.length, 4);
    for (const { containers, volume } of found) {
      assert.deepEqual(containers, ["init", "app"]);
      assert.deepEqual(volume, {
        name: "v",
        mounts: [
          { container: "init", field: field("initContainers"), mountPath: "", subPath: "" },
          { container: "app", field: field("containers"), mountPath: "/a", subPath: "p" },
          { container: "app", field: field("containers"), mountPath: "/b", subPath: "$(POD)" },
        ],
      });
    }
  });
  it("does not happen without a name", () =>
    assert.deepEqual(
      referencesOf({
        ...container({ volumeMounts: [{ name: "v", mountPath: "/v" }] }),
        volumes: [{ configMap: { name: "c" } }],
      }).map(({ volume }) => volume),
      [{ name: "", mounts: [] }],
    ));
});

describe("fields of a custom kind that name sources", () => {
  const references: NonNullable<WorkloadKind["templates"][number]["references"]> = [
    { path: "spec.names", form: "name", kind: "Secret" },
    { path: "spec.key", form: "key", kind: "ConfigMap" },
    { path: "spec.main", form: "container", name: "main" },
    { path: "spec.more", form: "containers" },
    { path: "spec.volumes", form: "volumes" },
    { path: "spec.volume", form: "volume" },
    { path: "spec.projected", form: "projected" },
  ];
  const kind: WorkloadKind = {
    group: "example.com",
    kind: "App",
    templates: [{ annotations: "spec.metadata.annotations", anchor: "spec", references }],
    rollsBy: "template",
  };
  const app = (spec: object): object => ({
    apiVersion: "example.com/v1",
    kind: "App",
    metadata: { name: "app" },
    spec,
  });
  const named = (spec: object, row = kind): string[] =>
    workloads([app(spec)], [row]).flatMap(({ templates }) =>
      templates.flatMap((template) =>
        template.references.map((reference) => {
          const by = [reference.via, ...reference.containers].join(" ");
          return `${reference.kind}/${reference.name} ${keysOf(reference)} (${by}) ${reference.field}`;
        }),
      ),
    );
  const envFrom = [{ configMapRef: { name: "c" } }];
  const CASES: readonly (readonly [spec: object, ...named: string[]])[] = [
    [{ names: "a" }, "Secret/a * (volume) spec.names"],
    [{ names: ["a", "", 3, "b"] }, "Secret/a * (volume) spec.names[0]", "Secret/b * (volume) spec.names[3]"],
    [{ names: "" }],
    [{ names: null }],
    [{ key: { name: "c", key: "k" } }, "ConfigMap/c k (env) spec.key"],
    [{ key: { name: "c" } }],
    [{ main: { envFrom } }, "ConfigMap/c * (envFrom main) spec.main.envFrom[0].configMapRef"],
    [{ more: [{ name: "x", envFrom }] }, "ConfigMap/c * (envFrom x) spec.more[0].envFrom[0].configMapRef"],
    [{ volumes: [{ configMap: { name: "c" } }] }, "ConfigMap/c * (volume) spec.volumes[0].configMap"],
    [{ volume: { configMap: { name: "c" } } }, "ConfigMap/c * (volume) spec.volume.configMap"],
    [
      { projected: { sources: [{ secret: { name: "s" } }] } },
      "Secret/s * (projected) spec.projected.sources[0].secret",
    ],
    [
      { main: { volumeMounts: [{ name: "v", subPath: "a" }] }, volumes: [{ name: "v", configMap: { name: "c" } }] },
      "ConfigMap/c a (volume main) spec.volumes[0].configMap",
    ],
  ];
  for (const [spec, ...expected] of CASES) it(JSON.stringify(spec), () => assert.deepEqual(named(spec), expected));
  it("are read once if two rows have the same template", () => {
    const template = { annotations: "spec.metadata.annotations", anchor: "spec" };
    const twice: WorkloadKind = {
      ...kind,
      templates: [
        { ...template, references: references.slice(1, 2) },
        { ...template, references: references.slice(0, 2) },
      ],
    };
    assert.equal(workloads([app({})], [twice])[0]?.templates.length, 1);
    assert.deepEqual(named({ names: "a", key: { name: "c", key: "k" } }, twice), [
      "ConfigMap/c k (env) spec.key",
      "Secret/a * (volume) spec.names",
    ]);
  });
  it("may start at the object itself", () => {
    const atRoot: WorkloadKind = { ...kind, templates: [{ annotations: "podMetadata.annotations", anchor: "" }] };
    const template = workloads([app({})], [atRoot])[0]?.templates[0];
    assert.deepEqual(
      [template?.field, template?.annotationsField, template?.annotationsPath, template?.podSpecs],
      ["", "podMetadata.annotations", ["podMetadata", "annotations"], []],
    );
  });
  it("need a mapping as anchor", () => {
    for (const spec of [null, "text", [], undefined])
      assert.deepEqual(workloads([{ ...app({}), spec }], [kind])[0]?.templates, []);
  });
  it("of other kinds do not count", () => assert.deepEqual(workloads([app({})], []), []));
});

describe("a workload whose template another one runs", () => {
  const rollout = (name: string, ref: object, namespace?: string): object => ({
    apiVersion: "argoproj.io/v1alpha1",
    kind: "Rollout",
    metadata: { name, ...(namespace === undefined ? {} : { namespace }) },
    spec: { workloadRef: ref },
  });
  const web = deployment({});
  const ref = { apiVersion: "apps/v1", kind: "Deployment", name: "web" };
  /** What each workload runs, and what runs it. */
  const links = (...objects: object[]): unknown[] =>
    workloads(objects).map(({ item, borrows, runBy }) => [
      item.name,
      borrows === undefined ? "" : `${borrows.kind}/${borrows.name}: ${borrows.item?.name ?? "missing"}`,
      ...runBy.map(({ name }) => name),
    ]);
  const CASES: readonly (readonly [what: string, objects: readonly object[], ...links: unknown[]])[] = [
    ["is found by its name", [web, rollout("one", ref)], ["web", "", "one"], ["one", "Deployment/web: web"]],
    [
      "may be run by several",
      [web, rollout("one", ref), rollout("two", ref)],
      ["web", "", "one", "two"],
      ["one", "Deployment/web: web"],
      ["two", "Deployment/web: web"],
    ],
    ["is of the same namespace", [web, rollout("one", ref, "other")], ["web", ""], ["one", "Deployment/web: missing"]],
    [
      "is of that group",
      [web, rollout("one", { ...ref, apiVersion: "v1" })],
      ["web", ""],
      ["one", "Deployment/web: missing"],
    ],
    [
      "has a group",
      [web, rollout("one", { kind: "Deployment", name: "web" })],
      ["web", ""],
      ["one", "Deployment/web: missing"],
    ],
    ["has a name", [web, rollout("one", { ...ref, name: undefined })], ["web", ""], ["one", ""]],
    ["has a kind", [web, rollout("one", { ...ref, kind: undefined })], ["web", ""], ["one", ""]],
    ["is none in particular", [web, rollout("one", {})], ["web", ""], ["one", ""]],
  ];
  for (const [what, objects, ...expected] of CASES) it(what, () => assert.deepEqual(links(...objects), expected));
  it("is found by its name before kustomize, after those with that name now", () => {
    const renamed = (name: string): object => ({
      ...web,
      metadata: {
        name,
        annotations: {
          "internal.config.kubernetes.io/previousNames": "web",
          "internal.config.kubernetes.io/previousNamespaces": "default",
          "internal.config.kubernetes.io/previousKinds": "Deployment",
        },
      },
    });
    const first = links(renamed("pre-web"), renamed("post-web"), rollout("one", ref));
    assert.deepEqual(first, [
      ["pre-web", "", "one"],
      ["post-web", ""],
      ["one", "Deployment/web: pre-web"],
    ]);
    assert.deepEqual(links(renamed("pre-web"), web, rollout("one", ref)), [
      ["pre-web", ""],
      ["web", "", "one"],
      ["one", "Deployment/web: web"],
    ]);
  });
});
