// Writes the JSON Schemas that ship. Each is complete: validators and editors need no other file, and no network.
import { readFileSync, writeFileSync } from "node:fs";
import { basename, join } from "node:path";

/** Writes schemas, which may use definitions of each other, by the names that they ship with. */
export function writeSchemas(folder, files) {
  const schemas = new Map(files.map(([name, file]) => [name, JSON.parse(readFileSync(file, "utf8"))]));
  for (const [name, schema] of schemas)
    writeFileSync(join(folder, `${name}.json`), `${JSON.stringify(complete(name, schema, schemas), null, 2)}\n`);
}

/** A schema with copies of the definitions of others that it uses. */
function complete(own, schema, schemas) {
  const copies = new Map();
  const copied = (node, from) => {
    if (Array.isArray(node)) return node.map((item) => copied(item, from));
    if (node === null || typeof node !== "object") return node;
    const entries = Object.entries(node).map(([key, value]) => [
      key,
      key === "$ref" && typeof value === "string" ? localRef(value, from) : copied(value, from),
    ]);
    return Object.fromEntries(entries);
  };
  const localRef = (ref, from) => {
    const [file, pointer] = ref.split("#");
    const name = file === "" ? from : basename(file, ".json");
    if (name === own) return `#${pointer}`;
    const definition = pointer.replace("/$defs/", "");
    const key = `${name}.${definition}`;
    if (!copies.has(key)) {
      copies.set(key, undefined);
      copies.set(key, copied(schemas.get(name).$defs[definition], name));
    }
    return `#/$defs/${key}`;
  };
  const result = copied(schema, own);
  return copies.size === 0 ? result : { ...result, $defs: { ...result.$defs, ...Object.fromEntries(copies) } };
}
