import { RollstampError } from "../../base/errors.ts";
import { globOf } from "../../base/glob.ts";
import { groupOf } from "../../base/identity.ts";
import type { PlannedObject, PlannedWorkload } from "./planned-workload.ts";

/** Whether the user accepted that an object is deleted. */
export type Accepts = (
  object: Pick<PlannedObject | PlannedWorkload, "apiVersion" | "kind" | "namespace" | "name">,
) => boolean;

/**
 * Compiles the patterns of --accept-deletes: `KIND/NAMESPACE/NAME`. For an object of the cluster, the namespace is empty, as
 * in JSON, or left out. As in kubectl, a kind may be written in lower case and with its group. Throws a RollstampError for another pattern.
 */
export function acceptedDeletes(patterns: readonly string[]): Accepts {
  const globs = patterns.map((pattern) => {
    const glob = pattern.includes("/") ? globOf(pattern, "configuration") : undefined;
    if (glob !== undefined) return glob;
    throw new RollstampError("usage", `--accept-deletes ${pattern}: must be a pattern of KIND/NAMESPACE/NAME`, {
      remedy: "Write 'Deployment/shop/web', or 'Deployment/shop/*' for all of a namespace.",
    });
  });
  return ({ apiVersion, kind, namespace, name }) => {
    if (globs.length === 0) return false;
    const lower = kind.toLowerCase();
    const kinds = [kind, lower, `${lower}.${groupOf(apiVersion)}`];
    const places = [`${namespace}/${name}`, ...(namespace === "" ? [name] : [])];
    return globs.some((matches) => kinds.some((written) => places.some((place) => matches(`${written}/${place}`))));
  };
}
