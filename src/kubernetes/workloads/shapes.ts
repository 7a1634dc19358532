import { entriesOf, get, itemsOf, kindOf, resolve, stringOf } from "../../yaml/read/node.ts";
import { NONE, type YamlTree } from "../../yaml/read/tree.ts";

/**
 * What stands somewhere: in an object, or in the schema of its kind. Both are looked at for the same forms
 * (src/kubernetes/workloads/uses.ts).
 */
export interface Shape {
  /** A list, or what is one list or mapping of things of one form. */
  readonly isList: boolean;
  readonly isMapping: boolean;
  /** The text that stands here; "" for a text of which a schema knows no more; undefined for what is none. */
  readonly text: string | undefined;
  /** A schema that takes anything here. */
  readonly isOpen: boolean;
  /** What is not here can't be: a schema says all that there may be, an object what there is. */
  readonly isWhole: boolean;
  /** What a schema says of its place in words; "" in an object. */
  readonly says: string;
  readonly get: (field: string) => Shape | undefined;
  readonly fields: () => readonly (readonly [name: string, shape: Shape])[];
  /** The elements of a list; in a schema, the one form that all elements of a list or mapping have. */
  readonly elements: () => readonly Shape[];
}

/** What stands at a node of an object. */
export function nodeShape(tree: YamlTree, at: number): Shape {
  const node = resolve(tree, at);
  const kind = kindOf(tree, node);
  return {
    isList: kind === "sequence",
    isMapping: kind === "mapping",
    text: stringOf(tree, node),
    isOpen: false,
    isWhole: false,
    says: "",
    get: (field) => {
      const value = get(tree, node, field);
      return value === NONE ? undefined : nodeShape(tree, value);
    },
    fields: () => entriesOf(tree, node).map(({ key, valueNode }) => [key, nodeShape(tree, valueNode)] as const),
    elements: () => itemsOf(tree, node).map((element) => nodeShape(tree, element)),
  };
}
