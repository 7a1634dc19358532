// Manifests that are put together from dimensions: how many there are of each, and which two or more grow together,
// the bytes choose. The whole grows in step with `n`: what multiplies does so in the program.
import type { Bytes } from "./world.ts";

/** The manifests of one size, and the configuration that they are read with. */
export interface Built {
  readonly text: string;
  /** The same with other values in the sources, and other fields in the workloads. */
  readonly changed: string;
  readonly config: string;
}

const times = (n: number, part: (i: number) => string): string => Array.from({ length: n }, (_, i) => part(i)).join("");
const list = (n: number, part: (i: number) => string): string => Array.from({ length: n }, (_, i) => part(i)).join(",");
const quoted = (text: string): string => JSON.stringify(text);

/** What may grow. */
const DIMENSIONS = [
  "sources",
  "keys",
  "lines",
  "workloads",
  "containers",
  "envFrom",
  "env",
  "volumes",
  "projected",
  "items",
  "mounts",
  "sameVolumes",
  "stamps",
  "named",
  "excluded",
  "patterns",
  "reloaderNames",
  "dottedNames",
  "expressions",
  "ignores",
  "checksums",
  "labels",
  "longWorkload",
  "longSource",
  "longKey",
  "longNamespace",
  "previousNames",
  "aliases",
  "autoscalers",
  "externals",
  "externalKeys",
  "templates",
  "overrides",
  "arguments",
  "plainEnv",
  "tolerations",
  "services",
  "wave",
  "merges",
  "restarts",
] as const;
type Dimension = (typeof DIMENSIONS)[number];

/** How the other workloads see the sources. */
const SEEN = ["whole", "key", "own", "missing", "missingKey", "subPath", "items", "renamed", "external"] as const;

/** What the bytes chose: the dimensions that grow, and how things refer to each other. */
export interface Choice {
  readonly growing: ReadonlySet<Dimension>;
  readonly seen: (typeof SEEN)[number];
  readonly kind: "ConfigMap" | "Secret";
  readonly list: boolean;
  readonly config: string;
}

/** Reads a choice. */
export function chosen(bytes: Bytes): Choice {
  const seen = bytes.pick(SEEN);
  const kind = bytes.pick<Choice["kind"]>(["ConfigMap", "Secret"]);
  const isList = bytes.below(4) === 0;
  const fields = [
    bytes.pick(["", "layout: Combined"]),
    bytes.pick(["", "granularity: Object"]),
    bytes.pick(["", "compat: [Reloader]", "compat: [Wave]", "compat: [Reloader, Wave]"]),
    bytes.pick(["", "selection: Annotated"]),
    bytes.pick(["", "checksums: Remove, versionLabels: Remove"]),
    bytes.pick(["", "missing: Error"]),
  ].filter((field) => field !== "");
  const growing = new Set<Dimension>();
  while (!bytes.isAtEnd && growing.size < 8) growing.add(bytes.pick(DIMENSIONS));
  return { growing, seen, kind, list: isList, config: fields.join(", ") };
}

