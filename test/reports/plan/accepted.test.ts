import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { planJson } from "../../../src/output/plan-json.ts";
import { judgedOf } from "../../../src/reports/plan/judged.ts";
import { planStatus } from "../../../src/reports/plan/limits.ts";
import type { PlanReport } from "../../../src/reports/plan/plan-report.ts";
import { planText } from "../../support/plan-reports.ts";
import { planned, type PlanSetup } from "./planned.ts";

// A finding that its object ignores with a reason is no part of the verdict. Its row stays, grey (contract, section 8,
// "Version 3 of a plan").

const REASON = "we know";

interface Sides {
  readonly base: string;
  readonly head: string;
  readonly setup?: PlanSetup;
}

const ignoring = (id: string, reason: string): string =>
  reason === "" ? "" : `, annotations: {ignore.rollstamp.dev/${id}: "${reason}"}`;
const deployment = (spec: string, metadata = ""): string =>
  `{apiVersion: apps/v1, kind: Deployment, metadata: {name: web${metadata}}, spec: {${spec}selector: {matchLabels: {app: web}}, template: {metadata: {labels: {app: web}}, spec: {containers: [{name: app, image: "web:1"}]}}}}\n`;
const object = (apiVersion: string, kind: string, spec: string, metadata = ""): string =>
  `---\n{apiVersion: ${apiVersion}, kind: ${kind}, metadata: {name: web${metadata}}, spec: {${spec}}}\n`;
const SCALE = "minReplicas: 2, maxReplicas: 4, scaleTargetRef: {apiVersion: apps/v1, kind: Deployment, name: web}";

const CONFIG = "{apiVersion: v1, kind: ConfigMap, metadata: {name: env}, data: {A: a, B: b}}\n---\n";
const CLAIM =
  "{apiVersion: v1, kind: PersistentVolumeClaim, metadata: {name: data}, spec: {accessModes: [ReadWriteOncePod]}}\n---\n";
const withPod = (text: string, pod: string): string => text.replace(`image: "web:1"}]`, `image: "web:1"${pod}`);

/** By rule: a change that only this rule makes a person read. */
const CHANGES: Readonly<Record<string, (reason: string) => Sides>> = {
  RS001: (reason) => {
    const web = withPod(deployment("", ignoring("RS001", reason)), ", envFrom: [{configMapRef: {name: env}}]}]");
    return { base: CONFIG + web, head: web, setup: { stamps: "Standing" } };
  },
  RS002: (reason) => {
    const web = withPod(
      deployment("", ignoring("RS002", reason)),
      ", env: [{name: B, valueFrom: {configMapKeyRef: {name: env, key: B}}}]}]",
    );
    return { base: CONFIG + web, head: CONFIG.replace(", B: b", "") + web, setup: { stamps: "Standing" } };
  },
  RS004: (reason) => {
    const side = (image: string): string =>
      deployment("strategy: {type: Recreate}, ", ignoring("RS004", reason)).replace("web:1", image);
    return { base: side("web:1"), head: side("web:2") };
  },
  RS005: (reason) => {
    const side = (image: string): string =>
      deployment("paused: true, ", ignoring("RS005", reason)).replace("web:1", image);
    return { base: side("web:1"), head: side("web:2") };
  },
  RS010: (reason) => {
    const side = (replicas: string): string =>
      deployment(replicas, ignoring("RS010", reason)) + object("autoscaling/v2", "HorizontalPodAutoscaler", SCALE);
    return { base: side(""), head: side("replicas: 2, ") };
  },
  RS015: (reason) => {
    const web = withPod(
      deployment("replicas: 1, ", ignoring("RS015", reason)),
      "}], volumes: [{name: data, persistentVolumeClaim: {claimName: data}}]",
    );
    return { base: CLAIM + web, head: CLAIM + web.replace("web:1", "web:2") };
  },
  RS018: (reason) => {
    const side = (spec: string): string =>
      deployment("replicas: 2, ") +
      object(
        "policy/v1",
        "PodDisruptionBudget",
        `${spec}, selector: {matchLabels: {app: web}}`,
        ignoring("RS018", reason),
      );
    return { base: side("minAvailable: 1"), head: side("minAvailable: 2") };
  },
  RS024: (reason) => {
    const side = (version: string): string =>
      deployment("") +
      object(
        "helm.toolkit.fluxcd.io/v2",
        "HelmRelease",
        `chart: {spec: {chart: web, version: ${version}, sourceRef: {kind: HelmRepository, name: r}}}`,
        ignoring("RS024", reason),
      );
    return { base: side("1.0.0"), head: side("2.0.0") };
  },
  RS025: (reason) => {
    const web = withPod(deployment("", ignoring("RS025", reason)), ", envFrom: [{configMapRef: {name: env}}]}]");
    return { base: CONFIG + web, head: CONFIG.replace("A: a", "A: b") + web, setup: { stamps: "Standing" } };
  },
  RS026: (reason) => {
    const side = (app: string): string =>
      deployment("") + object("v1", "Service", `selector: {app: ${app}}`, ignoring("RS026", reason));
    return { base: side("web"), head: side("api") };
  },
};

const plan = ({ base, head, setup }: Sides, more: PlanSetup = {}): PlanReport =>
  planned(base, head, { ...setup, ...more });

/** The ids in `accepted` and in `findings` of the JSON, of the plan and of its workloads. */
function shown(report: PlanReport): { readonly accepted: unknown[]; readonly open: unknown[] } {
  const { accepted = [], findings, workloads } = JSON.parse(planJson(report));
  const all = workloads.flatMap((one: { accepted?: unknown[]; findings: unknown[] }) => ({ accepted: [], ...one }));
  const id = (one: { id: string; reason?: string }): string => [one.id, one.reason].filter(Boolean).join(": ");
  return {
    accepted: [...accepted, ...all.flatMap((one: { accepted: unknown[] }) => one.accepted)].map(id),
    open: [...findings, ...all.flatMap((one: { findings: unknown[] }) => one.findings)].map(id),
  };
}

describe("what an object ignores with a reason", () => {
  for (const [id, change] of Object.entries(CHANGES)) {
    it(`is no part of the verdict, and accepted in JSON: ${id}`, async () => {
      const open = plan(change(""));
      assert.notEqual(open.verdict?.level, "ok");
      assert.ok(!shown(open).accepted.length);
      const accepted = plan(change(REASON));
      assert.equal(accepted.verdict?.level, "ok");
      assert.deepEqual(shown(accepted).accepted, [`${id}: ${REASON}`]);
      assert.ok(!shown(accepted).open.includes(id));
      const rows = judgedOf(accepted).filter(({ level }) => level === undefined);
      assert.equal(rows.length, 1, "its row is grey");
      assert.match(await planText(accepted), new RegExp(`Accepted: ${REASON}\\b`, "u"));
    });
    it(`fails no gate: ${id}`, () => {
      assert.equal(planStatus(plan(change(""), { failOn: ["attention"] })), 1);
      assert.equal(planStatus(plan(change(REASON), { failOn: ["attention"] })), 0);
    });
  }
  it("is new if the reason goes, and old if it was accepted before", () => {
    const { base, head } = CHANGES["RS010"]?.(REASON) ?? { base: "", head: "" };
    const without = head.replace(REASON, "true");
    assert.deepEqual(shown(planned(head, head)), { accepted: [], open: [] });
    assert.deepEqual(shown(planned(head, without)).open.includes("RS010"), true);
    assert.deepEqual(shown(planned(without, head)), { accepted: [], open: [] });
    assert.equal(planned(head, head).findingsBefore, planned(base, base).findingsBefore);
  });
});
