import { join, posix } from "node:path";
import type { Account } from "../../findings/not-examined/not-examined.ts";
import type { Finding } from "../../findings/catalogue/finding.ts";
import { counted } from "../../base/words.ts";
import { groupOf, objectKey } from "../../base/identity.ts";
import { reasonOf, type NotFound } from "../discover/not-found.ts";
import { isEngineItem } from "../discover/objects.ts";
import { isInFolder } from "../discover/paths.ts";
import { nearestRoot } from "../discover/repeats.ts";
import type { Snapshot } from "../../platform/ports/snapshot.ts";
import { reportedFound } from "../../reports/plan/plan-findings.ts";
import type { PlanFinding } from "../../reports/plan/planned-workload.ts";
import type { PlannedApplication } from "../../reports/plan/planned-application.ts";
import { notAppliedPart } from "../../reports/plan/not-applied.ts";
import { namedPart, type PlannedIdentity, type PlanPart } from "../../reports/plan/parts.ts";
import { planPart } from "../../reports/plan/plan.ts";
import type { AppPairs } from "./application-pairs.ts";
import type { AppPair } from "./pairs.ts";
import type { Comparing } from "./compared.ts";
import { failedIn, plannedOf } from "./planned-of.ts";
import { snapshotFiles } from "../inputs/snapshot-files.ts";
import { withProtected } from "./deployed-parts.ts";
import { isPlain, PLAIN_KINDS } from "./not-rendered.ts";
import type { PackageOf } from "./kept-objects.ts";
import { pairsOf } from "./plan-pairs.ts";
import { isStampedOnTheWay } from "./stamped-sides.ts";
import { joinSides, readSide, type PlanSide, type PlanSides, type SideReader } from "./plan-sides.ts";

// Manifests that are applied as they are committed. They are read together, because parts also see the objects of other parts.

export interface PlainCompared {
  readonly applications: readonly PlannedApplication[];
  readonly part: PlanPart | undefined;
  readonly inputs: Pick<PlanSides, "account" | "others">;
  readonly findings: readonly PlanFinding[];
}

const NOTHING: Account = { examined: { files: 0, objects: 0, workloads: 0, otherFiles: 0 }, notExamined: [] };

export const NO_PLAIN: PlainCompared = {
  applications: [],
  part: undefined,
  inputs: { account: NOTHING, others: [] },
  findings: [],
};

/**
 * Whether an application is compared together with other plain manifests. What a function or plugin stamps on its way is
 * compared separately, with the configuration for its folder.
 */
export function isComparedAsPlain({ application, base, head }: AppPair): boolean {
  const side = head ?? base;
  const isMade = [base, head].some((one) => one !== undefined && !isPlain(one.application));
  return !isMade && isPlain(application) && !(side !== undefined && isStampedOnTheWay(side));
}

