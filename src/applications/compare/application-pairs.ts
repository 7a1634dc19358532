import type { NotFound } from "../discover/not-found.ts";
import { saysGitOps } from "../discover/objects.ts";
import { isInFolder } from "../discover/paths.ts";
import type { Known } from "../discover/repository.ts";
import { hasLeading } from "../discover/orphans.ts";
import { revisionsMoved } from "../discover/source-revisions.ts";
import { compareBytes } from "../../base/digest/hash-v1.ts";
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
import { isResumed } from "./deployment.ts";
import type { Engine } from "./rendering.ts";
import type { Predictions, ShownApplications } from "./shown-applications.ts";
import { stampedSides, type StampedSide } from "./stamped-sides.ts";
import { pairsOf, type AppPair, type Found } from "./pairs.ts";
import { configsOf } from "./revision-config.ts";
import { notPermitted } from "./not-permitted.ts";
import { projectsIn } from "./projects.ts";
import { missingDependencies, removedSources } from "./missing-sources.ts";
import { replacedRelease } from "./replaced-releases.ts";
import { rendersMore } from "./renders-more.ts";
import { readsFile } from "./showing-files.ts";
import { surveyOf, type KeptSurveys } from "./survey.ts";
import { filesOfUnexpandedSets, unreadFiles } from "./unread-files.ts";
import { type Picked, refuseUnknownNames, pickedBy, type Both } from "./picked.ts";

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
  const context = { revisions, surveys, folders, isAffected, isPicked, configs, stamped };
  const predictions: Predictions | undefined = isWhole ? undefined : { rendered: new Set(), known: new Map() };
  const found = await find(predictions);
  const pairs = await pairsOf(context, found);
  if (pairs.length === 0) refuseUnknownNames(picked, namesIn(found.head));
  const deployedAt = (side: "base" | "head"): Parameters<typeof notPermitted>[0] => ({
    projectsOf: projectsIn(found[side].projects, surveys[side].repository),
    applications: found[side].sides.map(({ application }) => application),
  });
  const isInPaths = ({ path }: NotFound): boolean => picked.paths.some((folder) => isInFolder(folder, path));
  const isExact = found.base.predicted.size + found.head.predicted.size === 0;
  return {
    pairs,
    findMore: async (names) => {
      const taken = [...found.head.takenFrom.values()].flatMap((keys) => [...keys]);
      if (isExact || (names?.size === 0 && taken.length === 0)) return pairs;
      const shown = [...(names ?? [])].flatMap((name) => found.head.predicted.get(name) ?? []);
      for (const key of [...taken, ...shown]) predictions?.rendered.add(key);
      return pairsOf(context, await find(names === undefined ? undefined : predictions));
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
            ...removedSources(surveys.base.repository, surveys.head.repository),
            ...missingDependencies(surveys.base.repository, surveys.head.repository, [
              ...found.head.objects,
              ...found.head.sides.flatMap(({ application: { objects = [] } }) => objects),
            ]),
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

function isFolderOf({ entries }: Snapshot): (path: string) => boolean {
  return (path) => path === "." || entries.get(path)?.is === "folder";
}
