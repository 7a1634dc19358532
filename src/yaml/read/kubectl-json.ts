import { RollstampError } from "../../base/errors.ts";
import { kubectlValue } from "./go-scalars.ts";
import { isOtherToKubectl, renamedKey } from "./kubectl-scalars.ts";
import { entriesOf, itemsOf, kindOf, resolve, toJson, type Json } from "./node.ts";
import { scalarText, type YamlTree } from "./tree.ts";

/** The node as plain data, as kubectl and helm read it: `yes` is true there. Throws for what JSON can't hold. */
export function kubectlJson(tree: YamlTree, node: number): Json {
  const at = resolve(tree, node);
  switch (kindOf(tree, at)) {
    case "mapping": {
      const object = Object.create(null) as { [key: string]: Json };
      for (const { key, keyNode, valueNode } of entriesOf(tree, at)) {
        const renamed = renamedKey(tree, keyNode);
        if (renamed === null) throw new RollstampError("input", "a key is null, which kubectl and helm don't take");
        object[renamed ?? key] = kubectlJson(tree, valueNode);
      }
      return object;
    }
    case "sequence":
      return itemsOf(tree, at).map((item) => kubectlJson(tree, item));
    default: {
      if (!isOtherToKubectl(tree, at)) return toJson(tree, at);
      const value = kubectlValue(scalarText(tree, at));
      return typeof value === "bigint" ? Number(value) : value;
    }
  }
}
