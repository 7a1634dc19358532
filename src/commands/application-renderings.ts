import type { ConfigHashSpec } from "../stamping/function/config-hash.ts";
import { renderedElsewhere } from "../findings/not-examined/elsewhere.ts";
import type { NotExamined } from "../findings/not-examined/not-examined.ts";
import { failureOf, type Failure } from "../base/alike.ts";
import { RollstampError } from "../base/errors.ts";
import type { Checkouts } from "../platform/ports/git.ts";
import type { Io } from "../platform/ports/io.ts";
import type { RenderCache } from "../platform/ports/render-cache.ts";
import type { Revision, Revisions } from "../platform/ports/revisions.ts";
import {
  changedSources,
  lookedAcross,
  type ChangedSource,
  type LookedAcross,
} from "../reports/plan/across-applications.ts";
import type { Manifests } from "../yaml/read/items.ts";
import type { PlannedApplication } from "../reports/plan/plan-report.ts";
import { namedPart } from "../reports/plan/named-part.ts";
import type { PlanPart } from "../reports/plan/join-parts.ts";
import { planPart, type PlanOptions } from "../reports/plan/plan.ts";
import { readSide, type Side } from "../reports/plan/side.ts";
import { follow } from "../applications/render/revision-paths.ts";
import type { AppPair, AppSide } from "./application-pairs.ts";
import { textOf as textOfFile } from "../platform/ports/files.ts";
import { commandText, isOfCommand } from "./command-applications.ts";
import type { FetchedCharts } from "./fetched-charts.ts";
import { appliedOf, renderedText, renderingOf } from "./render-steps.ts";
import { hasPlugins, type MadeRenderings, type Rendered } from "./made-renderings.ts";
import { otherRevisions } from "./other-revisions.ts";
import { isNoApplication } from "./unrendered-row.ts";
import { withoutSecretTexts } from "../reports/plan/secret-texts.ts";
import { unknownValues } from "./unknown-values.ts";
import { watchedJobs } from "./run-jobs.ts";

/** What applications of two revisions are rendered with. */
export interface RenderingOf {
  readonly io: Io;
  readonly revisions: Revisions;
  readonly cache: RenderCache | undefined;
  readonly charts: FetchedCharts;
  /** Where commands of rollstamp.yaml run; undefined where none may. */
  readonly checkouts?: Checkouts | undefined;
  /** What was rendered to look for applications: no side is rendered twice. */
  readonly made: MadeRenderings;
}

/** What is known while applications are rendered and compared. */
export interface Comparing extends RenderingOf {
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
  /** Of one that differs: its sources that do, and what others of its cluster have to know of its head. */
  readonly changed?: readonly ChangedSource[];
  readonly across?: LookedAcross;
}

/** Renders applications at both revisions, so many at once, and compares each as soon as it is rendered. */
export async function compareRenderings(comparing: Comparing, pairs: readonly AppPair[]): Promise<readonly Compared[]> {
  const { io, jobs } = comparing;
  const waiting = new Map<AppPair, { base?: Rendered; head?: Rendered }>();
  const compared = new Map<AppPair, Compared>();
  const tasks = pairs.flatMap((pair) =>
    (["base", "head"] as const).flatMap((side) => (side === "base" && isSame(io, pair) ? [] : { pair, side })),
  );
  const nameOf = ({ pair }: { readonly pair: AppPair }): string => pair.application.name;
  await watchedJobs(io, tasks, { what: "rendering", jobs, nameOf }, async ({ pair, side }) => {
    const one = await renderSide(comparing, pair[side], side);
    const both = waiting.get(pair) ?? {};
    both[side] = one;
    if (isSame(io, pair)) both.base = one;
    if (both.base === undefined || both.head === undefined) waiting.set(pair, both);
    else {
      // What was rendered is not kept: memory doesn't grow with the number of applications.
      waiting.delete(pair);
      compared.set(pair, compareOne(comparing, pair, { base: both.base, head: both.head }));
    }
  });
  return pairs.flatMap((pair) => compared.get(pair) ?? []);
}

