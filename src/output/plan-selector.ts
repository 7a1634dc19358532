import { sumOf } from "../base/grouped.ts";
import { KUSTOMIZATION_FILES } from "../base/hosts/kustomize.ts";
import { compareNames } from "../base/names.ts";
import { pluralize } from "../base/words.ts";
import type { Next } from "../reports/plan/planned-workload.ts";
import { code, codes, joined } from "./document/blocks.ts";
import type { Words } from "./document/document.ts";

/** What a plan says about changed selectors, of one or several workloads. */
export type SelectorNext = Extract<Next, { readonly id: "keep-selector" }>;

/** What helps against a changed selector, safest first. */
export function selectorSteps(all: readonly SelectorNext[]): readonly Words[] {
  const folders = [...new Set(all.flatMap(({ kustomization }) => kustomization ?? []))].filter((path) => path !== "");
  const files = folders.map((path): Words => [
    code(path === "." ? KUSTOMIZATION_FILES[0] : `${path}/${KUSTOMIZATION_FILES[0]}`),
  ]);
  const isKustomize = all.some(({ kustomization }) => kustomization !== undefined);
  const labels: Words = [code("labels"), " without ", code("includeSelectors: true")];
  const keep: Words =
    files.length > 0
      ? [...joined(files), ": ", ...labels]
      : [
          "keep the selector",
          ...(isKustomize ? [" (in kustomize: ", ...labels, ")"] : [": pods may have more labels"]),
        ];
  const volumes = all.some(({ hasVolumes }) => hasVolumes === true)
    ? "; the volumes of a StatefulSet are new and empty"
    : "";
  return [
    keep,
    [
      `${pluralize(all.length, "a new name for the workload", "new names for the workloads")}, so that old and new pods run side by side${volumes}`,
    ],
    [`delete and create ${pluralize(all.length, "the workload", "the workloads")}: no pod is left in between`],
  ];
}

const MOST_SERVICES = 20;

/** The Services that select new labels, which no pod has; undefined if there are none. */
export function unreachingWords(all: readonly SelectorNext[], hasOneLabel: boolean = false): Words | undefined {
  const names = [...new Set(all.flatMap(({ services }) => services))].sort(compareNames);
  if (names.length === 0) return undefined;
  const others = sumOf(all, ({ moreServices = 0 }) => moreServices);
  const verb = (one: string, many: string): string => pluralize(names.length, one, many);
  return [
    `${verb("Service", "Services")} `,
    ...codes(names, MOST_SERVICES, others),
    ` ${verb("selects", "select")} the new ${hasOneLabel ? "label" : "labels"} and ${verb("reaches", "reach")} no pod, as the old pods do not have ${hasOneLabel ? "it" : "them"}`,
  ];
}
