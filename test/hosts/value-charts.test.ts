// Compares the rows of src/kubernetes/workloads/value-charts.ts with the charts: a stamp in the values of a HelmRelease must reach exactly the
// pod templates that name the sources, and change nothing else. ROLLSTAMP_CHARTS=FOLDER:FOLDER names folders of clones named owner+name
// (research/chart-clones.mjs fetches some).
import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { cpSync, existsSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { delimiter, join } from "node:path";
import { describe, it } from "node:test";
import { parse, parseAllDocuments, stringify } from "yaml";
import { VALUE_CHARTS, type ValueChart } from "../../src/kubernetes/workloads/value-charts.ts";
import { HELMS, type Helm } from "./helm.ts";
import { command, unlessFound } from "./programs.ts";
import { temporaryFolder } from "./trees.ts";

const FOLDERS = [
  ...(process.env["ROLLSTAMP_CHARTS"] ?? "").split(delimiter),
  join(process.env["ROLLSTAMP_CACHE"] ?? "", "charts"),
];

/** Values that name a source by every path of the row, and what the chart wants to render. `OTHER` are pods without any. */
const VALUES: Readonly<Record<string, string>> = {
  "app-template": `
controllers:
  web:
    pod: {annotations: {mine: "1"}}
    initContainers:
      init: {image: {repository: a, tag: "1"}, envFrom: [{configMapRef: {name: "{{ .Release.Name }}-init"}}]}
    containers:
      app:
        image: {repository: a, tag: "1"}
        env: {A: {valueFrom: {secretKeyRef: {name: env, key: A}}}, B: {configMapKeyRef: {name: short, key: B}}, C: c}
        envFrom: [{secretRef: {name: "{{ .Release.Name }}-secret"}}, {secret: stampKeys}, {secret: given}]
  worker:
    type: statefulset
    containers: {app: {image: {repository: a, tag: "1"}, env: [{name: A, valueFrom: {secretKeyRef: {name: listed, key: A}}}]}}
  nightly:
    type: cronjob
    cronjob: {schedule: "0 0 * * *"}
    containers: {app: {image: {repository: a, tag: "1"}, envFrom: [{configMapRef: {name: night}}]}}
  once:
    type: job
    containers: {app: {image: {repository: a, tag: "1"}, envFrom: [{configMapRef: {name: night}}]}}
  off: {enabled: false, containers: {app: {image: {repository: a, tag: "1"}, envFrom: [{configMapRef: {name: night}}]}}}
  other: {containers: {app: {image: {repository: a, tag: "1"}}}}
defaultPodOptions: {annotations: {all: "1"}}
secrets: {own: {stringData: {A: a}}}
persistence:
  files: {type: configMap, name: files, advancedMounts: {worker: {app: [{path: /a, subPath: a}]}}}
  keys: {type: secret, name: keys, advancedMounts: {web: {app: [{path: /b}]}}}
  gone: {enabled: false, type: secret, name: gone}
  spec: {type: custom, volumeSpec: {configMap: {name: custom}}, advancedMounts: {web: {app: [{path: /c}]}}}
`,
  grafana: `
admin: {existingSecret: admin, userKey: u, passwordKey: p}
envFromSecret: one
envFromSecrets: [{name: two}]
envFromConfigMaps: [{name: three}]
envValueFrom: {A: {configMapKeyRef: {name: four, key: A}}}
smtp: {existingSecret: smtp}
extraSecretMounts: [{name: s, secretName: mounted, mountPath: /s, defaultMode: 256}]
extraConfigmapMounts: [{name: c, configMap: files, mountPath: /c}]
`,
  "ingress-nginx": `
controller:
  extraEnvs: [{name: A, valueFrom: {secretKeyRef: {name: one, key: A}}}]
  extraVolumes: [{name: v, configMap: {name: two}}]
defaultBackend: {enabled: true}
`,
  "external-dns": `
policy: sync
env: [{name: A, valueFrom: {secretKeyRef: {name: one, key: A}}}]
extraVolumes: [{name: v, secret: {secretName: two}}]
`,
  traefik: `
env: [{name: A, valueFrom: {secretKeyRef: {name: one, key: A}}}]
envFrom: [{configMapRef: {name: two}}]
volumes: [{name: three, mountPath: /three, type: secret}, {name: four, mountPath: /four, type: configMap}]
deployment: {additionalVolumes: [{name: v, configMap: {name: five}}]}
`,
  "oauth2-proxy": `
config: {existingSecret: one}
extraEnv: [{name: A, valueFrom: {configMapKeyRef: {name: two, key: A}}}]
extraVolumes: [{name: v, secret: {secretName: three}}]
`,
  authentik: `
authentik: {existingSecret: {secretName: stampKeys}}
serviceAccount: {create: false}
global: {env: [{name: A, valueFrom: {secretKeyRef: {name: one, key: A}}}], envFrom: [{configMapRef: {name: two}}]}
server: {envFrom: [{secretRef: {name: three}}], volumes: [{name: v, configMap: {name: four}}]}
worker: {env: [{name: B, valueFrom: {secretKeyRef: {name: five, key: B}}}]}
`,
};

interface Rendered {
  readonly annotations: Readonly<Record<string, string>>;
  /** The sources that the pod template names, as stamps are called. */
  readonly names: ReadonlySet<string>;
}

for (const helm of HELMS) {
  describe(`values of charts, with ${helm.name}`, { skip: unlessFound(helm.program) }, () => {
    for (const row of VALUE_CHARTS) {
      const chart = chartOf(row);
      it(
        `${row.chart}: stamps reach the pods that name their sources, and nothing else`,
        {
          skip: chart === undefined ? `${row.from} is in no folder of ROLLSTAMP_CHARTS` : false,
        },
        () => {
          const values = VALUES[row.chart] ?? "";
          assert.notEqual(values, "", "the row has values that try it");
          const from = withoutDependencies(chart ?? "");
          const before = render(helm, from, values);
          const named = new Set([...pods(before).values()].flatMap(({ names }) => [...names]));
          const sources = [...named].map((name) => sourceText(name, "1")).join("---\n");
          const stamped = stampedValues(row.chart, values, sources);
          const after = render(helm, from, stringify(stamped));
          const [old, now] = [pods(before), pods(after)];
          assert.ok(now.size > 0);
          let stamps = 0;
          for (const [id, { annotations, names }] of now) {
            const stampKeys = Object.keys(annotations).filter((key) => key.includes("rollstamp.dev/"));
            stamps += stampKeys.length;
            const isJob = id.startsWith("Job ");
            const wanted = isJob ? [] : [...names].filter((name) => isRowed(row.chart, name));
            assert.deepEqual(stampKeys.toSorted(), wanted.toSorted(), id);
            assert.deepEqual(
              { ...annotations, ...undefinedOf(stampKeys) },
              { ...old.get(id)?.annotations, ...undefinedOf(stampKeys) },
            );
          }
          assert.ok(stamps > 0);
          assert.deepEqual(withoutStamps(after), withoutStamps(before), "nothing but the stamps differs");
          // Another content of one source rolls the pods that name it, and no other.
          const changed = [...named].find((name) => isRowed(row.chart, name)) ?? "";
          const other = sources.replace(sourceText(changed, "1"), sourceText(changed, "2"));
          const rolled = pods(render(helm, from, stringify(stampedValues(row.chart, values, other))));
          for (const [id, { annotations, names }] of rolled) {
            const differs = JSON.stringify(annotations) !== JSON.stringify(now.get(id)?.annotations);
            assert.equal(differs, names.has(changed) && !id.startsWith("Job "), id);
          }
        },
      );
    }
  });
}

/** Sources that charts create themselves, and that no value names. */
function isRowed(chart: string, stamp: string): boolean {
  const made: Readonly<Record<string, readonly string[]>> = {
    "app-template": ["secret.rollstamp.dev/web"],
    grafana: ["configmap.rollstamp.dev/web-grafana"],
    "ingress-nginx": ["secret.rollstamp.dev/web-ingress-nginx-admission"],
    "oauth2-proxy": ["configmap.rollstamp.dev/web-oauth2-proxy"],
  };
  return !(made[chart] ?? []).includes(stamp);
}

const undefinedOf = (keys: readonly string[]): Record<string, undefined> =>
  Object.fromEntries(keys.map((key) => [key, undefined]));

function chartOf({ from }: ValueChart): string | undefined {
  const [repository = "", path = ""] = from.replace(/ [^ ]+$/u, "").split(", ");
  return FOLDERS.map((folder) => join(folder, repository.replace("/", "+"), path)).find((folder) =>
    existsSync(join(folder, "Chart.yaml")),
  );
}

/** A copy without what isn't there: app-template has its library from beside it, no other needs any. */
function withoutDependencies(chart: string): string {
  const copy = join(temporaryFolder(), "chart");
  cpSync(chart, copy, { recursive: true });
  const library = join(chart, "..", "..", "library", "common");
  if (existsSync(library)) {
    cpSync(library, join(copy, "charts", "common"), { recursive: true });
    // They refer to others by address.
    for (const folder of [copy, join(copy, "charts", "common")])
      rmSync(join(folder, "values.schema.json"), { force: true });
    return copy;
  }
  const file = join(copy, "Chart.yaml");
  const { dependencies: _dependencies, ...stampKeys } = parse(readFileSync(file, "utf8"));
  writeFileSync(file, stringify(stampKeys));
  return copy;
}

function render({ program, env }: Helm, chart: string, values: string): string {
  const { status, stdout, stderr } = spawnSync(
    program.found ? program.path : "",
    ["template", "web", chart, "--namespace", "shop", "--values", "-", "--kube-version", "1.33"],
    { input: values, encoding: "utf8", maxBuffer: 1 << 26, env },
  );
  assert.equal(status, 0, stderr);
  return stdout;
}

/** The HelmRelease's values once `rollstamp stamp` has been over it and its sources. */
function stampedValues(chart: string, values: string, sources: string): unknown {
  const file = join(temporaryFolder(), "release.yaml");
  const release = `apiVersion: helm.toolkit.fluxcd.io/v2
kind: HelmRelease
metadata: {name: web, namespace: shop, annotations: {rollstamp.dev/stamp: "true"}}
spec:
  interval: 1h
  chart: {spec: {chart: ${chart}, sourceRef: {kind: HelmRepository, name: charts}}}
  values:
${values.replace(/^/gmu, "    ")}
---
${sources}`;
  writeFileSync(file, release);
  const { status, stderr } = spawnSync(process.execPath, [command, "stamp", file], { encoding: "utf8" });
  assert.equal(status, 0, stderr);
  const [first] = parseAllDocuments(readFileSync(file, "utf8"));
  return first?.toJS().spec.values;
}

function sourceText(stamp: string, value: string): string {
  const [kind = "", name = ""] = stamp.split(".rollstamp.dev/");
  const data = "{A: a, B: b, a: a, u: u, p: p, other: o}"
    .replace("o}", `o${value}}`)
    .replace(/: ([abup])\b/gu, `: $1${value}`);
  return `{apiVersion: v1, kind: ${kind === "secret" ? "Secret" : "ConfigMap"}, metadata: {name: ${name}, namespace: shop}, ${kind === "secret" ? "stringData" : "data"}: ${data}}\n`;
}

/** The pod templates of a rendering, without those of hooks, by the object that has them. */
function pods(rendering: string): ReadonlyMap<string, Rendered> {
  const found = new Map<string, Rendered>();
  for (const document of parseAllDocuments(rendering)) {
    const object = document.toJS();
    const template = object?.spec?.jobTemplate?.spec?.template ?? object?.spec?.template;
    if (template?.spec?.containers === undefined || object.metadata.annotations?.["helm.sh/hook"] !== undefined)
      continue;
    found.set(`${object.kind} ${object.metadata.name}`, {
      annotations: template.metadata?.annotations ?? {},
      names: namesIn(template.spec),
    });
  }
  return found;
}

// core/v1: EnvVarSource, EnvFromSource, VolumeSource. Written down once more here, to hold the rows by something else.
function namesIn(value: unknown, under = ""): ReadonlySet<string> {
  const found = new Set<string>();
  if (Array.isArray(value)) for (const element of value) for (const name of namesIn(element, under)) found.add(name);
  else if (typeof value === "object" && value !== null) {
    const fields: Readonly<Record<string, unknown>> = { ...value };
    const name = fields["name"] ?? fields["secretName"];
    if (["configMapKeyRef", "configMapRef", "configMap"].includes(under)) found.add(`configmap.rollstamp.dev/${name}`);
    if (["secretKeyRef", "secretRef", "secret"].includes(under)) found.add(`secret.rollstamp.dev/${name}`);
    for (const [key, below] of Object.entries(fields)) for (const nested of namesIn(below, key)) found.add(nested);
  }
  return found;
}

/** The objects of a rendering without our annotations, and without what is random in them: their order, too. */
function withoutStamps(rendering: string): readonly string[] {
  return parseAllDocuments(rendering)
    .map((document) =>
      JSON.stringify(document.toJS(), (key, value: unknown) => (DROPPED.test(key) ? undefined : bare(value))),
    )
    .toSorted();
}

const DROPPED = /rollstamp\.dev\/|^(?:checksum\/secret|cookie-secret|secret_key|AUTHENTIK_SECRET_KEY)$/u;

/** Annotations that are ours alone make a mapping. */
function bare(value: unknown): unknown {
  if (typeof value !== "object" || value === null || !("annotations" in value)) return value;
  const { annotations, ...others } = value;
  const stampKeys = Object.keys(annotations ?? {}).filter((key) => !DROPPED.test(key));
  return stampKeys.length === 0 ? others : { ...others, annotations };
}
