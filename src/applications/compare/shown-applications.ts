import { foldersAround } from "../discover/paths.ts";
import { findApplications, type Applications } from "../discover/find-applications.ts";
import type { Application } from "../discover/application.ts";
import { withOrphans } from "../discover/orphans.ts";
import { ANYWHERE } from "../discover/path-patterns.ts";
import type { NotFound } from "../discover/not-found.ts";
import { mayLeadToPaths, type GitOpsObject } from "../discover/objects.ts";
import type { Repository } from "../discover/repository.ts";
import { withShown, type Showing as Shown } from "../discover/shown.ts";
import { failureOf } from "../../base/alike.ts";
import { RollstampError } from "../../base/errors.ts";
import type { Snapshot } from "../../platform/ports/snapshot.ts";
import type { DataReference } from "../render/data-objects.ts";
import { mayContain, type Prediction } from "../render/predict-build.ts";
import { NOTHING_SHOWN, shownData, type AppSide, type ShownData } from "../render/shown-data.ts";
import { hasInValues, pathsInCharts, readsAnyOf, readsFile, sayingFiles, valueFiles } from "./showing-files.ts";
import { failureOfParts } from "./left-out.ts";
import { unrenderedRow } from "./not-rendered.ts";
import type { Engine } from "./rendering.ts";
import { objectsOf, type ShownByKey, type ShownHere, type Wanted } from "./shown-renderings.ts";

// Applications that only renderings show: an app of apps, objects that overlays patch, charts that render Applications.

/** A snapshot whose applications can be found and rendered. */
export interface Showing {
  readonly snapshot: Snapshot;
  readonly repository: Repository;
  /** Finds out what applications are made from. */
  readonly close: (applications: readonly Application[], shown: ShownData) => Promise<readonly AppSide[]>;
  /** The files that define a ConfigMap or Secret of a name, or its generator. */
  readonly filesOf: (reference: DataReference) => readonly string[];
  /** Predicts from its files what an application shows. */
  readonly predict: (side: AppSide) => Prediction | undefined;
}

/** Predictions, which avoid rendering an application if its files say what it shows. */
export interface Predictions {
  /** Keys of applications that are rendered anyway. More are added if a rendering turns out to be needed. */
  readonly rendered: Set<string>;
  /** By the keys of applications. */
  readonly known: Map<string, Prediction | undefined>;
}

export interface ShownApplications extends Applications {
  /** The AppProjects of Argo CD, as renderings show them where one does. */
  readonly projects: readonly GitOpsObject[];
  /** All objects of Argo CD and Flux in files and renderings. */
  readonly objects: readonly GitOpsObject[];
  readonly sides: readonly AppSide[];
  /** Names and keys of applications that were predicted, not rendered. */
  readonly predicted: ReadonlyMap<string, string>;
  /** By the names of applications: the keys of those that were predicted and may contain values that the application takes. */
  readonly takenFrom: ReadonlyMap<string, ReadonlySet<string>>;
}

/** The limit for applications that show each other. */
const DEEPEST = 10;

/**
 * Finds the applications of a snapshot, including those that only renderings show. To find these, it renders applications
 * whose files may contain an object of Argo CD or Flux.
 */
