import { onCycles } from "../applications/cycles.ts";
import { foldersAround } from "../applications/paths.ts";
import { findApplications, type Applications } from "../applications/find-applications.ts";
import type { Application } from "../applications/application.ts";
import type { NotFound } from "../applications/not-found.ts";
import { gitOpsObject, mayRenderGitOps, saysGitOps, type GitOpsObject } from "../applications/objects.ts";
import type { Repository } from "../applications/repository.ts";
import { withShown, type Showing } from "../applications/shown.ts";
import { RollstampError } from "../ground/errors.ts";
import type { Io } from "../io/io.ts";
import { pathsBelow } from "../rendering/revision-paths.ts";
import {
  NOTHING_SHOWN,
  shownData,
  shownObject,
  type ClosedSide,
  type ShownData,
  type ShownObject,
} from "../rendering/shown-data.ts";
import { progressOf } from "./progress.ts";
import { errorWords, renderingOf } from "./render-steps.ts";
import { runJobs } from "./run-jobs.ts";
import { unrenderedRow } from "./unrendered-row.ts";

// Applications that only a rendering shows: an app of apps, objects that overlays patch, charts that render Applications.

/** A repository, of a revision or a worktree, whose applications can be rendered. */
export interface ShowingSide {
  readonly repository: Repository;
  readonly closed: (applications: readonly Application[], shown: ShownData) => Promise<readonly ClosedSide[]>;
  /** Throws a RollstampError for what can't be rendered. */
  readonly render: (side: ClosedSide) => Promise<string>;
}

/** What renderings show, by what they were made from: two revisions share what they have in common. */
export type ShownByKey = Map<string, Promise<ShownHere | RollstampError>>;

/** What a rendering shows to others. */
interface ShownHere {
  readonly objects: readonly GitOpsObject[];
  /** From which they may take values. */
  readonly data: readonly ShownObject[];
}

export interface ShownApplications extends Applications {
  readonly sides: readonly ClosedSide[];
}

/** How deep applications may show each other. */
const DEEPEST = 10;

/**
 * The applications of a repository, those too that only renderings show. Only those are rendered for that in whose files
 * an object of Argo CD or Flux may stand.
 */
export async function shownApplications(
  io: Io,
  { repository, closed, render }: ShowingSide,
  { known, jobs }: { readonly known: ShownByKey; readonly jobs: number },
): Promise<ShownApplications> {
  const saying = sayingFiles(repository);
  const applied = new Set<string>();
  let found = findApplications(repository);
  let sides = await closed(found.applications, NOTHING_SHOWN);
  if (saying.length === 0) return { ...found, sides };
  let before = "";
  for (let depth = 0; ; depth += 1) {
    const all = sides.filter((side) => side.renderable.is === "steps" && readsAnyOf(side, saying));
    const containers = withoutContained(all, applied);
    const now = JSON.stringify(containers.map(({ key, application }) => [key, application.name]));
    if (now === before) break;
    before = now;
    for (const { key } of containers) applied.add(key);
    const shown = await objectsOf(io, containers, render, { known, jobs });
    const showings = containers.flatMap((side, i): (Showing & ShownHere)[] => {
      const here = shown[i];
      if (here === undefined || here instanceof RollstampError) return [];
      return [{ application: side.application, ...here, reads: readsFile(side) }];
    });
    const problems = containers.flatMap(({ application }, i): NotFound[] => {
      const problem = shown[i];
      if (!(problem instanceof RollstampError)) return [];
      const reason = `whether it renders to applications isn't known: ${errorWords(problem)}`;
      return [{ ...unrenderedRow(application, reason), isFailure: false }];
    });
    found = findApplications(withShown(repository, showings));
    sides = await closed(found.applications, shownData(showings));
    const deep = depth < DEEPEST ? [] : found.applications.filter(({ shownBy }) => shownBy !== undefined).map(tooDeep);
    found = {
      applications: found.applications,
      notFound: [...found.notFound, ...problems, ...cyclesIn(found.applications), ...deep],
    };
    if (depth === DEEPEST) break;
  }
  return { ...found, sides };
}

