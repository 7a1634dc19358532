// More inputs with two dimensions that grow together, for commands other than the function.
import type { Shape } from "./hostile-shapes.ts";
import {
  configMap,
  deployment,
  ENV_FROM,
  keys,
  list,
  object,
  PLAN,
  RELOADER,
  repeat,
  sources,
  workloads,
} from "./product-parts.ts";

const TOO_MANY_STEPS = /comparing .* takes more than/u;
const LINT = ["lint", "-o", "json", "-"];

const inNamespaces = (n: number, prefix: string, part: (namespace: string, i: number) => string): string =>
  repeat(n, (i) => part(`, namespace: ${prefix}${i}`, i));
const externalSecret = (n: number): string =>
  object(
    "external-secrets.io/v1",
    "ExternalSecret",
    "name: env",
    `spec:\n  secretStoreRef: {name: s}\n  data: [{secretKey: a, remoteRef: {key: b}}]\n  target:\n    template:\n      templateFrom:\n${repeat(n, (i) => `      - {configMap: {name: c${i}, items: [{key: a}]}}\n`)}`,
  );
const sealed = (n: number, template: string): string =>
  object(
    "bitnami.com/v1alpha1",
    "SealedSecret",
    "name: env",
    `spec:\n  encryptedData:\n${repeat(n, (i) => `    k${i}: AgBy\n`)}  template:\n    data: {config: "${template}"}\n`,
  );
const secretObjects = (n: number): string =>
  object(
    "secrets-store.csi.x-k8s.io/v1",
    "SecretProviderClass",
    "name: env",
    `spec:\n  provider: vault\n  secretObjects:\n${repeat(n, (i) => `  - {secretName: s${i}, type: Opaque}\n`)}`,
  );
const keyOf = (i: number, kind: "configMap" | "secret" = "configMap"): string =>
  `      containers: [{name: a, env: [{name: A, valueFrom: {${kind}KeyRef: {name: env, key: k${i}}}}]}]\n`;
const rollouts = (n: number): string =>
  repeat(n, (i) =>
    object(
      "argoproj.io/v1alpha1",
      "Rollout",
      `name: r${i}, annotations: {rollstamp.dev/exclude: configmap/x${i}}`,
      "spec: {workloadRef: {apiVersion: apps/v1, kind: Deployment, name: w}}\n",
    ),
  );
const tasks = (n: number, container: (i: number) => string): string =>
  `---\napiVersion: batch.volcano.sh/v1alpha1\nkind: Job\nmetadata: {name: w}\nspec:\n  tasks:\n${repeat(n, (i) => `  - {name: t${i}, template: {spec: {containers: [${container(i)}]}}}\n`)}`;
const service = (name: string, rest: string, metadata = ""): string =>
  object("v1", "Service", `name: ${name}${metadata}`, `spec: {${rest}}\n`);
const monitor = (name: string, endpoints: string): string =>
  object(
    "monitoring.coreos.com/v1",
    "ServiceMonitor",
    `name: ${name}`,
    `spec: {selector: {matchLabels: {a: b}}, endpoints: [${endpoints}]}\n`,
  );
