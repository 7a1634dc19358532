import { RollstampError } from "../../base/errors.ts";
import { DEFAULT_LIMITS } from "../../base/limits.ts";
import { kubectlJson } from "../../yaml/read/kubectl-json.ts";
import type { Json } from "../../yaml/read/node.ts";
import { readTree } from "../../yaml/read/tree.ts";
import { limited, text, type Functions } from "./go-arguments.ts";
import { allOwn } from "./go-dict-functions.ts";
import { goYaml } from "./go-yaml.ts";
import { dataOf, isMap, wrong, type Value } from "./go-values.ts";

/** Of sprig and of Argo CD: JSON and YAML. */
export const DATA_FUNCTIONS: Functions = {
  toJson: (value) => json(value),
  mustToJson: (value) => json(value),
  toRawJson: (value) => limited(JSON.stringify(dataOf(value))),
  mustToRawJson: (value) => limited(JSON.stringify(dataOf(value))),
  toPrettyJson: (value) => pretty(value),
  mustToPrettyJson: (value) => pretty(value),
  fromJson: (value) => allOwn(readJson(text(value))),
  mustFromJson: (value) => {
    const read = readJson(text(value));
    if (read === undefined) throw wrong("reads a text as JSON that is none");
    return allOwn(read);
  },
  toYaml: (value) => limited(goYaml(dataOf(value))),
  fromYaml: (value) => {
    const read = readYaml(text(value)) ?? {};
    if (!isMap(read)) throw wrong("reads a text as a mapping that is none");
    return allOwn(read);
  },
  fromYamlArray: (value) => {
    const read = readYaml(text(value)) ?? [];
    if (!Array.isArray(read)) throw wrong("reads a text as a list that is none");
    return allOwn(read);
  },
};

// encoding/json writes these so that HTML can hold them.
const ESCAPED = /[<>&\u2028\u2029]/gu;

function escaped(written: string): string {
  return limited(written.replace(ESCAPED, (one) => `\\u${(one.codePointAt(0) ?? 0).toString(16).padStart(4, "0")}`));
}

function json(value: Value): string {
  return escaped(JSON.stringify(dataOf(value)));
}

function pretty(value: Value): string {
  return escaped(JSON.stringify(dataOf(value), null, 2));
}

function readJson(written: string): Value {
  try {
    const read: Json = JSON.parse(written);
    return read;
  } catch {
    return undefined;
  }
}

/** What sigs.k8s.io/yaml reads: the first document, in which `yes` is true. */
function readYaml(written: string): Value {
  try {
    const tree = readTree(written, "a text of its template", DEFAULT_LIMITS);
    const [root] = tree.documents;
    return root === undefined ? null : kubectlJson(tree, root);
  } catch (cause) {
    if (cause instanceof RollstampError) throw wrong(`reads a text as YAML that is none: ${cause.message}`);
    throw cause;
  }
}