/**
 * Whether both are made from the same, and so rendered once: a chart with random values would differ from itself. What a
 * command or a plugin of the owner reads nobody knows.
 */
function isSame(io: Io, pair: AppPair): boolean {
  return pair.base !== undefined && pair.base.key === pair.head?.key && !isOfCommand(pair) && !hasPlugins(io);
}

/** The rendering of one side; empty where it has none. What can't be rendered is told, and stops no other. */
export async function renderSide(
  rendering: RenderingOf,
  side: AppSide | undefined,
  which: "base" | "head",
): Promise<Rendered> {
  if (side === undefined) return { text: "" };
  return (await rendering.made.get(side, which)) ?? (await renderAnew(rendering, side, which));
}

/** A rendering that is wanted again in this run. */
export async function renderKept(rendering: RenderingOf, side: AppSide, which: "base" | "head"): Promise<Rendered> {
  // Who looked for applications may look at it again, for what others take values from.
  const made = await rendering.made.get(side, which);
  if (made !== undefined) return made;
  const rendered = await renderAnew(rendering, side, which);
  if (!("isCached" in rendered)) await rendering.made.put(side, which, rendered);
  return rendered;
}

async function renderAnew(
  { io, revisions, cache, charts, checkouts }: RenderingOf,
  side: AppSide,
  which: "base" | "head",
): Promise<Rendered | { readonly text: string; readonly isCached: true }> {
  const revision = revisions[which];
  try {
    const { renderable } = side;
    if (renderable.is === "unable") throw new RollstampError("input", renderable.because);
    const committed = (files: readonly string[]): Promise<string> => committedText(files, revision, revisions);
    if (renderable.is === "files") return { text: await committed(renderable.files) };
    // What is fetched, and what programs of the owner make of it, its files don't tell.
    const isKept =
      cache !== undefined && !side.closure.isRemote && !hasPlugins(io) && side.application.render.by !== "command";
    const known = isKept ? await cache.get(side.key) : undefined;
    if (known !== undefined) return { text: known, isCached: true };
    const written = {
      ...(await revisions.writeOut(revision, side.closure.needed())),
      commit: revision.commit,
      committed,
      run: checkouts && ((folder: string, command: string) => commandText(io, checkouts[which], folder, command)),
    };
    const { text, isFixed } = await renderedText(io, renderable.steps, written, charts);
    if (!isKept || !isFixed) return { text };
    await cache.put(side.key, text);
    return { text, isCached: true };
  } catch (cause) {
    if (cause instanceof RollstampError) return { error: cause };
    throw cause;
  }
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
  const moved = otherRevisions(base?.application, head?.application);
  if (moved !== undefined)
    return { application: { ...planned, status: "Failed", ...failureOf(moved) }, notExamined: [] };
  const text = (side: "base" | "head"): string | undefined =>
    "text" in rendered[side] ? rendered[side].text : undefined;
  const namespaces = namespacesOf({ base, head });
  const isSameText =
    base !== undefined && head !== undefined && text("base") !== undefined && text("base") === text("head");
  const unchanged: Compared = {
    application: Object.assign({}, planned, { status: "Unchanged" } as const),
    notExamined: unknownValues(head, base),
  };
  if (isSameText && namespaces.base === namespaces.head) return unchanged;
  const read = (side: "base" | "head"): Tried<{ readonly manifests: Manifests | undefined; readonly read: Side }> =>
    tried(() => {
      const { [side]: namespace = "" } = namespaces;
      const manifests = manifestsOf(
        io,
        Object.assign({}, application, { namespace }),
        textOf(rendered[side]),
        revisions[side],
      );
      return { manifests, read: readSide(asList(manifests), specOf(spec, namespaces[side]), hmacKey) };
    });
  const both = { base: read("base"), head: read("head") };
  if (both.base.failure !== undefined || both.head.failure !== undefined)
    return { application: { ...planned, ...failed(both, revisions) }, notExamined: [] };
  const sides = { base: both.base.is.read, head: both.head.is.read };
  const planning = tried(() => planPart([sides], planOptions));
  if (planning.failure !== undefined)
    return { application: { ...planned, status: "Failed", ...planning.failure }, notExamined: [] };
  // What is applied to another namespace is another object where it names none itself.
  if (isSameText && isWithoutChange(planning.is)) return unchanged;
  return {
    application: Object.assign({}, planned, { status: "Changed" } as const),
    // What it was made from is let go.
    part: copied(
      namedPart(withoutSecretTexts(planning.is, secretsOf(base, head)), () => application.name, application.name),
    ),
    // Objects that are applications, or are told as none, are no rows of this one.
    notExamined: [
      ...unknownValues(head, base),
      ...renderedElsewhere(both.head.is.manifests?.items ?? [], application.path).filter(isNoApplication),
    ],
    ...(application.cluster === undefined
      ? {}
      : copied({ changed: changedSources(sides.base, sides.head), across: lookedAcross(sides.head) })),
  };
}

