import type { Finding } from "../../findings/catalogue/finding.ts";
import { otherScalars } from "../../yaml/read/kubectl-view.ts";
import { fieldOf } from "../../yaml/read/repeated-keys.ts";
import { isNumberToKubectl } from "../../yaml/read/go-scalars.ts";
import { scalarText } from "../../yaml/read/tree.ts";
import { locationOf, resourceRef } from "../../findings/results/location.ts";
import type { PodTemplate } from "./types.ts";

const MODES: ReadonlySet<string> = new Set(["defaultMode", "mode"]);

/**
 * Warns of unquoted texts in references that have another type in kubectl: names, keys, `optional: yes`. A mode is meant
 * as kubectl reads it: `0440` is octal.
 */
export function unquotedReferences({ item, references }: PodTemplate): Finding[] {
  const findings = new Map<number, Finding>();
  for (const reference of references) {
    // References in annotations and in other objects are reported there.
    if (reference.item !== undefined || reference.via === "extra") continue;
    for (const { node, path } of otherScalars(item.tree, reference.node)) {
      if (MODES.has(path.at(-1) ?? "") && isNumberToKubectl(scalarText(item.tree, node))) continue;
      const field = fieldOf([reference.field, ...path]);
      const params = { object: resourceRef(item), field };
      const data = { id: "unquoted-value", cause: "field", params } as const;
      findings.set(node, { ...data, ...locationOf(item, { node, field }) });
    }
  }
  return [...findings.values()];
}
