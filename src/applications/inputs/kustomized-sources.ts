import { basename, dirname, resolve } from "node:path";
import { quietly } from "../../base/errors.ts";
import { isKustomizationFile } from "../../base/hosts/kustomize.ts";
import type { Limits } from "../../base/limits.ts";
import type { Io } from "../../platform/ports/io.ts";
import type { Item } from "../../yaml/read/items.ts";
import { fieldsOf, foldedGet, isMapping, listOf, textOrEmpty, type Mapping } from "../../yaml/read/json.ts";
import { type ManifestFile, readDocuments } from "../../yaml/read/manifest-text.ts";
import type { Json } from "../../yaml/read/node.ts";
import { kustomizationOf, type Kustomization } from "../kustomize/kustomization.ts";
import { compileExpression } from "../../stamping/policy/expressions.ts";
import { isInline } from "../kustomize/paths.ts";

type Matches = (text: string) => boolean;

/** What a kustomization changes: objects of a kind and a name. */
interface Target {
  readonly kind: Matches;
  readonly name: Matches;
}

/** A kustomization of a run: its file, the files and folders that it builds, and what it changes. */
interface Build {
  readonly path: string;
  readonly folder: string;
  readonly inputs: readonly string[];
  readonly targets: readonly Target[];
}

/**
 * The kustomization that patches, merges or replaces a source of a run: a copy in the same file would not follow (contract,
 * section 10). Undefined if there is none. Names in patches are those of the files, as kustomize matches them.
 */
export function kustomizedSources(
  io: Pick<Io, "files" | "context">,
  paths: readonly string[],
  files: readonly ManifestFile[],
): (source: Item) => string | undefined {
  const { limits } = io.context;
  const builds = io.files
    .find(paths, { kustomizeInput: true, all: true, limits })
    .files.filter(({ real }) => isKustomizationFile(basename(real)))
    .flatMap(({ path, real }) => buildOf(io, path, real) ?? []);
  const byFolder = new Map(builds.map((build) => [build.folder, build]));
  const changing = builds.filter(({ targets }) => targets.length > 0);
  const reached = new Map(changing.map((build) => [build, reachedFrom(build, byFolder)]));
  const realOf = new Map(files.map(({ manifests, real }) => [manifests.tree, real]));
  return (source) => {
    const real = realOf.get(source.tree);
    if (real === undefined) return undefined;
    return changing.find(
      (build) =>
        reached.get(build)?.has(real) === true &&
        build.targets.some(({ kind, name }) => kind(source.kind) && name(source.name)),
    )?.path;
  };
}

function buildOf(io: Pick<Io, "files" | "context">, path: string, real: string): Build | undefined {
  const folder = dirname(real);
  const documents = (text: string): readonly Json[] =>
    quietly(() => readDocuments(text, path, io.context.limits)) ?? [];
  const textAt = (file: string): string =>
    quietly(() => io.files.readFound(resolve(folder, file), io.context.limits)) ?? "";
  const [content] = documents(textAt(real));
  if (!isMapping(content)) return undefined;
  const kustomization = kustomizationOf(content);
  const inputs = [...kustomization.resources, ...kustomization.components].map((input) => resolve(folder, input));
  return {
    path,
    folder,
    inputs,
    targets: targetsOf(content, kustomization, { documents, textAt, limits: io.context.limits }),
  };
}

/** Reads what a kustomization names. */
interface Reader {
  readonly documents: (text: string) => readonly Json[];
  readonly textAt: (path: string) => string;
  readonly limits: Limits;
}

function targetsOf(
  content: Mapping,
  { patches, generators }: Kustomization,
  { documents, textAt, limits }: Reader,
): Target[] {
  const replacements = listOf(foldedGet(content, "replacements")).flatMap((entry) => {
    const path = textOrEmpty(foldedGet(fieldsOf(entry), "path"));
    return path === "" ? [entry] : documents(textAt(path)).flatMap((found) => (Array.isArray(found) ? found : [found]));
  });
  return [
    ...patches.flatMap(({ target, text, path = "" }) => {
      if (target !== undefined) return [selected(target, limits)];
      const patch = text ?? (isInline(path) ? path : textAt(path));
      return documents(patch).map((object) =>
        exactly(textOrEmpty(fieldsOf(object)["kind"]), nameOf(fieldsOf(object)["metadata"])),
      );
    }),
    // A generator that creates makes another source, which gets its own name.
    ...generators
      .filter(({ behavior }) => behavior === "merge" || behavior === "replace")
      .map(({ kind, name }) => exactly(kind, name)),
    ...replacements.flatMap((replacement) =>
      listOf(foldedGet(fieldsOf(replacement), "targets")).flatMap((target) => {
        const select = foldedGet(fieldsOf(target), "select");
        if (!isMapping(select)) return [];
        return [exactly(textOrEmpty(foldedGet(select, "kind")), textOrEmpty(foldedGet(select, "name")))];
      }),
    ),
  ];
}

function nameOf(metadata: Json | undefined): string {
  return textOrEmpty(fieldsOf(metadata)["name"]);
}

/** The target of a patch: expressions for kind and name; "" selects all (api/types/selector.go, NewSelectorRegex). */
function selected(target: Mapping, limits: Limits): Target {
  const matcher = (field: string): Matches => {
    const text = textOrEmpty(foldedGet(target, field));
    const compiled = text === "" ? undefined : compileExpression(text, limits.expression);
    return compiled !== undefined && "matches" in compiled ? compiled.matches : () => true;
  };
  return { kind: matcher("kind"), name: matcher("name") };
}

/** Names without expressions; "" selects all. */
function exactly(kind: string, name: string): Target {
  return { kind: (text) => kind === "" || text === kind, name: (text) => name === "" || text === name };
}

/** The files and folders that a kustomization builds, through other kustomizations of the run. */
function reachedFrom(build: Build, byFolder: ReadonlyMap<string, Build>): ReadonlySet<string> {
  const reached = new Set<string>(build.inputs);
  // The set grows while it is iterated.
  for (const input of reached) for (const inner of byFolder.get(input)?.inputs ?? []) reached.add(inner);
  return reached;
}
