import { posix } from "node:path";
import { CONFIG_FILE } from "../../base/keys.ts";
import { RollstampError } from "../../base/errors.ts";
import { counted } from "../../base/words.ts";
import type { InitFolder } from "../../platform/ports/files.ts";
import { ARGOCD } from "./argocd.ts";
import { named } from "./checks.ts";
import { FLUX, PLAIN_FILES } from "./flux.ts";
import { HELM } from "./helm.ts";
import { helmfilesAmong } from "./helmfiles.ts";
import type { InitTarget, Inventory, Survey } from "./init-target.ts";
import { KPT } from "./kpt.ts";
import { kustomizationsIn, mayBuildWorkloads, outermostKustomizations } from "./kustomizations.ts";
import { KUSTOMIZE } from "./kustomize.ts";
import { commonFolderOf } from "./typed.ts";

/** What fits a repository, and why. */
export interface FittingPath {
  readonly target: InitTarget;
  /** From the root of the repository. */
  readonly folder: string;
  readonly because: string;
}

/**
 * The path that fits a repository: what applies it decides, else what renders it. Throws a RollstampError if nothing in it
 * could be stamped.
 */
export async function fittingPath(
  folder: InitFolder,
  { survey, inventory }: { readonly survey: () => Promise<Survey>; readonly inventory: () => Promise<Inventory> },
): Promise<FittingPath> {
  const found = await inventory();
  const argo = [...found.paths("Application"), ...found.paths("ApplicationSet")];
  if (argo.length > 0)
    return {
      target: ARGOCD,
      folder: argo.map((path) => posix.dirname(path)).reduce(commonFolderOf),
      because: `Argo CD applies it: ${found.named("Application", "ApplicationSet")}`,
    };
  const flux = found.named("FluxKustomization", "HelmRelease", "ResourceSet");
  if (flux !== "") return { target: FLUX, folder: ".", because: `Flux applies it: ${flux}` };
  const [helmfile] = helmfilesAmong(folder, found.others);
  if (helmfile !== undefined)
    return { target: HELM, folder: posix.dirname(helmfile), because: `helmfile releases it: ${helmfile}` };
  const fromRoot = (path: string): string => posix.join(folder.path, path);
  const [kptfile] = folder.findInRepository("**/Kptfile");
  if (kptfile !== undefined)
    return { target: KPT, folder: posix.dirname(fromRoot(kptfile)), because: `kpt renders it: ${fromRoot(kptfile)}` };
  const { workloads, workloadKinds } = await survey();
  const all = kustomizationsIn(folder);
  const charts = found.paths("Chart");
  // In a chart, it is an example of how to use the chart.
  const overlays = outermostKustomizations(folder, all).filter(
    (each) =>
      !charts.some((chart) => each.folder.startsWith(`${chart}/`)) &&
      mayBuildWorkloads(folder, each.folder, all, workloadKinds),
  );
  const overlay = overlays.find(({ wiring }) => wiring === undefined) ?? overlays[0];
  if (overlay !== undefined)
    return {
      target: KUSTOMIZE,
      folder: overlay.folder,
      because: `kustomize builds it: ${commandPerFolder(
        "outermost kustomization",
        overlays.map((each) => each.folder),
      )}`,
    };
  const config = (chart: string): string => posix.relative(folder.path, posix.join(chart, CONFIG_FILE));
  const chart = charts.find((path) => folder.read(config(path)) === undefined) ?? charts[0];
  if (chart !== undefined)
    return { target: HELM, folder: chart, because: `Helm renders it: ${commandPerFolder("chart", charts)}` };
  if (workloads > 0) return { target: PLAIN_FILES, folder: ".", because: "it has plain manifests" };
  throw new RollstampError("usage", "nothing was found here that could be stamped", {
    remedy: "Run it in a repository with manifests, kustomizations or charts, or name the host: rollstamp init --help.",
  });
}

function commandPerFolder(what: string, folders: readonly string[]): string {
  return `${counted(folders.length, what)} (${named(folders)})${folders.length > 1 ? "; each of them needs this command once" : ""}`;
}
