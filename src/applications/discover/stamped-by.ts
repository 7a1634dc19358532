import { posix } from "node:path";
import { onceFor } from "../../base/grouped.ts";
import type { StampedBy } from "../../reports/plan/planned-application.ts";
import { fieldsOf, isMapping, listOf, textOrEmpty, type Mapping } from "../../yaml/read/json.ts";
import { isManifestName } from "../../yaml/read/manifest-text.ts";
import type { Json } from "../../yaml/read/node.ts";
import { isConfigHash, ownFunction, runsUs } from "../kustomize/own-functions.ts";
import { kustomizationOf } from "../kustomize/kustomization.ts";
import { isInline } from "../kustomize/paths.ts";
import { helmfilesIn } from "./helmfiles.ts";
import { rendersOf, type Application, type PluginRender, type Render } from "./application.ts";
import { takenIn } from "./flux.ts";
import { closureOf } from "./kustomizations.ts";
import { contentOf, documentsOf, documentsOfText } from "./marked.ts";
import { isInFolder, pathFrom } from "./paths.ts";
import { KPTFILE, type Repository } from "./repository.ts";
import type { WrittenApplications } from "./written.ts";

// What writes the stamps of an application on its way to the cluster (contract, section 8, "Version 3 of a plan").

/** What decides how an application is stamped, besides what the repository shows of it. */
export interface StampedByGiven {
  /** `--stamped-by`. */
  readonly option: StampedBy | undefined;
  /** The Applications document; of two revisions that of the head. */
  readonly written: Pick<WrittenApplications, "stampedBy">;
}

/**
 * How an application is stamped, if anything declares it. `row` is the application that the document describes: that of
 * the head if both revisions have it.
 */
export function declaredStampedBy(
  { option, written: { stampedBy } }: StampedByGiven,
  { stampedBy: shown }: Pick<Application, "stampedBy">,
  row: Pick<Application, "path" | "name" | "givenName">,
): StampedBy | undefined {
  return option ?? stampedBy.ofRow(row) ?? shown ?? stampedBy.ofAll;
}

/** How an application is stamped: as declared, else by the stamps in its files or rendering. */
export function stampedByOf(declared: StampedBy | undefined, containsStamps: () => boolean): StampedBy {
  return declared ?? (containsStamps() ? "Files" : "Nothing");
}

type Shows = (application: Application, repository: Repository) => boolean;

/** What the repository can show; the first that applies counts. */
const SHOWN: readonly (readonly [StampedBy, Shows])[] = [
  ["Plugin", ({ render }) => ownPluginOf(render) !== undefined],
  ["Transformer", (application, repository) => transformerOf(application, repository) !== undefined],
  [
    "PostRenderer",
    ({ foundBy, render }, repository) =>
      // Argo CD and Flux do not run Helmfile.
      (foundBy === "Chart" || foundBy === "Applications") &&
      render.by === "helm" &&
      render.chart.in === "repository" &&
      chartsOfHelmfiles(repository).has(render.chart.folder),
  ],
];

/** The application with what the repository shows of how it is stamped. */
export function withStampedBy(application: Application, repository: Repository): Application {
  const [stampedBy] = SHOWN.find(([, shows]) => shows(application, repository)) ?? [];
  if (stampedBy === undefined) return application;
  const transformer = stampedBy === "Transformer" ? transformerOf(application, repository) : undefined;
  return { ...application, stampedBy, ...(transformer === undefined ? {} : { transformer }) };
}

/** The configuration of the ConfigHash that an application has as a transformer. */
function transformerOf({ render }: Application, repository: Repository): Json | undefined {
  const [first] = rendersOf(render).flatMap((one) =>
    one.by === "kpt" ? inPipeline(one.folder, repository) : inKustomization(one, repository),
  );
  return first;
}

/** Whether a plugin of Argo CD is ours: `rollstamp`, or `rollstamp-v1` if its plugin.yaml sets a version. */
export function isOwnPlugin(name: string): boolean {
  return /^rollstamp(?:-|$)/u.test(name);
}

/** The source that our plugin renders. */
export function ownPluginOf(render: Render): PluginRender | undefined {
  return rendersOf(render).find((one): one is PluginRender => one.by === "plugin" && isOwnPlugin(one.name));
}

