// Inputs with two dimensions that grow together: code that combines each element of one with each of the other takes four times as long
// for twice the input. Each command has its own, because most stages run in only one command.
import type { Shape } from "./hostile-shapes.ts";
import {
  configMap,
  deployment,
  ENV_FROM,
  envFrom,
  keys,
  list,
  object,
  PLAN,
  RELOADER,
  repeat,
  sources,
  workloads,
} from "./product-parts.ts";

const keysTimesWorkloads = (n: number): Record<string, string> => ({
  "base.yaml": configMap("env", keys(n, "a")) + workloads(n),
  "head.yaml": configMap("env", keys(n, "b")) + workloads(n),
});
/** As long as a name may be. */
const long = (_n: number): string => "x".repeat(900);

/** What multiplies two dimensions of an input, by what the two are. */
export const PRODUCTS: Readonly<Record<string, Shape>> = {
  "a long name × findings": {
    n: 4_000,
    text: (n) => deployment(long(n), envFrom(n)),
    says: /RS001/u,
  },
  "a long name × findings, as a ResourceList": {
    n: 4_000,
    text: (n) =>
      `apiVersion: config.kubernetes.io/v1\nkind: ResourceList\nitems:\n- ${deployment(long(n), envFrom(n)).slice(4).replaceAll("\n", "\n  ").trimEnd()}\n`,
    says: /RS001/u,
  },
  "a long annotation key × findings": {
    n: 4_000,
    config: RELOADER,
    text: (n) =>
      deployment(
        "w",
        ENV_FROM,
        `, namespace: ${long(n)}, annotations: {configmap.reloader.stakater.com/reload: "${list(n, (i) => `m${i}`)}"}`,
      ),
    says: /RS001/u,
  },
  "a long name × findings of a lint": {
    n: 4_000,
    args: ["lint", "-"],
    text: (n) => deployment(long(n), envFrom(n)),
    says: /^/u,
  },
  "a long name × findings of a lint, as JSON": {
    n: 4_000,
    args: ["lint", "-o", "json", "-"],
    text: (n) => deployment(long(n), envFrom(n)),
  },
  "a long name × findings of a lint, as SARIF": {
    n: 4_000,
    args: ["lint", "-o", "sarif", "-"],
    text: (n) => deployment(long(n), envFrom(n)),
  },
  "annotations that ignore × findings": {
    n: 6_000,
    args: ["lint", "-"],
    text: (n) =>
      deployment("w", envFrom(n), `, annotations: {${list(n, (i) => `ignore.rollstamp.dev/X${i}: "because"`)}}`),
    says: /^/u,
  },
  "volumes × mounts": {
    n: 3_000,
    text: (n) =>
      sources(n) +
      deployment(
        "w",
        `      containers:\n      - name: a\n        volumeMounts:\n${repeat(n, (i) => `        - {name: v${i}, mountPath: /m${i}, subPath: a}\n`)}      volumes:\n${repeat(n, (i) => `      - {name: v${i}, configMap: {name: c${i}}}\n`)}`,
      ),
  },
  "volumes of one name × mounts": {
    n: 3_000,
    says: /RS002/u,
    text: (n) =>
      sources(n) +
      deployment(
        "w",
        `      containers:\n      - name: a\n        volumeMounts:\n${repeat(n, (i) => `        - {name: v, mountPath: /m${i}, subPath: a${i}}\n`)}      volumes:\n${repeat(n, (i) => `      - {name: v, configMap: {name: c${i}}}\n`)}`,
      ),
  },
  "projected sources × mounts": {
    n: 3_000,
    text: (n) =>
      sources(n) +
      deployment(
        "w",
        `      containers:\n      - name: a\n        volumeMounts:\n${repeat(n, (i) => `        - {name: v, mountPath: /m${i}, subPath: p${i}}\n`)}      volumes:\n      - name: v\n        projected:\n          sources:\n${repeat(n, (i) => `          - configMap: {name: c${i}}\n`)}`,
      ),
  },
  "sources of a volume, each with one of its own × mounts": {
    n: 1_000,
    says: /RS002/u,
    text: (n) =>
      sources(n) +
      deployment(
        "w",
        `      containers:\n      - name: a\n        volumeMounts:\n${repeat(n, (i) => `        - {name: v, mountPath: /m${i}, subPath: p${i}}\n`)}${repeat(n, (i) => `        - {name: o${i}, mountPath: /o${i}, subPath: q${i}}\n`)}      volumes:\n${repeat(n, (i) => `      - {name: o${i}, configMap: {name: c${i}}}\n`)}      - name: v\n        projected:\n          sources:\n${repeat(n, (i) => `          - configMap: {name: c${i}}\n`)}`,
      ),
  },
  "items of a volume × mounts": {
    n: 3_000,
    text: (n) =>
      configMap("env", keys(n, "b")) +
      deployment(
        "w",
        `      containers:\n      - name: a\n        volumeMounts:\n${repeat(n, (i) => `        - {name: v, mountPath: /m${i}, subPath: f${i}}\n`)}      volumes:\n      - name: v\n        configMap:\n          name: env\n          items:\n${repeat(n, (i) => `          - {key: k${i}, path: f${i}/x}\n`)}`,
      ),
  },
  "containers × volumes": {
    n: 3_000,
    says: /RS002/u,
    text: (n) =>
      sources(n) +
      deployment(
        "w",
        `      containers:\n${repeat(n, (i) => `      - {name: a${i}, volumeMounts: [{name: v, mountPath: /m, subPath: x${i}}]}\n`)}      volumes:\n${repeat(n, (i) => `      - {name: v, configMap: {name: c${i}}}\n`)}`,
      ),
  },
  "sources × missing references": {
    n: 4_000,
    text: (n) => repeat(n, (i) => configMap(`d${i}`, "  a: b\n")) + deployment("w", envFrom(n)),
    says: /RS001/u,
  },
  "sources × previous names × workloads": {
    n: 3_000,
    text: (n) =>
      `apiVersion: config.kubernetes.io/v1\nkind: ResourceList\nitems:\n${repeat(n, (i) => `- {apiVersion: v1, kind: ConfigMap, metadata: {name: p${i}-env, annotations: {internal.config.kubernetes.io/previousNames: env, internal.config.kubernetes.io/previousKinds: ConfigMap, internal.config.kubernetes.io/previousNamespaces: default, internal.config.kubernetes.io/prefixes: p${i}-}}, data: {a: b}}\n- {apiVersion: apps/v1, kind: Deployment, metadata: {name: p${i}-w, annotations: {internal.config.kubernetes.io/prefixes: p${i}-}}, spec: {template: {spec: {containers: [{name: a, envFrom: [{configMapRef: {name: env}}]}]}}}}\n`)}`,
    status: 2,
    says: /comparing sources of one previous name with workloads takes more/u,
  },
  "previous names of one source × another": {
    n: 3_000,
    text: (n) =>
      `apiVersion: config.kubernetes.io/v1\nkind: ResourceList\nitems:\n- {apiVersion: v1, kind: ConfigMap, metadata: {name: x, annotations: {internal.config.kubernetes.io/previousNames: "${list(n, (i) => `e${i}`)}"}}, data: {a: b}}\n${repeat(n, (i) => `- {apiVersion: apps/v1, kind: Deployment, metadata: {name: w${i}}, spec: {template: {spec: {containers: [{name: a, envFrom: [{configMapRef: {name: e${i}}}]}]}}}}\n`)}`,
  },
  "keys of a source × workloads that see one each": {
    n: 5_000,
    text: (n) =>
      configMap("env", keys(n, "b")) +
      repeat(n, (i) =>
        deployment(
          `w${i}`,
          `      containers: [{name: a, env: [{name: A, valueFrom: {configMapKeyRef: {name: env, key: k${i}}}}]}]\n`,
        ),
      ),
  },
  "keys of a Secret × workloads of a lint": {
    n: 4_000,
    args: ["lint", "-o", "json", "-"],
    text: (n) =>
      `apiVersion: v1\nkind: Secret\nmetadata: {name: env}\nstringData:\n${keys(n, "aaaaaaaaaaaaaaaaaaaaaaaaa")}` +
      repeat(n, (i) =>
        deployment(
          `w${i}`,
          `      containers: [{name: a, image: 'a:1', env: [{name: A, valueFrom: {secretKeyRef: {name: env, key: k${i}}}}]}]\n`,
        ),
      ),
  },
  "templates × sources": {
    n: 2_000,
    text: (n) =>
      sources(n) +
      `---\napiVersion: batch.volcano.sh/v1alpha1\nkind: Job\nmetadata: {name: w}\nspec:\n  tasks:\n${repeat(n, (i) => `  - {name: t${i}, template: {spec: {containers: [{name: a, envFrom: [{configMapRef: {name: c${i}}}]}]}}}\n`)}`,
    config: "ConfigHash\nspec: {jobs: Stamp}",
  },
  "configured templates × sources": {
    n: 2_000,
    config: "ConfigHash\nspec: {workloads: [{group: x.io, kind: W, podTemplate: 'spec.*.template'}]}",
    text: (n) =>
      sources(n) +
      `---\napiVersion: x.io/v1\nkind: W\nmetadata: {name: w}\nspec:\n${repeat(n, (i) => `  t${i}: {template: {spec: {containers: [{name: a, envFrom: [{configMapRef: {name: c${i}}}]}]}}}\n`)}`,
  },
  "expressions × sources × workloads": {
    n: 400,
    config: RELOADER,
    text: (n) =>
      sources(n) +
      repeat(n, (i) => deployment(`w${i}`, ENV_FROM, ", annotations: {configmap.reloader.stakater.com/reload: 'c.*'}")),
    says: /add more than 100000 references/u,
    status: 2,
  },
  "names of Reloader × references": {
    n: 5_000,
    config: RELOADER,
    text: (n) =>
      sources(n) +
      deployment(
        "w",
        envFrom(n),
        `, annotations: {configmap.reloader.stakater.com/reload: "${list(n, (i) => `m${i}`)}"}`,
      ),
    says: /RS001/u,
  },
  "names of Reloader × stamps": {
    n: 4_000,
    config: RELOADER,
    text: (n) =>
      deployment(
        "w",
        "      containers: []\n",
        `, annotations: {configmap.reloader.stakater.com/reload: "${list(n, (i) => `m${i}`)}"}`,
        `annotations: {${list(n, (i) => `configmap.rollstamp.dev/s${i}: "h1-${"0".repeat(40)}"`)}}`,
      ),
    says: /RS001/u,
  },
  "names of Reloader with dots × references": {
    n: 4_000,
    config: RELOADER,
    text: (n) =>
      sources(n) +
      deployment(
        "w",
        envFrom(n),
        `, annotations: {configmap.reloader.stakater.com/reload: "${list(n, (i) => `m.${i}`)}"}`,
      ),
    says: /^/u,
  },
  "patterns × long names": {
    n: 60_000,
    text: (n) =>
      deployment(
        "w",
        `      containers: [{name: a, envFrom: [{configMapRef: {name: ${"a".repeat(n)}}}]}]\n`,
        `, annotations: {rollstamp.dev/exclude: "${list(Math.min(1000, n / 100), (i) => `configmap/*${"a".repeat(90)}b${i}`)}"}`,
      ),
    says: /a name of 60000 characters is longer than 1000|comparing/u,
    status: 2,
  },
  "overrides × workloads": {
    n: 3_000,
    config: (n) =>
      `ConfigHash\nspec:\n  overrides:\n${repeat(n, (i) => `  - {target: {kind: Deployment, name: x${i}}, stamp: true}\n`)}`,
    text: (n) => configMap("env", "  a: b\n") + workloads(n),
  },
  "sources of an override × workloads": {
    n: 400,
    config: (n) =>
      `ConfigHash\nspec: {overrides: [{target: {kind: Deployment}, sources: [${list(n, (i) => `configmap/c${i}`)}]}]}`,
    text: (n) => sources(n) + configMap("env", "  a: b\n") + workloads(n),
    says: /add more than 100000 references/u,
    status: 2,
  },
  "targets of a restart × workloads": {
    n: 3_000,
    config: (n) =>
      `Restart\nspec:\n  at: 2026-01-01T00:00:00Z\n  targets:\n${repeat(n, (i) => `  - {kind: Deployment, name: w${i}}\n`)}`,
    text: (n) => workloads(n),
  },
  "targets of a restart that match nothing × workloads": {
    n: 3_000,
    config: (n) =>
      `Restart\nspec:\n  at: 2026-01-01T00:00:00Z\n  targets:\n${repeat(n, (i) => `  - {kind: Deployment, name: x${i}, selector: "a=b"}\n`)}`,
    text: (n) => workloads(n),
    says: /^/u,
  },
  "one long text × aliases": {
    n: 3_000,
    text: (n) =>
      configMap("env", `  a: &a ${"x".repeat(20 * n)}\n${repeat(n, (i) => `  k${i}: *a\n`)}`) +
      deployment("w", ENV_FROM),
    status: 2,
    says: /expand to too many values/u,
  },
  "one long name × aliases": {
    n: 3_000,
    text: (n) =>
      object("v1", "X", `name: &n ${long(n)}`, "") +
      repeat(n, (i) => deployment(`w${i}`, `      containers: [{name: a, envFrom: [{configMapRef: {name: env}}]}]\n`)) +
      "",
    says: /RS001/u,
  },
  "one long name × aliases in one document": {
    n: 3_000,
    text: (n) =>
      deployment(
        `&n ${long(n)}`,
        `      containers:\n      - name: a\n        env:\n${repeat(n, (i) => `        - {name: E${i}, valueFrom: {configMapKeyRef: {name: *n, key: k${i}}}}\n`)}`,
      ),
    says: /RS001/u,
  },
  "services and budgets × workloads": {
    n: 3_000,
    args: ["lint", "-o", "json", "-"],
    text: (n) =>
      configMap("env", "  a: b\n") +
      repeat(
        n,
        (i) =>
          deployment(`w${i}`, ENV_FROM, "", `labels: {app: w${i}}`) +
          object("v1", "Service", `name: w${i}`, `spec: {selector: {app: w${i}}}\n`) +
          object(
            "policy/v1",
            "PodDisruptionBudget",
            `name: w${i}`,
            `spec: {minAvailable: 1, selector: {matchLabels: {app: w${i}}}}\n`,
          ),
      ),
  },
  "stamps × annotations, linted": {
    n: 5_000,
    args: ["lint", "-o", "json", "-"],
    text: (n) =>
      deployment(
        "w",
        "      containers: []\n",
        "",
        `annotations: {${list(n, (i) => `configmap.rollstamp.dev/s${i}: "h1-${"0".repeat(40)}"`)}}`,
      ),
  },
  "keys × workloads, planned as JSON": { n: 1_000, args: PLAN("json"), files: keysTimesWorkloads },
  "keys × workloads, planned as text": { n: 1_000, args: PLAN("text"), files: keysTimesWorkloads },
  "keys × workloads, planned as Markdown": { n: 1_000, args: PLAN("markdown"), files: keysTimesWorkloads },
  "keys × workloads, planned as HTML": { n: 1_000, args: PLAN("html"), files: keysTimesWorkloads },
  "keys × workloads, planned with values": {
    n: 1_000,
    args: PLAN("json", "--show-values"),
    files: keysTimesWorkloads,
  },
  "a long value × workloads, planned with values": {
    n: 1_000,
    args: PLAN("json", "--show-values"),
    files: (n) => ({
      "base.yaml": configMap("env", `  k: |\n${repeat(n, (i) => `    a${i}\n`)}`) + workloads(n),
      "head.yaml": configMap("env", `  k: |\n${repeat(n, (i) => `    b${i}\n`)}`) + workloads(n),
    }),
  },
  "lines × lines of a value, planned with values": {
    n: 4_000,
    args: PLAN("json", "--show-values"),
    files: (n) => ({
      "base.yaml": configMap("env", `  k: |\n${repeat(n, (i) => `    a${i}\n`)}`) + workloads(1),
      "head.yaml": configMap("env", `  k: |\n${repeat(n, (i) => `    b${i}\n`)}`) + workloads(1),
    }),
  },
  "long values × keys, planned with values": {
    n: 40,
    args: PLAN("json", "--show-values"),
    files: (n) => ({
      "base.yaml":
        configMap(
          "env",
          repeat(n, (k) => `  k${k}: |\n${repeat(4000, (i) => `    a${i}\n`)}`),
        ) + workloads(1),
      "head.yaml":
        configMap(
          "env",
          repeat(n, (k) => `  k${k}: |\n${repeat(4000, (i) => `    b${i}\n`)}`),
        ) + workloads(1),
    }),
  },
  "a long name × workloads, planned": {
    n: 1_000,
    args: PLAN("json"),
    files: (n) => ({
      "base.yaml": configMap(long(n), "  a: a\n") + workloads(n, ENV_FROM.replace("env}", `${long(1)}}`)),
      "head.yaml": configMap(long(n), "  a: b\n") + workloads(n, ENV_FROM.replace("env}", `${long(1)}}`)),
    }),
  },
  "a long name that aliases repeat × references, planned": {
    n: 2_000,
    args: PLAN("json"),
    files: (n) => {
      const pod = (name: string): string =>
        `      containers:\n      - name: ${name}\n        env:\n${repeat(n, (i) => `        - {name: E${i}, value: x}\n`)}`;
      return {
        "base.yaml": deployment("w", pod(long(n))),
        "head.yaml": deployment("w", pod(long(n)).replaceAll("value: x", "value: z")),
      };
    },
  },
  "fields of one template × the same, planned": {
    n: 4_000,
    args: PLAN("json"),
    files: (n) => ({
      "base.yaml": deployment("w", `      containers:\n${repeat(n, (i) => `      - {name: a${i}, image: 'a:1'}\n`)}`),
      "head.yaml": deployment("w", `      containers:\n${repeat(n, (i) => `      - {name: b${i}, image: 'a:1'}\n`)}`),
    }),
  },
  "arguments × arguments, planned": {
    n: 5_000,
    args: PLAN("json"),
    files: (n) => ({
      "base.yaml": deployment(
        "w",
        `      containers:\n      - name: a\n        args:\n${repeat(n, (i) => `        - a${i}\n`)}`,
      ),
      "head.yaml": deployment(
        "w",
        `      containers:\n      - name: a\n        args:\n${repeat(n, (i) => `        - b${i}\n`)}`,
      ),
    }),
  },
  "sources with hashes in their names × each other, planned": {
    n: 2_000,
    args: PLAN("json"),
    files: (n) => ({
      "base.yaml":
        repeat(n, (i) => configMap(`c${i}-abcdefghkm`, "  a: a\n")) +
        deployment("w", envFrom(n).replaceAll(/name: (c\d+)/gu, "name: $1-abcdefghkm")),
      "head.yaml":
        repeat(n, (i) => configMap(`c${i}-abcdefghkt`, "  a: b\n")) +
        deployment("w", envFrom(n).replaceAll(/name: (c\d+)/gu, "name: $1-abcdefghkt")),
    }),
  },
  "hashes of one name × workloads, planned": {
    n: 2_000,
    args: PLAN("json"),
    files: (n) => {
      const side = (letter: string): string => {
        const digits = "bcdfghkmt2456789";
        const name = (i: number): string =>
          `c-${letter.repeat(5)}${[0, 1, 2, 3, 4].map((k) => digits[(i >> (k * 4)) & 15]).join("")}`;
        return (
          repeat(n, (i) => configMap(name(i), "  a: a\n")) +
          deployment(
            "w",
            `      containers:\n      - name: a\n        envFrom:\n${repeat(n, (i) => `        - configMapRef: {name: ${name(i)}}\n`)}`,
          )
        );
      };
      return { "base.yaml": side("b"), "head.yaml": side("c") };
    },
  },
  "sources × workloads, planned": {
    n: 1_500,
    args: PLAN("json"),
    files: (n) => ({
      "base.yaml": sources(n, "a") + repeat(n, (i) => deployment(`w${i}`, ENV_FROM.replace("env}", `c${i}}`))),
      "head.yaml": sources(n, "b") + repeat(n, (i) => deployment(`w${i}`, ENV_FROM.replace("env}", `c${i}}`))),
    }),
  },
  "workloads that come × workloads that go, planned": {
    n: 1_500,
    args: PLAN("text"),
    files: (n) => ({
      "base.yaml": configMap("env", "  a: a\n") + workloads(n),
      "head.yaml": configMap("env", "  a: a\n") + repeat(n, (i) => deployment(`v${i}`, ENV_FROM)),
    }),
  },
  "keys of a source × workloads, as a graph": {
    n: 1_500,
    args: ["graph", "-o", "json", "-"],
    text: (n) =>
      configMap("env", keys(n, "b")) +
      repeat(n, (i) =>
        deployment(`w${i}`, "      containers: [{name: a}]\n      volumes: [{name: v, configMap: {name: env}}]\n"),
      ),
  },
  "mounts × keys, as a graph": {
    n: 2_000,
    args: ["graph", "-o", "html", "-"],
    text: (n) =>
      configMap("env", keys(n, "b")) +
      deployment(
        "w",
        `      containers:\n      - name: a\n        volumeMounts:\n${repeat(n, (i) => `        - {name: v, mountPath: /m${i}, subPath: k${i}}\n`)}      volumes: [{name: v, configMap: {name: env}}]\n`,
      ),
  },
  "references × workloads, explained": {
    n: 2_000,
    args: ["explain", "deployment/w", "-"],
    text: (n) => sources(n) + deployment("w", envFrom(n)) + workloads(n),
    says: /^/u,
  },
  "mounts × volumes, explained": {
    n: 2_000,
    args: ["explain", "deployment/w", "-"],
    text: (n) =>
      sources(n) +
      deployment(
        "w",
        `      containers:\n      - name: a\n        volumeMounts:\n${repeat(n, (i) => `        - {name: v, mountPath: /m${i}, subPath: p${i}}\n`)}      volumes:\n      - name: v\n        projected:\n          sources:\n${repeat(n, (i) => `          - configMap: {name: c${i}}\n`)}`,
      ),
  },
  "checksums × sources, migrated": {
    n: 2_000,
    args: ["migrate", "manifests.yaml"],
    files: (n) => ({
      "manifests.yaml":
        sources(n) +
        deployment("w", envFrom(n), "", `annotations: {${list(n, (i) => `checksum/c${i}: ${"a".repeat(64)}`)}}`),
    }),
    says: /^/u,
  },
  "names of Reloader × workloads, migrated": {
    n: 1_000,
    args: ["migrate", "manifests.yaml"],
    files: (n) => ({
      "manifests.yaml":
        sources(n) +
        repeat(n, (i) =>
          deployment(
            `w${i}`,
            ENV_FROM.replace("env}", `c${i}}`),
            ", annotations: {configmap.reloader.stakater.com/reload: 'c.*'}",
          ),
        ),
    }),
    status: 2,
    says: /add more than 100000 references/u,
  },
  "lines × lines of a diff": {
    n: 6_000,
    args: ["stamp", "--diff", "manifests.yaml"],
    files: (n) => ({ "manifests.yaml": configMap("env", "  a: b\n") + workloads(n) }),
    says: /^/u,
  },
  "schedules × workloads": {
    n: 2_000,
    args: ["restart", "--due", "--check", "manifests.yaml"],
    files: (n) => ({
      "manifests.yaml": repeat(n, (i) =>
        deployment(`w${i}`, ENV_FROM, `, annotations: {rollstamp.dev/restart-schedule: "0 3 29 2 *"}`),
      ),
    }),
    status: 1,
    says: /^/u,
  },
  "restarts of targets × workloads": {
    n: 2_000,
    args: (n) => ["restart", "--check", ...Array.from({ length: n }, (_, i) => `deployment/w${i}`), "manifests.yaml"],
    files: (n) => ({ "manifests.yaml": workloads(n) }),
    status: 1,
    says: /^/u,
  },
};
