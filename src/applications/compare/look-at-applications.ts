import { join, posix, relative } from "node:path";
import { failureOf, type Failure } from "../../base/alike.ts";
import { RollstampError, type Place } from "../../base/errors.ts";
import { onceFor, sumOf } from "../../base/grouped.ts";
import type { Finding } from "../../findings/catalogue/finding.ts";
import { renderedElsewhere } from "../../findings/not-examined/elsewhere.ts";
import { notExaminedKey, type Account, type NotExamined } from "../../findings/not-examined/not-examined.ts";
import { inTemplates } from "../../findings/results/chart-template.ts";
import { textOf } from "../../platform/ports/files.ts";
import type { Io } from "../../platform/ports/io.ts";
import type { ConfigHashSpec } from "../../stamping/function/config-hash.ts";
import { checkAlone } from "../../stamping/pipeline.ts";
import type { Manifests } from "../../yaml/read/items.ts";
import { readManifestText } from "../../yaml/read/manifest-text.ts";
import type { Application, KustomizeRender } from "../discover/application.ts";
import { findApplications, type Applications } from "../discover/find-applications.ts";
import { rowOf, type NotFound } from "../discover/not-found.ts";
import { foldersAround, isIn } from "../discover/paths.ts";
import { withOrphans } from "../discover/orphans.ts";
import { ANYWHERE } from "../discover/path-patterns.ts";
import type { Repository } from "../discover/repository.ts";
import { writtenApplications } from "../discover/written.ts";
import type { ManifestFiles } from "../inputs/manifest-files.ts";
import { snapshotFiles } from "../inputs/snapshot-files.ts";
import { waitingFor } from "../inputs/progress.ts";
import { noManifests, readInputs } from "../inputs/read-inputs.ts";
import { fetchedCharts } from "../render/fetched-charts.ts";
import { declaredPlaces } from "../render/declared-places.ts";
import { appliedOf } from "../render/render-steps.ts";
import { NOTHING_SHOWN } from "../render/shown-data.ts";
import { pickedBy, pickedSide, refuseUnknownNames } from "./application-pairs.ts";
import { isNothing, leftOutOf, missingRow } from "./left-out.ts";
import {
  failureFindings,
  isNoApplication,
  isPlain,
  isWrong,
  PLAIN_KINDS,
  unknownValues,
  unrenderedRow,
} from "./not-rendered.ts";
import {
  appliedManifests,
  renderEach,
  renderedTextOf,
  type Engine,
  type Rendered,
  type ToRender,
} from "./rendering.ts";
import { sayingFiles } from "./showing-files.ts";
import { stampedSides } from "./stamped-sides.ts";
import { surveyOf, worktreeAround, type Survey } from "./survey.ts";

// What commands with `--apps` do: they render the applications of the worktree, several at once, and look at each as soon as
// it is rendered. Renderings are not kept.

/** The options of a command that looks at applications. */
export interface AppsOptions {
  readonly apps?: boolean;
  readonly app?: readonly string[];
  readonly clusters?: string;
  readonly fetchCharts?: boolean;
  readonly jobs?: number;
}

/** An application with its rendered manifests. */
export interface RenderedApplication {
  readonly application: Application;
  readonly manifests: readonly Manifests[];
  /** With the namespace of the application for objects that set none. */
  readonly spec: ConfigHashSpec;
  /** Adds to findings the template that Helm names as their source. */
  readonly placed: (findings: readonly Finding[]) => readonly Finding[];
}

/** What a command makes of one rendering. It is copied, so that the rendering is not kept. */
export interface Seen<T> {
  readonly result: T;
  readonly workloads: number;
}

export interface LookedAt<T> {
  readonly application: Application;
  readonly result: T;
}

