import { validateRolloutPlan } from "../../stamping/function/validators.js";
import type { Examined } from "../../findings/not-examined/not-examined.ts";
import { formatToolOutput } from "../../base/names.ts";
import { RollstampError } from "../../base/errors.ts";
import { counted } from "../../base/words.ts";
import { eachOnce, examinedWith, failedFirst, renderedOf } from "./applications-examined.ts";
import { joinParts } from "./join-parts.ts";
import type { Limits } from "./limits.ts";
import { worstFirst } from "./plan-findings.ts";
import type { PlanReport, PlanShard, ShardPart, ShardRun } from "./plan-report.ts";
import { partOfShard } from "./shards.ts";
import { verdictOf } from "./verdict.ts";

/** A part of a plan, and the file that it was read from. */
export interface ReadShard {
  readonly file: string;
  readonly report: PlanReport & { readonly shard: PlanShard };
}

const REMEDY = "Give what each 'rollstamp plan --git A..B --shard I/N -o json' of one plan has written.";

/** Reads what `plan --shard -o json` has written. Throws a RollstampError for what is no such part. */
export function readShard(text: string, file: string): ReadShard {
  const wrong = (problem: string): RollstampError =>
    new RollstampError("input", problem, { place: { file }, remedy: REMEDY });
  let data: unknown;
  try {
    data = JSON.parse(text);
  } catch {
    throw wrong("this is no JSON");
  }
  if (!isPlan(data)) {
    const [problem] = validateRolloutPlan.errors ?? [];
    const at = problem === undefined || problem.instancePath === "" ? "" : ` (${problem.instancePath})`;
    throw wrong(`this is no RolloutPlan as this version writes it${at}`);
  }
  const { shard } = data;
  if (shard === undefined) throw wrong("this is a whole plan, no part of one");
  if (!isConsistent(data, shard)) throw wrong("what it says of its parts doesn't fit what stands in it");
  return { file, report: { ...data, shard } };
}

function isPlan(data: unknown): data is PlanReport {
  return validateRolloutPlan(data);
}

/** Every row of a part is there, and belongs to one thing alone. */
function isConsistent(report: PlanReport, { index, count, applications, parts }: PlanShard): boolean {
  const isWithin = (length: number, places: readonly number[]): boolean =>
    places.every((place) => place < length) && new Set(places).size === places.length;
  const all = (of: (part: ShardPart) => readonly number[]): readonly number[] => parts.flatMap(of);
  const workloads = all((part) => part.workloads);
  return (
    index <= count &&
    applications.length === (report.applications ?? []).length &&
    workloads.length === report.workloads.length &&
    isWithin(report.workloads.length, workloads) &&
    isWithin(
      report.findings.length,
      all((part) => [...part.refused, ...part.mass, ...part.others]),
    ) &&
    isWithin(
      report.notExamined.length,
      all((part) => part.notExamined),
    )
  );
}

/**
 * One report of all parts: the one that a single run would have made. Throws a RollstampError where a part is missing, is
 * given twice, or is of another plan.
 */
export function mergedReport(shards: readonly ReadShard[], limits: Limits): PlanReport {
  refuseOthers(shards);
  const ordered = shards.toSorted((a, b) => a.report.shard.index - b.report.shard.index).map(({ report }) => report);
  const parts = ordered
    .flatMap((report) => report.shard.parts.map((part) => ({ report, part })))
    .toSorted((a, b) => a.part.order - b.part.order);
  const placed = ordered
    .flatMap(({ applications = [], shard }) =>
      applications.map((application, i) => ({ application, place: shard.applications[i] ?? 0 })),
    )
    .toSorted((a, b) => a.place - b.place);
  const applications = failedFirst(placed, ({ application }) => application).map(({ application }) => application);
  const joined = joinParts(
    parts.map(({ report, part }) => partOfShard(report, part)),
    limits,
  );
  const plan = { ...joined, applications };
  const report = {
    ...plan,
    findings: worstFirst([
      ...ordered.flatMap((one) =>
        untold(one.findings, one.shard, ({ refused, mass, others }) => [refused, mass, others]),
      ),
      ...plan.findings,
    ]),
    examined: examinedWith(plainOf(ordered), applications, plan.summary),
    notExamined: eachOnce([
      ...parts.flatMap(({ report: { notExamined }, part }) => part.notExamined.flatMap((i) => notExamined[i] ?? [])),
      ...ordered.flatMap((one) => untold(one.notExamined, one.shard, ({ notExamined }) => [notExamined])),
    ]),
  };
  return { ...report, verdict: verdictOf(report) };
}

