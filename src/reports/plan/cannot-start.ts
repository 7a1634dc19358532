import type { StartProblem } from "../../findings/catalogue/safety-rows.ts";
import { resourceRef } from "../../findings/results/location.ts";
import { numberAt } from "../../kubernetes/rollout/numbers.ts";
import { amountsAt, numberOf } from "../../kubernetes/rollout/pod-resources.ts";
import { podContainers } from "../../kubernetes/workloads/containers.ts";
import { pulledImages } from "../../kubernetes/workloads/images.ts";
import type { PodTemplate } from "../../kubernetes/workloads/types.ts";
import { get, getPath, isTrue } from "../../yaml/read/node.ts";
import { NONE } from "../../yaml/read/tree.ts";
import { misspeltObjects } from "./needed-objects.ts";
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

/** Why pods cannot start, whatever the cluster has. What the base has, too, is left out. */
export function startProblems({ base, head, from, to, isReplacing }: HeadWorkload): PlanFinding[] {
  const before = new Set(from === undefined ? [] : templatesOf(base, from).flatMap(problemsOf).map(keyOf));
  return [
    ...templatesOf(head, to)
      .flatMap(problemsOf)
      .filter((problem) => !before.has(keyOf(problem))),
    ...(from === undefined ? [] : misspeltObjects({ base, head, from, to })),
  ].map((problem) => ({
    id: "cannot-start",
    cause: isReplacing ? "stuck" : "later",
    params: { workload: resourceRef(to.workload.item), problem },
  }));
}

function keyOf({ is, user, ...problem }: LocalProblem): string {
  return JSON.stringify([is, user, "image" in problem ? problem.image : ""]);
}

type LocalProblem = Exclude<StartProblem, { readonly is: "missing" }>;

/** The runtime cannot even start a process with less. The kubelet rounds up: a limit of 256m is one byte. */
const LEAST_MEMORY = 1024n * 1024n * 1_000_000_000n;

/** Problems of images, limits and users in a template. */
function problemsOf(template: PodTemplate): readonly LocalProblem[] {
  const { tree } = template.item;
  const ofImages = pulledImages(template).flatMap(({ image, user }): LocalProblem[] =>
    isValidImage(image) ? [] : [{ is: "image", user, image }],
  );
  const ofContainers = template.podSpecs.flatMap((spec) =>
    podContainers({ ...template, podSpecs: [spec] }, ["initContainers", "containers"]).flatMap(
      ({ node, name }): LocalProblem[] => {
        const user = `container ${name}`;
        const memory = amountsAt(tree, getPath(tree, node, ["resources", "limits"])).get("memory");
        const isTiny = memory !== undefined && memory > 0n && memory < LEAST_MEMORY;
        return [
          ...(isTiny ? [{ is: "memory" as const, user, bytes: numberOf(memory) }] : []),
          ...(runsAsForbiddenRoot(template, spec.node, node) ? [{ is: "root" as const, user }] : []),
        ];
      },
    ),
  );
  return [...ofImages, ...ofContainers];
}

/** verifyRunAsNonRoot in pkg/kubelet/kuberuntime: CreateContainerConfigError. What a container sets overrides the pod. */
function runsAsForbiddenRoot({ item }: PodTemplate, pod: number, container: number): boolean {
  const { tree } = item;
  const [isNonRoot = NONE, user = NONE] = ["runAsNonRoot", "runAsUser"].map((field) => {
    const [own, all] = [container, pod].map((node) => get(tree, get(tree, node, "securityContext"), field));
    return own === NONE ? all : own;
  });
  return isTrue(tree, isNonRoot) && numberAt(item, [], user) === 0;
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
