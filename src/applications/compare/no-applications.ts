import { RollstampError } from "../../base/errors.ts";
import { formatCommit } from "../../base/names.ts";
import type { Revisions, Snapshot } from "../../platform/ports/snapshot.ts";
import type { AppPairs } from "./application-pairs.ts";

/** Throws a RollstampError for a revision without applications: everything would count as created or deleted. */
export function refuseEmptySides(
  { pairs, notFound }: Pick<AppPairs, "pairs" | "notFound">,
  revisions: Revisions,
): void {
  const empty = (["base", "head"] as const).filter((side) => pairs.every((pair) => pair[side] === undefined));
  if (empty.length === 0 || (empty.length === 2 && notFound.head.length > 0)) return;
  // What can't be read may be one, and is reported.
  if (empty.some((side) => notFound[side].some(({ isFailure }) => isFailure))) return;
  const names = empty.map((side) => nameOf(revisions[side])).join(" and ");
  const effect = empty.length === 2 ? undefined : empty[0] === "base" ? "created" : "deleted";
  throw new RollstampError("input", `no application found in ${names}`, {
    remedy: [
      "Looked for rollstamp.yaml, Argo CD and Flux objects, kustomizations, charts, Kptfiles, manifests.",
      "Fix: name the folder that holds them, or list them in rollstamp.yaml (kind Applications).",
      ...(effect === undefined ? [] : [`If everything is intended to be ${effect}, use --allow-empty.`]),
    ].join("\n  "),
  });
}

/** `5bb902f (main)`. */
function nameOf({ commit, name }: Snapshot): string {
  const short = formatCommit(commit);
  return commit.startsWith(name) ? short : `${short} (${name})`;
}
