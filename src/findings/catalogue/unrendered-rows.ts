import { outsideReason, outsideRemedy, type OutsidePart } from "../../base/outside.ts";
import { counted, pluralize, containsPath } from "../../base/words.ts";
import {
  formatList,
  formatName,
  formatObject,
  formatToolOutput,
  type ResourceRef,
  type SourceName,
} from "../../base/names.ts";
import type { Rows } from "./row.ts";

/** Findings about what a plan could not render: parameters by id and cause. */
export interface UnrenderedFindings {
  /** `changed` are paths of fields, and names of the sources of values and charts. */
  readonly RS024: {
    readonly notRendered: {
      readonly object: ResourceRef;
      readonly change: "added" | "changed" | "removed";
      readonly changed: readonly string[];
      /** Why it was not rendered; in a plan over applications, if that is known. */
      readonly reason?: string;
    };
    /** An application of which a part is outside of the repository and was not fetched. */
    readonly notFetched: {
      readonly application: string;
      /** The object that defines it; undefined if none does. */
      readonly object: SourceName | undefined;
      readonly change: "added" | "changed" | "removed";
      readonly changed: readonly string[];
      readonly parts: readonly OutsidePart[];
    };
    /** Sources change that only parts of their application may use which are outside of the repository and were not fetched. */
    readonly unknownUses: {
      readonly application: string;
      readonly sources: readonly SourceName[];
      readonly parts: readonly OutsidePart[];
    };
    /** A chart that neither revision can render with the values of the repository. */
    readonly needsValues: {
      readonly application: string;
      readonly path: string;
      readonly problem: string;
      /** The chart that shows the application, if its values are not known either. */
      readonly shownBy?: string;
    };
    /** A chart that helmfiles release, with values that only they know. */
    readonly byHelmfiles: {
      readonly application: string;
      readonly path: string;
      readonly helmfiles: readonly string[];
    };
    /** A chart with changed templates, or files that these read, that its own values do not show. */
    readonly hiddenByValues: {
      readonly application: string;
      readonly path: string;
      readonly changed: readonly string[];
      /** The chart that shows the application, if its values are not known either. */
      readonly shownBy?: string;
    };
    readonly source: {
      readonly object: ResourceRef;
      readonly changed: readonly string[];
      readonly users: readonly SourceUser[];
    };
    /** A source or dependency that is removed, and the objects that still use it. */
    readonly sourceRemoved: { readonly object: SourceName; readonly users: readonly SourceName[] };
    /** A dependency or source that is nowhere in the repository, and the objects that name it. */
    readonly dependencyMissing: { readonly object: SourceName; readonly users: readonly SourceName[] };
    /** An AppProject that does not permit something of its Applications. */
    readonly notPermitted: {
      readonly project: SourceName;
      readonly what: keyof typeof NOT_PERMITTED;
      /** Namespaces, addresses of repositories, or kinds. */
      readonly names: readonly string[];
      readonly applications: readonly string[];
    };
  };
}

/** An object that uses a source, and its application. */
export interface SourceUser {
  readonly object: SourceName;
  readonly application: string;
}

/** What an AppProject may refuse, by the fields that would permit it. */
const NOT_PERMITTED = {
  namespace: { verb: "permits no destination with", fields: "spec.destinations" },
  repository: { verb: "does not permit", fields: "spec.sourceRepos" },
  kind: { verb: "does not permit", fields: "spec.clusterResourceWhitelist or spec.namespaceResourceWhitelist" },
} as const;

/** The words before the names of what a project refuses. */
export function refusedWords(what: keyof typeof NOT_PERMITTED, count: number): string {
  const nouns = what === "repository" ? "repositories" : `${what}s`;
  return `${NOT_PERMITTED[what].verb} the ${pluralize(count, what, nouns)}`;
}

function nameValues({ shownBy }: { readonly shownBy?: string }): string {
  const whose =
    shownBy === undefined ? "its values" : `the values of the chart ${formatName(shownBy)}, which renders it,`;
  return `Add ${whose} to rollstamp.yaml: an entry of spec.applications with path and values.`;
}
const RENDER_IT = "Plan over applications (plan --git A..B, with helm on PATH), or between two renderings.";

