// ConfigMaps and Secrets that a rendering takes values from (Flux: postBuild.substituteFrom, valuesFrom).

/** An object that is named, as Flux names it. */
export interface DataReference {
  readonly kind: "ConfigMap" | "Secret";
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
  /** The files that it is made from. */
  readonly files: readonly string[];
}

/** Finds an object, of several that which stands nearest to a file; undefined where none is known. */
export type DataLookup = (reference: DataReference, near: string) => DataObject | undefined;

/** Nothing is known. */
export const NO_DATA: DataLookup = () => undefined;
