// What a person would render in a revision: kustomizations, charts, what Argo CD and Flux name, plain manifests. Each root
// has the files that it can read at all, generously counted: where they are the same, so is its rendering.
import { createHash } from "node:crypto";
import { posix } from "node:path";
import { parseAllDocuments } from "yaml";
import { below } from "./tree.mjs";

const KUSTOMIZATION = /(?:^|\/)(?:kustomization\.ya?ml|Kustomization)$/u;
const MANIFEST = /\.(?:ya?ml|json)$/u;
const ENGINE_OBJECT =
  /^kind: *["']?(?:Application|Kustomization|HelmRelease|HelmRepository|OCIRepository|GitRepository|HelmChart)["']?\s*$/mu;

const parsed = new Map();

/** The documents of a file; what is no YAML has none. */
function documents(revision, path) {
  const id = revision.ids.get(path);
  if (!parsed.has(id)) {
    let values = [];
    try {
      values = parseAllDocuments(revision.read(path), { uniqueKeys: false, logLevel: "silent" })
        .filter(({ errors }) => errors.length === 0)
        .map((one) => one.toJS({ maxAliasCount: -1 }))
        .filter((one) => typeof one === "object" && one !== null && !Array.isArray(one));
    } catch {
      // A template, or something else.
    }
    parsed.set(id, values);
  }
  return parsed.get(id);
}

const field = (value, ...keys) =>
  keys.reduce((one, key) => (typeof one === "object" && one !== null ? one[key] : undefined), value);
const inside = (folder, path) =>
  posix
    .normalize(posix.join(folder || ".", path))
    .replace(/\/$/u, "")
    .replace(/^\.$/u, "");

function strings(value) {
  if (typeof value === "string") return [value];
  if (typeof value !== "object" || value === null) return [];
  return Object.values(value).flatMap(strings);
}

/** All that a kustomization can read: its folder, and whatever any string in it names. */
function reach(revision, folder, seen = new Set()) {
  if (seen.has(folder)) return seen;
  seen.add(folder);
  for (const file of kustomizationFiles(revision, folder)) {
    for (const text of documents(revision, file).flatMap(strings)) {
      for (const part of text.split(/[\s=,]+/u)) {
        if (part.length > 300 || part.includes("://")) continue;
        const path = inside(folder, part);
        if (path.startsWith("..")) continue;
        if (revision.ids.has(path)) seen.add(path);
        else if (revision.folders.has(path) && path !== "") reach(revision, path, seen);
      }
    }
  }
  return seen;
}

const kustomizationFiles = (revision, folder) =>
  ["kustomization.yaml", "kustomization.yml", "Kustomization"]
    .map((name) => inside(folder, name))
    .filter((path) => revision.ids.has(path));

/** A key of the contents of files: what is equal renders to the same. */
function contents(revision, paths) {
  const files = new Set([...paths].flatMap((path) => (revision.ids.has(path) ? [path] : below(revision, path))));
  const text = [...files].sort().map((path) => `${path} ${revision.ids.get(path)}`);
  return createHash("sha256").update(text.join("\n")).digest("hex");
}

/**
 * The roots of a revision, and the objects of Argo CD and Flux as they are committed. `also` are folders that are roots in the
 * other revision: what another kustomization includes since is still compared.
 */
export function roots(revision, also = new Set()) {
  const files = revision.sorted.filter((path) => !path.includes("node_modules/"));
  const kustomizations = new Map(
    files
      .filter((path) => KUSTOMIZATION.test(path))
      .map((path) => [folderOf(path), documents(revision, path)[0] ?? {}]),
  );
  const included = new Set();
  for (const [folder, value] of kustomizations) {
    for (const name of ["resources", "bases", "components"]) {
      for (const entry of [field(value, name)].flat()) {
        if (typeof entry === "string") included.add(inside(folder, entry));
      }
    }
  }
  const charts = files.filter((path) => /(?:^|\/)Chart\.yaml$/u.test(path)).map(folderOf);
  const isChart = new Set(charts);
  const inChart = (path) => charts.some((chart) => path !== chart && path.startsWith(chart === "" ? "" : `${chart}/`));
  const found = [];
  const add = (kind, folder, reached, more = {}) =>
    found.push({ kind, folder, reached, key: contents(revision, reached) + JSON.stringify(more), ...more });
  for (const [folder, value] of kustomizations) {
    const isIncluded = included.has(folder) || field(value, "kind") === "Component" || inChart(folder);
    if (!isIncluded || also.has(folder)) add("kustomize", folder, reach(revision, folder));
  }
  for (const chart of charts) {
    const { type, name } = documents(revision, inside(chart, "Chart.yaml"))[0] ?? {};
    const helm = { release: String(name), namespace: "default", files: [], inline: "", set: [] };
    if (type !== "library" && !inChart(chart))
      add("helm", chart, chartReach(revision, chart, []), { helm, isByPlace: true });
  }
  const objects = engineObjects(revision, files, inChart);
  for (const { value } of objects) {
    for (const source of argoSources(value)) {
      const folder = inside("", source.path);
      if (isChart.has(folder)) {
        const helm = helmOf(revision, folder, source, value);
        add("helm", folder, chartReach(revision, folder, helm.files), { helm });
      } else if (kustomizations.has(folder) && included.has(folder)) add("kustomize", folder, reach(revision, folder));
    }
    const flux = field(value, "kind") === "Kustomization" ? field(value, "spec", "path") : undefined;
    if (typeof flux !== "string") continue;
    const folder = inside("", flux.replace(/^\.?\//u, ""));
    if (kustomizations.has(folder)) {
      if (included.has(folder)) add("kustomize", folder, reach(revision, folder));
    } else if (revision.folders.has(folder) && folder !== "") add("plain", folder, [folder]);
  }
  // What a kustomization reads is not applied alone.
  const read = new Set([...kustomizations.keys()].flatMap((folder) => [...reach(revision, folder)]));
  const isPlain = (path) =>
    MANIFEST.test(path) &&
    !read.has(path) &&
    !inChart(path) &&
    ![...kustomizations.keys()].some((folder) => folder === "" || path.startsWith(`${folder}/`));
  const plain = files.filter(isPlain);
  add("files", "", plain, {});
  const isFlux = objects.some(({ value }) => field(value, "kind") === "Kustomization") && !hasArgo(objects);
  const all = unique(found).map((root) => ({ ...root, isFlux }));
  return { roots: all, plain, objects, isNamed: namedBy(revision, files) };
}

const hasArgo = (objects) => objects.some(({ value }) => /argoproj/u.test(String(field(value, "apiVersion"))));

/** Whether any file, also a template, names a folder as a path: then something may apply it. */
function namedBy(revision, files) {
  let named;
  return (folder) => {
    named ??= new Set(
      files
        .filter((path) => MANIFEST.test(path))
        .flatMap((path) => [...revision.read(path).matchAll(/\bpath: *["']?\.?\/?([^\s"']+)/gu)])
        .map(([, path]) => path.replace(/\/$/u, "")),
    );
    return named.has(folder) || [...named].some((path) => path.includes("{") && couldBe(path, folder));
  };
}

/** Whether a path with placeholders can be a folder. */
function couldBe(path, folder) {
  const [first, ...rest] = path.split(/\{\{.*?\}\}|\$\{.*?\}/u);
  return first !== "" && folder.startsWith(first) && folder.endsWith(rest.at(-1) ?? "");
}

/** The files that some roots can read. */
export function filesOf(revision, all) {
  return new Set(all.flatMap(({ reached }) => [...reached].flatMap((path) => below(revision, path))));
}

const unique = (found) => [
  ...new Map(found.map((one) => [`${one.kind} ${one.folder} ${JSON.stringify(one.helm)}`, one])).values(),
];
const folderOf = (path) => (path.includes("/") ? path.slice(0, path.lastIndexOf("/")) : "");

/** A chart, the charts beside it that it depends on, and the values files that are given to it. */
function chartReach(revision, chart, files) {
  const depends = documents(revision, inside(chart, "Chart.yaml"))
    .flatMap(strings)
    .filter((text) => text.startsWith("file://"))
    .map((text) => inside(chart, text.slice("file://".length)));
  return [chart, ...depends, ...files];
}

function engineObjects(revision, files, inChart) {
  return files
    .filter((path) => MANIFEST.test(path) && !inChart(path) && ENGINE_OBJECT.test(revision.read(path)))
    .flatMap((path) => documents(revision, path).map((value) => ({ path, value })))
    .filter(({ value }) => /argoproj\.io|fluxcd\.io/u.test(String(field(value, "apiVersion"))));
}

function argoSources(value) {
  if (field(value, "kind") !== "Application") return [];
  const sources = [field(value, "spec", "source"), field(value, "spec", "sources")].flat();
  return sources
    .filter((source) => typeof field(source, "path") === "string")
    .map((source) => ({ ...source, all: sources }));
}

/** The arguments of `helm template` for an Application, as far as a person would write them. */
function helmOf(revision, folder, { helm = {}, all }, value) {
  const files = [field(helm, "valueFiles")].flat().flatMap((file) => {
    if (typeof file !== "string") return [];
    const [, ref, rest] = /^\$([^/]+)\/(.*)$/u.exec(file) ?? [];
    const path = ref === undefined ? inside(file.startsWith("/") ? "" : folder, file) : inside("", rest);
    const isOurs = ref === undefined || all.some((source) => field(source, "ref") === ref);
    return isOurs && revision.ids.has(path) ? [path] : [];
  });
  const inline = field(helm, "valuesObject") ?? field(helm, "values");
  const set = [field(helm, "parameters")]
    .flat()
    .flatMap((one) => (one === undefined ? [] : [`${one.name}=${one.value}`]));
  return {
    release: field(helm, "releaseName") ?? field(value, "metadata", "name"),
    namespace: field(value, "spec", "destination", "namespace") ?? "default",
    files,
    inline: typeof inline === "string" ? inline : inline === undefined ? "" : JSON.stringify(inline),
    set,
  };
}
