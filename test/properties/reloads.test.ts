import assert from "node:assert/strict";
import { describe, it } from "node:test";
import fc from "fast-check";
import type { ConfigHashSpec } from "../../src/stamping/function/config-hash.ts";
import { analysed, source } from "../stamping/policy/decided.ts";

// `reloads`, over pods in which a known reloader may watch what another container reads, or almost does.
const PARAMETERS = { numRuns: Number(process.env["FC_RUNS"] ?? 200), seed: Number(process.env["FC_SEED"] ?? 20261122) };

const IMAGES = ["registry.example/app:1", "jimmidyson/configmap-reload:v1", "docs/configmap-reload-docs:1"] as const;
const VOLUMES = ["a", "b"] as const;

const mount = fc.record({
  name: fc.constantFrom(...VOLUMES),
  mountPath: fc.constantFrom("/etc/a", "/etc/b", "/etc/a/"),
  subPath: fc.constantFrom(undefined, undefined, undefined, "x"),
});
const container = fc.record({
  image: fc.constantFrom(...IMAGES),
  args: fc.array(fc.constantFrom("--volume-dir=/etc/a", "--volume-dir", "/etc/b", "--volume-dir=/etc/ab"), {
    maxLength: 3,
  }),
  volumeMounts: fc.array(mount, { maxLength: 3 }),
  envFrom: fc.constantFrom([], [], [], [{ configMapRef: { name: "one" } }]),
  restartPolicy: fc.constantFrom(undefined, "Always"),
});
const named = (prefix: string, containers: readonly object[]): object[] =>
  containers.map((one, i) => ({ name: `${prefix}-${i}`, ...one }));
const pod = fc
  .record({
    containers: fc.array(container, { minLength: 1, maxLength: 3 }),
    initContainers: fc.array(container, { maxLength: 1 }),
    volumes: fc.tuple(
      ...VOLUMES.map((name) =>
        fc.constantFrom<object>(
          { name, configMap: { name: "one" } },
          { name, secret: { secretName: "two" } },
          { name, projected: { sources: [{ configMap: { name: "one" } }, { secret: { name: "two" } }] } },
          { name, configMap: { name: "not-there", optional: true } },
        ),
      ),
    ),
  })
  .map((spec) => ({
    ...spec,
    containers: named("c", spec.containers),
    initContainers: named("i", spec.initContainers),
  }));

const OBJECTS = [source("ConfigMap", "one"), source("Secret", "two")];

function made(spec: object, options: Partial<ConfigHashSpec>): { stamps: string[]; reloaded: string[] } {
  const web = { apiVersion: "apps/v1", kind: "Deployment", metadata: { name: "web" }, spec: { template: { spec } } };
  const { desired, findings } = analysed([web, ...OBJECTS], options);
  return {
    stamps: desired.flatMap(({ stamps }) => [...stamps].map(([key, value]) => `${key}=${value}`)),
    reloaded: findings.flatMap((finding) =>
      finding.id === "RS022"
        ? [`${finding.params.source.kind.toLowerCase()}.rollstamp.dev/${finding.params.source.name}`]
        : [],
    ),
  };
}

describe("reloads, over generated pods", () => {
  it("changes no stamp by default, and skips only what the default reports", () => {
    let reloadedCount = 0;
    fc.assert(
      fc.property(pod, (spec) => {
        const [warn, stamp, skip] = [{}, { reloads: "Stamp" }, { reloads: "Skip" }].map((options) =>
          made(spec, options as Partial<ConfigHashSpec>),
        );
        assert.ok(warn !== undefined && stamp !== undefined && skip !== undefined);
        assert.deepEqual(warn.stamps, stamp.stamps);
        assert.deepEqual([stamp.reloaded, skip.reloaded], [[], []]);
        assert.deepEqual(
          skip.stamps,
          warn.stamps.filter((text) => !warn.reloaded.includes(text.slice(0, text.indexOf("=")))),
        );
        reloadedCount += warn.reloaded.length;
      }),
      PARAMETERS,
    );
    assert.ok(reloadedCount > 0, "no pod had a reloader that watches");
  });
});
