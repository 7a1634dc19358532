import { isResumed, suspendableName } from "../applications/discover/suspended.ts";
import type { Finding } from "../findings/catalogue/finding.ts";
import { NOTHING_PLANNED } from "../reports/plan/join-parts.ts";
import { planFinding } from "../reports/plan/plan-findings.ts";
import type { AppPair } from "./application-pairs.ts";
import type { Compared } from "./application-renderings.ts";

/** Tells of what is compared that Flux does not apply it, or applies more. */
export function withSuspended({ application, base, head }: AppPair, compared: Compared): Compared {
  const { status } = compared.application;
  const cause =
    status !== "Failed" && isResumed(base?.application, head?.application)
      ? "resumed"
      : status === "Changed" && head?.application.isSuspended === true
        ? "suspended"
        : undefined;
  if (cause === undefined) return compared;
  const { part = NOTHING_PLANNED } = compared;
  const finding: Finding = { id: "suspended-application", cause, params: { object: suspendableName(application) } };
  const told = { ...planFinding(finding), application: application.name };
  return { ...compared, part: { ...part, others: [...part.others, told] } };
}
