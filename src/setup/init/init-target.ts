import type { Application } from "../../applications/discover/application.ts";
import type { InitFolder } from "../../platform/ports/files.ts";
import type { GitSetting, GitWiring } from "../../platform/ports/git.ts";
import type { TextChange } from "../../findings/results/file-diff.ts";
import type { NotExaminedKind } from "../../findings/not-examined/not-examined-kinds.ts";

/** A file before and after. Its path is from the folder that the command was given. */
export interface FileProposal extends TextChange {
  /** The real folder that must contain it, if that is not the repository. */
  readonly root?: string;
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
  /** What to say if there is nothing to write; by default, that the host is set up already. */
  readonly nothing?: string;
}

/** What a repository contains. */
export interface Survey {
  /** Workloads in plain manifests. */
  readonly workloads: number;
  /** The largest scope without duplicate objects. */
  readonly scope: "all" | "directory" | "file";
  readonly workloadKinds: ReadonlySet<string>;
  /** The folders of charts from the root of the repository, without libraries and dependencies. */
  readonly charts: readonly string[];
  /** What only controllers render: `3 HelmReleases`; "" for none. */
  readonly elsewhere: string;
}

/** What engines render from a repository. Paths start at its root. */
export interface Inventory {
  /** The objects and folders of a kind. */
  readonly paths: (kind: NotExaminedKind) => readonly string[];
  /** `3 HelmReleases and 2 Flux Kustomizations`; "" for none. */
  readonly named: (...kinds: readonly NotExaminedKind[]) => string;
  /** Files that have the name of a manifest and contain none. */
  readonly others: readonly string[];
  /** The HelmReleases that have opted in, or would get stamps in their values if they did. */
  readonly stampable: {
    readonly releases: number;
    readonly paths: readonly string[];
    readonly files: readonly FileProposal[];
  };
}

/** The options of the command line. */
export interface InitChoices {
  /** A container image to run instead of the program. */
  readonly image?: string;
  /** kustomize: use the legacy plugin, which `kubectl kustomize` can run. */
  readonly plugin?: boolean;
  /** CI: also add a job that plans pull requests. */
  readonly plan?: boolean;
}

/** Whether a file belongs to a part of the repository; paths start at its root. */
export type IsPart = (path: string) => boolean;

export interface InitOptions extends InitChoices {
  /** Whether the command line names the folder. */
  readonly isNamed: boolean;
  /** Reads the Git settings of the clone. */
  readonly git: () => Promise<GitWiring>;
  /** Reads what the repository contains, or a part of it; files in the folder of a kustomization only on request. */
  readonly survey: (isPart?: IsPart, kustomizeInput?: boolean) => Promise<Survey>;
  /** Takes the inventory of what engines render from the repository, or from a part of it. */
  readonly inventory: (isPart?: IsPart) => Promise<Inventory>;
  /** The folders that the ApplicationSets of the repository make Applications of, and the files that define each; paths start at its root. */
  readonly generated: () => Promise<readonly Pick<Application, "path" | "definedIn">[]>;
  /** The version to pin. */
  readonly version: string;
}

/** An option of some hosts. */
export type InitOption = "image" | "plugin" | "plan";

/** A host that rollstamp can be set up for: a row of INIT_TARGETS. */
export interface InitTarget {
  readonly name: string;
  readonly summary: string;
  readonly takes: readonly InitOption[];
  /** Throws a RollstampError if the host's file is missing or can't be read. */
  readonly propose: (folder: InitFolder, options: InitOptions) => Proposal | Promise<Proposal>;
}
