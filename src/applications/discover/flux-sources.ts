import type { Found } from "./finder.ts";
import type { NotFound } from "./not-found.ts";
import { givenText, placeOfObject, type GitOpsObject } from "./objects.ts";
import { listOf, type Mapping, fieldsOf, textOrEmpty } from "../../yaml/read/json.ts";
import { ARTIFACT } from "./object-index.ts";
import { fluxPath, insidePath } from "./paths.ts";
import { elsewhere } from "./remotes.ts";
import { folderHere, inSubmodule, type Repository } from "./repository.ts";
import { fluxRevision, otherRevision } from "./source-revisions.ts";
import { ignoredBy, type IgnoreLine } from "./source-ignore.ts";

// Resolves references to Flux sources with the objects of the repository.

/** A folder of this repository, or why there is none. */
export type FluxFolder =
  | {
      readonly is: "folder";
      readonly folder: string;
      readonly definedIn: readonly string[];
      /** The revision of this repository that the source takes. */
      readonly revision: string;
      /** What the source excludes. */
      readonly ignored: readonly IgnoreLine[];
    }
  | ({ readonly is: "elsewhere" | "wrong" } & Pick<NotFound, "reason" | "missing" | "isShown" | "pathHere">);

export function referenced(
  reference: Mapping,
  from: GitOpsObject,
  { objectIndex: { namespaceOf, nearest } }: Repository,
): GitOpsObject | undefined {
  const namespace = givenText(reference["namespace"]) ?? namespaceOf(from);
  return nearest(textOrEmpty(reference["kind"]), textOrEmpty(reference["name"]), namespace, placeOfObject(from));
}

export function folderOfSource(
  path: string,
  reference: Mapping,
  from: GitOpsObject,
  repository: Repository,
): FluxFolder {
  const kind = textOrEmpty(reference["kind"]);
  const name = textOrEmpty(reference["name"]);
  if (/\$\{|\$[A-Za-z]/u.test(path))
    return {
      is: "elsewhere",
      reason: `its path ${path} has a variable that only a rendering resolves`,
      missing: path,
      isShown: true,
    };
  switch (kind) {
    case "GitRepository": {
      const source = referenced(reference, from, repository);
      const address = textOrEmpty(source?.spec["url"]);
      // The source may be created when Flux is installed. If it is not in the repository, the path decides.
      if (source !== undefined && !repository.isOwnAddress(address))
        return elsewhere(address, folderHere(repository, fluxPath(path)));
      return inRepository(path, source, repository);
    }
    case ARTIFACT:
      return inArtifact(path, name, from, repository);
    case "":
      return {
        is: "elsewhere",
        reason: "it names no source (spec.sourceRef): it may be a patch",
        isShown: true,
      };
    default:
      return noRepository(kind, name);
  }
}

function noRepository(kind: string, name: string): FluxFolder {
  return { is: "elsewhere", reason: `its source ${kind} ${name} is not a Git repository` };
}

function inRepository(path: string, source: GitOpsObject | undefined, repository: Repository): FluxFolder {
  const { folders, isKnown, tree } = repository;
  const folder = fluxPath(path);
  if (folder === undefined) return { is: "wrong", reason: `its path ${path} is invalid` };
  const definedIn = source === undefined ? [] : [source.file];
  if (folders.has(folder))
    return {
      is: "folder",
      folder,
      definedIn,
      revision: fluxRevision(source?.spec),
      ignored: ignoredBy(source, tree),
    };
  const other = otherRevision(fluxRevision(source?.spec));
  const submodule = inSubmodule(repository, folder);
  if (submodule !== undefined) return { is: "elsewhere", reason: `its path ${folder} ${submodule}`, missing: folder };
  const isSure = isKnown && source !== undefined && other === undefined;
  return {
    is: isSure ? "wrong" : "elsewhere",
    reason: `its path ${folder} is not in this repository${other === undefined ? "" : `, whose revision in its source is ${other}`}`,
    missing: folder,
  };
}

/** An artifact of an ArtifactGenerator: the folder that it copies the path from. */
function inArtifact(path: string, name: string, from: GitOpsObject, repository: Repository): FluxFolder {
  const wanted = fluxPath(path) ?? ".";
  const generator = referenced({ kind: ARTIFACT, name }, from, repository);
  if (generator === undefined)
    return { is: "elsewhere", reason: `its source ExternalArtifact ${name} is made elsewhere`, missing: name };
  const artifact = listOf(generator.spec["artifacts"])
    .map(fieldsOf)
    .find((one) => one["name"] === name);
  let foreign: FluxFolder | undefined;
  for (const copy of listOf(artifact?.["copy"]).map(fieldsOf)) {
    const [, alias, source = ""] = /^@([^/]+)\/(.*)$/u.exec(textOrEmpty(copy["from"])) ?? [];
    const target = insidePath(textOrEmpty(copy["to"]).replace(/^@artifact\/?/u, "")) ?? ".";
    const rest =
      target === "."
        ? wanted
        : wanted === target
          ? "."
          : wanted.startsWith(`${target}/`)
            ? wanted.slice(target.length + 1)
            : undefined;
    if (alias === undefined || rest === undefined) continue;
    const declared = listOf(generator.spec["sources"])
      .map(fieldsOf)
      .find((one) => one["alias"] === alias);
    if (declared?.["kind"] !== "GitRepository") {
      if (declared !== undefined)
        foreign ??= noRepository(textOrEmpty(declared["kind"]), textOrEmpty(declared["name"]));
      continue;
    }
    if (!source.endsWith("**")) continue;
    const found = folderOfSource(`${source.slice(0, -2)}/${rest}`, declared, generator, repository);
    if (found.is === "folder") return { ...found, definedIn: [generator.file, ...found.definedIn] };
  }
  if (foreign !== undefined) return foreign;
  return {
    is: "elsewhere",
    reason: `what the ArtifactGenerator ${generator.name} copies to ${wanted} is not one folder of this repository`,
    missing: wanted,
  };
}

/** The result for an object that is not an application, with the reason. */
export function noApplication(
  { file, name, ignored = [] }: GitOpsObject,
  kind: "FluxKustomization" | "HelmRelease",
  {
    reason,
    missing,
    isFailure,
    isShown,
    pathHere,
  }: Pick<NotFound, "reason" | "missing" | "isFailure" | "isShown" | "pathHere">,
): Found {
  const why = {
    reason,
    isFailure,
    ...(missing === undefined || missing === "" ? {} : { missing }),
    ...(isShown === undefined ? {} : { isShown }),
    ...(pathHere === undefined || ignored.includes("RS024") ? {} : { pathHere }),
  };
  return { applications: [], taken: [], notFound: [{ path: file, kind, name, ...why }] };
}
