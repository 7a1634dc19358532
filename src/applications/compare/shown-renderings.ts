import type { Failure } from "../../base/alike.ts";
import { RollstampError } from "../../base/errors.ts";
import type { Snapshot } from "../../platform/ports/snapshot.ts";
import { gitOpsObject, saysGitOps, type GitOpsObject } from "../discover/objects.ts";
import { watchedJobs } from "../inputs/jobs.ts";
import { renderingOf } from "../render/render-steps.ts";
import { shownObject, type AppSide, type ShownObject } from "../render/shown-data.ts";
import { failureOfParts, leftOutOf } from "./left-out.ts";
import { renderAndKeep, type Engine, type ToRender } from "./rendering.ts";

// What renderings show: objects of Argo CD and Flux, and data for the values of others.

/** What renderings show, by the keys of their applications, so that two revisions share what is the same. */
export type ShownByKey = Map<string, Promise<ShownHere | RollstampError>>;

export interface ShownHere {
  readonly objects: readonly GitOpsObject[];
  /** ConfigMaps and Secrets from which other applications may take values. */
  readonly data: readonly ShownObject[];
  /** Why more may be there. */
  readonly missing?: Failure;
}

export interface Wanted {
  readonly known: ShownByKey;
  /** Whether others take values from an application. */
  readonly isWanted: (side: AppSide) => boolean;
}

/** What each application shows, or why it cannot be rendered. */
export async function objectsOf(
  engine: Engine,
  snapshot: Snapshot,
  containers: readonly AppSide[],
  { known, isWanted }: Wanted,
): Promise<readonly (ShownHere | RollstampError)[]> {
  const { io, jobs } = engine;
  const what = "rendering applications that may show others";
  const nameOf = ({ application }: AppSide): string => application.name;
  return watchedJobs(io, containers, { what, jobs, nameOf }, (side) => {
    const isData = isWanted(side);
    const key = isData ? `${side.renderKey} with values` : side.renderKey;
    let shown = known.get(key);
    if (shown === undefined) known.set(key, (shown = shownIn(engine, { side, snapshot }, isData)));
    return shown;
  });
}

async function shownIn(engine: Engine, task: ToRender, isData: boolean): Promise<ShownHere | RollstampError> {
  const result = await renderAndKeep(engine, task);
  if ("error" in result) return result.error;
  try {
    const parts = leftOutOf(result);
    const missing = parts.length === 0 ? {} : { missing: failureOfParts(parts) };
    if (!isData && !saysGitOps(result.text)) return { objects: [], data: [], ...missing };
    const shown = `the rendering of ${task.side.application.name}`;
    const items = renderingOf(engine.io, result.text, shown)?.items ?? [];
    // Without the copy, a substring would keep the whole text in memory.
    return structuredClone({
      objects: items.flatMap((item) => gitOpsObject(item, "") ?? []),
      data: items.flatMap(shownObject),
      ...missing,
    });
  } catch (cause) {
    if (cause instanceof RollstampError) return cause;
    throw cause;
  }
}
