import { counted, pluralize, containsPath } from "../../base/words.ts";
import {
  formatKeyChanges,
  formatList,
  formatName,
  formatObject,
  formatToolOutput,
  type KeyChanges,
  type ResourceRef,
  type SourceName,
} from "../../base/names.ts";
import type { Rows } from "./row.ts";

/** Findings about the applications of a merge. Parameters by id and cause. */
export interface ApplicationFindings {
  /** `problem` is the output of the tools, masked. */
  readonly "unrendered-application": {
    readonly failed: { readonly application: string; readonly path: string; readonly problem: string };
    /** Several failed for the same reason. */
    readonly severalFailed: { readonly applications: readonly string[]; readonly problem: string };
    /**
     * Only in plans: applications of the same cluster whose pods may see the changed sources; `problem` is the message
     * of `alike` of them.
     */
    readonly unknownUses: {
      readonly sources: readonly SourceName[];
      readonly applications: readonly string[];
      readonly problem: string;
      readonly alike: number;
    };
  };
  /** Only in plans: a source changes in one application, and workloads of other applications reference it. */
  readonly "cross-application-change": {
    readonly changed: CrossApplicationChange;
    readonly removed: CrossApplicationChange;
    readonly watched: CrossApplicationChange & { readonly writer: string };
  };
  /** Only in plans. `object` is a Kustomization or HelmRelease of Flux. */
  readonly "suspended-application": {
    readonly resumed: { readonly object: string };
  };
  /**
   * Only in plans: another object of Argo CD or Flux defines an application. `moved`: it is the same object, but another
   * application applies it.
   */
  readonly "renamed-application": {
    readonly deleted: { readonly object: string; readonly other: string };
    readonly moved: { readonly object: string; readonly from: string; readonly to: string };
  };
  /** Only in plans: a workload stays in the cluster when it leaves an application, and another application changes it. */
  readonly "taken-over": {
    readonly unknown: { readonly workload: ResourceRef; readonly from: string; readonly to: string };
  };
}

interface CrossApplicationChange {
  readonly source: SourceName;
  readonly keys: KeyChanges;
  readonly workloads: readonly ResourceRef[];
  readonly applications: readonly string[];
}

export const APPLICATION_ROWS: Rows<ApplicationFindings> = {
  "unrendered-application": {
    severity: "error",
    title: "An application that cannot be rendered",
    remedy:
      "Fix the error in the message. To exclude the application, add its path to 'ignore' of the Applications document in rollstamp.yaml.",
    causes: {
      failed: {
        message: ({ application, path, problem }) =>
          `application ${formatName(application)}${containsPath(application, path) ? "" : ` in ${formatName(path)}`} not examined: ${formatToolOutput(problem)}`,
      },
      severalFailed: {
        message: ({ applications, problem }) =>
          `${counted(applications.length, "application")} not examined (${formatList(applications, MOST_APPLICATIONS)}): ${formatToolOutput(problem)}`,
      },
      unknownUses: {
        brief: ({ sources, applications }) =>
          `${formatList(sources.map(formatObject), 1)} may be used by ${counted(applications.length, "other application")}`,
        message: ({ sources, applications, problem, alike }) => {
          const count = applications.length;
          const scope = alike === count ? ":" : `. ${alike} of them:`;
          return `${counted(count, "other application")} of the cluster (${formatList(applications, MOST_BESIDE)}) may use ${formatList(sources.map(formatObject), MOST_BESIDE)}, but cannot be rendered completely${scope} ${formatToolOutput(problem)}`;
        },
      },
    },
  },
  "cross-application-change": {
    severity: "warning",
    title: "A changed source that pods of another application use",
    remedy:
      "Restart these workloads after the change has been applied (rollstamp restart), or put both into one application, so that stamps cover the source.",
    causes: {
      changed: {
        message: (params) =>
          `${formatObject(params.source)}: ${formatKeyChanges(params.keys)}. ${formatUses(params)}, but ${pluralize(params.workloads.length, "does", "do")} not roll out, because no stamp covers a source of another application`,
      },
      removed: {
        message: (params) =>
          `${formatObject(params.source)} is removed, but ${formatUses(params)}: new pods cannot start without it`,
        remedy: "Keep the source, or first remove the references to it.",
      },
      watched: {
        message: (params) =>
          `${formatObject(params.source)}: ${formatKeyChanges(params.keys)}. ${formatUses(params)}, and ${params.writer} (if it runs in the cluster) restarts the pods`,
        remedy: null,
        severity: "info",
      },
    },
  },
  "suspended-application": {
    severity: "warning",
    title: "An application that Flux resumes",
    remedy: "Plan from the revision that Flux applied last: rollstamp plan --git REVISION..HEAD --app NAME.",
    causes: {
      resumed: {
        message: ({ object }) =>
          `${formatName(object)} is resumed: Flux also applies all changes made while it was suspended, and this plan does not contain them`,
      },
    },
  },
  "renamed-application": {
    severity: "warning",
    title: "A renamed application whose objects are deleted",
    remedy:
      "First keep the objects, in a separate change: remove the finalizer (Application), set preserveResourcesOnDeletion (ApplicationSet) or prune: false (Kustomization), or suspend it (HelmRelease).",
    causes: {
      deleted: {
        brief: ({ object }) => `${formatName(object)} is deleted with its objects`,
        message: ({ object, other }) =>
          `${formatName(object)} is deleted with its objects, and ${formatName(other)} creates them again: no pod runs in between, and PersistentVolumeClaims lose their data`,
      },
      moved: {
        brief: ({ object, from, to }) => `${formatName(object)} moves from ${formatName(from)} to ${formatName(to)}`,
        message: ({ object, from, to }) =>
          `${formatName(object)} moves from application ${formatName(from)} to ${formatName(to)}. If ${formatName(from)} prunes it before ${formatName(to)} applies it, it is deleted with its objects and created again: no pod runs in between, and PersistentVolumeClaims lose their data`,
      },
    },
  },
  "taken-over": {
    severity: "warning",
    title: "A workload that another application takes over",
    remedy: "Move it unchanged, and change it in a later commit: the plan of that commit shows the effect.",
    causes: {
      unknown: {
        brief: ({ workload, to }) => `${formatObject(workload)} is taken over by ${formatName(to)}`,
        message: ({ workload, from, to }) =>
          `${formatObject(workload)} moves from ${formatName(from)} to ${formatName(to)} and stays in the cluster. The plan does not compare the two versions: whether it rolls or is refused is unknown`,
      },
    },
  },
};

/** Of applications that fail for the same reason: `notExamined` lists them all. */
const MOST_APPLICATIONS = 5;
/** Of each list in a message with several lists: names of applications may be paths. */
const MOST_BESIDE = 1;
const MOST_USERS = 5;

function formatUses({ workloads, applications }: CrossApplicationChange): string {
  const application = pluralize(applications.length, "application");
  const use = pluralize(workloads.length, "uses", "use");
  return `${formatList(workloads.map(formatObject), MOST_USERS, " and ")} of the ${application} ${formatList(applications, MOST_USERS, " and ")} ${use} it`;
}