/** Compares the plain manifests of both revisions. Undefined if some can't be read; the errors have been printed. */
export async function comparePlain(
  comparing: Comparing,
  reader: SideReader,
  { pairs, notFound, isOrphan, isTouched }: AppPairs,
): Promise<PlainCompared | undefined> {
  const { revisions, spec, hmacKey, as, planOptions } = comparing;
  const plain = pairs.filter(isComparedAsPlain);
  const isAffected =
    plain.some((pair) => pair.isAffected) ||
    unreadIds(revisions.base, notFound.base) !== unreadIds(revisions.head, notFound.head);
  if (!isAffected) {
    return {
      ...NO_PLAIN,
      applications: plain.map((pair) => ({ ...plannedOf(pair), status: "NotAffected" })),
    };
  }
  const read = async (side: "base" | "head"): Promise<PlanSide | undefined> => {
    const snapshot = revisions[side];
    const files = plain.flatMap((pair) => filesOf(pair[side]));
    const unread = notFound[side].filter(({ kind }) => PLAIN_KINDS.has(kind));
    const shown = (path: string): string => `${snapshot.name}:${posix.relative(revisions.prefix, path)}`;
    const wanted = { paths: new Set([...files, ...unread.map(({ path }) => path)]), shown, real: shown };
    const io = { ...reader.io, files: { ...reader.io.files, ...snapshotFiles(snapshot, wanted) } };
    const inSide = (path: string): string => path.slice(snapshot.name.length + 1);
    return readSide({ ...reader, io }, ["."], { inSide, shown: inSide });
  };
  const before = await read("base");
  const after = await read("head");
  if (before === undefined || after === undefined) return undefined;
  const inputs = joinSides(before, after);
  const pathIn = (path: string): string => (revisions.prefix === "" ? path : join(revisions.prefix, path));
  const { pairs: parts, ...found } = pairsOf(inputs, "auto", {
    spec,
    hmacKey,
    as,
    packageOf: packageOf(plain, pathIn),
  });
  const { findings, before: known } = reportedFound(found, planOptions.all);
  const named = withApplications(planPart(parts, planOptions), plain, inputs, {
    pathIn,
    defaultNamespace: spec.defaultNamespace,
    roots: new Set(parts.flatMap(({ part: root }) => root ?? [])),
  });
  const unread = {
    base: unreadIn(before, inputs.unread.base, pathIn),
    head: unreadIn(after, inputs.unread.head, pathIn),
  };
  const problems = unreadBefore(plain, unread, revisions.head);
  const part = withoutOrphans(withProtected(named, parts), plain);
  const changing = new Set(
    part.rows.filter(({ planned }) => planned.action !== "None").map(({ planned }) => planned.application),
  );
  const isOrphaned = plain.every(({ orphan }) => orphan === true);
  const deployed = unread.head.filter(({ path }) => !isOrphan(path));
  const unchanged = deployed.filter(({ path }) => !isTouched(path));
  const errors = reportedFound(
    { findings: findingsOf(deployed.filter(({ path }) => isTouched(path))), before: findingsOf(unchanged) },
    // An audit names what it could not compare.
    planOptions.all || planOptions.isAudit === true,
  );
  const applications = plain.map((pair): PlannedApplication => {
    const problem = problems.get(pair);
    if (problem !== undefined)
      return { ...plannedOf(pair), ...failedIn(revisions.base, { message: problem }), baseFailed: true };
    const isChanged = pair.isAffected || changing.has(pair.application.name);
    return { ...plannedOf(pair), status: isChanged ? "Changed" : "NotAffected" };
  });
  const isAnyCompared = applications.some(({ status }) => status === "Changed");
  const idle = new Set(
    applications.flatMap(({ name, status }) => (isAnyCompared && status === "NotAffected" ? [name] : [])),
  );
  return {
    applications,
    part: structuredClone({
      ...part,
      // Those of the others were only read.
      rows: part.rows.filter(({ planned: { application } }) => application === undefined || !idle.has(application)),
      findingsBefore: part.findingsBefore + errors.before + (isOrphaned ? 0 : known),
    }),
    inputs,
    findings: [
      ...errors.findings,
      ...(isOrphaned
        ? findings.map((finding) => Object.assign({}, finding, { isNotApplied: true as const }))
        : findings),
    ],
  };
}

/** A file that can't be read, with its path in the repository. */
interface UnreadManifest {
  readonly path: string;
  readonly finding: Finding<"unreadable-manifest">;
}

function unreadIn(
  { inSide }: PlanSide,
  findings: PlanSide["read"]["findings"],
  pathIn: (path: string) => string,
): readonly UnreadManifest[] {
  return findings.flatMap((finding) =>
    finding.place === undefined ? [] : [{ path: pathIn(inSide(finding.place.file)), finding }],
  );
}

function findingsOf(files: readonly UnreadManifest[]): readonly Finding[] {
  return files.map(({ finding }) => finding);
}

