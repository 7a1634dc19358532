import type { Application } from "../discover/application.ts";
import type { NotFound } from "../discover/not-found.ts";
import { saysGitOps } from "../discover/objects.ts";
import { folderOf, inPathOrder, isIn } from "../discover/paths.ts";
import type { Known } from "../discover/repository.ts";
import { hasLeading, orphanedIn } from "../discover/orphans.ts";
import { inBoth } from "../discover/same-applications.ts";
import { revisionsMoved } from "../discover/source-revisions.ts";
import { freeName } from "../discover/unique-names.ts";
import { compareBytes } from "../../base/digest/hash-v1.ts";
import { quietly } from "../../base/errors.ts";
import { formatList } from "../../base/names.ts";
import type { Finding } from "../../findings/catalogue/finding.ts";
import { printable } from "../../findings/results/terminal.ts";
import type { Revisions, Snapshot } from "../../platform/ports/snapshot.ts";
import type { UnreadFile } from "../../reports/plan/plan-report.ts";
import type { StampedBy } from "../../reports/plan/planned-application.ts";
import { writtenApplications } from "../discover/written.ts";
import type { Prediction } from "../render/predict-build.ts";
import { secretsInFiles } from "../render/secrets-in-files.ts";
import type { AppSide } from "../render/shown-data.ts";
import { heldByChartVersion } from "./chart-versions.ts";
import { changesInObject, deploymentsOf, isResumed, ledByResumed, type Deployment } from "./deployment.ts";
import type { Engine } from "./rendering.ts";
import type { Predictions, ShownApplications } from "./shown-applications.ts";
import { isStampedOnTheWay, stampedSides, type StampedSide } from "./stamped-sides.ts";
import { configsOf, type ConfigAt } from "./revision-config.ts";
import { notPermitted } from "./not-permitted.ts";
import { projectsIn, type Project } from "./projects.ts";
import { missingSources } from "./missing-sources.ts";
import { replacedRelease } from "./replaced-releases.ts";
import { replacedObject, type ReplacedObject } from "./renamed-applications.ts";
import { rendersMore } from "./renders-more.ts";
import { readsFile } from "./showing-files.ts";
import { surveyOf, type KeptSurveys } from "./survey.ts";
import { withTakenFiles } from "./taken-files.ts";
import { filesOfUnexpandedSets, unreadFiles } from "./unread-files.ts";
import { unresolvedRow } from "./unresolved.ts";
import { type Picked, refuseUnknownNames, partsOf, pickedBy, type Both } from "./picked.ts";

/** An application of two revisions: at least one of them has it. */
export interface AppPair extends Deployment {
  readonly application: Application;
  readonly base: StampedSide | undefined;
  readonly head: StampedSide | undefined;
  /** Whether what it is rendered from differs, or may differ. */
  readonly isAffected: boolean;
  /** For `held: ChartVersion`: the head with the chart of the base, if the release changes too. */
  readonly applied?: StampedSide;
  /**
   * Why the revision without the application may have it: its kustomization or Chart.yaml cannot be read there, or its
   * object is there, and the repository does not show what it applies.
   */
  readonly unreadable?: NotFound;
  /** Why the object that defines it is deleted with what it applied, and created again. */
  readonly replacedObject?: ReplacedObject;
  /** The AppProjects of Argo CD that it is in, if the head has any. */
  readonly projects?: Readonly<Record<"base" | "head", readonly Project[]>>;
  /** The commit of the base, if it is the one that Flux applied before the application was suspended. */
  readonly appliedCommit?: string;
}

export interface AppPairs {
  readonly pairs: readonly AppPair[];
  /**
   * All pairs again, after rendering every application that may show others, or those of some names. For applications that are
   * not affected, this can find more than their files tell.
   */
  readonly findMore: (names?: ReadonlySet<string>) => Promise<readonly AppPair[]>;
  /** What the files of an application of the head say that it builds; undefined if only a rendering shows that. */
  readonly predict: (side: AppSide) => Prediction | undefined;
  /** Paths of each revision that can't be made an application. */
  readonly notFound: { readonly base: readonly NotFound[]; readonly head: readonly NotFound[] };
  /** Whether nothing deploys what is at a path of the head. */
  readonly isOrphan: (path: string) => boolean;
  /** Whether the user asked for a name. */
  readonly isPickedName: (name: string) => boolean;
  /** Whether a file or folder differs between the revisions. */
  readonly isTouched: (path: string) => boolean;
  /** The texts of the Secrets in the files of both revisions. */
  readonly secrets: () => readonly string[];
  /** The applications of another revision. */
  readonly sidesIn: (snapshot: Snapshot) => Promise<readonly StampedSide[]>;
  /** The changed files that nothing reads; none if the user asked for names. */
  readonly unread: () => readonly UnreadFile[];
  /** Missing sources that something uses, files of what does not expand; none if the user asked for names. */
  readonly unrendered: () => readonly Finding<"RS024">[];
}

