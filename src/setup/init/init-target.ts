import type { InitFolder } from "../../platform/ports/files.ts";
import type { GitSetting, GitWiring } from "../../platform/ports/git.ts";

/** A file before and after; `before` is undefined for a new file. */
export interface FileProposal {
  /** From the folder that the command was given. */
  readonly path: string;
  readonly before: string | undefined;
  readonly after: string;
  /** Whether a new file is executable. */
  readonly executable?: boolean;
}

/** The changes that set up a host; none if it is set up already. */
export interface Proposal {
  readonly files: readonly FileProposal[];
  /** What else to know or do, a line each. */
  readonly notes: readonly string[];
  /** Git settings of this clone, set after the files. */
  readonly settings?: readonly GitSetting[];
  /** What was decided and why, a line each: printed before anything is written. */
  readonly because?: readonly string[];
}

/** What a repository contains. */
export interface Survey {
  /** Workloads in plain manifests. */
  readonly workloads: number;
  /** The largest scope without duplicate objects. */
  readonly scope: "run" | "directory" | "file";
  /** The kinds that are workloads, each as `apps/Deployment`. */
  readonly workloadKinds: ReadonlySet<string>;
  /** The folders of charts from the root of the repository, without libraries and dependencies. */
  readonly charts: readonly string[];
  /** How many applications a plan may render; 0 if no plan is wanted. */
  readonly applications: number;
  /** How many of them use a chart that helm would have to fetch. */
  readonly fetching: number;
  /** How many can't be rendered here, so that the applications in them are unknown. */
  readonly unseen: number;
  /** Environment variables here that change how applications are rendered. */
  readonly settings: readonly string[];
  /** What only controllers render: `3 HelmReleases`; "" for none. */
  readonly elsewhere: string;
}

/** The options of the command line. */
export interface InitChoices {
  /** A container image to run instead of the program. */
  readonly image?: string;
  /** kustomize: use the legacy plugin, which `kubectl kustomize` can run. */
  readonly plugin?: boolean;
  /** CI: also add a job for scheduled restarts. */
  readonly restarts?: boolean;
  /** CI: also add a job that merges and stamps a branch again. */
  readonly restamp?: boolean;
  /** CI: also add jobs that plan pull requests. */
  readonly plan?: boolean;
  /** The number of jobs that plan; by default it depends on the number of applications. */
  readonly shards?: number;
  /** Git: hide stamps in diffs. */
  readonly hideStamps?: boolean;
}

export interface InitOptions extends InitChoices {
  /** The Git settings of the clone, for the target `git`. */
  readonly git: () => GitWiring;
  /** What the repository contains, for a target that needs it. */
  readonly survey: () => Survey;
  /** The version to pin. */
  readonly version: string;
}

/** An option of some hosts. */
export type InitOption = "image" | "plugin" | "restarts" | "restamp" | "plan" | "shards" | "hide-stamps";

/** A host that rollstamp can be set up for: a row of INIT_TARGETS. */
export interface InitTarget {
  readonly name: string;
  readonly summary: string;
  /** Its options. */
  readonly takes: readonly InitOption[];
  /** Whether it needs the survey of the repository. */
  readonly looks?: boolean;
  /** Throws a RollstampError if the host's file is missing or can't be read. */
  readonly propose: (folder: InitFolder, options: InitOptions) => Proposal;
}