/** The applications with files that only the base can't read, and why: what the change does to their objects is unknown. */
function unreadBefore(
  plain: readonly AppPair[],
  { base, head }: Readonly<Record<"base" | "head", readonly UnreadManifest[]>>,
  { entries }: Snapshot,
): ReadonlyMap<AppPair, string> {
  const still = new Set(head.map(({ path }) => path));
  const files = new Map(plain.flatMap((pair) => filesOf(pair.head).map((path) => [path, pair] as const)));
  const problems = new Map<AppPair, string[]>();
  for (const { path, finding } of base) {
    if (still.has(path)) continue;
    const pair =
      files.get(path) ?? (entries.has(path) ? undefined : plain.find((one) => isInFolder(one.application.path, path)));
    const reason = reasonOf({ message: finding.params.problem, place: finding.place });
    if (pair !== undefined) problems.set(pair, [...(problems.get(pair) ?? []), `${path}: ${reason}`]);
  }
  return new Map(
    [...problems].map(([pair, [first = "", ...more]]) => [
      pair,
      more.length === 0 ? first : `${first} (and ${counted(more.length, "more file")})`,
    ]),
  );
}

/** The part with the changes of orphans counted nowhere. */
function withoutOrphans(part: PlanPart, plain: readonly AppPair[]): PlanPart {
  const orphans = new Set(plain.flatMap(({ application, orphan }) => (orphan === true ? application.name : [])));
  if (orphans.size === 0) return part;
  const isWhole = orphans.size === plain.length;
  return notAppliedPart(
    part,
    (name) => ((name === undefined ? isWhole : orphans.has(name)) ? { orphan: true } : undefined),
    // Someone applies what leads to other applications.
    ({ apiVersion }) => isEngineItem({ group: groupOf(apiVersion) }),
  );
}

/** Identifies the files that may contain manifests but can't be read. */
function unreadIds({ entries }: Snapshot, notFound: readonly NotFound[]): string {
  return JSON.stringify(
    notFound
      .filter(({ isFailure, kind }) => isFailure && PLAIN_KINDS.has(kind))
      .map(({ path }) => [path, entries.get(path)?.id]),
  );
}

/** Finds the package with a Kptfile that a file belongs to. */
function packageOf(plain: readonly AppPair[], pathIn: (path: string) => string): PackageOf {
  const packages = new Map(
    plain.flatMap(({ base, head }) =>
      [base, head].flatMap((side) =>
        side?.application.kind === "Kpt" ? filesOf(side).map((path) => [path, side.application.path] as const) : [],
      ),
    ),
  );
  return (path) => packages.get(pathIn(path));
}

/** Adds the application that each workload belongs to: the one with the file that the workload is in. */
function withApplications(
  part: PlanPart,
  plain: readonly AppPair[],
  { base, head }: Pick<PlanSides, "base" | "head">,
  {
    pathIn,
    defaultNamespace,
    roots,
  }: {
    readonly pathIn: (path: string) => string;
    readonly defaultNamespace: string;
    readonly roots: ReadonlySet<string>;
  },
): PlanPart {
  const [only, ...others] = plain;
  if (others.length === 0) return namedPart(part, () => only?.application.name, only?.application.name);
  const owners = new Map(
    plain.flatMap(({ application: { name }, base: before, head: after }) =>
      [before, after].flatMap((side) => filesOf(side).map((path) => [path, name] as const)),
    ),
  );
  const names = new Map<string, string | undefined>();
  const keyOf = (object: Parameters<typeof objectKey>[0], root: string): string =>
    `${root}\n${objectKey(object, object.namespace || defaultNamespace)}`;
  for (const { path, file } of [...base, ...head]) {
    const name = owners.get(pathIn(path));
    for (const item of file.manifests.items) names.set(keyOf(item, nearestRoot(path, roots)), name);
  }
  const nameOf = (planned: PlannedIdentity): string | undefined => names.get(keyOf(planned, planned.part ?? ""));
  return namedPart(part, nameOf, undefined);
}

function filesOf(side: AppPair["base"]): readonly string[] {
  const render = side?.application.render;
  return render !== undefined && "files" in render ? render.files : [];
}