interface Pairing {
  /** Remote bases are fetched, and may have changed. */
  readonly mayFetch: boolean;
  /** What is known of the repository in addition to its files. */
  readonly known: Known;
  /** Render every application that may show others. */
  readonly isWhole: boolean;
  /** How all applications are stamped, if the user says so. */
  readonly stampedBy?: StampedBy | undefined;
  /** The surveys of a history that the revisions are in. */
  readonly kept?: KeptSurveys | undefined;
}

/** Finds the applications of two revisions, and pairs them. */
export async function applicationPairs(
  engine: Engine,
  revisions: Revisions,
  picked: Picked,
  { mayFetch, known, isWhole, stampedBy, kept }: Pairing,
): Promise<AppPairs> {
  const isUnknown = ({ before, after }: Both): boolean =>
    mayFetch && (before?.closure.isRemote === true || after?.closure.isRemote === true);
  const isAffected = (both: Both): boolean =>
    isUnknown(both) ||
    both.before?.key !== both.after?.key ||
    isResumed(both.before?.application, both.after?.application) ||
    replacedRelease(both.before?.application, both.after?.application) !== undefined ||
    revisionsMoved(both.before?.application, both.after?.application) !== undefined;
  const folders = { base: isFolderOf(revisions.base), head: isFolderOf(revisions.head) };
  const shared = { known, shown: kept?.shown ?? new Map(), kept };
  const { base: baseFiles, head: headFiles } = revisions;
  const surveys = {
    base: surveyOf(engine, baseFiles, { ...shared, known: { ...known, other: headFiles } }),
    head: surveyOf(engine, headFiles, { ...shared, known: { ...known, other: baseFiles } }),
  };
  const find = async (predictions: Predictions | undefined): Promise<Found> => {
    for (;;) {
      const base = await surveys.base.find(predictions);
      const head = await surveys.head.find(predictions);
      if (predictions === undefined || !rendersMore(base, head, { predictions, isAffected, folders }))
        return { base, head };
    }
  };
  const isPicked = pickedBy(picked);
  const configs = { base: configsOf(engine.io, revisions.base), head: configsOf(engine.io, revisions.head) };
  const given = { option: stampedBy, written: writtenApplications({ tree: revisions.head }) };
  const stamped = { base: stampedSides(revisions.base, given), head: stampedSides(revisions.head, given) };
  const paired = async ({ base, head }: Found): Promise<AppPair[]> => {
    const pairs: AppPair[] = [];
    const projectsOf = {
      base: projectsIn(base.projects, surveys.base.repository),
      head: projectsIn(head.projects, surveys.head.repository),
    };
    const isOrphaned = orphanedIn(surveys.base.repository, surveys.head.repository);
    const matched = inBoth(base.sides, head.sides, folders);
    const deployments = deploymentsOf({ ...surveys.base, ...base }, { ...surveys.head, ...head }, matched);
    const isLedByResumed = ledByResumed(base.sides, head.sides);
    const deployedInHead = new Set(
      head.sides.flatMap(({ application: { path, orphan } }) => (orphan === true ? [] : [path])),
    );
    const all = await withTakenFiles(matched, surveys);
    for (const { name, before, after: found } of withNames(all)) {
      // Something deploys now what nothing deployed: that one is added.
      const isTaken = found === undefined && before?.application.orphan === true;
      if (isTaken && deployedInHead.has(before.application.path)) continue;
      const isDropped =
        before !== undefined && found !== undefined && deployments.isDropped(before.application, found.application);
      const after = isDropped
        ? undefined
        : found && withOrphan(found, isOrphaned(before?.application, found.application));
      if (!isPicked.byName(name, before?.application, after?.application)) continue;
      const both = await partsOf({ before, after }, surveys, isPicked.part);
      const application = (both.after ?? both.before)?.application;
      if (application === undefined) continue;
      const named = application.name === name ? application : { ...application, name };
      const sides = {
        base: both.before && stamped.base(both.before, application),
        head: both.after && stamped.head(both.after),
      };
      const isInObject = changesInObject(both.before, both.after);
      const deployment = deployments.deploymentOf(both.before?.application, both.after?.application, isInObject);
      const unreadable = isDropped
        ? undefined
        : (unreadableMarker(application, (both.before === undefined ? base : head).notFound, both) ??
          unresolvedRow(both, { base: { ...surveys.base, ...base }, head: { ...surveys.head, ...head } }));
      const projects = {
        base: both.before === undefined ? [] : projectsOf.base(both.before.application),
        head: both.after === undefined ? [] : projectsOf.head(both.after.application),
      };
      pairs.push({
        application: named,
        ...sides,
        ...(projects.head.length === 0 ? {} : { projects }),
        isAffected: isAffected(both) || isLedByResumed(both.before) || isStampedOtherwise(sides, configs),
        ...(unreadable === undefined ? {} : { unreadable }),
        ...(deployment.held === undefined ? await heldByChartVersion(sides, revisions) : {}),
        ...replacedObject(both.before?.application, both.after?.application, deployments),
        ...deployment,
      });
    }
    return inPathOrder(pairs, ({ application }) => application.path);
  };
  const predictions: Predictions | undefined = isWhole ? undefined : { rendered: new Set(), known: new Map() };
  const found = await find(predictions);
  const pairs = await paired(found);
  if (pairs.length === 0) refuseUnknownNames(picked, namesIn(found.head));
  const deployedAt = (side: "base" | "head"): Parameters<typeof notPermitted>[0] => ({
    projectsOf: projectsIn(found[side].projects, surveys[side].repository),
    applications: found[side].sides.map(({ application }) => application),
  });
  const isInPaths = ({ path }: NotFound): boolean => picked.paths.some((folder) => isIn(folder, path));
  const isExact = found.base.predicted.size + found.head.predicted.size === 0;
  return {
    pairs,
    findMore: async (names) => {
      const taken = [...found.head.takenFrom.values()].flatMap((keys) => [...keys]);
      if (isExact || (names?.size === 0 && taken.length === 0)) return pairs;
      const shown = [...(names ?? [])].flatMap((name) => found.head.predicted.get(name) ?? []);
      for (const key of [...taken, ...shown]) predictions?.rendered.add(key);
      return paired(await find(names === undefined ? undefined : predictions));
    },
    predict: surveys.head.predict,
    notFound: { base: found.base.notFound.filter(isInPaths), head: found.head.notFound.filter(isInPaths) },
    isOrphan: (path) =>
      (hasLeading(surveys.head.repository) || hasLeading(surveys.base.repository)) &&
      !revisions.head.says(path, saysGitOps) &&
      !found.head.sides.some((side) => side.application.orphan !== true && readsFile(side)(path)),
    isPickedName: isPicked.byName,
    isTouched: (path) => {
      const { base, head } = revisions;
      return path === "." ? base.commit !== head.commit : base.entries.get(path)?.id !== head.entries.get(path)?.id;
    },
    secrets: () => secretsInFiles([surveys.base.repository, surveys.head.repository]),
    sidesIn: async (snapshot) => {
      const { sides } = await surveyOf(engine, snapshot, shared).find();
      const stampedIn = stampedSides(snapshot, given);
      return sides.map((side) => stampedIn(side));
    },
    unrendered: () =>
      picked.names.length > 0
        ? []
        : [
            ...missingSources(surveys.base.repository, surveys.head.repository),
            ...notPermitted(deployedAt("base"), deployedAt("head")),
            ...filesOfUnexpandedSets(
              { ...surveys.base, ...found.base },
              { ...surveys.head, ...found.head },
              picked.paths,
            ),
          ],
    unread: () =>
      picked.names.length > 0
        ? []
        : unreadFiles({ ...surveys.base, ...found.base }, { ...surveys.head, ...found.head }, picked.paths),
  };
}

