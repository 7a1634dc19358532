import { RollstampError } from "../../base/errors.ts";
import { foldedGet, isMapping } from "../../yaml/read/json.ts";
import type { Json } from "../../yaml/read/node.ts";

// `kustomize edit set image` (kustomize/v5, commands/edit/set/setimage.go).

/** Keeps the part that the kustomization has. */
const KEEP = "*";

interface Image {
  readonly name: string;
  readonly newName: string;
  readonly newTag: string;
  readonly digest: string;
}

/** Sets images of a kustomization: one for each name, in order. */
export function editedImages(existing: readonly Json[], set: readonly string[]): Json {
  const images = new Map(set.map(parsed).map((image) => [image.name, image]));
  const all = new Map<string, Json>();
  for (const entry of existing) {
    const name = nameOf(entry);
    const image = images.get(name);
    if (image === undefined) {
      if (!all.has(name)) all.set(name, entry);
    } else
      images.set(
        name,
        keeping(image, (field) => textOf(entry, field)),
      );
  }
  for (const [name, image] of images) all.set(name, written(keeping(image, () => "")));
  return inOrder(all);
}

function keeping(image: Image, known: (field: string) => string): Image {
  const part = (field: "newName" | "newTag" | "digest"): string =>
    image[field] === KEEP ? known(field.toLowerCase()) : image[field];
  return { name: image.name, newName: part("newName"), newTag: part("newTag"), digest: part("digest") };
}

function textOf(entry: Json, field: string): string {
  const value = isMapping(entry) ? foldedGet(entry, field) : undefined;
  return typeof value === "string" ? value : "";
}

function written(image: Image): Json {
  return Object.fromEntries(Object.entries(image).filter(([, text]) => text !== ""));
}

/** Parses `name=newName:tag@digest`; all parts except the name are optional. */
function parsed(text: string): Image {
  const end = text.indexOf("=");
  const value = text.slice(end + 1);
  const { name, tag, digest } = split(value);
  if (name === text) {
    throw new RollstampError(
      "input",
      `'${text}' is not a valid image: use NAME=NEWNAME:TAG, where all parts except the name are optional`,
    );
  }
  const key = text.slice(0, Math.max(end, 0));
  return key === "" ? { name, newName: "", newTag: tag, digest } : { name: key, newName: name, newTag: tag, digest };
}

/** Splits the name of an image (api/internal/image, Split). */
function split(image: string): { readonly name: string; readonly tag: string; readonly digest: string } {
  const slash = Math.max(image.indexOf("/"), 0);
  const digestStart = image.indexOf("@", slash);
  const colon = image.indexOf(":", slash);
  const isDigestOnly = digestStart >= 0 && (digestStart < colon || colon < 0);
  if (isDigestOnly) return { name: image.slice(0, digestStart), tag: "", digest: image.slice(digestStart + 1) };
  if (colon < 0) return { name: image, tag: "", digest: "" };
  const tag = image.slice(colon + 1, digestStart < 0 ? undefined : digestStart);
  return { name: image.slice(0, colon), tag, digest: digestStart < 0 ? "" : image.slice(digestStart + 1) };
}

/** The entries of `images` or `replicas`, sorted by the bytes of their names, like Go. */
export function inOrder(byName: ReadonlyMap<string, Json>): Json {
  return [...byName].sort(([a], [b]) => Buffer.compare(Buffer.from(a), Buffer.from(b))).map(([, entry]) => entry);
}

/** The name of an entry. */
export function nameOf(entry: Json): string {
  const name = isMapping(entry) ? foldedGet(entry, "name") : undefined;
  return typeof name === "string" ? name : "";
}