/** The texts that either side takes from Secrets. */
function secretsOf(...sides: readonly (AppSide | undefined)[]): readonly string[] {
  return sides.flatMap((side) => (side?.renderable.is === "steps" ? (side.renderable.secrets ?? []) : []));
}

/** Into which namespace each side is applied, if it doesn't say so itself. */
function namespacesOf({
  base,
  head,
}: Pick<AppPair, "base" | "head">): Readonly<Record<"base" | "head", string | undefined>> {
  const [before, after] = [base?.application.namespace, head?.application.namespace];
  return { base: base === undefined ? after : before, head: head === undefined ? before : after };
}

function specOf(spec: ConfigHashSpec, namespace: string | undefined): ConfigHashSpec {
  return namespace === undefined ? spec : Object.assign({}, spec, { defaultNamespace: namespace });
}

function isWithoutChange({ rows, otherObjects }: PlanPart): boolean {
  return otherObjects === 0 && rows.every(({ planned: { action } }) => action === "None");
}

type Tried<T> = { readonly is: T; readonly failure?: undefined } | { readonly failure: Failure };

function tried<T>(work: () => T): Tried<T> {
  try {
    return { is: work() };
  } catch (cause) {
    if (cause instanceof RollstampError) return { failure: failureOf(cause) };
    throw cause;
  }
}

/** Which revision can't be rendered: where that is both, the change doesn't break it. */
function failed(
  { base, head }: Readonly<Record<"base" | "head", Tried<unknown>>>,
  revisions: Revisions,
): Pick<PlannedApplication, "status" | "message" | "missing" | "failedBefore"> {
  const inHead = head.failure !== undefined;
  const failure = head.failure ?? base.failure;
  const { revision } = revisions[inHead ? "head" : "base"];
  return {
    status: "Failed",
    ...failure,
    message: `in ${revision}: ${failure?.message ?? ""}`,
    ...(inHead && base.failure !== undefined ? { failedBefore: true as const } : {}),
  };
}

function manifestsOf(
  io: Io,
  application: AppPair["application"],
  text: string,
  { revision }: Revision,
): Manifests | undefined {
  const manifests = renderingOf(io, text, `the rendering of ${application.name} in ${revision}`);
  return manifests && appliedOf(application, manifests);
}

/** What is made of the head of an application as it is rendered, or why it can't be. */
export async function headOf<T>(
  comparing: Comparing,
  { application, head }: AppPair,
  work: (manifests: readonly Manifests[], spec: ConfigHashSpec) => T,
): Promise<{ readonly is: T } | { readonly error: RollstampError }> {
  const { io, revisions, spec } = comparing;
  const rendered = await renderSide(comparing, head, "head");
  if ("error" in rendered) return rendered;
  try {
    const manifests = asList(manifestsOf(io, application, rendered.text, revisions.head));
    return { is: work(manifests, specOf(spec, application.namespace)) };
  } catch (cause) {
    if (cause instanceof RollstampError) return { error: cause };
    throw cause;
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

function textOf(rendered: Rendered): string {
  if ("text" in rendered) return rendered.text;
  throw rendered.error;
}

// A piece of a text keeps the whole of it in memory: of a rendering of megabytes, for a name of ten characters.
function copied<T>(data: T): T {
  return structuredClone(data);
}
