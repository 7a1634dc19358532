import { hasStamps } from "../../base/stamp-keys.ts";
import type { Snapshot } from "../../platform/ports/snapshot.ts";
import type { StampedBy } from "../../reports/plan/planned-application.ts";
import { isManifestName } from "../../yaml/read/manifest-text.ts";
import type { Application } from "../discover/application.ts";
import { declaredStampedBy, stampedByOf, type StampedByGiven } from "../discover/stamped-by.ts";
import type { AppSide } from "../render/shown-data.ts";
import { stampsOf } from "./revision-config.ts";
import { readsFile } from "./showing-files.ts";

/** An application of one revision, with how it is stamped. */
export interface StampedSide extends AppSide {
  /** What it is rendered from. */
  readonly snapshot: Snapshot;
  /** What declares how it is stamped: an option, rollstamp.yaml, or the repository. */
  readonly declared: StampedBy | undefined;
  /** How it is stamped. Without the text of its rendering, the files that it reads decide. */
  readonly stampedBy: (rendering?: string) => StampedBy;
}

/** Whether a function or plugin stamps an application on its way to the cluster. */
export function isStampedOnTheWay({ declared, application }: StampedSide): boolean {
  return declared !== undefined && stampsOf("applied", declared, application) === "ByFunction";
}

/** Finds out how the applications of a snapshot are stamped. `row` is the application that rollstamp.yaml describes. */
export function stampedSides(
  snapshot: Snapshot,
  given: StampedByGiven,
): (side: AppSide, row?: Application) => StampedSide {
  let stamped: readonly string[] | undefined;
  const isInFiles = (side: AppSide): boolean => {
    stamped ??= snapshot.files.filter((path) => isManifestName(path) && snapshot.says(path, hasStamps));
    // In most repositories none has any: then nothing is collected.
    if (stamped.length === 0) return false;
    return stamped.some(readsFile(side));
  };
  return (side, row = side.application) => {
    const declared = declaredStampedBy(given, side.application, row);
    return Object.assign({}, side, {
      snapshot,
      declared,
      stampedBy: (rendering?: string) =>
        stampedByOf(declared, () => (rendering === undefined ? isInFiles(side) : hasStamps(rendering))),
    });
  };
}
