import type { SourceKind } from "../../base/referenced-kinds.ts";
import { posix } from "node:path";
import { PLUGIN_FIELDS, RESOURCE_FIELDS, type NamedChart } from "../../base/hosts/kustomize.ts";
import { onceFor } from "../../base/grouped.ts";
import {
  foldedGet,
  folded,
  isMapping,
  listOf,
  textOrEmpty,
  fieldsOf,
  type Mapping,
  textsOf,
} from "../../yaml/read/json.ts";
import type { Json } from "../../yaml/read/node.ts";

// A kustomization as data (kustomize/api, types/kustomization.go): the files that it names, and what changes names or content.
// Values of a wrong type count as missing. paths.ts has the same fields as a table, for a copy with other paths.

export interface Kustomization {
  /** Others list it under `components`. */
  readonly isComponent: boolean;
  /** "" if it sets none. */
  readonly namespace: string;
  /** `resources` and `bases`. */
  readonly resources: readonly string[];
  readonly components: readonly string[];
  /** `generators`, `transformers` and `validators`: paths, or the configuration itself. */
  readonly plugins: readonly string[];
  /** Those of `transformers` alone. */
  readonly transformers: readonly string[];
  readonly patches: readonly KustomizationPatch[];
  readonly generators: readonly Generator[];
  readonly charts: readonly NamedChart[];
  /** Files that tell kustomize about fields of other kinds. */
  readonly configurations: readonly string[];
  /** All fields, in lower case. */
  readonly fields: ReadonlySet<string>;
  /** `labels` that are also written to other fields than metadata. */
  readonly hasLabelFields: boolean;
  /** A list of strings contains something else, or is not a list. */
  readonly isMalformed: boolean;
}

export interface KustomizationPatch {
  readonly path: string | undefined;
  readonly text: string | undefined;
  /** Undefined if the patch itself names its object. */
  readonly target: Mapping | undefined;
  /** What it may change: `allowNameChange`, `allowKindChange`. */
  readonly options: Mapping | undefined;
}

/** An entry of `configMapGenerator` or `secretGenerator`. */
export interface Generator {
  readonly kind: SourceKind;
  readonly name: string;
  readonly namespace: string;
  /** "" for `create`, the default. */
  readonly behavior: string;
  readonly files: readonly { readonly key: string; readonly path: string }[];
  readonly envs: readonly string[];
  readonly literals: readonly string[];
}

/** The data of a kustomization. It is read once for each object. */
export const kustomizationOf: (content: Mapping) => Kustomization = onceFor((content: Mapping): Kustomization => {
  const [resources, bases, components] = RESOURCE_FIELDS;
  let isMalformed = false;
  const strings = (from: Mapping, field: string): readonly string[] => {
    const value = foldedGet(from, field) ?? null;
    const items = textsOf(value);
    isMalformed ||= value !== null && (!Array.isArray(value) || items.length < value.length);
    return items;
  };
  const generators = (field: string, kind: Generator["kind"]): readonly Generator[] =>
    listOf(foldedGet(content, field)).map((item): Generator => {
      const generator = fieldsOf(item);
      const text = (name: string): string => textOrEmpty(foldedGet(generator, name));
      const env = text("env");
      return {
        kind,
        name: text("name"),
        namespace: text("namespace"),
        behavior: text("behavior"),
        files: strings(generator, "files").map(keyedFile),
        envs: [...(env === "" ? [] : [env]), ...strings(generator, "envs")],
        literals: listOf(foldedGet(generator, "literals")).map(textOrEmpty),
      };
    });
  const home = textOrEmpty(foldedGet(fieldsOf(foldedGet(content, "helmglobals")), "charthome"));
  return {
    isComponent: foldedGet(content, "kind") === "Component",
    namespace: textOrEmpty(foldedGet(content, "namespace")),
    resources: [...strings(content, resources), ...strings(content, bases)],
    components: strings(content, components),
    plugins: PLUGIN_FIELDS.flatMap((field) => strings(content, field)),
    transformers: strings(content, "transformers"),
    patches: [
      ...strings(content, "patchesstrategicmerge").map((pathOrText) =>
        pathOrText.includes("\n") ? patchOf({ patch: pathOrText }) : patchOf({ path: pathOrText }),
      ),
      ...["patches", "patchesjson6902"].flatMap((field) => listOf(foldedGet(content, field)).map(patchOf)),
    ],
    generators: [...generators("configmapgenerator", "ConfigMap"), ...generators("secretgenerator", "Secret")],
    charts: listOf(foldedGet(content, "helmcharts")).flatMap((item) => {
      const text = (name: string): string => textOrEmpty(foldedGet(fieldsOf(item), name));
      const name = text("name");
      return name === "" ? [] : [{ name, home, version: text("version"), repo: text("repo") }];
    }),
    configurations: strings(content, "configurations"),
    fields: new Set(Object.keys(content).map(folded)),
    hasLabelFields: listOf(foldedGet(content, "labels")).some(
      (item) => foldedGet(fieldsOf(item), "fields") !== undefined,
    ),
    isMalformed,
  };
});

/** An entry of `patches`. */
export function patchOf(item: Json): KustomizationPatch {
  const patch = fieldsOf(item);
  const [target, options] = [foldedGet(patch, "target"), foldedGet(patch, "options")];
  return {
    path: textOrEmpty(foldedGet(patch, "path")) || undefined,
    text: textOrEmpty(foldedGet(patch, "patch")) || undefined,
    target: isMapping(target) ? target : undefined,
    options: isMapping(options) ? options : undefined,
  };
}

function keyedFile(given: string): { readonly key: string; readonly path: string } {
  const end = given.indexOf("=");
  const path = given.slice(end + 1);
  return { key: end < 0 ? posix.basename(path) : given.slice(0, end), path };
}
