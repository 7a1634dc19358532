import { objectKey } from "../../base/identity.ts";
import type { Application, KustomizeRender } from "../discover/application.ts";
import { isComponent } from "../discover/kustomizations.ts";
import { givenText, gitOpsObject, type GitOpsObject } from "../discover/objects.ts";
import { listOf, folded, foldedGet, type Mapping, fieldsOf } from "../../yaml/read/json.ts";
import { pathFrom } from "../discover/paths.ts";
import type { Repository } from "../discover/repository.ts";
import { namesDirectives } from "../../base/hosts/krm.ts";
import { hasHashSuffix, KUSTOMIZATION_FILES, RESOURCE_FIELDS, withoutHashSuffix } from "../../base/hosts/kustomize.ts";
import type { IsLeftOut } from "../../platform/ports/applications.ts";
import type { Item } from "../../yaml/read/items.ts";
import { readFoundText } from "../../yaml/read/manifest-text.ts";
import type { Json } from "../../yaml/read/node.ts";
import { generatorsOf } from "./generated-data.ts";
import { changesOnly, readPatch, type Patch, Unclear } from "./foretold-patches.ts";
import { isHarmless } from "./harmless-fields.ts";
import { leftOut } from "./source-artifact.ts";

// Which objects of Argo CD and Flux a kustomization builds, where its files say so: what becomes of them on the way touches
// no field that says what an application is made from. The other fields may be others in the rendering.

/** What a rendering shows, as far as it is known without it. */
export interface Foretold {
  readonly objects: readonly GitOpsObject[];
  /** ConfigMaps and Secrets that it may hold, by kind and name; a generator's may have a hash behind that. */
  readonly data: ReadonlySet<string>;
}

/** True for a ConfigMap or Secret that a rendering may hold. */
export function mayHold({ data }: Foretold, { kind, name }: { readonly kind: string; readonly name: string }): boolean {
  return data.has(`${kind}/${name}`) || (hasHashSuffix(name) && data.has(`${kind}/${withoutHashSuffix(name)}-`));
}

/** What is there of a revision. */
export interface ForetoldFrom {
  readonly repository: Repository;
  /** True for the path of a file, and not for one behind a link. */
  readonly isFile: (path: string) => boolean;
}

/** Undefined where only the rendering tells. */
export function foretold({ render }: Pick<Application, "render">, from: ForetoldFrom): Foretold | undefined {
  if (render.by !== "kustomize") return undefined;
  try {
    const built = new Build(from, render).of(render);
    return {
      objects: built.flatMap(({ item, namespace }): GitOpsObject[] => {
        const object = item === undefined ? undefined : gitOpsObject(item, "");
        return object === undefined ? [] : [{ ...object, namespace }];
      }),
      data: new Set(
        built.flatMap(({ group, kind, name, item }) =>
          group === "" && (kind === "ConfigMap" || kind === "Secret")
            ? [`${kind}/${name}`, ...(item === undefined ? [`${kind}/${name}-`] : [])]
            : [],
        ),
      ),
    };
  } catch (cause) {
    if (cause instanceof Unclear) return undefined;
    throw cause;
  }
}

/** An object on its way through kustomizations. */
export interface Built {
  readonly group: string;
  readonly kind: string;
  readonly name: string;
  namespace: string;
  /** Undefined for what a generator makes. */
  readonly item: Item | undefined;
  readonly isGitOps: boolean;
}

/** What is edited into a kustomization before it is built. */
interface Edits {
  readonly namespace: string;
  readonly patches: readonly Json[];
  readonly components: readonly string[];
}

const NO_EDITS: Edits = { namespace: "", patches: [], components: [] };

/** Fields that make nothing else of such an object: but for metadata, and images, which are in no such field. */
const FIELDS: ReadonlySet<string> = new Set([
  "apiversion",
  "kind",
  "metadata",
  ...RESOURCE_FIELDS,
  "namespace",
  "configmapgenerator",
  "secretgenerator",
  "generatoroptions",
  "labels",
  "commonlabels",
  "commonannotations",
  "images",
  "replicas",
  "patches",
  "patchesstrategicmerge",
  "patchesjson6902",
  "buildmetadata",
]);

