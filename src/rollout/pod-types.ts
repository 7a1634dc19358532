import table from "./pod-template-types.json" with { type: "json" };

// The fields of a pod template by type, generated from Kubernetes' Go types
// (scripts/pod-template-types). Whether `false` equals an absent field is a matter of these types.

/** A type of the generated table, read. */
export type FieldType = StructType | ListType | MapType | ScalarType;

export interface StructType {
  readonly form: "struct";
  readonly name: string;
  /** An absent one differs from an empty one. */
  readonly pointer: boolean;
}

export interface ListType {
  readonly form: "list";
  /** The field by which elements are told apart; undefined: by their place. */
  readonly key: string | undefined;
  readonly element: FieldType;
}

export interface MapType {
  readonly form: "map";
  readonly element: FieldType;
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

export const POD_TEMPLATE: StructType = { form: "struct", name: "PodTemplateSpec", pointer: false };

const known = new Map<string, FieldType>();

/** The type of a field; undefined where Kubernetes' types have none of that name. */
export function fieldType(struct: string, field: string): FieldType | undefined {
  const fields = TABLE[struct];
  const text = fields !== undefined && Object.hasOwn(fields, field) ? fields[field] : undefined;
  return text === undefined ? undefined : typeOf(text);
}

/** Reads a type of the table's small language: `*bool`, `[name]Container`, `{}quantity`. */
export function typeOf(text: string): FieldType {
  let type = known.get(text);
  if (type === undefined) known.set(text, (type = parseType(text)));
  return type;
}

function parseType(text: string): FieldType {
  if (text.startsWith("{}")) return { form: "map", element: typeOf(text.slice(2)) };
  const list = /^\[(\w*)\](.*)$/u.exec(text);
  if (list !== null) return { form: "list", key: list[1] || undefined, element: typeOf(list[2] ?? "") };
  const pointer = text.startsWith("*");
  const name = pointer ? text.slice(1) : text;
  const scalar = SCALARS.find((candidate) => candidate === name);
  return scalar === undefined ? { form: "struct", name, pointer } : { form: "scalar", scalar, pointer };
}
