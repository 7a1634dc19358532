// The schema of a chart's values may name other schemas: helm reads them from files and from the network
// (pkg/chartutil/jsonschema.go has loaders for file, http and https).

/** The drafts that helm's library has in itself (santhosh-tekuri/jsonschema, draft.go). */
const KNOWN_DRAFT = /^https?:\/\/json-schema\.org\/(?:draft-0[467]|draft\/2019-09|draft\/2020-12)\/schema#?$/u;

const REFERENCES: ReadonlySet<string> = new Set(["$ref", "$dynamicRef", "$recursiveRef"]);

/** The path of a chart's schema in the chart, and that of its subcharts. */
const SCHEMA_PATH = /^(?:charts\/[^/]+\/)*values\.schema\.json$/u;

/** True for a file that helm takes as the schema of a chart's values; the path is from the chart's folder. */
export function isValuesSchema(path: string): boolean {
  return SCHEMA_PATH.test(path);
}

/**
 * The first reference of a schema to another file or a URL, such as in `$ref`; undefined if there is none. Such a key counts
 * everywhere, even in an example, because only a validator knows which mappings are schemas. Throws for invalid JSON.
 */
export function wayOutOfSchema(text: string): string | undefined {
  const waiting: unknown[] = [JSON.parse(text.replace(/^\uFEFF/u, ""))];
  for (let value = waiting.pop(); waiting.length > 0 || value !== undefined; value = waiting.pop()) {
    if (typeof value !== "object" || value === null) continue;
    if (Array.isArray(value)) {
      for (const item of value) if (item !== null) waiting.push(item);
      continue;
    }
    for (const [key, inner] of Object.entries(value)) {
      if (typeof inner === "object" && inner !== null) waiting.push(inner);
      else if (typeof inner !== "string") continue;
      else if (REFERENCES.has(key) && !inner.startsWith("#")) return key;
      else if (key === "$schema" && !KNOWN_DRAFT.test(inner)) return key;
    }
  }
  return undefined;
}
