import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { describe, it } from "node:test";
import { parse } from "yaml";
import { CONFIG_HASH_DEFAULTS } from "../../../src/stamping/function/config-hash.ts";
import { readWorkload } from "../../../src/stamping/function/workload-option.ts";
import { describeFinding } from "../../../src/findings/catalogue/describe.ts";
import { lintContext } from "../../../src/reports/lint/context.ts";
import type { Json } from "../../../src/yaml/read/node.ts";
import { lintText } from "./linted.ts";
import { inRoot } from "../../support/paths.ts";
import { manifestsOf } from "./rule-pages.ts";

// RS014 over unknown kinds, in the forms of real ones: with the entry of its remedy in the configuration, the object is
// stamped and nothing is left to report.

const SOURCES = `
---
{apiVersion: v1, kind: ConfigMap, metadata: {name: env, namespace: a}, data: {A: a}}
---
{apiVersion: v1, kind: Secret, metadata: {name: pw, namespace: a}, stringData: {p: w}}
`;
const object = (kind: string, spec: string, more = ""): string =>
  `apiVersion: example.com/v1\nkind: ${kind}\nmetadata: {name: web, namespace: a${more}}\nspec:\n${spec
    .trim()
    .split("\n")
    .map((line) => `  ${line}\n`)
    .join("")}${SOURCES}`;

const ENV_FROM = "envFrom: [{configMapRef: {name: env}}]";

interface FindingData {
  readonly message: string;
  readonly remedy: string;
  readonly severity: string;
}

function unknownKindFindings(text: string, workloads: readonly Json[] = []): FindingData[] {
  const spec = { workloads: workloads.map(readWorkload) };
  return lintText(text, { spec })
    .filter(({ id }) => id === "RS014")
    .map((finding) => {
      const { message, remedy = "", severity } = describeFinding(finding);
      return { message, remedy, severity };
    });
}

/** The `workloads` of a remedy. */
function entriesIn(remedy: string): Json[] {
  const [, list = ""] = /'workloads: (\[.*\])'/u.exec(remedy) ?? [];
  return parse(list) as Json[];
}

const STAMPED: readonly { readonly what: string; readonly text: string; readonly entries: readonly Json[] }[] = [
  {
    what: "a pod template in a template, as Agones' Fleet has it",
    text: object(
      "Fleet",
      `replicas: 2\ntemplate:\n  spec:\n    template:\n      spec: {containers: [{name: a, image: i, ${ENV_FROM}}]}`,
    ),
    entries: [{ group: "example.com", kind: "Fleet", podTemplate: "spec.template.spec.template" }],
  },
  {
    what: "a pod template by its metadata, under a name of its own, in a list",
    text: object(
      "Farm",
      `groups:\n  - name: a\n    worker: {metadata: {labels: {a: b}}, spec: {containers: [{name: a, ${ENV_FROM}}]}}\n  - name: b\n    worker: {metadata: {}, spec: {containers: [{name: a}]}}`,
    ),
    entries: [{ group: "example.com", kind: "Farm", podTemplate: "spec.groups.*.worker" }],
  },
  {
    what: "fields of a pod spec beside podMetadata, and lists of names, as PrometheusAgent has them",
    text: object(
      "Agent",
      `image: i\npodMetadata: {labels: {a: b}}\ncontainers: [{name: a, ${ENV_FROM}}]\nvolumeMounts: [{name: v, mountPath: /v}]\nvolumes: [{name: v, secret: {secretName: pw}}]\nsecrets: [pw, elsewhere]\nconfigMaps: [none]`,
    ),
    entries: [
      {
        group: "example.com",
        kind: "Agent",
        podMetadata: "spec.podMetadata",
        podSpec: "spec",
        references: [
          { form: "Container", path: "spec" },
          { kind: "Secret", path: "spec.secrets" },
        ],
      },
    ],
  },
  {
    what: "environments under other names beside podAnnotations, in several places",
    text: object(
      "Cluster",
      `parts:\n  - podAnnotations: {a: b}\n    extraEnvs: [{name: P, valueFrom: {secretKeyRef: {name: pw, key: p}}}]\n  - podAnnotations: {}\n    extraEnvsFrom: [{configMapRef: {name: env}}]`,
    ),
    entries: [
      {
        group: "example.com",
        kind: "Cluster",
        podAnnotations: "spec.parts.*.podAnnotations",
        references: [
          { kind: "Secret", path: "spec.parts.*.extraEnvs.*.valueFrom.secretKeyRef" },
          { kind: "ConfigMap", path: "spec.parts.*.extraEnvsFrom.*.configMapRef" },
        ],
      },
    ],
  },
  {
    what: "the pod's metadata below a template, as Strimzi has it, and volumes by themselves",
    text: object(
      "Bridge",
      `replicas: 1\ntemplate: {pod: {metadata: {annotations: {a: b}}}, sidecar: {env: [{name: P, valueFrom: {secretKeyRef: {name: pw, key: p}}}]}}\nextra: [{where: a, source: {configMap: {name: env}}}]`,
    ),
    entries: [
      {
        group: "example.com",
        kind: "Bridge",
        podMetadata: "spec.template.pod.metadata",
        references: [
          { form: "Container", path: "spec.template.sidecar" },
          { form: "Volume", path: "spec.extra.*.source" },
        ],
      },
    ],
  },
];

