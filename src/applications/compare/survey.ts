import { join } from "node:path";
import { HMAC_KEY_FILE_VARIABLE, HMAC_KEY_VARIABLE } from "../../base/keys.ts";
import { RollstampError } from "../../base/errors.ts";
import { REMOTE_BASES_VARIABLE } from "../../base/outside.ts";
import { once } from "../../base/grouped.ts";
import type { Io } from "../../platform/ports/io.ts";
import type { Snapshot } from "../../platform/ports/snapshot.ts";
import { readGivenValues } from "../discover/given-values.ts";
import { surveyed, type Known } from "../discover/repository.ts";
import { closuresIn } from "../render/affected.ts";
import { dataFilesIn, dataIn } from "../render/find-data.ts";
import { predictBuild } from "../render/predict-build.ts";
import { appSides, type AppSide } from "../render/shown-data.ts";
import { hasPlugins, type Engine } from "./rendering.ts";
import { shownApplications, type Predictions, type Showing, type ShownApplications } from "./shown-applications.ts";
import type { ShownByKey } from "./shown-renderings.ts";

export interface Survey extends Pick<Showing, "snapshot" | "repository" | "close" | "predict"> {
  /** Finds the applications, including those that only renderings show. All of these are rendered without `predictions`. */
  readonly find: (predictions?: Predictions) => Promise<ShownApplications>;
}

/**
 * What the surveys of a history share: the head of a comparison is the base of the next one. All applications that may show
 * others are rendered, each once for all commits with the same files. Predictions would need separate surveys.
 */
export interface KeptSurveys {
  readonly known: Known;
  readonly shown: ShownByKey;
  readonly bySnapshot: WeakMap<Snapshot, Survey>;
}

/** Surveys a snapshot. Snapshots with the same `shown` share what their renderings show. */
export function surveyOf(engine: Engine, snapshot: Snapshot, given: Surveying): Survey {
  const { kept } = given;
  const before = kept?.bySnapshot.get(snapshot);
  if (before !== undefined) return before;
  const survey = newSurvey(engine, snapshot, given);
  // The other snapshot matters only for files that can't be read in this one.
  const { kustomizations, charts } = survey.repository;
  const isOwn = [kustomizations, charts].every((all) =>
    [...all.values()].every(({ problem }) => problem === undefined),
  );
  if (isOwn) kept?.bySnapshot.set(snapshot, survey);
  return survey;
}

/** Finds the applications of a snapshot before they are needed, unless the other snapshot matters too. */
export async function findAhead(engine: Engine, snapshot: Snapshot, kept: KeptSurveys, other: Snapshot): Promise<void> {
  const { known, shown, bySnapshot } = kept;
  const survey = surveyOf(engine, snapshot, { known: { ...known, other }, shown, kept });
  if (bySnapshot.has(snapshot)) await survey.find();
}

interface Surveying {
  readonly known: Known;
  readonly shown: ShownByKey;
  /** Those of a history. */
  readonly kept?: KeptSurveys | undefined;
}

function newSurvey(engine: Engine, snapshot: Snapshot, { known, shown }: Surveying): Survey {
  const repository = surveyed(snapshot, known);
  const data = dataIn(repository);
  const hmacKey = givenHmacKey(engine.io);
  const mayFetch = engine.io.environment[REMOTE_BASES_VARIABLE] === "true" || hasPlugins(engine.io);
  const isFile = (path: string): boolean => snapshot.entries.get(path)?.is === "file";
  const close: Survey["close"] = (applications, shownHere) =>
    appSides(applications, { data, shown: shownHere, hmacKey }, (all, rootsOf) => closuresIn(snapshot, all, rootsOf));
  const showing = {
    snapshot,
    repository,
    close,
    filesOf: dataFilesIn(repository),
    predict: (side: AppSide) => predictBuild(side, { repository, isFile, mayFetch }),
  };
  const find: Survey["find"] = (predictions) => shownApplications(engine, showing, { known: shown, predictions });
  const whole = once(() => find());
  return { ...showing, find: (predictions) => (predictions === undefined ? whole() : find(predictions)) };
}

/** The key of stamps if one is configured; placeholders for values of Secrets are made with it. */
function givenHmacKey({ context, environment }: Pick<Io, "context" | "environment">): Uint8Array | undefined {
  const isGiven = [HMAC_KEY_VARIABLE, HMAC_KEY_FILE_VARIABLE].some((name) => (environment[name] ?? "") !== "");
  return isGiven ? context.hmacKey() : undefined;
}

/** What is known of a clone in addition to its files: its remotes, and the values in the file of --clusters. */
export async function knownOf(io: Io, cwd: string, clusters: string | undefined): Promise<Known> {
  return { remotes: await io.git.remotes({ cwd, environment: io.environment }), ...givenIn(io, clusters) };
}

function givenIn({ readNamed, context: { limits } }: Io, clusters: string | undefined): Pick<Known, "given"> {
  return clusters === undefined ? {} : { given: readGivenValues(readNamed(clusters, limits), clusters, limits) };
}

/** The repository around some folders, as it is on disk. */
export interface Worktree {
  readonly snapshot: Snapshot;
  /** A real path. */
  readonly root: string;
  readonly known: Known;
  /** The folders as paths from the root. */
  readonly asked: readonly string[];
}

/** Opens the repository around some folders. Throws a RollstampError unless all are folders of one repository. */
export async function worktreeAround(io: Io, paths: readonly string[], clusters?: string): Promise<Worktree> {
  const {
    files,
    context: { limits },
  } = io;
  const places = paths.map((path) => {
    const real = files.realPath(path);
    if (real === undefined || files.kindOf(path) !== "folder") {
      throw new RollstampError("usage", real === undefined ? "folder not found" : "not a folder", {
        place: { file: path },
        remedy: "Give the root of a repository, or a folder in it.",
      });
    }
    return { path, real, root: files.repositoryOf(real) ?? real };
  });
  const [first] = places;
  if (first === undefined) throw new Error("no folder to find the repository of");
  const { root } = first;
  const other = places.find((place) => place.root !== root);
  if (other !== undefined) {
    throw new RollstampError("usage", `${first.path} and ${other.path} are in different repositories`, {
      remedy: "Run the command once for each.",
    });
  }
  const isClone = files.kindOf(join(root, ".git")) !== undefined;
  return {
    root,
    known: isClone ? await knownOf(io, root, clusters) : givenIn(io, clusters),
    snapshot: await io.snapshots.ofFolder(root, limits),
    asked: places.map(({ real }) => real.slice(root.length).replaceAll("\\", "/").replace(/^\//u, "") || "."),
  };
}
