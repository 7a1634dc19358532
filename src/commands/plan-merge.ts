import { RollstampError } from "../base/errors.ts";
import type { Io } from "../platform/ports/io.ts";
import type { Limits } from "../reports/plan/limits.ts";
import { mergedReport, readShard } from "../reports/plan/merge-shards.ts";
import type { PlanReport } from "../reports/plan/plan-report.ts";
import { STDIN } from "../applications/inputs/manifest-files.ts";

/** A plan of parts that were made by themselves, and whether these list all. */
export interface MergedPlan {
  readonly report: PlanReport;
  readonly all: boolean;
}

/** Reads the parts of a plan, and makes one report of them. */
export function mergePlans(io: Io, files: readonly string[], limits: Limits): MergedPlan {
  if (files.includes(STDIN)) {
    throw new RollstampError("usage", "standard input is no part of a plan", {
      remedy: "Give the files that 'rollstamp plan --shard I/N -o json' has written.",
    });
  }
  const shards = files.map((file) => readShard(io.readNamed(file, io.context.limits), file));
  const all = shards.some(({ report }) => report.shard.run.options.includes("--all"));
  return { report: mergedReport(shards, limits), all };
}
