import { createHash } from "node:crypto";
import { formatToolOutput } from "../../base/names.ts";
import { withoutPlaceholders } from "../../base/placeholders.ts";
import { RollstampError } from "../../base/errors.ts";
import { VERSION } from "../../base/version.ts";
import { isMapping } from "../../yaml/read/json.ts";
import type { Json } from "../../yaml/read/node.ts";
import { mergedData, type PlanData } from "./plan-data.ts";
import type { PlannedRange } from "./plan-report.ts";

// A plan can run on several machines: each compares some of the applications, and `plan --merge` joins their data.
// The merged report is the same as the report of a single run.

/** A shard of a plan, as `plan --shard` writes it next to its own report. */
export interface PlanShard extends Shard {
  readonly compared: PlannedRange;
  readonly run: ShardRun;
  /** The versions of the programs that rendered it, if there are any. */
  readonly tools: Readonly<Partial<Record<Tool, string>>>;
  readonly data: PlanData;
}

/** The number of the shard, from 1, and of all shards. */
export interface Shard {
  readonly index: number;
  readonly count: number;
}

/** The data that must be the same in all shards of one plan. */
export interface ShardRun {
  /** The version of rollstamp. */
  readonly version: string;
  /** The compared commits. */
  readonly base: string;
  readonly head: string;
  /** The arguments of the plan: options, and paths from the root of the repository. */
  readonly options: readonly string[];
  /** A digest of the configuration, and of the environment variables that renderers read. */
  readonly configuration: string;
  /** A digest of the applications, in their order. */
  readonly applications: string;
}

type Tool = "kustomize" | "helm";

const MOST_SHARDS = 1000;

/** Reads `2/3`. */
export function shardFrom(text: string): Shard {
  const [, index = "", count = ""] = /^(\d{1,4})\/(\d{1,4})$/u.exec(text) ?? [];
  const shard = { index: Number(index), count: Number(count) };
  if (index !== "" && shard.index >= 1 && shard.index <= shard.count && shard.count <= MOST_SHARDS) return shard;
  throw new RollstampError("usage", `--shard ${text}: must be I/N, with N at most ${MOST_SHARDS}`, {
    remedy: "Write which shard of how many, such as 1/3, 2/3 and 3/3.",
  });
}

/** Whether a shard has the nth job. Shards take turns, because neighbors (overlays of one base) take similar times. */
export function isOfShard(nth: number, shard: Shard | undefined): boolean {
  return shard === undefined || nth % shard.count === shard.index - 1;
}

/** A shard for JSON: without rows that are only counted, and with a digest that detects changes of the file. */
export function sealedShard({ data, ...shard }: PlanShard): PlanShard & { readonly digest: string } {
  const parts = data.parts.map(({ part, ...ordered }) => {
    const listed = part?.rows.filter(({ isListed }) => isListed) ?? [];
    return {
      ...ordered,
      part: part && { ...part, rows: listed, unlisted: (part.unlisted ?? 0) + part.rows.length - listed.length },
    };
  });
  const sealed = { ...shard, data: { ...data, parts } };
  return { ...sealed, digest: digestOf(sealed) };
}

/** Of a shard as it is printed. */
function digestOf(shard: object): string {
  return createHash("sha256")
    .update(withoutPlaceholders(JSON.stringify(shard)), "utf8")
    .digest("hex");
}

export interface ReadShard {
  readonly file: string;
  readonly shard: PlanShard;
}

const REMEDY = "Give the files that 'rollstamp plan --git A..B --shard I/N -o json' has written, one for each I.";

/** Reads what `plan --shard -o json` has written. Throws a RollstampError for anything else. */
export function readShard(text: string, file: string): ReadShard {
  const wrong = (problem: string): RollstampError =>
    new RollstampError("input", problem, { place: { file }, remedy: REMEDY });
  let data: Json;
  try {
    data = JSON.parse(text);
  } catch {
    throw wrong("must be JSON");
  }
  if (!isMapping(data) || data["kind"] !== "RolloutPlan") throw wrong("must be a RolloutPlan");
  const { shard } = data;
  if (shard === undefined) throw wrong("must be a shard of a plan, but is a whole plan");
  if (!isSealed(shard)) throw wrong("was changed after rollstamp wrote it");
  if (shard.run.version !== VERSION)
    throw wrong(
      `the version of rollstamp must be that of this run: expected ${VERSION}, found ${formatToolOutput(shard.run.version)}`,
    );
  return { file, shard };
}

