import type { Revisions } from "../../platform/ports/snapshot.ts";
import type { Spend } from "../../base/limits.ts";
import type { ComparedAs } from "../../reports/plan/plan-report.ts";
import type { PlanOptions } from "../../reports/plan/plan.ts";
import type { ConfigHashSpec } from "../../stamping/function/config-hash.ts";
import type { Engine } from "./rendering.ts";
import type { ConfigAt } from "./revision-config.ts";
import type { NotExamined } from "../../findings/not-examined/not-examined.ts";
import type { ChangedSource, LookedAcross } from "../../reports/plan/across-applications.ts";
import type { PlanPart } from "../../reports/plan/parts.ts";
import type { PlannedApplication } from "../../reports/plan/planned-application.ts";

/** What applications of two revisions are rendered and compared with. */
export interface Comparing extends Engine {
  readonly revisions: Revisions;
  readonly spec: ConfigHashSpec;
  readonly hmacKey: Uint8Array | undefined;
  readonly as: ComparedAs;
  /** The configuration by which a function or plugin stamps the applications of each revision. */
  readonly configAt: Readonly<Record<"base" | "head", ConfigAt>>;
  readonly planOptions: PlanOptions;
  /** Counts the objects of all renderings that are compared, of both revisions. */
  readonly countObjects: Spend;
}

export interface Compared {
  readonly application: PlannedApplication;
  readonly part?: PlanPart;
  readonly notExamined: readonly NotExamined[];
  /** Its changed sources, and what other applications of its cluster need to know of its head; undefined if it is unchanged. */
  readonly changed?: readonly ChangedSource[];
  readonly across?: LookedAcross;
}
