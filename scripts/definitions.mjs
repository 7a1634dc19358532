// Generates from the JSON Schema of each function: functions/<name>/definition.yaml, its KRMFunctionDefinition
// (Kubernetes enhancement 2906), with its metadata.yaml and package.json; and the types, values and defaults of its
// options (option-types.mjs). Generates from the catalogue of findings: the rules in RolloutLint's schema, and tables of
// pages (finding-texts.mjs). Generates the reference of the commands from their options (command-pages.mjs).
//
//   node scripts/definitions.mjs                         writes the files
//   node scripts/definitions.mjs --check                 fails if a file is out of date
//   node scripts/definitions.mjs --image-digest sha256:… --out FOLDER
//                                                        those of a release, with the digest of the image
import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { basename, dirname, join } from "node:path";
import { parseArgs } from "node:util";
import fg from "fast-glob";
import { parse, stringify } from "yaml";
import { commandPages } from "./command-pages.mjs";
import { findingTexts } from "./finding-texts.mjs";
import { optionTypes } from "./option-types.mjs";

const { values: options } = parseArgs({
  options: { check: { type: "boolean" }, "image-digest": { type: "string" }, out: { type: "string" } },
});
const { version, homepage, repository } = JSON.parse(readFileSync("package.json", "utf8"));
const fromFindings = await findingTexts();
const schemas = new Map(
  fg
    .sync("functions/*/schema.json")
    .sort()
    .map((file) => {
      const text = fromFindings.find((from) => from.file === file)?.text ?? readFileSync(file, "utf8");
      return [basename(dirname(file)), JSON.parse(text)];
    }),
);

// Keywords of JSON Schema that OpenAPI does not have.
const NOT_OPENAPI = new Set(["$schema", "$id", "$defs", "title"]);

const definitions = [...schemas].map(([name, schema]) => ({
  file: join(
    options.out ?? "functions",
    options.out === undefined ? `${name}/definition.yaml` : `${name}.definition.yaml`,
  ),
  text: `# Written by scripts/definitions.mjs from schema.json and metadata.yaml.\n${stringify(definition(name, schema), { lineWidth: 0, aliasDuplicateObjects: false })}`,
}));

const stale = [];
const made =
  options.out === undefined
    ? [...fromFindings, ...definitions, ...optionTypes(schemas), ...(await commandPages())]
    : definitions;
for (const { file, text } of made) {
  if (options.check !== true) {
    mkdirSync(dirname(file), { recursive: true });
    writeFileSync(file, text);
  } else if (read(file) !== text) stale.push(file);
}
if (stale.length > 0) {
  console.error(`not up to date: ${stale.join(", ")}. Run node scripts/definitions.mjs`);
  process.exitCode = 1;
}

function definition(name, schema) {
  const metadata = parse(readFileSync(`functions/${name}/metadata.yaml`, "utf8"));
  const source = `${repository.url.replace(/^git\+/, "").replace(/\.git$/, "")}/blob/v${version}/functions/${name}`;
  const digest = options["image-digest"]?.replace(/^sha256:/, "");
  return {
    apiVersion: "config.kubernetes.io/v1alpha1",
    kind: "KRMFunctionDefinition",
    metadata: { name: `${schema.title.toLowerCase()}.rollstamp.dev` },
    spec: {
      group: "rollstamp.dev",
      names: { kind: schema.title },
      description: metadata.description,
      publisher: "rollstamp",
      home: homepage,
      tags: metadata.tags,
      versions: [
        {
          name: "v1alpha1",
          schema: { openAPIV3Schema: openApi(schema, schema) },
          idempotent: true,
          usage: `${source}/README.md`,
          examples: metadata.examplePackageURLs.map(
            (url) => `${url.replace("/tree/main/", `/blob/v${version}/`)}/README.md`,
          ),
          license: "Apache 2.0",
          runtime: {
            container: {
              image: `${metadata.image}:v${version}`,
              ...(digest === undefined ? {} : { sha256: digest }),
              requireNetwork: false,
              requireStorageMount: false,
            },
          },
        },
      ],
    },
  };
}

/** Converts JSON Schema 2020-12 to OpenAPI 3.0: no references, no `const`, one type each. */
function openApi(root, node) {
  if (Array.isArray(node)) return node.map((item) => openApi(root, item));
  if (node === null || typeof node !== "object") return node;
  const { $ref, const: constant, type, ...rest } = node;
  if ($ref !== undefined) {
    const [file, pointer] = $ref.split("#");
    const base = file === "" ? root : schemas.get(basename(file, ".json"));
    const target = pointer
      .split("/")
      .slice(1)
      .reduce((at, key) => at[key], base);
    return { ...openApi(base, target), ...openApi(root, type === undefined ? rest : { type, ...rest }) };
  }
  if (Array.isArray(type)) {
    const { description, default: standard, ...shape } = rest;
    const forms = type.map((one) => (one === "object" || one === "array" ? { type: one, ...shape } : { type: one }));
    return openApi(root, clean({ description, default: standard, anyOf: forms }));
  }
  const allowed = constant === undefined ? rest.enum : [constant];
  const known = clean({ type: type ?? (allowed === undefined ? undefined : "string"), ...rest, enum: allowed });
  return Object.fromEntries(
    Object.entries(known).flatMap(([key, value]) => {
      if (NOT_OPENAPI.has(key)) return [];
      if (key !== "properties") return [[key, openApi(root, value)]];
      return [
        [key, Object.fromEntries(Object.entries(value).map(([name, property]) => [name, openApi(root, property)]))],
      ];
    }),
  );
}

function clean(object) {
  return Object.fromEntries(Object.entries(object).filter(([, value]) => value !== undefined));
}

function read(file) {
  try {
    return readFileSync(file, "utf8");
  } catch {
    return undefined;
  }
}
