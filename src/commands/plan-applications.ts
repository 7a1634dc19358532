import type { ConfigHashSpec } from "../config/config-hash.ts";
import type { Account, NotExamined } from "../examined/not-examined.ts";
import { RollstampError } from "../ground/errors.ts";
import type { Finding } from "../findings/finding.ts";
import type { Io } from "../io/io.ts";
import type { RenderCache } from "../io/render-cache.ts";
import type { Revision, Revisions } from "../io/revisions.ts";
import { joinParts, type PlanPart } from "../plan/join-parts.ts";
import type { PlanOptions } from "../plan/plan.ts";
import type { ApplicationStatus, PlannedApplication, RolloutPlan } from "../plan/plan-report.ts";
import { applicationPairs, givenPath, type AppPairs } from "./application-pairs.ts";
import { compareRenderings, plannedOf, type Comparing } from "./application-renderings.ts";
import { comparePlain, isPlain, type PlainCompared } from "./plain-applications.ts";
import { IF_MEANT, type PlanInputOptions, type PlanInputs, type SideReader } from "./plan-side-reader.ts";
import { tellDirty } from "./plan-revisions.ts";
import { waitingFor } from "./progress.ts";
import { renderedAmong } from "./rendered-among.ts";
import { gitEnvironment, parseRange } from "./revision-range.ts";

/** What a plan over applications is asked for. */
export interface ApplicationOptions extends PlanInputOptions {
  readonly app?: readonly string[];
  readonly allApps?: boolean;
  readonly jobs?: number;
}

export interface ApplicationsGiven {
  readonly spec: ConfigHashSpec;
  readonly hmacKey: Uint8Array | undefined;
  readonly planOptions: PlanOptions;
  readonly reader: Omit<SideReader, "nameOf">;
  readonly cache: RenderCache | undefined;
}

/** A plan over the applications of a repository, with what was met. */
export interface ApplicationsPlan {
  readonly plan: RolloutPlan;
  readonly inputs: Pick<PlanInputs, "account" | "findings" | "nameOf" | "others">;
  readonly findings: readonly Finding[];
}

/**
 * Plans over the applications of two revisions; undefined where a path is a file, which is compared as it stands, or where
 * manifests can't be read, which is told.
 */
export async function planApplications(
  io: Io,
  given: readonly string[],
  options: ApplicationOptions & { readonly git: string },
  { spec, hmacKey, planOptions, reader, cache }: ApplicationsGiven,
): Promise<ApplicationsPlan | "files" | "unread"> {
  const place = { cwd: io.files.here(), environment: gitEnvironment(io.environment), limits: io.context.limits };
  return io.git.withRevisions(parseRange(options.git), place, async (revisions) => {
    const paths = (given.length === 0 ? ["."] : given).map((path) => givenPath(revisions.prefix, path));
    if (paths.some((path) => isFile(revisions, path))) return "files";
    tellDirty(io, revisions);
    for (const revision of [revisions.base, revisions.head]) refuseMissing(revision, paths, given, options);
    const found = await looking(io, revisions, paths, options);
    refuseEmptySide(found, revisions, options);
    const rendered = found.pairs.filter((pair) => !isPlain(pair));
    const toRender = rendered.filter((pair) => pair.isAffected || options.allApps === true);
    const comparing: Comparing = {
      io,
      revisions,
      cache,
      jobs: options.jobs ?? io.processors(),
      spec,
      hmacKey,
      planOptions: { ...planOptions, isRendered: renderedAmong(toRender) },
    };
    const plain = await comparePlain(comparing, reader, found, given.length === 0 ? ["."] : given);
    if (plain === undefined) return "unread";
    const compared = await compareRenderings(comparing, toRender);
    const applications = worstFirst([
      ...plain.applications,
      ...compared.map(({ application }) => application),
      ...rendered
        .filter((pair) => !toRender.includes(pair))
        .map(({ application, base, head }): PlannedApplication => ({
          ...plannedOf(application, base, head),
          status: "NotAffected",
        })),
      ...newlyNotFound(found),
    ]);
    const parts: PlanPart[] = [plain.part, ...compared.map(({ part }) => part)].filter((part) => part !== undefined);
    const plan = { ...joinParts(parts, planOptions), applications };
    const notExamined = notExaminedOf(found, [
      ...plain.inputs.account.notExamined,
      ...compared.flatMap((one) => one.notExamined),
    ]);
    return {
      plan,
      inputs: { ...plain.inputs, account: accountOf(plain, plan, notExamined) },
      findings: plain.findings,
    };
  });
}

