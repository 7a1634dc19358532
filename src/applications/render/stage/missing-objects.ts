import { groupedBy } from "../../../base/grouped.ts";
import { escapeRegExp } from "../../../base/stamp-keys.ts";
import { RESOURCE_FIELDS } from "../../../base/hosts/kustomize.ts";
import { fieldsOf, folded, foldedGet, isMapping, listOf, textOrEmpty, type Mapping } from "../../../yaml/read/json.ts";
import { documentPiece } from "../../../yaml/edit/lines.ts";
import { startOf, toJson, type Json } from "../../../yaml/read/node.ts";
import { isOfCluster } from "../../../yaml/read/placed.ts";
import type { YamlTree } from "../../../yaml/read/tree.ts";
import { kustomizationOf, patchOf, type KustomizationPatch } from "../../kustomize/kustomization.ts";

// Kustomizations that are built without some of their objects: what can change those, and what fails without them.

export interface PatchDocument {
  readonly content: Json;
  readonly text: string;
}

export function patchDocuments(tree: YamlTree): readonly PatchDocument[] {
  return tree.documents.map((node) => {
    const { from, to } = documentPiece(tree, startOf(tree, node)) ?? { from: 0, to: tree.text.length };
    return { content: toJson(tree, node), text: tree.text.slice(from, to) };
  });
}

const PATCHES: ReadonlySet<string> = new Set(["patches", "patchesstrategicmerge", "patchesjson6902"]);

/**
 * A kustomization whose patches for objects that are not there have no effect: kustomize fails for a patch that names its
 * object, and skips one whose target selects nothing (api/internal/builtins, PatchTransformer).
 */
export function withTargets(
  kustomization: Json,
  documentsOf: (patch: KustomizationPatch) => readonly PatchDocument[] | undefined,
): Json {
  if (!isMapping(kustomization)) return kustomization;
  const { patches } = kustomizationOf(kustomization);
  if (patches.length === 0) return kustomization;
  const others = Object.entries(kustomization).filter(([key]) => !PATCHES.has(folded(key)));
  const targeted = patches.flatMap((patch): Json[] => {
    const { path, text, target } = patch;
    const written = { ...(path === undefined ? {} : { path }), ...(text === undefined ? {} : { patch: text }) };
    if (target !== undefined) return [{ ...written, target }];
    const documents = documentsOf(patch)?.flatMap(({ content, text: own }) =>
      content === null ? [] : [{ own, selected: targetOf(content) }],
    );
    if (documents === undefined || documents.some(({ selected }) => selected === undefined)) return [written];
    const [only, ...more] = documents;
    if (only !== undefined && more.length === 0) return [{ ...written, target: only.selected ?? {} }];
    // A patch with a target is one document. Its text is kept: kustomize reads `015` as another number than we do.
    return documents.map(({ own, selected = {} }) => ({ patch: own, target: selected }));
  });
  return { ...Object.fromEntries(others), patches: targeted };
}

/** What selects the object that a patch names. */
function targetOf(patch: Json): Mapping | undefined {
  const { apiVersion, kind, metadata } = fieldsOf(patch);
  const { name, namespace } = fieldsOf(metadata);
  if (typeof kind !== "string" || typeof name !== "string") return undefined;
  const [version = "", group = ""] = textOrEmpty(apiVersion).split("/").toReversed();
  return {
    ...(group === "" ? {} : { group }),
    ...(version === "" ? {} : { version }),
    kind,
    // kustomize reads names as regular expressions for the whole name.
    name: escapeRegExp(name),
    // A selector sees a missing namespace as `default`, and never matches a cluster-scoped object (kyaml/resid, EffectiveNamespace).
    ...(isOfCluster({ group, kind }) ? {} : { namespace: escapeRegExp(textOrEmpty(namespace) || "default") }),
  };
}

const RESOURCES: ReadonlySet<string> = new Set([...RESOURCE_FIELDS, "helmcharts", "helmglobals"]);
const GENERATORS: ReadonlySet<string> = new Set(["configmapgenerator", "secretgenerator"]);

