import type { InitFolder } from "../../platform/ports/files.ts";
import type { GitSetting, GitWiring } from "../../platform/ports/git.ts";

/** A file as it is to be: `before` undefined where it is new. */
export interface FileProposal {
  /** From the folder that the command was given. */
  readonly path: string;
  readonly before: string | undefined;
  readonly after: string;
  /** A new file that is a program. */
  readonly executable?: boolean;
}

/** What wires rollstamp into a host. Nothing to change: it is wired already. */
export interface Proposal {
  readonly files: readonly FileProposal[];
  /** What else has to be known or done, a line each. */
  readonly notes: readonly string[];
  /** Settings of this clone's git, behind the files. */
  readonly settings?: readonly GitSetting[];
  /** What was decided and why, a line each: told before anything is written. */
  readonly because?: readonly string[];
}

/** What stands in a repository, for those who look at it. */
export interface Survey {
  /** Of the files that are manifests as they stand. */
  readonly workloads: number;
  /** The largest scope in which no object stands twice. */
  readonly scope: "run" | "directory" | "file";
  /** The kinds that are workloads, each as `apps/Deployment`. */
  readonly workloadKinds: ReadonlySet<string>;
  /** Charts, from the root of the repository; no libraries and no dependencies. */
  readonly charts: readonly string[];
  /** How many applications a plan may have to render; 0 where none is asked for. */
  readonly applications: number;
  /** How many of them take a chart that helm would have to fetch. */
  readonly fetching: number;
  /** How many can't be rendered here, so that what they would show isn't known. */
  readonly unseen: number;
  /** Variables of this environment that say how applications are rendered. */
  readonly settings: readonly string[];
  /** What only a controller renders, in words: `3 HelmReleases`; "" for none. */
  readonly elsewhere: string;
}

/** What the command line chooses. */
export interface InitChoices {
  /** A container image to run instead of the command. */
  readonly image?: string;
  /** kustomize: the legacy plugin, which `kubectl kustomize` can run. */
  readonly plugin?: boolean;
  /** CI: a workflow for scheduled restarts as well. */
  readonly restarts?: boolean;
  /** CI: a workflow that stamps a branch again as well. */
  readonly restamp?: boolean;
  /** CI: a workflow that plans pull requests as well. */
  readonly plan?: boolean;
  /** By how many jobs; else as many as the repository's size asks for. */
  readonly shards?: number;
  /** Git: its diffs show no stamps. */
  readonly hideStamps?: boolean;
}

export interface InitOptions extends InitChoices {
  /** What the clone's git says: for a target of git. */
  readonly git: () => GitWiring;
  /** What stands in the repository: for a target that looks at it. */
  readonly survey: () => Survey;
  /** The version that is pinned. */
  readonly version: string;
}

/** An option that only some hosts take. */
export type InitOption = "image" | "plugin" | "restarts" | "restamp" | "plan" | "shards" | "hide-stamps";

/** A host that rollstamp can be wired into: a row of INIT_TARGETS. */
export interface InitTarget {
  readonly name: string;
  readonly summary: string;
  /** The options that change what it writes. */
  readonly takes: readonly InitOption[];
  /** Whether it looks at the whole repository. */
  readonly looks?: boolean;
  /** Throws a RollstampError where the host's file is not there or can't be read. */
  readonly propose: (folder: InitFolder, options: InitOptions) => Proposal;
}