export const UNRENDERED_ROWS: Rows<UnrenderedFindings> = {
  RS024: {
    severity: "warning",
    title: "A changed release, application or source that was not rendered",
    remedy: RENDER_IT,
    causes: {
      notRendered: {
        message: ({ object, change, changed, reason }) =>
          `${formatObject(object)} ${formatChange(change, changed)} but was not rendered${reason === undefined ? "" : ` (${formatToolOutput(reason)})`}: ${UNKNOWN[change]}`,
        // The reason says what to do, if that is known.
        remedy: ({ reason }) => (reason === undefined ? RENDER_IT : null),
      },
      notFetched: {
        message: ({ application, object, change, changed, parts }) => {
          const subject = object === undefined ? `application ${formatName(application)}` : formatObject(object);
          return `${subject} ${formatChange(change, changed)}, but ${formatParts(parts)}: ${UNKNOWN[change]}`;
        },
        remedy: outsideRemedies,
      },
      unknownUses: {
        message: ({ application, sources, parts }) =>
          `${formatList(sources.map(formatObject), MOST_PARTS, " and ")} of application ${formatName(application)} ${pluralize(sources.length, "changes", "change")}, but it is unknown whether pods use ${pluralize(sources.length, "it", "them")}: ${formatParts(parts)}`,
        remedy: outsideRemedies,
      },
      needsValues: {
        message: ({ application, path, problem }) =>
          `chart ${formatName(application)}${containsPath(application, path) ? "" : ` in ${formatName(path)}`} changes, but it needs values that are not in the repository (${formatToolOutput(problem)}): ${UNKNOWN.changed}`,
        remedy: nameValues,
      },
      byHelmfiles: {
        message: ({ application, path, helmfiles }) =>
          `chart ${formatName(application)}${containsPath(application, path) ? "" : ` in ${formatName(path)}`} changes, but ${UNKNOWN.changed}: ${counted(helmfiles.length, "helmfile releases", "helmfiles release")} it with other values (${formatList(helmfiles, MOST_CHANGES)})`,
        remedy: "Render a helmfile at both revisions: rollstamp plan --git A..B --render 'helmfile -f FILE template'.",
      },
      hiddenByValues: {
        message: ({ application, path, changed }) =>
          `chart ${formatName(application)}${containsPath(application, path) ? "" : ` in ${formatName(path)}`} ${formatChange("changed", changed)}, but its values in the repository do not render all of it: with other values, ${UNKNOWN.changed}`,
        remedy: nameValues,
      },
      source: {
        message: ({ object, changed, users }) =>
          `${formatObject(object)} ${formatChange("changed", changed)}${formatUsers(users)} but was not rendered: ${UNKNOWN.changed}`,
        // Only a plan over applications knows users.
        remedy: ({ users }) =>
          users.length === 0 ? RENDER_IT : "Render both versions and compare them: rollstamp plan BASE HEAD.",
      },
      dependencyMissing: {
        message: ({ object, users }) =>
          `${formatList(users.map(formatObject), MOST_PARTS, " and ")} ${pluralize(users.length, "depends", "depend")} on ${formatObject(object)}, which is not in the repository: Flux does not apply ${pluralize(users.length, "it", "them")} until ${formatObject(object)} exists`,
        remedy: "Correct the name of the reference, or add what it names.",
      },
      sourceRemoved: {
        message: ({ object, users }) =>
          `${formatObject(object)} is removed, but ${formatList(users.map(formatObject), MOST_PARTS, " and ")} ${pluralize(users.length, "uses", "use")} it: Flux no longer updates ${pluralize(users.length, "it", "them")}`,
        remedy: "Keep it, or change the objects that use it.",
      },
      notPermitted: {
        message: ({ project, what, names, applications }) =>
          `${formatObject(project)} ${refusedWords(what, names.length)} ${formatList(names.map(formatName), MOST_PARTS, " and ")}: Argo CD cannot sync ${pluralize(applications.length, "application", "applications")} ${formatList(applications.map(formatName), MOST_PARTS, " and ")}`,
        remedy: ({ what }) =>
          `Add it to ${NOT_PERMITTED[what].fields} of the project, or use another ${what} or project.`,
      },
    },
  },
};

/** What a change of each kind may do. */
const UNKNOWN = {
  added: "what it creates is unknown",
  changed: "what rolls out is unknown",
  removed: "what it deletes is unknown",
};

function formatChange(change: keyof typeof UNKNOWN, changed: readonly string[]): string {
  const fields = changed.length === 0 ? "" : ` (${formatList(changed, MOST_CHANGES)})`;
  return change === "changed" ? `changes${fields}` : `is ${change}`;
}

function formatParts(parts: readonly OutsidePart[]): string {
  const reasons = parts.slice(0, MOST_PARTS).map((part) => formatToolOutput(outsideReason(part, part.name)));
  const more = parts.length - reasons.length;
  return `${reasons.join(" and ")}${more > 0 ? ` and ${counted(more, "more part is missing", "more parts are missing")}` : ""}`;
}

function outsideRemedies({ parts: [first] }: { readonly parts: readonly OutsidePart[] }): string | null {
  return first === undefined ? null : outsideRemedy(first);
}

function formatUsers(users: readonly SourceUser[]): string {
  if (users.length === 0) return "";
  const names = users.map(({ object, application }) => `${formatObject(object)} of ${formatName(application)}`);
  return `, which ${formatList(names, MOST_PARTS, " and ")} ${pluralize(users.length, "uses", "use")},`;
}

const MOST_PARTS = 3;
const MOST_CHANGES = 3;
