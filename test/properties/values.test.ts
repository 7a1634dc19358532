import assert from "node:assert/strict";
import { describe, it } from "node:test";
import fc from "fast-check";
import { isShownText, isShownWhole } from "../../src/reports/plan/shown-fields.ts";
import table from "../../src/kubernetes/rollout/pod-template-types.json" with { type: "json" };
import { fieldType, POD_TEMPLATE, type FieldType } from "../../src/kubernetes/rollout/pod-types.ts";
import { withFakeApi } from "../reports/status/fake-api.ts";
import { live, objects } from "../reports/status/live.ts";
import { cli } from "../support/cli.ts";
import { inFolder } from "../support/folders.ts";

// What people write into fields that may hold a secret is in no form of any output: it is planted in every text of a
// pod template, as Kubernetes' types declare it, but for the fields that are listed as holding none.
const PARAMETERS = { numRuns: Number(process.env["FC_RUNS"] ?? 8), seed: Number(process.env["FC_SEED"] ?? 20261121) };

const PLANTED = "pLaNtEd";
const TABLE: Readonly<Record<string, Readonly<Record<string, string>>>> = table;

/** Containers and pods nest no deeper than this; what is behind it is left out. */
const DEEPEST = 6;

type Data = null | number | boolean | string | readonly Data[] | { readonly [key: string]: Data };

const planted = fc.nat(99).map((n) => `${PLANTED}-${n}`);

/** A value of a type, with something planted in each text that is not shown. */
function valueOf(type: FieldType, isShown: boolean, depth: number): fc.Arbitrary<Data> {
  switch (type.form) {
    case "struct":
      return structOf(type.name, depth);
    case "list":
      return fc.array(valueOf(type.element, isShown, depth + 1), { minLength: 1, maxLength: 2 });
    case "map":
      return valueOf(type.element, isShown, depth + 1).map((value) => ({ key: value }));
    default:
      switch (type.scalar) {
        case "string":
          return isShown ? fc.constantFrom("shown", "seen") : planted;
        case "any":
          return isShown
            ? fc.constant("shown")
            : fc.oneof(
                planted,
                planted.map((text) => ({ image: [text] })),
              );
        case "int":
        case "intOrString":
          return fc.oneof(fc.nat(9), planted);
        case "bool":
          return fc.oneof(fc.boolean(), planted);
        default:
          return planted;
      }
  }
}

/** What a struct always has, for its parent to be read as one. */
const ALWAYS: Readonly<Record<string, readonly string[]>> = { PodTemplateSpec: ["spec"], PodSpec: ["containers"] };
// Rollouts are worked out from these, and references found by those: they are as they should be.
const LEFT_OUT = new Set(["managedFields", "ownerReferences", "creationTimestamp", "ephemeralContainers"]);

function structOf(name: string, depth: number): fc.Arbitrary<Data> {
  const fields = Object.keys(TABLE[name] ?? {}).filter((field) => !LEFT_OUT.has(field));
  if (depth > DEEPEST || fields.length === 0) return fc.constant({});
  const arbitraries = fields.flatMap((field): [string, fc.Arbitrary<Data>][] => {
    const type = fieldType(name, field);
    if (type === undefined || isShownWhole(name, field)) return [];
    const always = ALWAYS[name]?.includes(field) === true;
    const value = fc.oneof(
      { weight: 60, arbitrary: fc.constant(undefined) },
      // A likely mistake: a string where an object or a list belongs.
      { weight: 1, arbitrary: planted },
      { weight: 12, arbitrary: fc.constant(null).chain(() => valueOf(type, isShownText(name, field), depth + 1)) },
    );
    // Shown fields have their own value form, which is used nowhere else.
    const fieldValue = valueOf(type, isShownText(name, field), depth + 1);
    return [
      [field, always ? fieldValue : isShownText(name, field) ? fc.option(fieldValue) : value.map((one) => one ?? null)],
    ];
  });
  return fc
    .record({ ...Object.fromEntries(arbitraries), unknownField: planted, token: planted })
    .map((record) => Object.fromEntries(Object.entries(record).filter(([, value]) => value !== null)));
}

function manifests(template: Data, version: number): string {
  const object = (kind: string, apiVersion: string, name: string, spec: Data): string =>
    `${JSON.stringify({ apiVersion, kind, metadata: { name, annotations: { note: `${PLANTED}-${version}` } }, spec })}\n`;
  return [
    object("Deployment", "apps/v1", "web", { replicas: version, template }),
    object("StatefulSet", "apps/v1", "db", {
      serviceName: "db",
      template,
      volumeClaimTemplates: [
        { metadata: { name: "data", annotations: { note: `${PLANTED}-${version}` } }, spec: { storageClassName: "a" } },
      ],
    }),
    object("CronJob", "batch/v1", "job", { jobTemplate: { spec: { template } } }),
    object("RayCluster", "ray.io/v1", "ray", { headGroupSpec: { template } }),
    object("Prometheus", "monitoring.coreos.com/v1", "metrics", { podMetadata: {}, version: `${PLANTED}-${version}` }),
  ].join("---\n");
}

