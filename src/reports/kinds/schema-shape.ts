import { fieldsOf, textOf, isMapping } from "../../yaml/read/json.ts";
import { type Json } from "../../yaml/read/node.ts";
import type { Shape } from "../../kubernetes/workloads/shapes.ts";

/**
 * What a schema lets stand at its place: a structural schema, as custom resource definitions have it (apiextensions/v1,
 * JSONSchemaProps: properties, items and additionalProperties hold all of its form).
 */
export function schemaShape(schema: Json): Shape {
  const { type, description, properties, items, additionalProperties, ...rest } = fieldsOf(schema);
  const fields = Object.entries(fieldsOf(properties));
  const element = [items, additionalProperties].find(isMapping);
  const keepsUnknown = rest["x-kubernetes-preserve-unknown-fields"] === true;
  return {
    isList: type === "array",
    isMapping: fields.length > 0 || (type === "object" && element === undefined),
    text: type === "string" ? "" : undefined,
    isOpen: keepsUnknown && fields.length === 0 && element === undefined,
    isWhole: !keepsUnknown,
    says: textOf(description) ?? "",
    get: (name) => {
      const field = fieldsOf(properties)[name];
      return isMapping(field) ? schemaShape(field) : undefined;
    },
    fields: () => fields.map(([name, field]) => [name, schemaShape(field ?? null)] as const),
    elements: () => (element === undefined ? [] : [schemaShape(element)]),
  };
}