class Build {
  readonly #repository: Repository;
  /** Flux fills variables in, in the text of each object. */
  readonly #substitutes: boolean;
  readonly #isFile: (path: string) => boolean;
  readonly #around = new Set<string>();

  constructor({ repository, isFile }: ForetoldFrom, { flux }: KustomizeRender) {
    this.#repository = repository;
    this.#substitutes = flux?.substitution !== undefined;
    const isLeftOut: IsLeftOut = flux === undefined ? () => false : leftOut(flux.ignored);
    this.#isFile = (path) => isFile(path) && !isLeftOut(path, false);
  }

  of(render: KustomizeRender): readonly Built[] {
    return this.#kustomization(render.folder, [], editsOf(render));
  }

  /** Adds what a kustomization builds; a component changes all that is there. */
  #kustomization(folder: string, all: Built[], edits: Edits, asComponent: boolean = false): Built[] {
    const { kustomizations } = this.#repository;
    const content = kustomizations.get(folder)?.content;
    const names = KUSTOMIZATION_FILES.filter((name) => this.#isFile(folder === "." ? name : `${folder}/${name}`));
    if (content === undefined || names.length !== 1 || this.#around.has(folder)) throw new Unclear();
    if (isComponent(content) !== asComponent || !Object.keys(content).every((key) => FIELDS.has(folded(key))))
      throw new Unclear();
    if (listOf(foldedGet(content, "labels")).some((one) => foldedGet(fieldsOf(one), "fields") !== undefined))
      throw new Unclear();
    this.#around.add(folder);
    const [resources, bases, components] = RESOURCE_FIELDS;
    for (const way of [...texts(content, resources), ...texts(content, bases)]) this.#resource(folder, way, all);
    for (const way of [...texts(content, components), ...edits.components]) {
      const path = pathFrom(folder, way);
      if (path === undefined) throw new Unclear();
      this.#kustomization(path, all, NO_EDITS, true);
    }
    this.#generators(folder, content, all);
    for (const patch of patchesOf(content, edits.patches)) changesOnly(this.#patch(folder, patch), all);
    const namespace = edits.namespace === "" ? (givenText(foldedGet(content, "namespace")) ?? "") : edits.namespace;
    if (this.#substitutes && namespace.includes("$")) throw new Unclear();
    if (namespace !== "") for (const one of all) one.namespace = namespace;
    // kustomize refuses two of one name.
    if (new Set(all.map((one) => objectKey(one))).size < all.length) throw new Unclear();
    this.#around.delete(folder);
    return all;
  }

  #resource(folder: string, way: string, all: Built[]): void {
    const path = pathFrom(folder, way);
    if (path === undefined) throw new Unclear();
    if (this.#repository.kustomizations.has(path)) all.push(...this.#kustomization(path, [], NO_EDITS));
    else all.push(...this.#items(this.#text(folder, way), path));
  }

  /** The text of a file that is in the folder, or below it. */
  #text(folder: string, way: string): string {
    const path = pathFrom(folder, way);
    if (path === undefined || !this.#isFile(path)) throw new Unclear();
    if (folder !== "." && !path.startsWith(`${folder}/`)) throw new Unclear();
    const read = this.#repository.tree.read(path);
    if (read.is === "refused" || namesDirectives(read.text)) throw new Unclear();
    return read.text;
  }

  #items(text: string, path: string): Built[] {
    const found = readFoundText(text, path, this.#repository.tree.limits);
    if (found.is !== "manifests") throw new Unclear();
    return found.manifests.items.map((item): Built => {
      const { group, kind, name, namespace } = item;
      const object = gitOpsObject(item, "");
      const isGitOps = object !== undefined;
      if (name === "") throw new Unclear();
      if (object !== undefined && !isPlain(object, this.#substitutes)) throw new Unclear();
      if (this.#substitutes) {
        const said = isGitOps || kind === "ConfigMap" || kind === "Secret" ? `${name} ${namespace}` : "";
        if (`${group} ${kind} ${said}`.includes("$")) throw new Unclear();
      }
      return { group, kind, name, namespace, item, isGitOps };
    });
  }

  #generators(folder: string, content: Mapping, all: Built[]): void {
    for (const { kind, generator } of generatorsOf(content)) {
      const name = givenText(foldedGet(generator, "name")) ?? "";
      const namespace = givenText(foldedGet(generator, "namespace")) ?? "";
      const behavior = givenText(foldedGet(generator, "behavior")) ?? "create";
      if (name === "" || behavior !== "create" || `${name}${namespace}`.includes("$")) throw new Unclear();
      for (const file of [
        ...texts(generator, "files").map((one) => one.slice(one.indexOf("=") + 1)),
        ...texts(generator, "envs"),
        ...(givenText(foldedGet(generator, "env")) === undefined ? [] : [givenText(foldedGet(generator, "env")) ?? ""]),
      ])
        if (!this.#isFile(pathFrom(folder, file) ?? "")) throw new Unclear();
      all.push({ group: "", kind, name, namespace, item: undefined, isGitOps: false });
    }
  }

  #patch(folder: string, { pathOrText, ...patch }: WrittenPatch): Patch {
    const text = "text" in pathOrText ? pathOrText.text : this.#text(folder, pathOrText.path);
    return readPatch(text, patch, this.#repository.tree.limits);
  }
}

function editsOf({ flux, argo }: KustomizeRender): Edits {
  const given = flux ?? argo;
  if (given === undefined) return NO_EDITS;
  const { namePrefix = "", nameSuffix = "", patches, components, ignoreMissingComponents } = given;
  if (namePrefix !== "" || nameSuffix !== "" || (ignoreMissingComponents && components.length > 0)) throw new Unclear();
  return { namespace: flux?.targetNamespace ?? argo?.namespace ?? "", patches, components };
}

interface WrittenPatch {
  readonly pathOrText: { readonly path: string } | { readonly text: string };
  readonly target: Mapping | undefined;
}

/** All patches of a kustomization, and those that are edited into it. */
function patchesOf(content: Mapping, added: readonly Json[]): readonly WrittenPatch[] {
  const strategic = texts(content, "patchesstrategicmerge").map((pathOrText): WrittenPatch => {
    const isText = pathOrText.includes("\n");
    return { pathOrText: isText ? { text: pathOrText } : { path: pathOrText }, target: undefined };
  });
  const others = [
    ...listOf(foldedGet(content, "patches")),
    ...added,
    ...listOf(foldedGet(content, "patchesjson6902")),
  ].map((one): WrittenPatch => {
    const patch = fieldsOf(one);
    const [path, text] = [givenText(foldedGet(patch, "path")), givenText(foldedGet(patch, "patch"))];
    if ((path === undefined) === (text === undefined) || foldedGet(patch, "options") !== undefined) throw new Unclear();
    const target = foldedGet(patch, "target");
    return {
      pathOrText: text === undefined ? { path: path ?? "" } : { text },
      target: target === undefined || target === null ? undefined : fieldsOf(target),
    };
  });
  return [...strategic, ...others];
}

/** The texts of a list. */
function texts(content: Mapping, field: string): readonly string[] {
  const value = foldedGet(content, field);
  if (value === undefined || value === null) return [];
  if (!Array.isArray(value)) throw new Unclear();
  return value.map((one) => {
    if (typeof one !== "string") throw new Unclear();
    return one;
  });
}

/** What is filled in, and what changes images wherever they are, keeps to fields that don't matter. */
function isPlain({ kind, spec }: GitOpsObject, substitutes: boolean): boolean {
  return Object.entries(spec).every(([field, value]) => {
    if (isHarmless(kind, field) && !(field === "values" && fieldsOf(value)["instance"] !== undefined)) return true;
    const said = JSON.stringify([field, value]);
    return !(substitutes && said.includes("$")) && !/"(?:initC|c)ontainers"/u.test(said);
  });
}
