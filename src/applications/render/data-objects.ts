import type { SourceKind } from "../../base/referenced-kinds.ts";
// ConfigMaps and Secrets whose values a rendering uses (Flux: postBuild.substituteFrom, valuesFrom).

/** A reference to an object, as in Flux. */
export interface DataReference {
  readonly kind: SourceKind;
  /** "" matches any namespace. */
  readonly namespace: string;
  readonly name: string;
}

export type DataValue =
  | { readonly is: "text"; readonly text: string }
  /**
   * Encrypted, or created in the cluster. The placeholder contains no value of a Secret; it differs if the text in Git
   * differs.
   */
  | { readonly is: "unknown"; readonly placeholder: string; readonly because: string };

export interface DataObject {
  readonly data: ReadonlyMap<string, DataValue>;
  /** The value of another key that it may have: only the cluster knows its keys. */
  readonly other?: (key: string) => DataValue;
  /** The files that it comes from. */
  readonly files: readonly string[];
}

/** An object whose values are used and not known. */
export interface UnknownValues {
  /** `Secret flux-system/settings`. */
  readonly object: string;
  /** The file of the object, or of its reference. */
  readonly file: string;
  readonly because: string;
  /** No file has the object. */
  readonly isAbsent?: true;
}

/** Finds an object, the one nearest to a file if there are several; undefined if none is known. */
export type DataLookup = (reference: DataReference, near: string) => DataObject | undefined;

/** The same for one application: near the file that defines it. */
export type NearLookup = (reference: DataReference, near?: string) => DataObject | undefined;

/** The value of a key; undefined if the object does not have the key. */
export function valueOf({ data, other }: DataObject, key: string): DataValue | undefined {
  return data.get(key) ?? other?.(key);
}
