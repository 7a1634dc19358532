import { indexClaims, type Claims } from "../../../kubernetes/rollout/claims.ts";
import { standstillOf } from "../../../kubernetes/rollout/standstill.ts";
import { problem, type LintRule } from "../rule.ts";

/** A rollout that waits for a new pod which can't start beside the old one. */
export const STUCK_ROLLOUT: LintRule<"RS015"> = {
  id: "RS015",
  check: ({ workloads, items, spec }) => {
    let claims: Claims | undefined;
    const known = (): Claims => (claims ??= indexClaims(items, spec.defaultNamespace));
    return workloads.flatMap(({ workload, templates: [first], rollout }) => {
      if (first === undefined) return [];
      const found = standstillOf({ workload, template: first.template, rollout }, known);
      if (found === undefined) return [];
      const { told, node, field, claim } = found;
      return [problem(workload.item, { node, field }, told, claim === undefined ? [] : [claim])];
    });
  },
};
