import { describe } from "../../manifest/items.ts";
import { isMutable, pulledImages, PULLS_ALWAYS } from "../../workloads/images.ts";
import { problem, type LintRule } from "../rule.ts";

/** An image whose tag moves, with a policy by which a node keeps the one that it has. */
export const MUTABLE_IMAGE: LintRule = {
  id: "RS003",
  severity: "warning",
  title: "A mutable image tag that a restart will not pull again",
  remedy: "Pin the image by a version or a digest, or set imagePullPolicy: Always.",
  check: ({ workloads }) =>
    workloads.flatMap(({ workload, templates }) =>
      templates.flatMap(({ template }) =>
        pulledImages(template)
          .filter(({ image, policy }) => isMutable(image) && policy !== undefined && policy !== PULLS_ALWAYS)
          .map(({ image, policy, user, node, field }) =>
            problem(
              workload.item,
              { node, field },
              `${describe(workload.item)}: ${user} runs the image '${image}' with imagePullPolicy ${policy ?? ""}: its tag moves, and a node that has an old one keeps it`,
            ),
          ),
      ),
    ),
};
