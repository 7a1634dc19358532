// ConfigMaps and Secrets that a rendering takes values from (Flux: postBuild.substituteFrom, valuesFrom).

/** An object that is named, as Flux names it. */
export interface DataReference {
  readonly kind: "ConfigMap" | "Secret";
  /** "" where nobody tells it: any will do. */
  readonly namespace: string;
  readonly name: string;
}

/** What is known of a value. */
export type DataValue =
  | { readonly is: "text"; readonly text: string }
  /** Encrypted, or made in the cluster: what stands for it is no value of a Secret, and differs where its text in Git does. */
  | { readonly is: "unknown"; readonly placeholder: string; readonly because: string };

/** An object with its values. */
export interface DataObject {
  readonly data: ReadonlyMap<string, DataValue>;
  /** The value of a key that it may have beside these: only the cluster knows its keys. */
  readonly other?: (key: string) => DataValue;
  /** The files that it is made from. */
  readonly files: readonly string[];
}

/** An object of which values are taken that are not known. */
export interface UnknownValues {
  /** `Secret flux-system/settings`. */
  readonly object: string;
  /** The file that tells of it, or of what names it. */
  readonly file: string;
  readonly because: string;
}

/** Finds an object, of several that which stands nearest to a file; undefined where none is known. */
export type DataLookup = (reference: DataReference, near: string) => DataObject | undefined;

/** Such a look-up for one application: near the file that tells of it. */
export type NearLookup = (reference: DataReference, near?: string) => DataObject | undefined;

/** Nothing is known. */
export const NO_DATA: DataLookup = () => undefined;

/** What an object has under a key; undefined where it has none. */
export function valueOf({ data, other }: DataObject, key: string): DataValue | undefined {
  return data.get(key) ?? other?.(key);
}
