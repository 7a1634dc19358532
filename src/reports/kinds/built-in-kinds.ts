import type { ReferenceOption, WorkloadOption } from "../../base/config-hash-options.ts";
import type { PodTemplatePath, ReferencePath, WorkloadKind } from "../../kubernetes/workloads/types.ts";
import { WORKLOAD_KINDS } from "../../kubernetes/workloads/workload-kinds.ts";
import type { KindReport } from "./kinds-report.ts";

/** The kinds that are known without configuration, but for those whose pods a stamp never reaches. */
export function builtInKinds(): readonly KindReport[] {
  return WORKLOAD_KINDS.filter(({ rollsBy }) => rollsBy !== "never").map(builtInKind);
}

/** A built-in kind, as `workloads` would say it. */
export function builtInKind(row: WorkloadKind): KindReport {
  const { group, kind, templates, rollsBy } = row;
  const option = row.optional === undefined ? row.option : `optionalKinds: ${row.optional}`;
  return {
    group,
    kind,
    status: "BuiltIn",
    workloads: templates.map((template) => ({
      ...(group === "" ? {} : { group }),
      kind,
      ...entryOf(template),
      ...ROLLS[rollsBy],
    })),
    ...(option === undefined || option === "never" ? {} : { option }),
  };
}

const ROLLS = {
  template: {},
  nextRun: { rolls: "NextRun" },
  immutable: { rolls: "Immutable" },
  never: {},
} as const satisfies Record<WorkloadKind["rollsBy"], Pick<WorkloadOption, "rolls">>;

const ANNOTATIONS = ".annotations";

function entryOf({ annotations, anchor, podSpec, references = [] }: PodTemplatePath): Partial<WorkloadOption> {
  const more = references.length === 0 ? {} : { references: references.map(referenceOf) };
  if (annotations === `${anchor}.metadata.annotations` && podSpec === `${anchor}.spec`) {
    return { podTemplate: anchor, ...more };
  }
  const metadata = annotations.slice(0, -ANNOTATIONS.length);
  // A mapping that has annotations beside other fields of pods is metadata no more.
  const place =
    /metadata$/iu.test(metadata) && annotations.endsWith(ANNOTATIONS)
      ? { podMetadata: metadata }
      : { podAnnotations: annotations };
  return { ...place, ...(podSpec === undefined ? {} : { podSpec }), ...more };
}

const FORMS = {
  container: "Container",
  containers: "Containers",
  volumes: "Volumes",
  volume: "Volume",
  projected: "Projected",
} as const;

function referenceOf(reference: ReferencePath): ReferenceOption {
  const { path } = reference;
  if (reference.form !== "name" && reference.form !== "key") return { form: FORMS[reference.form], path };
  const kind = reference.kind === "ConfigMap" ? "ConfigMap" : "Secret";
  return { kind, path };
}