/** The result for the applications in some folders. */
export interface AppsLooked<T> {
  /** Plain manifests, which are read together as without `--apps`. */
  readonly plain: ManifestFiles;
  /** All other applications, in path order. */
  readonly looked: readonly LookedAt<T>[];
  /** Applications that can't be found or rendered. */
  readonly failures: readonly Finding<"unrendered-application">[];
  /** The account of everything; takes the number of workloads in plain manifests. */
  readonly account: (plainWorkloads: number) => Account;
  /** The place that a finding about a rendering comes from, with the path of its file from the root of the repository. */
  readonly madeFrom: (finding: Pick<Finding, "place" | "resource">) => Place | undefined;
}

export interface AppsInput {
  readonly spec: ConfigHashSpec;
  /** The real path of the configuration file, which is no manifest. */
  readonly configFile: string | undefined;
}

/**
 * Finds the applications in some folders, each with how it is stamped; `isRendered` includes those that only renderings
 * show.
 */
export async function applicationsIn(
  io: Io,
  paths: readonly string[],
  { isRendered, ...options }: AppsOptions & { readonly isRendered: boolean },
): Promise<Applications & { readonly repository: Repository }> {
  const { survey, asked } = await surveyAround(io, paths, options);
  const { repository, snapshot } = survey;
  const { applications: all, notFound } = isRendered ? await survey.find() : asWritten(repository);
  const isAsked = (path: string): boolean => asked.some((folder) => isIn(folder, path));
  const applications = all.filter(({ path, definedIn }) => isAsked(path) || definedIn.some(isAsked));
  const stamped = stampedSides(snapshot, { option: undefined, written: writtenApplications(repository) });
  return {
    repository,
    applications: (await survey.close(applications, NOTHING_SHOWN)).map((side) =>
      Object.assign({}, side.application, { stampedBy: stamped(side).stampedBy() }),
    ),
    notFound: notFound.filter(({ path }) => isAsked(path)),
  };
}

/** The applications of a repository without those that only renderings show. */
function asWritten(repository: Repository): Applications {
  const { applications, notFound, mayLeadTo } = findApplications(repository);
  const isInCharts = (path: string): boolean => repository.isChartInput(path) && !path.endsWith(".tgz");
  // What only a rendering shows may lead to anything.
  const charts = new Set(
    sayingFiles(repository)
      .filter(isInCharts)
      .flatMap((file) => foldersAround(file).findLast((folder) => repository.charts.has(folder)) ?? []),
  );
  const isShort = notFound.some(({ isShown }) => isShown === true) || charts.size > 0;
  return {
    notFound: [...notFound, ...[...charts].map(hidingChart)],
    applications: withOrphans(applications, repository, isShort ? [ANYWHERE] : mayLeadTo),
  };
}

/** The row of a chart whose templates name Argo CD or Flux. */
function hidingChart(path: string): NotFound {
  return {
    path,
    kind: "Chart",
    reason: "its templates may contain more applications",
    isFailure: false,
    isShown: true,
  };
}

/** Surveys the repository around some folders. */
async function surveyAround(
  io: Io,
  paths: readonly string[],
  { clusters, fetchCharts = false, jobs = io.processors() }: AppsOptions,
): Promise<{
  readonly engine: Engine;
  readonly survey: Survey;
  readonly root: string;
  readonly asked: readonly string[];
}> {
  const waiting = waitingFor(io, "looking for applications");
  const { snapshot, known, root, asked } = await worktreeAround(io, paths, clusters).finally(waiting.end);
  const engine: Engine = { io, jobs, charts: fetchedCharts(io, io.environment, undefined, fetchCharts) };
  return { engine, survey: surveyOf(engine, snapshot, { known, shown: new Map() }), root, asked };
}

/**
 * Renders the applications in some folders and looks at each. Undefined if plain manifests can't be read; the errors have been
 * printed.
 */
