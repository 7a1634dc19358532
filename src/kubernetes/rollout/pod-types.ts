import { onceForText } from "../../base/grouped.ts";
import table from "./pod-template-types.json" with { type: "json" };

// The fields of pod templates and of their workloads by type, generated from Kubernetes' Go types
// (scripts/pod-template-types). The types decide whether `false` equals an absent field, and how an apply merges a
// list: the comparison and plan --live read both here.

/** A parsed type of the generated table. */
export type FieldType = StructType | ListType | MapType | ScalarType;

export interface StructType {
  readonly form: "struct";
  readonly name: string;
  /** An absent value differs from an empty one. */
  readonly pointer: boolean;
  /** A server-side apply treats it as one value. */
  readonly atomic: boolean;
  /** kubectl's patch removes what the manifest does not have. */
  readonly retainKeys: boolean;
}

export interface ListType {
  readonly form: "list";
  /** The field that identifies elements; undefined if their position does. */
  readonly key: string | undefined;
  /** How kubectl's patch merges it: by `key`, as a set, or not at all. */
  readonly patch: "key" | "set" | "replace";
  /** For an element that is merged by `key`: what the manifest does not have is removed. */
  readonly retainKeys: boolean;
  /** How a server-side apply merges it: by these fields of its elements, as a set, or not at all. */
  readonly apply: readonly string[] | "set" | "atomic";
  readonly element: FieldType;
}

export interface MapType {
  readonly form: "map";
  readonly element: FieldType;
  /** A server-side apply treats it as one value. */
  readonly atomic: boolean;
}

export interface ScalarType {
  readonly form: "scalar";
  readonly scalar: Scalar;
  /** An absent value differs from a zero one. */
  readonly pointer: boolean;
}

const SCALARS = ["string", "int", "bool", "time", "quantity", "intOrString", "any"] as const;
export type Scalar = (typeof SCALARS)[number];

type Table = Readonly<Record<string, Readonly<Record<string, string>>>>;
const TABLE: Table = table;

/** A field that Kubernetes does not declare is compared as it is. */
export const ANY: ScalarType = { form: "scalar", scalar: "any", pointer: true };

export const POD_TEMPLATE: FieldType = {
  form: "struct",
  name: "PodTemplateSpec",
  pointer: false,
  atomic: false,
  retainKeys: false,
};

/** The type of a field; undefined if the type has no such field. */
export function fieldType(struct: string, field: string): FieldType | undefined {
  const fields = TABLE[struct];
  const text = fields !== undefined && Object.hasOwn(fields, field) ? fields[field] : undefined;
  return text === undefined ? undefined : typeOf(text);
}

/** The names of the fields of a type. */
export function fieldsOfType(struct: string): readonly string[] {
  return Object.keys(TABLE[struct] ?? {});
}

let names: ReadonlySet<string> | undefined;

/** Whether some type has a field of this name. */
export function isFieldName(field: string): boolean {
  names ??= new Set(Object.values(TABLE).flatMap((fields) => Object.keys(fields)));
  return names.has(field);
}

export const typeOf: (text: string) => FieldType = onceForText(parseType);

const FORM = /^(?<flags>[!+]*)(?:(?<map>\{\})|\[(?<list>[^\]]*)\])?(?<pointer>\*?)(?<rest>.*)$/u;

/** Parses a type of the table: `*bool`, `[name]Container`, `{}quantity`. */
export function parseType(text: string): FieldType {
  const { flags = "", map, list, pointer = "", rest = "" } = FORM.exec(text)?.groups ?? {};
  const atomic = flags.includes("!");
  if (map !== undefined) return { form: "map", element: typeOf(pointer + rest), atomic };
  if (list !== undefined) return { form: "list", element: typeOf(pointer + rest), ...mergingOf(list) };
  const scalar = SCALARS.find((candidate) => candidate === rest);
  return scalar === undefined
    ? { form: "struct", name: rest, pointer: pointer !== "", atomic, retainKeys: flags.includes("+") }
    : { form: "scalar", scalar, pointer: pointer !== "" };
}

function mergingOf(text: string): Pick<ListType, "key" | "patch" | "retainKeys" | "apply"> {
  const [patchText = "", applyText = patchText] = text.split("|");
  const retainKeys = patchText.endsWith("+");
  const patchKey = retainKeys ? patchText.slice(0, -1) : patchText;
  const applyKeys = applyText.replace(/\+$/u, "");
  return {
    key: patchKey === "" || patchKey === "=" ? undefined : patchKey,
    patch: patchKey === "" ? "replace" : patchKey === "=" ? "set" : "key",
    retainKeys,
    apply: applyKeys === "" ? "atomic" : applyKeys === "=" ? "set" : applyKeys.split(","),
  };
}
