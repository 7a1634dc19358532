import { sumOf } from "../../base/grouped.ts";
import { relative } from "node:path";
import { counted } from "../../base/words.ts";
import { quietly } from "../../base/errors.ts";
import { STAMP } from "../../base/keys.ts";
import { readConfigHash, type ConfigHashSpec } from "../../stamping/function/config-hash.ts";
import { analyse, checkAlone } from "../../stamping/pipeline.ts";
import { readConfigs } from "../../applications/inputs/config-file.ts";
import { readManifestFiles } from "../../applications/inputs/manifest-files.ts";
import { scopes } from "../../applications/inputs/parts.ts";
import type { NotExaminedKind } from "../../findings/not-examined/not-examined-kinds.ts";
import type { Io } from "../../platform/ports/io.ts";
import { editAnnotations } from "../../yaml/edit/annotations.ts";
import { editedText } from "../../yaml/edit/checked.ts";
import type { Item } from "../../yaml/read/items.ts";
import { get, getPath } from "../../yaml/read/node.ts";
import { NONE } from "../../yaml/read/tree.ts";
import { readManifestText, type ManifestFile } from "../../yaml/read/manifest-text.ts";
import type { FileProposal, Inventory, IsPart } from "./init-target.ts";

const WORDS: Partial<Record<NotExaminedKind, string>> = {
  Application: "Argo CD Application",
  ApplicationSet: "ApplicationSet",
  FluxKustomization: "Flux Kustomization",
  HelmRelease: "HelmRelease",
  ResourceSet: "ResourceSet",
};

/** Takes the inventory of a repository, or of a part of it, with the files that kustomizations are built from. */
export async function inventoryOf(io: Io, root: string, isPart: IsPart = () => true): Promise<Inventory> {
  const configs = readConfigs(io, [root], undefined);
  const spec = readConfigHash(configs.forKind("ConfigHash").config);
  const { limits } = io.context;
  const read = await readManifestFiles(io.files, [root], {
    limits,
    kustomizeInput: true,
    check: checkAlone(spec),
    ...(configs.file === undefined ? {} : { except: new Set([configs.file]) }),
  });
  const fromRoot = (path: string): string => relative(root, path) || ".";
  const paths = (kind: NotExaminedKind): readonly string[] =>
    read.notExamined.flatMap((row) => (row.kind === kind ? [fromRoot(row.path)] : [])).filter(isPart);
  // A release of the part may use what its folder has outside of the part.
  const optedIn = scopes(read.files, "directory").flatMap((files) =>
    (quietly(() => optIn(files, spec, limits)) ?? [])
      .map((file) => ({ ...file, path: fromRoot(file.path) }))
      .filter(({ path }) => isPart(path)),
  );
  return {
    paths,
    named: (...kinds) => {
      const counts = kinds.flatMap((kind) => {
        const { length } = paths(kind);
        return length === 0 ? [] : [counted(length, WORDS[kind] ?? kind)];
      });
      const last = counts.pop() ?? "";
      return counts.length === 0 ? last : `${counts.join(", ")} and ${last}`;
    },
    others: read.others.map(fromRoot).filter(isPart),
    stampable: {
      releases: sumOf(optedIn, ({ releases }) => releases),
      paths: optedIn.map(({ path }) => path),
      files: optedIn.filter(({ before, after }) => before !== after),
    },
  };
}

function isRelease({ group, kind }: Item): boolean {
  return group === "helm.toolkit.fluxcd.io" && kind === "HelmRelease";
}

/** Whether the release has opted in or out. */
function hasChosen({ tree, node }: Item): boolean {
  return get(tree, getPath(tree, node, ["metadata", "annotations"]), STAMP) !== NONE;
}

/** The files of a folder with releases that get stamps if they opt in, with the annotation. */
function optIn(
  files: readonly ManifestFile[],
  spec: ConfigHashSpec,
  limits: Io["context"]["limits"],
): (FileProposal & { readonly before: string; readonly releases: number })[] {
  if (!files.some(({ manifests }) => manifests.items.some(isRelease))) return [];
  const withOptIn = (file: ManifestFile, isWanted: (index: number) => boolean): string => {
    const { items, tree } = file.manifests;
    const splices = items.flatMap((item, index) =>
      isRelease(item) && isWanted(index) && !hasChosen(item)
        ? editAnnotations(
            { item, base: item.node, path: ["metadata", "annotations"] },
            { set: new Map([[STAMP, "true"]]), remove: new Set() },
          )
        : [],
    );
    return editedText(tree, splices);
  };
  const all = files.map(
    (file) =>
      readManifestText(
        withOptIn(file, () => true),
        file.path,
        limits,
      ) ?? file.manifests,
  );
  const stamped = new Set(
    analyse(all, spec).desired.flatMap(({ stamps, decision: { template } }) =>
      stamps.size > 0 ? [template.item] : [],
    ),
  );
  return files.flatMap((file, i) => {
    const isStamped = (index: number): boolean => {
      const item = all[i]?.items[index];
      return item !== undefined && isRelease(item) && stamped.has(item);
    };
    const releases = file.manifests.items.filter((_, index) => isStamped(index)).length;
    const before = file.manifests.tree.text;
    return releases === 0 ? [] : [{ path: file.path, before, after: withOptIn(file, isStamped), releases }];
  });
}
