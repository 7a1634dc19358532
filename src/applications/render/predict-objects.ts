import { onceFor, onceForText } from "../../base/grouped.ts";
import { namesDirectives } from "../../base/hosts/krm.ts";
import { fieldsOf, type Mapping } from "../../yaml/read/json.ts";
import { kubectlJson } from "../../yaml/read/kubectl-view.ts";
import { readFoundText } from "../../yaml/read/manifest-text.ts";
import { get } from "../../yaml/read/node.ts";
import { gitOpsObject, type GitOpsObject } from "../discover/objects.ts";
import type { Repository } from "../discover/repository.ts";
import { SUBSTITUTE } from "./flux-objects.ts";

// The objects in files that a build is predicted from.

/** An object on its way through kustomizations. */
export interface BuiltObject {
  readonly group: string;
  readonly kind: string;
  name: string;
  /** The names before patches changed it. */
  readonly formerNames: Set<string>;
  namespace: string;
  isGenerated: boolean;
  /** As in its file; undefined for an object that does not belong to Argo CD or Flux. */
  readonly object: GitOpsObject | undefined;
  /** That of `object`, as it is patched. */
  spec: Mapping | undefined;
  metadata: Mapping | undefined;
}

type Tree = Repository["tree"];

/** What has no object, for kustomize too. Other line breaks than these, which YAML has as well, would end a comment. */
const COMMENTS = /^(?:(?:--- *| *(?:#[\t\p{L}\p{M}\p{N}\p{P}\p{S}\p{Zs}]*)?)(?:\r?\n|$))*$/u;

/** The text of a file; undefined if only a build knows what it means. */
export function textOf(tree: Tree, path: string): string | undefined {
  const read = tree.read(path);
  const isUnknown = read.is === "refused" || namesDirectives(read.text) || read.text.includes(SUBSTITUTE);
  return isUnknown ? undefined : read.text;
}

/** The objects of a file, read once: many applications may build it. Undefined if they can't be predicted. */
export const objectsOfFiles: (tree: Tree) => (path: string) => readonly BuiltObject[] | undefined = onceFor(
  (tree: Tree) =>
    onceForText((path): readonly BuiltObject[] | undefined => {
      const text = textOf(tree, path);
      if (text !== undefined && COMMENTS.test(text)) return [];
      const found = text === undefined ? undefined : readFoundText(text, path, tree.limits);
      if (found?.is !== "manifests" || found.manifests.items.some(({ name }) => name === "")) return undefined;
      return found.manifests.items.map((item): BuiltObject => {
        const { group, kind, name, namespace } = item;
        const object = gitOpsObject(item, "");
        const metadata =
          object === undefined ? undefined : fieldsOf(kubectlJson(item.tree, get(item.tree, item.node, "metadata")));
        return {
          group,
          kind,
          name,
          formerNames: new Set(),
          namespace,
          isGenerated: false,
          object,
          spec: object?.spec,
          metadata,
        };
      });
    }),
);
