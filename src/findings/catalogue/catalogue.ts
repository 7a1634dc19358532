import { ANNOTATION_ROWS, type AnnotationFindings } from "./annotation-rows.ts";
import { APPLICATION_ROWS, type ApplicationFindings } from "./application-rows.ts";
import { CAPACITY_ROWS, type CapacityFindings } from "./capacity-rows.ts";
import { CHART_ROWS, type ChartFindings } from "./chart-rows.ts";
import { COPY_ROWS, type CopyFindings } from "./copy-rows.ts";
import { EFFECT_ROWS, type EffectFindings } from "./effect-rows.ts";
import { INPUT_ROWS, type InputFindings } from "./input-rows.ts";
import { KEY_ROWS, type KeyFindings } from "./key-rows.ts";
import { KIND_ROWS, type KindFindings } from "./kind-rows.ts";
import { RESTART_ROWS, type RestartFindings } from "./restart-rows.ts";
import { ROLLOUT_ROWS, type RolloutFindings } from "./rollout-rows.ts";
import type { Rows } from "./row.ts";
import { SAFETY_ROWS, type SafetyFindings } from "./safety-rows.ts";
import { SOURCE_ROWS, type SourceFindings } from "./source-rows.ts";
import { STAMP_ROWS, type StampFindings } from "./stamp-rows.ts";
import { UNRENDERED_ROWS, type UnrenderedFindings } from "./unrendered-rows.ts";

/** The parameters of every finding: by id, then by cause. */
export type Findings = SourceFindings &
  KeyFindings &
  RolloutFindings &
  RestartFindings &
  SafetyFindings &
  CapacityFindings &
  StampFindings &
  AnnotationFindings &
  InputFindings &
  ApplicationFindings &
  EffectFindings &
  ChartFindings &
  UnrenderedFindings &
  CopyFindings &
  KindFindings;

/** All findings of all commands. An id is never reused for something else. */
export const CATALOGUE: Rows<Findings> = {
  ...SOURCE_ROWS,
  ...KEY_ROWS,
  ...ROLLOUT_ROWS,
  ...RESTART_ROWS,
  ...SAFETY_ROWS,
  ...CAPACITY_ROWS,
  ...STAMP_ROWS,
  ...ANNOTATION_ROWS,
  ...INPUT_ROWS,
  ...APPLICATION_ROWS,
  ...EFFECT_ROWS,
  ...CHART_ROWS,
  ...UNRENDERED_ROWS,
  ...COPY_ROWS,
  ...KIND_ROWS,
};

export type FindingId = keyof Findings;

/** The findings that are rules of `lint`: configurations set their levels, and objects ignore them. */
export type RuleId = Extract<FindingId, `RS${string}`>;

export function isRuleId(id: string): id is RuleId {
  return id.startsWith("RS") && Object.hasOwn(CATALOGUE, id);
}

/** The ids of the rules, in order. */
export const RULE_IDS: readonly RuleId[] = Object.keys(CATALOGUE).filter(isRuleId).sort();

/** Where a finding is documented, in the repository and in the package: each has its heading. */
export function docsOf(id: FindingId): string {
  return isRuleId(id) ? `docs/reference/rules.md#${id.toLowerCase()}` : `docs/reference/findings.md#${id}`;
}
