import fc from "fast-check";
import type { Data } from "./styles.ts";

/** An application as data: sources, and workloads that use them in every way that references know. */
export interface Application {
  readonly documents: readonly Data[];
  /** What planted Secrets hold: must never be seen in a message. */
  readonly secrets: readonly string[];
}

const NAMES = ["web", "api", "db", "cache", "a.b-c"] as const;
const KEYS = ["LOG_LEVEL", "app.yaml", "tls.crt", "x-y", "0"] as const;

const value = fc.oneof(
  fc.string({ maxLength: 12 }),
  fc.constantFrom(
    "yes",
    "1e10",
    "017",
    "a: b # c",
    "line\nline\n",
    "no end\nhere",
    " lead",
    "trail ",
    "",
    "こんにちは 🎌",
    "{{x}}",
    "'\"\\",
  ),
);

const texts = (min = 0): fc.Arbitrary<Record<string, string>> =>
  fc.dictionary(fc.constantFrom(...KEYS), value, { minKeys: min, maxKeys: 4, noNullPrototype: true });

const configMap = (name: string): fc.Arbitrary<Data> =>
  texts().map((data) => ({ apiVersion: "v1", kind: "ConfigMap", metadata: { name }, data }));

/** A long random text is recognised wherever it appears. */
const planted = fc.stringMatching(/^[A-Za-z0-9]{24}$/u);

const secret = (name: string): fc.Arbitrary<{ data: Data; secrets: string[] }> =>
  fc.tuple(fc.array(planted, { minLength: 1, maxLength: 3 }), fc.boolean()).map(([values, plain]) => {
    const entries = values.map((text, i) => [KEYS[i] ?? "k", plain ? text : Buffer.from(text).toString("base64")]);
    const field = plain ? "stringData" : "data";
    return {
      data: { apiVersion: "v1", kind: "Secret", metadata: { name }, [field]: Object.fromEntries(entries) },
      secrets: values.flatMap((text) => [text, Buffer.from(text).toString("base64")]),
    };
  });

const name = fc.constantFrom(...NAMES);
const key = fc.constantFrom(...KEYS);

const envFrom = fc.oneof(
  name.map((n): Data => ({ configMapRef: { name: n } })),
  name.map((n): Data => ({ secretRef: { name: n, optional: true } })),
);
const env = fc.oneof(
  fc.tuple(name, key).map(([n, k]): Data => ({ name: "A", valueFrom: { configMapKeyRef: { name: n, key: k } } })),
  fc
    .tuple(name, key)
    .map(([n, k]): Data => ({ name: "B", valueFrom: { secretKeyRef: { name: n, key: k, optional: true } } })),
);
const container = fc.record({
  name: fc.constantFrom("app", "side"),
  image: fc.constant("registry.example/app:1"),
  envFrom: fc.array(envFrom, { maxLength: 3 }),
  env: fc.array(env, { maxLength: 3 }),
});
const volume = fc.oneof(
  name.map((n): Data => ({ name: "v", configMap: { name: n } })),
  fc.tuple(name, key).map(([n, k]): Data => ({ name: "w", secret: { secretName: n, items: [{ key: k, path: "p" }] } })),
  name.map((n): Data => ({ name: "x", projected: { sources: [{ configMap: { name: n, optional: true } }] } })),
);

const OLD = "h1-0000000000000000000000000000000000000000";
const annotations: fc.Arbitrary<Data> = fc.oneof(
  fc.constant({}),
  fc.constant(null),
  fc.constant({ "prometheus.io/scrape": "true" }),
  fc.constant({ "configmap.rollstamp.dev/web": OLD, team: "x" }),
  fc.constant({ "secret.rollstamp.dev/gone": OLD }),
  fc.constant({ "rollstamp.dev/config-hash": OLD, "configmap.rollstamp.dev/gone": OLD, z: "1" }),
);

const templateMetadata: fc.Arbitrary<Data> = fc.oneof(
  fc.constant({}),
  fc.constant(null),
  fc.constant({ labels: { app: "x" } }),
  annotations.map((a): Data => ({ annotations: a })),
  annotations.map((a): Data => ({ labels: { app: "x" }, annotations: a })),
);

const template = fc
  .record({
    metadata: fc.option(templateMetadata, { nil: undefined }),
    containers: fc.array(container, { minLength: 1, maxLength: 2 }),
    volumes: fc.array(volume, { maxLength: 2 }),
  })
  .map(({ metadata, containers, volumes }): Data => {
    const spec = { containers: containers as unknown as Data, volumes };
    return metadata === undefined ? { spec } : { metadata, spec };
  });

const workload = (index: number): fc.Arbitrary<Data> =>
  fc.tuple(fc.constantFrom("Deployment", "StatefulSet", "DaemonSet", "CronJob"), template).map(([kind, pod]): Data =>
    kind === "CronJob"
      ? {
          apiVersion: "batch/v1",
          kind,
          metadata: { name: `w${index}` },
          spec: { schedule: "0 3 * * *", jobTemplate: { spec: { template: pod } } },
        }
      : { apiVersion: "apps/v1", kind, metadata: { name: `w${index}` }, spec: { template: pod } },
  );

/** Applications with some of the sources that their workloads name, in any order. */
export const application: fc.Arbitrary<Application> = fc
  .record({
    configMaps: fc.subarray([...NAMES]).chain((names) => fc.tuple(...names.map(configMap))),
    secrets: fc.subarray([...NAMES]).chain((names) => fc.tuple(...names.map(secret))),
    workloads: fc
      .integer({ min: 1, max: 3 })
      .chain((n) => fc.tuple(...Array.from({ length: n }, (_, i) => workload(i)))),
  })
  .chain(({ configMaps, secrets, workloads }) => {
    const documents: Data[] = [...configMaps, ...secrets.map((s) => s.data), ...workloads];
    return fc
      .shuffledSubarray(documents, { minLength: documents.length })
      .map((shuffled) => ({ documents: shuffled, secrets: secrets.flatMap((s) => s.secrets) }));
  });
