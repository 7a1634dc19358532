import type { ConfigHashValue } from "../../base/config-hash-options.ts";
import type { Keys } from "../../base/digest/hash-v1.ts";
import type { ReferencedKind, SourceKind } from "../../base/referenced-kinds.ts";
import type { Item } from "../../yaml/read/items.ts";
import type { Json } from "../../yaml/read/node.ts";

/** How much of a source's content is in the input: the bytes, an encrypted form, or only the origin. */
export type Coverage = "content" | "ciphertext" | "declaration";

/** An object that a source creates or is; in the source's own namespace by default. */
export interface Provided {
  readonly kind: ReferencedKind;
  readonly name: string;
  readonly namespace?: string;
}

/** A ConfigMap or Secret that is part of the Secret that a declared source creates. */
export interface TemplateSource {
  readonly kind: SourceKind;
  readonly name: string;
  readonly keys: Keys;
}

/** A declared source as the rows of its table read it. */
export interface DeclaredObject {
  readonly name: string;
  /** The value at a dot-separated path; undefined if missing or null. */
  readonly get: (path: string) => Json | undefined;
}

/** A kind that says where a Secret comes from: a row of DECLARED_KINDS. */
export interface DeclaredKind {
  readonly group: string;
  readonly kind: string;
  readonly coverage: Coverage;
  readonly provides: (object: DeclaredObject) => readonly Provided[];
  /** The digested fields, dot-separated; "spec" for the whole spec. */
  readonly fields: readonly string[];
  /** Fields that are left out at any depth, because they do not change content. */
  readonly without?: readonly string[];
  /** The mapping whose entries are digested as separate keys. */
  readonly keys?: string;
  /** The keys of what it creates; undefined if the object does not show them. */
  readonly madeKeys?: (object: DeclaredObject) => ReadonlySet<string> | undefined;
  /** More sources that are part of what it creates. */
  readonly templateSources?: (object: DeclaredObject) => readonly TemplateSource[];
  /** It is cluster-scoped and creates its objects in many namespaces. */
  readonly everyNamespace?: boolean;
  /** The name in `optionalKinds` that enables the kind. */
  readonly optional?: ConfigHashValue<"optionalKinds">;
  /** The annotations that it gives to what it creates, where annotations of other reloaders may be. */
  readonly annotations?: string;
  /** At least one of these fields must be set. */
  readonly required: readonly string[];
  /** It is a row of the configuration. */
  readonly configured?: true;
  /** The fields that name what it creates, for messages; undefined if they are optional. */
  readonly namedBy?: readonly string[];
}

/** An object of the input whose content pods can see, by the name that pods use. */
export interface Source {
  readonly item: Item;
  /** What references name. */
  readonly provides: Required<Provided>;
  readonly coverage: Coverage;
  /** The row of a declared source; undefined for ConfigMaps and Secrets. */
  readonly declared: DeclaredKind | undefined;
  /** kustomize will rename it by its content at the end of the build. */
  readonly needsHashSuffix: boolean;
  /** It has the annotation `rollstamp.dev/stamp: "false"`. */
  readonly neverCounts: boolean;
}
