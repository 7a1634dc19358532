import { recreatedBy } from "../../kubernetes/rollout/written-rollout.ts";
import type { Refusal } from "../../kubernetes/rollout/rollout-types.ts";
import type { Item } from "../../yaml/read/items.ts";
import { getPath, kindOf } from "../../yaml/read/node.ts";
import type { Applying } from "./planned-application.ts";
import type { SideWorkload } from "./side.ts";

// The API server fills in `rollingUpdate`, and rejects it beside another type. An apply removes it only if an earlier one set
// it, at least to `{}` (a real API server, both kinds of applies). kubectl and Helm also remove the defaults of a Deployment:
// its strategy has the patch strategy `retainKeys`.

const FIELDS: ReadonlyMap<string, { readonly field: string; readonly onlyServerSide: boolean }> = new Map([
  ["Deployment", { field: "strategy", onlyServerSide: true }],
  ["StatefulSet", { field: "updateStrategy", onlyServerSide: false }],
]);

/** What to do about it, in words. */
export const SET_DEFAULTS_FIRST =
  "First set rollingUpdate: {} beside type RollingUpdate in a commit of its own: then the change of the type removes it. Or delete the object and apply it again.";

/** The defaults that stay beside a type that does not allow them. */
export function leftDefaults(
  { fieldValidation, isForced }: Applying,
  from: SideWorkload | undefined,
  to: SideWorkload,
): Refusal | undefined {
  const { item } = to.workload;
  const row = item.group === "apps" ? FIELDS.get(item.kind) : undefined;
  if (row === undefined || from === undefined || (row.onlyServerSide && fieldValidation !== "ServerSide"))
    return undefined;
  const [before, after] = [from, to].map((side) => side.rollout().strategy?.type);
  if (before !== "RollingUpdate" || after === undefined || after === before) return undefined;
  if (setsRollingUpdate(from.workload.item, row.field) || recreatedBy(item, isForced) !== undefined) return undefined;
  return {
    path: `spec.${row.field}.rollingUpdate`,
    problem: `keeps its defaults in the cluster, and is not allowed with type ${after}`,
    isLeft: true,
  };
}

function setsRollingUpdate({ tree, node }: Item, field: string): boolean {
  return kindOf(tree, getPath(tree, node, ["spec", field, "rollingUpdate"])) === "mapping";
}
