import type { Failure } from "../../base/alike.ts";
import type { Snapshot } from "../../platform/ports/snapshot.ts";
import type { PlannedApplication } from "../../reports/plan/planned-application.ts";
import type { Step } from "./deployed-parts.ts";
import { definitionKey } from "../render/affected.ts";
import type { AppSide } from "../render/shown-data.ts";
import { pinOf } from "../discover/source-revisions.ts";
import { isNothing, leftOutOf, missingParts } from "./left-out.ts";
import type { Renderings } from "./not-fetched.ts";

/** What a plan says about an application, whatever its status is. */
export function plannedOf(
  { application, base, head, unreadable, held, heldBy, orphan, appliedCommit, replaced }: Step,
  rendered?: Renderings,
): Omit<PlannedApplication, "status"> {
  const { name, path, kind, foundBy, definedIn, cluster } = application;
  const rendering = rendered?.[head === undefined ? "base" : "head"];
  const text = rendering !== undefined && "text" in rendering ? rendering.text : undefined;
  const pinnedTo = pinnedBy(base, head);
  const partial = rendering === undefined ? [] : missingParts(leftOutOf(rendering));
  return {
    name,
    path,
    kind,
    stampedBy: (head ?? base)?.stampedBy(text) ?? "Nothing",
    foundBy,
    ...(definedIn.length === 0 ? {} : { definedIn }),
    ...(unreadable !== undefined || replaced !== undefined
      ? {}
      : base === undefined
        ? { change: "Added" }
        : head === undefined
          ? { change: "Removed" }
          : {}),
    ...(cluster === undefined ? {} : { cluster }),
    ...(partial.length === 0 ? {} : { partial }),
    ...(rendering !== undefined && isNothing(rendering) ? { unrendered: true } : {}),
    ...(held === undefined ? {} : { held }),
    ...(heldBy === undefined ? {} : { heldBy }),
    ...(pinnedTo === undefined ? {} : { pinnedTo }),
    ...(orphan === undefined ? {} : { orphan }),
    ...(appliedCommit === undefined ? {} : { appliedCommit }),
  };
}

/** What both sides are deployed from, if it is a version or commit, and nothing else of them differs. */
function pinnedBy(base: AppSide | undefined, head: AppSide | undefined): string | undefined {
  if (base === undefined || head === undefined || base.readsData || head.readsData) return undefined;
  return definitionKey(base.application) === definitionKey(head.application) ? pinOf(head.application) : undefined;
}

/** An application that can't be rendered, or a part of it that can't be read, in a revision. */
export function failedIn(
  { name }: Pick<Snapshot, "name">,
  failure: Failure | undefined,
): Pick<PlannedApplication, "message" | "missing"> & { readonly status: "Failed" } {
  return { status: "Failed", ...failure, message: `in ${name}: ${failure?.message ?? ""}` };
}
