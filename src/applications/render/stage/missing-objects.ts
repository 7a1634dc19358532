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

/** A document of a patch. */
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

/** What a kustomization does to the objects of what it includes. */
export interface Changes {
  /** The fields that may change them. */
  readonly fields: Json;
  /**
   * The files that can't change them: of generators whose objects have fixed names, and of patches that name their object.
   * Such a patch has another object, or the build fails; see `withTargets`.
   */
  readonly unrelated: ReadonlySet<string>;
}

export function changesOf(kustomization: Json): Changes {
  if (!isMapping(kustomization)) return { fields: kustomization, unrelated: new Set() };
  const isFixedForAll = isFixed(foldedGet(kustomization, "generatoroptions"));
  const isUnrelated = (generator: Json): boolean => {
    const behavior = textOrEmpty(foldedGet(fieldsOf(generator), "behavior"));
    const isAdded = behavior === "" || behavior === "create";
    return isAdded && (isFixedForAll || isFixed(foldedGet(fieldsOf(generator), "options")));
  };
  const unrelated = new Set<string>();
  const fields = Object.entries(kustomization).flatMap(([key, value]): [string, Json][] => {
    if (RESOURCES.has(folded(key)) || folded(key) === "patchesstrategicmerge") return [];
    if (folded(key) === "patches") return [[key, listOf(value).filter((one) => patchOf(one).target !== undefined)]];
    if (!GENERATORS.has(folded(key))) return [[key, value]];
    const [fixed, others] = [true, false].map((is) => listOf(value).filter((one) => isUnrelated(one) === is));
    const { generators } = kustomizationOf({ configMapGenerator: [...(fixed ?? [])] });
    for (const { files, envs } of generators)
      for (const path of [...files.map((file) => file.path), ...envs]) unrelated.add(path);
    return [[key, [...(others ?? [])]]];
  });
  const { patches } = kustomizationOf(kustomization);
  const named = groupedBy(patches, ({ target }) => target === undefined);
  for (const { path } of named.get(true) ?? []) if (path !== undefined) unrelated.add(path);
  for (const { path } of named.get(false) ?? []) if (path !== undefined) unrelated.delete(path);
  return { fields: Object.fromEntries(fields), unrelated };
}

function isFixed(options: Json | undefined): boolean {
  return foldedGet(fieldsOf(options), "disablenamesuffixhash") === true;
}