/** If the digest matches the content, the shard is unchanged since `sealedShard`. */
function isSealed(shard: unknown): shard is PlanShard {
  if (typeof shard !== "object" || shard === null || !("digest" in shard)) return false;
  const { digest, ...rest } = shard;
  return digest === digestOf(rest);
}

/** The whole plan of several shards. */
export interface MergedShards {
  readonly compared: PlannedRange;
  readonly data: PlanData;
}

/** The data of all shards. Throws a RollstampError if one is missing, duplicated, or from another plan. */
export function mergeShards(shards: readonly ReadShard[]): MergedShards {
  const ordered = shards.toSorted((a, b) => a.shard.index - b.shard.index);
  const { compared } = refuseOtherPlans(shards);
  refuseOtherTools(shards);
  refuseMissing(ordered);
  return { compared, data: mergedData(ordered.map(({ shard }) => shard.data)) };
}

/** The fields that must be equal in all shards, and the error if they are not. */
const SAME: readonly {
  readonly value: (shard: PlanShard) => string;
  readonly what: string;
  readonly isShown: boolean;
}[] = [
  { value: ({ count }) => String(count), what: "the number of shards", isShown: true },
  { value: ({ run }) => `${run.base}..${run.head}`, what: "the compared commits", isShown: true },
  { value: ({ run }) => run.options.join(" "), what: "the options", isShown: true },
  { value: ({ run }) => run.configuration, what: "the configuration", isShown: false },
  { value: ({ run }) => run.applications, what: "the applications", isShown: false },
];

function refuseOtherPlans([first, ...others]: readonly ReadShard[]): PlanShard {
  if (first === undefined) throw new RollstampError("usage", "--merge needs the shards of a plan", { remedy: REMEDY });
  for (const { file, shard } of others) {
    for (const { value, what, isShown } of SAME) {
      const [expected, found] = [value(first.shard), value(shard)];
      if (expected === found) continue;
      throw new RollstampError(
        "input",
        `${what} must be the same as in ${first.file}${isShown ? `: expected '${formatToolOutput(expected)}', found '${formatToolOutput(found)}'` : ""}`,
        { place: { file }, remedy: REMEDY },
      );
    }
  }
  return first.shard;
}

/** Another version may render the same input differently, which would look like a change. */
function refuseOtherTools(shards: readonly ReadShard[]): void {
  for (const tool of ["kustomize", "helm"] as const) {
    const [first, ...others] = shards.flatMap(({ file, shard: { tools } }) => {
      const version = tools[tool];
      return version === undefined ? [] : [{ file, version }];
    });
    const other = others.find(({ version }) => version !== first?.version);
    if (first === undefined || other === undefined) continue;
    throw new RollstampError(
      "input",
      `${tool} must have the same version as in ${first.file}: expected ${formatToolOutput(first.version)}, found ${formatToolOutput(other.version)}`,
      {
        place: { file: other.file },
        remedy: `Make all shards with one version of ${tool}: versions render differently.`,
      },
    );
  }
}

const MOST_NAMED = 10;

function refuseMissing(ordered: readonly ReadShard[]): void {
  const files = new Map<number, string>();
  for (const { file, shard } of ordered) {
    const { index, count } = shard;
    const known = files.get(index);
    files.set(index, file);
    if (known === undefined) continue;
    throw new RollstampError("input", `shard ${index}/${count} is in ${known} too`, {
      place: { file },
      remedy: REMEDY,
    });
  }
  const count = ordered[0]?.shard.count ?? 0;
  const missing = Array.from({ length: count }, (_, i) => i + 1).filter((index) => !files.has(index));
  if (missing.length === 0) return;
  const named = missing.slice(0, MOST_NAMED).map((index) => `${index}/${count}`);
  throw new RollstampError(
    "input",
    `missing shards: ${named.join(", ")}${missing.length > MOST_NAMED ? " and more" : ""}`,
    { remedy: REMEDY },
  );
}
