import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { parse } from "yaml";
import { readDefinition } from "../../../src/reports/kinds/definitions.ts";
import { derivedKind, sortedKinds } from "../../../src/reports/kinds/derived-kinds.ts";
import type { KindReport } from "../../../src/reports/kinds/kinds-report.ts";
import type { Json } from "../../../src/yaml/read/node.ts";

// Schemas in the forms of real definitions, and the entries that come of them.

const TEXT = "{type: string}";
const OBJECT = (properties: string): string => `{type: object, properties: {${properties}}}`;
const LIST = (items: string): string => `{type: array, items: ${items}}`;
const NAMED = OBJECT(`name: ${TEXT}`);
const KEY = OBJECT(`name: ${TEXT}, key: ${TEXT}`);
const ENV = LIST(OBJECT(`name: ${TEXT}, valueFrom: ${OBJECT(`configMapKeyRef: ${KEY}, secretKeyRef: ${KEY}`)}`));
const ENV_FROM = LIST(OBJECT(`configMapRef: ${NAMED}, secretRef: ${NAMED}`));
const CONTAINERS = LIST(OBJECT(`name: ${TEXT}, image: ${TEXT}, env: ${ENV}, envFrom: ${ENV_FROM}`));
const VOLUME = `configMap: ${OBJECT(`name: ${TEXT}, items: ${LIST(KEY)}`)}, secret: ${OBJECT(`secretName: ${TEXT}, items: ${LIST(KEY)}`)}`;
const VOLUMES = LIST(OBJECT(`name: ${TEXT}, ${VOLUME}`));
const MAP = `{type: object, additionalProperties: ${TEXT}}`;
const METADATA = OBJECT(`labels: ${MAP}, annotations: ${MAP}`);
const OPEN = "{type: object, x-kubernetes-preserve-unknown-fields: true}";

function derived(spec: string, kind = "Thing", group = "example.com"): KindReport {
  const definition = readDefinition({
    group,
    names: { kind },
    versions: [
      { name: "v1alpha1", schema: { openAPIV3Schema: {} } },
      { name: "v1", storage: true, schema: { openAPIV3Schema: parse(OBJECT(`spec: ${spec}`)) as Json } },
    ],
  });
  assert.ok(definition);
  return derivedKind(definition);
}

interface Case {
  readonly what: string;
  readonly spec: string;
  readonly status: KindReport["status"];
  readonly entries?: readonly object[];
  readonly references?: readonly string[];
  readonly open?: readonly string[];
  readonly kind?: string;
  readonly group?: string;
}

