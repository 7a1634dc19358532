import { BUILD_OPTIONS_VARIABLE } from "../cmp/build-options.ts";
import type { ConfigHashSpec } from "../config/config-hash.ts";
import { renderedElsewhere } from "../examined/elsewhere.ts";
import type { NotExamined } from "../examined/not-examined.ts";
import { RollstampError } from "../ground/errors.ts";
import type { Io } from "../io/io.ts";
import type { RenderCache } from "../io/render-cache.ts";
import type { Revision, Revisions } from "../io/revisions.ts";
import type { PlannedApplication } from "../plan/plan-report.ts";
import type { PlanPart } from "../plan/join-parts.ts";
import { planPart, type PlanOptions } from "../plan/plan.ts";
import { readSide } from "../plan/side.ts";
import { follow } from "../rendering/revision-paths.ts";
import type { AppPair, AppSide } from "./application-pairs.ts";
import { textOf as textOfFile } from "../io/files.ts";
import { progressOf } from "./progress.ts";
import { errorWords, lastOfEach, renderedText, renderingOf } from "./render-steps.ts";
import { runJobs } from "./run-jobs.ts";

/** What is known while applications are rendered and compared. */
export interface Comparing {
  readonly io: Io;
  readonly revisions: Revisions;
  readonly cache: RenderCache | undefined;
  readonly jobs: number;
  readonly spec: ConfigHashSpec;
  readonly hmacKey: Uint8Array | undefined;
  readonly planOptions: PlanOptions;
}

/** What comes of one application. */
export interface Compared {
  readonly application: PlannedApplication;
  readonly part?: PlanPart;
  readonly notExamined: readonly NotExamined[];
}

type Rendered = { readonly text: string } | { readonly error: RollstampError };

/** Renders applications at both revisions, so many at once, and compares each as soon as it is rendered. */
export async function compareRenderings(comparing: Comparing, pairs: readonly AppPair[]): Promise<readonly Compared[]> {
  const { io, revisions, jobs } = comparing;
  const progress = progressOf(io, "rendering");
  const working = new Set<string>();
  const waiting = new Map<AppPair, { base?: Rendered; head?: Rendered }>();
  const compared = new Map<AppPair, Compared>();
  const tasks = pairs.flatMap((pair) => (["base", "head"] as const).map((side) => ({ pair, side })));
  let done = 0;
  try {
    await runJobs(tasks, jobs, async ({ pair, side }) => {
      const { name } = pair.application;
      working.add(name);
      progress.report(done, tasks.length, `${[...working].join(", ")}; ${tasks.length - done} left`);
      const one = await renderSide(comparing, pair[side], revisions[side]);
      const both = waiting.get(pair) ?? {};
      both[side] = one;
      done += 1;
      working.delete(name);
      if (both.base === undefined || both.head === undefined) waiting.set(pair, both);
      else {
        // What was rendered is not kept: memory doesn't grow with the number of applications.
        waiting.delete(pair);
        compared.set(pair, compareOne(comparing, pair, { base: both.base, head: both.head }));
      }
    });
  } finally {
    progress.end();
  }
  return pairs.flatMap((pair) => compared.get(pair) ?? []);
}

/** The rendering of one side; empty where it has none. What can't be rendered is told, and stops no other. */
async function renderSide(
  { io, revisions, cache }: Comparing,
  side: AppSide | undefined,
  revision: Revision,
): Promise<Rendered> {
  if (side === undefined) return { text: "" };
  try {
    const { renderable } = side;
    if (renderable.is === "unable") throw new RollstampError("input", renderable.because);
    const committed = (files: readonly string[]): Promise<string> => committedText(files, revision, revisions);
    if (renderable.is === "files") return { text: await committed(renderable.files) };
    // What is fetched, and what programs of the owner make of it, its files don't tell.
    const isKept = cache !== undefined && !side.closure.isRemote && !hasPlugins(io);
    const known = isKept ? await cache.get(side.key) : undefined;
    if (known !== undefined) return { text: known };
    const root = await revisions.writeOut(revision, side.closure.needed());
    const text = await renderedText(io, renderable.steps, { root, commit: revision.commit, committed });
    if (isKept) await cache.put(side.key, text);
    return { text };
  } catch (cause) {
    if (cause instanceof RollstampError) return { error: cause };
    throw cause;
  }
}