/** Each ConfigHash that a kustomization, or one that it includes, lists as a transformer; that of the outermost first. */
function inKustomization(render: Render, repository: Repository): readonly Json[] {
  const listing = foldersWithConfigHash(repository);
  if (render.by !== "kustomize" || listing.size === 0) return [];
  const { folder, argo, flux } = render;
  const components = [...(argo?.components ?? []), ...(flux?.components ?? [])];
  const folders = [folder, ...components.flatMap((path) => pathFrom(folder, path) ?? [])];
  const generated = flux === undefined ? [] : takenIn(folder, repository);
  return [...closureOf([...folders, ...generated], repository)].flatMap((path) => listing.get(path) ?? []);
}

const foldersWithConfigHash: (repository: Repository) => ReadonlyMap<string, Json> = onceFor((repository) => {
  const all = [...repository.kustomizations.values()];
  return new Map(
    all.flatMap(({ folder, content }): [string, Json][] => {
      const { transformers } = content === undefined ? { transformers: [] } : kustomizationOf(content);
      // The last one has the last word.
      const config = transformers
        .flatMap((entry) => configsOf(folder, entry, repository))
        .flatMap((one) => ownFunction(one)?.config ?? [])
        .findLast(isConfigHash);
      return config === undefined ? [] : [[folder, config]];
    }),
  );
});

/** The configurations of an entry of `transformers`: inline, in a file, or in the files of a kustomization. */
function configsOf(folder: string, entry: string, repository: Repository): readonly Json[] {
  const { tree, kustomizations } = repository;
  if (isInline(entry)) return documentsIn(documentsOfText({ text: entry }, folder, tree.limits));
  const path = pathFrom(folder, entry);
  if (path === undefined) return [];
  const files = kustomizations.has(path) ? [...closureOf([path], repository)].filter(isManifestName) : [path];
  return files.flatMap((file) => documentsIn(documentsOf(tree, file)));
}

function documentsIn(read: ReturnType<typeof documentsOf>): readonly Json[] {
  return "documents" in read ? read.documents : [];
}

/** Each ConfigHash that a package, or one in it, has among the mutators of its Kptfile. */
function inPipeline(folder: string, { tree }: Repository): readonly Json[] {
  return tree.files
    .filter((file) => posix.basename(file) === KPTFILE && isInFolder(folder, file))
    .flatMap((file) =>
      mappingsIn(fieldsOf(fieldsIn(tree, file)["pipeline"])["mutators"]).flatMap((mutator) => {
        const { image, exec, configPath, configMap } = mutator;
        const [program] = textOrEmpty(image ?? exec).split(" ");
        if (!runsUs(program)) return [];
        const path = pathFrom(posix.dirname(file), textOrEmpty(configPath));
        const given: readonly Json[] =
          configPath === undefined
            ? [{ apiVersion: "v1", kind: "ConfigMap", data: fieldsOf(configMap) }]
            : path === undefined
              ? []
              : documentsIn(documentsOf(tree, path));
        return given.filter(isConfigHash);
      }),
    );
}

/** The folders of the charts that helmfiles render with our post-renderer. */
const chartsOfHelmfiles: (repository: Repository) => ReadonlySet<string> = onceFor(({ tree, charts }) => {
  const found = new Set<string>();
  for (const file of helmfilesIn(tree)) {
    const { helmDefaults, releases } = fieldsIn(tree, file);
    const byDefault = fieldsOf(helmDefaults)["postRenderer"];
    for (const { chart, postRenderer = byDefault } of mappingsIn(releases)) {
      const folder = pathFrom(posix.dirname(file), textOrEmpty(chart));
      if (folder !== undefined && charts.has(folder) && runsUs(textOrEmpty(postRenderer))) found.add(folder);
    }
  }
  return found;
});

function fieldsIn(tree: Repository["tree"], file: string): Mapping {
  const read = contentOf(tree, file);
  return "content" in read ? read.content : {};
}

function mappingsIn(value: Json | undefined): readonly Mapping[] {
  return listOf(value).filter(isMapping);
}
