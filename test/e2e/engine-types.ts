/** What a test does with a GitOps engine. */

/** Texts by path. */
export type Files = Readonly<Record<string, string>>;

/** What an engine did with a commit. */
export interface Reconciled {
  readonly isReady: boolean;
  readonly message: string;
}

export interface PushOptions {
  /** Whether it deletes what leaves Git; the first commit decides it. */
  readonly prune?: boolean;
  /** Argo CD: whether it waits until nothing differs from Git, or only until it has synced. */
  readonly untilSynced?: boolean;
  /** Flux: more fields of the Kustomization's spec; the first commit decides them. */
  readonly spec?: Readonly<Record<string, unknown>>;
}

export interface Engine {
  /** Commits files to a repository, which is made at first and applied by itself; resolves once it is reconciled. */
  readonly push: (name: string, files: Files, options?: PushOptions) => Promise<Reconciled>;
  /** The same, without waiting for what becomes of it; the revision. */
  readonly commit: (name: string, files: Files, options?: PushOptions) => Promise<string>;
  /** Has the engine look again at once. */
  readonly reconcile: (name: string) => Promise<Reconciled>;
  /** Deletes what applies the repository, with its objects. */
  readonly remove: (name: string) => Promise<void>;
}
