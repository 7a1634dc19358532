import { posix } from "node:path";
import type { KustomizeRender } from "../discover/application.ts";
import type { GitOpsObject } from "../discover/objects.ts";
import { isInFolder, pathFrom } from "../discover/paths.ts";
import type { Repository } from "../discover/repository.ts";
import { SUBSTITUTE } from "./flux-objects.ts";
import type { Variables } from "./flux-variables.ts";
import { substituted, substitutedText } from "./predict-substitution.ts";
import { kustomizationOf, patchOf, type Generator, type KustomizationPatch } from "../kustomize/kustomization.ts";
import { looksRemote } from "../kustomize/paths.ts";
import { objectKey } from "../../base/identity.ts";
import { MOST_KUSTOMIZATIONS } from "../../base/limits.ts";
import { hasHashSuffix, KUSTOMIZATION_FILES, RESOURCE_FIELDS, withoutHashSuffix } from "../../base/hosts/kustomize.ts";
import type { IsLeftOut } from "../../platform/ports/applications.ts";
import { fieldsOf, isMapping, type Mapping } from "../../yaml/read/json.ts";
import type { OutsidePart } from "../../base/outside.ts";
import { shownRemote } from "./stage/kustomization-folder.ts";
import { objectsOfFiles, textOf, type BuiltObject } from "./predict-objects.ts";
import { predictGenerated } from "./predict-generated.ts";
import { applyPatch, isHarmless, readPatch, Unpredictable } from "./predict-patches.ts";
import type { AppSide } from "./shown-data.ts";
import { leftOut } from "./source-artifact.ts";
import { isSource } from "../../base/referenced-kinds.ts";

// Predicts which objects of Argo CD and Flux a kustomization builds, to avoid rendering it: this works if nothing on the way
// changes a field that says what an application is made from. Other fields may differ in the rendering.

/** The part of a rendering that is known without rendering. */
export interface Prediction {
  readonly objects: readonly GitOpsObject[];
  /** `kind/name` of the ConfigMaps and Secrets that it may contain; with a `-` at the end, a hash may follow. */
  readonly data: ReadonlySet<string>;
  /** The remote bases and files that the rendering is without. */
  readonly leftOut: readonly OutsidePart[];
}

/** Whether a rendering may contain a ConfigMap or Secret. */
export function mayContain(
  { data }: Prediction,
  { kind, name }: { readonly kind: string; readonly name: string },
): boolean {
  return data.has(`${kind}/${name}`) || (hasHashSuffix(name) && data.has(`${kind}/${withoutHashSuffix(name)}-`));
}

export interface PredictionInput {
  readonly repository: Repository;
  /** Whether a path is a file that is not behind a link. */
  readonly isFile: (path: string) => boolean;
  /** Whether kustomize may fetch, or run plugins: what is remote is not left out then. */
  readonly mayFetch: boolean;
}

interface PredictedSide extends Pick<AppSide, "application" | "renderable"> {
  readonly closure: Pick<AppSide["closure"], "isRemote">;
}

/** Predicts a build; undefined if only the rendering shows the result. */
export function predictBuild(
  { application: { render }, renderable, closure: { isRemote } }: PredictedSide,
  input: PredictionInput,
): Prediction | undefined {
  if (isRemote && input.mayFetch) return undefined;
  if (render.by !== "kustomize" || renderable.is !== "steps") return undefined;
  const [step] = renderable.steps;
  const variables = step?.by === "kustomize" ? step.flux?.objects.variables : undefined;
  try {
    const { objects: built, remote } = new Build(input, render, isRemote).built();
    for (const object of built) finish(object, variables);
    refuseRepeats(built);
    return {
      objects: built.flatMap(({ object, name, spec, namespace }): GitOpsObject[] =>
        object === undefined || spec === undefined ? [] : [{ ...object, name, spec, namespace }],
      ),
      data: new Set(
        built
          .filter(isSource)
          .flatMap(({ kind, name, isGenerated }) =>
            isGenerated ? [`${kind}/${name}`, `${kind}/${name}-`] : [`${kind}/${name}`],
          ),
      ),
      leftOut: remote,
    };
  } catch (cause) {
    if (cause instanceof Unpredictable) return undefined;
    throw cause;
  }
}

const GENERATED = { group: "", isGenerated: true, object: undefined, spec: undefined, metadata: undefined } as const;

/** What Argo CD or Flux edits into a kustomization before the build. */
interface Edits {
  readonly namespace: string;
  readonly patches: readonly KustomizationPatch[];
  readonly components: readonly string[];
}

