import type { ValueParameter, ValueType } from "./chart-values.ts";
import type { ParameterRow } from "./parameter-rows.ts";

export type Announcement = {
  readonly name: string;
  readonly title: string;
  readonly tooltip: string;
  readonly itemType: string;
} & (
  | { readonly collectionType: "string"; readonly string: string }
  | { readonly collectionType: "array"; readonly array: readonly string[] }
  | { readonly collectionType: "map"; readonly map: Readonly<Record<string, string>> }
);

/** Announces a key of values.yaml to the UI of Argo CD. */
export function announcement(parameter: ValueParameter): Announcement {
  const { name } = parameter;
  const common = { name, title: name, tooltip: "From values.yaml." };
  switch (parameter.form) {
    case "string":
      return {
        ...common,
        itemType: itemType(parameter.value.type),
        collectionType: "string",
        string: parameter.value.text,
      };
    case "array":
      return { ...common, itemType: itemType(parameter.type), collectionType: "array", array: parameter.items };
    case "map": {
      const map = Object.fromEntries([...parameter.entries].map(([path, { text }]) => [path, text]));
      return { ...common, itemType: "string", collectionType: "map", map };
    }
  }
}

function itemType(type: ValueType): string {
  return type === "any" ? "string" : type;
}

/** Announces a parameter of the plugin, with its default. */
export function ownAnnouncement({ name, title, tooltip, itemType: type, collectionType }: ParameterRow): Announcement {
  const common = { name, title, tooltip, itemType: type };
  switch (collectionType) {
    case "string":
      return { ...common, collectionType, string: type === "boolean" ? "false" : "" };
    case "array":
      return { ...common, collectionType, array: [] };
    case "map":
      return { ...common, collectionType, map: {} };
  }
}
