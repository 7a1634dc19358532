import { CONFIG_HASH_VALUES as VALUES, type ConfigHashValue } from "../../base/config-hash-options.ts";
import { RollstampError } from "../../base/errors.ts";
import type { Json } from "../../yaml/read/node.ts";
import { podTemplate } from "../../kubernetes/workloads/kind-row.ts";
import type { PodTemplatePath, ReferencePath, WorkloadKind } from "../../kubernetes/workloads/types.ts";
import { fieldsOf, listOf, oneOf, textOf, textOrEmpty } from "../../yaml/read/json.ts";

/**
 * Converts an entry of the `workloads` option to a row of the built-in table. Throws if it sets too few or too many
 * fields.
 */
export function readWorkload(row: Json, index: number): WorkloadKind {
  const fields = fieldsOf(row);
  const kind = textOrEmpty(fields["kind"]);
  const workloadPath = ["spec", "workloads", String(index)];
  const references = listOf(fields["references"]).map((reference, i) =>
    readReference(reference, [...workloadPath, "references", String(i)]),
  );
  const template = { ...templatePath(kind, fields, references.length > 0, workloadPath), references };
  return {
    group: textOrEmpty(fields["group"]),
    kind,
    templates: [template],
    ...ROLLS[oneOf(fields["rolls"], VALUES.rolls, "Template")],
  };
}

/** How pods get a changed template. A template that cannot be changed follows `jobs`, as for the built-in kinds. */
const ROLLS: { readonly [rolls in ConfigHashValue<"rolls">]: Pick<WorkloadKind, "rollsBy" | "option"> } = {
  Template: { rollsBy: "template" },
  NextRun: { rollsBy: "nextRun" },
  Immutable: { rollsBy: "immutable", option: "jobs" },
};

type Fields = ReturnType<typeof fieldsOf>;

function templatePath(
  kind: string,
  fields: Fields,
  hasReferences: boolean,
  configPath: readonly string[],
): PodTemplatePath {
  const template = textOf(fields["podTemplate"]);
  const metadata = textOf(fields["podMetadata"]);
  const annotations = textOf(fields["podAnnotations"]);
  const podSpec = textOf(fields["podSpec"]);
  const isOne = [template, metadata, annotations].filter((path) => path !== undefined).length === 1;
  const isWhole = template === undefined ? podSpec !== undefined || hasReferences : podSpec === undefined;
  if (!isOne || !isWhole) {
    throw new RollstampError(
      "config",
      `the workload kind '${kind}' needs 'podTemplate', or one of 'podMetadata' and 'podAnnotations' with 'podSpec' or 'references'`,
      {
        configPath: [...configPath],
        remedy:
          "Write {group, kind, podTemplate: spec.template}, or {group, kind, podMetadata: …, podSpec: …} if the two are separate.",
      },
    );
  }
  if (template !== undefined) return podTemplate(template);
  const spec = podSpec === undefined ? {} : { podSpec };
  if (metadata !== undefined) return { annotations: `${metadata}.annotations`, anchor: anchorOf(metadata), ...spec };
  const path = annotations ?? "";
  const lastDot = path.lastIndexOf(".");
  if (path.endsWith("*")) {
    throw new RollstampError("config", `'podAnnotations' of the workload kind '${kind}' ends with '*'`, {
      configPath: [...configPath, "podAnnotations"],
      remedy: "Name the mapping of annotations. If its last step is missing, it is created.",
    });
  }
  return { annotations: path, anchor: lastDot < 0 ? "" : anchorOf(path.slice(0, lastDot)), ...spec };
}

/** The part of a path that must exist: up to the last `*`, else the first step. */
function anchorOf(path: string): string {
  const steps = path.split(".");
  const star = steps.lastIndexOf("*");
  return steps.slice(0, star < 0 ? 1 : star + 1).join(".");
}

const FORMS = {
  Containers: "containers",
  Volumes: "volumes",
  Volume: "volume",
  Projected: "projected",
} as const;

function readReference(reference: Json, configPath: string[]): ReferencePath {
  const fields = fieldsOf(reference);
  const path = textOrEmpty(fields["path"]);
  const kind = VALUES.kind.find((candidate) => candidate === fields["kind"]);
  const form = oneOf(fields["form"], VALUES.form, "Name");
  if ((form === "Name") !== (kind !== undefined)) {
    throw new RollstampError(
      "config",
      form === "Name"
        ? `the reference '${path}' needs a 'kind'`
        : `the reference '${path}' must not have a 'kind' with form ${form}`,
      {
        configPath,
        remedy:
          "Write {kind: ConfigMap, path: …} for a field that contains names, {form: Container, path: …} for a part of a pod spec.",
      },
    );
  }
  if (form === "Name") return { path, form: "name", kind: kind ?? "ConfigMap" };
  // Such a container has no name, so messages use the name of its field.
  return form === "Container" ? { path, form: "container", name: path } : { path, form: FORMS[form] };
}