const COMMANDS: readonly (readonly string[])[] = [
  ...["text", "markdown", "json", "html"].map((form) => ["plan", "base.yaml", "head.yaml", "--all", "-o", form]),
  ...["text", "json", "sarif", "github"].map((form) => ["lint", "head.yaml", "-o", form]),
  ...["text", "json", "mermaid", "dot", "html"].map((form) => ["graph", "head.yaml", "-o", form]),
  ["explain", "deployment/web", "head.yaml"],
  ["digest", "head.yaml", "-o", "json"],
  ["migrate", "head.yaml"],
  ["stamp", "--check", "head.yaml"],
  ["restart", "--all", "--check", "--at", "2026-01-01T00:00:00Z", "head.yaml"],
];

/** A workload that sees all keys of all sources, by hand-written stamps. */
function manifestOfAll(): string {
  const annotations = {
    "configmap.rollstamp.dev/shown": `${PLANTED}-2`,
    "secret.rollstamp.dev/seen": `h1-${"0".repeat(40)}`,
    "rollstamp.dev/config-hash": `${PLANTED}-3`,
  };
  const envFrom = ["shown", "seen"].flatMap((name) => [{ configMapRef: { name } }, { secretRef: { name } }]);
  return `${JSON.stringify({
    apiVersion: "apps/v1",
    kind: "Deployment",
    metadata: { name: "all-of-them" },
    spec: { template: { metadata: { annotations }, spec: { containers: [{ name: "a", envFrom }] } } },
  })}\n`;
}

/** What references may name: fields whose texts are shown hold these names. */
function namedSources(): string {
  return ["shown", "seen"]
    .flatMap((name) => [
      { apiVersion: "v1", kind: "ConfigMap", metadata: { name }, data: { shown: PLANTED, [name]: `${PLANTED}-1` } },
      { apiVersion: "v1", kind: "Secret", metadata: { name }, data: { shown: ENCODED, [name]: ENCODED } },
    ])
    .map((object) => `${JSON.stringify(object)}\n`)
    .join("---\n");
}

const ENCODED = Buffer.from(PLANTED).toString("base64");

describe("values of fields that may hold a secret", () => {
  it("are in no format of any output", async () => {
    const template = valueOf(POD_TEMPLATE, false, 0);
    await fc.assert(
      fc.asyncProperty(template, template, async (before, after) => {
        await inFolder({ "base.yaml": manifests(before, 1), "head.yaml": manifests(after, 2) }, async (folder) => {
          for (const args of COMMANDS) {
            const inThere = args.map((arg) => (arg.endsWith(".yaml") ? `${folder}/${arg}` : arg));
            const { stdout, stderr } = await cli(inThere);
            const output = `${stdout}${stderr}`;
            const position = output.indexOf(PLANTED);
            assert.equal(
              position,
              -1,
              `${args.join(" ")}: ${output.slice(Math.max(position - 200, 0), position + 60)}`,
            );
          }
        });
      }),
      PARAMETERS,
    );
  });
  it("are in no format of a report on a cluster", async () => {
    const template = valueOf(POD_TEMPLATE, false, 0);
    await fc.assert(
      fc.asyncProperty(template, async (given) => {
        const lists = live(objects(`${manifests(given, 1)}---\n${manifestOfAll()}---\n${namedSources()}`));
        for (const form of ["text", "json"]) {
          const run = await withFakeApi({ lists }, { args: ["status", "-n", "shop", "--all", "-o", form] });
          const output = `${run.stdout}${run.stderr}`;
          for (const text of [PLANTED, ENCODED]) assert.equal(output.indexOf(text), -1, output.slice(0, 2000));
          // The workload that uses every source is in the report.
          assert.match(run.stdout, /all-of-them/u);
        }
      }),
      PARAMETERS,
    );
  });
  it("are reported as different by a plan", async () => {
    const pod = (text: string): Data => ({ spec: { containers: [{ name: "a", args: [text] }] } });
    await inFolder({ "base.yaml": manifests(pod("a"), 1), "head.yaml": manifests(pod("b"), 1) }, async (folder) => {
      const { stdout } = await cli(["plan", `${folder}/base.yaml`, `${folder}/head.yaml`]);
      assert.match(stdout, /args changed \(its values are not shown\)/u);
    });
  });
});
