import { posix } from "node:path";
import { lastFor } from "../../base/grouped.ts";
import { quietly } from "../../base/errors.ts";
import { DEFAULT_LIMITS } from "../../base/limits.ts";
import { firstDocument } from "../../yaml/read/manifest-text.ts";
import type { Json } from "../../yaml/read/node.ts";
import type { ObjectIndex } from "./object-index.ts";
import { mergePatch, givenText, type GitOpsObject } from "./objects.ts";
import { listOf, isMapping, type Mapping, fieldsOf, textOrEmpty } from "../../yaml/read/json.ts";

// flux-operator's FluxInstance (internal/controller, internal/builder: sync.yaml): from `spec.sync`, the operator
// creates a source and the root Kustomization of a cluster, with the same name. The chart flux-instance does nothing
// but create a FluxInstance from its values `instance`, so its HelmRelease is enough if helm does not render it.

const NAMESPACE = "flux-system";
const CHART = "flux-instance";

/** Adds the objects that flux-operator creates for FluxInstances. */
export function withSyncs(
  written: readonly GitOpsObject[],
  { namespaceOf, named }: ObjectIndex,
): readonly GitOpsObject[] {
  const instances = written.flatMap((object) => instanceOf(object, named, namespaceOf));
  if (instances.length === 0) return written;
  // Objects of `flux bootstrap` take precedence, and the rendering of a chart may repeat its HelmRelease.
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

type Named = ObjectIndex["named"];

interface Instance {
  readonly from: GitOpsObject;
  readonly namespace: string;
  readonly sync: Mapping;
  readonly patches: readonly Json[];
}

function instanceOf(from: GitOpsObject, named: Named, namespaceOf: (object: GitOpsObject) => string): Instance[] {
  const { kind, spec } = from;
  const isRelease = kind === "HelmRelease" && chartNames(spec, named).some((name) => name === CHART);
  if (kind !== "FluxInstance" && !isRelease) return [];
  const instanceSpec = isRelease ? fieldsOf(fieldsOf(spec["values"])["instance"]) : spec;
  const sync = fieldsOf(instanceSpec["sync"]);
  if (givenText(sync["url"]) === undefined || givenText(sync["path"]) === undefined) return [];
  const target = isRelease ? givenText(spec["targetNamespace"]) : undefined;
  const namespace = target ?? (namespaceOf(from) || NAMESPACE);
  return [{ from, namespace, sync, patches: listOf(fieldsOf(instanceSpec["kustomize"])["patches"]) }];
}

/** The possible names of a HelmRelease's chart: from the address of its source, or from its path. */
function chartNames(spec: Mapping, named: Named): readonly string[] {
  const { kind, name } = fieldsOf(spec["chartRef"]);
  const chart = textOrEmpty(fieldsOf(fieldsOf(spec["chart"])["spec"])["chart"]);
  if (chart !== "") return [posix.basename(chart)];
  const sources = typeof kind === "string" && typeof name === "string" ? named(kind, name) : [];
  return sources.map((one) => posix.basename(textOrEmpty(one.spec["url"]) || textOrEmpty(one.spec["chart"])));
}

interface Synced {
  readonly source: GitOpsObject;
  readonly kustomization: GitOpsObject;
}

/** The same objects each time, so that others see that nothing has changed: `sync` and `patches` are of the object itself. */
function synced(instance: Instance): Synced {
  return remembered(instance.from, [instance.namespace], () => newlySynced(instance));
}

const remembered = lastFor<GitOpsObject, Synced>();

function newlySynced({ from, namespace, sync, patches }: Instance): Synced {
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

/** Applies `spec.kustomize.patches` to a spec: merge patches, and JSON patches that add or replace a field. */
function patched(spec: Mapping, { kind, name }: { kind: string; name: string }, patches: readonly Json[]): Mapping {
  let made = spec;
  for (const patchEntry of patches.map(fieldsOf)) {
    const patch = patchIn(textOrEmpty(patchEntry["patch"]));
    const target = isMapping(patchEntry["target"]) ? patchEntry["target"] : undefined;
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

/** Whether a field of a patch's target matches. It is a regular expression for the whole string. */
function fits(expression: Json | undefined, text: string): boolean {
  const wanted = textOrEmpty(expression);
  // Only names, `a|b` and `.*`: other expressions are not evaluated, because a hostile one may take forever.
  const names = wanted.replace(/^\(([^()]*)\)$/u, "$1").split("|");
  return wanted === "" || wanted === ".*" || names.includes(text);
}

/** Null if flux-operator refuses the patch: it then applies nothing. */
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