/** Inputs whose two dimensions could multiply in the output of commands. */
export const COMMAND_PRODUCTS: Readonly<Record<string, Shape>> = {
  "one name in namespaces × workloads that miss it": {
    n: 6_000,
    text: (n) =>
      inNamespaces(n, "a", (namespace) => configMap("env", "  a: b\n", namespace)) +
      inNamespaces(n, "b", (namespace) => deployment("w", ENV_FROM, namespace)),
    says: /RS001/u,
  },
  "keys of a SealedSecret × workloads that see one each": {
    n: 4_000,
    text: (n) => sealed(n, "x") + repeat(n, (i) => deployment(`w${i}`, keyOf(i, "secret"))),
    says: /^/u,
  },
  "templates of an ExternalSecret × workloads": {
    n: 400,
    text: (n) =>
      sources(n) +
      externalSecret(n) +
      workloads(n, "      containers: [{name: a, envFrom: [{secretRef: {name: env}}]}]\n"),
    status: 2,
    says: /add more than 100000 references/u,
  },
  "one large value × sets of keys": {
    n: 6_000,
    text: (n) =>
      configMap("env", `  large: "${"x".repeat(200 * n)}"\n${keys(n, "b")}`) +
      repeat(n, (i) =>
        deployment(
          `w${i}`,
          `      containers: [{name: a}]\n      volumes: [{name: v, configMap: {name: env, items: [{key: large, path: l}, {key: k${i}, path: k}]}}]\n`,
        ),
      ),
    status: 2,
    says: TOO_MANY_STEPS,
  },
  "runners × references": {
    n: 3_000,
    text: (n) =>
      sources(n) +
      rollouts(n) +
      deployment(
        "w",
        `      containers:\n      - name: a\n        envFrom:\n${repeat(n, (i) => `        - configMapRef: {name: c${i}}\n`)}`,
      ),
    status: 2,
    says: TOO_MANY_STEPS,
  },
  "rows of a configuration × workloads": {
    n: 3_500,
    config: (n) =>
      `ConfigHash\nspec: {workloads: [${list(n, (i) => `{group: apps, kind: Deployment, podTemplate: spec.t${i}}`)}]}`,
    text: (n) => workloads(n),
    status: 2,
    says: TOO_MANY_STEPS,
  },
  "rows of a configuration × each other": {
    n: 8_000,
    config: (n) =>
      `ConfigHash\nspec: {workloads: [${list(n, (i) => `{group: apps, kind: Deployment, podTemplate: spec.t${i}}`)}]}`,
    text: () => workloads(1),
    says: /RS001/u,
  },
  "fields of a declared kind × objects": {
    n: 3_500,
    config: (n) =>
      `ConfigHash\nspec: {declaredKinds: [{group: x.io, kind: X, provides: Secret, name: metadata.name, digest: [${list(n, (i) => `spec.f${i}`)}]}]}`,
    text: (n) => repeat(n, (i) => object("x.io/v1", "X", `name: x${i}`, "spec: {f0: a}\n")) + workloads(1),
    status: 2,
    says: TOO_MANY_STEPS,
  },
  "values of a selector × workloads": {
    n: 6_000,
    config: (n) =>
      `ConfigHash\nspec: {selector: {matchExpressions: [{key: app, operator: In, values: [${list(n, (i) => `v${i}`)}]}]}}`,
    text: (n) =>
      configMap("env", "  a: b\n") + repeat(n, (i) => deployment(`w${i}`, ENV_FROM, `, labels: {app: v${i}}`)),
  },
  "annotations of a source × workloads": {
    n: 4_000,
    config: RELOADER,
    text: (n) =>
      configMap("env", "  a: b\n", `, annotations: {${list(n, (i) => `a${i}: b`)}}`) +
      repeat(n, (i) => deployment(`w${i}`, ENV_FROM, ', annotations: {reloader.stakater.com/auto: "true"}')),
  },
  "affixes of a workload × references": {
    n: 3_000,
    text: (n) =>
      `apiVersion: config.kubernetes.io/v1\nkind: ResourceList\nitems:\n${repeat(n, (i) =>
        ["p", "q"]
          .map(
            (p) =>
              `- {apiVersion: v1, kind: ConfigMap, metadata: {name: ${p}-c${i}, annotations: {internal.config.kubernetes.io/previousNames: c${i}, internal.config.kubernetes.io/previousKinds: ConfigMap, internal.config.kubernetes.io/previousNamespaces: default, internal.config.kubernetes.io/prefixes: ${p}-}}, data: {a: b}}\n`,
          )
          .join(""),
      )}- {apiVersion: apps/v1, kind: Deployment, metadata: {name: w, annotations: {internal.config.kubernetes.io/prefixes: "${list(n, (i) => `x${i}-`)}"}}, spec: {template: {spec: {containers: [{name: a, envFrom: [${list(n, (i) => `{configMapRef: {name: c${i}}}`)}]}]}}}}\n`,
    status: 2,
    says: TOO_MANY_STEPS,
  },
  "sources × containers that mount them all": {
    n: 3_000,
    text: (n) =>
      sources(n) +
      deployment(
        "w",
        `      containers:\n${repeat(n, (i) => `      - {name: a${i}, image: 'x:1', volumeMounts: [{name: v, mountPath: /m}]}\n`)}      volumes:\n      - name: v\n        projected:\n          sources:\n${repeat(n, (i) => `          - configMap: {name: c${i}}\n`)}`,
      ),
  },
  "duplicate keys × references": {
    n: 5_000,
    text: (n) =>
      configMap("env", keys(n, "b")) +
      deployment(
        "w",
        `      containers:\n      - name: a\n        env:\n${repeat(n, (i) => `        - {name: E${i}, valueFrom: {configMapKeyRef: {name: env, key: k${i}}}}\n`)}`,
        "",
        `labels: {${list(n, (i) => `l${i}: a, l${i}: b`)}}`,
      ),
    says: /duplicate key/u,
  },
  "keys × mappings that are merged": {
    n: 4_000,
    text: (n) =>
      `${configMap("env", `  a: b\n${keys(n, "c")}  <<: [${list(n, (i) => `{m${i}: d}`)}]\n`)}${deployment("w", ENV_FROM)}`,
    says: /^/u,
  },
  "annotations × stamps that are added": {
    n: 5_000,
    text: (n) =>
      sources(n) +
      deployment(
        "w",
        `      containers:\n      - name: a\n        envFrom:\n${repeat(n, (i) => `        - configMapRef: {name: c${i}}\n`)}`,
        "",
        `annotations: {${list(n, (i) => `a${i}: b`)}}`,
      ),
  },
  "other stamps × sources, checked": {
    n: 4_000,
    args: ["stamp", "--check", "-"],
    text: (n) =>
      repeat(n, (i) => configMap(`prod-c${i}`, `  a: b${i}\n`)) +
      deployment(
        "w",
        `      containers:\n      - name: a\n        envFrom:\n${repeat(n, (i) => `        - configMapRef: {name: prod-c${i}}\n`)}`,
        "",
        `annotations: {${list(n, (i) => `configmap.rollstamp.dev/c${i}: "h1-${"0".repeat(40)}"`)}}`,
      ),
    status: 1,
    says: /^/u,
  },
  "keys of a declaration × their digests": {
    n: 4_000,
    args: ["digest", "-o", "json", "-"],
    text: (n) => sealed(n, "x".repeat(100 * n)),
  },
  "objects that a source makes × their digests": {
    n: 5_000,
    args: ["digest", "-o", "json", "-"],
    text: secretObjects,
  },
  "objects that a source makes × its names, linted": {
    n: 10_000,
    args: LINT,
    text: (n) => secretObjects(n) + workloads(1),
  },
  "Services × pods that they all select, linted": {
    n: 4_000,
    args: LINT,
    text: (n) =>
      repeat(n, (i) => deployment(`w${i}`, ENV_FROM, "", "labels: {app: x}") + service(`s${i}`, "selector: {app: x}")),
    status: 2,
    says: TOO_MANY_STEPS,
  },
  "budgets × pods that they all select, linted": {
    n: 4_000,
    args: LINT,
    text: (n) =>
      repeat(
        n,
        (i) =>
          deployment(`w${i}`, ENV_FROM, "", "labels: {app: x}") +
          object("policy/v1", "PodDisruptionBudget", `name: b${i}`, `spec: {minAvailable: 1, selector: {}}\n`),
      ),
    status: 2,
    says: TOO_MANY_STEPS,
  },
  "monitors × Services of one label, linted": {
    n: 4_000,
    args: LINT,
    text: (n) =>
      deployment("w", ENV_FROM, "", "labels: {app: x}") +
      repeat(
        n,
        (i) =>
          monitor(`m${i}`, "{port: a}") +
          service(`s${i}`, `selector: {app: y${i}}, ports: [{name: x}]`, ", labels: {a: b}"),
      ),
  },
  "endpoints of a monitor × Services, linted": {
    n: 4_000,
    args: LINT,
    text: (n) =>
      deployment("w", ENV_FROM, "", "labels: {app: x}") +
      monitor(
        "m",
        list(n, (i) => `{port: p${i}}`),
      ) +
      repeat(n, (i) => service(`s${i}`, `selector: {app: y${i}}, ports: [{name: x}]`, ", labels: {a: b}")),
  },
  "access modes of a claim × volumes, linted": {
    n: 4_000,
    args: LINT,
    text: (n) =>
      object("v1", "PersistentVolumeClaim", "name: p", `spec: {accessModes: [${list(n, () => "ReadWriteMany")}]}\n`) +
      repeat(n, (i) =>
        deployment(
          `w${i}`,
          "      containers: [{name: a, image: 'x:1'}]\n      volumes: [{name: v, persistentVolumeClaim: {claimName: p}}]\n",
        ),
      ),
  },
  "keys that change × workloads that see one each, planned": {
    n: 3_000,
    args: PLAN("json"),
    files: (n) => {
      const seeing = repeat(n, (i) => deployment(`w${i}`, keyOf(i)));
      return {
        "base.yaml": configMap("env", keys(n, "a")) + seeing,
        "head.yaml": configMap("env", keys(n, "b")) + seeing,
      };
    },
  },
  "sources that change × references of one template that stays, planned": {
    n: 6_000,
    args: PLAN("json", "--as", "applied"),
    files: (n) => {
      const envFrom = list(n, (i) => `{configMapRef: {name: c${i}}}`);
      const seeing = deployment("w", `      containers: [{name: a, envFrom: [${envFrom}]}]\n`);
      return { "base.yaml": sources(n, "a") + seeing, "head.yaml": sources(n, "b") + seeing };
    },
  },
  "what a project permitted × what it permits, planned": {
    n: 6_000,
    args: PLAN("json"),
    files: (n) => {
      const project = (group: string): string =>
        object(
          "argoproj.io/v1alpha1",
          "AppProject",
          "name: a",
          `spec: {clusterResourceWhitelist: [${list(n, (i) => `{group: ${group}${i}, kind: "*"}`)}]}\n`,
        );
      return { "base.yaml": workloads(1) + project("a"), "head.yaml": workloads(1) + project("b") };
    },
  },
  "objects without a name × each other, planned": {
    n: 5_000,
    args: PLAN("json"),
    files: (n) => {
      const made = (image: string): string =>
        repeat(n, () =>
          object(
            "batch/v1",
            "Job",
            "generateName: w-",
            `spec: {template: {spec: {containers: [{name: a, image: '${image}'}]}}}\n`,
          ),
        );
      return { "base.yaml": made("a:1"), "head.yaml": made("a:2") };
    },
    status: 1,
    says: /^/u,
  },
  "hashes of one name × keys that a workload loses, planned": {
    n: 1_200,
    args: PLAN("json"),
    files: (n) => {
      const digits = "bcdfghkmt2456789";
      const name = (i: number): string => `c-bbbbbbb${[0, 1, 2].map((k) => digits[(i >> (k * 4)) & 15]).join("")}`;
      const many = list(n, (i) => `{configMapRef: {name: ${name(i + 1)}}}`);
      const key = (i: number): string => `{name: E${i}, valueFrom: {configMapKeyRef: {name: ${name(0)}, key: k${i}}}}`;
      return {
        "base.yaml":
          repeat(n, (i) => configMap(name(i + 1), i === 0 ? keys(n, "a") : "  a: b\n")) +
          deployment("w", `      containers: [{name: a, envFrom: [${many}]}]\n`),
        "head.yaml":
          configMap(name(0), "  a: b\n") + deployment("w", `      containers: [{name: a, env: [${list(n, key)}]}]\n`),
      };
    },
  },
  "ports of a Service × paths of an Ingress that name one, planned": {
    n: 4_000,
    args: PLAN("json"),
    files: (n) => {
      const backend = "{service: {name: s, port: {number: 1}}}";
      const paths = list(n, (i) => `{path: /${i}, pathType: Exact, backend: ${backend}}`);
      const route = object(
        "networking.k8s.io/v1",
        "Ingress",
        "name: i",
        `spec: {rules: [{http: {paths: [${paths}]}}]}\n`,
      );
      const ports = list(n, (i) => `{name: p${i}, port: ${i + 2}}`);
      const served = (more: string): string => service("s", `selector: {a: b}, ports: [${ports}${more}]`);
      return { "base.yaml": served(", {name: q, port: 1}") + route, "head.yaml": served("") + route };
    },
  },
  "uses of one source, as a graph": {
    n: 8_000,
    args: ["graph", "-o", "text", "-"],
    text: (n) => configMap("env", "  a: b\n") + workloads(n),
  },
  "workloads of one name × namespaces, explained": {
    n: 3_000,
    args: ["explain", "deployment/w", "-"],
    text: (n) => inNamespaces(n, "a", (namespace) => deployment("w", ENV_FROM, namespace)),
    says: /^/u,
  },
  "templates × keys that each sees one of, explained": {
    n: 2_500,
    args: ["explain", "job/w", "-"],
    text: (n) =>
      configMap("env", keys(n, "b")) +
      tasks(n, (i) => `{name: a, env: [{name: A, valueFrom: {configMapKeyRef: {name: env, key: k${i}}}}]}`),
    says: /^/u,
  },
  "annotations of peers × workloads of a file, migrated": {
    n: 5_000,
    args: ["migrate", "manifests.yaml"],
    files: (n) => ({
      "manifests.yaml":
        configMap("env", "  a: b\n") +
        repeat(n, (i) => deployment(`w${i}`, ENV_FROM, ', annotations: {reloader.stakater.com/auto: "true"}')),
    }),
  },
  "alternatives × sources, migrated": {
    n: 600,
    args: ["migrate", "manifests.yaml"],
    files: (n) => ({
      "manifests.yaml":
        repeat(n, (i) => configMap(`c${i}${"x".repeat(200)}`, "  a: b\n")) +
        deployment(
          "w",
          ENV_FROM,
          `, annotations: {configmap.reloader.stakater.com/reload: "${list(n, (i) => `a${"y".repeat(800)}${i}|b`)}"}`,
        ),
    }),
    status: 2,
    says: TOO_MANY_STEPS,
  },
  "parts of a run × workloads that name what stands in all of them": {
    n: 1_200,
    args: ["lint", "-o", "json", "manifests"],
    files: (n) => ({
      ...Object.fromEntries(
        Array.from({ length: n }, (_, i) => [`manifests/p${i}/c.yaml`, configMap("c", `  a: b${i}\n`)]),
      ),
      "manifests/w.yaml": workloads(n, ENV_FROM.replace("name: env", "name: c")),
    }),
  },
  "rows of a configuration × files by themselves, linted": {
    n: 1_500,
    args: ["lint", "--scope", "file", "-o", "json", "manifests"],
    files: (n) => ({
      "rollstamp.yaml": `apiVersion: rollstamp.dev/v1alpha1\nkind: ConfigHash\nspec: {workloads: [${list(n, (i) => `{group: x.io, kind: K${i}, podTemplate: spec.template}`)}], declaredKinds: [${list(n, (i) => `{group: x.io, kind: D${i}, provides: Secret, name: metadata.name, digest: [spec]}`)}]}\n`,
      ...Object.fromEntries(
        Array.from({ length: n }, (_, i) => [`manifests/f${i}.yaml`, configMap(`c${i}`, "  a: b\n")]),
      ),
    }),
  },
};
