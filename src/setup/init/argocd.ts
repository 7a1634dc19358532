import { posix } from "node:path";
import { editAnnotations } from "../../yaml/edit/annotations.ts";
import { editedText } from "../../yaml/edit/checked.ts";
import { remoteDependencies } from "../../applications/tools/chart-dependencies.ts";
import { quietly, RollstampError } from "../../base/errors.ts";
import { CHARTS_FOLDER, DEPENDENCY_FILES, isVendoredAs } from "../../base/hosts/helm.ts";
import { MANIFEST_PATHS } from "../../base/hosts/argocd.ts";
import { CONFIG_FILE } from "../../base/keys.ts";
import { describe, type Item } from "../../yaml/read/items.ts";
import { readFoundText } from "../../yaml/read/manifest-text.ts";
import { get, getPath, getString, kindOf, stringOf } from "../../yaml/read/node.ts";
import { NONE } from "../../yaml/read/tree.ts";
import type { InitFolder } from "../../platform/ports/files.ts";
import {
  folderAt,
  type Kustomizations,
  kustomizationsIn,
  needsFetching,
  usesCharts,
  usesFunctions,
} from "./kustomizations.ts";
import { FIRST_STAMPS } from "./typed.ts";
import type { FileProposal, InitTarget } from "./init-target.ts";

const PLUGIN = "rollstamp";

/** The path of the spec with the source. */
const SPECS: Readonly<Record<string, readonly string[]>> = {
  Application: ["spec"],
  ApplicationSet: ["spec", "template", "spec"],
};