export async function lookAtApplications<T>(
  io: Io,
  paths: readonly string[],
  options: AppsOptions,
  { spec, configFile }: AppsInput,
  look: (rendered: RenderedApplication) => Seen<T>,
): Promise<AppsLooked<T> | undefined> {
  const { engine, survey, root, asked } = await surveyAround(io, paths, options);
  const all = await survey.find();
  const names = options.app ?? [];
  const isPicked = pickedBy({ paths: asked, names });
  const named = all.sides.filter(({ application: { name } }) => isPicked.byName(name));
  const picked = (await Promise.all(named.map((side) => pickedSide(side, survey, isPicked.part)))).flatMap(
    (side) => side ?? [],
  );
  if (picked.length === 0) refuseUnknownNames({ names }, "rollstamp apps lists their names.");
  const notFound =
    names.length === 0 ? all.notFound.filter(({ path }) => asked.some((folder) => isIn(folder, path))) : [];
  const plainFiles = new Set([
    ...picked.flatMap(({ application }) =>
      isPlain(application) && "files" in application.render ? application.render.files : [],
    ),
    ...notFound.filter(({ kind }) => PLAIN_KINDS.has(kind)).map(({ path }) => path),
  ]);
  // Like files that are found at the given paths.
  const shown = (path: string): string => {
    const i = asked.findIndex((folder) => isIn(folder, path));
    return join(paths[i] ?? root, posix.relative(asked[i] ?? "", path));
  };
  const real = (path: string): string => io.files.realPath(join(root, path)) ?? path;
  const files = { ...io.files, ...snapshotFiles(survey.snapshot, { paths: plainFiles, shown, real }) };
  const plain = await readInputs({ ...io, files }, paths, {
    configFile,
    kustomizeInput: true,
    check: checkAlone(spec),
    onErrors: "stop",
    stdin: false,
    empty: "named",
  });
  if (plain === undefined) return undefined;
  const found = plain.files.length + plain.unwanted + plain.notExamined.length + notFound.length;
  if (found === 0 && picked.length === 0) throw noManifests(paths);
  const { snapshot } = survey;
  const tasks = picked.filter(({ application }) => !isPlain(application)).map((side) => ({ side, snapshot }));
  const outcomes = await renderEach(engine, tasks, "rendering", (task, rendered) =>
    lookAtOne(io, { ...task, root, rendered, spec }, look),
  );
  const seen = outcomes.flatMap(({ application, seen: result }) =>
    result === undefined ? [] : [{ application, ...result }],
  );
  const failed = outcomes.flatMap(({ application, problem }) => {
    if (problem === undefined) return [];
    const { name, path } = application;
    const row: NotExamined = { ...unrenderedRow(application, problem.message), severity: "error" };
    return [{ ...problem, name, path, row }];
  });
  const missing = outcomes.flatMap((outcome) => outcome.missing ?? []);
  const known = new Set(plain.notExamined.map(({ path, kind }) => `${kind}\n${path}`));
  const reported = new Set([...failed.map(({ row }) => row), ...missing].map(notExaminedKey));
  // An application that can't be rendered was also found not to show others: report it once.
  const others = notFound.filter((row) => !known.has(`${row.kind}\n${row.path}`) && !reported.has(notExaminedKey(row)));
  return {
    plain,
    looked: seen.map(({ application, result }) => ({ application, result })),
    failures: failureFindings([
      ...others.filter(isWrong).map(({ name, path, reason }) => ({ name: name ?? path, path, message: reason })),
      ...failed,
    ]),
    madeFrom: sourcePlaces(survey.repository, seen),
    account: (plainWorkloads) => ({
      examined: {
        files: plain.files.length + plain.unwanted + seen.length,
        objects: plain.objects + sumOf(seen, ({ objects }) => objects),
        workloads: plainWorkloads + sumOf(seen, ({ workloads }) => workloads),
        otherFiles: plain.others.length,
        applications: seen.length + picked.filter(({ application }) => isPlain(application)).length,
      },
      notExamined: [
        ...plain.notExamined.filter(isNoApplication),
        ...seen.flatMap(({ notExamined }) => notExamined),
        ...missing,
        ...others.map((row): NotExamined => ({ ...rowOf(row), ...(isWrong(row) ? { severity: "error" } : {}) })),
        ...failed.map(({ row }) => row),
      ],
    }),
  };
}

