import { once } from "../../base/grouped.ts";
import type { Item } from "../../yaml/read/items.ts";
import { get, getString, isFalse, kindOf } from "../../yaml/read/node.ts";
import { NONE, type YamlTree } from "../../yaml/read/tree.ts";
import { matchPath, type PathMatch } from "./paths.ts";
import { templateReferences } from "./references.ts";
import { writtenAnnotations } from "./template-annotations.ts";
import type { ReferenceScope } from "./reference-scope.ts";
import type { PodTemplate, PodTemplatePath, WorkloadKind } from "./types.ts";

/** The pod templates of an object by the row of its kind. */
export function templatesOf(item: Item, { templates }: WorkloadKind, namespace: string): PodTemplate[] {
  return templates.flatMap((path) => podTemplates(item, path, { tree: item.tree, namespace }));
}

/** The pod templates at a path. The path starts at the object, or at a part of it such as the values of a chart. */
export function podTemplates(
  item: Item,
  path: PodTemplatePath,
  scope: ReferenceScope,
  root: Pick<PathMatch, "node" | "field"> = { node: item.node, field: "" },
): PodTemplate[] {
  const { tree } = item;
  const rest = path.annotations.slice(path.anchor === "" ? 0 : path.anchor.length + 1);
  const below = (field: string): string => [root.field, field].filter((part) => part !== "").join(".");
  return matchPath(tree, root.node, path.anchor)
    .filter(({ node }) => kindOf(tree, node) === "mapping" && !isVoid(tree, node, path))
    .map((anchor) => {
      const specs = path.podSpec === undefined ? [] : matchPath(tree, root.node, path.podSpec, anchor.stars);
      const podSpecs = specs.map(({ node, field }) => ({ node, field: below(field) }));
      const fields = (path.references ?? []).flatMap((reference) =>
        matchPath(tree, root.node, reference.path, anchor.stars).map(({ node, field, stars }) => ({
          path: reference,
          node,
          field: below(field),
          stars: stars.length > 0 ? stars : anchor.stars,
          anchorStars: anchor.stars.length,
          root: root.node,
        })),
      );
      const field = below(anchor.field);
      const annotated = { item, base: anchor.node, annotationsPath: rest.split(".") };
      return {
        ...annotated,
        annotationsField: field === "" ? rest : `${field}.${rest}`,
        field,
        podSpecs,
        references: templateReferences(
          { ...scope, annotations: once(() => writtenAnnotations(annotated)) },
          podSpecs,
          fields,
        ),
      };
    });
}

function isVoid(tree: YamlTree, anchor: number, { unless, except = {} }: PodTemplatePath): boolean {
  if (unless !== undefined && get(tree, anchor, unless) !== NONE) return true;
  return Object.entries(except).some(([field, value]) =>
    value === "false" ? isFalse(tree, get(tree, anchor, field)) : getString(tree, anchor, field) === value,
  );
}
