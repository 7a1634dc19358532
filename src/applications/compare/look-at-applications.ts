import { join, posix, relative } from "node:path";
import { failureOf, type Failure } from "../../base/alike.ts";
import { RollstampError } from "../../base/errors.ts";
import { sumOf } from "../../base/grouped.ts";
import type { Finding } from "../../findings/catalogue/finding.ts";
import { renderedElsewhere } from "../../findings/not-examined/elsewhere.ts";
import { notExaminedKey, type Account, type NotExamined } from "../../findings/not-examined/not-examined.ts";
import { locateFindingsInTemplates } from "../../findings/results/chart-template.ts";
import { textOf } from "../../platform/ports/files.ts";
import type { Io } from "../../platform/ports/io.ts";
import type { ConfigHashSpec } from "../../stamping/function/config-hash.ts";
import { checkAlone } from "../../stamping/pipeline.ts";
import type { Manifests } from "../../yaml/read/items.ts";
import { readManifestText } from "../../yaml/read/manifest-text.ts";
import type { Application } from "../discover/application.ts";
import { rowOf } from "../discover/not-found.ts";
import { isInFolder } from "../discover/paths.ts";
import type { ManifestFiles } from "../inputs/manifest-files.ts";
import { snapshotFiles } from "../inputs/snapshot-files.ts";
import { noManifests, readInputs } from "../inputs/read-inputs.ts";
import { appliedOf } from "../render/render-steps.ts";
import { pickedBy, pickedSide, refuseUnknownNames } from "./picked.ts";
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
import { ownSpecs } from "./revision-config.ts";
import {
  appliedManifests,
  renderEach,
  objectLimit,
  renderedTextOf,
  type Rendered,
  type ToRender,
} from "./rendering.ts";
import { sourcePlaces, renderingName, type SourcePlaceOf } from "./source-places.ts";
import { type AppsOptions, surveyAround } from "./applications-in.ts";

// What commands with `--apps` do: they render the applications of the worktree, several at once, and look at each as soon as
// it is rendered. Renderings are not kept.

export interface RenderedApplication {
  readonly application: Application;
  readonly manifests: readonly Manifests[];
  /**
   * That of the application's own transformer or plugin, else the given one; with the namespace of the application for
   * objects that set none.
   */
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
  readonly madeFrom: SourcePlaceOf;
}

export interface AppsInput {
  readonly spec: ConfigHashSpec;
  /** The real path of the configuration file, which is no manifest. */
  readonly configFile: string | undefined;
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
    names.length === 0 ? all.notFound.filter(({ path }) => asked.some((folder) => isInFolder(folder, path))) : [];
  const plainFiles = new Set([
    ...picked.flatMap(({ application }) =>
      isPlain(application) && "files" in application.render ? application.render.files : [],
    ),
    ...notFound.filter(({ kind }) => PLAIN_KINDS.has(kind)).map(({ path }) => path),
  ]);
  // Like files that are found at the given paths.
  const shown = (path: string): string => {
    const i = asked.findIndex((folder) => isInFolder(folder, path));
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
  const ownSpecOf = ownSpecs(io, snapshot, options);
  const tasks = picked.filter(({ application }) => !isPlain(application)).map((side) => ({ side, snapshot }));
  const countObjects = objectLimit("Name fewer applications with --app");
  const outcomes = await renderEach(engine, tasks, "rendering", (task, rendered) => {
    const specOf = (application: Application): ConfigHashSpec => ownSpecOf(application) ?? spec;
    const outcome = lookAtOne(io, { ...task, root, rendered, specOf }, look);
    countObjects(outcome.seen?.objects ?? 0, io.context.limits);
    return outcome;
  });
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
  // Objects of applications are rows of what was found for them.
  const ofPlain = plain.notExamined.filter(isNoApplication);
  const known = new Set(ofPlain.map(({ path, kind }) => `${kind}\n${path}`));
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
        ...ofPlain,
        ...seen.flatMap(({ notExamined }) => notExamined),
        ...missing,
        ...others.map((row): NotExamined => ({ ...rowOf(row), ...(isWrong(row) ? { severity: "error" } : {}) })),
        ...failed.map(({ row }) => row),
      ],
    }),
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
  /** The configuration by which an application gets its stamps: that of its own transformer or plugin, if it has one. */
  readonly specOf: (application: Application) => ConfigHashSpec;
}

/** A failure doesn't stop the others. */
function lookAtOne<T>(io: Io, task: ToLookAt, look: (rendered: RenderedApplication) => Seen<T>): Outcome<T> {
  const { side, specOf, rendered } = task;
  const { application } = side;
  const missing = leftOutOf(rendered).map((part) => missingRow(application, part));
  if (isNothing(rendered)) return { application, missing };
  try {
    const manifests = manifestsOf(io, task);
    const items = manifests.flatMap((each) => each.items);
    const file = renderingName(application.name);
    const spec = specOf(application);
    const seen = look({
      application,
      manifests,
      spec: { ...spec, defaultNamespace: application.namespace ?? spec.defaultNamespace },
      placed: (findings) =>
        side.renderable.is === "steps"
          ? locateFindingsInTemplates({ text: renderedTextOf(rendered), file }, findings)
          : findings,
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
