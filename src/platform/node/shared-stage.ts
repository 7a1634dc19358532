import { mkdirSync } from "node:fs";
import { join } from "node:path";
import { onceFor } from "../../base/once-for.ts";
import type { SharedStage } from "../ports/applications.ts";
import { makeStage, type Stage } from "./staged-files.ts";
import type { Staged } from "./staged-kustomization.ts";

/** A shared stage once something stands in it. */
export interface OpenStage {
  readonly stage: Stage;
  readonly staged: Staged;
  /** An empty folder: the home of the programs that run over it. */
  readonly home: string;
}

/**
 * What stands in a shared stage. All together is no more than one application may have: beyond that each is staged by
 * itself.
 */
export const openStage: (shared: SharedStage) => OpenStage = onceFor(({ folder, root, limits }) => {
  const made = (name: string): string => {
    const at = join(folder, name);
    mkdirSync(at, { recursive: true, mode: 0o700 });
    return at;
  };
  const stage = makeStage({ folder: made("in"), root, most: limits.inputSize });
  return { stage, staged: { files: new Map(), folders: new Map() }, home: made("home") };
});
