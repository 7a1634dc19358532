import {
  boolYaml11Tag,
  EVENT_ID,
  floatYaml11Tag,
  intYaml11Tag,
  NOT_RESOLVED,
  SCALAR_STYLE,
  timestampTag,
} from "js-yaml";
import { describe, placeOf, type Item } from "../manifest/items.ts";
import { get, ownEntries, resolve } from "../manifest/node.ts";
import { scalarText } from "../manifest/tree.ts";
import { resourceRef, type Finding } from "../results/findings.ts";

const FIELDS = ["data", "stringData"] as const;

/**
 * Warns of bare values such as `yes`, `on` or `1_000`: text by YAML 1.2, which rollstamp and
 * kustomize follow for them, but no text by YAML 1.1, which kubectl follows.
 */
export function unquotedFindings(item: Item): Finding[] {
  const { tree } = item;
  return FIELDS.flatMap((field) =>
    ownEntries(tree, get(tree, item.node, field)).flatMap(({ key, valueNode }): Finding[] => {
      const event = tree.events[resolve(tree, valueNode)];
      if (event?.type !== EVENT_ID.SCALAR || event.style !== SCALAR_STYLE.PLAIN || event.valueStart < 0) return [];
      if (event.tagStart >= 0 || !isOtherInYaml11(scalarText(tree, resolve(tree, valueNode)))) return [];
      return [
        {
          rule: "unquoted-value",
          severity: "warning",
          message: `the value of '${field}.${key}' of ${describe(item)} is not in quotes, and YAML 1.1, which kubectl reads, takes it for something else than text`,
          remedy: "Put the value in quotes.",
          resource: resourceRef(item),
          field: `${field}.${key}`,
          place: placeOf(tree, valueNode),
        },
      ];
    }),
  );
}

const LONGEST = 40;

function isOtherInYaml11(text: string): boolean {
  // Sexagesimal numbers, such as 12:30, are text to Go's reader: it is the one that counts.
  if (text.length > LONGEST || !/^[-+.0-9yYnNoOtTfF]/u.test(text) || /^[-+]?[0-9_]+(?::[0-9]+)+/u.test(text))
    return false;
  return [boolYaml11Tag, intYaml11Tag, floatYaml11Tag, timestampTag].some(
    (tag) => tag.resolve(text, false, tag.tagName) !== NOT_RESOLVED,
  );
}