/** The manifests of a choice, of a size. */
export function built({ growing, seen, kind, list: isList, config }: Choice, n: number): Built {
  const sizeOf = (dimension: Dimension, otherwise = 0): number => (growing.has(dimension) ? n : otherwise);
  const long = (dimension: Dimension): string => (growing.has(dimension) ? "x".repeat(20 * n) : "");
  const isSecret = kind === "Secret";
  const ref = isSecret ? "secretRef" : "configMapRef";
  const keyRef = isSecret ? "secretKeyRef" : "configMapKeyRef";
  const inVolume = (name: string, more = ""): string =>
    isSecret ? `secret: {secretName: ${name}${more}}` : `configMap: {name: ${name}${more}}`;
  const projection = (name: string): string =>
    isSecret ? `{secret: {name: ${name}}}` : `{configMap: {name: ${name}}}`;
  const key = (i: number): string => `k${i}${long("longKey")}`;
  const source = (i: number): string => `s${i}${i === 0 ? long("longSource") : ""}`;
  const namespace = growing.has("longNamespace") ? `, namespace: ns${long("longNamespace")}` : "";
  const namesOfSources = (value: string): string =>
    times(sizeOf("sources", 2), (i) => {
      const previous =
        i === 0 && growing.has("previousNames")
          ? `internal.config.kubernetes.io/previousNames: ${quoted(list(n, (k) => `old${k}`))}`
          : seen === "renamed"
            ? `internal.config.kubernetes.io/previousNames: renamed, internal.config.kubernetes.io/previousKinds: ${kind}, internal.config.kubernetes.io/previousNamespaces: default, internal.config.kubernetes.io/prefixes: p${i}-`
            : "";
      const head = `{apiVersion: v1, kind: ${kind}, metadata: {name: ${source(i)}${namespace}, annotations: {${previous}}}, ${isSecret ? "stringData" : "data"}: {`;
      if (i > 0) return `- ${head}a: ${value}}}\n`;
      return `- ${head}${list(sizeOf("keys", 2), (k) => `${key(k)}: ${value}`)}, lines: ${quoted(times(sizeOf("lines", 1), (k) => `${value}${k}\n`))}}}\n`;
    });
  const marks = [
    ...(sizeOf("named") > 0 ? [`rollstamp.dev/sources: ${quoted(list(n, (i) => `${kind.toLowerCase()}/n${i}`))}`] : []),
    ...(sizeOf("excluded") + sizeOf("patterns") > 0
      ? [
          `rollstamp.dev/exclude: ${quoted([...Array.from({ length: sizeOf("excluded") }, (_, i) => `${kind.toLowerCase()}/e${i}`), ...Array.from({ length: Math.min(sizeOf("patterns"), 400) }, (_, i) => `${kind.toLowerCase()}/*z${i}`)].join(","))}`,
        ]
      : []),
    ...(sizeOf("reloaderNames") + sizeOf("dottedNames") + sizeOf("expressions") > 0
      ? [
          `${kind.toLowerCase()}.reloader.stakater.com/reload: ${quoted([...Array.from({ length: sizeOf("reloaderNames") }, (_, i) => `r${i}`), ...Array.from({ length: sizeOf("dottedNames") }, (_, i) => `r.${i}`), ...Array.from({ length: Math.min(sizeOf("expressions"), 30) }, (_, i) => `q${i}.*`)].join(","))}`,
        ]
      : []),
    ...(sizeOf("wave") > 0 ? [`wave.pusher.com/extra-configmaps: ${quoted(list(n, (i) => `v${i}`))}`] : []),
    ...Array.from({ length: sizeOf("ignores") }, (_, i) => `ignore.rollstamp.dev/X${i}: because of it`),
  ].join(", ");
  const annotations = [
    ...Array.from({ length: sizeOf("stamps") }, (_, i) => `configmap.rollstamp.dev/t${i}: h1-${"0".repeat(40)}`),
    ...Array.from({ length: sizeOf("checksums") }, (_, i) => `checksum/c${i}: ${"a".repeat(64)}`),
  ].join(", ");
  const others = (value: string): string =>
    times(sizeOf("workloads", 2), (i) => {
      const pod = {
        whole: `envFrom: [{${ref}: {name: ${source(0)}}}]`,
        key: `env: [{name: A, valueFrom: {${keyRef}: {name: ${source(0)}, key: ${key(i)}}}}]`,
        own: `envFrom: [{${ref}: {name: s${i}}}]`,
        missing: `envFrom: [{${ref}: {name: missing${i}}}]`,
        missingKey: `env: [{name: A, valueFrom: {${keyRef}: {name: ${source(0)}, key: m${i}}}}]`,
        subPath: `volumeMounts: [{name: v, mountPath: /m, subPath: k${i}}]`,
        items: "image: 'a:1'",
        renamed: `envFrom: [{${ref}: {name: renamed}}]`,
        external: "envFrom: [{secretRef: {name: external}}]",
      }[seen];
      const volume =
        seen === "subPath"
          ? `, volumes: [{name: v, ${inVolume(source(0))}}]`
          : seen === "items"
            ? `, volumes: [{name: v, ${inVolume(source(0), `, items: [{key: k${i}, path: p}]`)}}]`
            : "";
      return `- {apiVersion: apps/v1, kind: Deployment, metadata: {name: w${i}${namespace}, labels: {app: w${i}}}, spec: {replicas: 2, selector: {matchLabels: {app: w${i}}}, template: {metadata: {labels: {app: w${i}}}, spec: {containers: [{name: a${growing.has("restarts") ? "" : value}, ${pod}}]${volume}}}}}\n`;
    });
  const volumes = [
    ...Array.from({ length: sizeOf("volumes") }, (_, i) => `{name: v${i}, ${inVolume(`s${i}`)}}`),
    ...Array.from({ length: sizeOf("sameVolumes") }, (_, i) => `{name: same, ${inVolume(`s${i}`)}}`),
    ...(sizeOf("projected") > 0 ? [`{name: p, projected: {sources: [${list(n, (i) => projection(`s${i}`))}]}}`] : []),
    ...(sizeOf("items") > 0
      ? [`{name: i, ${inVolume(source(0), `, items: [${list(n, (i) => `{key: k${i}, path: f${i}}`)}]`)}}`]
      : []),
    `{name: m, ${inVolume(source(0))}}`,
  ].join(", ");
  const mounts = ["same", "p", "i", "m"]
    .flatMap((name) =>
      Array.from(
        { length: sizeOf("mounts") },
        (_, i) =>
          `{name: ${name === "m" && growing.has("volumes") ? `v${i}` : name}, mountPath: /m${i}, subPath: f${i}}`,
      ),
    )
    .join(", ");
  const main = (value: string): string =>
    `- {apiVersion: apps/v1, kind: Deployment, metadata: {name: main${long("longWorkload")}${namespace}, labels: {${list(sizeOf("labels", 1), (i) => `l${i}: a`)}}, annotations: {${marks}}}, spec: {replicas: 3, selector: {matchLabels: {app: main}}, template: {metadata: {labels: {app: main, ${list(sizeOf("labels", 1), (i) => `l${i}: ${value}`)}}, annotations: {${annotations}}}, spec: {tolerations: [${list(sizeOf("tolerations"), (i) => `{key: t${i}, value: ${value}}`)}], containers: [{name: main, image: 'a:1', args: [${list(sizeOf("arguments", 1), (i) => `${value}${i}`)}], volumeMounts: [${mounts}], envFrom: [${list(sizeOf("envFrom", 1), (i) => `{${ref}: {name: s${i}}}`)}], env: [${[
      ...Array.from(
        { length: sizeOf("env") },
        (_, i) => `{name: E${i}, valueFrom: {${keyRef}: {name: ${source(0)}, key: ${key(i)}}}}`,
      ),
      ...Array.from({ length: sizeOf("plainEnv") }, (_, i) => `{name: P${i}, value: ${value}}`),
    ].join(
      ", ",
    )}]}, ${list(sizeOf("containers", 1), (i) => `{name: c${i}, image: 'a:${value}', envFrom: [{${ref}: {name: s${i}}}], volumeMounts: [{name: m, mountPath: /m, subPath: k${i}}]}`)}], volumes: [${volumes}]}}}}\n`;
  const rest = (value: string): string =>
    [
      ...Array.from(
        { length: sizeOf("autoscalers") },
        (_, i) =>
          `- {apiVersion: autoscaling/v2, kind: HorizontalPodAutoscaler, metadata: {name: h${i}${namespace}}, spec: {minReplicas: 2, maxReplicas: 3, scaleTargetRef: {apiVersion: apps/v1, kind: Deployment, name: w${i}}}}\n`,
      ),
      ...Array.from(
        { length: sizeOf("services") },
        (_, i) =>
          `- {apiVersion: v1, kind: Service, metadata: {name: w${i}${namespace}}, spec: {selector: {app: w${i}}}}\n- {apiVersion: policy/v1, kind: PodDisruptionBudget, metadata: {name: w${i}${namespace}}, spec: {minAvailable: 2, selector: {matchLabels: {app: w${i}}}}}\n`,
      ),
      ...Array.from(
        { length: sizeOf("externals", seen === "external" ? 1 : 0) },
        (_, i) =>
          `- {apiVersion: external-secrets.io/v1, kind: ExternalSecret, metadata: {name: x${i}${namespace}}, spec: {secretStoreRef: {name: s}, target: {name: external, template: {templateFrom: [{configMap: {name: s${i}, items: [{key: a}]}}]}}, data: [{secretKey: a, remoteRef: {key: ${value}}}]}}\n`,
      ),
      ...(sizeOf("externalKeys") > 0
        ? [
            `- {apiVersion: bitnami.com/v1alpha1, kind: SealedSecret, metadata: {name: sealed${namespace}}, spec: {template: {metadata: {name: sealed}, data: {${list(n, (i) => `t${i}: ${value}`)}}}, encryptedData: {${list(n, (i) => `k${i}: ${value}`)}}}}\n`,
          ]
        : []),
      ...(sizeOf("templates") > 0
        ? [
            `- {apiVersion: batch.volcano.sh/v1alpha1, kind: Job, metadata: {name: v${namespace}}, spec: {tasks: [${list(n, (i) => `{name: t${i}, template: {spec: {containers: [{name: a, envFrom: [{${ref}: {name: s${i}}}]}]}}}`)}]}}\n`,
          ]
        : []),
      ...(sizeOf("aliases") > 0
        ? [
            `- {apiVersion: v1, kind: ConfigMap, metadata: {name: &l al${"y".repeat(20 * n)}${namespace}}, data: {${list(n, (i) => `k${i}: *l`)}}}\n`,
          ]
        : []),
      ...(sizeOf("merges") > 0
        ? [
            `- {apiVersion: v1, kind: ConfigMap, metadata: {name: merged${namespace}}, data: {a: b}, x: &x {a: b, c: d}, y: [${list(n, () => "{<<: *x}")}]}\n`,
          ]
        : []),
    ].join("");
  const items = (value: string): string => {
    const all = namesOfSources(value) + others(value) + main(value) + rest(value);
    return isList
      ? `apiVersion: config.kubernetes.io/v1\nkind: ResourceList\nitems:\n${all}`
      : `apiVersion: v1\nkind: List\nitems:\n${all}`;
  };
  const overrides =
    sizeOf("overrides") > 0
      ? `overrides: [${list(n, (i) => `{target: {kind: Deployment, name: w${i}}, sources: [configmap/o${i}]}`)}]`
      : "";
  const restarts = `targets: [${list(sizeOf("restarts", 1), (i) => `{kind: Deployment, name: w${i}}`)}], at: "2026-01-01T00:00:00Z"`;
  return {
    text: items("a"),
    changed: items("b"),
    config: growing.has("restarts")
      ? `apiVersion: rollstamp.dev/v1alpha1\nkind: Restart\nspec: {${restarts}}\n`
      : `apiVersion: rollstamp.dev/v1alpha1\nkind: ConfigHash\nspec: {${[config, overrides].filter((part) => part !== "").join(", ")}}\n`,
  };
}