function hasPlugins({ environment }: Io): boolean {
  return (environment[BUILD_OPTIONS_VARIABLE] ?? "").includes("plugins");
}

/** Manifests as they are committed, in one stream. */
async function committedText(files: readonly string[], revision: Revision, revisions: Revisions): Promise<string> {
  const found = files.flatMap((path) => {
    const { to } = follow(revision, path, revisions);
    return to?.is === "file" ? [{ path, id: to.id }] : [];
  });
  await revisions.fetch(found.map(({ id }) => id));
  return found.map(({ path, id }) => textOfFile(revisions.text(id, path))).join("\n---\n");
}

function compareOne(
  { io, revisions, spec, hmacKey, planOptions }: Comparing,
  { application, base, head }: AppPair,
  rendered: Readonly<Record<"base" | "head", Rendered>>,
): Compared {
  const planned = plannedOf(application, base, head);
  try {
    const texts = { base: textOf(rendered.base, revisions.base), head: textOf(rendered.head, revisions.head) };
    if (base !== undefined && head !== undefined && texts.base === texts.head)
      return { application: { ...planned, status: "Unchanged" }, notExamined: [] };
    const own = { ...spec, defaultNamespace: application.namespace ?? spec.defaultNamespace };
    const read = (side: "base" | "head"): ReturnType<typeof renderingOf> =>
      inRevision(revisions[side], () => {
        const shown = `the rendering of ${application.name} in ${revisions[side].revision}`;
        const manifests = renderingOf(io, texts[side], shown);
        if (manifests === undefined || application.render.by !== "sources") return manifests;
        return lastOfEach(manifests, application.namespace ?? "");
      });
    const manifests = { base: read("base"), head: read("head") };
    const sides = {
      base: inRevision(revisions.base, () => readSide(asList(manifests.base), own, hmacKey)),
      head: inRevision(revisions.head, () => readSide(asList(manifests.head), own, hmacKey)),
    };
    const part = planPart([sides], planOptions);
    return {
      application: { ...planned, status: "Changed" },
      part: named(part, application.name),
      notExamined: renderedElsewhere(manifests.head?.items ?? [], application.path),
    };
  } catch (cause) {
    if (!(cause instanceof RollstampError)) throw cause;
    return { application: { ...planned, status: "Failed", message: errorWords(cause) }, notExamined: [] };
  }
}

/** What every plan says of an application, whatever becomes of it. */
export function plannedOf(
  { name, path, kind, cluster }: AppPair["application"],
  base: AppSide | undefined,
  head: AppSide | undefined,
): Omit<PlannedApplication, "status"> {
  return {
    name,
    path,
    kind,
    ...(base === undefined ? { change: "Added" } : head === undefined ? { change: "Removed" } : {}),
    ...(cluster === undefined ? {} : { cluster }),
  };
}

function asList<T>(one: T | undefined): readonly T[] {
  return one === undefined ? [] : [one];
}

function textOf(rendered: Rendered, revision: Revision): string {
  return inRevision(revision, () => {
    if ("text" in rendered) return rendered.text;
    throw rendered.error;
  });
}

/** An error says of which revision it is. */
function inRevision<T>({ revision }: Revision, work: () => T): T {
  try {
    return work();
  } catch (cause) {
    if (!(cause instanceof RollstampError)) throw cause;
    throw new RollstampError(cause.code, `in ${revision}: ${errorWords(cause)}`);
  }
}

/** A part whose workloads say to which application they belong; what it was made from is let go. */
function named(part: PlanPart, application: string): PlanPart {
  const rows = part.rows.map(({ planned, ...row }) => ({ ...row, planned: { ...planned, application } }));
  return copied({ ...part, rows });
}

// A piece of a text keeps the whole of it in memory: of a rendering of megabytes, for a name of ten characters.
function copied<T>(data: T): T {
  return structuredClone(data);
}
