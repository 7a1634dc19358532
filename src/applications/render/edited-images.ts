import { RollstampError } from "../../base/errors.ts";
import { foldedGet, isMapping } from "../../yaml/read/json.ts";
import type { Json } from "../../yaml/read/node.ts";

// `kustomize edit set image` (kustomize/v5, commands/edit/set/setimage.go).

/** What keeps the part that the kustomization has. */
const KEEP = "*";

interface Image {
  readonly name: string;
  readonly newName: string;
  readonly newTag: string;
  readonly digest: string;
}

/** The images of a kustomization with those that are set: one for each name, in their order. */
export function editedImages(own: readonly Json[], set: readonly string[]): Json {
  const images = new Map(set.map(parsed).map((image) => [image.name, image]));
  const all = new Map<string, Json>();
  for (const one of own) {
    const name = nameOf(one);
    const image = images.get(name);
    if (image === undefined) {
      if (!all.has(name)) all.set(name, one);
    } else
      images.set(
        name,
        keeping(image, (field) => textOf(one, field)),
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

/** `name=newName:tag@digest`, each part but the name perhaps left out. */
function parsed(text: string): Image {
  const end = text.indexOf("=");
  const value = text.slice(end + 1);
  const { name, tag, digest } = split(value);
  if (name === text) {
    throw new RollstampError(
      "input",
      `'${text}' is no image that kustomize sets: it takes NAME=NEWNAME:TAG, each part but the name may be left out`,
    );
  }
  const key = text.slice(0, Math.max(end, 0));
  return key === "" ? { name, newName: "", newTag: tag, digest } : { name: key, newName: name, newTag: tag, digest };
}

/** Parts of an image's name; a port is none (api/internal/image, Split). */
function split(image: string): { readonly name: string; readonly tag: string; readonly digest: string } {
  const slash = Math.max(image.indexOf("/"), 0);
  const at = image.indexOf("@", slash);
  const colon = image.indexOf(":", slash);
  const isDigestOnly = at >= 0 && (at < colon || colon < 0);
  if (isDigestOnly) return { name: image.slice(0, at), tag: "", digest: image.slice(at + 1) };
  if (colon < 0) return { name: image, tag: "", digest: "" };
  const tag = image.slice(colon + 1, at < 0 ? undefined : at);
  return { name: image.slice(0, colon), tag, digest: at < 0 ? "" : image.slice(at + 1) };
}

// Lists of a kustomization whose entries have names: `images`, `replicas`.

/** The entries of a map in the order of their keys' bytes, as Go sorts them. */
export function inOrder(byName: ReadonlyMap<string, Json>): Json {
  return [...byName].sort(([a], [b]) => Buffer.compare(Buffer.from(a), Buffer.from(b))).map(([, one]) => one);
}

/** The name of an entry. */
export function nameOf(entry: Json): string {
  const name = isMapping(entry) ? foldedGet(entry, "name") : undefined;
  return typeof name === "string" ? name : "";
}
