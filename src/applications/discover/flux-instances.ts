import { posix } from "node:path";
import { quietly } from "../../base/errors.ts";
import { DEFAULT_LIMITS } from "../../base/limits.ts";
import { firstDocument } from "../../yaml/read/first-document.ts";
import type { Json } from "../../yaml/read/node.ts";
import { mergePatch, givenText, type GitOpsObject } from "./objects.ts";
import { listOf, isMapping, type Mapping, fieldsOf, textOrEmpty } from "../../yaml/read/json.ts";

// flux-operator's FluxInstance (internal/controller, internal/builder: sync.yaml): of its `spec.sync` the operator makes a
// source and the Kustomization with which a cluster begins, both of one name. The chart flux-instance writes a FluxInstance
// of the values `instance`; as that is all it does, its HelmRelease tells the same where helm doesn't render it.

/** What is made of such an object where none is told. */
const NAMESPACE = "flux-system";
const CHART = "flux-instance";

/** Objects with those that flux-operator makes of the FluxInstances among them. */
export function withSyncs(
  objects: readonly GitOpsObject[],
  namespaceOf: (object: GitOpsObject) => string,
): readonly GitOpsObject[] {
  const written = objects.filter(({ isSync }) => isSync !== true);
  const instances = written.flatMap((object) => instanceOf(object, written, namespaceOf));
  if (instances.length === 0) return written;
  // What `flux bootstrap` has written goes before, and a chart's rendering may stand beside its HelmRelease.
  const known = new Set(written.filter(({ kind }) => kind === "Kustomization").map((one) => keyOf(one, namespaceOf)));
  return [
    ...written,
    ...instances.flatMap((instance) => {
      const { source, kustomization } = synced(instance);
      const key = keyOf(kustomization, namespaceOf);
      if (known.has(key)) return [];
      known.add(key);
      return [source, kustomization];
    }),
  ];
}

interface Instance {
  readonly from: GitOpsObject;
  readonly namespace: string;
  readonly sync: Mapping;
  readonly patches: readonly Json[];
}

function instanceOf(
  from: GitOpsObject,
  all: readonly GitOpsObject[],
  namespaceOf: (object: GitOpsObject) => string,
): Instance[] {
  const { kind, spec } = from;
  const isRelease = kind === "HelmRelease" && chartNames(spec, all).some((name) => name === CHART);
  if (kind !== "FluxInstance" && !isRelease) return [];
  const said = isRelease ? fieldsOf(fieldsOf(spec["values"])["instance"]) : spec;
  const sync = fieldsOf(said["sync"]);
  if (givenText(sync["url"]) === undefined || givenText(sync["path"]) === undefined) return [];
  const target = isRelease ? givenText(spec["targetNamespace"]) : undefined;
  const namespace = target ?? (namespaceOf(from) || NAMESPACE);
  return [{ from, namespace, sync, patches: listOf(fieldsOf(said["kustomize"])["patches"]) }];
}

/** What the chart of a HelmRelease may be called: it is told by its source's address, or by its path. */
function chartNames(spec: Mapping, all: readonly GitOpsObject[]): readonly string[] {
  const { kind, name } = fieldsOf(spec["chartRef"]);
  const chart = textOrEmpty(fieldsOf(fieldsOf(spec["chart"])["spec"])["chart"]);
  if (chart !== "") return [posix.basename(chart)];
  return all
    .filter((one) => one.kind === kind && one.name === name)
    .map((one) => posix.basename(textOrEmpty(one.spec["url"]) || textOrEmpty(one.spec["chart"])));
}

function synced({ from, namespace, sync, patches }: Instance): {
  readonly source: GitOpsObject;
  readonly kustomization: GitOpsObject;
} {
  const { shown: _, ...place } = from;
  const name = givenText(sync["name"]) ?? namespace;
  const kind = givenText(sync["kind"]) ?? "GitRepository";
  const made = (as: string, spec: Mapping): Mapping => patched(spec, { kind: as, name }, patches);
  return {
    source: {
      ...place,
      group: "source.toolkit.fluxcd.io",
      kind,
      name,
      namespace,
      spec: made(kind, { url: textOrEmpty(sync["url"]), ref: { name: sync["ref"] ?? null } }),
      isSync: true,
    },
    kustomization: {
      ...place,
      group: "kustomize.toolkit.fluxcd.io",
      kind: "Kustomization",
      name,
      namespace,
      spec: made("Kustomization", { path: textOrEmpty(sync["path"]), prune: true, sourceRef: { kind, name } }),
      isSync: true,
    },
  };
}

function keyOf(object: GitOpsObject, namespaceOf: (object: GitOpsObject) => string): string {
  return JSON.stringify([
    object.name,
    namespaceOf(object) || NAMESPACE,
    posix.join(".", textOrEmpty(object.spec["path"])),
  ]);
}

/**
 * What `spec.kustomize.patches` make of the spec, as far as they set something in it: merges, and of JSON patches what adds
 * or replaces a field.
 */
function patched(spec: Mapping, { kind, name }: { kind: string; name: string }, patches: readonly Json[]): Mapping {
  let made = spec;
  for (const one of patches.map(fieldsOf)) {
    const patch = patchIn(textOrEmpty(one["patch"]));
    const target = isMapping(one["target"]) ? one["target"] : undefined;
    if (target !== undefined && !(fits(target["kind"], kind) && fits(target["name"], name))) continue;
    if (isMapping(patch)) {
      const isOwn = patch["kind"] === kind && fieldsOf(patch["metadata"])["name"] === name;
      if (target !== undefined || isOwn) made = fieldsOf(mergePatch(made, fieldsOf(patch["spec"])));
    } else if (target !== undefined) {
      for (const { op, path, value } of listOf(patch).map(fieldsOf)) {
        const [, root, ...fields] = textOrEmpty(path).split("/").map(unescaped);
        const isSet = (op === "add" || op === "replace") && value !== undefined;
        if (root === "spec" && isSet) made = withField(made, fields, value);
      }
    }
  }
  return made;
}

/** A target's field is an expression for the whole; one that is none fits nothing. */
function fits(expression: Json | undefined, text: string): boolean {
  const wanted = textOrEmpty(expression);
  // Names of kinds and objects, `a|b` and `.*`: no more is tried, as an expression of a repository may take for ever.
  const names = wanted.replace(/^\(([^()]*)\)$/u, "$1").split("|");
  return wanted === "" || wanted === ".*" || names.includes(text);
}

/** Null for what flux-operator refuses: nothing is applied then, and what was applied before stays. */
function patchIn(text: string): Json {
  return quietly(() => firstDocument(text, "the patch", DEFAULT_LIMITS)) ?? null;
}

function unescaped(part: string): string {
  return part.replaceAll("~1", "/").replaceAll("~0", "~");
}

function withField(into: Mapping, [first, ...rest]: readonly string[], value: Json): Mapping {
  if (first === undefined) return fieldsOf(value);
  const made = new Map(Object.entries(into));
  made.set(first, rest.length === 0 ? value : withField(fieldsOf(made.get(first)), rest, value));
  return Object.fromEntries(made);
}
