/** What `plan --live` says of an apply, held against what kubectl and the API server make of it: the table's steps.
 * UPDATE_FIXTURES=1 records those that the server confirms for test/reports/plan/applied-recorded.test.ts. */
import assert from "node:assert/strict";
import { after, before, describe, it } from "node:test";
import { isDeepStrictEqual } from "node:util";
import { stringify } from "yaml";
import { LAST_APPLIED } from "../../src/base/hosts/kubectl.ts";
import type { Json } from "../../src/yaml/read/node.ts";
import { applied } from "../../src/reports/plan/applied.ts";
import { readApplies, writeApplies, type RecordedApply } from "../reports/plan/applies.ts";
import { APPLY_STEPS, type ApplyStep, type Written } from "./apply-steps.ts";
import { type Cluster, startCluster } from "./cluster.ts";
import { APPLY_MODES, type ApplyMode, apply, kubectl, rollstamp } from "./commands.ts";
import { fieldAt, listAt, textAt } from "./fields.ts";

const STEPS = Object.entries(APPLY_STEPS);
const names = new Map(STEPS.map(([name], i) => [name, `step-${i + 1}`]));

const KINDS = {
  Deployment: { apiVersion: "apps/v1", plural: "deployments", template: "/spec/template" },
  StatefulSet: { apiVersion: "apps/v1", plural: "statefulsets", template: "/spec/template" },
  DaemonSet: { apiVersion: "apps/v1", plural: "daemonsets", template: "/spec/template" },
  CronJob: { apiVersion: "batch/v1", plural: "cronjobs", template: "/spec/jobTemplate/spec/template" },
  Canary: { apiVersion: "example.com/v1", plural: "canaries", template: "/spec/template" },
} as const;

/** A kind of whose lists the server knows the keys, and we do not. */
const CRD = {
  apiVersion: "apiextensions.k8s.io/v1",
  kind: "CustomResourceDefinition",
  metadata: { name: "canaries.example.com" },
  spec: {
    group: "example.com",
    names: { kind: "Canary", plural: "canaries", singular: "canary", listKind: "CanaryList" },
    scope: "Namespaced",
    versions: [
      {
        name: "v1",
        served: true,
        storage: true,
        schema: {
          openAPIV3Schema: {
            type: "object",
            properties: {
              spec: {
                type: "object",
                "x-kubernetes-preserve-unknown-fields": true,
                properties: {
                  template: {
                    type: "object",
                    "x-kubernetes-preserve-unknown-fields": true,
                    properties: {
                      spec: {
                        type: "object",
                        "x-kubernetes-preserve-unknown-fields": true,
                        properties: {
                          containers: {
                            type: "array",
                            "x-kubernetes-list-type": "map",
                            "x-kubernetes-list-map-keys": ["name"],
                            items: {
                              type: "object",
                              required: ["name"],
                              "x-kubernetes-preserve-unknown-fields": true,
                              properties: { name: { type: "string" } },
                            },
                          },
                        },
                      },
                    },
                  },
                },
              },
            },
          },
        },
      },
    ],
  },
};

const CONFIG = {
  apiVersion: "rollstamp.dev/v1alpha1",
  kind: "ConfigHash",
  metadata: { name: "canaries" },
  spec: { workloads: [{ group: "example.com", kind: "Canary", podTemplate: "spec.template" }] },
};

function objectOf(
  name: string,
  { kind = "Deployment" }: ApplyStep,
  { pod = {}, meta = {}, spec = {} }: Written,
): unknown {
  const labels = { app: name };
  const isWhole = kind !== "CronJob";
  const template = { metadata: { ...meta, ...(isWhole ? { labels } : {}) }, spec: pod };
  const ownFields = isWhole
    ? { ...spec, selector: { matchLabels: labels }, ...(kind === "StatefulSet" ? { serviceName: "x" } : {}), template }
    : { ...spec, schedule: "@daily", jobTemplate: { spec: { template } } };
  return { apiVersion: KINDS[kind].apiVersion, kind, metadata: { name }, spec: ownFields };
}

/** What another manager applies: only what it names. */
function partOf(name: string, step: ApplyStep, part: Written): unknown {
  const { kind = "Deployment" } = step;
  const template = { ...(part.meta === undefined ? {} : { metadata: part.meta }), spec: part.pod };
  return { apiVersion: KINDS[kind].apiVersion, kind, metadata: { name }, spec: { template } };
}

const manifests = (which: "base" | "next"): string =>
  STEPS.map(([name, step]) => `---\n${stringify(objectOf(names.get(name) ?? "", step, step[which]))}`).join("");

function pathOf(namespace: string, name: string, { kind = "Deployment" }: ApplyStep): string {
  const { apiVersion, plural } = KINDS[kind];
  return `/apis/${apiVersion}/namespaces/${namespace}/${plural}/${names.get(name)}`;
}

const asJson = (value: unknown): Json => JSON.parse(JSON.stringify(value)) as Json;
const specOf = (object: unknown): unknown => fieldAt(object, "spec");
const templateOf = (object: unknown): unknown =>
  fieldAt(object, "spec", "jobTemplate", "spec", "template") ?? fieldAt(object, "spec", "template");

let cluster: Cluster;
before(async () => {
  cluster = await startCluster({ serverOnly: true });
  await cluster.api.post("/apis/apiextensions.k8s.io/v1/customresourcedefinitions", CRD);
});
after(async () => {
  await cluster?.stop();
});

