import { withLinks } from "../applications/compare/compared-range.ts";
import { RollstampError } from "../base/errors.ts";
import type { Io } from "../platform/ports/io.ts";
import type { Limits } from "../reports/plan/limits.ts";
import { reportOfData } from "../reports/plan/plan-data.ts";
import type { PlanReport } from "../reports/plan/plan-report.ts";
import { mergeShards, readShard } from "../reports/plan/shards.ts";
import { STDIN } from "../applications/inputs/manifest-files.ts";

/** Makes one report of the shards of a plan; `all`: they were made with `--all`. */
export function mergePlans(
  io: Io,
  files: readonly string[],
  limits: Limits,
): { readonly report: PlanReport; readonly all: boolean } {
  if (files.includes(STDIN)) {
    throw new RollstampError("usage", "standard input cannot be a shard of a plan", {
      remedy: "Give the files that 'rollstamp plan --shard I/N -o json' has written.",
    });
  }
  const shards = files.map((file) => readShard(io.readNamed(file, io.context.limits), file));
  const all = shards.some(({ shard }) => shard.run.options.includes("--all"));
  const { compared, data } = mergeShards(shards);
  const report = { ...reportOfData(data, limits), compared: withLinks(compared, io.environment) };
  return { report, all };
}
