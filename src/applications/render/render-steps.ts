import { objectKey } from "../../base/identity.ts";
import { join } from "node:path";
import type { Application } from "../discover/application.ts";
import { argoVariables } from "../discover/argo-variables.ts";
import { BUILD_OPTIONS_VARIABLE } from "../tools/build-options.ts";
import { RollstampError } from "../../base/errors.ts";
import type {
  ApplicationToRender,
  KustomizationEdit,
  RenderedApplication,
  SharedStage,
} from "../../platform/ports/applications.ts";
import type { Io } from "../../platform/ports/io.ts";
import { holdsNothing, readManifests, type Manifests } from "../../yaml/read/items.ts";
import { placedIn } from "../../yaml/read/placed.ts";
import { readTree } from "../../yaml/read/tree.ts";
import { dataDigest } from "./affected.ts";
import { withArgoEdits } from "./argo-edits.ts";
import { isSynced } from "./argo-hooks.ts";
import { fluxEdits } from "./flux-kustomization.ts";
import { fluxObjects } from "./flux-objects.ts";
import { leftOut as excludedBy } from "./source-artifact.ts";
import type { FluxStep, HelmStep, KustomizeStep, Step } from "./step.ts";
import { chartsOfRendering, type FetchedCharts } from "./fetched-charts.ts";
import { pluginText, renderEnvironment } from "./plugin.ts";
import { renderedRelease, type RenderedRelease } from "./render-release.ts";

/** The output of all steps. */
export type RenderedText = RenderedRelease;

/** An exported snapshot. */
export interface WrittenOut {
  readonly root: string;
  readonly together?: SharedStage;
  readonly commit: string;
  /** Committed manifests as one stream. */
  readonly committed: (files: readonly string[]) => Promise<string>;
  /** Builds once what several Kustomizations of Flux build alike. */
  readonly built: (
    step: Pick<KustomizeStep, "folder"> & { readonly flux: FluxStep },
    build: () => Promise<RenderedApplication>,
  ) => Promise<RenderedApplication>;
  /** Runs a command of rollstamp.yaml in a folder; undefined if commands are not allowed. */
  readonly run?: ((folder: string, command: string) => Promise<string>) | undefined;
}

/** Runs kustomize and helm over exported files. */
export async function renderedText(
  io: Io,
  steps: readonly Step[],
  written: WrittenOut,
  charts: FetchedCharts,
): Promise<RenderedText> {
  const printed: RenderedText[] = [];
  for (const step of steps) {
    if (step.by === "helm") {
      const variables = step.environment === undefined ? {} : argoVariables(step.environment, undefined);
      const environment = { ...renderEnvironment(io.environment, []), ...variables };
      printed.push(await renderedRelease(io, step, written.root, environment, charts));
    } else {
      const { fetchChart, areFixed } = chartsOfRendering(charts);
      const printedText = await stepText(io, step, { ...written, fetchChart });
      printed.push({ leftOut: [], ...printedText, isFixed: step.by !== "command" && areFixed() });
    }
  }
  const [only, ...others] = printed;
  const text = others.length === 0 ? only?.text : printed.map((one) => `---\n${one.text}`).join("\n");
  return {
    text: text ?? "",
    isFixed: printed.every(({ isFixed }) => isFixed),
    leftOut: printed.flatMap(({ leftOut }) => leftOut),
    ...(printed.some(({ isCut }) => isCut === true) ? { isCut: true as const } : {}),
  };
}

