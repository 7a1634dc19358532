// The options of a function as TypeScript: from its JSON Schema, so that no list of them is kept beside it. Own
// code, as the known generators write no readonly types.
import { execFileSync } from "node:child_process";

/** The functions whose options the source takes, where they stand, and whether their types do as well. */
const OPTIONS = new Map([
  ["config-hash", { file: "src/base/config-hash-options.ts", types: true }],
  ["rollout-lint", { file: "src/base/rollout-lint-options.ts", types: false }],
]);

/** The file and its text for each function that has one. */
export function optionTypes(schemas) {
  return [...OPTIONS].map(([name, { file, types }]) => {
    const schema = schemas.get(name);
    const code = [
      `// Written by scripts/definitions.mjs from functions/${name}/schema.json.\n`,
      ...(types ? interfaces(schema) : []),
      constants(schema),
    ].join("\n");
    return { file, text: formatted(code, file) };
  });
}

/** Each of its definitions that is an object. */
function interfaces(schema) {
  return Object.entries(schema.$defs)
    .filter(([, definition]) => definition.type === "object")
    .map(([name, definition]) => {
      const title = name === "spec" ? `The options of ${schema.title}.` : definition.description;
      return `${comment(title)}export interface ${interfaceName(schema, name)} ${objectType(schema, definition)}\n`;
    });
}

function interfaceName({ title }, name) {
  return name === "spec" ? `${title}Options` : `${name[0].toUpperCase()}${name.slice(1)}Option`;
}

function objectType(schema, { properties, additionalProperties, required = [] }) {
  if (properties === undefined) return `{ readonly [key: string]: ${typeOf(schema, additionalProperties)} }`;
  const fields = Object.entries(properties).map(
    ([name, property]) =>
      `${comment(property.description, property.default)}readonly ${name}${required.includes(name) ? "" : "?"}: ${typeOf(schema, property)};`,
  );
  return `{\n${fields.join("\n")}\n}`;
}

function typeOf(schema, node) {
  const { $ref, enum: allowed, anyOf, type, items } = node;
  if ($ref !== undefined) {
    const name = $ref.replace("#/$defs/", "");
    const definition = schema.$defs[name];
    if (definition === undefined) throw new Error(`${schema.title}: the options have no type for ${$ref}`);
    return definition.type === "object" ? interfaceName(schema, name) : typeOf(schema, definition);
  }
  if (allowed !== undefined) return allowed.map((value) => JSON.stringify(value)).join(" | ");
  if (anyOf !== undefined) return anyOf.map((one) => typeOf(schema, one)).join(" | ");
  if (type === "array") return `readonly (${typeOf(schema, items)})[]`;
  if (type === "object") return objectType(schema, node);
  if (type === "string" || type === "boolean") return type;
  if (type === "integer") return "number";
  throw new Error(`${schema.title}: the options have no type for ${JSON.stringify(node)}`);
}

/** The values of what has a list of them, and the defaults. */
function constants(schema) {
  const prefix = schema.title.replace(/(?<=[a-z])(?=[A-Z])/g, "_").toUpperCase();
  const values = new Map();
  const collect = (name, node) => {
    if (node === null || typeof node !== "object") return;
    if (Array.isArray(node.enum)) {
      const known = values.get(name);
      if (known !== undefined && String(known) !== String(node.enum))
        throw new Error(`${schema.title}: '${name}' has two lists of values`);
      values.set(name, node.enum);
    }
    for (const [key, child] of Object.entries(node.properties ?? {})) collect(key, child);
    collect(name, node.items);
  };
  for (const [name, definition] of Object.entries(schema.$defs)) collect(name, definition);
  const defaults = Object.entries(schema.$defs.spec.properties).flatMap(([name, { default: standard }]) =>
    standard === undefined ? [] : [[name, standard]],
  );
  return [
    `${comment("The values of what has a list of them.")}export const ${prefix}_VALUES = ${JSON.stringify(Object.fromEntries(values))} as const;\n`,
    `${comment("A value of one of them.")}export type ${schema.title}Value<K extends keyof typeof ${prefix}_VALUES> = (typeof ${prefix}_VALUES)[K][number];\n`,
    `${comment("The defaults of options.")}export const ${prefix}_DEFAULT_OPTIONS = ${JSON.stringify(Object.fromEntries(defaults))} as const;\n`,
  ].join("\n");
}

function comment(text, standard) {
  const docText = standard === undefined ? text : `${text} Default: ${JSON.stringify(standard)}.`;
  return text === undefined ? "" : `/** ${docText} */\n`;
}

function formatted(code, file) {
  return execFileSync("node_modules/.bin/oxfmt", [`--stdin-filepath=${file}`], { input: code, encoding: "utf8" });
}
