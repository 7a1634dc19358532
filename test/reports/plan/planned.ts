import { plainText } from "../../../src/output/document/blocks.ts";
import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { Ajv2020 } from "ajv/dist/2020.js";
import { CONFIG_HASH_DEFAULTS, type ConfigHashSpec } from "../../../src/stamping/function/config-hash.ts";
import { readManifests } from "../../../src/yaml/read/items.ts";
import { planOf, type PlanOptions } from "../../../src/reports/plan/plan.ts";
import { reportOf } from "../../../src/reports/plan/plan-data.ts";
import { readSide, type SideStamps } from "../../../src/reports/plan/side.ts";
import { planJson } from "../../../src/output/plan-json.ts";
import type { PlanReport } from "../../../src/reports/plan/plan-report.ts";
import type { PlanFinding, PlannedWorkload } from "../../../src/reports/plan/planned-workload.ts";
import { reasonWords } from "../../../src/output/plan-causes.ts";
import { becauseText, findingText } from "../../../src/output/plan-words.ts";
import { inRoot } from "../../support/paths.ts";
import { readTree } from "../../support/trees.ts";
import { examinedAll } from "../../support/accounts.ts";

export interface PlanSetup extends Partial<PlanOptions> {
  readonly spec?: Partial<ConfigHashSpec>;
  readonly hmacKey?: string;
  /** The base is what a cluster holds. */
  readonly isLive?: boolean;
  /** The stamps of both sides; by default as if both were stamped. */
  readonly stamps?: SideStamps;
}

const meetsSchema = new Ajv2020({ strict: true, allowUnionTypes: true }).compile(
  JSON.parse(readFileSync(inRoot("schemas", "plan.json"), "utf8")),
);

/** The plan of two YAML streams. Every plan that a test makes has to meet the schema. */
export function planned(
  base: string,
  head: string,
  { spec, hmacKey, isLive = false, stamps = "AsIfStamped", ...options }: PlanSetup = {},
): PlanReport {
  const full = { ...CONFIG_HASH_DEFAULTS, ...spec };
  const key = hmacKey === undefined ? undefined : Buffer.from(hmacKey, "utf8");
  const side = (text: string, file: string, ofSide: SideStamps): ReturnType<typeof readSide> =>
    readSide(text === "" ? [] : [readManifests(readTree(text, file))], full, key, ofSide);
  const plan = planOf(side(base, "base.yaml", isLive ? "Live" : stamps), side(head, "head.yaml", stamps), {
    all: false,
    showValues: false,
    maxWorkloads: undefined,
    maxPods: undefined,
    failOn: [],
    ...options,
  });
  const report = reportOf(plan, [], examinedAll(2, plan.summary.workloads), { failOn: [], ...options });
  assertSchema(planJson(report));
  return report;
}

/** Asserts that the JSON is a plan that schemas/plan.json accepts. */
export function assertSchema(json: string): void {
  const isValid = meetsSchema(JSON.parse(json));
  assert.ok(isValid, JSON.stringify(meetsSchema.errors, undefined, 2));
}

/** `Roll web`: what happens to whom, in the order of the plan. */
export function actions({
  workloads,
}: {
  readonly workloads: readonly Pick<PlannedWorkload, "action" | "name">[];
}): string[] {
  return workloads.map(({ action, name }) => `${action} ${name}`);
}

/** The reasons of a workload as a person reads them. */
export function reasons(
  { workloads }: { readonly workloads: readonly Pick<PlannedWorkload, "name" | "namespace" | "reasons">[] },
  name: string,
): string[] {
  const found = workloads.find((row) => row.name === name);
  assert.ok(found !== undefined, `the plan has no ${name}`);
  return found.reasons.map((reason) => plainText(reasonWords(reason, found.namespace)));
}

/** A row of a plan. */
export function workload(report: PlanReport, name: string): PlannedWorkload {
  const found = report.workloads.find((row) => row.name === name);
  assert.ok(found !== undefined, `the plan has no ${name}: ${actions(report).join(", ")}`);
  return found;
}

/** Why a workload does what it does, in words; "" where its action says enough. */
export function becauseOf({ because }: PlannedWorkload): string {
  return because === undefined ? "" : becauseText(because);
}

/** What findings say. */
export function messages(findings: readonly PlanFinding[]): string[] {
  return findings.map((finding) => findingText(finding));
}

/** The ids of a workload's findings. */
export function findingIds(
  {
    workloads,
  }: {
    readonly workloads: readonly { readonly name: string; readonly findings: readonly { readonly id: string }[] }[];
  },
  name: string,
): string[] {
  const found = workloads.find((row) => row.name === name);
  assert.ok(found !== undefined, `the plan has no ${name}`);
  return found.findings.map(({ id }) => id);
}
