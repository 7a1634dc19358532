import type { ConfigHashValue } from "../../base/config-hash-options.ts";
import type { Keys } from "../../base/digest/hash-v1.ts";
import type { ReferencedKind } from "../../base/referenced-kinds.ts";
import type { Item } from "../../yaml/read/items.ts";
import type { Json } from "../../yaml/read/node.ts";

/**
 * How much of a source's content is in the input: the bytes, an encrypted form of them, or only
 * where they come from.
 */
export type Coverage = "content" | "ciphertext" | "declaration";

/** An object that a source makes or is; in the source's own namespace where it names none. */
export interface Provided {
  readonly kind: ReferencedKind;
  readonly name: string;
  readonly namespace?: string;
}

/** A ConfigMap or Secret that goes into the Secret that a declared source makes. */
export interface TemplateSource {
  readonly kind: "ConfigMap" | "Secret";
  readonly name: string;
  readonly keys: Keys;
}

/** A declared source as its table row reads it. */
export interface DeclaredObject {
  readonly name: string;
  /** The value at a dot-separated path; undefined where it is missing or null. */
  readonly at: (path: string) => Json | undefined;
}

/** A kind that says where a Secret comes from: a row of DECLARED_KINDS. */
export interface DeclaredKind {
  readonly group: string;
  readonly kind: string;
  readonly coverage: Coverage;
  /** The objects that it makes. */
  readonly provides: (object: DeclaredObject) => readonly Provided[];
  /** The fields in the digest, dot-separated; "spec" for the whole of it. */
  readonly fields: readonly string[];
  /** Fields left out at any depth: they change no content. */
  readonly without?: readonly string[];
  /** The mapping whose entries are shown as keys, each text's bytes its value. */
  readonly keys?: string;
  /** The keys of what it makes, where the object tells them; undefined where they can be others. */
  readonly madeKeys?: (object: DeclaredObject) => ReadonlySet<string> | undefined;
  /** More sources that go into what it makes. */
  readonly templateSources?: (object: DeclaredObject) => readonly TemplateSource[];
  /** It is cluster-scoped and makes its object in many namespaces. */
  readonly everyNamespace?: boolean;
  /** The name in `optionalKinds` that switches the kind on. */
  readonly optional?: ConfigHashValue<"optionalKinds">;
  /** The mapping of annotations that it gives to what it makes: peers' marks may stand there. */
  readonly annotations?: string;
  /** At least one of these fields has to be there. */
  readonly required: readonly string[];
  /** It is a row of the configuration. */
  readonly configured?: true;
  /** The fields that name what it makes, for people; undefined where it can go without. */
  readonly namedBy?: readonly string[];
}

/** An object of the input whose content pods can see, under the name by which they see it. */
export interface Source {
  readonly item: Item;
  /** What references name. */
  readonly provides: Required<Provided>;
  readonly coverage: Coverage;
  /** The table row of a declared source; undefined for ConfigMaps and Secrets. */
  readonly declared: DeclaredKind | undefined;
  /** kustomize will rename it by its content at the end of the build. */
  readonly needsHashSuffix: boolean;
  /** It carries `rollstamp.dev/stamp: "false"`. */
  readonly neverCounts: boolean;
}
