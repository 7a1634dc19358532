import { RollstampError } from "../../../base/errors.ts";
import { sumOf } from "../../../base/grouped.ts";
import { MOST_KUSTOMIZATIONS, tooLarge, type Limits } from "../../../base/limits.ts";

/** What kustomize loads for a kustomization. It reads a base again for each kustomization that includes it. */
export interface Loads {
  /** The length of the longest chain of kustomizations from here, with this one. */
  readonly height: number;
  /** The kustomizations, each as often as it is included. */
  readonly loads: number;
  /** The bytes of their files, each as often as it is included. */
  readonly bytes: number;
}

/** A kustomization that names no other. */
export const ALONE: Loads = { height: 1, loads: 1, bytes: 0 };

/** A kustomization with what it includes. Throws a RollstampError if kustomize would work for hours. */
export function loadsWith(bytes: number, below: readonly Loads[], file: string, { inputSize }: Limits): Loads {
  const all = {
    height: 1 + below.reduce((most, { height }) => Math.max(most, height), 0),
    loads: 1 + sumOf(below, ({ loads }) => loads),
    bytes: bytes + sumOf(below, (one) => one.bytes),
  };
  if (all.bytes > inputSize) throw tooLarge("what kustomize reads, each file as often as it is included", inputSize);
  if (all.loads <= MOST_KUSTOMIZATIONS) return all;
  const problem = `kustomize would load more than ${MOST_KUSTOMIZATIONS} kustomizations, each as often as others include it`;
  throw new RollstampError("input", problem, { place: { file }, remedy: "Include each kustomization once." });
}
