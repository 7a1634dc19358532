import type { Finding } from "../../findings/catalogue/finding.ts";
import { otherScalars } from "../../yaml/read/kubectl-view.ts";
import { fieldOf } from "../../yaml/read/repeated-keys.ts";
import { locationOf, resourceRef } from "../../findings/results/location.ts";
import type { PodTemplate } from "./types.ts";

/** Warns of unquoted texts in references that have another type in kubectl: names, keys, `optional: yes`. */
export function unquotedReferences({ item, references }: PodTemplate): Finding[] {
  const findings = new Map<number, Finding>();
  for (const reference of references) {
    // References in annotations and in other objects are reported there.
    if (reference.item !== undefined || reference.via === "extra") continue;
    for (const { node, path } of otherScalars(item.tree, reference.node)) {
      const field = fieldOf([reference.field, ...path]);
      const params = { object: resourceRef(item), field };
      const data = { id: "unquoted-value", cause: "field", params } as const;
      findings.set(node, { ...data, ...locationOf(item, { node, field }) });
    }
  }
  return [...findings.values()];
}
