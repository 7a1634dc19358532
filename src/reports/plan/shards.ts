import { workloadKey } from "../../base/identity.ts";
import { RollstampError } from "../../base/errors.ts";
import type { NotExamined } from "../../findings/not-examined/not-examined.ts";
import type { PlanPart } from "./join-parts.ts";
import type { PlanFinding, PlanReport, PlanShard, ShardPart, ShardRun } from "./plan-report.ts";

// A plan that several machines make: each takes some of the applications, and `plan --merge` joins what they found. A
// shard is a report like any other; beside it stands which of its rows came of what, by which the joined report is the
// one that a single run would have made.

/** Which part of how many, from 1. */
export interface Shard {
  readonly index: number;
  readonly count: number;
}

const MOST_SHARDS = 1000;

/** Reads `2/3`. */
export function shardFrom(text: string): Shard {
  const [, index = "", count = ""] = /^(\d{1,4})\/(\d{1,4})$/u.exec(text) ?? [];
  const shard = { index: Number(index), count: Number(count) };
  if (index !== "" && shard.index >= 1 && shard.index <= shard.count && shard.count <= MOST_SHARDS) return shard;
  throw new RollstampError("usage", `--shard ${text}: this is no part of ${MOST_SHARDS} or less`, {
    remedy: "Write which part of how many, such as 1/3, 2/3 and 3/3.",
  });
}

/**
 * Whether a part has what is the nth of what is to be done. In turns: neighbours, such as the overlays of one base, take
 * about as long.
 */
export function isOfShard(nth: number, shard: Shard | undefined): boolean {
  return shard === undefined || nth % shard.count === shard.index - 1;
}

/** What came of one thing to be done, the nth of all. */
export interface OrderedPart {
  readonly order: number;
  readonly part: PlanPart | undefined;
  readonly notExamined: readonly NotExamined[];
}

/** What a part was made of: all that its report doesn't tell by itself. */
export interface ShardMade extends Shard {
  readonly run: ShardRun;
  readonly tools: PlanShard["tools"];
  /** The place of each of the report's applications among those of all parts. */
  readonly applications: readonly number[];
  readonly parts: readonly OrderedPart[];
}

/** What is told of a part beside its report, which has been made of these very objects. */
export function shardOf(
  report: Pick<PlanReport, "workloads" | "findings" | "notExamined">,
  { index, count, run, tools, applications, parts }: ShardMade,
): PlanShard {
  const workloads = placesIn(report.workloads);
  const findings = placesIn(report.findings);
  const notExamined = placesIn(report.notExamined);
  return {
    index,
    count,
    run,
    tools,
    applications,
    parts: parts.map(({ order, part, notExamined: met }): ShardPart => ({
      order,
      workloads: workloads(part?.rows.map(({ planned }) => planned)),
      unlisted: part?.rows.filter(({ isListed }) => !isListed).length ?? 0,
      refused: findings(part?.refused),
      mass: findings(part?.mass),
      others: findings(part?.others),
      findingsBefore: part?.findingsBefore ?? 0,
      otherObjects: part?.otherObjects ?? 0,
      ...(part?.schedule === undefined ? {} : { schedule: part.schedule }),
      notExamined: notExamined(met),
    })),
  };
}

/** Where things stand in a list; what doesn't is left out. */
function placesIn<T extends object>(list: readonly T[]): (things: readonly T[] | undefined) => number[] {
  const places = new Map(list.map((thing, i) => [thing, i]));
  return (things = []) => things.flatMap((thing) => places.get(thing) ?? []);
}

/** The same part again, from the report that it stands in. */
export function partOfShard(
  { workloads, findings }: Pick<PlanReport, "workloads" | "findings">,
  part: ShardPart,
): PlanPart {
  const told = (places: readonly number[]): PlanFinding[] => places.flatMap((i) => findings[i] ?? []);
  return {
    rows: part.workloads
      .flatMap((i) => workloads[i] ?? [])
      .map((planned) => ({ id: workloadKey(planned), isListed: true, planned })),
    unlisted: part.unlisted,
    schedule: part.schedule,
    refused: told(part.refused),
    mass: told(part.mass),
    others: told(part.others),
    findingsBefore: part.findingsBefore,
    otherObjects: part.otherObjects,
  };
}
