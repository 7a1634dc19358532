import { CONTAINER_LISTS } from "./containers.ts";
import type { ReferenceOption } from "../../base/config-hash-options.ts";
import type { Shape } from "./shapes.ts";
import {
  hasContainers,
  hasVolumes,
  isKeyReference,
  isObject,
  isOpenList,
  isPodTemplate,
  isVolume,
  refersBy,
  type SourceKind,
  takesAnnotations,
  TEMPLATE_STEP,
} from "./use-forms.ts";

// What a kind that nobody told us of shows by its form: where it has pod templates, where it names ConfigMaps and
// Secrets the way a pod spec does (k8s.io/api core/v1, types.go), and where annotations of its pods go.

/** The places of an object, or of a kind's schema, that are of use for stamps. */
export interface Uses {
  /** Pod templates: metadata and spec side by side. What they hold stands in none of the other lists. */
  readonly podTemplates: readonly string[];
  /** Mappings with the lists of a pod spec: its `containers`, and perhaps its `volumes`. */
  readonly podSpecs: readonly string[];
  readonly references: readonly ReferenceOption[];
  readonly annotations: readonly AnnotationsPlace[];
  /** Fields that by their names are pod templates, of which the schema says nothing. */
  readonly open: readonly string[];
}

/** A field by which an operator annotates pods. */
export interface AnnotationsPlace {
  readonly form: "podMetadata" | "podAnnotations";
  readonly path: string;
  /** The path below which containers and volumes are those of the same pods. */
  readonly scope: string;
}

/** Whether a list of names that is no part of a pod spec counts. */
export type KnowsSource = (kind: SourceKind, name: string) => boolean;

/**
 * Finds what an object, or the schema of a kind, has. Parts that are objects of their own are left alone;
 * `most` is how many places are of interest.
 */
export function findUses(root: Shape, knows: KnowsSource, most: number = Number.POSITIVE_INFINITY): Uses {
  const finder = new Finder(knows, most);
  for (const [name, shape] of root.fields()) {
    if (!OUTER_FIELDS.has(name)) finder.look(shape, { path: name, step: name, inEnv: false, inPod: false });
  }
  return finder.uses();
}

const OUTER_FIELDS = new Set(["apiVersion", "kind", "metadata", "status"]);

// A path is written with dots: what has one, or is no word, can't be a step of it.
// Names of fields are short: a path is told for each field that names a source, and one long step would be in each.
const STEP = /^[^.\s*]{1,253}$/u;
/** No path of a known kind is as long. */
const LONGEST_PATH = 1000;
const ENV_STEP = /env/iu;
// What holds pods' fields without being a pod template of Kubernetes' form.
const POD_STEP = /^(?:pod|podTemplate|podSpec)$/u;
// "Annotations to add to each Fluentd pod": no word of services, claims or the like.
const SAYS_PODS = /^(?!.*\b(?:services?|ingress|claims?|pvcs?|deployments?|routes?|serviceaccounts?)\b).*\bpods?\b/isu;

/** Fields that only what runs pods has: a key of a Secret beside one of these reaches them, as a rule. */
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

/** Where the finder is. */
interface Place {
  readonly path: string;
  /** The last step that is a name. */
  readonly step: string;
  /** Below a field that is named for environment variables. */
  readonly inEnv: boolean;
  /** Below a mapping that has fields of what runs pods. */
  readonly inPod: boolean;
}

class Finder {
  readonly #knows: KnowsSource;
  readonly #most: number;
  readonly #podTemplates = new Set<string>();
  readonly #podSpecs = new Set<string>();
  readonly #open = new Set<string>();
  // By what they are, so that a field of many elements stands once.
  readonly #references = new Map<string, ReferenceOption>();
  readonly #annotations = new Map<string, AnnotationsPlace>();

  constructor(knows: KnowsSource, most: number) {
    this.#knows = knows;
    this.#most = most;
  }