/** The files in which such an object may stand: also what Helm unpacks or includes. Sorted. */
function sayingFiles({ tree }: Repository): readonly string[] {
  return tree.files
    .filter((path) => {
      // A chart that is packed may hold anything.
      if (path.endsWith(".tgz")) return true;
      if (!/\.(?:ya?ml|json|tpl)$|(?:^|\/)Kustomization$/u.test(path)) return false;
      const read = tree.read(path);
      return read.is === "text" && mayRenderGitOps(read.text);
    })
    .sort();
}

/**
 * Without those that a file tells of which another one reads that has not been rendered: what that renders to takes their
 * place. Of a circle all are taken.
 */
function withoutContained(containers: readonly ClosedSide[], applied: ReadonlySet<string>): readonly ClosedSide[] {
  const waiting = containers.filter(({ key }) => !applied.has(key));
  // Two are enough to tell whether there is another one.
  const readers = new Map<string, readonly ClosedSide[]>();
  for (const side of waiting)
    for (const path of side.closure.needed()) {
      const known = readers.get(path) ?? [];
      if (known.length < 2) readers.set(path, [...known, side]);
    }
  const isContained = (side: ClosedSide): boolean =>
    side.application.shownBy === undefined &&
    side.application.isRoot !== true &&
    side.application.definedIn.some((file) =>
      [file, ...foldersAround(file)].some((path) => readers.get(path)?.some((other) => other !== side)),
    );
  const contained = new Set(waiting.filter(isContained));
  return contained.size === waiting.length ? containers : containers.filter((side) => !contained.has(side));
}

function readsAnyOf(side: ClosedSide, saying: readonly string[]): boolean {
  const files = new Set(saying);
  return [...side.closure.needed()].some(
    (path) => files.has(path) || (!path.endsWith("/") && pathsBelow(saying, path).length > 0),
  );
}

function readsFile({ closure }: ClosedSide): (file: string) => boolean {
  const needed = closure.needed();
  return (file) => {
    if (needed.has(file) || needed.has(".")) return true;
    for (let at = file.lastIndexOf("/"); at > 0; at = file.lastIndexOf("/", at - 1))
      if (needed.has(file.slice(0, at))) return true;
    return false;
  };
}

async function objectsOf(
  io: Io,
  containers: readonly ClosedSide[],
  render: ShowingSide["render"],
  { known, jobs }: { readonly known: ShownByKey; readonly jobs: number },
): Promise<readonly (ShownHere | RollstampError)[]> {
  const progress = progressOf(io, "rendering what may hold applications");
  let done = 0;
  try {
    return await runJobs(containers, jobs, async (side) => {
      progress.report(done, containers.length, side.application.name);
      let shown = known.get(side.key);
      if (shown === undefined) known.set(side.key, (shown = shownIn(io, side, render)));
      const objects = await shown;
      done += 1;
      return objects;
    });
  } finally {
    progress.end();
  }
}

async function shownIn(io: Io, side: ClosedSide, render: ShowingSide["render"]): Promise<ShownHere | RollstampError> {
  try {
    const text = await render(side);
    if (!saysGitOps(text)) return { objects: [], data: [] };
    const items = renderingOf(io, text, `the rendering of ${side.application.name}`)?.items ?? [];
    // A piece of a text keeps the whole of it in memory.
    return structuredClone({
      objects: items.flatMap((item) => gitOpsObject(item, "") ?? []),
      data: items.flatMap(shownObject),
    });
  } catch (cause) {
    if (cause instanceof RollstampError) return cause;
    throw cause;
  }
}

/** Applications that each are shown by another one of them. One that shows itself is usual. */
function cyclesIn(applications: readonly Application[]): NotFound[] {
  const byName = new Map(applications.map((application) => [application.name, application]));
  const edges = applications.flatMap((to) => {
    const from = to.shownBy === undefined ? undefined : byName.get(to.shownBy);
    return from === undefined || from === to ? [] : [{ from, to }];
  });
  return [...onCycles(edges)].map((application) => ({
    ...unrenderedRow(application, "its rendering shows an application whose rendering shows it: a cycle"),
    isFailure: true,
  }));
}

function tooDeep(application: Application): NotFound {
  const reason = `renderings show applications whose renderings show others, more than ${DEEPEST} deep`;
  return { ...unrenderedRow(application, reason), isFailure: true };
}
