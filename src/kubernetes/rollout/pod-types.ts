import table from "./pod-template-types.json" with { type: "json" };

// The fields of pod templates and of the workloads around them by type, generated from Kubernetes' Go types
// (scripts/pod-template-types). Whether `false` equals an absent field is a matter of these types, and so is how an
// apply merges a list: plan --live and the comparison both read it here.

/** A type of the generated table, read. */
export type FieldType = StructType | ListType | MapType | ScalarType;

export interface StructType {
  readonly form: "struct";
  readonly name: string;
  /** An absent one differs from an empty one. */
  readonly pointer: boolean;
  /** A server-side apply takes it as one value. */
  readonly atomic: boolean;
  /** kubectl's patch takes out what the manifest doesn't have. */
  readonly retainKeys: boolean;
}

export interface ListType {
  readonly form: "list";
  /** The field by which elements are told apart; undefined: by their place. */
  readonly key: string | undefined;
  /** How kubectl's patch merges it: by `key`, as a set, or not at all. */
  readonly patch: "key" | "set" | "replace";
  /** Of an element that is merged by `key`: what the manifest doesn't have goes. */
  readonly retainKeys: boolean;
  /** How a server-side apply merges it: by these fields of its elements, as a set, or not at all. */
  readonly apply: readonly string[] | "set" | "atomic";
  readonly element: FieldType;
}

export interface MapType {
  readonly form: "map";
  readonly element: FieldType;
  /** A server-side apply takes it as one value. */
  readonly atomic: boolean;
}

export interface ScalarType {
  readonly form: "scalar";
  readonly scalar: Scalar;
  /** An absent one differs from a zero one. */
  readonly pointer: boolean;
}

const SCALARS = ["string", "int", "bool", "time", "quantity", "intOrString", "any"] as const;
export type Scalar = (typeof SCALARS)[number];

type Table = Readonly<Record<string, Readonly<Record<string, string>>>>;
const TABLE: Table = table;

/** What Kubernetes doesn't declare: compared as it stands. */
export const ANY: ScalarType = { form: "scalar", scalar: "any", pointer: true };

export const POD_TEMPLATE: FieldType = {
  form: "struct",
  name: "PodTemplateSpec",
  pointer: false,
  atomic: false,
  retainKeys: false,
};

const known = new Map<string, FieldType>();

/** The type of a field; undefined where Kubernetes' types have none of that name. */
export function fieldType(struct: string, field: string): FieldType | undefined {
  const fields = TABLE[struct];
  const text = fields !== undefined && Object.hasOwn(fields, field) ? fields[field] : undefined;
  return text === undefined ? undefined : typeOf(text);
}

/** A type of the table, read once. */
export function typeOf(text: string): FieldType {
  let type = known.get(text);
  if (type === undefined) known.set(text, (type = parseType(text)));
  return type;
}

const FORM = /^(?<flags>[!+]*)(?:(?<map>\{\})|\[(?<list>[^\]]*)\])?(?<pointer>\*?)(?<rest>.*)$/u;

/** Reads a type of the table's small language: `*bool`, `[name]Container`, `{}quantity`. */
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
