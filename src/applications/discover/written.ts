import { withoutEnd } from "../../base/trim.ts";
import schema from "../../stamping/function/applications.schema.json" with { type: "json" };
import { validateConfig } from "../../stamping/function/validate.ts";
import { validateApplications } from "../../stamping/function/validators.js";
import { RollstampError } from "../../base/errors.ts";
import { APPLICATIONS_KIND, CONFIG_FILE } from "../../base/keys.ts";
import { placeOf } from "../../yaml/read/items.ts";
import { isManifestName } from "../../yaml/read/manifest-text.ts";
import { get, getString, itemsOf, toJson } from "../../yaml/read/node.ts";
import { NONE, readTree, type YamlTree } from "../../yaml/read/tree.ts";
import { STAMPED_BY, type StampedBy } from "../../reports/plan/planned-application.ts";
import type { Application, Render } from "./application.ts";
import { plainChart } from "./charts.ts";
import { NOTHING_FOUND, type Finder } from "./finder.ts";
import type { NotFound } from "./not-found.ts";
import { globOf, type Glob } from "../../base/glob.ts";
import { onceFor, onceForText } from "../../base/grouped.ts";
import { comparing } from "../../base/limits.ts";
import type { Snapshot } from "../../platform/ports/snapshot.ts";
import { givenText } from "./objects.ts";
import { listOf, isMapping, type Mapping, fieldsOf, textOrEmpty } from "../../yaml/read/json.ts";
import { foldersAround, inPathOrder, insidePath, isInFolder, pathFrom, pathsIn } from "./paths.ts";
import type { Repository } from "./repository.ts";

/** A document of kind Applications in the rollstamp.yaml at the root. */
export interface WrittenApplications {
  readonly applications: readonly Mapping[];
  /** Whether nothing at a path is an application. */
  readonly isIgnored: (path: string) => boolean;
  readonly stampedBy: {
    /** What `spec` sets for all applications. */
    readonly ofAll: StampedBy | undefined;
    /** What the first entry for an application sets. */
    readonly ofRow: (application: Pick<Application, "path" | "name" | "givenName">) => StampedBy | undefined;
  };
}

const NONE_WRITTEN: WrittenApplications = {
  applications: [],
  isIgnored: () => false,
  stampedBy: { ofAll: undefined, ofRow: () => undefined },
};

/** Reads the document. Throws a RollstampError (`config`) if it is invalid. */
export function writtenApplications({ tree }: Pick<Repository, "tree">): WrittenApplications {
  return writtenIn(tree);
}

const writtenIn: (tree: Snapshot) => WrittenApplications = onceFor((tree: Snapshot): WrittenApplications => {
  const read = tree.read(CONFIG_FILE);
  if (read.is === "refused") {
    if (read.because === "missing") return NONE_WRITTEN;
    throw read.error;
  }
  if (!read.text.includes(APPLICATIONS_KIND)) return NONE_WRITTEN;
  const yaml = readTree(read.text, CONFIG_FILE, tree.limits);
  const [document, second] = yaml.documents.filter((root) => getString(yaml, root, "kind") === APPLICATIONS_KIND);
  if (document === undefined) return NONE_WRITTEN;
  if (second !== undefined) {
    throw new RollstampError("config", `duplicate document of kind ${APPLICATIONS_KIND}`, {
      place: placeOf(yaml, second),
      remedy: "Keep one document for each kind.",
    });
  }
  const data = toJson(yaml, document);
  validateConfig(data, validateApplications, schema, { tree: yaml, node: document });
  const spec = fieldsOf(fieldsOf(data)["spec"]);
  const specNode = get(yaml, document, "spec");
  const ignored = patterns(yaml, get(yaml, specNode, "ignore"), listOf(spec["ignore"]).map(textOrEmpty));
  const applications = listOf(spec["applications"]).filter(isMapping);
  const spend = comparing(`paths with the patterns of 'ignore' in ${CONFIG_FILE}`);
  const matches = onceForText((path) => ignored.some((test) => test(path, (steps) => spend(steps, tree.limits))));
  return {
    applications,
    isIgnored: (path) => matches(path) || foldersAround(path).some(matches),
    stampedBy: { ofAll: stampedByIn(spec), ofRow: stampedByRow(applications, tree) },
  };
});

function stampedByIn({ stampedBy }: Mapping): StampedBy | undefined {
  return STAMPED_BY.find((value) => value === stampedBy);
}

function stampedByRow(entries: readonly Mapping[], { limits }: Snapshot): WrittenApplications["stampedBy"]["ofRow"] {
  const rows = entries.flatMap((entry) => {
    const stampedBy = stampedByIn(entry);
    const test = globOf(plain(textOrEmpty(entry["path"])), "configuration");
    return stampedBy === undefined || test === undefined ? [] : [{ stampedBy, test, named: givenText(entry["name"]) }];
  });
  const counts = comparing(`paths of applications with those in ${CONFIG_FILE}`);
  const spend = (steps: number): void => counts(steps, limits);
  return ({ path, name, givenName = name }) =>
    rows.find(({ test, named }) => test(path, spend) && (named === undefined || named === givenName))?.stampedBy;
}

/** Whether an entry says nothing but how applications are stamped: it describes what Argo CD and Flux apply there. */
export function isDescription(entry: Mapping): boolean {
  return stampedByIn(entry) !== undefined && Object.keys(entry).every((key) => key === "path" || key === "stampedBy");
}

function patterns(yaml: YamlTree, node: number, globs: readonly string[]): Glob[] {
  const nodes = node === NONE ? [] : itemsOf(yaml, node);
  return globs.map((glob, i) => {
    const test = globOf(plain(glob), "configuration");
    if (test !== undefined) return test;
    throw new RollstampError("config", `${JSON.stringify(glob)} is not a valid pattern of paths`, {
      place: placeOf(yaml, nodes[i] ?? node),
      remedy: "* matches a part of a name, ** any folders, {a,b} either a or b.",
    });
  });
}

