import { join, posix, relative } from "node:path";
import { rowOf } from "../applications/discover/not-found.ts";
import type { Application } from "../applications/discover/application.ts";
import type { ConfigHashSpec } from "../stamping/function/config-hash.ts";
import { renderedElsewhere } from "../findings/not-examined/elsewhere.ts";
import { notExaminedKey, type Account, type NotExamined } from "../findings/not-examined/not-examined.ts";
import type { Finding } from "../findings/catalogue/finding.ts";
import { failureOf, type Failure } from "../base/alike.ts";
import { RollstampError, type Place } from "../base/errors.ts";
import type { Io } from "../platform/ports/io.ts";
import type { Manifests } from "../yaml/read/items.ts";
import { readManifestText } from "../yaml/read/manifest-text.ts";
import { checkAlone } from "../stamping/pipeline.ts";
import type { Renderable } from "../applications/render/step.ts";
import { inTemplates } from "../findings/results/chart-template.ts";
import { pickedBy } from "./application-pairs.ts";
import type { AppsOptions } from "./apps-options.ts";
import { failureFindings, isWrong, type Failed } from "./failed-applications.ts";
import type { ManifestFiles } from "./manifest-files.ts";
import { onlyFiles } from "./only-files.ts";
import { isPlain, PLAIN_KINDS } from "./plain-kinds.ts";
import { waitingFor } from "./progress.ts";
import { readInputs } from "./read-inputs.ts";
import { appliedOf, renderingOf } from "./render-steps.ts";
import { unknownValues } from "./unknown-values.ts";
import { isNoApplication, unrenderedRow } from "./unrendered-row.ts";
import { watchedJobs } from "./run-jobs.ts";
import { renderedHere, shownApplicationsOf, textAt, worktreeAround, type Worktree } from "./worktree.ts";

// What commands that look at manifests do with `--apps`: the applications of the worktree are rendered, one behind another
// or some at once, and each is looked at as soon as it is there. Nothing of a rendering is kept.

/** An application as it comes out of its renderer. */
export interface RenderedApplication {
  readonly application: Application;
  readonly manifests: readonly Manifests[];
  /** With the application's namespace for objects that name none. */
  readonly spec: ConfigHashSpec;
  /** Findings with the templates from which Helm says that it rendered. */
  readonly placed: (findings: readonly Finding[]) => readonly Finding[];
}

/** What a command makes of one rendering: it is copied, and the rendering let go. */
export interface Seen<T> {
  readonly result: T;
  readonly workloads: number;
}

export interface LookedAt<T> {
  readonly application: Application;
  readonly result: T;
}

/** What comes of the applications in some folders. */
export interface AppsLooked<T> {
  /** Manifests as they stand, which are read together as without `--apps`. */
  readonly plain: ManifestFiles;
  /** The others, in the order of their paths. */
  readonly looked: readonly LookedAt<T>[];
  /** What can't be rendered, or told. */
  readonly failures: readonly Finding<"unrendered-application">[];
  /** The account of all of it, with the workloads of the plain manifests. */
  readonly account: (plainWorkloads: number) => Account;
  /** The file, from the root of the repository, from which a rendering has what stands at a place. */
  readonly madeFrom: (place: Place) => string | undefined;
}

export interface AppsInput {
  readonly spec: ConfigHashSpec;
  /** The real path of the configuration, which is no manifest. */
  readonly configFile: string | undefined;
}

/** Renders the applications in some folders and looks at each; undefined where plain manifests stop it, which is told. */
export async function lookAtApplications<T>(
  io: Io,
  paths: readonly string[],
  { app = [], clusters, fetchCharts, jobs }: AppsOptions,
  { spec, configFile }: AppsInput,
  look: (rendered: RenderedApplication) => Seen<T>,
): Promise<AppsLooked<T> | undefined> {
  const waiting = waitingFor(io, "looking for applications");
  const worktree = await worktreeAround(io, paths, { clusters, fetchCharts }).finally(waiting.end);
  const found = await shownApplicationsOf(io, worktree, jobs ?? io.processors());
  const isPicked = pickedBy({ paths: worktree.asked, names: app });
  const picked = found.applications.flatMap((application) => isPicked(application) ?? []);
  if (app.length > 0 && picked.length === 0) {
    throw new RollstampError("usage", `no application has a name like ${app.join(", ")}`, {
      remedy: "rollstamp apps lists their names.",
    });
  }
  const notFound = app.length === 0 ? found.notFound : [];
  const plainFiles = new Set([
    ...picked.filter(isPlain).flatMap(({ render }) => ("files" in render ? render.files : [])),
    ...notFound.filter(({ kind }) => PLAIN_KINDS.has(kind)).map(({ path }) => path),
  ]);
  const plain = await readInputs({ ...io, files: onlyFiles(io.files, worktree.root, plainFiles) }, paths, {
    configFile,
    kustomizeInput: true,
    check: checkAlone(spec),
    onErrors: "stop",
    stdin: false,
    empty: "named",
  });
  if (plain === undefined) return undefined;
  const looking = { spec, look, renderableOf: found.renderableOf };
  const outcomes = await watchedJobs(
    io,
    picked.filter((application) => !isPlain(application)),
    { what: "rendering", jobs: jobs ?? io.processors(), nameOf: ({ name }) => name },
    (application) => lookAtOne(io, worktree, application, looking),
  );
  const seen = outcomes.flatMap(({ application, seen: one }) => (one === undefined ? [] : [{ application, ...one }]));
  const failed = outcomes.flatMap(({ application, problem }): Failed[] => {
    if (problem === undefined) return [];
    const { name, path } = application;
    return [{ ...problem, name, path, row: { ...unrenderedRow(application, problem.message), severity: "error" } }];
  });
  const known = new Set(plain.notExamined.map(({ path, kind }) => `${kind}\n${path}`));
  const told = new Set(failed.map(({ row }) => notExaminedKey(row)));
  // What can't be rendered, and for that shows nothing, is told once.
  const untold = notFound.filter((row) => !known.has(`${row.kind}\n${row.path}`) && !told.has(notExaminedKey(row)));
  return {
    plain,
    looked: seen.map(({ application, result }) => ({ application, result })),
    failures: failureFindings([
      ...untold.filter(isWrong).map(({ name, path, reason }) => ({ name: name ?? path, path, message: reason })),
      ...failed,
    ]),
    madeFrom: sourceFiles(worktree, seen),
    account: (plainWorkloads) => ({
      examined: {
        files: plain.files.length + plain.unwanted + seen.length,
        objects: plain.objects + sumOf(seen, ({ objects }) => objects),
        workloads: plainWorkloads + sumOf(seen, ({ workloads }) => workloads),
        otherFiles: plain.others.length,
        applications: seen.length + picked.filter(isPlain).length,
      },
      notExamined: [
        ...plain.notExamined.filter(isNoApplication),
        ...seen.flatMap(({ notExamined }) => notExamined),
        ...untold.map((row): NotExamined => ({ ...rowOf(row), ...(isWrong(row) ? { severity: "error" } : {}) })),
        ...failed.map(({ row }) => row),
      ],
    }),
  };
}

