import type { ReferenceOption } from "../../base/config-hash-options.ts";
import { entriesOf, get, getPath, itemsOf, kindOf, stringOf } from "../../yaml/read/node.ts";
import { NONE, type YamlTree } from "../../yaml/read/tree.ts";
import { CONTAINER_LISTS } from "./containers.ts";

// Recognizes the forms of a pod spec in an object of an unknown kind (k8s.io/api core/v1, types.go): its pod templates,
// its references to ConfigMaps and Secrets, and the fields from which its operator takes annotations for pods.

type SourceKind = NonNullable<ReferenceOption["kind"]>;

/** Whether a source exists: a list of names outside a pod spec counts only if it names one. */
export type KnowsSource = (kind: SourceKind, name: string) => boolean;

/** A field from which an operator takes annotations for pods. */
export interface AnnotationsPlace {
  readonly form: "podMetadata" | "podAnnotations";
  readonly path: string;
  /** Containers and volumes below this path belong to the same pods. */
  readonly scope: string;
}

/** The position of the finder. */
interface Place {
  readonly path: string;
  /** The last step of the path that is a name. */
  readonly step: string;
  /** Whether a field above is named after environment variables. */
  readonly inEnv: boolean;
  /** Whether a mapping above has fields of a pod. */
  readonly inPod: boolean;
}

/** Fields of an object that are not about pods. */
export const OUTER_FIELDS: ReadonlySet<string> = new Set(["apiVersion", "kind", "metadata", "status"]);

// A step of a path has no dot and no space. A long key would be repeated in each path below it.
const STEP = /^[^.\s*]{1,253}$/u;
const LONGEST_PATH = 1000;
const ENV_STEP = /env/iu;
/** Fields with this name are a PodTemplateSpec, with or without metadata. */
const TEMPLATE_STEP = /^(?:template|podTemplate|podTemplateSpec)$/u;
/** Fields with this name hold parts of a pod, but are not a PodTemplateSpec. */
const POD_STEP = /^(?:pod|podTemplate|podSpec)$/u;

/** Fields of what runs pods: a reference to a key next to one of these usually reaches the pods. */
const POD_FIELDS = [
  "image",
  "replicas",
  "replicaCount",
  "nodeSelector",
  "tolerations",
  "affinity",
  "serviceAccountName",
  "imagePullSecrets",
  "podSecurityContext",
  "terminationGracePeriodSeconds",
  "topologySpreadConstraints",
] as const;

const KEY_REFERENCES: ReadonlyMap<string, SourceKind> = new Map([
  ["configMapKeyRef", "ConfigMap"],
  ["secretKeyRef", "Secret"],
]);
const ENV_FROM_REFERENCES: ReadonlyMap<string, SourceKind> = new Map([
  ["configMapRef", "ConfigMap"],
  ["secretRef", "Secret"],
]);
const NAME_LISTS: ReadonlyMap<string, SourceKind> = new Map([
  ["configMaps", "ConfigMap"],
  ["configmaps", "ConfigMap"],
  ["secrets", "Secret"],
]);
const VOLUMES: ReadonlyMap<string, readonly [kind: SourceKind, name: string]> = new Map([
  ["configMap", ["ConfigMap", "name"]],
  ["secret", ["Secret", "secretName"]],
]);

/** Finds the parts of pods in an object. At most `most` of each sort are found. */
export class PodPartsFinder {
  readonly podTemplates: Set<string> = new Set();
  readonly podSpecs: Set<string> = new Set();
  // By form and path, so that the elements of a list count once.
  readonly references: Map<string, ReferenceOption> = new Map();
  readonly annotations: Map<string, AnnotationsPlace> = new Map();
  readonly #tree: YamlTree;
  readonly #knows: KnowsSource;
  readonly #most: number;

  constructor(tree: YamlTree, knows: KnowsSource, most: number) {
    this.#tree = tree;
    this.#knows = knows;
    this.#most = most;
  }

