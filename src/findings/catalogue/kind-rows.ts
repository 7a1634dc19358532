import type { ReferenceOption, WorkloadOption } from "../../base/config-hash-options.ts";
import { yamlText } from "../../base/words.ts";
import { formatList, formatName, formatObject, type ResourceRef, type SourceName } from "../../base/names.ts";
import type { Rows } from "./row.ts";

/** Findings about unknown kinds: parameters by id and cause. */
export interface KindFindings {
  readonly RS014: {
    readonly unknownKind: UnknownUse & { readonly entries: readonly [WorkloadOption, ...WorkloadOption[]] };
    /** The object does not show where its operator reads annotations for the pods. */
    readonly unknownPath: UnknownUse & { readonly entry: WorkloadOption };
  };
}

interface UnknownUse {
  readonly object: ResourceRef;
  readonly sources: readonly SourceName[];
}

export const KIND_ROWS: Rows<KindFindings> = {
  RS014: {
    severity: "warning",
    title: "An unknown kind that uses sources as a pod spec does",
    remedy: "Add the entry in the message to 'workloads' of the configuration.",
    causes: {
      unknownKind: {
        message: usesSources,
        remedy: ({ entries }) =>
          `Add to the configuration: 'workloads: [${entries.slice(0, MOST_ENTRIES).map(formatEntry).join(", ")}]'${entries.length > MOST_ENTRIES ? `, and ${entries.length - MOST_ENTRIES} more entries` : ""}.`,
      },
      unknownPath: {
        message: usesSources,
        remedy: ({ entry }) =>
          `Find the field from which the operator takes annotations for its pods, replace PATH with it, and add to the configuration: 'workloads: [${formatEntry({ ...entry, podAnnotations: "PATH" })}]'.`,
      },
    },
  },
};

const MOST_SOURCES = 4;
const MOST_ENTRIES = 4;
const MOST_REFERENCES = 12;

function usesSources({ object, sources }: UnknownUse): string {
  const named = sources.map((source) => `${source.kind} ${source.namespace}/${source.name}`);
  return `${formatObject(object)} uses ${formatList(named, MOST_SOURCES, " and ")}, but its kind is unknown, so changes roll out nothing`;
}

/** An entry of `workloads` in one line of YAML. */
function formatEntry({ group = "", kind, references = [], ...paths }: WorkloadOption): string {
  const fields = [...(group === "" ? [] : [["group", group]]), ["kind", kind], ...pathsOf(paths)];
  const shown = references.slice(0, MOST_REFERENCES).map(formatReference);
  // A shortened list must not look complete to whoever pastes it.
  const more = references.length > MOST_REFERENCES ? [`… ${references.length - MOST_REFERENCES} more`] : [];
  const list = shown.length === 0 ? [] : [`references: [${[...shown, ...more].join(", ")}]`];
  return `{${[...fields.map(([name = "", text = ""]) => `${name}: ${formatText(text)}`), ...list].join(", ")}}`;
}

function pathsOf({ podTemplate, podMetadata, podAnnotations, podSpec }: Omit<WorkloadOption, "kind">): string[][] {
  return Object.entries({ podTemplate, podMetadata, podAnnotations, podSpec }).flatMap(([name, path]) =>
    path === undefined ? [] : [[name, path]],
  );
}

function formatReference({ form, kind, path }: ReferenceOption): string {
  return kind === undefined
    ? `{form: ${form ?? ""}, path: ${formatText(path)}}`
    : `{kind: ${kind}, path: ${formatText(path)}}`;
}

function formatText(text: string): string {
  return yamlText(formatName(text));
}