export async function shownApplications(
  engine: Engine,
  showing: Showing,
  { known, predictions }: { readonly known: ShownByKey; readonly predictions: Predictions | undefined },
): Promise<ShownApplications> {
  const { snapshot, repository, close, predict, filesOf } = showing;
  const saying = sayingFiles(repository);
  const mayShow = readsAnyOf(saying);
  const mayLead = readsAnyOf(
    saying.filter((path) => path.endsWith(".tgz") || repository.tree.says(path, mayLeadToPaths)),
  );
  const applied = new Set<string>();
  const values = valueFiles(filesOf);
  let withObjects = repository;
  let applications = findApplications(repository);
  let found = applications;
  let sides = await close(found.applications, values.noting(NOTHING_SHOWN));
  let unrendered = new Map<string, string>();
  let takenFrom = new Map<string, Set<string>>();
  if (saying.length === 0) return { ...found, sides, projects: [], objects: [], predicted: unrendered, takenFrom };
  let before = "";
  for (let depth = 0; ;) {
    const all = sides.filter(
      (side) => side.renderable.is === "steps" && (mayShow(side) || hasInValues(side) || values.isMadeBy(side)),
    );
    const containers = ready(all, applied, mayLead).map((side): Container => ({
      side,
      prediction: predictionOf(side, predict, predictions),
    }));
    const now = JSON.stringify(
      containers.map(({ side: { key, application }, prediction }) => [key, application.name, prediction !== undefined]),
    );
    if (now === before) break;
    before = now;
    if (hasNew(shownByFiles(containers, unrendered), predictions)) continue;
    for (const { side } of containers) applied.add(side.key);
    unrendered = new Map(
      containers.flatMap(({ side, prediction }) =>
        prediction === undefined ? [] : [[side.application.name, side.key]],
      ),
    );
    const { showings, problems, isShort } = await showingsOf(engine, snapshot, containers, {
      known,
      isWanted: values.isMadeBy,
    });
    const shown = withShown(repository, showings);
    // Applications are found in objects: often, one more rendering shows none.
    if (!areSame(shown.objects, withObjects.objects)) applications = findApplications(shown);
    withObjects = shown;
    found = isShort ? { ...applications, mayLeadTo: [ANYWHERE] } : applications;
    takenFrom = new Map();
    sides = await close(
      found.applications,
      values.noting(recordingLookups(shownData(showings), containers, takenFrom)),
    );
    const deep = depth < DEEPEST ? [] : found.applications.filter(({ shownBy }) => shownBy !== undefined).map(tooDeep);
    found = { ...found, notFound: [...found.notFound, ...problems, ...deep] };
    if (depth === DEEPEST) break;
    depth += 1;
  }
  const mayLeadTo = [...found.mayLeadTo, ...pathsInCharts(sides, repository, saying)];
  const withMarks = withOrphans(found.applications, withObjects, mayLeadTo);
  const marked = new Map(found.applications.map((application, i) => [application, withMarks[i] ?? application]));
  return {
    ...found,
    applications: withMarks,
    sides: sides.map((side) => {
      const { application } = side;
      return Object.assign({}, side, { application: marked.get(application) ?? application });
    }),
    projects: withObjects.objects.filter(({ kind }) => kind === "AppProject"),
    objects: withObjects.objects,
    predicted: unrendered,
    takenFrom,
  };
}

function areSame(some: readonly GitOpsObject[], others: readonly GitOpsObject[]): boolean {
  return some.length === others.length && some.every((object, i) => object === others[i]);
}

/** An application whose rendering may show others. */
interface Container {
  readonly side: AppSide;
  /** The prediction of what it shows; undefined if it is rendered. */
  readonly prediction: Prediction | undefined;
}

/** Keys of predicted applications that show a rendered one: its values may differ from the prediction. */
function shownByFiles(containers: readonly Container[], unrendered: ReadonlyMap<string, string>): readonly string[] {
  return containers.flatMap(({ side: { application }, prediction }) => {
    const { render, shownBy = "" } = application;
    return prediction === undefined && render.by !== "kustomize" ? (unrendered.get(shownBy) ?? []) : [];
  });
}

/** What applications show, predicted or rendered, and rows for those that can't be rendered. */
async function showingsOf(
  engine: Engine,
  snapshot: Snapshot,
  containers: readonly Container[],
  options: Wanted,
): Promise<{
  readonly showings: readonly (Shown & ShownHere)[];
  readonly problems: readonly NotFound[];
  /** Whether it is unknown what an application of this repository shows. */
  readonly isShort: boolean;
}> {
  const unknown = containers.flatMap(({ side, prediction }) => (prediction === undefined ? [side] : []));
  const rendered = await objectsOf(engine, snapshot, unknown, options);
  const outcomes = new Map(unknown.map((side, i) => [side, rendered[i]]));
  const showings = containers.flatMap(({ side, prediction }): (Shown & ShownHere)[] => {
    const here = prediction === undefined ? outcomes.get(side) : shownIn(prediction);
    if (here === undefined || here instanceof RollstampError) return [];
    return [{ application: side.application, ...here, reads: readsFile(side) }];
  });
  const problems = containers.flatMap(({ side, prediction }): NotFound[] => {
    const outcome = prediction === undefined ? outcomes.get(side) : shownIn(prediction);
    const problem = outcome instanceof RollstampError ? failureOf(outcome) : outcome?.missing;
    if (problem === undefined) return [];
    const { message, ...missing } = problem;
    const reason = `it may render to applications, but can't be rendered: ${message}`;
    return [{ ...unrenderedRow(side.application, reason), ...missing, isFailure: false }];
  });
  // A chart from elsewhere does not know the paths of this repository.
  const isShort = unknown.some((side) => outcomes.get(side) instanceof RollstampError && !isFromElsewhere(side));
  return { showings, problems, isShort };
}