async function stepText(
  io: Io,
  step: Exclude<Step, HelmStep>,
  { root, together, commit, committed, built, run, fetchChart }: WrittenOut & Pick<ApplicationToRender, "fetchChart">,
): Promise<Pick<RenderedApplication, "text" | "leftOut" | "isCut">> {
  if (step.by === "files") return { text: await committed(step.files) };
  if (step.by === "outside") {
    const texts = step.files.map((path) =>
      io.applications.fileText({ folder: root, root, limits: io.context.limits }, path),
    );
    return { text: "", leftOut: [{ ...step.part, id: dataDigest([step.from, texts]) }] };
  }
  const application = { folder: join(root, step.folder), root, limits: io.context.limits };
  if (step.by === "plugin") return { text: await pluginText(io, step.plugin, application, commit) };
  if (step.by === "command") {
    if (run !== undefined) return { text: await run(step.folder, step.command) };
    throw new RollstampError("input", "a command of rollstamp.yaml renders it, and commands are not allowed", {
      remedy: "To run the command of the base revision, use plan --git A..B --allow-commands.",
    });
  }
  const { flux } = step;
  // Flux uses no build options of the user: no helm, no plugins.
  const base = flux === undefined ? io.environment : { ...io.environment, [BUILD_OPTIONS_VARIABLE]: "" };
  const environment = Object.assign({}, renderEnvironment(base, step.options), variablesOf(step, undefined));
  const edits = flux === undefined ? editOf(step, commit) : fluxEdits(flux.build);
  const fetched = flux === undefined ? {} : { isLeftOut: excludedBy(flux.build.ignored, io.context.limits) };
  const build = (): Promise<RenderedApplication> =>
    io.applications.renderKustomization({
      application,
      given: new Map(),
      environment,
      isOnlyCompared: true,
      leavesOut: true,
      withOwnSchemasOnly: true,
      fetchChart,
      together,
      ...edits,
      ...fetched,
    });
  if (flux === undefined) return build();
  const printed = await built({ folder: step.folder, flux }, build);
  const { leftOut = [] } = printed;
  // What Flux changes after the build would change the objects of these parts, too.
  const changes = leftOut.length === 0 ? "" : dataDigest(flux.objects);
  return {
    ...printed,
    text: fluxObjects(printed.text, flux.objects, io.context.limits),
    leftOut: leftOut.map((part) => ({ ...part, id: `${part.id} ${changes}`, ownId: part.id })),
  };
}

/** The variables that Argo CD sets for the build of an Application. */
function variablesOf({ argo }: KustomizeStep, commit: string | undefined): Readonly<Record<string, string>> {
  return argo === undefined ? {} : argoVariables(argo.environment, commit);
}

function editOf(step: KustomizeStep, commit: string): { readonly edit?: KustomizationEdit } {
  const { argo } = step;
  if (argo === undefined) return {};
  const variables = variablesOf(step, commit);
  return { edit: (kustomization, exists) => withArgoEdits(kustomization, argo, { exists, variables }) };
}

/** The manifests of a rendering; undefined if it is empty. Throws a RollstampError if it is not manifests. */
export function renderingOf(io: Io, text: string, shown: string): Manifests | undefined {
  const tree = readTree(text, shown, io.context.limits);
  if (holdsNothing(tree)) return undefined;
  const manifests = readManifests(tree);
  if (manifests.form === "stream") return manifests;
  throw new RollstampError("input", "the output is a ResourceList, not manifests", { place: { file: shown } });
}

/** The manifests of a rendering as they are applied. */
export function appliedOf({ namespace = "", foundBy, render }: Application, rendering: Manifests): Manifests {
  const placed = placedIn(namespace, rendering);
  const each = render.by === "sources" ? lastOfEach(placed) : placed;
  const isOfArgo = foundBy === "Application" || foundBy === "ApplicationSet";
  return isOfArgo ? { ...each, items: each.items.filter(isSynced) } : each;
}

/** The last one of duplicate objects: Argo CD takes that one if an Application has several sources. */
function lastOfEach(manifests: Manifests): Manifests {
  const last = new Map(manifests.items.map((item) => [identityOf(item), item]));
  return { ...manifests, items: manifests.items.filter((item) => last.get(identityOf(item)) === item) };
}

function identityOf(item: Manifests["items"][number]): string {
  return item.name === "" ? String(item.index) : objectKey(item);
}
