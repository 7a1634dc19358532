// Applications as teams write them: five resources each. A Deployment takes one ConfigMap whole
// (envFrom), one key of a Secret (env), and mounts a second ConfigMap of about 40 lines.
import { random } from "./random.mjs";

/** @typedef {{ path: string, object: Record<string, unknown> }} Resource */

const WORDS = ["cart", "billing", "search", "catalog", "ledger", "notify", "media", "profile"];
const ROLES = ["api", "worker", "web", "gateway", "sync"];
export const RESOURCES_PER_APPLICATION = 5;
/** The sources that one application's pod template sees, so the stamps that belong on it. */
export const STAMPS_PER_APPLICATION = 3;

/** @param {import("./random.mjs").Random} r */
function configFile(r) {
  const lines = ["server:", "  address: 0.0.0.0:8080", `  readTimeout: ${5 + r.int(20)}s`];
  for (const section of ["database", "cache", "queue", "tracing"]) {
    lines.push(`${section}:`, `  host: ${section}.${r.pick(WORDS)}.svc`, `  port: ${1024 + r.int(9000)}`);
    for (const key of ["pool", "retries", "timeout", "batch", "backoff", "limit", "burst"]) {
      lines.push(`  ${key}: ${r.int(500)}`);
    }
  }
  return `${lines.join("\n")}\n`;
}

/**
 * @param {number} index
 * @param {import("./random.mjs").Random} r
 * @returns {Resource[]}
 */
function application(index, r) {
  const name = `${r.pick(WORDS)}-${r.pick(ROLES)}-${index}`;
  const namespace = `team-${index % 40}`;
  const labels = { app: name };
  const meta = (/** @type {string} */ suffix) => ({ name: name + suffix, namespace, labels });
  const objects = {
    deployment: {
      apiVersion: "apps/v1",
      kind: "Deployment",
      metadata: meta(""),
      spec: {
        replicas: 1 + r.int(5),
        selector: { matchLabels: labels },
        template: {
          metadata: { labels },
          spec: {
            containers: [
              {
                name: "app",
                image: `registry.example.com/${name}:1.${r.int(40)}.${r.int(10)}`,
                ports: [{ name: "http", containerPort: 8080 }],
                envFrom: [{ configMapRef: { name: `${name}-env` } }],
                env: [
                  {
                    name: "DB_PASSWORD",
                    valueFrom: { secretKeyRef: { name: `${name}-db`, key: "password" } },
                  },
                ],
                volumeMounts: [{ name: "config", mountPath: "/etc/app" }],
              },
            ],
            volumes: [{ name: "config", configMap: { name: `${name}-config` } }],
          },
        },
      },
    },
    env: {
      apiVersion: "v1",
      kind: "ConfigMap",
      metadata: meta("-env"),
      data: {
        LOG_LEVEL: r.pick(["info", "debug", "warn"]),
        REGION: "eu-1",
        WORKERS: String(r.int(64)),
      },
    },
    config: {
      apiVersion: "v1",
      kind: "ConfigMap",
      metadata: meta("-config"),
      data: { "app.yaml": configFile(r) },
    },
    secret: {
      apiVersion: "v1",
      kind: "Secret",
      metadata: meta("-db"),
      type: "Opaque",
      data: { username: r.base64(9), password: r.base64(24) },
    },
    service: {
      apiVersion: "v1",
      kind: "Service",
      metadata: meta(""),
      spec: { selector: labels, ports: [{ name: "http", port: 80, targetPort: "http" }] },
    },
  };
  return Object.entries(objects).map(([file, object]) => ({
    path: `${namespace}/${name}/${file}.yaml`,
    object,
  }));
}

/**
 * @param {number} resources a multiple of five
 * @returns {Generator<Resource>}
 */
export function* applications(resources) {
  const r = random(1);
  for (let index = 0; index < resources / RESOURCES_PER_APPLICATION; index++) {
    yield* application(index, r);
  }
}
