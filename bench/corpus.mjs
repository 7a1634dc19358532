// The corpora by name, and a command that writes one.
import { mkdirSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { applications, RESOURCES_PER_APPLICATION, STAMPS_PER_APPLICATION } from "./corpora/applications.mjs";
import { customResourceDefinitions, dashboards } from "./corpora/large.mjs";
import { mixture } from "./corpora/mixture.mjs";
import { COMPACT, print, sortKeys, WIDE } from "./corpora/yaml.mjs";

/** @typedef {import("./corpora/applications.mjs").Resource} Resource */
/** @typedef {{ resources: number, stamps: number, text: string }} Corpus `stamps`: how many a right run adds. */

/**
 * The item as `kpt fn eval` sends it: authored key order, the annotations last in metadata.
 * @param {Resource} resource
 * @param {number} index
 */
function kptItem({ path, object }, index) {
  const metadata = {
    ...object.metadata,
    annotations: {
      ...object.metadata.annotations,
      "config.kubernetes.io/index": "0",
      "config.kubernetes.io/path": path,
      "internal.config.kubernetes.io/index": "0",
      "internal.config.kubernetes.io/path": path,
      "internal.config.kubernetes.io/seqindent": "compact",
      "internal.config.kubernetes.io/annotations-migration-resource-id": String(index),
      "internal.config.kubernetes.io/id": String(index + 1),
      "config.k8s.io/id": String(index + 1),
    },
  };
  return { ...object, metadata };
}

/**
 * The item as `kustomize build` sends it: every mapping sorted, its id as a block of text.
 * @param {Resource} resource
 * @param {number} index
 */
function kustomizeItem({ object }, index) {
  const { name, namespace } = object.metadata;
  const [version, group] = object.apiVersion.split("/").toReversed();
  const id = {
    ...(group && { group }),
    kind: object.kind,
    name,
    ...(namespace && { namespace }),
    version,
  };
  const annotations = {
    ...object.metadata.annotations,
    "kustomize.config.k8s.io/id": print(id, 0, COMPACT),
    "config.kubernetes.io/index": String(index),
    "internal.config.kubernetes.io/index": String(index),
    "internal.config.kubernetes.io/annotations-migration-resource-id": String(index),
    "internal.config.kubernetes.io/id": String(index + 1),
    "config.k8s.io/id": String(index + 1),
  };
  const sorted = sortKeys(object);
  return { ...sorted, metadata: { annotations, ...sorted.metadata } };
}

/**
 * @param {Iterable<Resource>} resources
 * @param {(resource: Resource, index: number) => object} item
 */
function resourceList(resources, item) {
  const parts = ["apiVersion: config.kubernetes.io/v1\nkind: ResourceList\nitems:\n"];
  let index = 0;
  for (const resource of resources) {
    parts.push(print([item(resource, index++)], 0, { wide: false, quote: "'" }));
  }
  parts.push(
    "functionConfig:\n  apiVersion: v1\n  kind: ConfigMap\n  metadata:\n    name: function-input\n  data: {}\n",
  );
  return parts.join("");
}

/** @param {Iterable<Resource>} resources */
const stream = (resources) => Array.from(resources, ({ object }) => print(object, 0, WIDE)).join("---\n");

/** @param {number} resources */
const stampsOf = (resources) => (resources / RESOURCES_PER_APPLICATION) * STAMPS_PER_APPLICATION;

/** @type {Record<string, (resources: number) => Corpus>} */
export const CORPORA = {
  "apps-kpt": (n) => ({
    resources: n,
    stamps: stampsOf(n),
    text: resourceList(applications(n), kptItem),
  }),
  "apps-kustomize": (n) => ({
    resources: n,
    stamps: stampsOf(n),
    text: resourceList(applications(n), kustomizeItem),
  }),
  "apps-stream": (n) => ({ resources: n, stamps: stampsOf(n), text: stream(applications(n)) }),
  dashboards: (n) => ({ resources: n, stamps: n - 1, text: stream(dashboards(n - 1)) }),
  crds: (n) => ({ resources: n, stamps: 0, text: stream(customResourceDefinitions(n)) }),
  mixture: (n) => {
    const { texts, stamps } = mixture(n);
    return { resources: n, stamps, text: texts.join("---\n") };
  },
};

/**
 * The applications as a folder with one file a resource.
 * @param {string} folder
 * @param {number} resources
 */
export function writeFolder(folder, resources) {
  for (const { path, object } of applications(resources)) {
    const file = join(folder, path);
    mkdirSync(dirname(file), { recursive: true });
    writeFileSync(file, print(object, 0, WIDE));
  }
}

const USAGE = `usage: node bench/corpus.mjs NAME RESOURCES [FILE]
       node bench/corpus.mjs apps-folder RESOURCES FOLDER
names: ${Object.keys(CORPORA).join(", ")}
`;

/** @param {readonly string[]} args */
function main([name = "", count, target]) {
  const resources = Number(count);
  const known = name === "apps-folder" ? target !== undefined : Object.hasOwn(CORPORA, name);
  if (!known || !Number.isInteger(resources) || resources < 1) {
    process.stderr.write(USAGE);
    process.exitCode = 2;
  } else if (name === "apps-folder") {
    writeFolder(target, resources);
  } else {
    const { text, stamps } = CORPORA[name](resources);
    writeFileSync(target ?? 1, text);
    if (target !== undefined) process.stdout.write(`${JSON.stringify({ stamps, bytes: Buffer.byteLength(text) })}\n`);
  }
}

if (process.argv[1] === fileURLToPath(import.meta.url)) main(process.argv.slice(2));