describe("RS014: kinds that are not known", () => {
  for (const { what, text, entries } of STAMPED) {
    it(`gives the entry for ${what}`, () => {
      const [first, ...more] = unknownKindFindings(text);
      assert.deepEqual(more, []);
      assert.equal(first?.severity, "warning");
      assert.deepEqual(entriesIn(first?.remedy ?? ""), entries);
    });
    it(`is content with that entry, which stamps: ${what}`, () => {
      assert.deepEqual(unknownKindFindings(text, entries), []);
      const spec = { ...CONFIG_HASH_DEFAULTS, workloads: entries.map(readWorkload) };
      const { workloads } = lintContext([manifestsOf(text)], spec);
      const stamps = workloads.flatMap(({ templates }) => templates.map(({ desired }) => desired?.stamps.size ?? 0));
      assert.ok(stamps.some((size) => size > 0));
    });
  }

  it("says where it can't know where annotations go, with the rest of the entry", () => {
    const [first] = unknownKindFindings(
      object("Odd", `replicas: 1\nenv: [{name: P, valueFrom: {secretKeyRef: {name: pw, key: p}}}]`),
    );
    assert.match(first?.remedy ?? "", /replace PATH/u);
    assert.deepEqual(entriesIn(first?.remedy ?? ""), [
      {
        group: "example.com",
        kind: "Odd",
        podAnnotations: "PATH",
        references: [{ form: "Container", path: "spec" }],
      },
    ]);
  });

  it("never puts the annotations of one part on the pods of another", () => {
    const [first] = unknownKindFindings(
      object("Tracer", `collector: {podAnnotations: {}, replicas: 1}\nquery: {${ENV_FROM}}`),
    );
    assert.deepEqual(
      entriesIn(first?.remedy ?? "").map((entry) => (entry as { podAnnotations: string }).podAnnotations),
      ["PATH"],
    );
  });

  it("also reports a source that is not in the input: something else creates it", () => {
    const [first] = unknownKindFindings(
      object("Fleet", "template: {spec: {containers: [{name: a, envFrom: [{secretRef: {name: elsewhere}}]}]}}"),
    );
    assert.match(first?.message ?? "", /uses Secret a\/elsewhere,/u);
  });

  it("quotes what YAML would read as something else", () => {
    const [first] = unknownKindFindings(
      object("'No'", `a b: {}\n"on": {podAnnotations: {}, ${ENV_FROM}}`).replace("kind: 'No'", "kind: 'No'"),
    );
    assert.deepEqual(entriesIn(first?.remedy ?? ""), [
      {
        group: "example.com",
        kind: "No",
        podAnnotations: "spec.on.podAnnotations",
        references: [{ form: "Container", path: "spec.on" }],
      },
    ]);
  });

  const pods = `template: {spec: {containers: [{name: a, ${ENV_FROM}}]}}`;
  const SILENT: Readonly<Record<string, string>> = {
    "a pod template that names no source": object("Fleet", "template: {spec: {containers: [{name: a, image: i}]}}"),
    "a kind that runs once": object("BuildRun", pods),
    "a policy": object("Policy", pods).replace("example.com/v1", "kyverno.io/v1"),
    "a virtual machine": object("VirtualMachine", pods).replace("example.com/v1", "kubevirt.io/v1"),
    "what is rendered elsewhere": object("HelmRelease", `values: {${pods}}`).replace(
      "example.com/v1",
      "helm.toolkit.fluxcd.io/v2",
    ),
    "a known kind that is off": object("Workflow", `templates: [{container: {name: a, ${ENV_FROM}}}]`).replace(
      "example.com/v1",
      "argoproj.io/v1alpha1",
    ),
    "a kind that makes a Secret": object(
      "ExternalSecret",
      `data: [{secretKey: p, remoteRef: {key: p}}]\nreplicas: 1\nx: {configMap: {name: env}}`,
    ).replace("example.com/v1", "external-secrets.io/v1"),
    "an object in the object": object("Bundle", `objects: [{apiVersion: apps/v1, kind: Deployment, spec: {${pods}}}]`),
    "local configuration": object("Fleet", pods, ", annotations: {config.kubernetes.io/local-config: 'true'}"),
    "names that are not in the input": object("Fleet", "image: i\nsecrets: [other]\nconfigMaps: [{name: other}]"),
    "names where nothing shows pods": object("Fleet", "secrets: [pw]\nvolume: {configMap: {name: env}}"),
    "a key that an operator reads, where nothing shows pods": object(
      "Database",
      "user: {password: {secretKeyRef: {name: pw, key: p}}}",
    ),
    "names that an operator fills in": object(
      "FleetConfig",
      "template: {spec: {containers: [{name: a, envFrom: [{secretRef: {name: '{{ .Name }}-certs'}}]}]}}",
    ),
    "an image with no use of a source": object(
      "Fleet",
      "containers: [{name: a, image: i}]\nvolumes: [{name: v, emptyDir: {}}]",
    ),
  };
  for (const [what, text] of Object.entries(SILENT)) {
    it(`says nothing of ${what}`, () => assert.deepEqual(unknownKindFindings(text), []));
  }

  it("keeps the words of an object with thousands of places short", () => {
    const volumes = (count: number): string =>
      object(
        "Agent",
        `volumes:\n${Array.from({ length: count }, (_, i) => `  - {name: v${i}, configMap: {name: env}}`).join("\n")}\nconfigMaps:\n${Array.from({ length: count }, (_, i) => `  - n${i}`).join("\n")}`,
      );
    const [first] = unknownKindFindings(volumes(2000));
    assert.ok((first?.message.length ?? 0) + (first?.remedy.length ?? 0) < 1000);
    const parts = Array.from({ length: 3000 }, (_, i) => `p${i}: {podAnnotations: {}, ${ENV_FROM}}`).join("\n");
    const [many] = unknownKindFindings(object("Parts", parts));
    assert.ok((many?.remedy.length ?? 0) < 3000);
  });
});