  look(node: number, at: Place): void {
    if (at.path.length > LONGEST_PATH) return;
    for (const element of this.#elements(node)) this.look(element, { ...at, path: `${at.path}.*` });
    if (!this.#isMapping(node) || this.#isObject(node)) return;
    if (this.#isPodTemplate(node, at.step)) {
      if (this.podTemplates.size < this.#most) this.podTemplates.add(at.path);
      return;
    }
    const inside = { ...at, inPod: at.inPod || POD_FIELDS.some((field) => this.#has(node, field)) };
    const taken = new Set([...this.#podLists(node, at.path), ...this.#container(node, at.path)]);
    this.#metadata(node, at.path, taken.size > 0);
    this.#volume(node, inside, taken);
    for (const { key, valueNode } of entriesOf(this.#tree, node)) {
      if (!STEP.test(key) || taken.has(key)) continue;
      const inEnv = at.inEnv || ENV_STEP.test(key);
      this.#field(valueNode, { ...inside, path: `${at.path}.${key}`, step: key, inEnv });
    }
  }

  /** Adds the lists of a pod spec; returns the fields that are such lists. */
  #podLists(node: number, path: string): string[] {
    const containers = CONTAINER_LISTS.filter((list) => this.#hasContainers(this.#get(node, list)));
    const volumes = this.#hasVolumes(this.#get(node, "volumes")) ? ["volumes"] : [];
    if (containers.includes("containers")) {
      if (this.podSpecs.size < this.#most) this.podSpecs.add(path);
    } else {
      for (const list of containers) this.#reference({ form: "Containers", path: `${path}.${list}` });
      if (volumes.length > 0) this.#reference({ form: "Volumes", path: `${path}.volumes` });
    }
    return [...containers, ...volumes];
  }

  /** Adds a container; returns its fields that refer to sources. */
  #container(node: number, path: string): string[] {
    const refers = (from: number, fields: ReadonlyMap<string, SourceKind>): boolean =>
      [...fields.keys()].some((field) => this.#has(from, field, "name"));
    const inEnv = this.#elements(this.#get(node, "env")).some((one) =>
      refers(this.#get(one, "valueFrom"), KEY_REFERENCES),
    );
    const inEnvFrom = this.#elements(this.#get(node, "envFrom")).some((one) => refers(one, ENV_FROM_REFERENCES));
    const taken = [...(inEnv ? ["env"] : []), ...(inEnvFrom ? ["envFrom"] : [])];
    if (taken.length > 0 || this.#isList(this.#get(node, "volumeMounts"))) this.#reference({ form: "Container", path });
    return taken;
  }

  /** Adds a volume outside a list. Not every `configMap` is a volume: it counts only near fields of a pod. */
  #volume(node: number, { path, inPod }: Place, taken: Set<string>): void {
    if (!inPod) return;
    const found = [...VOLUMES].flatMap(([field, [kind, name]]) => {
      const value = this.#get(node, field);
      const text = this.#text(this.#get(value, name));
      // With a `key` it selects one key.
      return text === undefined || this.#has(value, "key") || !this.#knows(kind, text) ? [] : [field];
    });
    if (found.length === 0) return;
    this.#reference({ form: "Volume", path });
    for (const field of found) taken.add(field);
  }

  #field(value: number, at: Place): void {
    const { path, step } = at;
    const name = this.#text(this.#get(value, "name"));
    const key = KEY_REFERENCES.get(step);
    if (key !== undefined && name !== undefined && this.#text(this.#get(value, "key")) !== undefined) {
      if (at.inEnv || (at.inPod && this.#knows(key, name))) this.#reference({ kind: key, path });
      return;
    }
    const whole = ENV_FROM_REFERENCES.get(step);
    if (whole !== undefined && at.inEnv && name !== undefined) {
      this.#reference({ kind: whole, path });
      return;
    }
    const listed = NAME_LISTS.get(step);
    if (listed !== undefined && at.inPod && this.#isList(value) && this.#namesKnown(listed, value)) {
      this.#reference({ kind: listed, path });
      return;
    }
    if (this.#hasContainers(value)) this.#reference({ form: "Containers", path });
    else if (this.#hasVolumes(value)) this.#reference({ form: "Volumes", path });
    else if (step === "projected" || step === "projectedVolumeTemplate") {
      const sources = this.#elements(this.#get(value, "sources"));
      if (sources.some((source) => this.#has(source, "configMap") || this.#has(source, "secret")))
        this.#reference({ form: "Projected", path });
    } else {
      this.#annotationsAt(value, at);
      this.look(value, at);
    }
  }

  #namesKnown(kind: SourceKind, list: number): boolean {
    return this.#elements(list).some((element) => {
      const name = this.#text(element) ?? this.#text(this.#get(element, "name"));
      return name !== undefined && this.#knows(kind, name);
    });
  }

  /** Adds a field for annotations of pods that is recognized by its name. */
  #annotationsAt(value: number, { path, step }: Place): void {
    if (!this.#isMapping(value)) return;
    const scope = parentOf(path);
    if (step === "podAnnotations") this.#place({ form: "podAnnotations", path, scope });
    else if (step === "podMetadata") this.#place({ form: "podMetadata", path, scope });
    else if (POD_STEP.test(step) && this.#has(value, "metadata", "annotations")) {
      // As in Strimzi: `template` holds the pod's parts, and its containers are described next to it.
      const outer = scope === "template" || scope.endsWith(".template") ? parentOf(scope) : scope;
      this.#place({ form: "podMetadata", path: `${path}.metadata`, scope: outer });
    } else if (POD_STEP.test(step) && this.#has(value, "annotations")) {
      this.#place({ form: "podAnnotations", path: `${path}.annotations`, scope });
    }
  }

  /** Adds metadata next to parts of a pod, or next to a spec that has them. The object's own metadata does not count. */
  #metadata(node: number, path: string, hasPodFields: boolean): void {
    if (!path.includes(".") || !this.#has(node, "metadata", "annotations")) return;
    const spec = this.#get(node, "spec");
    const lists = [...CONTAINER_LISTS, "env", "envFrom", "volumes", "volumeMounts"];
    if (hasPodFields || lists.some((list) => this.#isList(this.#get(spec, list))))
      this.#place({ form: "podMetadata", path: `${path}.metadata`, scope: path });
  }

  #place(place: AnnotationsPlace): void {
    // Outer mappings come first, and know more about the pod than its own part.
    if (this.annotations.size < this.#most && !this.annotations.has(place.path))
      this.annotations.set(place.path, place);
  }

  #reference(reference: ReferenceOption): void {
    if (this.references.size < this.#most)
      this.references.set(`${reference.form ?? reference.kind ?? ""} ${reference.path}`, reference);
  }

  /** An object of its own: something that is applied separately, or a reference to another object. */
  #isObject(node: number): boolean {
    return ["apiVersion", "kind"].every((field) => this.#text(this.#get(node, field)) !== undefined);
  }

  #isPodTemplate(node: number, step: string): boolean {
    const containers = this.#elements(this.#get(this.#get(node, "spec"), "containers"));
    if (!containers.some((container) => this.#isMapping(container))) return false;
    return this.#has(node, "metadata") || TEMPLATE_STEP.test(step);
  }

  /** Whether an element of a list is a container that references or mounts something. */
  #hasContainers(list: number): boolean {
    return this.#elements(list).some(
      (element) =>
        (this.#has(element, "name") || this.#has(element, "image")) &&
        ["env", "envFrom", "volumeMounts"].some((field) => this.#isList(this.#get(element, field))),
    );
  }

  /** Whether an element of a list is a volume whose source pods can reference. */
  #hasVolumes(list: number): boolean {
    return this.#elements(list).some(
      (element) =>
        this.#has(element, "name") &&
        (this.#has(element, "configMap", "name") ||
          this.#has(element, "secret", "secretName") ||
          this.#has(element, "projected", "sources") ||
          this.#has(element, "csi", "driver")),
    );
  }

  #get(node: number, field: string): number {
    return get(this.#tree, node, field);
  }

  #has(node: number, ...path: readonly string[]): boolean {
    return getPath(this.#tree, node, path) !== NONE;
  }

  #text(node: number): string | undefined {
    return stringOf(this.#tree, node);
  }

  #isMapping(node: number): boolean {
    return kindOf(this.#tree, node) === "mapping";
  }

  #isList(node: number): boolean {
    return kindOf(this.#tree, node) === "sequence";
  }

  #elements(list: number): number[] {
    return itemsOf(this.#tree, list);
  }
}

/** The path above a path. */
export function parentOf(path: string): string {
  const dot = path.lastIndexOf(".");
  return dot < 0 ? "" : path.slice(0, dot);
}
