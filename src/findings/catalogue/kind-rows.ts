import type { ReferenceOption, WorkloadOption } from "../../base/config-hash-options.ts";
import { yamlText } from "../../base/yaml-text.ts";
import { formatList, formatName, formatObject, type ResourceRef, type SourceName } from "../../base/names.ts";
import type { Rows } from "./row.ts";

/** The findings about kinds that are not known: parameters by id and cause. */
export interface KindFindings {
  readonly RS014: {
    readonly unknown: UnknownUse & { readonly entries: readonly [WorkloadOption, ...WorkloadOption[]] };
    /** Nothing in the object shows where annotations of its pods go. */
    readonly noPlace: UnknownUse & { readonly entry: WorkloadOption };
  };
}

interface UnknownUse {
  readonly object: ResourceRef;
  readonly sources: readonly SourceName[];
}

export const KIND_ROWS: Rows<KindFindings> = {
  RS014: {
    severity: "warning",
    title: "A kind that is not known, with sources as a pod spec has them",
    remedy: "Add the entry that the finding gives to 'workloads' of the configuration.",
    docs: "docs/rules/RS014.md",
    causes: {
      unknown: {
        message: unknownWords,
        remedy: ({ entries }) =>
          `Add to the configuration 'workloads: [${entries.slice(0, MOST_ENTRIES).map(entryWords).join(", ")}]'${entries.length > MOST_ENTRIES ? `, and ${entries.length - MOST_ENTRIES} more` : ""}.`,
      },
      noPlace: {
        message: unknownWords,
        remedy: ({ entry }) =>
          `This object does not show where its operator takes annotations for pods: look in the operator's documentation. Replace PATH with the path, and add to the configuration 'workloads: [${entryWords({ ...entry, podAnnotations: PATH })}]'.`,
      },
    },
  },
};

const MOST_SOURCES = 4;
const MOST_ENTRIES = 4;
const MOST_REFERENCES = 12;

const PATH = "PATH";

function unknownWords({ object, sources }: UnknownUse): string {
  const named = sources.map((source) => `${source.kind} ${source.namespace}/${source.name}`);
  return `${formatObject(object)} uses ${formatList(named, MOST_SOURCES, " and ")}, and its kind is not known: a change there rolls nothing`;
}

/** A row of `workloads` in one line of YAML. */
function entryWords({ group = "", kind, references = [], ...paths }: WorkloadOption): string {
  const fields = [...(group === "" ? [] : [["group", group]]), ["kind", kind], ...pathsOf(paths)];
  const shown = references.slice(0, MOST_REFERENCES).map(referenceWords);
  // A list that is cut is none that could be pasted: it says so where it would be read.
  const more = references.length > MOST_REFERENCES ? [`… ${references.length - MOST_REFERENCES} more`] : [];
  const list = shown.length === 0 ? [] : [`references: [${[...shown, ...more].join(", ")}]`];
  return `{${[...fields.map(([name = "", text = ""]) => `${name}: ${wordOf(text)}`), ...list].join(", ")}}`;
}

function pathsOf({ podTemplate, podMetadata, podAnnotations, podSpec }: Omit<WorkloadOption, "kind">): string[][] {
  return Object.entries({ podTemplate, podMetadata, podAnnotations, podSpec }).flatMap(([name, path]) =>
    path === undefined ? [] : [[name, path]],
  );
}

function referenceWords({ form, kind, path }: ReferenceOption): string {
  return kind === undefined ? `{form: ${form ?? ""}, path: ${wordOf(path)}}` : `{kind: ${kind}, path: ${wordOf(path)}}`;
}

function wordOf(text: string): string {
  return yamlText(formatName(text));
}