// The built-in rows of operators are younger than the rule: without one, in an unknown group, each of these
// kinds is found by what it uses.
describe("RS014 finds kinds of operators without built-in knowledge of them", () => {
  const KINDS = [
    ["agones-fleet", "Fleet"],
    ["prometheusagent", "PrometheusAgent"],
    ["thanosruler", "ThanosRuler"],
    ["victoria-agents", "VMAgent"],
    ["opentelemetry", "OpenTelemetryCollector"],
    ["grafana", "Grafana"],
    ["kserve-inferenceservice", "InferenceService"],
    ["rabbitmqcluster", "RabbitmqCluster"],
  ] as const;
  for (const [fixture, kind] of KINDS) {
    it(kind, () => {
      const text = readFileSync(inRoot("fixtures", "workload-kinds", fixture, "input.yaml"), "utf8");
      const unknown = text.replaceAll(/^apiVersion: (?=[\w-]+\.)/gmu, "apiVersion: unknown.");
      assert.notEqual(unknown, text);
      const found = unknownKindFindings(unknown).filter(({ message }) => message.startsWith(`${kind} `));
      assert.ok(found.length > 0, "it is found");
      for (const { remedy } of found) {
        assert.match(remedy, new RegExp(`'workloads: \\[\\{group: unknown\\.[a-z.-]+, kind: ${kind}, `, "u"));
      }
      assert.deepEqual(
        unknownKindFindings(text).filter(({ message }) => message.startsWith(`${kind} `)),
        [],
        "its own group is known",
      );
    });
  }
});
