import { RollstampError } from "../../base/errors.ts";
import { getString } from "./node.ts";
import { startOf } from "./node.ts";
import type { YamlTree } from "./tree.ts";

/**
 * A name that a mapping gives. Names stand in every message and look-up that is about what they name: one without an
 * end would multiply with them. Throws for one that is longer than any that Kubernetes takes.
 */
export function nameAt(tree: YamlTree, mapping: number, key: string): string | undefined {
  const name = getString(tree, mapping, key);
  if (name !== undefined && name.length > tree.limits.name) throw tooLong(tree, mapping, name.length);
  return name;
}

/** The error for a name that is too long, at the node that gives it. */
export function tooLong(tree: YamlTree, node: number, length: number): RollstampError {
  return new RollstampError("input", `a name of ${length} characters is longer than ${tree.limits.name}`, {
    place: tree.lines.placeAt(tree.file, startOf(tree, node)),
    remedy: "Kubernetes takes up to 253; shorten it, or raise the limit: --max-name.",
  });
}
