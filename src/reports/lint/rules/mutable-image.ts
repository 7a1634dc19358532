import { resourceRef } from "../../../findings/results/location.ts";
import { isBareName, isMutable, pulledImages, PULLS_ALWAYS } from "../../../kubernetes/workloads/images.ts";
import { problem, type LintRule } from "../rule.ts";

/** An image whose tag moves, with a policy by which a node keeps the one that it has. */
export const MUTABLE_IMAGE: LintRule<"RS003"> = {
  id: "RS003",
  check: ({ workloads }) =>
    workloads.flatMap(({ workload, templates }) =>
      templates.flatMap(({ template }) =>
        pulledImages(template)
          .filter(({ image, policy }) => isMutable(image) && policy !== undefined && policy !== PULLS_ALWAYS)
          .map(({ image, policy, user, node, field }) =>
            problem(
              workload.item,
              { node, field },
              {
                id: "RS003",
                cause: isBareName(image) ? "bareName" : "kept",
                params: { workload: resourceRef(workload.item), user, image, policy: policy ?? "" },
              },
            ),
          ),
      ),
    ),
};
