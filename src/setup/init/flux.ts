import { posix } from "node:path";
import { isInside } from "../../base/inside.ts";
import { counted, pluralize } from "../../base/words.ts";
import type { InitFolder } from "../../platform/ports/files.ts";
import type { InitOptions, InitTarget, Inventory, IsPart, Proposal, Survey } from "./init-target.ts";
import {
  type Kustomizations,
  kustomizationsBelow,
  kustomizationsIn,
  mayBuildWorkloads,
  outermostKustomizations,
  partOf,
} from "./kustomizations.ts";
import { commonFolderOf, typedFromRoot } from "./typed.ts";

/** Where the first stamps are made, everybody should know what they do. */
const FIRST =
  "The first stamps restart their pods once. --max-workloads 5 spreads that over several commits (docs/guides/waves.md).";
const OTHER_FOLDER =
  "Use the folder that spec.path of a Kustomization names, or the whole repository: rollstamp init flux";
const NEXT = "Plan pull requests: rollstamp init github --plan --write";

/**
 * Flux runs no program of ours, so stamps are made before Flux sees the manifests. The shortest way is taken that the
 * repository allows: stamps in the values of HelmReleases, stamps in committed manifests, or a rendering that is pushed.
 */
export const FLUX: InitTarget = {
  name: "flux",
  summary: "stamps in HelmReleases, or the commands that stamp files",
  takes: [],
  propose: async (folder, options) => {
    // A folder is one Kustomization's: they are adopted one after another.
    const from = options.isNamed ? folder.path : ".";
    const isPart = from === "." ? undefined : partOf(from, kustomizationsIn(folder));
    const inventory = await options.inventory(isPart);
    if (inventory.stampable.releases > 0) return inValues(folder, inventory, from);
    const isIn: IsPart = (path) => isInside(from, path);
    const survey = await options.survey(isIn);
    if (survey.workloads > 0) return inFiles(folder, survey, from);
    const all = kustomizationsIn(folder);
    if (![...all.keys()].some((at) => mayBuildWorkloads(folder, at, all, survey.workloadKinds))) {
      // Files beside a kustomization that includes none of them: it lists Flux's own objects, for example.
      const beside = await options.survey(isIn, true);
      if (beside.workloads > 0) return inFiles(folder, beside, from, " --kustomize-input");
    }
    return rendered(folder, survey, from, all);
  },
};

/** Plain manifests, which need nothing but stamps. */
export const PLAIN_FILES: InitTarget = {
  name: "files",
  summary: "stamps in plain manifests",
  takes: [],
  propose: async (folder: InitFolder, { survey }: InitOptions) => inFiles(folder, await survey(), "."),
};

function inValues(
  folder: InitFolder,
  { paths, stampable: { releases, paths: found, files } }: Inventory,
  from: string,
): Proposal {
  const all = paths("HelmRelease").length;
  return {
    files: files.map((file) => ({ ...file, path: posix.join(folder.repository, file.path) })),
    because: [
      `${releases} of ${counted(Math.max(all, releases), "HelmRelease")} ${pluralize(releases, "uses", "use")} ConfigMaps or Secrets of ${pluralize(releases, "its", "their")} folder: rollstamp.dev/stamp opts ${pluralize(releases, "it", "them")} in, and the stamps go into the values`,
    ],
    notes: [
      `Stamp them: rollstamp stamp --kustomize-input --scope directory ${foldersToStamp(found, from)
        .map((each) => typedFromRoot(folder, each))
        .join(" ")}`,
      FIRST,
      NEXT,
    ],
    nothing: "the HelmReleases have opted in already",
  };
}

function inFiles(folder: InitFolder, { workloads, scope }: Survey, from: string, flag = ""): Proposal {
  const scoped = scope === "all" ? "" : ` --scope ${scope}`;
  return {
    files: [],
    because: [`${counted(workloads, "workload")} in plain files: they are stamped where they are`],
    notes: [`Stamp them: rollstamp stamp${flag}${scoped} ${typedFromRoot(folder, from)}`, FIRST, NEXT],
    nothing: "nothing has to be set up",
  };
}

function rendered(folder: InitFolder, survey: Survey, from: string, all: Kustomizations): Proposal {
  const [first, ...others] = outermostKustomizations(folder, kustomizationsBelow(from, all))
    .map((each) => each.folder)
    .filter((each) => mayBuildWorkloads(folder, each, all, survey.workloadKinds));
  if (first === undefined)
    return {
      files: [],
      because: [
        from === "."
          ? "no workload is in Git: charts from elsewhere make them, with their own checksums"
          : `no workload is in ${from}, and no HelmRelease there can get stamps`,
      ],
      notes: [...(from === "." ? [] : [OTHER_FOLDER]), NEXT],
      nothing:
        "nothing here can be stamped before Flux applies it; a plan shows what a change rolls (docs/guides/flux.md)",
    };
  const more = others.length === 0 ? "" : ` and ${others.length} more`;
  return {
    files: [],
    because: [`kustomizations build the workloads (${first}${more}): they are stamped when CI renders them`],
    notes: [
      `See the stamps: kustomize build ${typedFromRoot(folder, first)} | rollstamp`,
      "Push such a rendering as an artifact, which Flux applies instead of the folder: docs/guides/flux.md.",
      FIRST,
      NEXT,
    ],
    nothing: "nothing has to be set up in these files",
  };
}

/** What to stamp: the deepest folder of the files that were looked for, and the folders of those that are included. */
function foldersToStamp(files: readonly string[], from: string): string[] {
  const insiders = files.filter((file) => isInside(from, file));
  const included = files.filter((file) => !isInside(from, file));
  return [
    ...(insiders.length === 0 ? [] : [commonFolder(insiders)]),
    ...new Set(included.map((file) => posix.dirname(file))),
  ];
}

/** The deepest folder that contains all files. */
function commonFolder(files: readonly string[]): string {
  return files.map((file) => posix.dirname(file)).reduce(commonFolderOf);
}
