import type { LabelSelector, Requirement } from "../../base/selector.ts";
import { entriesOf, get, getPath, getString, itemsOf, stringOf } from "../../yaml/read/node.ts";
import type { YamlTree } from "../../yaml/read/tree.ts";
import type { PodTemplate } from "./types.ts";

/** The labels of the pods of a template; none if the kind keeps them apart from the annotations. */
export function podLabels({ item: { tree }, base, annotationsPath }: PodTemplate): ReadonlyMap<string, string> {
  const labels = new Map<string, string>();
  const path = labelsPath({ annotationsPath });
  if (path === undefined) return labels;
  const node = getPath(tree, base, path);
  for (const { key, valueNode } of entriesOf(tree, node)) labels.set(key, stringOf(tree, valueNode) ?? "");
  return labels;
}

/** The path of a pod template's labels from its base; undefined if the kind keeps them apart from the annotations. */
export function labelsPath({ annotationsPath }: Pick<PodTemplate, "annotationsPath">): readonly string[] | undefined {
  return annotationsPath.at(-1) === "annotations" ? [...annotationsPath.slice(0, -1), "labels"] : undefined;
}

const OPERATORS: readonly string[] = ["In", "NotIn", "Exists", "DoesNotExist"] satisfies Requirement["operator"][];

function isOperator(text: string): text is Requirement["operator"] {
  return OPERATORS.includes(text);
}

/** A LabelSelector of a manifest; undefined if the API server rejects it. */
export function selectorAt(tree: YamlTree, node: number): LabelSelector | undefined {
  const requirements: Requirement[] = [...labelsAsSelector(tree, get(tree, node, "matchLabels"))];
  for (const expression of itemsOf(tree, get(tree, node, "matchExpressions"))) {
    const key = getString(tree, expression, "key");
    const operator = getString(tree, expression, "operator") ?? "";
    if (key === undefined || !isOperator(operator)) return undefined;
    const values = itemsOf(tree, get(tree, expression, "values")).flatMap((value) => stringOf(tree, value) ?? []);
    requirements.push({ key, operator, values });
  }
  return requirements;
}

/** A plain map of labels as a selector, as in Services: all are required. */
export function labelsAsSelector(tree: YamlTree, node: number): LabelSelector {
  return entriesOf(tree, node).map(({ key, valueNode }) => ({
    key,
    operator: "In" as const,
    values: [stringOf(tree, valueNode) ?? ""],
  }));
}
