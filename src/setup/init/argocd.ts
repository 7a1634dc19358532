import { posix } from "node:path";
import { editAnnotations } from "../../yaml/edit/annotations.ts";
import { editedText } from "../../yaml/edit/checked.ts";
import { remoteDependencies } from "../../applications/tools/chart-dependencies.ts";
import { quietly, RollstampError } from "../../base/errors.ts";
import { groupedBy } from "../../base/grouped.ts";
import { CHARTS_FOLDER, DEPENDENCY_FILES, isVendoredAs } from "../../base/hosts/helm.ts";
import { MANIFEST_PATHS } from "../../base/hosts/argocd.ts";
import { CONFIG_FILE } from "../../base/keys.ts";
import { counted, pluralize } from "../../base/words.ts";
import { formatList } from "../../base/names.ts";
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

/** What makes a source use it. */
const ADDED = `plugin: {name: ${PLUGIN}}`;

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
  propose: async (folder, options) => {
    const read = folder.find("**/*.{yaml,yml}").flatMap((path) => {
      const before = folder.read(path);
      if (before === undefined || !/^[ \t]*apiVersion:[ \t]*argoproj\.io\//mu.test(before)) return [];
      const text = readFoundText(before, posix.join(folder.typed, path), folder.limits);
      if (text.is === "broken") throw text.error;
      return [{ path, before, text }];
    });
    const templates = read.flatMap(({ path, before, text }) =>
      text.is === "template" && isOfApplications(before) ? [path] : [],
    );
    const found = read.flatMap(({ path, before, text }) => {
      if (text.is !== "manifests") return [];
      const { tree, items } = text.manifests;
      const applications = items.filter(({ group, kind }) => group === "argoproj.io" && Object.hasOwn(SPECS, kind));
      return applications.length === 0 ? [] : [{ path, before, tree, applications }];
    });
    const [template] = templates;
    if (found.length === 0) {
      if (template === undefined)
        throw new RollstampError("usage", "no Application found in this folder", {
          remedy: "Use the folder of your Argo CD Applications.",
        });
      throw new RollstampError("usage", "these Applications are templates and can't be edited as YAML", {
        place: { file: posix.join(folder.typed, template) },
        remedy: `Add it by hand to the source: '${ADDED}'.`,
      });
    }
    const areSets = found.some(({ applications }) => applications.some(({ kind }) => kind === "ApplicationSet"));
    const generated = areSets ? await options.generated() : [];
    const kustomizations = kustomizationsIn(folder);
    const remarks: Remark[] = [];
    const refusals: (string | undefined)[] = [];
    const files = found.flatMap(({ path, before, tree, applications }): FileProposal[] => {
      const splices = applications.flatMap((item) => {
        const file = posix.join(folder.path, path);
        const paths = generated.filter(({ definedIn }) => definedIn.includes(file)).map((made) => made.path);
        const refusal = refusalOfFields(item) ?? refusalOfFolders(item, paths, folder, kustomizations);
        refusals.push(refusal);
        return wire(item, path, refusal, remarks);
      });
      return splices.length === 0 ? [] : [{ path, before, after: editedText(tree, splices) }];
    });
    const because = [
      ...described(remarks),
      ...(templates.length === 0
        ? []
        : [
            `${counted(templates.length, "template")} (${shownFiles(templates)}): add '${ADDED}' to the source by hand`,
          ]),
    ];
    if (templates.length === 0 && refusals.every((refusal) => refusal !== undefined))
      return { files, because, notes: [NEXT_BEST], nothing: "no Application here can take the plugin" };
    return {
      files,
      because,
      notes: ["Add the plugin's sidecar to the repo-server: docs/guides/argocd.md.", FIRST_STAMPS],
    };
  },
};

/** What an Application has that the user should know. */
interface Remark {
  readonly path: string;
  readonly item: Item;
  readonly has: string;
}

function shownFiles(paths: readonly string[]): string {
  return formatList([...new Set(paths)], 3, ", ");
}