const APPLY: Readonly<Record<ApplyMode, readonly string[]>> = {
  client: ["apply"],
  server: ["apply", "--server-side", "--field-manager=e2e", "--force-conflicts"],
};

interface Observed {
  readonly live: unknown;
  readonly next: Json;
  /** The object that we say applying makes. */
  readonly merged: Json;
  /** The object that we say will be there, with the server's defaults; or the server's refusal as a string. */
  readonly predicted: unknown;
  readonly made: unknown;
  readonly isRefused: boolean;
}

/** Runs all steps in a namespace of its ownFields. */
async function observe(mode: ApplyMode): Promise<{ seen: ReadonlyMap<string, Observed>; plan: unknown }> {
  const namespace = `apply-${mode}`;
  const { api } = cluster;
  await api.post("/api/v1/namespaces", { metadata: { name: namespace } });
  await apply(cluster, mode, manifests("base"), namespace);
  for (const [name, step] of STEPS) {
    const path = pathOf(namespace, name, step);
    const template = KINDS[step.kind ?? "Deployment"].template;
    const patches = (step.patches ?? []).map((patch) => {
      const to = String(patch["path"]);
      return { ...patch, path: to.startsWith("../") ? `/spec/${to.slice(3)}` : template + to };
    });
    if (patches.length > 0) await api.patch(`${path}?fieldManager=somebody`, patches, "json-patch+json");
    if (step.others === undefined) continue;
    const part = partOf(names.get(name) ?? "", step, step.others);
    await api.patch(`${path}?fieldManager=other&force=true`, part, "apply-patch+yaml");
  }
  const found = new Map<string, Omit<Observed, "made" | "isRefused">>();
  for (const [name, step] of STEPS) {
    const path = pathOf(namespace, name, step);
    const live = await api.get(path);
    const next = asJson(objectOf(names.get(name) ?? "", step, step.next));
    const merged = applied(asJson(live), next);
    found.set(name, { live, next, merged, predicted: await api.put(`${path}?dryRun=All`, merged).catch(String) });
  }
  const args = ["plan", "--live", "--all", "-o", "json", "-n", namespace, "--kubeconfig", cluster.kubeconfig];
  const planned = await rollstamp([...args, "--config", configFile, "-"], manifests("next"));
  // Status 1: it says that something is refused.
  assert.ok(planned.status <= 1, planned.stderr);
  const plan: unknown = JSON.parse(planned.stdout);
  // It goes on with the others where one is refused.
  const { stderr } = await kubectl(cluster, [...APPLY[mode], "--namespace", namespace, "-f", "-"], manifests("next"));
  const seen = new Map<string, Observed>();
  for (const [name, step] of STEPS) {
    const predicted = found.get(name);
    if (predicted === undefined) continue;
    const isRefused = stderr.includes(`"${names.get(name)}" is invalid`);
    seen.set(name, { ...predicted, made: await api.get(pathOf(namespace, name, step)), isRefused });
  }
  return { seen, plan };
}

/** What the unit tests have of a step: without what differs from one run to the next. */
function recorded({ live, next, merged }: Observed, mode: ApplyMode): RecordedApply {
  const lastApplied = fieldAt(live, "metadata", "annotations", LAST_APPLIED);
  const managedFields = listAt(live, "metadata", "managedFields").map((entry) => ({
    manager: fieldAt(entry, "manager"),
    operation: fieldAt(entry, "operation"),
    subresource: fieldAt(entry, "subresource"),
    fieldsV1: fieldAt(entry, "fieldsV1"),
  }));
  const metadata = mode === "client" ? { annotations: { [LAST_APPLIED]: lastApplied } } : { managedFields };
  return { live: asJson({ metadata, spec: specOf(live) }), next, gives: asJson(specOf(merged)) };
}

let configFile = "";
/** What the server has confirmed, by mode and step. */
const confirmed: { [key: string]: RecordedApply } = {};
const update = process.env["UPDATE_FIXTURES"] === "1";
after(() => {
  if (update) writeApplies(confirmed);
});

it("the table has at least sixty steps", () => {
  assert.ok(STEPS.length >= 60, String(STEPS.length));
});

for (const mode of APPLY_MODES) {
  describe(`${mode}-side apply`, () => {
    let all: Awaited<ReturnType<typeof observe>>;
    before(async () => {
      const { writeFileSync } = await import("node:fs");
      configFile = `${cluster.folder}/rollstamp.yaml`;
      writeFileSync(configFile, stringify(CONFIG));
      all = await observe(mode);
    });
    for (const [name] of STEPS) {
      it(name, () => {
        const observed = all.seen.get(name);
        assert.ok(observed !== undefined);
        const { live, predicted, made, isRefused } = observed;
        assert.equal(typeof predicted === "string", isRefused, String(predicted));
        const row = listAt(all.plan, "workloads").find((one) => textAt(one, "name") === names.get(name));
        const action = textAt(row, "action");
        assert.equal(action === "Fail", isRefused, `the plan says ${action}`);
        if (isRefused) return;
        assert.deepEqual(specOf(predicted), specOf(made), "the object that applying makes");
        confirmed[`${mode}: ${name}`] = recorded(observed, mode);
        if (!update)
          assert.deepEqual(confirmed[`${mode}: ${name}`], readApplies()[`${mode}: ${name}`], "the recorded one");
        const changes = !isDeepStrictEqual(templateOf(live), templateOf(made));
        assert.equal(action !== "None", changes, `the plan says ${action}: ${JSON.stringify(fieldAt(row, "reasons"))}`);
      });
    }
  });
}
