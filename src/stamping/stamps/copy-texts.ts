import { compareBytes, visibleEntries } from "../../base/digest/hash-v1.ts";
import { SYNC_OPTIONS, SYNC_WAVE } from "../../base/hosts/argocd.ts";
import { PACKAGE_PATH, PATH_ANNOTATIONS } from "../../base/hosts/krm.ts";
import { VERSION_OF } from "../../base/keys.ts";
import { shorten } from "../../base/stamp-keys.ts";
import { FLUX_MARKS } from "../../kubernetes/rollout/flux-marks.ts";
import type { SourceIndex } from "../../kubernetes/sources/source-index.ts";
import type { NewObject } from "../../yaml/edit/objects.ts";
import { annotationOf, labelsOf, type Item } from "../../yaml/read/items.ts";
import { get, type Json } from "../../yaml/read/node.ts";
import { NONE } from "../../yaml/read/tree.ts";
import { typeOf } from "./wanted-copies.ts";
import type { WantedCopy } from "./types.ts";

const OPAQUE = "Opaque";
const RECOMMENDED_LABELS = "app.kubernetes.io/";

/**
 * The object of a copy: the keys that pod templates see, and none of the labels and annotations by which others select
 * the source (contract, section 10).
 */
export function copyObject(
  { source, name, keys }: WantedCopy,
  sources: SourceIndex,
  protection: Readonly<Record<string, string>>,
): NewObject {
  const { item } = source;
  const entries = [...visibleEntries(sources.entries(source), keys)].sort(([a], [b]) => compareBytes(a, b));
  const labels = [...labelsOf(item)].filter(([key]) => key.startsWith(RECOMMENDED_LABELS) || key === SUBSTITUTE);
  const annotations = { ...keptAnnotations(item), ...protection, ...syncOptions(item, protection) };
  const isWhole = entries.length === sources.entries(source).size;
  const type = typeOf(item);
  const isBinary = (key: string): boolean => get(item.tree, get(item.tree, item.node, "binaryData"), key) !== NONE;
  const isBytes = ([key]: readonly [string, unknown]): boolean => item.kind === "Secret" || isBinary(key);
  const texts = entries.filter((entry) => !isBytes(entry));
  const bytes = entries.filter(isBytes);
  return {
    apiVersion: "v1",
    kind: item.kind,
    metadata: {
      name,
      ...(item.namespace === "" ? {} : { namespace: item.namespace }),
      labels: sortedObject([...labels, [VERSION_OF, shorten(item.name)]]),
      ...(Object.keys(annotations).length === 0 ? {} : { annotations: sortedObject(Object.entries(annotations)) }),
    },
    immutable: true,
    ...(type === undefined ? {} : { type: isWhole ? type : OPAQUE }),
    ...(texts.length === 0 ? {} : { data: object(texts.map(([key, value]) => [key, textOf(value)])) }),
    ...(bytes.length === 0
      ? {}
      : {
          [item.kind === "Secret" ? "data" : "binaryData"]: object(bytes.map(([key, value]) => [key, base64Of(value)])),
        }),
  };
}

/** Whether Flux replaces variables in the object: a copy has the content that its source has in the cluster. */
const SUBSTITUTE = `${FLUX_MARKS}/substitute`;

const SERVER_SIDE_APPLY = "ServerSideApply=true";

/** Argo CD's options of a copy: without server-side apply, it could not apply what is too long for an annotation. */
function syncOptions(item: Item, protection: Readonly<Record<string, string>>): Record<string, string> {
  const options = (annotationOf(item, SYNC_OPTIONS) ?? "").split(",").map((option) => option.trim());
  if (!options.includes(SERVER_SIDE_APPLY)) return {};
  const protecting = protection[SYNC_OPTIONS];
  return { [SYNC_OPTIONS]: protecting === undefined ? SERVER_SIDE_APPLY : `${protecting},${SERVER_SIDE_APPLY}` };
}

/** The wave, without which the copy would be applied too late, and the file of the item, in which hosts write the copy. */
function keptAnnotations(item: Item): Record<string, string> {
  const kept: Record<string, string> = {};
  for (const key of [SYNC_WAVE, SUBSTITUTE, PACKAGE_PATH, ...PATH_ANNOTATIONS]) {
    const value = annotationOf(item, key);
    if (value !== undefined) kept[key] = value;
  }
  return kept;
}

function textOf(value: string | Uint8Array): string {
  return typeof value === "string" ? value : Buffer.from(value).toString("utf8");
}

function base64Of(value: string | Uint8Array): string {
  return Buffer.from(value).toString("base64");
}

function sortedObject(entries: readonly (readonly [string, string])[]): { [key: string]: Json } {
  return object([...entries].sort(([a], [b]) => compareBytes(a, b)));
}

/** An object that may have any key, also `__proto__`. */
function object(entries: readonly (readonly [string, string])[]): { [key: string]: Json } {
  const made = Object.create(null) as { [key: string]: Json };
  for (const [key, value] of entries) made[key] = value;
  return made;
}