/** The objects that a change may be about: any, or any but a Secret. */
export type About = "any" | "noSecret";

/** What a kustomization does to the objects of what it includes. */
export interface Changes {
  /** The fields that may change them. */
  readonly fields: Readonly<Record<About, Json>>;
  /**
   * Which of them a file may change. None: files of generators whose objects have fixed names, and of patches that name
   * their object. Such a patch has another object, or the build fails; see `withTargets`.
   */
  readonly about: (path: string) => About | undefined;
}

const ANYTHING: Pick<Changes, "about"> = { about: () => "any" };

/** They change numbers of pods and the images of containers. */
const OF_WORKLOADS: ReadonlySet<string> = new Set(["images", "replicas"]);

/** `isTargeted`: by `withTargets`. A patch that named its object may then be about one that is not there. */
export function changesOf(kustomization: Json, isTargeted: boolean): Changes {
  if (!isMapping(kustomization)) return { fields: { any: kustomization, noSecret: null }, ...ANYTHING };
  const patchAbout = isTargeted ? (): About => "any" : aboutOf;
  const isFixedForAll = isFixed(foldedGet(kustomization, "generatoroptions"));
  const isUnrelated = (generator: Json): boolean => {
    const behavior = textOrEmpty(foldedGet(fieldsOf(generator), "behavior"));
    const isAdded = behavior === "" || behavior === "create";
    return isAdded && (isFixedForAll || isFixed(foldedGet(fieldsOf(generator), "options")));
  };
  const generated = new Set<string>();
  const entries = Object.entries(kustomization).flatMap(([key, value]): [About, string, Json][] => {
    if (RESOURCES.has(folded(key)) || folded(key) === "patchesstrategicmerge") return [];
    if (PATCHES.has(folded(key))) {
      const patches = groupedBy(listOf(value), (one) => patchAbout(patchOf(one)));
      return (["any", "noSecret"] as const).map((about) => [about, key, [...(patches.get(about) ?? [])]]);
    }
    if (OF_WORKLOADS.has(folded(key))) return [["noSecret", key, value]];
    if (!GENERATORS.has(folded(key))) return [["any", key, value]];
    const [fixed, others] = [true, false].map((is) => listOf(value).filter((one) => isUnrelated(one) === is));
    const { generators } = kustomizationOf({ configMapGenerator: [...(fixed ?? [])] });
    for (const { files, envs } of generators)
      for (const path of [...files.map((file) => file.path), ...envs]) generated.add(path);
    return [["any", key, [...(others ?? [])]]];
  });
  const fieldsAbout = (about: About): Json =>
    Object.fromEntries(entries.flatMap(([is, key, value]) => (is === about ? [[key, value]] : [])));
  const patches = groupedBy(kustomizationOf(kustomization).patches, patchAbout);
  const pathsOf = (about: About | undefined): ReadonlySet<string | undefined> =>
    new Set(patches.get(about)?.map(({ path }) => path));
  const [any, noSecret, named] = [pathsOf("any"), pathsOf("noSecret"), pathsOf(undefined)];
  return {
    fields: { any: fieldsAbout("any"), noSecret: fieldsAbout("noSecret") },
    about: (path) => {
      if (any.has(path)) return "any";
      if (noSecret.has(path)) return "noSecret";
      return named.has(path) || generated.has(path) ? undefined : "any";
    },
  };
}

/** The objects that a patch may be about; undefined if it names its object. */
function aboutOf({ target }: KustomizationPatch): About | undefined {
  if (target === undefined) return undefined;
  const kind = textOrEmpty(foldedGet(target, "kind"));
  // kustomize reads it as a regular expression for the whole kind.
  return /^[A-Za-z]+$/u.test(kind) && kind !== "Secret" ? "noSecret" : "any";
}

function isFixed(options: Json | undefined): boolean {
  return foldedGet(fieldsOf(options), "disablenamesuffixhash") === true;
}
