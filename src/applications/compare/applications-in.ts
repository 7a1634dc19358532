import type { Io } from "../../platform/ports/io.ts";
import { findApplications, type Applications } from "../discover/find-applications.ts";
import type { NotFound } from "../discover/not-found.ts";
import { foldersAround, isInFolder } from "../discover/paths.ts";
import { withOrphans } from "../discover/orphans.ts";
import { ANYWHERE } from "../discover/path-patterns.ts";
import type { Repository } from "../discover/repository.ts";
import { writtenApplications } from "../discover/written.ts";
import { waitingFor } from "../inputs/progress.ts";
import { fetchedCharts } from "../render/fetched-charts.ts";
import { fluxBuilds } from "../render/flux-builds.ts";
import { NOTHING_SHOWN } from "../render/shown-data.ts";
import type { Engine } from "./rendering.ts";
import { sayingFiles } from "./showing-files.ts";
import { stampedSides } from "./stamped-sides.ts";
import { surveyOf, worktreeAround, type Survey } from "./survey.ts";

// The applications of the worktree in some folders.

/** The options of a command that looks at applications. */
export interface AppsOptions {
  readonly apps?: boolean;
  readonly app?: readonly string[];
  readonly clusters?: string;
  readonly fetchCharts?: boolean;
  readonly jobs?: number;
  /** A configuration file that counts for all applications. */
  readonly config?: string;
}

/**
 * Finds the applications in some folders, each with how it is stamped; `isRendered` includes those that only renderings
 * show.
 */
export async function applicationsIn(
  io: Io,
  paths: readonly string[],
  { isRendered, ...options }: AppsOptions & { readonly isRendered: boolean },
): Promise<Applications> {
  const { survey, asked } = await surveyAround(io, paths, options);
  const { repository, snapshot } = survey;
  const { applications: all, notFound } = isRendered ? await survey.find() : asWritten(repository);
  const isAsked = (path: string): boolean => asked.some((folder) => isInFolder(folder, path));
  const applications = all.filter(({ path, definedIn }) => isAsked(path) || definedIn.some(isAsked));
  const stamped = stampedSides(snapshot, { option: undefined, written: writtenApplications(repository) });
  return {
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
export async function surveyAround(
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
  const charts = fetchedCharts(io, io.environment, undefined, fetchCharts);
  const engine: Engine = { io, jobs, charts, builds: fluxBuilds() };
  return { engine, survey: surveyOf(engine, snapshot, { known, shown: new Map() }), root, asked };
}
