import { resourceRef } from "../../findings/results/location.ts";
import { pulledImages } from "../../kubernetes/workloads/images.ts";
import type { PodTemplate } from "../../kubernetes/workloads/types.ts";
import { templatesOf } from "./pair.ts";
import type { PlanFinding } from "./planned-workload.ts";
import type { Side, SideWorkload } from "./side.ts";

interface HeadWorkload {
  readonly base: Side;
  readonly head: Side;
  readonly from: SideWorkload | undefined;
  readonly to: SideWorkload;
  /** Whether this change starts pods in place of others. */
  readonly isReplacing: boolean;
}

/** The images that no kubelet can pull, because their names are invalid. Those that the base has, too, are left out. */
export function invalidImages({ base, head, from, to, isReplacing }: HeadWorkload): PlanFinding[] {
  const before = new Set(from === undefined ? [] : invalidOf(templatesOf(base, from)).map(({ key }) => key));
  return invalidOf(templatesOf(head, to))
    .filter(({ key }) => !before.has(key))
    .map(({ user }) => ({
      id: "invalid-image",
      cause: isReplacing ? "stuck" : "later",
      params: { workload: resourceRef(to.workload.item), user },
    }));
}

interface InvalidImage {
  readonly key: string;
  readonly user: string;
}

function invalidOf(templates: readonly PodTemplate[]): readonly InvalidImage[] {
  return templates.flatMap((template) =>
    pulledImages(template).flatMap(({ image, user }) =>
      isValidImage(image) ? [] : [{ key: JSON.stringify([user, image]), user }],
    ),
  );
}

/**
 * How a kubelet reads the name of an image (ParseNormalizedNamed in github.com/distribution/reference, used by
 * pkg/kubelet/images): pods with another name get InvalidImageName. What is filled in before the apply counts as valid.
 */
function isValidImage(image: string): boolean {
  if (PLACEHOLDER.test(image)) return true;
  const end = image.indexOf("/");
  const first = image.slice(0, end);
  const hasHost = end !== -1 && (/[.:A-Z]/u.test(first) || first === "localhost");
  return (!hasHost || HOST.test(first)) && PATH.test(hasHost ? image.slice(end + 1) : image);
}

const PLACEHOLDER = /[$%<>{}()#]/u;
const HOST = /^(?:\[[\da-fA-F:]+\]|[\dA-Za-z](?:[\dA-Za-z.-]*[\dA-Za-z])?)(?::\d+)?$/u;
/** A path in lower case, with a tag and a digest if it has them. */
const PATH =
  /^[\da-z]+(?:(?:\.|_{1,2}|-+|\/)[\da-z]+)*(?::\w[\w.-]{0,127})?(?:@[A-Za-z][\dA-Za-z]*(?:[-_+.][A-Za-z][\dA-Za-z]*)*:[\da-fA-F]{32,})?$/u;