/** The plugin in the Applications of a folder. */
export const ARGOCD: InitTarget = {
  name: "argocd",
  summary: "the plugin in the Applications of a folder",
  takes: [],
  propose: (folder) => {
    const notes: string[] = [];
    const templates: string[] = [];
    const refusals: (string | undefined)[] = [];
    const kustomizations = kustomizationsIn(folder);
    const refusalOf = (item: Item): string | undefined =>
      refusalOfFields(item) ?? refusalOfFolder(item, folder, kustomizations);
    const files = folder.find("**/*.{yaml,yml}").flatMap((path): FileProposal[] => {
      const before = folder.read(path);
      if (before === undefined || !/^[ \t]*apiVersion:[ \t]*argoproj\.io\//mu.test(before)) return [];
      const text = readFoundText(before, posix.join(folder.typed, path), folder.limits);
      if (text.is === "broken") throw text.error;
      if (text.is === "template" && isOfApplications(before)) templates.push(path);
      if (text.is !== "manifests") return [];
      const { tree, items } = text.manifests;
      const found = items.filter((item) => item.group === "argoproj.io" && Object.hasOwn(SPECS, item.kind));
      const splices = found.flatMap((item) => {
        const refusal = refusalOf(item);
        refusals.push(refusal);
        return wire(item, path, refusal, notes);
      });
      return splices.length === 0 ? [] : [{ path, before, after: editedText(tree, splices) }];
    });
    const [template] = templates;
    if (refusals.length === 0 && template !== undefined) {
      throw new RollstampError("usage", "these Applications are templates and can't be edited as YAML", {
        place: { file: posix.join(folder.typed, template) },
        remedy: `Add it by hand to the source: 'plugin: {name: ${PLUGIN}}'.`,
      });
    }
    notes.push(
      ...templates.map((path) => `${path}: a template: add 'plugin: {name: ${PLUGIN}}' to the source by hand.`),
    );
    if (refusals.length === 0) {
      throw new RollstampError("usage", "no Application found in this folder", {
        remedy: "Use the folder of your Argo CD Applications.",
      });
    }
    if (templates.length === 0 && refusals.every((refusal) => refusal !== undefined))
      return { files, notes: [...notes, NEXT_BEST], nothing: "no Application here can take the plugin" };
    return {
      files,
      notes: [...notes, "Add the plugin's sidecar to the repo-server: docs/guides/argocd.md.", FIRST_STAMPS],
    };
  },
};

function isOfApplications(text: string): boolean {
  return Object.keys(SPECS).some((kind) => new RegExp(`^[ \\t]*kind:[ \\t]*${kind}[ \\t]*$`, "mu").test(text));
}

/** Fields of a source that exclude a plugin (argo-cd pkg/apis/application/v1alpha1, ApplicationSource). */
const TOOLS = ["chart", "directory"] as const;

/** What to do if every Application refuses the plugin. */
const NEXT_BEST =
  "Stamp the manifests in Git instead: docs/start/manifests.md. Or move the options into the kustomization or the values files, and run this again.";

function sourceOf({ tree, node, kind }: Item): Item["node"] {
  return getPath(tree, node, [...(SPECS[kind] ?? []), "source"]);
}

function hasPlugin(item: Item): boolean {
  return kindOf(item.tree, get(item.tree, sourceOf(item), "plugin")) === "mapping";
}

/** What the single source of an Application has that a plugin can't be combined with. */
function refusalOfFields(item: Item): string | undefined {
  const { tree } = item;
  const source = sourceOf(item);
  if (source === NONE) return undefined;
  const other = TOOLS.find((tool) => get(tree, source, tool) !== NONE);
  if (other !== undefined) return `'${other}', which can't be combined with a plugin`;
  return !hasPlugin(item) && ["kustomize", "helm"].some((tool) => get(tree, source, tool) !== NONE)
    ? "options for kustomize or Helm, which Argo CD ignores with a plugin"
    : undefined;
}

/** What the folder of an Application needs that the plugin does not do; undefined if the folder is not here. */
function refusalOfFolder(item: Item, folder: InitFolder, kustomizations: Kustomizations): string | undefined {
  const written = getString(item.tree, sourceOf(item), "path");
  if (written === undefined || hasPlugin(item)) return undefined;
  const path = folderAt(".", written);
  if (kustomizations.has(path)) {
    if (needsFetching(path, kustomizations)) return "remote bases, which the plugin does not fetch";
    if (usesFunctions(folder, path, kustomizations))
      return "functions in its kustomization, which the plugin does not run";
    return usesCharts(folder, path, kustomizations)
      ? "charts in its kustomization, which the plugin inflates only with --enable-helm in its ROLLSTAMP_KUSTOMIZE_BUILD_OPTIONS"
      : undefined;
  }
  const dependencies = DEPENDENCY_FILES.flatMap((name) => {
    const text = folder.read(posix.join(folder.repository, path, name));
    return text === undefined ? [] : (quietly(() => remoteDependencies(text, name, folder.limits)) ?? []);
  });
  if (dependencies.length === 0) return undefined;
  const charts = posix.join(path, CHARTS_FOLDER);
  const entries = folder
    .findInRepository(`${charts}/**`)
    .map((file) => posix.relative(charts, posix.join(folder.path, file)).split("/", 1)[0] ?? "");
  const isMissing = dependencies.some(({ name }) => !entries.some((entry) => isVendoredAs(entry, name)));
  return isMissing
    ? "a chart whose dependencies are not in its folder 'charts', and the plugin does not fetch them"
    : undefined;
}

/**
 * Whether Argo CD would not render a change of the configuration at the root of the repository: with the annotation, it only
 * renders changes of its paths (docs/why/observed.md, "Argo CD's cache").
 */
function leavesOutConfiguration(item: Item): boolean {
  const { tree, node, kind } = item;
  const annotations = getPath(tree, node, [...(SPECS[kind] ?? []).slice(0, -1), "metadata", "annotations"]);
  const paths = stringOf(tree, get(tree, annotations, MANIFEST_PATHS)) ?? "";
  if (paths === "") return false;
  const from = getString(tree, sourceOf(item), "path") ?? "";
  return paths
    .split(";")
    .filter((path) => path !== "")
    .every((path) => !["/", `/${CONFIG_FILE}`].includes(posix.resolve("/", from, path)));
}

function wire(
  item: Item,
  path: string,
  refusal: string | undefined,
  notes: string[],
): ReturnType<typeof editAnnotations> {
  if (sourceOf(item) === NONE) {
    notes.push(
      `${path}: ${describe(item)} has no single source: add 'plugin: {name: ${PLUGIN}}' to the source that is rendered.`,
    );
    return [];
  }
  if (refusal !== undefined) {
    notes.push(`${path}: ${describe(item)} has ${refusal}: not changed.`);
    return [];
  }
  if (leavesOutConfiguration(item)) {
    notes.push(
      `${path}: ${describe(item)} has ${MANIFEST_PATHS}: add '/${CONFIG_FILE}' to it, or changes of that file are not rendered.`,
    );
  }
  if (hasPlugin(item)) return [];
  return editAnnotations(
    { item, base: item.node, path: [...(SPECS[item.kind] ?? []), "source", "plugin"] },
    { set: new Map([["name", PLUGIN]]), remove: new Set() },
  );
}
