// Input whose bytes lie in few, large objects: dashboards in ConfigMaps, and the schemas of custom
// resource definitions, which matter to no pod template and still have to be read past.
import { random } from "./random.mjs";

/** @typedef {import("./applications.mjs").Resource} Resource */
/** @typedef {import("./random.mjs").Random} Random */

const TERMS = ["request", "latency", "error", "queue", "memory", "cpu", "disk", "replica", "cache", "saturation"];

/**
 * @param {number} index
 * @param {Random} r
 */
function panel(index, r) {
  const metric = `${r.pick(TERMS)}_${r.pick(TERMS)}_total`;
  return {
    id: index,
    title: `${r.pick(TERMS)} by ${r.pick(TERMS)}`,
    type: r.pick(["timeseries", "stat", "table", "heatmap"]),
    datasource: { type: "prometheus", uid: "${datasource}" },
    gridPos: { h: 8, w: 12, x: 12 * (index % 2), y: 8 * (index >> 1) },
    fieldConfig: {
      defaults: {
        unit: r.pick(["s", "bytes", "reqps", "percentunit"]),
        thresholds: {
          mode: "absolute",
          steps: [
            { color: "green", value: null },
            { color: "red", value: r.int(100) },
          ],
        },
      },
      overrides: [],
    },
    targets: [
      {
        refId: "A",
        legendFormat: "{{namespace}}/{{pod}}",
        expr: `sum by (namespace, pod) (rate(${metric}{job="$job"}[5m]))`,
      },
      {
        refId: "B",
        legendFormat: "p99",
        expr: `histogram_quantile(0.99, sum(rate(${metric}_bucket[5m])) by (le))`,
      },
    ],
  };
}

/**
 * A monitoring stack: dashboards of about 80 KB in ConfigMaps, mounted by one Deployment.
 * @param {number} count
 * @returns {Generator<Resource>}
 */
export function* dashboards(count) {
  const r = random(2);
  const names = Array.from({ length: count }, (_, index) => `dashboard-${index}`);
  for (const name of names) {
    const board = {
      title: name,
      panels: Array.from({ length: 60 }, (_, index) => panel(index, r)),
      schemaVersion: 39,
    };
    yield {
      path: `${name}.yaml`,
      object: {
        apiVersion: "v1",
        kind: "ConfigMap",
        metadata: { name, namespace: "monitoring", labels: { grafana_dashboard: "1" } },
        data: { [`${name}.json`]: `${JSON.stringify(board, null, 2)}\n` },
      },
    };
  }
  yield {
    path: "grafana.yaml",
    object: {
      apiVersion: "apps/v1",
      kind: "Deployment",
      metadata: { name: "grafana", namespace: "monitoring" },
      spec: {
        selector: { matchLabels: { app: "grafana" } },
        template: {
          metadata: { labels: { app: "grafana" } },
          spec: {
            containers: [{ name: "grafana", image: "grafana:11.0.0" }],
            volumes: names.map((name) => ({ name, configMap: { name } })),
          },
        },
      },
    },
  };
}

/** @param {Random} r */
function description(r) {
  const sentence = () =>
    `${Array.from({ length: 8 + r.int(8) }, () => r.pick(TERMS)).join(" ")}.`.replace(/^./, (c) => c.toUpperCase());
  if (r.chance(0.6)) return sentence();
  return Array.from({ length: 2 + r.int(4) }, sentence).join("\n");
}

/**
 * @param {number} depth
 * @param {Random} r
 * @returns {Record<string, unknown>}
 */
function schema(depth, r) {
  if (depth === 0) {
    return r.chance(0.3)
      ? { description: description(r), type: "integer", format: "int32", minimum: 0 }
      : {
          description: description(r),
          type: "string",
          ...(r.chance(0.2) && { enum: ["Always", "Never"] }),
        };
  }
  const properties = Object.fromEntries(
    Array.from({ length: 2 + r.int(4) }, (_, index) => [
      `${r.pick(TERMS)}${index}`,
      schema(r.chance(0.35) ? 0 : depth - 1, r),
    ]),
  );
  const object = {
    description: description(r),
    type: "object",
    properties,
    required: Object.keys(properties).slice(0, 1),
  };
  return r.chance(0.3) ? { description: description(r), type: "array", items: object } : object;
}

/**
 * @param {number} count
 * @returns {Generator<Resource>}
 */
export function* customResourceDefinitions(count) {
  const r = random(3);
  for (let index = 0; index < count; index++) {
    const kind = `Widget${index}`;
    const names = {
      kind,
      listKind: `${kind}List`,
      plural: `${kind.toLowerCase()}s`,
      singular: kind.toLowerCase(),
    };
    yield {
      path: `crd-${index}.yaml`,
      object: {
        apiVersion: "apiextensions.k8s.io/v1",
        kind: "CustomResourceDefinition",
        metadata: {
          name: `${names.plural}.example.com`,
          annotations: { "controller-gen.kubebuilder.io/version": "v0.16.1" },
        },
        spec: {
          group: "example.com",
          names,
          scope: "Namespaced",
          versions: [
            {
              name: "v1",
              served: true,
              storage: true,
              schema: {
                openAPIV3Schema: {
                  type: "object",
                  properties: { spec: schema(5, r), status: schema(2, r) },
                },
              },
              subresources: { status: {} },
            },
          ],
        },
      },
    };
  }
}