/** What a prediction says that an application shows, as a rendering does. */
function shownIn({ objects, leftOut }: Prediction): ShownHere {
  return { objects, data: [], ...(leftOut.length === 0 ? {} : { missing: failureOfParts(leftOut) }) };
}

/** Whether an application is a chart that is not in this repository. */
export function isFromElsewhere({ application: { render } }: AppSide): boolean {
  return render.by === "helm" && render.chart.in !== "repository" && render.chart.in !== "packed";
}

/** Looks up data in what is shown, and notes the predicted applications that may contain the data. */
function recordingLookups(
  data: ShownData,
  containers: readonly Container[],
  takenFrom: Map<string, Set<string>>,
): ShownData {
  const known = containers.flatMap(({ side, prediction }) => (prediction === undefined ? [] : [{ side, prediction }]));
  // Most applications take the same values.
  const holders = new Map<string, readonly AppSide[]>();
  const mayHold = (reference: DataReference): readonly AppSide[] =>
    known.flatMap(({ side, prediction }) => (mayContain(prediction, reference) ? [side] : []));
  return (application, reference) => {
    const key = `${reference.kind}/${reference.name}`;
    if (!holders.has(key)) holders.set(key, mayHold(reference));
    for (const side of holders.get(key) ?? [])
      if (isOther(application, side))
        takenFrom.set(application.name, (takenFrom.get(application.name) ?? new Set()).add(side.key));
    return data(application, reference);
  };
}

/** Whether an application takes values from another one: of the same cluster, and not the one that contains it. */
function isOther({ shownBy, cluster }: Application, { application }: AppSide): boolean {
  return cluster !== undefined && application.cluster === cluster && application.name !== shownBy;
}

function predictionOf(
  side: AppSide,
  predict: Showing["predict"],
  predictions: Predictions | undefined,
): Prediction | undefined {
  const { key } = side;
  if (predictions === undefined || predictions.rendered.has(key)) return undefined;
  const { known } = predictions;
  if (!known.has(key)) known.set(key, predict(side));
  return known.get(key);
}

/** Adds keys of applications that have to be rendered; true if any is new. */
function hasNew(keys: readonly string[], predictions: Predictions | undefined): boolean {
  const more = keys.filter((key) => predictions?.rendered.has(key) === false);
  for (const key of more) predictions?.rendered.add(key);
  return more.length > 0;
}

/**
 * The applications to render next. If another application reads the file that defines an application, that one is rendered
 * first, because its rendering replaces the definition. In a cycle, all are rendered. Kustomizations that no object names and
 * that name no other path are last: until then, a rendering may show an object of Argo CD or Flux that names them.
 */
function ready(
  containers: readonly AppSide[],
  applied: ReadonlySet<string>,
  mayLead: (side: AppSide) => boolean,
): readonly AppSide[] {
  const waiting = containers.filter(({ key }) => !applied.has(key));
  // Two readers are enough to know that another one exists.
  const readers = new Map<string, readonly AppSide[]>();
  for (const side of waiting)
    for (const path of side.closure.nodes.flatMap(({ needed }) => needed)) {
      const known = readers.get(path) ?? [];
      if (known.length < 2 && known[0] !== side) readers.set(path, [...known, side]);
    }
  const isContained = (side: AppSide): boolean =>
    side.application.shownBy === undefined &&
    side.application.isRoot !== true &&
    side.application.definedIn.some((file) =>
      [file, ...foldersAround(file)].some((path) => readers.get(path)?.some((other) => other !== side)),
    );
  const free = waiting.filter((side) => !isContained(side));
  const next = free.length === 0 ? waiting : free;
  const leading = next.filter((side) => side.application.foundBy !== "Kustomization" || mayLead(side));
  const now = new Set(leading.length === 0 ? next : leading);
  return containers.filter((side) => applied.has(side.key) || now.has(side));
}

function tooDeep(application: Application): NotFound {
  const reason = `applications show each other more than ${DEEPEST} levels deep`;
  return { ...unrenderedRow(application, reason), isFailure: true };
}
