import { join } from "node:path";
import { BUILD_OPTIONS_VARIABLE } from "../tools/build-options.ts";
import { RollstampError } from "../../base/errors.ts";
import { groupedBy, sumOf } from "../../base/grouped.ts";
import { isInside, leadsOut } from "../../base/inside.ts";
import { spending, type Spend } from "../../base/limits.ts";
import { textOf } from "../../platform/ports/files.ts";
import type { LeftOut } from "../../platform/ports/applications.ts";
import type { Checkout } from "../../platform/ports/git.ts";
import type { Io } from "../../platform/ports/io.ts";
import type { RenderCache } from "../../platform/ports/programs.ts";
import type { Snapshot } from "../../platform/ports/snapshot.ts";
import type { Manifests } from "../../yaml/read/items.ts";
import type { Application } from "../discover/application.ts";
import { watchedJobs } from "../inputs/jobs.ts";
import { gitEnvironment } from "../inputs/revision-range.ts";
import type { FetchedCharts } from "../render/fetched-charts.ts";
import type { FluxBuilds } from "../render/flux-builds.ts";
import { appliedOf, renderedText, renderingOf, type RenderedText, type WrittenOut } from "../render/render-steps.ts";
import { neededFiles } from "../render/affected.ts";
import type { AppSide } from "../render/shown-data.ts";
import { follow } from "../render/snapshot-paths.ts";

/** What applications are rendered with. */
export interface Engine {
  readonly io: Io;
  /** How many are rendered at once. */
  readonly jobs: number;
  readonly charts: FetchedCharts;
  readonly builds: FluxBuilds;
  /** Keeps renderings for later runs. */
  readonly cache?: RenderCache | undefined;
  /** Keeps renderings for this run. */
  readonly made?: MadeRenderings | undefined;
  /** Checkouts in which commands of rollstamp.yaml run; undefined if commands are not allowed. */
  readonly checkouts?: readonly Checkout[] | undefined;
  /** Whether all renderings are kept for this run: the next commit of a history is compared with them. */
  readonly keepsAll?: boolean;
}

/** The text of an application, and what it was rendered without. */
export interface RenderedPart extends Pick<RenderedText, "text" | "isCut"> {
  readonly leftOut?: readonly LeftOut[];
}

/** The result of rendering an application. */
export type Rendered = RenderedPart | { readonly error: RollstampError };

/** An application to render. */
export interface ToRender {
  readonly side: AppSide;
  readonly snapshot: Snapshot;
}

/**
 * Renders applications, several at once; those with the same files only once. Passes each rendering to `use` as soon as it is
 * ready, and does not keep it, so that memory does not grow with the number of applications.
 */
export async function renderEach<T extends ToRender, R>(
  engine: Engine,
  all: readonly T[],
  what: string,
  use: (task: T, rendered: Rendered) => R,
): Promise<readonly R[]> {
  const { io, jobs } = engine;
  const alike = [...groupedBy(all, (task) => keyOfRun(io, task) ?? task).values()];
  const nameOf = ([{ side }]: (typeof alike)[number]): string => side.application.name;
  const used = await watchedJobs(io, alike, { what, jobs, nameOf }, async (tasks) => {
    const result = await renderOne(engine, tasks[0]);
    return tasks.map((task) => [task, { value: use(task, result) }] as const);
  });
  const results = new Map(used.flat());
  return all.flatMap((task) => {
    const result = results.get(task);
    return result === undefined ? [] : [result.value];
  });
}

/** Equal for what one run renders alike; undefined for commands, which may read anything. */
function keyOfRun(io: Io, { side: { renderKey, application }, snapshot: { commit } }: ToRender): string | undefined {
  if (application.render.by === "command") return undefined;
  return hasPlugins(io) ? `${commit} ${renderKey}` : renderKey;
}

/** Renders an application. A failure is a result, so that it doesn't stop others. */
export async function renderOne(engine: Engine, { side, snapshot }: ToRender): Promise<Rendered> {
  if (engine.keepsAll === true) return renderAndKeep(engine, { side, snapshot });
  return (await engine.made?.get(side, snapshot)) ?? (await renderSide(engine, side, snapshot));
}

/** Renders an application, and keeps the rendering for this run. */
export async function renderAndKeep(engine: Engine, { side, snapshot }: ToRender): Promise<Rendered> {
  const made = await engine.made?.get(side, snapshot);
  if (made !== undefined) return made;
  const result = await renderSide(engine, side, snapshot);
  if (!("isCached" in result)) await engine.made?.put(side, snapshot, result);
  return result;
}

/** The text of a rendering. Throws the error of one that failed. */
export function renderedTextOf(result: Rendered): string {
  if ("text" in result) return result.text;
  throw result.error;
}