function isFile({ base, head }: Revisions, path: string): boolean {
  return [base, head].some(({ entries }) => {
    const is = entries.get(path)?.is;
    return is === "file" || is === "link";
  });
}

function refuseMissing(
  { revision, entries }: Revision,
  paths: readonly string[],
  given: readonly string[],
  { allowEmpty }: PlanInputOptions,
): void {
  const at = paths.findIndex((path) => path !== "." && !entries.has(path));
  if (allowEmpty === true || at < 0) return;
  throw new RollstampError("input", `${given[at] ?? "the current folder"} is not in ${revision}`, { remedy: IF_MEANT });
}

async function looking(
  io: Io,
  revisions: Revisions,
  paths: readonly string[],
  { app = [] }: ApplicationOptions,
): Promise<AppPairs> {
  const waiting = waitingFor(io, "looking for applications");
  const mayFetch = io.environment["ROLLSTAMP_ALLOW_REMOTE_BASES"] === "true";
  return applicationPairs(io, revisions, { paths, names: app }, mayFetch).finally(waiting.end);
}

/** A side without anything: everything would count as created or deleted. */
function refuseEmptySide(
  { pairs, notFound }: AppPairs,
  revisions: Revisions,
  { allowEmpty }: ApplicationOptions,
): void {
  if (allowEmpty === true) return;
  const empty = (["head", "base"] as const).filter((side) => pairs.every((pair) => pair[side] === undefined));
  const [side] = empty;
  if (side === undefined || (empty.length === 2 && notFound.head.length > 0)) return;
  throw new RollstampError("input", `there are no Kubernetes manifests in ${revisions[side].revision}`, {
    remedy: IF_MEANT,
  });
}

const RANK: Readonly<Record<ApplicationStatus, number>> = { Failed: 0, Changed: 1, Unchanged: 2, NotAffected: 3 };

function worstFirst(applications: readonly PlannedApplication[]): PlannedApplication[] {
  return applications.toSorted((a, b) => RANK[a.status] - RANK[b.status]);
}

/** What the head makes no application of and the base did, or has not: it failed. */
function newlyNotFound({ notFound }: AppPairs): PlannedApplication[] {
  const before = new Set(notFound.base.map(({ path, kind, reason }) => `${kind}\n${path}\n${reason}`));
  return notFound.head
    .filter((row) => row.isFailure && !PLAIN_KINDS.has(row.kind))
    .filter(({ path, kind, reason }) => !before.has(`${kind}\n${path}\n${reason}`))
    .map(({ path, kind, reason, name }) => ({
      name: name ?? path,
      path,
      kind: kind === "Chart" || kind === "HelmRelease" ? "Helm" : "Kustomize",
      status: "Failed",
      message: reason,
    }));
}

/** What the reading of plain manifests tells itself. */
const PLAIN_KINDS: ReadonlySet<string> = new Set(["Manifest", "Template", "Unreadable", "TooLarge", "Encoding"]);

/** What was not looked at in either revision, each once. */
function notExaminedOf({ notFound }: AppPairs, others: readonly NotExamined[]): NotExamined[] {
  const rows = [...notFound.head, ...notFound.base].map(({ path, kind, reason, name, builtFrom }): NotExamined => ({
    path,
    kind,
    reason,
    ...(name === undefined ? {} : { name }),
    ...(builtFrom === undefined ? {} : { builtFrom }),
  }));
  const known = new Set<string>();
  return [...others, ...rows].filter(({ kind, path, name = "" }) => {
    const key = `${kind}\n${path}\n${name}`;
    return !known.has(key) && known.add(key) !== undefined;
  });
}

function accountOf(
  { inputs }: PlainCompared,
  { summary, applications }: RolloutPlan,
  notExamined: readonly NotExamined[],
): Account {
  const { examined } = inputs.account;
  const isPlainKind = ({ kind }: PlannedApplication): boolean => kind === "Files" || kind === "Kpt";
  const all = (applications ?? []).filter(({ status }) => status !== "Failed");
  const rendered = all.filter((one) => !isPlainKind(one) && one.status !== "NotAffected");
  // Plain manifests that were read count by their workloads.
  const known = all.filter((one) => !isPlainKind(one) || examined.files === 0);
  return {
    examined: {
      ...examined,
      files: examined.files + rendered.length,
      workloads: summary.workloads,
      applications: known.length,
    },
    notExamined,
  };
}