/** Of a chart in the repository the template that Helm names, else the file that makes the folder an application. */
function sourceFiles(
  { repository }: Worktree,
  applications: readonly Pick<LookedAt<unknown>, "application">[],
): (place: Place) => string | undefined {
  const byName = new Map(applications.map(({ application }) => [renderingName(application.name), application]));
  const known = new Set(repository.tree.files);
  return ({ file, origin }) => {
    const application = byName.get(file);
    if (application === undefined) return undefined;
    const { render, path, definedIn } = application;
    if (origin !== undefined && render.by === "helm" && render.chart.in === "repository") {
      const template = posix.join(render.chart.folder, ...origin.split("/").slice(1));
      if (known.has(template)) return template;
    }
    const own = repository.kustomizations.get(path)?.file ?? repository.charts.get(path)?.file;
    return own ?? definedIn[0];
  };
}

function sumOf<T>(things: readonly T[], numberOf: (thing: T) => number): number {
  return things.reduce((sum, thing) => sum + numberOf(thing), 0);
}

interface Outcome<T> {
  readonly application: Application;
  readonly seen?: Seen<T> & { readonly objects: number; readonly notExamined: readonly NotExamined[] };
  /** Why it can't be rendered, or looked at. */
  readonly problem?: Failure;
}

interface Looking<T> {
  readonly spec: ConfigHashSpec;
  readonly look: (rendered: RenderedApplication) => Seen<T>;
  readonly renderableOf: (application: Application) => Renderable;
}

/** What can't be rendered or read is told, and stops no other. */
async function lookAtOne<T>(
  io: Io,
  worktree: Worktree,
  application: Application,
  { spec, look, renderableOf }: Looking<T>,
): Promise<Outcome<T>> {
  const { name, path, namespace } = application;
  const renderable = renderableOf(application);
  try {
    const { manifests, text } = await manifestsOf(io, worktree, { application, renderable });
    const items = manifests.flatMap((each) => each.items);
    const own = { ...spec, defaultNamespace: namespace ?? spec.defaultNamespace };
    const file = renderingName(name);
    const seen = look({
      application,
      manifests,
      spec: own,
      placed: (findings) => (text === undefined ? findings : inTemplates({ text, file }, findings)),
    });
    return {
      application,
      // A piece of a text keeps the whole of it in memory.
      seen: structuredClone({
        ...seen,
        objects: items.length,
        notExamined: [
          ...unknownValues({ application, renderable }),
          ...renderedElsewhere(items, path).filter(isNoApplication),
        ],
      }),
    };
  } catch (cause) {
    if (cause instanceof RollstampError) return { application, problem: failureOf(cause) };
    throw cause;
  }
}

/** What messages call a rendering. */
export function renderingName(application: string): string {
  return `the rendering of ${application}`;
}

async function manifestsOf(
  io: Io,
  worktree: Worktree,
  { application, renderable }: { readonly application: Application; readonly renderable: Renderable },
): Promise<{ readonly manifests: readonly Manifests[]; readonly text?: string }> {
  if (renderable.is === "files") {
    const shown = (path: string): string => relative(io.files.here(), join(worktree.root, path)) || path;
    const read = renderable.files.map((path) =>
      readManifestText(textAt(worktree.repository, path), shown(path), io.context.limits),
    );
    return { manifests: read.flatMap((each) => (each === undefined ? [] : appliedOf(application, each))) };
  }
  const text = await renderedHere(io, worktree, renderable);
  const manifests = renderingOf(io, text, renderingName(application.name));
  return { manifests: manifests === undefined ? [] : [appliedOf(application, manifests)], text };
}