  uses(): Uses {
    return {
      podTemplates: [...this.#podTemplates],
      podSpecs: [...this.#podSpecs],
      references: [...this.#references.values()],
      annotations: [...this.#annotations.values()],
      open: [...this.#open],
    };
  }

  look(shape: Shape, at: Place): void {
    if (at.path.length > LONGEST_PATH) return;
    for (const element of shape.elements()) this.look(element, { ...at, path: `${at.path}.*` });
    const isOpen = shape.isOpen || (shape.get("metadata") !== undefined && shape.get("spec")?.isOpen === true);
    if (isOpen && TEMPLATE_STEP.test(at.step)) this.#open.add(at.path);
    if (!shape.isMapping || isObject(shape)) return;
    if (isPodTemplate(shape, at.step)) {
      if (this.#podTemplates.size < this.#most) this.#podTemplates.add(at.path);
      return;
    }
    const inside = { ...at, inPod: at.inPod || POD_FIELDS.some((field) => shape.get(field) !== undefined) };
    const taken = new Set([...this.#podLists(shape, at.path), ...this.#container(shape, at.path)]);
    this.#metadata(shape, at.path, taken.size > 0);
    this.#volume(shape, inside, taken);
    for (const [name, value] of shape.fields()) {
      if (!STEP.test(name) || taken.has(name)) continue;
      this.#field(value, { ...inside, path: `${at.path}.${name}`, step: name, inEnv: at.inEnv || ENV_STEP.test(name) });
    }
  }

  /** The lists of a pod spec under their own names; gives those that are there. */
  #podLists(shape: Shape, path: string): string[] {
    const containers = CONTAINER_LISTS.filter((list) => hasContainers(shape.get(list)) || isOpenList(shape.get(list)));
    const volumes = hasVolumes(shape.get("volumes")) || isOpenList(shape.get("volumes")) ? ["volumes"] : [];
    if (containers.includes("containers")) {
      if (this.#podSpecs.size < this.#most) this.#podSpecs.add(path);
    } else {
      for (const list of containers) this.#reference({ form: "Containers", path: `${path}.${list}` });
      if (volumes.length > 0) this.#reference({ form: "Volumes", path: `${path}.volumes` });
    }
    return [...containers, ...volumes];
  }

  /** The fields of a container: `env`, `envFrom`, and what mounts its volumes; gives those that are there. */
  #container(shape: Shape, path: string): string[] {
    const taken = [
      ...(refersBy(shape.get("env"), KEY_REFERENCES, "valueFrom") ? ["env"] : []),
      ...(refersBy(shape.get("envFrom"), ENV_FROM_REFERENCES) ? ["envFrom"] : []),
    ];
    if (taken.length > 0 || shape.get("volumeMounts")?.isList === true) this.#reference({ form: "Container", path });
    return taken;
  }

  /** A volume without the list. Not everything with a `configMap` is one: it counts only where pods are. */
  #volume(shape: Shape, { path, inPod }: Place, taken: Set<string>): void {
    if (!inPod) return;
    const found = [...SINGLE_VOLUME].flatMap(([field, [kind, name]]) => {
      const value = shape.get(field);
      const text = value?.get(name)?.text;
      return text === undefined || !isVolume(value) || !this.#knows(kind, text) ? [] : [field];
    });
    if (found.length === 0) return;
    this.#reference({ form: "Volume", path });
    for (const field of found) taken.add(field);
  }

  #field(value: Shape, at: Place): void {
    const { path, step } = at;
    const key = KEY_REFERENCES.get(step);
    if (key !== undefined && isKeyReference(value)) {
      if (at.inEnv || (at.inPod && this.#knows(key, value.get("name")?.text ?? ""))) this.#name(key, path);
      return;
    }
    const whole = ENV_FROM_REFERENCES.get(step);
    if (whole !== undefined && at.inEnv && value.get("name")?.text !== undefined) {
      this.#name(whole, path);
      return;
    }
    const listed = NAME_LISTS.get(step);
    if (listed !== undefined && at.inPod && value.isList && this.#namesKnown(listed, value)) {
      this.#name(listed, path);
      return;
    }
    if (value.isList && hasContainers(value)) this.#reference({ form: "Containers", path });
    else if (value.isList && hasVolumes(value)) this.#reference({ form: "Volumes", path });
    else if (step === "projected" || step === "projectedVolumeTemplate") this.#projected(value, at);
    else {
      this.#annotationsAt(value, at);
      this.look(value, at);
    }
  }

  #projected(value: Shape, at: Place): void {
    const isOne = value
      .get("sources")
      ?.elements()
      .some((source) => source.get("configMap") ?? source.get("secret"));
    if (isOne === true) this.#reference({ form: "Projected", path: at.path });
  }

  #namesKnown(kind: SourceKind, list: Shape): boolean {
    return list.elements().some((element) => {
      const name = element.text ?? element.get("name")?.text;
      return name !== undefined && this.#knows(kind, name);
    });
  }

  /** A field by which pods are annotated, by its name or by what the schema says of it. */
  #annotationsAt(value: Shape, { path, step }: Place): void {
    const scope = parentOf(path);
    const isMapping = value.isMapping || value.isOpen || (!value.isList && value.elements().length > 0);
    if (!isMapping) return;
    if (step === "podAnnotations" || (step === "annotations" && SAYS_PODS.test(value.says))) {
      this.#place({ form: "podAnnotations", path, scope });
    } else if (step === "podMetadata") {
      this.#place({ form: "podMetadata", path, scope });
    } else if (POD_STEP.test(step) && takesAnnotations(value.get("metadata"))) {
      // Strimzi's form: the pod's parts stand under `template`, what it is made of beside that.
      const outer = scope === "template" || scope.endsWith(".template") ? parentOf(scope) : scope;
      this.#place({ form: "podMetadata", path: `${path}.metadata`, scope: outer });
    } else if (POD_STEP.test(step) && takesAnnotations(value)) {
      this.#place({ form: "podAnnotations", path: `${path}.annotations`, scope });
    }
  }

  /** Metadata beside what a pod is made of, or beside a spec that has it: but an object's own is no pod's. */
  #metadata(shape: Shape, path: string, hasPodFields: boolean): void {
    if (!path.includes(".") || !takesAnnotations(shape.get("metadata"))) return;
    const spec = shape.get("spec");
    const lists = [...CONTAINER_LISTS, "env", "envFrom", "volumes", "volumeMounts"];
    if (!hasPodFields && !lists.some((list) => spec?.get(list)?.isList === true)) return;
    this.#place({ form: "podMetadata", path: `${path}.metadata`, scope: path });
  }

  #place(place: AnnotationsPlace): void {
    // What is around a pod is looked at first, and knows more of it than the pod's own part.
    if (this.#annotations.size < this.#most && !this.#annotations.has(place.path)) {
      this.#annotations.set(place.path, place);
    }
  }

  #name(kind: SourceKind, path: string): void {
    this.#reference({ kind, path });
  }

  #reference(reference: ReferenceOption): void {
    if (this.#references.size < this.#most)
      this.#references.set(`${reference.form ?? reference.kind ?? ""} ${reference.path}`, reference);
  }
}

const SINGLE_VOLUME: ReadonlyMap<string, readonly [kind: SourceKind, name: string]> = new Map([
  ["configMap", ["ConfigMap", "name"]],
  ["secret", ["Secret", "secretName"]],
]);

/** The path without its last step. */
export function parentOf(path: string): string {
  const dot = path.lastIndexOf(".");
  return dot < 0 ? "" : path.slice(0, dot);
}