/** Says which applications there are. */
function namesIn({ sides }: ShownApplications): string {
  const names = sides.map(({ application: { name } }) => printable(name));
  return names.length === 0
    ? "HEAD has no applications."
    : `HEAD has ${formatList(names.toSorted(compareBytes), MOST_NAMES, " and ")}.`;
}

const MOST_NAMES = 20;

function withOrphan(side: AppSide, isOrphan: boolean): AppSide {
  const { orphan = false, ...application } = side.application;
  if (orphan === isOrphan) return side;
  return { ...side, application: isOrphan ? { ...application, orphan: true } : application };
}

/** The row of a folder, or of the file that marks it, that can't be an application in the revision that lacks it. */
function unreadableMarker(
  { path, foundBy }: Application,
  notFound: readonly NotFound[],
  { before, after }: Both,
): NotFound | undefined {
  if (before !== undefined && after !== undefined) return undefined;
  return notFound.find(
    (row) => row.kind === foundBy && row.isFailure && (row.path === path || folderOf(row.path) === path),
  );
}

/** The applications of both revisions. */
interface Found {
  readonly base: ShownApplications;
  readonly head: ShownApplications;
}

/** Whether something else declares how an application of both revisions is stamped. */
function isStampedOtherwise(
  { base, head }: Pick<AppPair, "base" | "head">,
  configs: Readonly<Record<"base" | "head", ConfigAt>>,
): boolean {
  if (base === undefined || head === undefined) return false;
  if (base.declared !== head.declared) return true;
  if (!isStampedOnTheWay(head)) return false;
  // What can't be read is reported when the application is compared.
  const configOf = (side: "base" | "head", { application }: AppSide): string =>
    quietly(() => JSON.stringify(configs[side](application, "ByFunction") ?? null)) ?? side;
  return configOf("base", base) !== configOf("head", head);
}

/** Gives each pair a name that is unique in both revisions. */
function withNames(all: readonly Both[]): readonly (Both & { readonly name: string })[] {
  const taken = new Set(all.flatMap(({ after }) => after?.application.name ?? []));
  const named = new Set<string>();
  return all.map(({ before, after }) => {
    const { name: own = "" } = after?.application ?? {};
    // Several that become equal are one application in the second revision.
    if (before === undefined || (after !== undefined && !named.has(own))) {
      named.add(own);
      return { before, after, name: own };
    }
    const name = freeName(before.application, (candidate) => taken.has(candidate));
    taken.add(name);
    return { before, after, name };
  });
}

function isFolderOf({ entries }: Snapshot): (path: string) => boolean {
  return (path) => path === "." || entries.get(path)?.is === "folder";
}