/** What stands in a list and came of no part. */
function untold<T>(
  list: readonly T[],
  { parts }: PlanShard,
  of: (part: ShardPart) => readonly (readonly number[])[],
): T[] {
  const told = new Set(parts.flatMap((part) => of(part).flat()));
  return list.filter((_, i) => !told.has(i));
}

/** What was looked at of plain manifests, by all parts. */
function plainOf(reports: readonly PlanReport[]): Examined {
  const sum = (of: (report: PlanReport) => number): number => reports.reduce((all, report) => all + of(report), 0);
  return {
    files: sum(({ examined, applications = [] }) => examined.files - renderedOf(applications)),
    objects: sum(({ examined }) => examined.objects),
    workloads: 0,
    otherFiles: sum(({ examined }) => examined.otherFiles),
  };
}

/** What has to be the same in all parts, as it is told where it is not. */
const SAME: readonly { readonly of: (run: ShardRun) => string; readonly words: string; readonly isShown: boolean }[] = [
  { of: ({ version }) => version, words: "made by another version of rollstamp", isShown: true },
  { of: ({ base, head }) => `${base}..${head}`, words: "of other revisions", isShown: true },
  { of: ({ options }) => options.join(" "), words: "made with other options", isShown: true },
  { of: ({ configuration }) => configuration, words: "made with another configuration", isShown: false },
  { of: ({ applications }) => applications, words: "of other applications", isShown: false },
];

function refuseOthers(shards: readonly ReadShard[]): void {
  const [first, ...more] = shards;
  if (first === undefined) throw new RollstampError("usage", "--merge needs the parts of a plan", { remedy: REMEDY });
  const { count, run } = first.report.shard;
  const known = new Map([[first.report.shard.index, first.file]]);
  const wrong = (file: string, problem: string): RollstampError =>
    new RollstampError("input", problem, { place: { file }, remedy: REMEDY });
  for (const { file, report } of more) {
    const { shard } = report;
    if (shard.count !== count)
      throw wrong(file, `this is one of ${counted(shard.count, "part")}, and ${first.file} one of ${count}`);
    for (const { of, words, isShown } of SAME) {
      const [own, other] = [of(shard.run), of(run)];
      if (own !== other)
        throw wrong(file, `this part is ${words} than ${first.file}${isShown ? `: ${own}, not ${other}` : ""}`);
    }
    const twice = known.get(shard.index);
    if (twice !== undefined) throw wrong(file, `part ${shard.index} of ${count} stands in ${twice} too`);
    known.set(shard.index, file);
  }
  refuseOtherTools(shards);
  const missing = Array.from({ length: count }, (_, i) => i + 1).filter((index) => !known.has(index));
  if (missing.length === 0) return;
  throw new RollstampError(
    "input",
    `${missing.length === 1 ? "a part is" : `${missing.length} parts are`} missing: ${missing
      .slice(0, MOST_NAMED)
      .map((index) => `${index}/${count}`)
      .join(", ")}${missing.length > MOST_NAMED ? " and more" : ""}`,
    { remedy: REMEDY },
  );
}

/** Other versions render the same to something else, which would look like a change. */
function refuseOtherTools(shards: readonly ReadShard[]): void {
  for (const tool of ["kustomize", "helm"] as const) {
    const [first, ...more] = shards.flatMap(({ file, report: { shard } }) => {
      const version = shard.tools[tool];
      return version === undefined ? [] : [{ file, version }];
    });
    const other = more.find(({ version }) => version !== first?.version);
    if (first === undefined || other === undefined) continue;
    throw new RollstampError(
      "input",
      `this part was rendered by ${tool} ${formatToolOutput(other.version)}, and ${first.file} by ${formatToolOutput(first.version)}`,
      { place: { file: other.file }, remedy: `Make the parts with one version of ${tool}: others render otherwise.` },
    );
  }
}

const MOST_NAMED = 10;