/**
 * The place that declares the object of a finding, or the template that Helm names; else the file that makes the folder an
 * application.
 */
function sourcePlaces(
  repository: Repository,
  applications: readonly Pick<LookedAt<unknown>, "application">[],
): AppsLooked<unknown>["madeFrom"] {
  const byName = new Map(applications.map(({ application }) => [renderingName(application.name), application]));
  const known = new Set(repository.tree.files);
  const declared = onceFor((render: KustomizeRender) => declaredPlaces(repository, render));
  return ({ place, resource }) => {
    const application = place === undefined ? undefined : byName.get(place.file);
    if (application === undefined) return undefined;
    const { render, path, definedIn } = application;
    if (place?.origin !== undefined && render.by === "helm" && render.chart.in === "repository") {
      const template = posix.join(render.chart.folder, ...place.origin.split("/").slice(1));
      if (known.has(template)) return { file: template };
    }
    if (render.by === "kustomize" && resource !== undefined) {
      const written = declared(render)(resource);
      if (written !== undefined) return written;
    }
    const file = repository.kustomizations.get(path)?.file ?? repository.charts.get(path)?.file ?? definedIn[0];
    return file === undefined ? undefined : { file };
  };
}

interface Outcome<T> {
  readonly application: Application;
  readonly seen?: Seen<T> & { readonly objects: number; readonly notExamined: readonly NotExamined[] };
  /** Why it can't be rendered or looked at. */
  readonly problem?: Failure;
  /** What is outside of the repository, if nothing can be rendered without it. */
  readonly missing?: readonly NotExamined[];
}

interface ToLookAt extends ToRender {
  readonly root: string;
  readonly rendered: Rendered;
  readonly spec: ConfigHashSpec;
}

/** A failure doesn't stop the others. */
function lookAtOne<T>(io: Io, task: ToLookAt, look: (rendered: RenderedApplication) => Seen<T>): Outcome<T> {
  const { side, spec, rendered } = task;
  const { application } = side;
  const missing = leftOutOf(rendered).map((part) => missingRow(application, part));
  if (isNothing(rendered)) return { application, missing };
  try {
    const manifests = manifestsOf(io, task);
    const items = manifests.flatMap((each) => each.items);
    const file = renderingName(application.name);
    const seen = look({
      application,
      manifests,
      spec: { ...spec, defaultNamespace: application.namespace ?? spec.defaultNamespace },
      placed: (findings) =>
        side.renderable.is === "steps" ? inTemplates({ text: renderedTextOf(rendered), file }, findings) : findings,
    });
    const notExamined = [
      ...missing,
      ...unknownValues(side),
      ...renderedElsewhere(items, application.path).filter(isNoApplication),
    ];
    // Without the copy, a substring would keep the whole text in memory.
    return { application, seen: structuredClone({ ...seen, objects: items.length, notExamined }) };
  } catch (cause) {
    if (cause instanceof RollstampError) return { application, problem: failureOf(cause) };
    throw cause;
  }
}

/** The name of a rendering in messages. */
export function renderingName(application: string): string {
  return `the rendering of ${application}`;
}

/** Committed manifests are read file by file, so that findings name their files. */
function manifestsOf(
  io: Io,
  { side: { application, renderable }, snapshot, root, rendered }: ToLookAt,
): readonly Manifests[] {
  if (renderable.is !== "files")
    return appliedManifests(io, application, renderedTextOf(rendered), renderingName(application.name));
  return renderable.files.flatMap((path) => {
    const read = readManifestText(
      textOf(snapshot.read(path)),
      relative(io.files.here(), join(root, path)),
      io.context.limits,
    );
    return read === undefined ? [] : [appliedOf(application, read)];
  });
}