/** The remarks, a line each; the same about several Applications is one line. */
function described(remarks: readonly Remark[]): string[] {
  return [...groupedBy(remarks, ({ has }) => has)].map(([has, same]) => {
    const [first] = same;
    const what = same.length === 1 ? describe(first.item) : `${same.length} Applications`;
    return `${what} (${shownFiles(same.map(({ path }) => path))}) ${pluralize(same.length, "has", "have")} ${has}`;
  });
}

function isOfApplications(text: string): boolean {
  return Object.keys(SPECS).some((kind) => new RegExp(`^[ \\t]*kind:[ \\t]*${kind}[ \\t]*$`, "mu").test(text));
}

/** Fields of a source that exclude a plugin (argo-cd pkg/apis/application/v1alpha1, ApplicationSource). */
const TOOLS = ["chart", "directory"] as const;

/** Options of a source that exclude a plugin, and what to do instead. */
const INSTEAD: Readonly<Record<string, string>> = {
  kustomize: "put them into the kustomization",
  helm: "the plugin has parameters instead (docs/guides/argocd.md#parameters)",
};

/** What to do if every Application refuses the plugin. */
const NEXT_BEST =
  "Stamp the manifests in Git instead: docs/start/manifests.md. Or move the options into the kustomization or the values files, and run this again.";

function sourceOf({ tree, node, kind }: Item): Item["node"] {
  return getPath(tree, node, [...(SPECS[kind] ?? []), "source"]);
}

function hasPlugin(item: Item): boolean {
  return kindOf(item.tree, get(item.tree, sourceOf(item), "plugin")) === "mapping";
}

/** What the single source of an Application has that Argo CD refuses beside a plugin: `multiple application sources defined`. */
function refusalOfFields(item: Item): string | undefined {
  const { tree } = item;
  const source = sourceOf(item);
  if (source === NONE) return undefined;
  const other = TOOLS.find((tool) => get(tree, source, tool) !== NONE);
  if (other !== undefined) return `'${other}', which can't be combined with a plugin`;
  if (hasPlugin(item)) return undefined;
  const options = Object.keys(INSTEAD).find((tool) => get(tree, source, tool) !== NONE);
  return options === undefined
    ? undefined
    : `'${options}', which Argo CD refuses beside a plugin: ${INSTEAD[options] ?? ""}`;
}

/** What the folders of an Application need that the plugin does not do; undefined if they are not here. */
function refusalOfFolders(
  item: Item,
  generated: readonly string[],
  folder: InitFolder,
  kustomizations: Kustomizations,
): string | undefined {
  const written = getString(item.tree, sourceOf(item), "path");
  if (written === undefined || hasPlugin(item)) return undefined;
  if (item.kind === "Application") return refusalOfFolder(folderAt(".", written), folder, kustomizations);
  const refused = groupedBy([...new Set(generated)], (path) => refusalOfFolder(path, folder, kustomizations));
  const [first] = [...refused].flatMap(([refusal, paths]) =>
    refusal === undefined ? [] : [`${refusal} (${shownFiles(paths)})`],
  );
  return first;
}

function refusalOfFolder(path: string, folder: InitFolder, kustomizations: Kustomizations): string | undefined {
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
  remarks: Remark[],
): ReturnType<typeof editAnnotations> {
  if (sourceOf(item) === NONE) {
    remarks.push({ path, item, has: `no single source: add '${ADDED}' to the source that is rendered` });
    return [];
  }
  if (refusal !== undefined) {
    remarks.push({ path, item, has: `${refusal}. Not changed` });
    return [];
  }
  if (leavesOutConfiguration(item)) {
    const has = `${MANIFEST_PATHS}: add '/${CONFIG_FILE}' to it, or changes of that file are not rendered`;
    remarks.push({ path, item, has });
  }
  if (hasPlugin(item)) return [];
  return editAnnotations(
    { item, base: item.node, path: [...(SPECS[item.kind] ?? []), "source", "plugin"] },
    { set: new Map([["name", PLUGIN]]), remove: new Set() },
  );
}