function plain(glob: string): string {
  return withoutEnd(glob.replace(/^\.?\/+/u, ""), "/") || ".";
}

const NO_NAMES: ReadonlySet<string> = new Set();

/** Finds the applications of some of the entries. */
export function writtenFinder(
  { applications, isIgnored }: WrittenApplications,
  isWanted: (entry: Mapping) => boolean,
): Finder {
  return (repository, isTaken, isFound = () => false) => {
    const entries = applications.filter(isWanted);
    if (entries.length === 0) return NOTHING_FOUND;
    const all: Application[] = [];
    const names = new Map<string, Set<string>>();
    const { limits } = repository.tree;
    const spend = comparing(`folders with the paths of 'applications' in ${CONFIG_FILE}`);
    let further = 0;
    const notFound: NotFound[] = [];
    const folders = inPathOrder([...repository.folders], (folder) => folder);
    for (const entry of entries) {
      const path = textOrEmpty(entry["path"]);
      const test = globOf(plain(path), "configuration");
      const matching =
        test === undefined
          ? []
          : folders.filter((folder) => test(folder, (steps) => spend(steps, limits)) && !isIgnored(folder));
      if (matching.length === 0) notFound.push(wrong(path, "no folder of the repository matches this path"));
      // One folder may be several applications, for example a chart with different values, if each has a name.
      const name = textOrEmpty(entry["name"]);
      const free = matching.filter((folder) => {
        if (isDescription(entry) && (isTaken(folder) || isFound(folder))) return false;
        const before = names.get(folder) ?? NO_NAMES;
        return name === "" ? before.size === 0 : !before.has("") && !before.has(name);
      });
      // An entry with nothing but a path may match nothing new.
      if (free.length === 0 && matching.length > 0 && Object.keys(entry).length > 1 && !isDescription(entry))
        notFound.push(
          wrong(
            path,
            "earlier entries have all folders that it matches: several applications of one folder need names",
          ),
        );
      // Entries with names and patterns multiply with folders.
      further += free.filter((folder) => names.has(folder)).length;
      if (further > limits.applications) {
        const many = `this entry and earlier ones make more than ${limits.applications} further applications of folders that have one`;
        notFound.push(wrong(path, `${many}; it and the next ones are left out (--max-applications)`));
        break;
      }
      for (const folder of free) {
        names.set(folder, (names.get(folder) ?? new Set()).add(name));
        const made = applicationAt(folder, entry, repository);
        if ("reason" in made) notFound.push(made);
        else all.push(made);
      }
    }
    return {
      applications: all,
      notFound,
      taken: all.flatMap(({ path, render }) =>
        render.by === "helm" || render.by === "kustomize" ? [path] : [path, ...below(path, repository)],
      ),
    };
  };
}

function below(folder: string, { tree, kustomizations, charts }: Repository): string[] {
  const others = [...kustomizations.keys(), ...charts.keys()].filter((path) => isInFolder(folder, path));
  return [...pathsIn(folder, tree.files), ...others];
}

function wrong(path: string, reason: string): NotFound {
  return { path: CONFIG_FILE, kind: "Application", name: path, reason, isFailure: true };
}

function applicationAt(folder: string, entry: Mapping, repository: Repository): Application | NotFound {
  const command = givenText(entry["command"]);
  const by = givenText(entry["render"]) ?? (command === undefined ? discovered(folder, repository) : "command");
  const values = listOf(entry["values"]).map(textOrEmpty);
  if (values.length > 0 && by !== "helm")
    return wrong(folder, `it has values, and is rendered by ${by}: only charts have values`);
  const name = givenText(entry["name"]);
  const cluster = givenText(entry["cluster"]);
  const base = {
    name: name ?? folder,
    path: folder,
    foundBy: "Applications",
    ...(cluster === undefined ? {} : { cluster }),
    isNamed: name !== undefined,
    definedIn: [CONFIG_FILE],
  } as const;
  const files = (): string[] =>
    pathsIn(folder, repository.tree.files).filter((file) => isManifestName(file) && !repository.isChartInput(file));
  switch (by) {
    case "kustomize":
      if (!repository.kustomizations.has(folder))
        return wrong(folder, "it has no kustomization file, and is to be rendered by kustomize");
      return { ...base, kind: "Kustomize", render: { by: "kustomize", folder } };
    case "helm":
      if (!repository.charts.has(folder)) return wrong(folder, "it has no Chart.yaml, and is to be rendered by helm");
      return { ...base, kind: "Helm", render: chartAt(folder, values, repository) };
    case "kpt":
      return { ...base, kind: "Kpt", render: { by: "kpt", folder, files: files() } };
    case "command":
      if (command === undefined) return wrong(folder, "it names no command, and is to be rendered by one");
      return { ...base, kind: "Files", render: { by: "command", folder, command } };
    default:
      return { ...base, kind: "Files", render: { by: "files", folder, files: files() } };
  }
}

function discovered(folder: string, { kustomizations, charts, packages }: Repository): string {
  if (kustomizations.has(folder)) return "kustomize";
  if (charts.has(folder)) return "helm";
  return packages.has(folder) ? "kpt" : "files";
}

function chartAt(folder: string, values: readonly string[], { charts }: Repository): Render {
  return {
    ...plainChart(folder, charts.get(folder)?.content),
    values: values.map((file) => {
      const path = file.startsWith("/") ? insidePath(file) : pathFrom(folder, file);
      return path === undefined
        ? { from: "address", address: file, optional: false }
        : { from: "file", path, optional: false };
    }),
  };
}