const pods = `metadata: ${METADATA}, spec: ${OBJECT(`containers: ${CONTAINERS}, volumes: ${VOLUMES}`)}`;
const CASES: readonly Case[] = [
  {
    what: "a pod template in a list",
    spec: OBJECT(`groups: ${LIST(OBJECT(`template: ${OBJECT(pods)}`))}`),
    status: "Derived",
    entries: [{ podTemplate: "spec.groups.*.template" }],
  },
  {
    what: "pod templates in a mapping by the name of a role",
    spec: OBJECT(`roles: {type: object, additionalProperties: ${OBJECT(`worker: ${OBJECT(pods)}`)}}`),
    status: "Derived",
    entries: [{ podTemplate: "spec.roles.*.worker" }],
  },
  {
    what: "no template where the schema has no metadata: the API server would drop the annotations",
    spec: OBJECT(`template: ${OBJECT(`spec: ${OBJECT(`containers: ${CONTAINERS}`)}`)}`),
    status: "NoPlace",
    references: [
      "spec.template.spec.initContainers",
      "spec.template.spec.containers",
      "spec.template.spec.ephemeralContainers",
      "spec.template.spec.volumes",
    ],
  },
  {
    what: "podMetadata beside the fields of a pod spec",
    spec: OBJECT(
      `image: ${TEXT}, podMetadata: ${METADATA}, containers: ${CONTAINERS}, volumes: ${VOLUMES}, secrets: ${LIST(TEXT)}, configMaps: ${LIST(TEXT)}`,
    ),
    status: "Derived",
    entries: [
      {
        podMetadata: "spec.podMetadata",
        podSpec: "spec",
        references: [
          { kind: "Secret", path: "spec.secrets" },
          { kind: "ConfigMap", path: "spec.configMaps" },
        ],
      },
    ],
  },
  {
    what: "lists of containers and volumes of which the schema says no more",
    spec: OBJECT(`podAnnotations: ${MAP}, containers: ${LIST(OPEN)}, volumes: ${LIST(OPEN)}`),
    status: "Derived",
    entries: [{ podAnnotations: "spec.podAnnotations", podSpec: "spec" }],
  },
  {
    what: "environments under other names, volumes by themselves",
    spec: OBJECT(
      `image: ${TEXT}, podAnnotations: ${MAP}, extraEnvs: ${ENV}, extraEnvsFrom: ${ENV_FROM}, files: ${LIST(OBJECT(VOLUME))}`,
    ),
    status: "Derived",
    entries: [
      {
        podAnnotations: "spec.podAnnotations",
        references: [
          { kind: "ConfigMap", path: "spec.extraEnvs.*.valueFrom.configMapKeyRef" },
          { kind: "Secret", path: "spec.extraEnvs.*.valueFrom.secretKeyRef" },
          { kind: "ConfigMap", path: "spec.extraEnvsFrom.*.configMapRef" },
          { kind: "Secret", path: "spec.extraEnvsFrom.*.secretRef" },
          { form: "Volume", path: "spec.files.*" },
        ],
      },
    ],
  },
  {
    what: "the pod's metadata below a template, for what stands beside that too",
    spec: OBJECT(
      `template: ${OBJECT(`pod: ${OBJECT(`metadata: ${METADATA}, volumes: ${VOLUMES}`)}, main: ${OBJECT(`env: ${ENV}`)}`)}, sidecar: ${OBJECT(`env: ${ENV}`)}`,
    ),
    status: "Derived",
    entries: [
      {
        podMetadata: "spec.template.pod.metadata",
        references: [
          { form: "Volumes", path: "spec.template.pod.volumes" },
          { form: "Container", path: "spec.template.main" },
          { form: "Container", path: "spec.sidecar" },
        ],
      },
    ],
  },
  {
    what: "annotations of pods, by their description, and none of a Service",
    spec: OBJECT(
      `a: ${OBJECT(`annotations: {type: object, description: Annotations to add to each pod., additionalProperties: ${TEXT}}, env: ${ENV}`)}, b: ${OBJECT(`annotations: {type: object, description: Annotations of the Service in front of the pods., additionalProperties: ${TEXT}}, env: ${ENV}`)}`,
    ),
    status: "Derived",
    entries: [{ podAnnotations: "spec.a.annotations", references: [{ form: "Container", path: "spec.a" }] }],
    references: ["spec.b"],
  },
  {
    what: "metadata beside a spec without containers, as EMQX has it, but not the object's own",
    spec: OBJECT(
      `metadata: ${METADATA}, env: ${ENV}, node: ${OBJECT(`metadata: ${METADATA}, spec: ${OBJECT(`env: ${ENV}`)}`)}`,
    ),
    status: "Derived",
    entries: [{ podMetadata: "spec.node.metadata", references: [{ form: "Container", path: "spec.node.spec" }] }],
    references: ["spec"],
  },
  {
    what: "a pod template that the schema leaves open",
    spec: OBJECT(`podTemplate: ${OPEN}, other: ${OPEN}`),
    status: "Open",
    open: ["spec.podTemplate"],
  },
  {
    what: "a key that is one of a ConfigMap's or a Secret's is no volume",
    spec: OBJECT(`image: ${TEXT}, ca: ${OBJECT(`configMap: ${KEY}, secret: ${OBJECT(`secretName: ${TEXT}`)}`)}`),
    status: "None",
  },
  {
    what: "keys and lists that an operator reads, where nothing shows pods",
    spec: OBJECT(`user: ${OBJECT(`secretKeyRef: ${KEY}`)}, secrets: ${LIST(TEXT)}`),
    status: "None",
  },
  {
    what: "what is an object of its own",
    spec: OBJECT(`object: ${OBJECT(`apiVersion: ${TEXT}, kind: ${TEXT}, ${pods}`)}`),
    status: "None",
  },
  { what: "a kind that runs once", spec: OBJECT(`template: ${OBJECT(pods)}`), status: "LeftOut", kind: "LoadTest" },
  {
    what: "a kind that makes a Secret",
    spec: OBJECT(`template: ${OBJECT(pods)}`),
    status: "LeftOut",
    kind: "ExternalSecret",
    group: "external-secrets.io",
  },
];

describe("entries from definitions", () => {
  for (const { what, spec, status, entries = [], references, open, kind = "Thing", group = "example.com" } of CASES) {
    it(what, () => {
      const report = derived(spec, kind, group);
      assert.equal(report.status, status);
      assert.deepEqual(
        report.workloads,
        entries.map((entry) => ({ group, kind, ...entry })),
      );
      assert.deepEqual(
        report.references?.map(({ path }) => path),
        references,
      );
      assert.deepEqual(report.open, open);
      assert.equal(report.version, "v1");
    });
  }

  it("gives the entry of a built-in kind, whatever its schema says", () => {
    const report = derived("{type: object}", "ScaledJob", "keda.sh");
    assert.equal(report.status, "BuiltIn");
    assert.deepEqual(report.workloads, [
      { group: "keda.sh", kind: "ScaledJob", podTemplate: "spec.jobTargetRef.template", rolls: "NextRun" },
    ]);
  });

  it("reads v1beta1, which has one schema for all versions", () => {
    const schema = parse(OBJECT(`spec: ${OBJECT(`template: ${OBJECT(pods)}`)}`)) as Json;
    const definition = readDefinition({
      group: "example.com",
      version: "v1",
      names: { kind: "Thing" },
      validation: { openAPIV3Schema: schema },
    });
    assert.equal(definition?.version, "v1");
    assert.equal(definition && derivedKind(definition).status, "Derived");
  });

  it("takes nothing of what is no definition", () => {
    for (const spec of [undefined, null, "text", [], { names: "x" }, { names: { kind: 7 } }]) {
      assert.equal(readDefinition(spec), undefined);
    }
    for (const schema of [null, true, [], { properties: [] }, { properties: { spec: 7 } }, { type: ["object"] }]) {
      const definition = readDefinition({ names: { kind: "K" }, versions: [{ schema: { openAPIV3Schema: schema } }] });
      assert.equal(definition && derivedKind(definition).status, "None");
    }
  });

  it("names each kind once, in the order of groups and kinds", () => {
    const kinds = [derived("{}", "B"), derived("{}", "A"), derived("{}", "B"), derived("{}", "Z", "a.com")];
    assert.deepEqual(
      sortedKinds(kinds).map(({ group, kind }) => `${group} ${kind}`),
      ["a.com Z", "example.com A", "example.com B"],
    );
  });
});
