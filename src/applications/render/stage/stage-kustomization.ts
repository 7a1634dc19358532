import { RollstampError } from "../../../base/errors.ts";
import type { ChartAddress, LeftOut } from "../../../platform/ports/applications.ts";
import { MOST_STAGED_ENTRIES } from "../../../platform/ports/stage.ts";
import { KustomizationStaging, type StagedKustomizations } from "./kustomization-staging.ts";
import type { ChartToInflate } from "./stage-inflated-chart.ts";
import { StageAlone, type KustomizationToStage } from "./staging.ts";

export interface StagedKustomization {
  /** The folder in which kustomize runs, relative to the stage. */
  readonly workingFolder: string;
  /** Charts that are rendered before. */
  readonly charts: readonly ChartToInflate[];
  /** Charts that can be fetched, for another staging. */
  readonly wanted: readonly ChartAddress[];
  /** Where kustomize looks for the programs of the functions of rollstamp that it lists. */
  readonly ownPlugins: ReadonlySet<string>;
  /** What is outside of the repository and was left out. */
  readonly leftOut: readonly LeftOut[];
  /** Whether kustomize reads an empty schema instead of its own. */
  readonly hasEmptySchema: boolean;
}

/**
 * Copies a kustomization into a stage, with everything that it names, directly or not. Each kustomization is written from the
 * data that we have read, so kustomize cannot read it differently, and finds each path where we have found it. No file stays
 * above the folder that names it, so kustomize's load restrictor stays on: configurations of plugins that patches change
 * are read only by kustomize.
 */
export function stageKustomization(toStage: KustomizationToStage): StagedKustomization {
  const staging = new KustomizationStaging(toStage);
  staging.visit(toStage.application.folder, "");
  const { charts, wanted, ownPlugins } = staging;
  const workingFolder = staging.fromRoot(toStage.application.folder);
  return {
    workingFolder,
    charts,
    wanted: [...wanted.values()],
    ownPlugins,
    leftOut: staging.leftOut(),
    hasEmptySchema: staging.hasEmptySchema,
  };
}

/**
 * Adds a kustomization to a stage that contains others of the same tree. Undefined if it needs a stage of its own: something
 * must be rendered or checked before, the build differs from the files, or something is wrong (the error then comes from
 * that stage).
 */
export function stageTogether(
  toStage: KustomizationToStage,
  staged: StagedKustomizations,
): { readonly workingFolder: string; readonly size: number } | undefined {
  const { folder, limits } = toStage.application;
  try {
    const staging = new KustomizationStaging(toStage, staged);
    staging.visit(folder, "");
    const { entries, size } = sizeOf(folder, staged);
    return entries > MOST_STAGED_ENTRIES || size > limits.inputSize
      ? undefined
      : { workingFolder: staging.fromRoot(folder), size };
  } catch (cause) {
    if (cause instanceof StageAlone || cause instanceof RollstampError) return undefined;
    throw cause;
  }
}

/** The size of a folder with a kustomization, with everything that it names. */
function sizeOf(
  folder: string,
  { files, folders }: StagedKustomizations,
): { readonly entries: number; readonly size: number } {
  const named = new Set<string>();
  const visited = new Set<string>([folder]);
  for (const current of visited) {
    const staged = folders.get(current);
    for (const path of staged?.folders ?? []) visited.add(path);
    for (const path of staged?.files ?? []) named.add(path);
  }
  let size = 0;
  for (const path of named) size += files.get(path) ?? 0;
  return { entries: visited.size + named.size, size };
}
