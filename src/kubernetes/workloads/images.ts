import { get, getString, itemsOf } from "../../yaml/read/node.ts";
import { CONTAINER_LISTS, podContainers } from "./containers.ts";
import type { PodTemplate } from "./types.ts";

/** An image of a pod template, as written. */
export interface PulledImage {
  readonly image: string;
  /** As written; undefined if Kubernetes chooses: Always for `latest`, else IfNotPresent. */
  readonly policy: string | undefined;
  /** What uses the image: "container app". */
  readonly user: string;
  readonly isInit: boolean;
  readonly node: number;
  readonly field: string;
}

/** The pull policy with which each start of a pod asks the registry. */
export const PULLS_ALWAYS = "Always";

/** The pull policy for images that something else loads onto the nodes. */
export const PULLS_NEVER = "Never";

/** The images of a pod template: of containers and image volumes. */
export function pulledImages(template: PodTemplate): PulledImage[] {
  const { tree } = template.item;
  return template.podSpecs.flatMap((spec) => [
    ...CONTAINER_LISTS.flatMap((list) =>
      podContainers({ ...template, podSpecs: [spec] }, [list]).flatMap(({ node, name, field }) =>
        pulled(template, node, `container ${name}`, CONTAINER, field).map((image) => ({
          ...image,
          isInit: list === "initContainers",
        })),
      ),
    ),
    ...itemsOf(tree, get(tree, spec.node, "volumes")).flatMap((volume, i) =>
      pulled(
        template,
        get(tree, volume, "image"),
        `volume ${getString(tree, volume, "name") ?? i}`,
        VOLUME,
        `${spec.field}.volumes[${i}].image`,
      ).map((image) => ({ ...image, isInit: false })),
    ),
  ]);
}

// core/v1, types.go: Container and ImageVolumeSource.
const CONTAINER = { image: "image", policy: "imagePullPolicy" } as const;
const VOLUME = { image: "reference", policy: "pullPolicy" } as const;

function pulled(
  { item: { tree } }: PodTemplate,
  node: number,
  user: string,
  fields: typeof CONTAINER | typeof VOLUME,
  field: string,
): Omit<PulledImage, "isInit">[] {
  const image = getString(tree, node, fields.image);
  if (image === undefined || image === "") return [];
  const policy = getString(tree, node, fields.policy) || undefined;
  return [{ image, policy, user, node: get(tree, node, fields.image), field: `${field}.${fields.image}` }];
}

/** Whether an image is a bare name such as `web`: builds and kustomize's `images` often replace it. */
export function isBareName(image: string): boolean {
  return !/[/:@]/u.test(image);
}

/** Whether an image is mutable: `latest`, or no tag. */
export function isMutable(image: string): boolean {
  if (image.includes("@")) return false;
  // A colon before the last slash is the port of a registry.
  const name = image.slice(image.lastIndexOf("/") + 1);
  const tag = name.includes(":") ? name.slice(name.indexOf(":") + 1) : "";
  return tag === "" || tag === "latest";
}