const NO_EDITS: Edits = { namespace: "", patches: [], components: [] };

/** The fields that change nothing in an object of Argo CD or Flux except its metadata. */
const PREDICTABLE_FIELDS: ReadonlySet<string> = new Set([
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
  "configurations",
]);

/** They decide to which objects the patches around a kustomization apply. */
const LABELLING = ["labels", "commonlabels", "commonannotations"];

class Build {
  readonly #repository: Repository;
  readonly #render: KustomizeRender;
  readonly #isFile: (path: string) => boolean;
  /** The folders around the one that is built. */
  readonly #open = new Set<string>();
  readonly #remote: OutsidePart[] = [];
  /** Without what is remote, kustomize skips patches for objects that are not there (missing-objects.ts). */
  readonly #isPartial: boolean;
  #loaded = 0;

  constructor({ repository, isFile }: PredictionInput, render: KustomizeRender, isPartial: boolean) {
    this.#isPartial = isPartial;
    const { flux } = render;
    this.#repository = repository;
    this.#render = render;
    const isLeftOut: IsLeftOut = flux === undefined ? () => false : leftOut(flux.ignored, repository.tree.limits);
    this.#isFile = (path) => isFile(path) && !isLeftOut(path, false);
  }

  built(): { readonly objects: readonly BuiltObject[]; readonly remote: readonly OutsidePart[] } {
    const objects = this.#kustomization(this.#render.folder, [], editsOf(this.#render));
    if (this.#isPartial && this.#remote.length === 0) throw new Unpredictable();
    return { objects, remote: this.#remote };
  }

  /** Adds what a kustomization builds. A component also changes the objects that exist before it. */
  #kustomization(folder: string, all: BuiltObject[], edits: Edits, isAsComponent: boolean = false): BuiltObject[] {
    const files = KUSTOMIZATION_FILES.filter((name) => this.#isFile(folder === "." ? name : `${folder}/${name}`));
    const content =
      files.length === 1 ? this.#repository.kustomizations.get(folder)?.content : this.#generatedFor(folder);
    this.#loaded += 1;
    if (this.#loaded > MOST_KUSTOMIZATIONS) throw new Unpredictable();
    if (content === undefined || this.#open.has(folder)) throw new Unpredictable();
    const kustomization = kustomizationOf(content);
    const { isComponent, isMalformed, fields, hasLabelFields } = kustomization;
    if (isComponent !== isAsComponent || isMalformed || hasLabelFields) throw new Unpredictable();
    if (![...fields].every((field) => PREDICTABLE_FIELDS.has(field))) throw new Unpredictable();
    for (const path of kustomization.configurations) this.#configuration(folder, path);
    this.#open.add(folder);
    for (const path of kustomization.resources) this.#resource(folder, path, all);
    for (const component of [...kustomization.components, ...edits.components]) {
      const path = pathFrom(folder, component);
      if (path === undefined) throw new Unpredictable();
      this.#kustomization(path, all, NO_EDITS, true);
    }
    for (const generator of kustomization.generators) this.#generate(folder, generator, all);
    for (const patch of [...kustomization.patches, ...edits.patches]) this.#patch(folder, patch, all);
    if (LABELLING.some((field) => fields.has(field))) {
      if (JSON.stringify(content).includes(SUBSTITUTE)) throw new Unpredictable();
      for (const object of all) object.metadata = undefined;
    }
    const namespace = edits.namespace === "" ? kustomization.namespace : edits.namespace;
    if (namespace !== "") for (const object of all) object.namespace = namespace;
    refuseRepeats(all);
    this.#open.delete(folder);
    return all;
  }

  /** Only the folder of the application itself gets a generated kustomization. */
  #generatedFor(folder: string): Mapping | undefined {
    if (folder !== this.#render.folder) return undefined;
    return predictGenerated(this.#render, this.#repository.tree, this.#isFile);
  }

  #resource(folder: string, resource: string, all: BuiltObject[]): void {
    const path = pathFrom(folder, resource);
    if (this.#isRemote(folder, resource)) {
      this.#remote.push({ is: "base", name: shownRemote(resource) });
      return;
    }
    if (path === undefined) throw new Unpredictable();
    if (this.#repository.kustomizations.has(path)) all.push(...this.#kustomization(path, [], NO_EDITS));
    else all.push(...this.#items(this.#file(folder, resource)));
  }

  /** Whether a resource is remote, and nothing here could have its path. */
  #isRemote(folder: string, resource: string): boolean {
    const [first = ""] = resource.split("/");
    return this.#isPartial && looksRemote(resource) && !this.#repository.tree.entries.has(posix.join(folder, first));
  }

  /** The path of a file: kustomize takes only those in the folder or below it, unless its load restrictions are off. */
  #file(folder: string, file: string): string {
    const path = pathFrom(folder, file);
    if (path === undefined || !this.#isFile(path)) throw new Unpredictable();
    const { flux, isUnrestricted } = this.#render;
    if (flux === undefined && isUnrestricted !== true && !isInFolder(folder, path)) throw new Unpredictable();
    return path;
  }

  #items(path: string): readonly BuiltObject[] {
    const objects = objectsOfFiles(this.#repository.tree)(path);
    if (objects === undefined) throw new Unpredictable();
    return objects.map((object) => ({ ...object, formerNames: new Set() }));
  }

  #generate(folder: string, { kind, name, namespace, behavior, files, envs }: Generator, all: BuiltObject[]): void {
    if (name === "" || `${name}${namespace}`.includes("$")) throw new Unpredictable();
    for (const file of [...files.map(({ path }) => path), ...envs])
      if (this.#isRemote(folder, file)) this.#remote.push({ is: "file", name: shownRemote(file) });
      else if (!this.#isFile(pathFrom(folder, file) ?? "")) throw new Unpredictable();
    if (behavior === "" || behavior === "create") {
      all.push({ ...GENERATED, kind, name, namespace, formerNames: new Set() });
      return;
    }
    const [into, ...more] = all.filter((one) => one.group === "" && one.kind === kind && one.name === name);
    if (into === undefined || into.namespace !== namespace || more.length > 0) throw new Unpredictable();
    into.isGenerated = true;
  }

  /**
   * A configuration. With `nameReference`, generated names replace those in objects, as in `spec.valuesFrom` of a
   * HelmRelease: an application whose values matter is rendered with what shows it.
   */
  #configuration(folder: string, file: string): void {
    const text = textOf(this.#repository.tree, this.#file(folder, file));
    const [content, ...more] = text === undefined ? [] : readPatch(text, this.#repository.tree.limits);
    const isKnown = isMapping(content) && Object.keys(content).every((field) => field === "nameReference");
    if (!isKnown || more.length > 0) throw new Unpredictable();
  }

  #patch(folder: string, { path, text, target, options }: KustomizationPatch, all: BuiltObject[]): void {
    if ((path === undefined) === (text === undefined)) throw new Unpredictable();
    const written = text ?? textOf(this.#repository.tree, this.#file(folder, path ?? ""));
    if (written === undefined) throw new Unpredictable();
    if (written.includes(SUBSTITUTE)) throw new Unpredictable();
    const documents = readPatch(written, this.#repository.tree.limits);
    applyPatch({ documents, target, options }, all, this.#isPartial);
  }
}

function editsOf({ flux, argo }: KustomizeRender): Edits {
  const given = flux ?? argo;
  if (given === undefined) return NO_EDITS;
  const { namePrefix = "", nameSuffix = "", patches, components, ignoreMissingComponents } = given;
  if (namePrefix !== "" || nameSuffix !== "" || (ignoreMissingComponents && components.length > 0))
    throw new Unpredictable();
  return { namespace: flux?.targetNamespace ?? argo?.namespace ?? "", patches: patches.map(patchOf), components };
}

/** kustomize refuses duplicate objects. Variables may also make some. */
function refuseRepeats(all: readonly BuiltObject[]): void {
  const identities = new Set(
    all.map(({ group, kind, namespace, name }) => objectKey({ group, kind, name }, namespace)),
  );
  if (identities.size < all.length) throw new Unpredictable();
}

/** Substitutes variables. Throws Unpredictable if they or images change what is not known here. */
function finish(object: BuiltObject, variables: Variables | undefined): void {
  const { group, kind, namespace, spec } = object;
  if (variables !== undefined) {
    const isShown = spec !== undefined || isSource(object);
    if (`${group} ${kind} ${isShown ? namespace : ""}`.includes("$")) throw new Unpredictable();
    if (isShown) object.name = substitutedText(object.name, variables);
  }
  if (spec === undefined) return;
  object.spec = Object.fromEntries(
    Object.entries(spec).map(([field, value]) => {
      if (isHarmless(kind, field) && !(field === "values" && fieldsOf(value)["instance"] !== undefined))
        return [field, value];
      if (/"(?:initC|c)ontainers"/u.test(JSON.stringify([field, value]))) throw new Unpredictable();
      return [field, variables === undefined ? value : substituted(value, variables)];
    }),
  );
}