async function renderSide(
  { io, cache, charts, builds, checkouts }: Engine,
  { application, closure, renderKey: key, renderable }: AppSide,
  snapshot: Snapshot,
): Promise<Rendered | (RenderedPart & { readonly isCached: true })> {
  try {
    if (renderable.is === "unable") throw new RollstampError("input", renderable.because);
    if (renderable.is === "files") return { text: await committedText(snapshot, renderable.files) };
    // The key doesn't cover downloads, and what plugins and commands read.
    const isKept = cache !== undefined && !closure.isRemote && !hasPlugins(io) && application.render.by !== "command";
    const known = isKept ? await cache.get(key) : undefined;
    if (known !== undefined) return { text: known, isCached: true };
    const checkout = checkouts?.find(({ commit }) => commit === snapshot.commit);
    const written = {
      ...(await snapshot.export(neededFiles({ application, closure }))),
      commit: snapshot.commit,
      committed: (files: readonly string[]) => committedText(snapshot, files),
      built: (...given: Parameters<WrittenOut["built"]>) => builds(snapshot, ...given),
      run: checkout && ((folder: string, command: string) => commandText(io, checkout, folder, command)),
    };
    const { text, isFixed, leftOut, isCut } = await renderedText(io, renderable.steps, written, charts);
    const isWhole = leftOut.length === 0;
    if (!isKept || !isFixed || !isWhole)
      return { text, ...(isWhole ? {} : { leftOut }), ...(isCut === true ? { isCut } : {}) };
    await cache.put(key, text);
    return { text, isCached: true };
  } catch (cause) {
    if (cause instanceof RollstampError) return { error: cause };
    throw cause;
  }
}

/** Committed manifests as one stream. */
async function committedText(snapshot: Snapshot, files: readonly string[]): Promise<string> {
  const { contents } = snapshot;
  const found = files.flatMap((path) => {
    const { to } = follow(snapshot, path);
    return to?.is === "file" ? [{ path, id: to.id }] : [];
  });
  await contents.fetch(found.map(({ id }) => id));
  return found.map(({ path, id }) => textOf(contents.text(id, path))).join("\n---\n");
}

/** Runs the command of an application in a checkout of a revision. */
function commandText(io: Io, { revision, root }: Checkout, folder: string, command: string): Promise<string> {
  const path = join(root, folder);
  if (io.files.kindOf(path) === undefined) throw new RollstampError("input", `${folder} does not exist`);
  if (!isInside(io.files.realPath(root) ?? root, io.files.realPath(path) ?? root))
    throw leadsOut(`${revision}:${folder}`, "The command runs in this folder: make it a folder in that revision.");
  return io.programs.render(command, {
    cwd: path,
    environment: gitEnvironment(io.environment),
    limits: io.context.limits,
    isTimed: true,
  });
}

/** The manifests of a rendering as they are applied; `shown` names the rendering in messages. */
export function appliedManifests(io: Io, application: Application, text: string, shown: string): readonly Manifests[] {
  const manifests = renderingOf(io, text, shown);
  return manifests === undefined ? [] : [appliedOf(application, manifests)];
}

/**
 * Limits the objects of all renderings: thousands of applications may include the same base, so their number does not depend
 * on the size of the repository. `fewer` is the remedy.
 */
export function objectLimit(fewer: string): Spend {
  return spending("documents", (most) => `the applications together render more than ${most} objects`, fewer);
}

/** The number of objects of a rendering. */
export function objectsOf(manifests: readonly Manifests[]): number {
  return sumOf(manifests, ({ items }) => items.length);
}

/** Keeps renderings of this run: texts in a folder, and only errors in memory. */
export interface MadeRenderings {
  readonly get: (side: AppSide, snapshot: Snapshot) => Promise<Rendered | undefined>;
  readonly put: (side: AppSide, snapshot: Snapshot, result: Rendered) => Promise<void>;
}

/** The maximum length of all kept texts. The least recently used ones are dropped. */
const MOST_KEPT = 1 << 28;

export function madeRenderings(io: Io, kept: RenderCache): MadeRenderings {
  const errors = new Map<string, RollstampError>();
  // Most are not kept, and opening a missing file is expensive.
  const texts = new Map<string, { readonly more: Omit<RenderedPart, "text">; readonly length: number }>();
  let length = 0;
  const note = (key: string, text: { readonly more: Omit<RenderedPart, "text">; readonly length: number }): void => {
    texts.delete(key);
    texts.set(key, text);
  };
  return {
    get: async (side, snapshot) => {
      const key = keyOfRun(io, { side, snapshot });
      if (key === undefined) return undefined;
      const error = errors.get(key);
      if (error !== undefined) return { error };
      const known = texts.get(key);
      const text = known === undefined ? undefined : await kept.get(key);
      if (known === undefined || text === undefined) return undefined;
      note(key, known);
      return { text, ...known.more };
    },
    put: async (side, snapshot, result) => {
      const key = keyOfRun(io, { side, snapshot });
      if (key === undefined) return;
      if ("error" in result) {
        errors.set(key, result.error);
        return;
      }
      const { text, ...more } = result;
      await kept.put(key, text);
      length += text.length - (texts.get(key)?.length ?? 0);
      note(key, { more, length: text.length });
      for (const [oldest, { length: removed }] of texts) {
        if (length <= MOST_KEPT) break;
        texts.delete(oldest);
        length -= removed;
        await kept.remove(oldest);
      }
    },
  };
}

/** Whether kustomize runs plugins, whose output depends on more than the files. */
export function hasPlugins({ environment }: Pick<Io, "environment">): boolean {
  return (environment[BUILD_OPTIONS_VARIABLE] ?? "").includes("plugins");
}
